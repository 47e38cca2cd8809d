//! The methods a model can be fitted by: a file or a folder each.
//!
//! A further method is a file here that implements [`Inference`] (how it is fitted) and
//! [`Conditioned`] (what it is then), a variant of [`Method`], with its line in [`Method::ALL`] and in
//! `inference`, and one of [`Part`], with its line in [`Part::restore`]. An option of its own is a
//! variant of [`Setting`] with its name, a field of [`FitOptions`] that `given_settings` tells of, and
//! an argument of the command line. What it needs of memory is in `memory`; `auto` chooses it only if
//! told to.

mod cglb;
mod exact;
mod iterative;
mod sgpr;
mod ssgp_vb;

use std::fmt::Debug;

use gp_core::{Floors, GpError, Hyperparameters, Observer, Posterior, Prediction, Trained};
use ndarray::{Array2, Axis};
use serde::{Deserialize, Serialize};

use crate::{CgSummary, Evidence, EvidenceOptions, FitOptions, SpectralReport, Surrogates};

/// How a model is fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Method {
    /// Cholesky factorisation of the whole covariance matrix.
    Exact,
    /// Variational inducing points.
    Sgpr,
    /// The conjugate-gradient lower bound.
    Cglb,
    /// Conjugate gradients and stochastic traces.
    Iterative,
    /// The variational sparse spectrum.
    SsgpVb,
}

/// An option that not every method has a use for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Setting {
    /// Inducing points brought along.
    InducingPoints,
    /// How inducing points are chosen.
    Select,
    /// That inducing points stay where they are.
    FixedPoints,
    /// Which bound on the log-determinant is trained.
    Bound,
    /// What speeds conjugate gradients up.
    Preconditioner,
    /// Where conjugate gradients stop.
    CgTolerance,
    /// Cap on their steps.
    CgMaxSteps,
    /// Random vectors of a stochastic estimate.
    Probes,
    /// Pivots of the preconditioner.
    PreconditionerRank,
    /// How the gradient of the log-determinant is estimated.
    Estimator,
    /// What training steps by.
    Optimizer,
    /// Rows of the first optimisers.
    PretrainRows,
    /// Steps of Adam on all rows.
    AdamSteps,
    /// Where the variance of a prediction comes from.
    Variance,
    /// Dimension of LOVE's space.
    LoveRank,
    /// How many spectral points there are.
    SpectralPoints,
    /// How many sets of them are tried.
    Draws,
    /// That the rows near each query are fitted.
    Local,
    /// That variances are scaled by errors at rows left out.
    Calibrate,
}

impl Setting {
    /// Its name among the options of the command line, without the dashes.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::InducingPoints => "inducing-points",
            Self::Select => "select",
            Self::FixedPoints => "fix inducing_points",
            Self::Bound => "bound",
            Self::Preconditioner => "preconditioner",
            Self::CgTolerance => "cg-tolerance",
            Self::CgMaxSteps => "cg-max-steps",
            Self::Probes => "probes",
            Self::PreconditionerRank => "preconditioner-rank",
            Self::Estimator => "estimator",
            Self::Optimizer => "optimizer",
            Self::PretrainRows => "pretrain-rows",
            Self::AdamSteps => "adam-steps",
            Self::Variance => "variance",
            Self::LoveRank => "love-rank",
            Self::SpectralPoints => "spectral-points",
            Self::Draws => "draws",
            Self::Local => "local",
            Self::Calibrate => "calibrate",
        }
    }
}

impl Method {
    /// Every method.
    pub const ALL: &[Self] = &[Self::Exact, Self::Sgpr, Self::Cglb, Self::Iterative, Self::SsgpVb];

    fn inference(self) -> &'static dyn Inference {
        match self {
            Self::Exact => &exact::Cholesky,
            Self::Sgpr => &sgpr::InducingPoints,
            Self::Cglb => &cglb::ConjugateGradients,
            Self::Iterative => &iterative::StochasticTraces,
            Self::SsgpVb => &ssgp_vb::SparseSpectrum,
        }
    }

    /// The name used on the command line and in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.inference().name()
    }

    /// What it is, in a few words.
    #[must_use]
    pub fn about(self) -> &'static str {
        self.inference().about()
    }

    /// Whether an option makes a difference to it.
    #[must_use]
    pub fn uses(self, setting: Setting) -> bool {
        self.inference().settings().contains(&setting)
    }

    /// The smallest noise variance that training should reach, in the scale of the fit: what
    /// `taut fit` takes where no floor is asked for. As a library, set it in the plan's floors.
    #[must_use]
    pub fn noise_floor(self) -> f64 {
        self.inference().noise_floor()
    }

    /// The neighbours that `taut fit` takes where no number is asked for.
    #[must_use]
    pub fn neighbours(self) -> usize {
        self.inference().neighbours()
    }

    pub(crate) fn n_starts(self, options: &FitOptions, d: usize) -> usize {
        self.inference().n_starts(options, d)
    }

    /// Refuses options that would make no difference.
    ///
    /// # Errors
    /// [`GpError::UnusedOption`], with the methods the option is for.
    pub fn check_settings(self, given: &[Setting]) -> Result<(), GpError> {
        let Some(unused) = given.iter().find(|setting| !self.uses(**setting)) else {
            return Ok(());
        };
        let users = Self::ALL.iter().filter(|method| method.uses(*unused));
        Err(GpError::UnusedOption {
            option: unused.name(),
            method: self.name(),
            used_by: users.map(|method| method.name()).collect::<Vec<_>>().join(" or "),
        })
    }

    pub(crate) fn fit(
        self,
        template: &Hyperparameters,
        rows: &Rows,
        options: &FitOptions,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, GpError> {
        self.inference().fit(template, rows, options, observer)
    }

    pub(crate) fn condition(
        self,
        hyper: &Hyperparameters,
        rows: &Rows,
        options: &FitOptions,
        stop: &dyn Fn() -> bool,
    ) -> Result<Outcome, GpError> {
        self.inference().condition(hyper, rows, options, stop)
    }
}

/// Training rows in the scale of the fit: inputs `[N, D]`, targets `[N, P]`.
#[derive(Debug, Clone)]
pub(crate) struct Rows {
    pub(crate) x: Array2<f64>,
    pub(crate) y: Array2<f64>,
}

impl Rows {
    pub(crate) fn select(&self, rows: &[usize]) -> Self {
        Self { x: self.x.select(Axis(0), rows), y: self.y.select(Axis(0), rows) }
    }
}

/// A model conditioned on data, how training went if there was any, and what else there is to say.
pub(crate) struct Outcome {
    pub(crate) gp: Box<dyn Conditioned>,
    pub(crate) trained: Option<Trained>,
    pub(crate) notices: Vec<String>,
    /// Conjugate gradients of training and conditioning.
    pub(crate) cg: CgSummary,
}

/// A way to fit.
pub(crate) trait Inference: Sync {
    /// As on the command line and in reports.
    fn name(&self) -> &'static str;

    /// A few words for the help.
    fn about(&self) -> &'static str;

    /// The options it has a use for, beside those every method has.
    fn settings(&self) -> &'static [Setting];

    /// The smallest noise variance that training should reach unless told otherwise.
    fn noise_floor(&self) -> f64 {
        Floors::default().noise_variance
    }

    /// The neighbours of surrogates unless told otherwise.
    fn neighbours(&self) -> usize {
        Surrogates::default().neighbours
    }

    /// How many starts training on rows of `d` inputs screens.
    fn n_starts(&self, options: &FitOptions, _d: usize) -> usize {
        options.plan.starts
    }

    /// Trains from `template`, and conditions on the rows.
    fn fit(
        &self,
        template: &Hyperparameters,
        rows: &Rows,
        options: &FitOptions,
        observer: &mut dyn Observer,
    ) -> Result<Outcome, GpError>;

    /// Conditions on the rows at given hyperparameters; where that is a solve that takes long, it is given
    /// up as interrupted once `stop` says `true`.
    fn condition(
        &self,
        hyper: &Hyperparameters,
        rows: &Rows,
        options: &FitOptions,
        stop: &dyn Fn() -> bool,
    ) -> Result<Outcome, GpError>;
}

/// A model of some method, conditioned on its training rows.
pub(crate) trait Conditioned: Posterior + Debug + Send + Sync {
    /// How it was fitted.
    fn method(&self) -> Method;

    fn hyperparameters(&self) -> &Hyperparameters;

    /// What a file must hold beside hyperparameters and rows for the same bits.
    fn part(&self) -> Part;

    /// The quantity training maximised, at the final hyperparameters: what kernels are ranked by.
    fn objective(&self) -> Result<f64, GpError>;

    /// The log marginal likelihood of `rows`, as well as it is known.
    fn evidence(&self, rows: &Rows, options: &EvidenceOptions) -> Result<Evidence, GpError>;

    /// Bytes a variance needs beside what the model holds.
    fn prediction_bytes(&self) -> u64;

    /// Inducing points `[M, D]`.
    fn inducing_points(&self) -> Option<&Array2<f64>> {
        None
    }

    /// The auxiliary vectors v ≈ K⁻¹(y − m(X)) `[N, P]`.
    fn auxiliary(&self) -> Option<&Array2<f64>> {
        None
    }

    /// The bound on the log-determinant that was trained, where there is a choice.
    fn bound(&self) -> Option<&str> {
        None
    }

    /// What models of spectral points say of themselves.
    fn spectral(&self) -> Option<SpectralReport> {
        None
    }

    /// What the hyperparameters are, where they are not those of the posterior itself: said beside
    /// bounds on the log marginal likelihood.
    fn note(&self) -> Option<&'static str> {
        None
    }

    /// How many rows to predict at a time, where each takes long.
    fn rows_at_a_time(&self) -> Option<usize> {
        None
    }

    /// Whether each row is conditioned on its neighbours.
    fn uses_neighbours(&self) -> bool {
        false
    }

    /// Predictions of each training row from all others, where the method has them.
    fn leave_one_out(&self) -> Result<Option<Prediction>, GpError> {
        Ok(None)
    }
}

/// The part of a model file that belongs to its method.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Part {
    Exact(exact::Saved),
    Sgpr(Box<sgpr::Saved>),
    Cglb(Box<cglb::Saved>),
    Iterative(Box<iterative::Saved>),
    SsgpVb(Box<ssgp_vb::Saved>),
}

impl Part {
    /// The model a file describes.
    pub(crate) fn restore(
        self,
        hyper: Hyperparameters,
        rows: &Rows,
    ) -> Result<Box<dyn Conditioned>, GpError> {
        match self {
            Self::Exact(saved) => saved.restore(hyper, rows),
            Self::Sgpr(saved) => saved.restore(hyper, rows),
            Self::Cglb(saved) => saved.restore(hyper, rows),
            Self::Iterative(saved) => saved.restore(hyper, rows),
            Self::SsgpVb(saved) => saved.restore(hyper, rows),
        }
    }
}
