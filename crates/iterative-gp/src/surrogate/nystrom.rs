//! The Nyström surrogate, which pivoted Cholesky is with the pivots as inducing points.

use bounds::logdet::NystromLogDet;
use bounds::{DifferentiableLogDet, Gradient, NystromSystem, Problem};
use gp_core::GpError;
use kernels::contract_gradient;
use linalg_cg::{Preconditioner, gram, matmul, matmul_nt, matmul_tn, symmetric_eigen};
use ndarray::{Array1, Array2, ArrayRef2};

use super::{Surrogate, SurrogateDerivative};

/// Q = VᵀV + σ²I with its symmetric square root.
///
/// ```text
/// VVᵀ = E diag(s) Eᵀ,   Q^(½) = σI + Vᵀ E diag(1/(√(σ² + s) + σ)) Eᵀ V
/// ```
#[derive(Debug)]
pub struct NystromSurrogate<'p, 'a> {
    problem: &'p Problem<'a>,
    system: &'p NystromSystem,
    /// E diag(1/(√(σ² + s) + σ)) Eᵀ `[M, M]`.
    root: Array2<f64>,
}

impl<'p, 'a> NystromSurrogate<'p, 'a> {
    /// Of a problem with inducing points.
    ///
    /// # Errors
    /// [`GpError::Bound`] without them, [`GpError::Linalg`] for eigenvalues that do not converge.
    pub fn new(problem: &'p Problem<'a>) -> Result<Self, GpError> {
        let system = problem.nystrom()?;
        Ok(Self { problem, system, root: root(system)? })
    }
}

fn root(system: &NystromSystem) -> Result<Array2<f64>, GpError> {
    if system.m() == 0 {
        return Ok(Array2::zeros((0, 0)));
    }
    let (values, vectors) = symmetric_eigen(system.vvt())?;
    let sigma = system.sigma2().sqrt();
    // VVᵀ is semidefinite; an eigenvalue below zero is rounding.
    let scales = values.mapv(|s| ((system.sigma2() + s.max(0.0)).sqrt() + sigma).recip());
    Ok(matmul_nt(&(&vectors * &scales), &vectors))
}

impl Preconditioner for NystromSurrogate<'_, '_> {
    fn n(&self) -> usize {
        self.system.n()
    }

    fn solve(&self, r: &ArrayRef2<f64>) -> Array2<f64> {
        self.system.solve(r)
    }

    fn quad(&self, r: &ArrayRef2<f64>) -> Array1<f64> {
        self.system.quad(r)
    }
}

impl Surrogate for NystromSurrogate<'_, '_> {
    fn log_det(&self) -> f64 {
        self.system.log_det_q()
    }

    fn colour(&self, z: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError> {
        let v = self.system.v();
        let low_rank = matmul_tn(v, &matmul(&self.root, &matmul(v, z)));
        Ok(low_rank + z.to_owned() * self.system.sigma2().sqrt())
    }

    fn is_below(&self) -> bool {
        true
    }

    fn derivative(&self) -> Option<&dyn SurrogateDerivative> {
        Some(self)
    }
}

impl SurrogateDerivative for NystromSurrogate<'_, '_> {
    fn log_det(&self) -> Result<Gradient, GpError> {
        Ok(NystromLogDet.gradient(self.problem)?)
    }

    /// With a = Kuu⁻¹Kuf b: bᵀdQb = 2 aᵀ dKuf b − aᵀ dKuu a + ‖b‖² dσ².
    fn form(&self, b: &ArrayRef2<f64>) -> Result<Gradient, GpError> {
        let kernel = self.problem.kernel();
        let mut gradient = Gradient::zeros(self.problem);
        gradient.add_sigma2(self.problem, b.iter().map(|value| value * value).sum());
        if let Some(z) = self.problem.inducing_points().filter(|z| z.nrows() > 0) {
            let a = self.system.k_uu().solve_lower_transpose(&matmul(self.system.v(), b));
            let weights = matmul_nt(&a, b) * 2.0;
            let of_kuf = contract_gradient(kernel, z, self.problem.x(), &weights);
            gradient.kernel.iter_mut().zip(of_kuf).for_each(|(sum, value)| *sum += value);
            kernel.accumulate_gradient(z, z, &-gram(&a), &mut gradient.kernel);
        }
        Ok(gradient)
    }
}
