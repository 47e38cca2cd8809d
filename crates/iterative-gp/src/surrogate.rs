//! Surrogate covariances: preconditioners whose determinant and square root are known.

mod nystrom;
mod vecchia;

use std::sync::Arc;

use bounds::{Gradient, Problem, VecchiaStructure};
use gp_core::{GpError, Hyperparameters};
use linalg_cg::{Preconditioner, pivoted_cholesky};
use ndarray::{Array2, ArrayRef2, Axis};

use crate::options::Preconditioning;

pub use nystrom::NystromSurrogate;
pub use vecchia::VecchiaSurrogate;

/// tr(K − P) below this multiple of N σ² makes P as good as K: no further pivot is taken.
const GOOD_ENOUGH: f64 = 1e-6;

/// A matrix P ≈ K that is cheap to solve with, and more.
///
/// ```text
/// log|K| = log|P| + tr log(P^(−½) K P^(−½)),   w = L z,  P = LLᵀ,  E zzᵀ = I  ⇒  E wwᵀ = P
/// ```
pub trait Surrogate: Preconditioner {
    /// log|P|, nats.
    fn log_det(&self) -> f64;

    /// L Z for some L with LLᵀ = P, `z [N, C] → [N, C]`.
    ///
    /// # Errors
    /// What prevented a factorisation that it needs.
    fn colour(&self, z: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError>;

    /// Whether P ⪯ K, so that rᵀP⁻¹r bounds rᵀK⁻¹r and no eigenvalue of P^(−½)KP^(−½) is below 1.
    fn is_below(&self) -> bool;

    /// What the variance of gradients is reduced with, if P has it.
    fn derivative(&self) -> Option<&dyn SurrogateDerivative> {
        None
    }
}

/// The derivative of a surrogate with its parts (pivots, inducing points) held still.
pub trait SurrogateDerivative {
    /// d log|P| = tr(P⁻¹dP), exact.
    ///
    /// # Errors
    /// What prevented it.
    fn log_det(&self) -> Result<Gradient, GpError>;

    /// Σ_c b_cᵀ dP b_c, `b [N, C]` held still.
    ///
    /// # Errors
    /// What prevented it.
    fn form(&self, b: &ArrayRef2<f64>) -> Result<Gradient, GpError>;
}

/// What a [`Preconditioning`] comes to at given hyperparameters, to be held still while they move.
#[derive(Debug, Clone)]
pub(crate) enum Chosen {
    /// Inducing points.
    Points(Array2<f64>),
    /// Ordering and neighbours.
    Neighbours(Arc<VecchiaStructure>),
}

impl Chosen {
    pub(crate) fn at(
        hyper: &Hyperparameters,
        x: &ArrayRef2<f64>,
        preconditioning: &Preconditioning,
    ) -> Self {
        match preconditioning {
            Preconditioning::PivotedCholesky { rank } => Self::pivots(hyper, x, *rank).0,
            Preconditioning::InducingPoints(z) => Self::Points(z.clone()),
            Preconditioning::Vecchia { neighbours } => Self::nearest(hyper, x, *neighbours),
            Preconditioning::Auto { rank, neighbours } => {
                let (pivots, left) = Self::pivots(hyper, x, *rank);
                let noise = x.nrows() as f64 * hyper.total_noise_variance();
                if left <= noise { pivots } else { Self::nearest(hyper, x, *neighbours) }
            }
        }
    }

    /// What `given` has come to.
    pub(crate) fn settled(&self, given: &Preconditioning) -> Preconditioning {
        match (self, given) {
            (Self::Points(_), Preconditioning::Auto { rank, .. }) => {
                Preconditioning::PivotedCholesky { rank: *rank }
            }
            (Self::Neighbours(_), Preconditioning::Auto { neighbours, .. }) => {
                Preconditioning::Vecchia { neighbours: *neighbours }
            }
            (_, given) => given.clone(),
        }
    }

    fn nearest(hyper: &Hyperparameters, x: &ArrayRef2<f64>, neighbours: usize) -> Self {
        let inputs = hyper.kernel.embed(x);
        Self::Neighbours(Arc::new(VecchiaStructure::nearest(&inputs, neighbours)))
    }

    /// Greedy pivots of k(X, X), at most `rank`, and tr(k(X, X) − Q), which they leave.
    fn pivots(hyper: &Hyperparameters, x: &ArrayRef2<f64>, rank: usize) -> (Self, f64) {
        let kernel = hyper.kernel.as_ref();
        let column = |pivot: usize| {
            let row = x.row(pivot);
            kernels::kernel_matrix(kernel, x, &row.insert_axis(Axis(0))).remove_axis(Axis(1))
        };
        let tolerance = GOOD_ENOUGH * x.nrows() as f64 * hyper.total_noise_variance();
        let found = pivoted_cholesky(&kernel.diag(x), column, rank, tolerance);
        (Self::Points(x.select(Axis(0), &found.pivots)), found.residual_diag.sum())
    }

    /// Builds the surrogate, and runs `work` with it.
    pub(crate) fn with<T>(
        &self,
        hyper: &Hyperparameters,
        x: &ArrayRef2<f64>,
        work: impl FnOnce(&Problem<'_>, &dyn Surrogate) -> Result<T, GpError>,
    ) -> Result<T, GpError> {
        let problem = Problem::new(hyper.kernel.as_ref(), x, hyper.noise_variance)?;
        match self {
            Self::Points(z) => {
                let problem = problem.with_inducing_points(z, 0.0)?;
                let surrogate = NystromSurrogate::new(&problem)?;
                work(&problem, &surrogate)
            }
            Self::Neighbours(structure) => {
                let problem = problem.with_shared_structure(Arc::clone(structure))?;
                let surrogate = VecchiaSurrogate::new(&problem)?;
                work(&problem, &surrogate)
            }
        }
    }
}
