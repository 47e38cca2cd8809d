//! The form in which a model is saved.

use serde::{Deserialize, Serialize};

use crate::classes::Classes;
use crate::statistics::{Cell, Counts, Moments, Ones, Table, Tags, Tally};
use crate::{Label, Model, NaiveBayesError};

const FORMAT: &str = "taut-naive-bayes";
const VERSION: u32 = 1;

/// A model as plain data: all that is needed to go on learning, on this machine or another.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Saved {
    format: String,
    version: u32,
    classes: Vec<SavedClass>,
    features: Vec<SavedFeature>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct SavedClass {
    label: Label,
    weight: f64,
    declared: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct SavedFeature {
    name: String,
    #[serde(flatten)]
    by_class: ByClass,
}

/// Statistics of a feature in each class.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum ByClass {
    Bernoulli { cells: Vec<Ones> },
    Tag { cells: Vec<Tags> },
    Gaussian { cells: Vec<Moments> },
    Count { cells: Vec<Counts> },
    Categorical { labels: Option<Vec<Label>>, width: usize, counts: Vec<Vec<f64>> },
    Multinomial { labels: Option<Vec<Label>>, width: usize, counts: Vec<Vec<f64>> },
}

impl From<Model> for Saved {
    fn from(model: Model) -> Self {
        let classes = model.classes.labels().iter().enumerate().map(|(at, label)| SavedClass {
            label: label.clone(),
            weight: model.classes.weights[at],
            declared: model.classes.declared()[at],
        });
        let feature = |(name, kind, at): (&str, crate::Kind, usize)| SavedFeature {
            name: name.to_owned(),
            by_class: by_class(&model, kind, at),
        };
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            classes: classes.collect(),
            features: model.features.iter().map(feature).collect(),
        }
    }
}

fn by_class(model: &Model, kind: crate::Kind, at: usize) -> ByClass {
    let parts = |tally: &Tally| {
        (tally.labels().map(<[Label]>::to_vec), tally.width(), tally.counts().to_vec())
    };
    match kind {
        crate::Kind::Bernoulli => {
            ByClass::Bernoulli { cells: model.bernoulli.column(at).copied().collect() }
        }
        crate::Kind::Tag => ByClass::Tag { cells: model.tags.column(at).copied().collect() },
        crate::Kind::Gaussian => {
            ByClass::Gaussian { cells: model.gaussian.column(at).copied().collect() }
        }
        crate::Kind::Count => ByClass::Count { cells: model.counts.column(at).copied().collect() },
        crate::Kind::Categorical => {
            let (labels, width, counts) = parts(&model.categorical[at]);
            ByClass::Categorical { labels, width, counts }
        }
        crate::Kind::Multinomial => {
            let (labels, width, counts) = parts(&model.multinomial[at]);
            ByClass::Multinomial { labels, width, counts }
        }
    }
}

impl TryFrom<Saved> for Model {
    type Error = NaiveBayesError;

    fn try_from(saved: Saved) -> Result<Self, NaiveBayesError> {
        if saved.format != FORMAT || saved.version != VERSION {
            let Saved { format, version, .. } = saved;
            return Err(NaiveBayesError::SavedFormat { format, version });
        }
        let mut model = Self { classes: classes(&saved.classes)?, ..Self::default() };
        let mut parts = Parts::default();
        for SavedFeature { name, by_class } in saved.features {
            let kind = parts.add(&name, by_class, model.classes.len())?;
            if model.features.find(&name).is_some() {
                return Err(damaged(format!("`{name}`, which occurs twice,")));
            }
            model.features.register(&name, kind);
        }
        parts.fill(model)
    }
}

fn damaged(what: impl Into<String>) -> NaiveBayesError {
    NaiveBayesError::SavedContent { what: what.into() }
}

fn classes(saved: &[SavedClass]) -> Result<Classes, NaiveBayesError> {
    let mut classes = Classes::default();
    for SavedClass { label, weight, declared } in saved {
        if classes.position(label).is_some() || !(weight.is_finite() && *weight >= 0.0) {
            return Err(damaged(format!("class `{label}`")));
        }
        let at = classes.register(label);
        classes.weights[at] = *weight;
        if *declared {
            classes.declare(label);
        }
    }
    Ok(classes)
}

/// Columns of each kind, in the order of the features.
#[derive(Default)]
struct Parts {
    bernoulli: Vec<Vec<Ones>>,
    tags: Vec<Vec<Tags>>,
    gaussian: Vec<Vec<Moments>>,
    counts: Vec<Vec<Counts>>,
    categorical: Vec<Tally>,
    multinomial: Vec<Tally>,
}

impl Parts {
    fn add(
        &mut self,
        name: &str,
        by_class: ByClass,
        classes: usize,
    ) -> Result<crate::Kind, NaiveBayesError> {
        let tally = |labels, width, counts: Vec<Vec<f64>>| {
            let fits = counts.len() <= classes;
            let tally = fits.then(|| Tally::from_parts(labels, width, counts)).flatten();
            tally.ok_or_else(|| damaged(format!("`{name}`")))
        };
        Ok(match by_class {
            ByClass::Bernoulli { cells } => {
                self.bernoulli.push(cells);
                crate::Kind::Bernoulli
            }
            ByClass::Tag { cells } => {
                self.tags.push(cells);
                crate::Kind::Tag
            }
            ByClass::Gaussian { cells } => {
                self.gaussian.push(cells);
                crate::Kind::Gaussian
            }
            ByClass::Count { cells } => {
                self.counts.push(cells);
                crate::Kind::Count
            }
            ByClass::Categorical { labels: Some(labels), width, counts } => {
                self.categorical.push(tally(Some(labels), width, counts)?);
                crate::Kind::Categorical
            }
            ByClass::Categorical { labels: None, .. } => return Err(damaged(format!("`{name}`"))),
            ByClass::Multinomial { labels, width, counts } => {
                self.multinomial.push(tally(labels, width, counts)?);
                crate::Kind::Multinomial
            }
        })
    }

    fn fill(self, mut model: Model) -> Result<Model, NaiveBayesError> {
        let classes = model.classes.len();
        model.bernoulli = table(classes, &self.bernoulli, "a Bernoulli feature")?;
        model.tags = table(classes, &self.tags, "a tag")?;
        model.gaussian = table(classes, &self.gaussian, "a Gaussian feature")?;
        model.counts = table(classes, &self.counts, "a count")?;
        model.categorical = self.categorical;
        model.multinomial = self.multinomial;
        Ok(model)
    }
}

fn table<T: Cell>(
    classes: usize,
    columns: &[Vec<T>],
    what: &str,
) -> Result<Table<T>, NaiveBayesError> {
    Table::from_columns(classes, columns).ok_or_else(|| damaged(what))
}
