#![doc = include_str!("../README.md")]

mod check;
mod collapsed;
mod evidence;
mod fit;
mod gradient;
mod model;
mod objective;
mod options;
mod selection;
mod settings;
mod whitened;

pub use check::check_points;
pub use evidence::Evidence;
pub use fit::SgprFit;
pub use gp_core::GpError;
pub use gradient::ElboGradient;
pub use model::{Sgpr, SgprParts, elbo_gradient};
pub use objective::unflatten;
pub use options::SgprOptions;
pub use selection::{
    InducingPoints, Notice, Selection, Selector, greedy_conditional_variance, k_means,
    random_points,
};
pub use settings::{Jitter, SgprSettings};
