//! What a person should know though nothing is wrong.

use std::fmt;

use serde::Serialize;

use crate::{Dropped, Role};

/// Something found while building a [`Design`](crate::Design) that is not an error.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Notice {
    /// A feature or target has the same value in every row kept, up to 1e-10 of its magnitude.
    ConstantColumn {
        /// Its name, of a one-hot feature the feature's.
        name: String,
        /// Feature or target.
        role: Role,
        /// The value of the first row.
        value: f64,
    },
    /// Rows were left out.
    DroppedRows {
        /// Which, and why.
        dropped: Dropped,
        /// Rows that stay.
        kept: usize,
    },
    /// Only one row is left, so that every column is constant.
    OneRow,
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ConstantColumn { name, role, value } => {
                write!(f, "{role} `{name}` is {value} in every row: it carries no information")
            }
            Self::DroppedRows { dropped, kept } => {
                write!(f, "{} rows left out for {} missing", dropped.count, dropped.missing_cells)?;
                write!(f, " and {} infinite cells, {kept} kept", dropped.not_finite_cells)?;
                let first = dropped.first.first();
                first.map_or(Ok(()), |row| {
                    write!(
                        f,
                        " (first: row {}, line {}, column `{}`)",
                        row.row, row.line, row.column
                    )
                })
            }
            Self::OneRow => f.write_str("there is only one row: every column is constant"),
        }
    }
}
