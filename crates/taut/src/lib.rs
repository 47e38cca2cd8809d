#![doc = include_str!("../README.md")]

#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/tutorial.md")]
mod tutorial {}

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod front_page {}

mod auto;
mod certificate_table;
mod certified;
mod certify;
mod classifier;
mod evidence;
mod fit;
mod fit_options;
mod iterative_settings;
mod kernel_expr;
mod memory;
mod method;
mod model;
mod number_text;
mod params_file;
mod scores;
mod surrogates;
mod warnings;

pub use auto::{AutoLimits, automatic};
pub use certificate_table::table_lines;
pub use certified::{Certifier, PredictionBoundOptions, PredictionBounds};
pub use certify::{Certificate, CertifyOptions, CgSummary, ExactTerms, Selection, certify};
pub use classifier::{
    Classifier, ClassifyError, ColumnSpec, FeatureKind, LabelledRows, Schema, Unlabelled,
};
pub use evidence::{Evidence, EvidenceOptions};
pub use fit::{Fitted, fit};
pub use fit_options::FitOptions;
pub use iterative_settings::{IterativeSettings, Optimizer, TraceEstimator, VarianceFrom};
pub use kernel_expr::{KernelExprError, LEAVES, parse_kernel};
pub use method::{Method, Setting};
pub use model::{Model, TablePrediction, check_predictions};
pub use number_text::{bytes_text, fixed};
pub use params_file::read_params;
pub use scores::{
    Scores, TargetScores, TestScores, leave_one_out_scores, select_rows, test_scores,
};
pub use surrogates::Surrogates;

pub use bounds;
pub use cglb;
pub use datasets;
pub use exact_gp;
pub use gp_core;
pub use iterative_gp;
pub use kernels;
pub use linalg_cg;
pub use naive_bayes;
pub use sparse_gp;
