//! Public behaviour of `linalg-cg`.
#![allow(clippy::unwrap_used, missing_docs, clippy::float_cmp)]

mod cg;
mod cholesky;
mod dense;
mod kernel;
mod lanczos;
mod oracle;
mod partition;
mod pivoted;
mod properties;
mod support;
mod woodbury;
