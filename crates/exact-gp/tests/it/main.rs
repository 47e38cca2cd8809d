//! Public behaviour of `exact-gp`: golden values, cases of other packages, laws.
#![allow(clippy::unwrap_used, clippy::float_cmp, missing_docs)]

mod duplicates;
mod golden;
mod gradients;
mod laws;
mod lazy;
mod memory;
mod predictions;
mod refusals;
mod scales;
mod support;
mod targets;
mod threads;
mod training;
mod values;
