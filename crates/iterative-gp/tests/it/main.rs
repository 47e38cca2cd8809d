//! Public behaviour of `iterative-gp`: estimates against the exact evidence, cases of other packages.
#![allow(clippy::unwrap_used, clippy::float_cmp, clippy::print_stderr, missing_docs)]

mod bracket;
mod cases;
mod draws;
mod estimates;
mod golden;
mod laws;
mod love;
mod memory;
mod parts;
mod real_data;
mod refusals;
mod support;
mod threads;
mod training;
