//! Public behaviour.

#![allow(missing_docs, clippy::unwrap_used, clippy::float_cmp, clippy::print_stderr)]

mod allocations;
mod explaining;
mod folds;
mod golden;
mod golden_evaluation;
mod golden_evidence;
mod golden_statistics;
mod golden_streams;
mod hostile;
mod laws;
mod movie_splits;
mod movies;
mod numpy;
mod saved;
mod strategies;
mod support;
mod threads;
