#![doc = include_str!("../README.md")]

mod algorithm;
mod component;
mod error;
mod frequencies;
mod gaussian;
mod local;
mod local_fit;
mod model;
mod neighbours;
mod observer;
mod options;
mod passes;
mod points;
mod prior;
mod problem;
mod scale_factor;
mod scaling;
mod scores;
mod starts;
mod step;

pub use algorithm::{Run, Status};
pub use component::{Component, Weighting};
pub use error::SsgpError;
pub use frequencies::{Sampling, draw_frequencies};
pub use gaussian::Gaussian;
pub use local::{
    Fallback, LocalOptions, LocalPrediction, LocalReport, LocalSsgpVb, Origin, StageReport,
};
pub use model::{FitReport, Relevance, SsgpVb, SsgpVbFit, SsgpVbOptions, SsgpVbParts, Warning};
pub use observer::{Cycle, LocalObserver, Observer};
pub use options::{Algorithm, FitOptions, OnDecrease, Start};
pub use prior::Priors;
pub use problem::{Expectations, Factors, LambdaGradient, SparseSpectrum};
pub use scale_factor::ScaleFactor;
pub use scaling::HalfRange;
pub use scores::{mnlp, nmse};
pub use starts::{SpectralPoints, StartReport, Starts};
pub use step::LambdaStep;
