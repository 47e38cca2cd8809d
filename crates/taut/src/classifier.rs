//! Naive Bayes on tables: columns with their kinds, statistics that go on learning, predictions by chunks.

mod error;
mod feature_kind;
mod infer;
mod rows;
mod schema;

use std::path::Path;

use datasets::Table;
use gp_core::{Format, GpError};
use naive_bayes::{Batch, Evidence, EvidencePriors, Levels, Options, Predictor, Training};
use serde::{Deserialize, Serialize};

pub use error::ClassifyError;
pub use feature_kind::FeatureKind;
pub use schema::{ColumnSpec, Schema, Unlabelled};

const FORMAT: Format = Format { name: "taut-classifier", version: 1 };

/// A naive Bayes model of one column of a table, given the others.
///
/// It is learned from a table or from one chunk after another, in any order, with the same result. Columns may come and go: a new one is
/// taken in with the kind its first chunk suggests, an absent one is missing in all its rows.
///
/// ```
/// use datasets::{CsvOptions, Source, read_csv};
/// use taut::{Classifier, Schema, Unlabelled};
///
/// let text = "size,spots,kind\n4.9,0,ant\n6.1,1,bee\n,0,ant\n6.6,1,bee\n";
/// let table = read_csv(Source::text("insects.csv", text), &CsvOptions::default())?;
/// let mut classifier = Classifier::new(Schema::new("kind"), Default::default());
/// classifier.observe(&table, Unlabelled::Refuse)?;
///
/// let predictor = classifier.predictor()?;
/// assert_eq!(predictor.predict(&classifier.batch(&table)?)?, [0, 1, 0, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Classifier {
    schema: Schema,
    options: Options,
    model: naive_bayes::Model,
}

/// Rows of a table with their classes and weights.
#[derive(Debug)]
pub struct LabelledRows<'t> {
    /// The features.
    pub batch: Batch<'t>,
    /// The classes.
    pub classes: Levels,
    /// Their weights, if there is a column of them.
    pub weights: Option<ndarray::Array1<f64>>,
}

impl Classifier {
    /// Nothing learned yet; `options` are what predictions use.
    #[must_use]
    pub fn new(schema: Schema, options: Options) -> Self {
        Self { schema, options, model: naive_bayes::Model::default() }
    }

    /// The same columns and options with nothing learned.
    #[must_use]
    pub fn emptied(&self) -> Self {
        Self::new(self.schema.clone(), self.options.clone())
    }

    /// The same with every row counting once, for tables that have no column of weights.
    #[must_use]
    pub fn unweighted(&self) -> Self {
        Self { schema: self.schema.unweighted(), ..self.clone() }
    }

    /// The columns.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// What predictions use.
    #[must_use]
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Replaces what predictions use; nothing need be learned again.
    pub fn set_options(&mut self, options: Options) {
        self.options = options;
    }

    /// The statistics.
    #[must_use]
    pub fn model(&self) -> &naive_bayes::Model {
        &self.model
    }

    /// Learns the rows of a table; columns not known yet are taken in. Returns the number of rows left out because they have no class.
    ///
    /// # Errors
    /// [`ClassifyError`] for a column or cell that does not fit; nothing of the table is learned then.
    pub fn observe(
        &mut self,
        table: &Table,
        unlabelled: Unlabelled,
    ) -> Result<usize, ClassifyError> {
        let schema = self.schema.extended(table)?;
        let rows = schema.labelled(table)?;
        let skipped = schema.check_labels(table, &rows, unlabelled)?;
        learn(&mut self.model, &schema, table, &rows)?;
        self.schema = schema;
        Ok(skipped)
    }

    /// Learns the rows of a table as [`observe`](Self::observe) does, leaving columns out that are not known.
    ///
    /// # Errors
    /// As [`observe`](Self::observe).
    pub fn observe_known(
        &mut self,
        table: &Table,
        unlabelled: Unlabelled,
    ) -> Result<usize, ClassifyError> {
        let rows = self.labelled(table)?;
        let skipped = self.count_unlabelled(table, &rows, unlabelled)?;
        self.learn(table, &rows)?;
        Ok(skipped)
    }

    /// The number of rows without a class.
    ///
    /// # Errors
    /// [`ClassifyError::Unlabelled`] for the first of them, unless they are skipped.
    pub fn count_unlabelled(
        &self,
        table: &Table,
        rows: &LabelledRows<'_>,
        unlabelled: Unlabelled,
    ) -> Result<usize, ClassifyError> {
        self.schema.check_labels(table, rows, unlabelled)
    }

    /// Multiplies the weight of everything learned so far: rows to come count for more.
    ///
    /// # Errors
    /// Unless 0 < factor ≤ 1.
    pub fn decay(&mut self, factor: f64) -> Result<(), ClassifyError> {
        Ok(self.model.decay(factor)?)
    }

    /// Adds what another classifier has learned.
    ///
    /// # Errors
    /// [`ClassifyError::Differ`] where the two do not agree on the label, the weights or a column's kind.
    pub fn merge(&mut self, other: &Self) -> Result<(), ClassifyError> {
        let schema = self.schema.merged(&other.schema)?;
        self.model.merge(&other.model)?;
        self.schema = schema;
        Ok(())
    }

    /// Takes out what another classifier has learned, as if its rows had never been there.
    ///
    /// # Errors
    /// [`ClassifyError::Differ`], and a model error where more is to be taken out than was learned.
    pub fn subtract(&mut self, other: &Self) -> Result<(), ClassifyError> {
        self.schema.merged(&other.schema)?;
        Ok(self.model.subtract(&other.model)?)
    }

    /// The features of a table, for prediction. Columns that are not known are left out.
    ///
    /// # Errors
    /// [`ClassifyError::Cell`].
    pub fn batch<'t>(&self, table: &'t Table) -> Result<Batch<'t>, ClassifyError> {
        self.schema.batch(table)
    }

    /// The features, classes and weights of a table.
    ///
    /// # Errors
    /// [`ClassifyError`] for a column or cell that does not fit.
    pub fn labelled<'t>(&self, table: &'t Table) -> Result<LabelledRows<'t>, ClassifyError> {
        self.schema.labelled(table)
    }

    /// Names a model's error by the table's file, row and column.
    #[must_use]
    pub fn located(&self, table: &Table, error: naive_bayes::NaiveBayesError) -> ClassifyError {
        self.schema.located(table, error)
    }

    /// Ready to predict.
    ///
    /// # Errors
    /// Options outside their range, a prior that does not fit the classes, nothing learned.
    pub fn predictor(&self) -> Result<Predictor, ClassifyError> {
        Ok(self.model.predictor(&self.options)?)
    }

    /// The log marginal likelihood under the default conjugate priors.
    ///
    /// # Errors
    /// Nothing learned.
    pub fn evidence(&self) -> Result<Evidence, ClassifyError> {
        Ok(self.model.evidence(&EvidencePriors::default())?)
    }

    /// Makes classes known that may have no rows.
    pub fn declare_classes<'c>(
        &mut self,
        classes: impl IntoIterator<Item = &'c naive_bayes::Label>,
    ) {
        classes.into_iter().for_each(|class| self.model.declare_class(class.clone()));
    }

    /// Learns rows already taken from `table`.
    ///
    /// # Errors
    /// As [`observe`](Self::observe).
    pub fn learn(&mut self, table: &Table, rows: &LabelledRows<'_>) -> Result<(), ClassifyError> {
        learn(&mut self.model, &self.schema, table, rows)
    }

    /// Writes the classifier, all digits of it; returns the size in bytes.
    ///
    /// # Errors
    /// [`GpError::Io`].
    pub fn save(&self, path: &Path) -> Result<u64, GpError> {
        FORMAT.write(path, self)
    }

    /// Reads what [`save`](Self::save) wrote.
    ///
    /// # Errors
    /// [`GpError::Io`], [`GpError::BadFile`].
    pub fn load(path: &Path) -> Result<Self, GpError> {
        FORMAT.read(path)
    }
}

fn learn(
    model: &mut naive_bayes::Model,
    schema: &Schema,
    table: &Table,
    rows: &LabelledRows<'_>,
) -> Result<(), ClassifyError> {
    let training = Training::new(&rows.batch, &rows.classes)?;
    let training = match &rows.weights {
        Some(weights) => training.weights(weights)?,
        None => training,
    };
    // Missing classes were found before, with their places.
    let observed = model.observe(&training.unlabelled(Unlabelled::Skip));
    observed.map_err(|error| schema.located(table, error))
}
