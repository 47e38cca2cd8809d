//! K-fold evaluation of a table of any length: one pass learns the parts, a second predicts them.

use std::path::Path;

use naive_bayes::{Batch, Label, Levels, NaiveBayesError, Predictor};
use ndarray::{Array1, Array2};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use taut::{Classifier, LabelledRows};

use super::args::EvaluateArgs;
use super::options::unlabelled;
use crate::cli::chunks::{CHUNK, Pass, open};
use crate::cli::failure::Failure;

/// A part for each row: of every K rows in turn one for each part, in an order drawn by the seed.
struct Draw {
    rng: ChaCha8Rng,
    parts: Vec<usize>,
    next: usize,
}

impl Draw {
    fn new(k: usize, seed: u64) -> Self {
        Self { rng: ChaCha8Rng::seed_from_u64(seed), parts: (0..k).collect(), next: k }
    }

    fn part(&mut self) -> usize {
        if self.next == self.parts.len() {
            self.parts.shuffle(&mut self.rng);
            self.next = 0;
        }
        self.next += 1;
        self.parts[self.next - 1]
    }

    /// The rows of each part among the next `n`.
    fn rows(&mut self, n: usize) -> Vec<Vec<usize>> {
        let mut rows = vec![Vec::new(); self.parts.len()];
        (0..n).for_each(|row| rows[self.part()].push(row));
        rows
    }
}

/// Predictors of each part by the others, and the classes of all rows.
pub(super) struct Folds {
    predictors: Vec<Predictor>,
    draw: Draw,
}

impl Folds {
    /// Learns the parts of a table with the columns and options of `classifier`.
    pub(super) fn learn(
        args: &EvaluateArgs,
        k: usize,
        classifier: &Classifier,
        pass: &mut Pass,
    ) -> Result<Self, Failure> {
        check(k, &args.data)?;
        let mut parts = vec![classifier.emptied(); k];
        let mut draw = Draw::new(k, args.seed);
        let policy = unlabelled(args.skip_unlabelled);
        let rows = pass.each(open(&args.data, CHUNK)?, "learned", |chunk| {
            let table = &chunk.table;
            let whole = classifier.labelled(table)?;
            classifier.count_unlabelled(table, &whole, policy)?;
            for (part, rows) in parts.iter_mut().zip(draw.rows(table.n_rows())) {
                part.learn(table, &select(&whole, &rows))?;
            }
            Ok(true)
        })?;
        if rows < k as u64 {
            return Err(Failure::usage(
                format!("{k} parts of {rows} rows were asked for"),
                "choose a smaller --k-fold",
            ));
        }
        let predictors = (0..k).map(|part| others(&parts, part)).collect::<Result<_, _>>()?;
        Ok(Self { predictors, draw: Draw::new(k, args.seed) })
    }

    /// The classes of all parts, sorted.
    pub(super) fn classes(&self) -> &[Label] {
        self.predictors[0].classes()
    }

    /// log p(c | x) `[T, C]` of the next rows.
    pub(super) fn log_proba(&mut self, batch: &Batch<'_>) -> Result<Array2<f64>, NaiveBayesError> {
        let mut all = Array2::zeros((batch.n_rows(), self.classes().len()));
        for (part, rows) in self.draw.rows(batch.n_rows()).iter().enumerate() {
            let found = self.predictors[part].log_proba(&batch.select(rows))?;
            rows.iter().zip(found.rows()).for_each(|(&row, found)| all.row_mut(row).assign(&found));
        }
        Ok(all)
    }
}

fn check(k: usize, data: &Path) -> Result<(), Failure> {
    if data == Path::new("-") {
        return Err(Failure::usage(
            "--k-fold reads its table twice, which standard input cannot",
            "save the table to a file",
        ));
    }
    match k {
        0 | 1 => Err(Failure::usage("--k-fold 1 leaves nothing to learn from", "choose 2 or more")),
        _ => Ok(()),
    }
}

fn select(rows: &LabelledRows<'_>, chosen: &[usize]) -> LabelledRows<'static> {
    let classes: Levels = rows.classes.select(chosen);
    let weights = rows.weights.as_ref();
    let weights = weights.map(|all| chosen.iter().map(|&row| all[row]).collect::<Array1<f64>>());
    LabelledRows { batch: rows.batch.select(chosen), classes, weights }
}

/// The predictor of all parts but one; every class of the table is known to it.
fn others(parts: &[Classifier], left_out: usize) -> Result<Predictor, Failure> {
    let mut merged = parts[left_out].emptied();
    for (part, classifier) in parts.iter().enumerate() {
        merged.declare_classes(classifier.model().classes().into_iter().map(|(class, _)| class));
        if part != left_out {
            merged.merge(classifier)?;
        }
    }
    Ok(merged.predictor()?)
}
