//! Public behaviour of `ssgp-vb`: golden values, gradients by differences, laws.
#![allow(clippy::unwrap_used, clippy::float_cmp, clippy::print_stdout, missing_docs)]

mod bars;
mod evidence;
mod golden;
mod gradients;
mod laws;
mod local;
mod model;
mod refusals;
mod support;
