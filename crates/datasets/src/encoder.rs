//! From a table's columns to a numeric matrix, the same way at fitting and at prediction.

mod levels;

use ndarray::{Array2, ArrayViewMut1, s};
use serde::{Deserialize, Serialize};

use crate::{
    Column, DataError, Missing, Role, Table,
    error::{listed, shown},
    roles::{Resolved, nearest},
    screen::{Screened, Used, screen},
};
use levels::{label, levels_of};

/// Most values of a one-hot column.
pub const MAX_LEVELS: usize = 100;

/// A column that features are made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Input {
    /// One feature: the number in the cell.
    Number {
        /// The column.
        column: String,
    },
    /// One feature for each level: 1 where the cell is that level, else 0.
    OneHot {
        /// The column.
        column: String,
        /// Its values: numbers first and ascending, then text in byte order.
        levels: Vec<String>,
    },
}

/// What turns a table into the matrix a model was fitted with; saved in the model file.
///
/// Columns are found by name, so their order in the file and other columns beside them do not matter.
/// In a one-hot column a number is known by its value: `1`, `1.0` and `+1` are one level.
///
/// ```
/// use datasets::{CsvOptions, Roles, Source, design, read_csv};
///
/// let read = |text| read_csv(Source::text("memory", text), &CsvOptions::default());
/// let fitted = design(&read("c,x,y\nred,1,5\nblue,2,6\n")?, &Roles { one_hot: vec!["c".into()], ..Roles::target("y") })?;
/// assert_eq!(fitted.encoder.feature_names(), ["c=blue", "c=red", "x"]);
/// let x_new = fitted.encoder.encode(&read("x,c\n3,blue\n")?)?;
/// assert_eq!(x_new, ndarray::array![[1.0, 0.0, 3.0]]);
/// # Ok::<(), datasets::DataError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Encoder {
    inputs: Vec<Input>,
    targets: Vec<String>,
}

impl Input {
    /// The column's name.
    #[must_use]
    pub fn column(&self) -> &str {
        match self {
            Self::Number { column } | Self::OneHot { column, .. } => column,
        }
    }

    fn role(&self) -> Role {
        match self {
            Self::Number { .. } => Role::Feature,
            Self::OneHot { .. } => Role::OneHot,
        }
    }

    fn feature_names(&self) -> Vec<String> {
        match self {
            Self::Number { column } => vec![column.clone()],
            Self::OneHot { column, levels } => {
                levels.iter().map(|level| format!("{column}={level}")).collect()
            }
        }
    }

    fn width(&self) -> usize {
        match self {
            Self::Number { .. } => 1,
            Self::OneHot { levels, .. } => levels.len(),
        }
    }
}

impl Encoder {
    /// Learns the levels of one-hot columns from the rows kept.
    pub(crate) fn learn(
        table: &Table,
        resolved: &Resolved,
        kept: &[usize],
    ) -> Result<Self, DataError> {
        let name = |position: usize| table.columns()[position].name().to_owned();
        let mut inputs = Vec::with_capacity(resolved.features.len());
        for &(position, one_hot) in &resolved.features {
            let column = name(position);
            inputs.push(if one_hot {
                Input::OneHot { column, levels: levels_of(table, position, kept)? }
            } else {
                Input::Number { column }
            });
        }
        let encoder =
            Self { inputs, targets: resolved.targets.iter().copied().map(name).collect() };
        encoder.check_feature_names()?;
        Ok(encoder)
    }

    /// A column may be called `c=red` and clash with a level of the one-hot column `c`.
    fn check_feature_names(&self) -> Result<(), DataError> {
        let mut seen: std::collections::HashSet<String> = self
            .inputs
            .iter()
            .filter(|input| input.role() == Role::Feature)
            .map(|input| input.column().to_owned())
            .collect();
        for input in self.inputs.iter().filter(|input| input.role() == Role::OneHot) {
            for feature in input.feature_names() {
                if !seen.insert(feature.clone()) {
                    return Err(DataError::FeatureNameTaken {
                        column: shown(input.column()),
                        feature: shown(&feature),
                    });
                }
            }
        }
        Ok(())
    }

    /// The columns features are made from, in order.
    #[must_use]
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// Names of the D features: a column's own, or `column=level`.
    #[must_use]
    pub fn feature_names(&self) -> Vec<String> {
        self.inputs.iter().flat_map(Input::feature_names).collect()
    }

    /// Names of the P target columns.
    #[must_use]
    pub fn target_names(&self) -> &[String] {
        &self.targets
    }

    /// Number of features, D.
    #[must_use]
    pub fn n_features(&self) -> usize {
        self.inputs.iter().map(Input::width).sum()
    }

    /// The features of a table's rows, `[T, D]`; targets need not be there.
    ///
    /// # Errors
    /// A column that is absent, text in a column of numbers, a missing or infinite cell, a level not seen at fitting.
    pub fn encode(&self, table: &Table) -> Result<Array2<f64>, DataError> {
        let used = self.used_inputs(table)?;
        let Screened { kept, .. } = screen(table, &used, Missing::Refuse)?;
        self.features(table, &used, &kept)
    }

    /// The input columns' positions in a table.
    pub(crate) fn used_inputs(&self, table: &Table) -> Result<Vec<Used>, DataError> {
        let find = |input: &Input| {
            let position = find(table, input.column(), input.role())?;
            Ok(Used { position, categories: input.role() == Role::OneHot })
        };
        self.inputs.iter().map(find).collect()
    }

    /// The target columns' positions in a table.
    pub(crate) fn used_targets(&self, table: &Table) -> Result<Vec<Used>, DataError> {
        let find = |name: &String| {
            Ok(Used { position: find(table, name, Role::Target)?, categories: false })
        };
        self.targets.iter().map(find).collect()
    }

    /// The features of the rows kept, `[N, D]`.
    pub(crate) fn features(
        &self,
        table: &Table,
        used: &[Used],
        kept: &[usize],
    ) -> Result<Array2<f64>, DataError> {
        let mut x = Array2::zeros((kept.len(), self.n_features()));
        let mut next = 0;
        for (input, used) in self.inputs.iter().zip(used) {
            match input {
                Input::Number { .. } => {
                    copy_numbers(&table.columns()[used.position], kept, x.column_mut(next))
                }
                Input::OneHot { levels, .. } => {
                    for (row, &source_row) in kept.iter().enumerate() {
                        let level = find_level(table, used.position, source_row, levels)?;
                        x.slice_mut(s![row, next..])[level] = 1.0;
                    }
                }
            }
            next += input.width();
        }
        Ok(x)
    }
}

pub(crate) fn copy_numbers(column: &Column, kept: &[usize], mut into: ArrayViewMut1<'_, f64>) {
    let numbers = column.numbers();
    into.iter_mut().zip(kept).for_each(|(cell, &row)| *cell = numbers[row]);
}

fn find_level(
    table: &Table,
    position: usize,
    row: usize,
    levels: &[String],
) -> Result<usize, DataError> {
    let found = label(table.columns()[position].cell(row));
    levels.iter().position(|level| *level == found).ok_or_else(|| DataError::UnseenLevel {
        place: table.place(row, position),
        found: shown(&found),
        accepted: listed(levels.iter().map(String::as_str)),
    })
}

fn find(table: &Table, name: &str, role: Role) -> Result<usize, DataError> {
    table.position(name).ok_or_else(|| DataError::MissingColumn {
        file: table.name().to_owned(),
        name: shown(name),
        role,
        nearest: nearest(name, &table.column_names()).map(shown),
        available: table.listed_names(),
    })
}
