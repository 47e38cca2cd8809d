//! What each column serves as.

mod nearest;

use std::fmt;

pub(crate) use nearest::nearest;

use crate::{DataError, Table, error::shown};

/// What a column serves as.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// To be predicted.
    Target,
    /// Predicted from.
    Feature,
    /// Left out.
    Dropped,
    /// Predicted from, as one feature for each of its values.
    OneHot,
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Target => "target",
            Self::Feature => "feature",
            Self::Dropped => "dropped column",
            Self::OneHot => "one-hot feature",
        })
    }
}

/// What happens to rows with a missing or infinite cell in a column that is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// The first such cell is an error.
    #[default]
    Refuse,
    /// Such rows are left out and counted; the rest is as if they had never been in the file.
    DropRows,
}

/// Which columns to use, and how.
///
/// | field | default | meaning |
/// | --- | --- | --- |
/// | `targets` | none | columns to predict, at least one |
/// | `features` | `None` | columns to predict from, in this order; `None` takes all that are neither target nor dropped, in the table's order |
/// | `drop` | none | columns to leave out |
/// | `one_hot` | none | features to expand into one 0/1 column for each value; they join `features` when not named there |
/// | `missing` | [`Missing::Refuse`] | what happens to incomplete rows |
///
/// ```
/// use datasets::Roles;
///
/// let roles = Roles { drop: vec!["id".into()], ..Roles::target("y") };
/// assert_eq!(roles.targets, ["y"]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Roles {
    /// Columns to predict.
    pub targets: Vec<String>,
    /// Columns to predict from.
    pub features: Option<Vec<String>>,
    /// Columns to leave out.
    pub drop: Vec<String>,
    /// Features to expand into one 0/1 column for each value.
    pub one_hot: Vec<String>,
    /// What happens to incomplete rows.
    pub missing: Missing,
}

/// Columns by position, after every name has been checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Resolved {
    /// (position, whether one-hot), in feature order.
    pub(crate) features: Vec<(usize, bool)>,
    pub(crate) targets: Vec<usize>,
}

impl Roles {
    /// One target, everything else a feature.
    pub fn target(name: impl Into<String>) -> Self {
        Self { targets: vec![name.into()], ..Self::default() }
    }

    /// Finds every named column and refuses contradictions.
    pub(crate) fn resolve(&self, table: &Table) -> Result<Resolved, DataError> {
        if self.targets.is_empty() {
            return Err(DataError::NoTarget { available: table.listed_names() });
        }
        let targets = positions(table, &self.targets, Role::Target)?;
        let dropped = positions(table, &self.drop, Role::Dropped)?;
        let one_hot = positions(table, &self.one_hot, Role::OneHot)?;
        let named = self
            .features
            .as_deref()
            .map(|names| positions(table, names, Role::Feature))
            .transpose()?;
        exclude(table, (&targets, Role::Target), (&dropped, Role::Dropped))?;
        exclude(table, (&targets, Role::Target), (&one_hot, Role::OneHot))?;
        exclude(table, (&dropped, Role::Dropped), (&one_hot, Role::OneHot))?;
        if let Some(named) = &named {
            exclude(table, (&targets, Role::Target), (named, Role::Feature))?;
            exclude(table, (&dropped, Role::Dropped), (named, Role::Feature))?;
        }
        let features = feature_positions(table, named, &targets, &dropped, &one_hot)?;
        let features =
            features.into_iter().map(|position| (position, one_hot.contains(&position))).collect();
        Ok(Resolved { features, targets })
    }
}

/// The features: those named, a one-hot column that is not among them added at the end; or all that are left.
fn feature_positions(
    table: &Table,
    named: Option<Vec<usize>>,
    targets: &[usize],
    dropped: &[usize],
    one_hot: &[usize],
) -> Result<Vec<usize>, DataError> {
    let mut features = named.unwrap_or_else(|| {
        (0..table.columns().len())
            .filter(|column| !targets.contains(column) && !dropped.contains(column))
            .collect()
    });
    features.extend(
        one_hot.iter().filter(|&column| !features.contains(column)).copied().collect::<Vec<_>>(),
    );
    if features.is_empty() {
        return Err(DataError::NoFeatures {
            file: table.name().to_owned(),
            columns: table.columns().len(),
        });
    }
    Ok(features)
}

fn positions(table: &Table, names: &[String], role: Role) -> Result<Vec<usize>, DataError> {
    let mut found = Vec::with_capacity(names.len());
    for name in names {
        let position = table.position(name.trim()).ok_or_else(|| unknown(table, name, role))?;
        if found.contains(&position) {
            return Err(DataError::RepeatedColumn { name: shown(name), role });
        }
        found.push(position);
    }
    Ok(found)
}

fn unknown(table: &Table, name: &str, role: Role) -> DataError {
    DataError::UnknownColumn {
        file: table.name().to_owned(),
        name: shown(name),
        role,
        nearest: nearest(name, &table.column_names()).map(shown),
        available: table.listed_names(),
    }
}

fn exclude(
    table: &Table,
    first: (&[usize], Role),
    second: (&[usize], Role),
) -> Result<(), DataError> {
    match first.0.iter().find(|&position| second.0.contains(position)) {
        None => Ok(()),
        Some(&position) => Err(DataError::RoleConflict {
            name: shown(table.columns()[position].name()),
            first: first.1,
            second: second.1,
        }),
    }
}
