//! Random rows of every kind, with gaps.

use naive_bayes::{
    Batch, ClassPrior, Documents, Kind, Label, Levels, Model, Options, Predictor, Training,
};
use ndarray::{Array1, Array2};
use proptest::prelude::*;

/// Rows with their classes and weights.
#[derive(Debug, Clone)]
pub(crate) struct Data {
    pub(crate) rows: Vec<Row>,
}

#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) class: i64,
    pub(crate) weight: f64,
    pub(crate) lengths: [Option<f64>; 3],
    pub(crate) flags: [Option<bool>; 2],
    pub(crate) tag: bool,
    pub(crate) count: Option<u8>,
    pub(crate) level: Option<u8>,
    pub(crate) words: Vec<u8>,
}

impl Row {
    /// Leaves the cell of a feature blank; text without a word is one.
    pub(crate) fn forget_cell(&mut self, feature: &str) {
        match feature {
            "length0" => self.lengths[0] = None,
            "length1" => self.lengths[1] = None,
            "length2" => self.lengths[2] = None,
            "flag0" => self.flags[0] = None,
            "flag1" => self.flags[1] = None,
            "tag" => self.tag = false,
            "count" => self.count = None,
            "colour" => self.level = None,
            _ => self.words.clear(),
        }
    }
}

fn row() -> impl Strategy<Value = Row> {
    // Steps apart, so that what is left of a variance is nothing or worth its digits.
    let some = |origin: f64, step: f64| {
        prop::option::weighted(0.85, (-20_i8..20).prop_map(move |k| origin + step * f64::from(k)))
    };
    let lengths = (some(0.0, 0.15), some(1000.0, 0.5), some(0.0, 1e-4));
    let flags = prop::array::uniform2(prop::option::weighted(0.85, any::<bool>()));
    let counts = (prop::option::weighted(0.9, 0_u8..9), prop::option::weighted(0.9, 0_u8..4));
    let words = prop::collection::vec(0_u8..5, 0..6);
    (0_i64..3, 1_u8..4, lengths, flags, any::<bool>(), counts, words).prop_map(
        |(class, weight, lengths, flags, tag, (count, level), words)| Row {
            class,
            weight: f64::from(weight),
            lengths: [lengths.0, lengths.1, lengths.2],
            flags,
            tag,
            count,
            level,
            words,
        },
    )
}

pub(crate) fn data(rows: std::ops::Range<usize>) -> impl Strategy<Value = Data> {
    prop::collection::vec(row(), rows).prop_map(|rows| Data { rows })
}

pub(crate) const FEATURES: [&str; 9] =
    ["length0", "length1", "length2", "flag0", "flag1", "tag", "count", "colour", "words"];
const WORDS: [&str; 5] = ["a", "b", "c", "d", "e"];
const LEVELS: [&str; 4] = ["red", "green, dark", "\"blue\"", "grün"];

impl Data {
    /// Features of every kind.
    pub(crate) fn batch(&self) -> Batch<'static> {
        self.batch_without(None)
    }

    /// Features of every kind but the one of this name, which the batch never had.
    pub(crate) fn batch_without(&self, left_out: Option<&str>) -> Batch<'static> {
        FEATURES
            .into_iter()
            .filter(|name| Some(*name) != left_out)
            .fold(Batch::new(self.rows.len()), |batch, name| self.with_feature(batch, name))
    }

    fn with_feature(&self, batch: Batch<'static>, name: &str) -> Batch<'static> {
        let rows = self.rows.iter();
        let length = |at: usize| rows.clone().map(move |row| row.lengths[at].unwrap_or(f64::NAN));
        let flag = |at: usize| {
            let number = |is| f64::from(u8::from(is));
            rows.clone().map(move |row| row.flags[at].map_or(f64::NAN, number))
        };
        let words = |row: &Row| row.words.iter().map(|w| WORDS[*w as usize]).collect::<Vec<_>>();
        let batch = match name {
            "length0" => batch.column(name, Kind::Gaussian, length(0).collect()),
            "length1" => batch.column(name, Kind::Gaussian, length(1).collect()),
            "length2" => batch.column(name, Kind::Gaussian, length(2).collect()),
            "flag0" => batch.column(name, Kind::Bernoulli, flag(0).collect()),
            "flag1" => batch.column(name, Kind::Bernoulli, flag(1).collect()),
            "tag" => batch.tags(rows.map(|row| row.tag.then_some("tag"))),
            "count" => {
                let counts = rows.map(|row| row.count.map_or(f64::NAN, f64::from));
                batch.column(name, Kind::Count, counts.collect())
            }
            "colour" => {
                let levels = rows.map(|row| row.level.map(|level| LEVELS[level as usize]));
                batch.levels(name, Levels::from_texts(levels))
            }
            _ => batch.documents(name, Documents::from_words(rows.map(words))),
        };
        batch.unwrap()
    }

    pub(crate) fn classes(&self) -> Levels {
        Levels::from_integers(&self.rows.iter().map(|row| row.class).collect::<Vec<_>>())
    }

    pub(crate) fn weights(&self) -> Array1<f64> {
        self.rows.iter().map(|row| row.weight).collect()
    }

    pub(crate) fn model(&self) -> Model {
        let mut model = Model::default();
        self.observe(&mut model);
        model
    }

    /// Learned from rows that never had a feature.
    pub(crate) fn model_without(&self, left_out: &str) -> Model {
        let mut model = Model::default();
        self.observe_batch(&self.batch_without(Some(left_out)), &mut model);
        model
    }

    pub(crate) fn observe(&self, model: &mut Model) {
        self.observe_batch(&self.batch(), model);
    }

    fn observe_batch(&self, batch: &Batch<'_>, model: &mut Model) {
        let (classes, weights) = (self.classes(), self.weights());
        model.observe(&Training::new(batch, &classes).unwrap().weights(&weights).unwrap()).unwrap();
    }

    pub(crate) fn forget(&self, model: &mut Model) {
        let (batch, classes, weights) = (self.batch(), self.classes(), self.weights());
        model.forget(&Training::new(&batch, &classes).unwrap().weights(&weights).unwrap()).unwrap();
    }

    /// Rows from one position to another.
    pub(crate) fn part(&self, range: std::ops::Range<usize>) -> Self {
        Self { rows: self.rows[range].to_vec() }
    }
}

pub(crate) fn options() -> Options {
    Options { prior: ClassPrior::Laplace(1.0), ..Options::default() }
}

pub(crate) fn predictor(model: &Model) -> Predictor {
    model.predictor(&options()).unwrap()
}

/// What a model says of some rows; classes that are not there have no column.
pub(crate) fn opinion(model: &Model, questions: &Data) -> (Vec<Label>, Array2<f64>) {
    let predictor = predictor(model);
    let joint = predictor.joint_log_likelihood(&questions.batch()).unwrap();
    (predictor.classes().to_vec(), joint)
}

/// Whether two models say the same within a tolerance, relative to the largest value of a row.
pub(crate) fn agree(
    one: &Model,
    other: &Model,
    questions: &Data,
    tolerance: f64,
) -> Result<(), TestCaseError> {
    let ((classes, found), (expected_classes, expected)) =
        (opinion(one, questions), opinion(other, questions));
    prop_assert_eq!(classes, expected_classes);
    for (found, expected) in found.rows().into_iter().zip(expected.rows()) {
        let size = expected.iter().fold(1.0_f64, |size, value| size.max(value.abs()));
        for (found, expected) in found.iter().zip(expected) {
            prop_assert!((found - expected).abs() <= tolerance * size, "{found} is not {expected}");
        }
    }
    Ok(())
}
