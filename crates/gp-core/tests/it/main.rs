//! Public behaviour of `gp-core`.
#![allow(clippy::unwrap_used, clippy::float_cmp, missing_docs)]

mod duplicates;
mod files;
mod hyperparameters;
mod metrics;
mod params;
mod priors;
mod resume;
mod rows;
mod samples;
mod scaling;
mod space;
mod starts;
mod support;
mod training;
mod units;
