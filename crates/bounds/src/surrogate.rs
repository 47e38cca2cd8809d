//! Surrogate covariances: matrices near K with a cheap log-determinant and solve.
//!
//! All of them are one type, [`Surrogate`]: a low-rank part and a sparse inverse. A new one is a new
//! [`SurrogateKind`] and the structure it takes in [`Problem`](crate::Problem).

mod certificate;
mod columns;
mod composed;
mod entries;
mod gradient;
mod kd_tree;
mod kind;
mod low_rank;
mod maximin;
mod neighbours;
mod nystrom;
mod residual_neighbours;
mod sensitivity;
mod sparse_weights;
mod structure;
mod vecchia;
mod woodbury;

pub use certificate::Moments;
pub(crate) use columns::by_columns;
pub use composed::Surrogate;
pub(crate) use entries::Entries;
pub use gradient::vecchia_form_gradient;
pub(crate) use gradient::{log_det_gradient, residual_gradient, trace_gradient};
pub use kind::SurrogateKind;
pub use maximin::maximin_order;
pub use neighbours::nearest_predecessors;
pub(crate) use neighbours::nearest_rows;
pub use nystrom::{NystromSystem, ShiftedNystrom, factor_inducing};
pub(crate) use residual_neighbours::most_correlated;
pub use sensitivity::Sensitivity;
pub use structure::{VecchiaStructure, space_partition};
pub use vecchia::VecchiaFactors;
