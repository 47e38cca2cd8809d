//! The options of `taut classify`, as clap sees them.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use naive_bayes::UnseenLevel;

use crate::cli::args::Common;
use crate::cli::numbers::{non_negative, positive, unit, up_to};

#[derive(Debug, Subcommand)]
pub(crate) enum ClassifyCommand {
    /// Learn a classifier from a table, in one pass, and save it
    Fit(ClassifyFitArgs),
    /// Learn further rows, or take rows out again
    Update(UpdateArgs),
    /// Put classifiers of different rows together
    Merge(MergeArgs),
    /// Write the class and the probabilities of each row of a table
    Predict(ClassifyPredictArgs),
    /// Score predictions against the classes in a table
    Evaluate(EvaluateArgs),
    /// Show what each feature says about rows of a table
    Explain(ExplainArgs),
}

/// What predictions use beside the statistics. A model keeps what it was given last.
#[derive(Debug, Clone, Args)]
pub(crate) struct Predicting {
    /// Pseudo-count of each value of a feature; 0 for none [default: 1, or the model's]
    #[arg(long, value_name = "A", value_parser = non_negative)]
    pub(crate) smoothing: Option<f64>,
    /// Part of the largest variance that is added to each variance [default: 1e-9, or the model's]
    #[arg(long, value_name = "F", value_parser = non_negative)]
    pub(crate) var_smoothing: Option<f64>,
    /// Class probabilities: `learned`, `uniform`, or CLASS=P for each class [default: learned, or the model's]
    #[arg(long = "prior", value_name = "learned|uniform|CLASS=P")]
    pub(crate) priors: Vec<String>,
    /// What a level means that was never seen [default: skip, or the model's]
    #[arg(long, value_enum)]
    pub(crate) unseen: Option<Unseen>,
}

/// What a level means at prediction that was never seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Unseen {
    /// The cell counts as missing
    Skip,
    /// All such levels together are one more level
    Open,
    /// The row is refused
    Refuse,
}

impl From<Unseen> for UnseenLevel {
    fn from(unseen: Unseen) -> Self {
        match unseen {
            Unseen::Skip => Self::Skip,
            Unseen::Open => Self::Open,
            Unseen::Refuse => Self::Refuse,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct ClassifyFitArgs {
    /// Table (.csv, .csv.gz, .parquet), or - for standard input
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
    /// Column to predict: its name, or its position from 1
    #[arg(long, visible_alias = "label", value_name = "COL")]
    pub(crate) target: String,
    /// What a column is: gaussian, bernoulli, categorical, count, multinomial[:GROUP], tag, tags
    /// (A|B|C), words or ignore; else inferred from the first rows
    #[arg(long = "kind", value_name = "COL=KIND")]
    pub(crate) kinds: Vec<String>,
    /// Column of weights: a row of weight w counts as w rows
    #[arg(long, value_name = "COL")]
    pub(crate) weights: Option<String>,
    /// Leave rows without a class out instead of refusing the table
    #[arg(long)]
    pub(crate) skip_unlabelled: bool,
    #[command(flatten)]
    pub(crate) predicting: Predicting,
    /// Where to save the model [default: DATA's name with .classifier, in the current folder]
    #[arg(long, value_name = "MODEL")]
    pub(crate) out: Option<PathBuf>,
    /// Write a report as JSON
    #[arg(long, value_name = "FILE.json")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Args)]
pub(crate) struct UpdateArgs {
    /// Model file
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// Table with further rows, or - for standard input
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
    /// Take these rows, which were learned before, out again
    #[arg(long, conflicts_with = "decay")]
    pub(crate) remove: bool,
    /// First multiply the weight of all rows learned before by this
    #[arg(long, value_name = "F", value_parser = unit)]
    pub(crate) decay: Option<f64>,
    /// Leave rows without a class out instead of refusing the table
    #[arg(long)]
    pub(crate) skip_unlabelled: bool,
    #[command(flatten)]
    pub(crate) predicting: Predicting,
    /// Where to save the model [default: in MODEL's place]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Write a report as JSON
    #[arg(long, value_name = "FILE.json")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// Model files, at least two
    #[arg(value_name = "MODEL", num_args = 2.., required = true)]
    pub(crate) models: Vec<PathBuf>,
    /// Where to save the model
    #[arg(long, value_name = "MODEL")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) predicting: Predicting,
    /// Write a report as JSON
    #[arg(long, value_name = "FILE.json")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Args)]
pub(crate) struct ClassifyPredictArgs {
    /// Model file
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// Table with the model's columns, or - for standard input
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
    /// Where to write the predictions [default: standard output]
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Write logarithms of the probabilities, which never round to 0
    #[arg(long)]
    pub(crate) log: bool,
    /// Copy the table's own columns in front of the predictions
    #[arg(long)]
    pub(crate) keep: bool,
    #[command(flatten)]
    pub(crate) predicting: Predicting,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Args)]
pub(crate) struct EvaluateArgs {
    /// Model file
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// Table with the model's columns and the classes, or - for standard input
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
    /// Class whose ranking is judged [default: the second of two]
    #[arg(long, value_name = "CLASS")]
    pub(crate) positive: Option<String>,
    /// Predict each of K parts of DATA by a model of the others, with the columns and options of
    /// MODEL but not what it has learned
    #[arg(long, value_name = "K", value_parser = up_to::<1000>)]
    pub(crate) k_fold: Option<usize>,
    /// Seed of the parts
    #[arg(long, value_name = "N", default_value_t = 0, requires = "k_fold")]
    pub(crate) seed: u64,
    /// Most thresholds and points of curves in the report
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = up_to::<1_000_000>)]
    pub(crate) thresholds: usize,
    /// Bins of the calibration table
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = up_to::<10_000>)]
    pub(crate) bins: usize,
    /// Leave rows without a class out instead of refusing the table
    #[arg(long)]
    pub(crate) skip_unlabelled: bool,
    #[command(flatten)]
    pub(crate) predicting: Predicting,
    /// Write a report as JSON
    #[arg(long, value_name = "FILE.json")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: Common,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArgs {
    /// Model file
    #[arg(value_name = "MODEL")]
    pub(crate) model: PathBuf,
    /// Table with the model's columns, or - for standard input
    #[arg(value_name = "DATA")]
    pub(crate) data: PathBuf,
    /// Rows to explain, from 1, such as 3,10-12
    #[arg(long, value_name = "ROWS", default_value = "1-10")]
    pub(crate) rows: String,
    /// Class to speak for [default: the second of two, or the predicted one]
    #[arg(long, value_name = "CLASS")]
    pub(crate) class: Option<String>,
    /// Class to speak against [default: the other of two, or the most probable of the others]
    #[arg(long, value_name = "CLASS")]
    pub(crate) against: Option<String>,
    /// Features to show for each row, those that say most
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = positive)]
    pub(crate) top: usize,
    #[command(flatten)]
    pub(crate) predicting: Predicting,
    /// Write every feature of every row as JSON
    #[arg(long, value_name = "FILE.json")]
    pub(crate) report: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) common: Common,
}
