#![doc = include_str!("../README.md")]

mod draws;
mod estimate;
mod fit;
mod gradient;
mod love;
mod model;
mod objective;
mod options;
mod probes;
mod report;
mod solves;
mod surrogate;
mod value;

pub use draws::FunctionDraws;
pub use estimate::{LmlEstimate, lml_estimate, lml_estimate_with};
pub use gp_core::GpError;
pub use model::{Comparison, IterativeGp, IterativeParts};
pub use options::{
    EstimatorOptions, GradientEstimator, IterativeOptions, Preconditioning, PredictionOptions,
    ProbeKind, Schedule, Variance,
};
pub use report::SolverReport;
pub use surrogate::{NystromSurrogate, Surrogate, SurrogateDerivative, VecchiaSurrogate};
pub use value::LmlValue;
