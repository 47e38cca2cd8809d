//! Surrogate covariances: matrices near K with a cheap log-determinant and solve.
//!
//! A new surrogate is one file here, its `mod` and `pub use` lines below, and a bound built on it in
//! [`logdet`](crate::logdet).

mod maximin;
mod neighbours;
mod nystrom;
mod sensitivity;
mod structure;
mod vecchia;
mod woodbury;

pub use maximin::maximin_order;
pub use neighbours::nearest_predecessors;
pub use nystrom::{NystromSystem, ShiftedNystrom, factor_inducing};
pub use sensitivity::Sensitivity;
pub use structure::VecchiaStructure;
pub use vecchia::VecchiaFactors;
