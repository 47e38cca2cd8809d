//! Public behaviour.

#![allow(missing_docs, clippy::unwrap_used, clippy::float_cmp)]

mod golden;
mod golden_evaluation;
mod golden_evidence;
mod golden_streams;
mod movies;
mod support;
