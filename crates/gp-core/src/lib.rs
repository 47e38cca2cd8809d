#![doc = include_str!("../README.md")]

mod adam;
mod check;
mod duplicates;
mod error;
mod hyperparameters;
mod lbfgs;
mod line_search;
pub mod metrics;
mod model_file;
mod objective;
mod observer;
mod params;
mod plan;
mod posterior;
mod prior;
mod rows;
mod scaling;
mod space;
mod start;
mod stop_reason;
mod train;
mod transform;
mod units;
mod watched;
mod whole_file;

pub use adam::{AdamOptions, AdamState};
pub use check::{check_data, check_length};
pub use duplicates::{
    Disagreement, disagreement, duplicate_groups, refuse_duplicates_without_noise,
};
pub use error::GpError;
pub use hyperparameters::{HyperGradient, Hyperparameters};
pub use lbfgs::{LbfgsOptions, LbfgsState};
pub use model_file::Format;
pub use objective::{Evaluation, Objective};
pub use observer::{Observer, Progress};
pub use params::{MeanSpec, Params, Units};
pub use plan::TrainingPlan;
pub use posterior::{Posterior, Prediction};
pub use prior::Prior;
pub use rows::random_rows;
pub use scaling::{Standardiser, check_finite};
pub use space::{Floors, ParameterSpace};
pub use start::{DEFAULT_STARTS, starts};
pub use stop_reason::StopReason;
pub use train::{Start, StartReport, TrainOptions, TrainState, Trained, train};
pub use transform::Transform;
pub use units::Scales;
pub use watched::Watched;
pub use whole_file::WholeFile;
