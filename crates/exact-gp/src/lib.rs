#![doc = include_str!("../README.md")]

mod memory;
mod model;
mod objective;

pub use gp_core::GpError;
pub use model::{ExactGp, ExactGpOptions, ExactLml, bytes_needed};
