//! Local regression with adaptive neighbourhoods.

use std::sync::atomic::{AtomicUsize, Ordering};

use gp_core::{Prediction, check_finite, random_rows};
use ndarray::{Array1, Array2, ArrayRef1, ArrayRef2, Axis};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::SsgpError;
use crate::component::Weighting;
use crate::gaussian::check_count;
use crate::local_fit::{LocalFit, Neighbourhood};
use crate::model::refuse_constant;
use crate::neighbours::Neighbours;
use crate::observer::LocalObserver;
use crate::options::FitOptions;
use crate::prior::Priors;
use crate::scaling::HalfRange;
use crate::starts::{SpectralPoints, Starts};

/// What a neighbourhood's inputs are centred on before its fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Their mean.
    #[default]
    Mean,
    /// The query. There every feature is constant, and the prediction knows no uncertainty of λ.
    Query,
    /// Nothing.
    Unmoved,
}

/// How neighbourhoods are fitted.
///
/// | option | default | range |
/// | --- | --- | --- |
/// | `neighbours` | 60 | 2 to N |
/// | `spectral` | 4 draws of 10 points | |
/// | `starts` | 3 for each draw, all 4 draws kept | |
/// | `fit` | Algorithm 2 to a relative rise of 1e-6 | |
/// | `priors` | see [`Priors`] | |
/// | `scale` | on: inputs to [−1, 1] by the whole table | |
/// | `rescale` | off; on: each neighbourhood to [−1, 1] again | |
/// | `origin` | [`Origin::Mean`] | |
/// | `weighting` | [`Weighting::Equal`]; matters when `starts.keep` is above 1 | |
/// | `warm_start` | off; on: stage 2 starts at the q(λ) of stage 1 | |
///
/// The paper fits one draw from one start, [`paper`](Self::paper). Its variances are too small where
/// a neighbourhood has more than one explanation; the mixture over draws is what widens them there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LocalOptions {
    /// Training rows of a neighbourhood, k.
    pub neighbours: usize,
    /// The spectral points, the same for all queries.
    pub spectral: SpectralPoints,
    /// Where fits begin.
    pub starts: Starts,
    /// How a fit goes.
    pub fit: FitOptions,
    /// On λ, σ, γ.
    pub priors: Priors,
    /// Whether inputs are scaled by the whole table.
    pub scale: bool,
    /// Whether inputs are scaled by each neighbourhood.
    pub rescale: bool,
    /// What inputs are centred on.
    pub origin: Origin,
    /// How the draws kept are mixed.
    pub weighting: Weighting,
    /// Where stage 2 starts.
    pub warm_start: bool,
}

impl Default for LocalOptions {
    fn default() -> Self {
        Self {
            neighbours: 60,
            spectral: SpectralPoints { points: 10, ..SpectralPoints::default() },
            starts: Starts { keep: 4, ..Starts::default() },
            fit: FitOptions::default(),
            priors: Priors::default(),
            scale: true,
            rescale: false,
            origin: Origin::default(),
            weighting: Weighting::Equal,
            warm_start: false,
        }
    }
}

impl LocalOptions {
    /// One draw of `points` spectral points from the start μ = ½, Σ = ½ I, as in the paper.
    #[must_use]
    pub fn paper(neighbours: usize, points: usize) -> Self {
        Self {
            neighbours,
            spectral: SpectralPoints { points, draws: 1, ..SpectralPoints::default() },
            starts: Starts::paper(),
            ..Self::default()
        }
    }
}

/// What stood in for a fit that could not be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Fallback {
    /// Stage 2 could not be fitted: stage 1 predicts.
    FirstStage,
    /// Neither could: mean and variance of the neighbourhood's target predict.
    NeighbourhoodMean,
}

/// One of the two fits of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct StageReport {
    /// The training rows it was fitted to, nearest first.
    pub rows: Vec<usize>,
    /// The posterior means of λ, of the inputs as this stage saw them.
    pub lambda: Vec<f64>,
    /// The lower bound on the log density of the neighbourhood's target, in nats.
    pub bound: f64,
    /// Its prediction.
    pub mean: f64,
    /// Its variance without noise.
    pub var_latent: f64,
    /// Its variance with noise.
    pub var_y: f64,
}

/// How a query was answered.
#[derive(Debug, Clone, PartialEq)]
pub struct LocalReport {
    /// Stage 1, by Euclidean distance.
    pub first: Option<StageReport>,
    /// Stage 2, by the lengthscales of stage 1.
    pub second: Option<StageReport>,
    /// What stood in for the fit.
    pub fallback: Option<Fallback>,
}

/// Predictions at T queries.
#[derive(Debug, Clone)]
pub struct LocalPrediction {
    /// Means `[T, 1]` and variances.
    pub prediction: Prediction,
    /// How each came about.
    pub queries: Vec<LocalReport>,
}

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
    scaling: HalfRange,
    tree: Neighbours,
    variance_factor: f64,
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
        check_finite(&y.view().insert_axis(Axis(1)), "y")?;
        check_count("y", "values", y.len(), x.nrows())?;
        options.fit.check()?;
        options.priors.prepare(x.ncols())?;
        let (found, n) = (options.neighbours, x.nrows());
        if !(2..=n).contains(&found) {
            return Err(SsgpError::Neighbourhood { found, n });
        }
        refuse_constant(y)?;
        let scaling =
            if options.scale { HalfRange::fit(x, "x")? } else { HalfRange::identity(x.ncols()) };
        let scaled = scaling.apply(x)?;
        let (tree, sets) = (Neighbours::new(&scaled)?, options.spectral.sets(x.ncols())?);
        Ok(Self {
            x: scaled,
            y: y.to_owned(),
            options: options.clone(),
            sets,
            scaling,
            tree,
            variance_factor: 1.0,
        })
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
        let (found, n) = (self.options.neighbours, self.y.len());
        if found >= n {
            return Err(SsgpError::Neighbourhood { found, n: n - 1 });
        }
        if rows == 0 {
            let accepted = "a whole number of at least 1";
            return Err(SsgpError::Option { option: "rows", found: 0.0, accepted });
        }
        let chosen = random_rows(n, rows, seed);
        let error = |row: usize| {
            let (answer, _) = self.answer(&self.x.row(row), Some(row))?;
            Ok((self.y[row] - answer.mean).powi(2) / answer.var_y)
        };
        let squares = each(&chosen, observer, error)?;
        self.variance_factor = squares.iter().sum::<f64>() / squares.len() as f64;
        Ok(self.variance_factor)
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
        let answers = each(&rows, observer, |row| {
            let (mut answer, report) = self.answer(&x_new.row(row), None)?;
            answer.scale_variance(self.variance_factor);
            Ok((answer, report))
        })?;
        Ok(collected(answers))
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
        let second = second.as_ref().map(LocalFit::report);
        Ok((answer, LocalReport { first: Some(first.report()), second, fallback }))
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
