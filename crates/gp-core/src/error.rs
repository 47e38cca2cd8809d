//! What can go wrong between a table of numbers and a fitted Gaussian process.

use std::path::PathBuf;

/// Everything `gp-core` refuses, each with what was found and what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GpError {
    /// Two arguments disagree about a length.
    #[error("`{argument}` has {found} {unit}, expected {expected}: give as many as that")]
    ShapeMismatch {
        /// Name of the argument.
        argument: &'static str,
        /// What is counted: rows, columns, values.
        unit: &'static str,
        /// The length the other arguments imply.
        expected: usize,
        /// The length found.
        found: usize,
    },
    /// No rows at all.
    #[error("`{argument}` is empty: at least one row is needed")]
    NoRows {
        /// Name of the argument.
        argument: &'static str,
    },
    /// A NaN or an infinity in the data.
    #[error(
        "`{argument}` holds {value} at row {row}, column {column}, counted from 0 ({count} such cells in all): remove or fill these rows first"
    )]
    NotFinite {
        /// Name of the argument.
        argument: &'static str,
        /// The offending value.
        value: f64,
        /// Zero-based row of the first offender.
        row: usize,
        /// Zero-based column of the first offender.
        column: usize,
        /// How many cells are not finite.
        count: usize,
    },
    /// Numbers so large that their spread is not representable.
    #[error(
        "column {column} of `{argument}` holds numbers too large to measure their spread: use larger units for it"
    )]
    TooLarge {
        /// Name of the argument.
        argument: &'static str,
        /// Zero-based column.
        column: usize,
    },
    /// A spread that cannot be squared, as a variance in the column's own units must be.
    #[error(
        "column {column} of `{argument}` spreads over {scale:e}, too {} to square: rescale it", if *scale > 1.0 { "large" } else { "small" }
    )]
    SpreadNotSquarable {
        /// Name of the argument.
        argument: &'static str,
        /// Zero-based column.
        column: usize,
        /// Its standard deviation.
        scale: f64,
    },
    /// A prediction that is not a number, or infinite.
    #[error(
        "the prediction of row {row} is not a finite number: the model's numbers are too large, fit again with the target in larger units"
    )]
    PredictionNotFinite {
        /// One-based row of the inputs.
        row: usize,
    },
    /// A hyperparameter that must be positive and finite is not.
    #[error("parameter `{name}` is {value}: it must be finite and greater than {least}{hint}")]
    BadParameter {
        /// Its name, as in parameter files.
        name: String,
        /// The value given.
        value: f64,
        /// The excluded lower end of the accepted range.
        least: f64,
        /// What to do about it.
        hint: &'static str,
    },
    /// A prior that is no density, or none where the parameter can be.
    #[error("the prior on `{name}` cannot be used: {reason}")]
    BadPrior {
        /// The parameter's name.
        name: String,
        /// What is wrong, and what to give instead.
        reason: &'static str,
    },
    /// No hyperparameter answers to this name.
    #[error("no parameter is called `{name}`: choose from {known}")]
    UnknownParameter {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// No bound answers to this name.
    #[error("no bound is called `{name}`: choose from {known}")]
    UnknownBound {
        /// The name asked for.
        name: String,
        /// The names there are.
        known: String,
    },
    /// Zero noise and two equal inputs: no exact solution, or an infinite density.
    #[error(
        "rows {first} and {second} have equal inputs {relation} and `noise_variance` is 0: the covariance matrix is singular; drop one of the rows or give a positive noise variance"
    )]
    DuplicateRowsWithoutNoise {
        /// One-based row of the training data.
        first: usize,
        /// One-based row of the training data.
        second: usize,
        /// "but different targets" or "and targets".
        relation: &'static str,
    },
    /// The objective has no finite value at the start.
    #[error(
        "the objective is not finite at the start ({reason}): give other starting values with a parameter file, or a larger noise variance"
    )]
    BadStart {
        /// Why, as far as known.
        reason: String,
    },
    /// More memory would be needed than the budget allows.
    #[error(
        "an exact Gaussian process on {n} rows needs {needed} of memory, more than the budget of {budget}: raise the budget, or use fewer rows (about {affordable} fit)"
    )]
    MemoryBudget {
        /// Rows asked for.
        n: usize,
        /// Memory needed, spelled for people.
        needed: String,
        /// Memory allowed, spelled for people.
        budget: String,
        /// Rows that would fit.
        affordable: usize,
    },
    /// More memory would be needed for matrices of inducing points by rows than the budget allows.
    #[error(
        "{method} on {n} rows with {inducing} inducing points needs {needed} of memory, more than the budget of {budget}: raise the budget, or use fewer inducing points (about {affordable} fit)"
    )]
    InducingMemory {
        /// The method's name.
        method: &'static str,
        /// Rows asked for.
        n: usize,
        /// Inducing points asked for.
        inducing: usize,
        /// Memory needed, spelled for people.
        needed: String,
        /// Memory allowed, spelled for people.
        budget: String,
        /// Inducing points that would fit.
        affordable: usize,
    },
    /// An option that would make no difference to the method.
    #[error("`{option}` makes no difference to {method}: leave it out, or use {used_by}")]
    UnusedOption {
        /// The option's name.
        option: &'static str,
        /// The method's name.
        method: &'static str,
        /// The methods it is for.
        used_by: String,
    },
    /// What a method has no answer for.
    #[error("{method} cannot be used {with}: {remedy}")]
    NotForMethod {
        /// The method's name.
        method: &'static str,
        /// With or without what.
        with: String,
        /// What to do instead.
        remedy: &'static str,
    },
    /// An option out of its range.
    #[error("`{option}` is {found}, accepted is {accepted}: choose one of these")]
    OptionRange {
        /// The option's name.
        option: &'static str,
        /// The value given.
        found: String,
        /// The range.
        accepted: String,
    },
    /// More memory would be needed than the budget allows.
    #[error("{task} needs {needed} of memory, more than the budget of {budget}: {remedy}")]
    OverBudget {
        /// What needs it.
        task: String,
        /// Memory needed, spelled for people.
        needed: String,
        /// Memory allowed, spelled for people.
        budget: String,
        /// What to do.
        remedy: &'static str,
    },
    /// A result file that is not one of ours, or was cut off, or is of another version.
    #[error("{path}: {problem}")]
    BadFile {
        /// The file.
        path: PathBuf,
        /// What is wrong and what to do.
        problem: String,
    },
    /// The operating system refused to read or write.
    #[error("cannot {action} {path}: {source}")]
    Io {
        /// "read" or "write".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
    /// Training was interrupted before it could give a result.
    #[error("interrupted")]
    Interrupted,
    /// Hyperparameters cannot be expressed in the units asked for.
    #[error("these hyperparameters cannot be given in {units} units: {reason}")]
    Units {
        /// "original" or "standardised".
        units: &'static str,
        /// Why.
        reason: String,
    },
    /// From `kernels`.
    #[error(transparent)]
    Kernel(#[from] kernels::KernelError),
    /// From `bounds`.
    #[error(transparent)]
    Bound(#[from] bounds::BoundError),
    /// From `linalg-cg`.
    #[error(transparent)]
    Linalg(#[from] linalg_cg::LinalgError),
}
