//! Training of hyperparameters and, where the bound depends on them, inducing points.

use gp_core::{
    GpError, Hyperparameters, Observer, Start, Trained, check_data, random_rows, starts,
};
use ndarray::{Array2, ArrayRef2, Axis, s};
use sparse_gp::{InducingPoints, Notice, Selector, unflatten};

use crate::model::Cglb;
use crate::objective::CglbObjective;
use crate::options::CglbOptions;
use crate::points::Points;
use crate::rounds::train_in_rounds;
use crate::settings::CglbSettings;
use crate::stats::CgStats;

/// Rows of the screening subset on which starts are compared.
const SCREENING_ROWS: usize = 2000;
/// Inducing points of the screening, which stand still: the first of a greedy choice are its best.
const SCREENING_POINTS: usize = 128;
/// Neighbours of the screening: enough to tell a good start from a bad one.
const SCREENING_NEIGHBOURS: usize = 10;

/// A step that gains less than this part of what conjugate gradients may leave is none.
const NEGLIGIBLE: f64 = 0.01;

/// A trained model and how it came about.
#[derive(Debug)]
pub struct CglbFit {
    /// The model, conditioned on all rows.
    pub model: Cglb,
    /// What training did; its `u` holds the free hyperparameters, then Z row by row if it moved.
    pub trained: Trained,
    /// What the selection of inducing points did differently than asked.
    pub notices: Vec<Notice>,
    /// Conjugate gradients on all rows: of training, and of the final model.
    pub cg: CgStats,
    /// Steps of conjugate gradients in each call of the objective on all rows, in order.
    pub cg_steps: Vec<usize>,
    /// How often an ordering, neighbours or inducing points were chosen anew on all rows.
    pub rounds: usize,
}

impl Cglb {
    /// Trains the hyperparameters from `template`, and inducing points where the bound depends on
    /// them, by maximising the bound of `y` `[N, P]` at `x` `[N, D]`, and conditions on the data.
    ///
    /// Starts are compared on a subset of the rows with the first inducing points held; the best
    /// goes on with all rows and all points. Costs O(N² + N M²) an evaluation.
    ///
    /// # Errors
    /// Data that are empty, not finite or of disagreeing shapes; parameters out of range; given
    /// inducing points that do not fit; no usable start; [`GpError::Interrupted`] for an observer that
    /// gives up.
    pub fn fit(
        template: &Hyperparameters,
        x: &ArrayRef2<f64>,
        y: &ArrayRef2<f64>,
        options: &CglbOptions,
        observer: &mut dyn Observer,
    ) -> Result<CglbFit, GpError> {
        check_data(template, x, y)?;
        options.settings.check()?;
        // Points that are chosen anew at the end need no first choice.
        let chosen = if options.chooses_at_the_end() {
            InducingPoints { z: Array2::zeros((0, x.ncols())), notices: Vec::new() }
        } else {
            choose(template, x, options)?
        };
        let found = trained(template, &chosen.z, x, y, options, observer)?;
        if observer.given_up() {
            return Err(GpError::Interrupted);
        }
        let InducingPoints { z, notices } = match found.z {
            Some(z) => InducingPoints { z, notices: chosen.notices },
            None => choose(&found.hyper, x, options)?,
        };
        let (hyper, settings, stop) = (&found.hyper, &options.settings, || observer.given_up());
        let model = Self::condition_until(hyper, &z, x, y, settings, &stop)?;
        let cg = found.cg.and(model.evidence().cg);
        let Found { trained, cg_steps, rounds, .. } = found;
        Ok(CglbFit { model, trained, notices, cg, cg_steps, rounds })
    }
}

/// What training found.
struct Found {
    hyper: Hyperparameters,
    /// `None` where points are to be chosen at the final hyperparameters.
    z: Option<Array2<f64>>,
    trained: Trained,
    cg: CgStats,
    cg_steps: Vec<usize>,
    rounds: usize,
}

fn choose(
    hyper: &Hyperparameters,
    x: &ArrayRef2<f64>,
    options: &CglbOptions,
) -> Result<InducingPoints, GpError> {
    let kernel = hyper.kernel.as_ref();
    options.selector.choose(kernel, x, options.inducing, options.plan.seed)
}

fn trained(
    template: &Hyperparameters,
    z: &Array2<f64>,
    x: &ArrayRef2<f64>,
    y: &ArrayRef2<f64>,
    options: &CglbOptions,
    observer: &mut dyn Observer,
) -> Result<Found, GpError> {
    let plan = &options.plan;
    let space = plan.space(template)?;
    let rows = random_rows(x.nrows(), SCREENING_ROWS, plan.seed);
    let (few_x, few_y) = (x.select(Axis(0), &rows), y.select(Axis(0), &rows));
    let [few_points, points] = [SCREENING_POINTS, usize::MAX].map(|most| points(options, z, most));
    let few = few(&options.settings);
    let mut screening = CglbObjective::new(&few_x, &few_y, &space, few_points, few);
    let mut full = CglbObjective::new(x, y, &space, points, options.settings.clone());
    let mut starts = starts(template, &space, x.ncols(), plan.starts, plan.seed)?;
    let free = options.moves_inducing_points();
    if free {
        starts.iter_mut().for_each(|Start { u, .. }| u.extend(z));
    }
    let resume = plan.resume.clone();
    let mut limits = plan.options;
    let negligible = NEGLIGIBLE * options.settings.training_tolerance;
    limits.lbfgs.gain_tolerance = limits.lbfgs.gain_tolerance.max(negligible);
    let trained = train_in_rounds(&mut screening, &mut full, &starts, &limits, resume, observer)?;
    let (u_hyper, u_z) = trained.u.split_at(space.len());
    let z = match &options.selector {
        _ if free => Some(unflatten(u_z, x.ncols())),
        Selector::Given(z) => Some(z.clone()),
        _ => None,
    };
    let (hyper, cg, rounds) = (space.unpack(u_hyper)?, full.stats, full.round);
    Ok(Found { hyper, z, cg, cg_steps: full.steps, rounds, trained })
}

/// The points of an objective, at most `most`; those of the screening never move.
fn points(options: &CglbOptions, z: &Array2<f64>, most: usize) -> Points {
    let selector = options.selector.clone();
    match selector {
        _ if options.moves_inducing_points() && most >= z.nrows() && most == usize::MAX => {
            Points::Free
        }
        Selector::Given(_) => Points::Given(z.slice(s![..z.nrows().min(most), ..]).to_owned()),
        _ if options.moves_inducing_points() => {
            Points::Given(z.slice(s![..z.nrows().min(most), ..]).to_owned())
        }
        selector => {
            let (count, seed) = (options.inducing.min(most), options.plan.seed);
            Points::Chosen { selector, count, seed }
        }
    }
}

/// The settings of the screening.
fn few(settings: &CglbSettings) -> CglbSettings {
    let neighbours = settings.neighbours.min(SCREENING_NEIGHBOURS);
    CglbSettings { neighbours, ..settings.clone() }
}
