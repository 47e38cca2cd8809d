//! Public behaviour of the crate.
#![allow(clippy::unwrap_used, missing_docs, clippy::float_cmp, clippy::print_stderr)]

mod chunks;
mod describing;
mod designs;
#[cfg(feature = "fetch")]
mod fetching;
mod files;
mod generating;
mod hostile_cells;
mod hostile_files;
mod messages;
#[cfg(feature = "parquet")]
mod parquet_files;
mod properties;
mod real_data;
mod requests;
mod sampling;
mod splitting;
mod support;
mod writing;
