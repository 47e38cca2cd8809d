//! Public behaviour of `linalg-cg`.
#![allow(clippy::unwrap_used, missing_docs, clippy::float_cmp)]

mod cholesky;
mod dense;
mod partition;
mod support;
