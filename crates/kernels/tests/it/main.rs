//! Public behaviour of `kernels`.
#![allow(clippy::unwrap_used, missing_docs, clippy::float_cmp)]

mod cases;
mod dense;
mod golden;
mod gradients;
mod hostile;
mod lanes;
mod laws;
mod mean;
mod operator;
mod paths;
mod random_features;
mod scalar;
mod single;
mod spec;
mod support;
