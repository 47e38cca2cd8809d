//! Public behaviour of `bounds`: laws over random problems, golden values, cases of other packages.
#![allow(clippy::unwrap_used, clippy::float_cmp, missing_docs)]

mod bracket;
mod cases;
mod exact;
mod golden_bounds;
mod golden_gp;
mod gradients;
mod invariance;
mod laws;
mod limits;
mod lower;
mod near_the_limit;
mod planning;
mod predictions;
mod refusals;
mod support;
mod surrogates;
mod table;
