//! Local regression with adaptive neighbourhoods.

use std::sync::atomic::{AtomicUsize, Ordering};

use gp_core::{GpError, Prediction, check_finite, random_rows};
use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, Axis};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::SsgpError;
use crate::gaussian::check_count;
use crate::local_fit::Neighbourhood;
use crate::local_options::LocalOptions;
use crate::local_report::{Fallback, LocalPrediction, LocalReport};
use crate::model::refuse_constant;
use crate::neighbours::Neighbours;
use crate::observer::LocalObserver;
use crate::scaling::HalfRange;

/// Local sparse-spectrum regression: a model for each query, from the training rows near it.
///
/// 1. The k nearest rows by Euclidean distance are fitted by Algorithm 2.
/// 2. The k nearest rows under Σ_j μ_j²(x*_j − x_j)², with the μ of the first fit, are fitted again,
///    and predict: inputs that do not matter no longer decide who is near.
///
/// A neighbourhood whose target is constant is doubled until it is not. One query costs two fits of
/// O(k M² D) a cycle, and a search in a tree. Queries are independent and run in parallel.
/// Source: Tan, Ong, Nott & Jasra (2016), section 6 and eq. 16.
///
/// ```
/// use ndarray::{Array1, Array2, array};
/// use ssgp_vb::{LocalOptions, LocalSsgpVb};
///
/// let x = Array2::from_shape_fn((80, 1), |(i, _)| i as f64 / 40.0 - 1.0);
/// let y: Array1<f64> = x.column(0).mapv(|t| (4.0 * t).sin());
/// let options = LocalOptions { neighbours: 20, ..LocalOptions::default() };
/// let model = LocalSsgpVb::condition(&x, &y, &options)?;
/// let found = model.predict(&array![[0.31]], &())?;
/// assert!((found.prediction.mean[[0, 0]] - (4.0_f64 * 0.31).sin()).abs() < 0.05);
/// # Ok::<(), ssgp_vb::SsgpError>(())
/// ```
#[derive(Debug)]
pub struct LocalSsgpVb {
    pub(crate) x: Array2<f64>,
    pub(crate) y: Array1<f64>,
    pub(crate) options: LocalOptions,
    pub(crate) sets: Vec<Array2<f64>>,
    pub(crate) scaling: HalfRange,
    tree: Neighbours,
    variance_factor: f64,
}

/// All that a local model consists of: what a file must hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LocalParts {
    /// Training inputs `[N, D]`, scaled.
    pub x: Array2<f64>,
    /// Training target `[N]`.
    pub y: Array1<f64>,
    /// Of the inputs.
    pub scaling: HalfRange,
    /// How neighbourhoods are fitted.
    pub options: LocalOptions,
    /// The spectral points of each draw, `[M, D]`.
    pub frequencies: Vec<Array2<f64>>,
    /// What variances are multiplied by.
    pub variance_factor: f64,
}

impl LocalSsgpVb {
    /// Keeps `y` `[N]` at `x` `[N, D]` and builds the tree; fits are made when queries come.
    ///
    /// # Errors
    /// Data that are empty, not finite or of disagreeing shapes; a constant target;
    /// [`SsgpError::Neighbourhood`]; options out of range.
    pub fn condition(
        x: &ArrayRef2<f64>,
        y: &ArrayRef1<f64>,
        options: &LocalOptions,
    ) -> Result<Self, SsgpError> {
        check_finite(x, "x")?;
        let scaling =
            if options.scale { HalfRange::fit(x, "x")? } else { HalfRange::identity(x.ncols()) };
        Self::from_parts(LocalParts {
            x: scaling.apply(x)?,
            y: y.to_owned(),
            scaling,
            options: options.clone(),
            frequencies: options.spectral.sets(x.ncols())?,
            variance_factor: 1.0,
        })
    }

    /// Puts together a model from its parts, read from a file say; it predicts with the same bits.
    ///
    /// # Errors
    /// As [`condition`](Self::condition); spectral points of other shapes, a factor that is not
    /// positive.
    pub fn from_parts(parts: LocalParts) -> Result<Self, SsgpError> {
        let LocalParts { x, y, scaling, options, frequencies, variance_factor } = parts;
        check_finite(&x, "x")?;
        check_finite(&y.view().insert_axis(Axis(1)), "y")?;
        check_count("y", "values", y.len(), x.nrows())?;
        check_count("middle", "values", scaling.middle.len(), x.ncols())?;
        check_count("half_range", "values", scaling.half_range.len(), x.ncols())?;
        options.check(x.dim())?;
        if frequencies.is_empty() {
            return Err(GpError::NoRows { argument: "frequencies" }.into());
        }
        for set in &frequencies {
            check_finite(set, "frequencies")?;
            check_count("frequencies", "columns", set.ncols(), x.ncols())?;
        }
        check_factor(variance_factor)?;
        refuse_constant(&y)?;
        let tree = Neighbours::new(&x)?;
        Ok(Self { x, y, options, sets: frequencies, scaling, tree, variance_factor })
    }

    /// All that [`from_parts`](Self::from_parts) needs.
    #[must_use]
    pub fn into_parts(self) -> LocalParts {
        let Self { x, y, options, sets, scaling, variance_factor, .. } = self;
        LocalParts { x, y, scaling, options, frequencies: sets, variance_factor }
    }

    /// The spectral points of each draw, `[M, D]`.
    #[must_use]
    pub fn frequencies(&self) -> &[Array2<f64>] {
        &self.sets
    }

    /// How inputs are scaled.
    #[must_use]
    pub fn scaling(&self) -> &HalfRange {
        &self.scaling
    }

    /// The options it was made with; with the training rows they make it again.
    #[must_use]
    pub fn options(&self) -> &LocalOptions {
        &self.options
    }

    /// What variances are multiplied by; 1 unless [`calibrate`](Self::calibrate) was called.
    #[must_use]
    pub fn variance_factor(&self) -> f64 {
        self.variance_factor
    }

    /// Measures on `rows` training rows, drawn by `seed`, how far variances are from the errors they
    /// promise, and scales them from then on.
    ///
    /// Each row is predicted without itself. The factor is the mean of the squared errors in units
    /// of their variances,
    ///
    /// ```text
    /// factor = (1/R) Σ (y_r − mean_r)² / var_y,r
    /// ```
    ///
    /// which maximises the held-out normal log density. Means and lower bounds stay as they are.
    /// Costs as much as predicting R rows.
    ///
    /// # Errors
    /// As [`predict`](Self::predict); [`SsgpError::Option`] for no rows; fewer than k + 1 rows in all.
    pub fn calibrate(
        &mut self,
        rows: usize,
        seed: u64,
        observer: &dyn LocalObserver,
    ) -> Result<f64, SsgpError> {
        if rows == 0 {
            let accepted = "a whole number of at least 1";
            return Err(SsgpError::Option { option: "rows", found: 0.0, accepted });
        }
        let chosen = random_rows(self.y.len(), rows, seed);
        let found = self.left_out(&chosen, observer)?;
        let errors = found.errors(chosen.iter().map(|&row| self.y[row]));
        let factor = errors.iter().map(|error| error * error).sum::<f64>() / errors.len() as f64;
        self.set_variance_factor(factor * self.variance_factor)?;
        Ok(self.variance_factor)
    }

    /// Multiplies variances by `factor` from then on, instead of the factor so far.
    ///
    /// # Errors
    /// [`SsgpError::Option`] for a factor that is not positive and finite.
    pub fn set_variance_factor(&mut self, factor: f64) -> Result<(), SsgpError> {
        check_factor(factor)?;
        self.variance_factor = factor;
        Ok(())
    }

    /// Predicts training rows, each from the others: what calibration is made of.
    ///
    /// # Errors
    /// [`SsgpError::Neighbourhood`] for fewer than k + 1 rows in all; [`SsgpError::Interrupted`].
    ///
    /// # Panics
    /// When a row is not below N.
    pub fn left_out(
        &self,
        rows: &[usize],
        observer: &dyn LocalObserver,
    ) -> Result<LocalPrediction, SsgpError> {
        let (found, n) = (self.options.neighbours, self.y.len());
        if found >= n {
            return Err(SsgpError::Neighbourhood { found, n: n - 1 });
        }
        let answers = each(rows, observer, |row| self.scaled(&self.x.row(row), Some(row)))?;
        Ok(collected(answers))
    }

    /// Answers each row of `x_new` `[T, D]`, in parallel; the same bits for any number of threads.
    ///
    /// # Errors
    /// Rows that are not finite or have another number of columns; [`SsgpError::Interrupted`] when the
    /// observer asks to stop.
    pub fn predict(
        &self,
        x_new: &ArrayRef2<f64>,
        observer: &dyn LocalObserver,
    ) -> Result<LocalPrediction, SsgpError> {
        let x_new = self.scaling.apply(x_new)?;
        if x_new.nrows() > 0 {
            check_finite(&x_new, "x_new")?;
        }
        let rows: Vec<usize> = (0..x_new.nrows()).collect();
        let answers = each(&rows, observer, |row| self.scaled(&x_new.row(row), None))?;
        Ok(collected(answers))
    }

    /// The answer with its variance multiplied.
    fn scaled(
        &self,
        query: &ArrayRef1<f64>,
        left_out: Option<usize>,
    ) -> Result<(Answer, LocalReport), SsgpError> {
        let (mut answer, report) = self.answer(query, left_out)?;
        answer.scale_variance(self.variance_factor);
        Ok((answer, report))
    }

    fn answer(
        &self,
        query: &ArrayRef1<f64>,
        left_out: Option<usize>,
    ) -> Result<(Answer, LocalReport), SsgpError> {
        let euclid = vec![1.0; query.len()];
        let near = self.neighbourhood(query, &euclid, left_out)?;
        let first = near.fit(self, None).ok();
        let Some(first) = first else {
            let answer = near.trivial(&self.y);
            let fallback = Some(Fallback::NeighbourhoodMean);
            return Ok((answer, LocalReport { first: None, second: None, fallback }));
        };
        let metric = first.metric();
        let near = self.neighbourhood(query, metric.as_deref().unwrap_or(&euclid), left_out)?;
        let warm = self.options.warm_start.then_some(&first);
        let second = near.fit(self, warm).ok();
        let fallback = second.is_none().then_some(Fallback::FirstStage);
        let chosen = second.as_ref().unwrap_or(&first);
        let answer = chosen.answer();
        let second = second.as_ref().map(|second| second.report(self)).transpose()?;
        Ok((answer, LocalReport { first: Some(first.report(self)?), second, fallback }))
    }

    /// The nearest rows, as many as asked for or doubled until their targets differ.
    fn neighbourhood(
        &self,
        query: &ArrayRef1<f64>,
        weights: &[f64],
        left_out: Option<usize>,
    ) -> Result<Neighbourhood, SsgpError> {
        let mut k = self.options.neighbours;
        loop {
            let extra = usize::from(left_out.is_some());
            let mut rows = self.tree.nearest(query, weights, k + extra)?;
            rows.retain(|row| Some(*row) != left_out);
            rows.truncate(k);
            let first = self.y[rows[0]].to_bits();
            let constant = rows.iter().all(|&row| self.y[row].to_bits() == first);
            if !constant || k >= self.y.len() {
                return Ok(Neighbourhood::new(self, query, rows));
            }
            k = (2 * k).min(self.y.len());
        }
    }
}

/// Mean, variance of the latent function, variance of an observation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Answer {
    pub(crate) mean: f64,
    pub(crate) var_latent: f64,
    pub(crate) var_y: f64,
}

impl Answer {
    fn scale_variance(&mut self, factor: f64) {
        self.var_latent *= factor;
        self.var_y *= factor;
    }
}

fn check_factor(factor: f64) -> Result<(), SsgpError> {
    if factor.is_finite() && factor > 0.0 {
        return Ok(());
    }
    let (option, accepted) = ("variance_factor", "a positive finite number");
    Err(SsgpError::Option { option, found: factor, accepted })
}

/// `work` on each of `rows`, in parallel; results in their order.
fn each<T: Send>(
    rows: &[usize],
    observer: &dyn LocalObserver,
    work: impl Fn(usize) -> Result<T, SsgpError> + Sync,
) -> Result<Vec<T>, SsgpError> {
    let done = AtomicUsize::new(0);
    let one = |&row: &usize| {
        if observer.interrupted() {
            return Err(SsgpError::Interrupted);
        }
        let result = work(row)?;
        observer.query(done.fetch_add(1, Ordering::Relaxed) + 1, rows.len());
        Ok(result)
    };
    rows.par_iter().with_max_len(1).map(one).collect()
}

fn collected(answers: Vec<(Answer, LocalReport)>) -> LocalPrediction {
    let column = |of: fn(&Answer) -> f64| answers.iter().map(|(answer, _)| of(answer)).collect();
    let mean: Array1<f64> = column(|answer| answer.mean);
    let prediction = Prediction {
        mean: mean.insert_axis(Axis(1)),
        var_latent: column(|answer| answer.var_latent),
        var_y: column(|answer| answer.var_y),
    };
    LocalPrediction { prediction, queries: answers.into_iter().map(|(_, report)| report).collect() }
}
