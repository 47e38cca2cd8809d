#![doc = include_str!("../README.md")]

#[cfg(doctest)]
#[doc = include_str!("../../../docs/src/tutorial.md")]
mod tutorial {}

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
mod front_page {}

mod certificate_table;
mod certify;
mod fit;
mod kernel_expr;
mod model;
mod number_text;
mod params_file;
mod scores;
mod surrogates;
mod warnings;

pub use certificate_table::table_lines;
pub use certify::{Certificate, CertifyOptions, CgSummary, ExactTerms, Selection, certify};
pub use fit::{FitOptions, Fitted, fit};
pub use kernel_expr::{KernelExprError, LEAVES, parse_kernel};
pub use model::{Method, Model, TablePrediction, check_predictions};
pub use number_text::fixed;
pub use params_file::read_params;
pub use scores::{
    Scores, TargetScores, TestScores, leave_one_out_scores, select_rows, test_scores,
};
pub use surrogates::Surrogates;

pub use bounds;
pub use datasets;
pub use exact_gp;
pub use gp_core;
pub use kernels;
pub use linalg_cg;
pub use sparse_gp;
