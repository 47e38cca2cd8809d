#![doc = include_str!("../README.md")]

mod accuracy;
mod auxiliary;
mod bound;
mod check;
mod evidence;
mod fit;
mod gradient;
mod kept;
mod model;
mod objective;
mod options;
mod points;
mod preconditioning;
mod rounds;
mod setting;
mod settings;
mod stats;

pub use bound::Bound;
pub use evidence::Evidence;
pub use fit::CglbFit;
pub use gp_core::GpError;
pub use gradient::{CglbGradient, cglb_gradient, cold_start};
pub use model::{Cglb, CglbParts};
pub use options::CglbOptions;
pub use preconditioning::Preconditioning;
pub use settings::{CglbSettings, SearchPrecision, VarianceFrom};
pub use sparse_gp::{Jitter, Notice, Selector, SgprParts};
pub use stats::CgStats;
