#![doc = include_str!("../README.md")]

mod bracket;
mod check;
mod cost;
mod error;
mod evaluation;
pub mod exact;
mod gradient;
pub mod logdet;
mod lower;
mod needs;
mod neighbourhood;
mod plan;
mod prediction;
mod problem;
pub mod quad;
mod rounding;
mod side;
mod solve;
pub mod surrogate;

pub use bracket::{Bracket, Slack, Winners, lml_bracket};
pub use cost::{ProblemSize, REFERENCE_THREADS};
pub use error::BoundError;
pub use evaluation::{BoundRow, Evaluation, Quantity, evaluate_catalogue};
pub use gradient::{Gradient, QuadGradient};
pub use logdet::{
    DifferentiableLogDet, LogDetBound, catalogue as log_det_catalogue,
    free_catalogue as free_log_det_catalogue,
};
pub use lower::{LogDetGradient, LowerGradient, LowerPoint};
pub use needs::{CostClass, Needs, Part};
pub use neighbourhood::Neighbourhood;
pub use plan::{Budget, Plan, Purpose, best_affordable};
pub use prediction::{
    PredictionCertificate, VarianceOptions, certify_exact_predictions, certify_predictions,
};
pub use problem::Problem;
pub use quad::{QuadBound, QuadPoint, catalogue as quad_catalogue};
pub use rounding::Rounding;
pub use side::Side;
pub use solve::{solve_auxiliary, solve_preconditioned};
pub use surrogate::{
    Moments, NystromSystem, Surrogate, SurrogateKind, VecchiaFactors, VecchiaStructure,
    vecchia_form_gradient,
};
