//! Real public tables that travel with the crate.
//!
//! | name | rows | inputs | target | source |
//! | --- | --- | --- | --- | --- |
//! | `earthquakes` | 385 | latitude, longitude, magnitude | depth, km | U.S. Geological Survey, public domain |

use crate::{CsvOptions, DataError, Design, Roles, Source, Table, design, error::listed, read_csv};

/// An embedded table.
///
/// ```
/// let design = datasets::samples::find("earthquakes")?.design()?;
/// assert_eq!(design.x.dim(), (385, 3));
/// # Ok::<(), datasets::DataError>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    /// Its name.
    pub name: &'static str,
    /// What it is, in one line.
    pub title: &'static str,
    /// The column to predict.
    pub target: &'static str,
    /// Where it comes from and its terms, as Markdown.
    pub source: &'static str,
    /// The CSV text itself.
    pub csv: &'static str,
}

/// Earthquakes under Indonesia and the southern Philippines: where the sinking slabs lie.
const EARTHQUAKES: Sample = Sample {
    name: "earthquakes",
    title: "depth of earthquakes under Indonesia and the southern Philippines, April to July 2024",
    target: "depth",
    source: include_str!("../data/earthquakes.SOURCE.md"),
    csv: include_str!("../data/earthquakes.csv"),
};

/// Every embedded table.
#[must_use]
pub fn catalogue() -> &'static [Sample] {
    &[EARTHQUAKES]
}

/// The embedded table of that name.
///
/// # Errors
/// [`DataError::UnknownSample`].
pub fn find(name: &str) -> Result<Sample, DataError> {
    catalogue().iter().copied().find(|sample| sample.name == name).ok_or_else(|| {
        DataError::UnknownSample {
            name: crate::error::shown(name),
            available: listed(catalogue().iter().map(|sample| sample.name)),
        }
    })
}

impl Sample {
    /// The table.
    ///
    /// # Errors
    /// None for the tables of [`catalogue`]; the type is that of [`read_csv`].
    pub fn table(&self) -> Result<Table, DataError> {
        read_csv(Source::text(format!("{}.csv", self.name), self.csv), &CsvOptions::default())
    }

    /// The table with its target against all other columns.
    ///
    /// # Errors
    /// None for the tables of [`catalogue`]; the type is that of [`design`].
    pub fn design(&self) -> Result<Design, DataError> {
        design(&self.table()?, &Roles::target(self.target))
    }
}
