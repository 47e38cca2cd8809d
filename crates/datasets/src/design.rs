//! The matrices a model is fitted to.

use ndarray::{Array2, ArrayRef1, ArrayRef2};

use crate::{
    DataError, Dropped, Encoder, Missing, Notice, Role, Roles, Table,
    encoder::copy_numbers,
    screen::{Screened, Used, screen},
};

/// A standard deviation below this fraction of the largest magnitude counts as none, as in the models' own scaling.
const CONSTANT: f64 = 1e-10;

/// Features and targets as numbers, and how they came about.
#[derive(Debug, Clone)]
pub struct Design {
    /// Features, `[N, D]`, in the units of the file.
    pub x: Array2<f64>,
    /// Targets, `[N, P]`, in the units of the file.
    pub y: Array2<f64>,
    /// Names of the D features.
    pub feature_names: Vec<String>,
    /// Names of the P targets.
    pub target_names: Vec<String>,
    /// The table's rows that the N rows come from, counted from 0, ascending.
    pub kept_rows: Vec<usize>,
    /// The rows left out.
    pub dropped: Dropped,
    /// What a person should know.
    pub notices: Vec<Notice>,
    /// What makes the same features from another table.
    pub encoder: Encoder,
}

/// Features and targets of a table by the given roles.
///
/// With [`Missing::DropRows`] the result is bit for bit that of a file without the incomplete rows.
///
/// # Errors
/// A name that is absent, repeated or in two roles, no target, no feature; text in a column of numbers; a missing or infinite cell
/// where they are refused, or no row left where they are dropped; a one-hot column with more than [`MAX_LEVELS`](crate::MAX_LEVELS) values.
///
/// ```
/// use datasets::{CsvOptions, Missing, Roles, Source, design, read_csv};
///
/// let table = read_csv(Source::text("memory", "x,y\n1,2\n,3\n4,5\n"), &CsvOptions::default())?;
/// assert!(design(&table, &Roles::target("y")).is_err());
/// let design = design(&table, &Roles { missing: Missing::DropRows, ..Roles::target("y") })?;
/// assert_eq!((design.x, design.kept_rows), (ndarray::array![[1.0], [4.0]], vec![0, 2]));
/// # Ok::<(), datasets::DataError>(())
/// ```
pub fn design(table: &Table, roles: &Roles) -> Result<Design, DataError> {
    let resolved = roles.resolve(table)?;
    let inputs: Vec<Used> = resolved
        .features
        .iter()
        .map(|&(position, categories)| Used { position, categories })
        .collect();
    let targets: Vec<Used> =
        resolved.targets.iter().map(|&position| Used { position, categories: false }).collect();
    let screened = screen(table, &[inputs.clone(), targets.clone()].concat(), roles.missing)?;
    let encoder = Encoder::learn(table, &resolved, &screened.kept)?;
    assemble(table, encoder, &inputs, &targets, screened)
}

impl Encoder {
    /// Features and targets of another table, such as a test set, in the form this encoder learned.
    ///
    /// # Errors
    /// Those of [`encode`](Self::encode), and the same for the target columns.
    pub fn design(&self, table: &Table, missing: Missing) -> Result<Design, DataError> {
        let (inputs, targets) = (self.used_inputs(table)?, self.used_targets(table)?);
        let screened = screen(table, &[inputs.clone(), targets.clone()].concat(), missing)?;
        assemble(table, self.clone(), &inputs, &targets, screened)
    }
}

fn assemble(
    table: &Table,
    encoder: Encoder,
    inputs: &[Used],
    targets: &[Used],
    screened: Screened,
) -> Result<Design, DataError> {
    let Screened { kept, dropped } = screened;
    let x = encoder.features(table, inputs, &kept)?;
    let mut y = Array2::zeros((kept.len(), targets.len()));
    for (target, into) in targets.iter().zip(y.columns_mut()) {
        copy_numbers(&table.columns()[target.position], &kept, into);
    }
    let (feature_names, target_names) = (encoder.feature_names(), encoder.target_names().to_vec());
    let mut notices = constant_columns(&x, &feature_names, Role::Feature);
    notices.extend(constant_columns(&y, &target_names, Role::Target));
    if kept.len() == 1 {
        notices = vec![Notice::OneRow];
    }
    if dropped.count > 0 {
        notices.push(Notice::DroppedRows { dropped: dropped.clone(), kept: kept.len() });
    }
    Ok(Design { x, y, feature_names, target_names, kept_rows: kept, dropped, notices, encoder })
}

fn constant_columns(values: &ArrayRef2<f64>, names: &[String], role: Role) -> Vec<Notice> {
    let columns = values.columns();
    let constant = columns.into_iter().zip(names).filter(|(column, _)| is_constant(column));
    constant
        .map(|(column, name)| Notice::ConstantColumn { name: name.clone(), role, value: column[0] })
        .collect()
}

/// Population standard deviation against the largest magnitude, both divided by the latter so that nothing overflows.
fn is_constant(column: &ArrayRef1<f64>) -> bool {
    let largest = column.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    if largest == 0.0 {
        return true;
    }
    let n = column.len() as f64;
    let mean = column.iter().map(|value| value / largest).sum::<f64>() / n;
    let variance = column.iter().map(|value| (value / largest - mean).powi(2)).sum::<f64>() / n;
    variance.sqrt() < CONSTANT
}
