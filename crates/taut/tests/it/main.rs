//! The command line from outside, as a user's scripts see it.

#![allow(clippy::unwrap_used, clippy::float_cmp, clippy::print_stderr, missing_docs)]

mod automatic;
mod best_bounds;
mod certified_predictions;
mod certifying;
mod cglb;
mod classifying;
mod data_sets;
mod describing;
mod fit_columns;
mod fit_limits;
mod fit_model;
mod fit_params;
mod golden;
mod hostile_classes;
mod hostile_files;
mod hostile_options;
mod hostile_tables;
mod inducing;
mod iterative;
mod library;
mod many_rows;
mod methods;
mod parquet_classes;
mod predicting;
mod properties;
mod ranking;
mod real_data;
mod reporting;
mod resuming;
mod scaling;
mod ssgp_vb;
mod support;
