//! Public behaviour of `sparse-gp`: golden values, cases of other packages, laws.
#![allow(clippy::unwrap_used, clippy::float_cmp, missing_docs)]

mod cases;
mod draws;
mod golden;
mod gradients;
mod greedy;
mod laws;
mod memory;
mod parts;
mod refusals;
mod selection;
mod support;
mod table;
mod threads;
mod training;
