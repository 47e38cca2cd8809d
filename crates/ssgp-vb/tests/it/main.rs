//! Public behaviour of `ssgp-vb`: golden values, gradients by differences, laws.
#![allow(clippy::unwrap_used, clippy::float_cmp, missing_docs)]

mod golden;
mod support;
