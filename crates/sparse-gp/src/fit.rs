//! Training of hyperparameters and inducing points together.

use gp_core::{
    GpError, Hyperparameters, Observer, Start, Trained, check_data, random_rows, starts, train,
};
use ndarray::{Array2, ArrayRef2, Axis, s};

use crate::model::Sgpr;
use crate::objective::{Points, SgprObjective, unflatten};
use crate::options::SgprOptions;
use crate::selection::Notice;

/// Rows of the screening subset on which starts are compared.
const SCREENING_ROWS: usize = 2000;
/// Inducing points of the screening, which stand still: the first of a greedy choice are its best.
const SCREENING_POINTS: usize = 128;

/// A trained model and how it came about.
#[derive(Debug)]
pub struct SgprFit {
    /// The model, conditioned on all rows.
    pub model: Sgpr,
    /// What training did; its `u` holds the free hyperparameters, then Z row by row if it moved.
    pub trained: Trained,
    /// What the selection of inducing points did differently than asked.
    pub notices: Vec<Notice>,
}

impl Sgpr {
    /// Chooses inducing points, trains them and the hyperparameters from `template` by maximising
    /// the ELBO of `y` `[N, P]` at `x` `[N, D]`, and conditions on the data.
    ///
    /// Starts are compared on a subset of the rows with the first inducing points held; the best
    /// goes on with all rows and all points. Costs O(N M²) an evaluation.
    ///
    /// # Errors
    /// Data that are empty, not finite or of disagreeing shapes; parameters out of range; given
    /// inducing points that do not fit; no usable start.
    pub fn fit(
        template: &Hyperparameters,
        x: &ArrayRef2<f64>,
        y: &ArrayRef2<f64>,
        options: &SgprOptions,
        observer: &mut dyn Observer,
    ) -> Result<SgprFit, GpError> {
        check_data(template, x, y)?;
        options.settings.check()?;
        let kernel = template.kernel.as_ref();
        let seed = options.plan.seed;
        let chosen = options.selector.choose(kernel, x, options.inducing, seed)?;
        let (hyper, z, trained) = trained(template, &chosen.z, x, y, options, observer)?;
        let model = Self::condition(&hyper, &z, x, y, &options.settings)?;
        Ok(SgprFit { model, trained, notices: chosen.notices })
    }
}

fn trained(
    template: &Hyperparameters,
    z: &Array2<f64>,
    x: &ArrayRef2<f64>,
    y: &ArrayRef2<f64>,
    options: &SgprOptions,
    observer: &mut dyn Observer,
) -> Result<(Hyperparameters, Array2<f64>, Trained), GpError> {
    let (plan, settings) = (&options.plan, options.settings);
    let space = plan.space(template)?;
    let rows = random_rows(x.nrows(), SCREENING_ROWS, plan.seed);
    let (few_x, few_y) = (x.select(Axis(0), &rows), y.select(Axis(0), &rows));
    let few_z = z.slice(s![..z.nrows().min(SCREENING_POINTS), ..]).to_owned();
    let points = Points::Fixed(few_z);
    let mut screening = SgprObjective { x: &few_x, y: &few_y, space: &space, points, settings };
    let free = options.train_inducing_points;
    let points = if free { Points::Free } else { Points::Fixed(z.clone()) };
    let mut full = SgprObjective { x, y, space: &space, points, settings };
    let mut starts = starts(template, &space, x.ncols(), plan.starts, plan.seed)?;
    if free {
        starts.iter_mut().for_each(|Start { u, .. }| u.extend(z));
    }
    let resume = plan.resume.clone();
    let trained = train(&mut screening, &mut full, &starts, &plan.options, resume, observer)?;
    let (u_hyper, u_z) = trained.u.split_at(space.len());
    let z = if free { unflatten(u_z, x.ncols()) } else { z.clone() };
    Ok((space.unpack(u_hyper)?, z, trained))
}
