#![doc = include_str!("../README.md")]

mod error;
mod greedy;

pub use error::SparseGpError;
pub use greedy::{Selection, greedy_conditional_variance};
