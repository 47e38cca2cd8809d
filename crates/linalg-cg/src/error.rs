//! Everything that can go wrong with a caller's data.

/// Why an operation of this crate was refused or failed.
///
/// Conjugate gradients that stop early and a jitter that was needed are not errors: they are data
/// in the result.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LinalgError {
    /// An argument's size disagrees with the others.
    #[error("`{argument}` has {found} {dimension}, expected {expected} to fit the other arguments")]
    ShapeMismatch {
        /// Name of the argument.
        argument: &'static str,
        /// What was counted: `rows`, `columns` or `elements`.
        dimension: &'static str,
        /// The count the other arguments ask for.
        expected: usize,
        /// The count found.
        found: usize,
    },
    /// A matrix that must be square is not.
    #[error(
        "`{argument}` has {rows} rows and {columns} columns, expected a square symmetric matrix"
    )]
    NotSquare {
        /// Name of the argument.
        argument: &'static str,
        /// Its rows.
        rows: usize,
        /// Its columns.
        columns: usize,
    },
    /// A NaN or an infinity where only finite numbers make sense.
    #[error(
        "`{argument}` holds {found} at row {row}, column {column}, expected finite numbers; \
         remove or replace that value"
    )]
    NonFinite {
        /// Name of the argument.
        argument: &'static str,
        /// Row of the first such value, from 0.
        row: usize,
        /// Column of the first such value, from 0.
        column: usize,
        /// The value itself.
        found: f64,
    },
    /// A number that must be positive is not.
    #[error("`{argument}` holds {found} at index {index}, expected a finite number above 0")]
    NotPositive {
        /// Name of the argument.
        argument: &'static str,
        /// Index of the first such value, from 0.
        index: usize,
        /// The value itself.
        found: f64,
    },
    /// Cholesky met a pivot that is not positive, with the largest jitter allowed.
    #[error(
        "the {n} by {n} matrix is not positive definite: pivot {pivot} is not above 0 with jitter \
         {jitter:e} on the diagonal; allow a larger jitter or remove duplicated points"
    )]
    NotPositiveDefinite {
        /// Order of the matrix.
        n: usize,
        /// The last jitter tried, added to the diagonal.
        jitter: f64,
        /// Row of the failed pivot, from 0.
        pivot: usize,
    },
    /// An option outside its range.
    #[error("option `{option}` is {found}, expected {accepted}")]
    InvalidOption {
        /// Name of the option.
        option: &'static str,
        /// The value found.
        found: f64,
        /// The range accepted, in words.
        accepted: &'static str,
    },
    /// The symmetric eigenvalue iteration did not converge.
    #[error("the eigenvalues of the {n} by {n} matrix did not converge; rescale the matrix")]
    EigenNotConverged {
        /// Order of the matrix.
        n: usize,
    },
}
