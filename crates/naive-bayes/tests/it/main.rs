//! Public behaviour.

#![allow(missing_docs, clippy::unwrap_used, clippy::float_cmp, clippy::print_stderr)]

mod allocations;
mod folds;
mod golden;
mod golden_evaluation;
mod golden_evidence;
mod golden_streams;
mod hostile;
mod laws;
mod movies;
mod saved;
mod strategies;
mod support;
mod threads;
