//! What kernels and means refuse.

/// A kernel or a mean that cannot be built, or does not fit its inputs.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum KernelError {
    /// A parameter that must be positive is not.
    #[error("parameter `{name}` is {value}: it must be finite and greater than 0")]
    BadParameter {
        /// Its path, as in [`Parameter::name`](crate::Parameter).
        name: String,
        /// The value given.
        value: f64,
    },
    /// A parameter of a mean that must be finite is not.
    #[error("parameter `{name}` is {value}: it must be finite")]
    NotFinite {
        /// Its path.
        name: String,
        /// The value given.
        value: f64,
    },
    /// Another number of values than there are parameters.
    #[error("`{owner}` has {expected} parameters, {found} values were given: give one for each")]
    ParameterCount {
        /// The kernel or mean.
        owner: &'static str,
        /// Its number of parameters.
        expected: usize,
        /// The number given.
        found: usize,
    },
    /// A per-column parameter that fits another number of columns.
    #[error(
        "`{name}` has {found} values, the inputs have {columns} columns: give one value for all columns or one for each"
    )]
    Columns {
        /// The parameter.
        name: String,
        /// Its number of values.
        found: usize,
        /// Number of input columns.
        columns: usize,
    },
    /// A linear mean with weights for another number of columns.
    #[error(
        "`mean.weights` has {found} values, the inputs have {columns} columns: give one for each"
    )]
    MeanWeights {
        /// Its number of weights.
        found: usize,
        /// Number of input columns.
        columns: usize,
    },
    /// A kernel on a column that does not exist.
    #[error(
        "`active_dims` names column {dim}, the inputs have {columns} columns: count from 0 to {last}"
    )]
    ActiveDim {
        /// The column named.
        dim: usize,
        /// Number of input columns.
        columns: usize,
        /// The largest accepted column.
        last: usize,
    },
    /// A kernel on the same column twice, or on none.
    #[error("`active_dims` is {dims:?}: name at least one column, each once")]
    ActiveDims {
        /// The columns named.
        dims: Vec<usize>,
    },
    /// A list that must not be empty.
    #[error("`{name}` is empty: give at least one entry")]
    Empty {
        /// The parameter or list.
        name: &'static str,
    },
    /// White noise multiplied by another kernel.
    #[error(
        "a white kernel stands inside a product: it is zero between different rows, so the product would predict nothing; add it instead"
    )]
    WhiteInProduct,
}
