//! Public behaviour of `cglb`: golden values, cases of other packages, laws.
#![allow(clippy::unwrap_used, clippy::float_cmp, missing_docs)]

mod cases;
mod draws;
mod golden;
mod golden_bounds;
mod gradients;
mod laws;
mod memory;
mod parts;
mod refusals;
mod support;
mod table;
mod threads;
mod training;
