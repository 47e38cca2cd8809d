#![doc = include_str!("../README.md")]

mod algorithm;
mod error;
mod frequencies;
mod gaussian;
mod observer;
mod options;
mod passes;
mod points;
mod prior;
mod problem;
mod scale_factor;
mod scaling;
mod scores;
mod step;

pub use algorithm::{Run, Status};
pub use error::SsgpError;
pub use frequencies::{Sampling, draw_frequencies};
pub use gaussian::Gaussian;
pub use observer::{Cycle, LocalObserver, Observer};
pub use options::{Algorithm, FitOptions, OnDecrease, Start};
pub use prior::Priors;
pub use problem::{Expectations, Factors, LambdaGradient, SparseSpectrum};
pub use scale_factor::ScaleFactor;
pub use scaling::HalfRange;
pub use scores::{mnlp, nmse};
pub use step::LambdaStep;
