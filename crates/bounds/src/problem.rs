//! The covariance a bound is about, and what is computed from it once.

mod parts;

use self::parts::{Built, Neighbourhood};
use crate::surrogate::{Entries, NystromSystem, VecchiaFactors, VecchiaStructure};
use crate::{BoundError, Moments, Surrogate, SurrogateKind, check};
use kernels::{Kernel, KernelOperator};
use ndarray::{Array2, ArrayRef2};
use std::sync::Arc;

/// Inducing points and the jitter that goes with them.
#[derive(Debug, Clone, Copy)]
struct Inducing<'a> {
    z: &'a ArrayRef2<f64>,
    jitter: f64,
    /// The mean of k(z, z), where the jitter is a multiple of it.
    mean_variance: Option<f64>,
}

/// The covariance K that every bound of this crate is about.
///
/// ```text
/// K = k(X, X) + σ² I,   σ² = noise variance + white variance of the kernel
/// ```
///
/// Optional parts: inducing points Z `[M, D]` with an absolute jitter on k(Z, Z), a number of
/// neighbours, and blocks of rows. A bound that needs a part the problem lacks answers with a typed
/// error, and the bracket skips it. The [`NystromSystem`], each [`Surrogate`] and its [`Moments`] are
/// built when first asked and then shared by all bounds; ask for them once before sharing a problem
/// between threads of a pool, because building them is itself parallel work.
///
/// ```
/// use bounds::{LogDetBound, Problem, logdet::{Hadamard, Trace}};
/// use kernels::SquaredExponential;
/// use ndarray::{Array2, array};
///
/// let x = Array2::from_shape_fn((20, 1), |(i, _)| i as f64 / 4.0);
/// let z = array![[0.5], [2.0], [4.0]];
/// let kernel = SquaredExponential::new(vec![0.5], 1.0)?;
/// let problem = Problem::new(&kernel, &x, 0.1)?.with_inducing_points(&z, 1e-6)?;
/// assert!(Hadamard.value(&problem)? <= Trace.value(&problem)?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Problem<'a> {
    kernel: &'a dyn Kernel,
    x: &'a ArrayRef2<f64>,
    noise_variance: f64,
    largest_variance: f64,
    inducing: Option<Inducing<'a>>,
    neighbourhood: Neighbourhood,
    residual: Option<Arc<VecchiaStructure>>,
    blocks: Option<Blocks>,
    built: Built,
}

/// Blocks of rows.
#[derive(Debug, Clone)]
enum Blocks {
    /// Neighbouring rows, at most so many.
    Size(usize),
    Given(Arc<VecchiaStructure>),
}

impl<'a> Problem<'a> {
    /// A problem over inputs `x [N, D]`, without inducing points or neighbours.
    ///
    /// # Errors
    /// When `x` is empty, holds a number that is not finite or does not fit the kernel, or when
    /// σ² is not a finite number > 0.
    pub fn new(
        kernel: &'a dyn Kernel,
        x: &'a ArrayRef2<f64>,
        noise_variance: f64,
    ) -> Result<Self, BoundError> {
        if x.nrows() == 0 {
            return Err(BoundError::NoData);
        }
        kernel.check_columns(x.ncols())?;
        check::finite("x", x)?;
        check_sigma2(noise_variance, kernel.white_variance())?;
        let largest_variance = kernel.diag(x).fold(0.0, |largest: f64, &value| largest.max(value));
        Ok(Self {
            kernel,
            x,
            noise_variance,
            largest_variance,
            inducing: None,
            neighbourhood: Neighbourhood::Absent,
            residual: None,
            blocks: None,
            built: Built::default(),
        })
    }

    /// Adds inducing points `z [M, D]`; M = 0 is allowed and makes Q = σ²I.
    ///
    /// `jitter` is absolute and goes on the diagonal of k(Z, Z) alone, where it can only lower Q.
    ///
    /// # Errors
    /// When the columns disagree with `x`, a coordinate is not finite, or `jitter` is negative.
    pub fn with_inducing_points(
        mut self,
        z: &'a ArrayRef2<f64>,
        jitter: f64,
    ) -> Result<Self, BoundError> {
        check::length("inducing_points", z.ncols(), self.x.ncols())?;
        check::finite("inducing_points", z)?;
        if !(jitter.is_finite() && jitter >= 0.0) {
            return Err(BoundError::InvalidJitter { value: jitter });
        }
        self.inducing = Some(Inducing { z, jitter, mean_variance: None });
        self.built = Built::default();
        Ok(self)
    }

    /// As [`with_inducing_points`](Self::with_inducing_points), with a jitter of `factor` times the
    /// mean of k(z, z): gradients know that it moves with the kernel.
    ///
    /// # Errors
    /// As [`with_inducing_points`](Self::with_inducing_points).
    pub fn with_relative_jitter(
        self,
        z: &'a ArrayRef2<f64>,
        factor: f64,
    ) -> Result<Self, BoundError> {
        check::length("inducing_points", z.ncols(), self.x.ncols())?;
        let mean_variance = self.kernel.diag(z).sum() / z.nrows().max(1) as f64;
        let mut problem = self.with_inducing_points(z, factor * mean_variance)?;
        if let Some(inducing) = &mut problem.inducing {
            inducing.mean_variance = Some(mean_variance);
        }
        Ok(problem)
    }

    /// Takes the Nyström system as given: one [taken](Self::into_nystrom) from a problem with this
    /// very kernel, noise, inputs and inducing points, which is the caller's promise.
    ///
    /// # Errors
    /// [`BoundError::ShapeMismatch`] for a system over other numbers of rows or points.
    pub fn with_nystrom(mut self, system: NystromSystem) -> Result<Self, BoundError> {
        let m = self.inducing.map_or(0, |inducing| inducing.z.nrows());
        check::length("system", system.n(), self.n())?;
        check::length("inducing points of `system`", system.m(), m)?;
        self.built = Built::with_nystrom(system);
        Ok(self)
    }

    /// The Nyström system, if it has been built, for another problem with the same parts.
    #[must_use]
    pub fn into_nystrom(self) -> Option<NystromSystem> {
        self.built.into_nystrom()
    }

    /// The jitter used as a multiple of the mean of k(z, z), where it moves with that; else 0.
    pub(crate) fn relative_jitter(&self, system: &NystromSystem) -> f64 {
        match self.inducing.and_then(|inducing| inducing.mean_variance) {
            Some(mean_variance) if mean_variance > 0.0 => system.jitter() / mean_variance,
            _ => 0.0,
        }
    }

    /// Conditions each point on its `k` nearest predecessors in a maximin ordering.
    ///
    /// Order and distances are those of `kernel.embed(x)`; `k >= N − 1` makes the surrogate exact.
    #[must_use]
    pub fn with_neighbours(self, k: usize) -> Self {
        let k = k.min(self.n());
        self.with_neighbourhood(Neighbourhood::Nearest(k))
    }

    /// Conditions blocks of at most `block` neighbouring points on the `k` nearest points of earlier
    /// blocks: fewer and larger factorisations than [`with_neighbours`](Self::with_neighbours).
    #[must_use]
    pub fn with_neighbour_blocks(self, block: usize, k: usize) -> Self {
        let k = k.min(self.n());
        self.with_neighbourhood(Neighbourhood::NearestBlocks { block, k })
    }

    /// Takes ordering and parents as given: `parents[i]` conditions row `i`, by row number.
    ///
    /// # Errors
    /// When `order` is no permutation of the rows or a parent does not precede its child.
    pub fn with_vecchia_structure(
        self,
        order: Vec<usize>,
        parents: Vec<Vec<usize>>,
    ) -> Result<Self, BoundError> {
        self.with_shared_structure(Arc::new(VecchiaStructure::new(order, parents)?))
    }

    /// As [`with_vecchia_structure`](Self::with_vecchia_structure), without copying: a training run
    /// keeps one structure for many hyperparameters.
    ///
    /// # Errors
    /// When the structure is over another number of rows.
    pub fn with_shared_structure(
        self,
        structure: Arc<VecchiaStructure>,
    ) -> Result<Self, BoundError> {
        check::length("order", structure.n(), self.n())?;
        Ok(self.with_neighbourhood(Neighbourhood::Given(structure)))
    }

    /// Takes the structure over the residual R = K − VᵀV as given, where it is not to be that over K
    /// or found anew: of [`SurrogateKind::Vif`].
    ///
    /// # Errors
    /// When the structure is over another number of rows.
    pub fn with_residual_structure(
        mut self,
        structure: Arc<VecchiaStructure>,
    ) -> Result<Self, BoundError> {
        check::length("order", structure.n(), self.n())?;
        self.residual = Some(structure);
        self.built = Built::default();
        Ok(self)
    }

    /// Splits the rows into blocks of at most `size` neighbours in `kernel.embed(x)`.
    ///
    /// # Errors
    /// When `size` is 0.
    pub fn with_blocks(mut self, size: usize) -> Result<Self, BoundError> {
        if size == 0 {
            return Err(BoundError::EmptyBlock);
        }
        self.blocks = Some(Blocks::Size(size));
        self.built = Built::default();
        Ok(self)
    }

    /// Takes blocks as given, a structure without parents: see [`VecchiaStructure::blocks`].
    ///
    /// # Errors
    /// When the blocks are over another number of rows, or have parents.
    pub fn with_shared_blocks(mut self, blocks: Arc<VecchiaStructure>) -> Result<Self, BoundError> {
        check::length("blocks", blocks.n(), self.n())?;
        if !blocks.is_block_diagonal() {
            return Err(BoundError::BlocksWithParents);
        }
        self.blocks = Some(Blocks::Given(blocks));
        self.built = Built::default();
        Ok(self)
    }

    fn with_neighbourhood(mut self, neighbourhood: Neighbourhood) -> Self {
        self.neighbourhood = neighbourhood;
        self.built = Built::default();
        self
    }

    /// Number of data rows N.
    #[must_use]
    pub fn n(&self) -> usize {
        self.x.nrows()
    }

    /// The kernel.
    #[must_use]
    pub fn kernel(&self) -> &'a dyn Kernel {
        self.kernel
    }

    /// The inputs, `[N, D]`.
    #[must_use]
    pub fn x(&self) -> &'a ArrayRef2<f64> {
        self.x
    }

    /// The likelihood's noise variance, without the kernel's white part.
    #[must_use]
    pub fn noise_variance(&self) -> f64 {
        self.noise_variance
    }

    /// σ² = noise variance + white variance: what stands on the diagonal of K beside k(X, X).
    #[must_use]
    pub fn sigma2(&self) -> f64 {
        self.noise_variance + self.kernel.white_variance()
    }

    /// The largest k(x_i, x_i), the variance in the rounding terms.
    #[must_use]
    pub fn largest_variance(&self) -> f64 {
        self.largest_variance
    }

    /// The inducing points, `[M, D]`, if there are any.
    #[must_use]
    pub fn inducing_points(&self) -> Option<&'a ArrayRef2<f64>> {
        self.inducing.map(|inducing| inducing.z)
    }

    /// K = k(X, X) + σ²I as a matrix-free operator.
    #[must_use]
    pub fn operator(&self) -> KernelOperator<'a> {
        KernelOperator::new(self.kernel, self.x, self.sigma2())
    }

    /// Blocks of K, or of R = K − VᵀV with `explained` = Vᵀ.
    pub(crate) fn entries<'e>(&'e self, explained: Option<&'e Array2<f64>>) -> Entries<'e> {
        Entries { kernel: self.kernel, x: self.x, sigma2: self.sigma2(), explained }
    }

    /// The Nyström system, built when first asked. Cost: O(N M²), memory O(N M).
    ///
    /// # Errors
    /// [`BoundError::NeedsInducingPoints`] without Z; a failed factorisation.
    pub fn nystrom(&self) -> Result<&NystromSystem, BoundError> {
        Ok(self.shared_nystrom()?)
    }

    fn shared_nystrom(&self) -> Result<&Arc<NystromSystem>, BoundError> {
        let Some(Inducing { z, jitter, .. }) = self.inducing else {
            return Err(BoundError::NeedsInducingPoints);
        };
        self.built.nystrom(|| NystromSystem::new(self.kernel, self.x, z, self.sigma2(), jitter))
    }

    /// A surrogate of K, built when first asked.
    ///
    /// Cost: for Vecchia that of ordering and neighbours and O(N k³); with inducing points O(N M²)
    /// beside the Nyström system, and for VIF O(N k² (k + M)).
    ///
    /// # Errors
    /// When the problem lacks inducing points, neighbours or blocks that it is made of.
    pub fn surrogate(&self, kind: SurrogateKind) -> Result<&Surrogate, BoundError> {
        self.built.surrogate(kind, || self.build(kind))
    }

    /// The ordering, neighbours or blocks of a surrogate of K, found without its factors: what a
    /// training run holds fixed, by [`with_shared_structure`](Self::with_shared_structure),
    /// [`with_residual_structure`](Self::with_residual_structure) and
    /// [`with_shared_blocks`](Self::with_shared_blocks).
    ///
    /// # Errors
    /// As [`surrogate`](Self::surrogate).
    pub fn structure_of(&self, kind: SurrogateKind) -> Result<Arc<VecchiaStructure>, BoundError> {
        self.find_structure(kind)
    }

    /// The factors of the Vecchia surrogate of K.
    ///
    /// # Errors
    /// [`BoundError::NeedsNeighbours`] when the problem has no neighbourhood.
    pub fn vecchia(&self) -> Result<&VecchiaFactors, BoundError> {
        Ok(self.surrogate(SurrogateKind::Vecchia)?.sparse())
    }

    /// tr(C⁻¹K) − N exactly, computed when first asked. Cost: O(N² (M + D)).
    ///
    /// # Errors
    /// As [`surrogate`](Self::surrogate).
    pub fn exact_trace(&self, kind: SurrogateKind) -> Result<f64, BoundError> {
        self.built.exact_trace(kind, || Ok(self.surrogate(kind)?.exact_trace(self)))
    }

    /// The moments of C⁻¹K, computed when first asked. Cost: O(N² (M + k + D)).
    ///
    /// # Errors
    /// As [`surrogate`](Self::surrogate); a failed eigenvalue iteration.
    pub fn moments(&self, kind: SurrogateKind) -> Result<Moments, BoundError> {
        self.built.moments(kind, || self.surrogate(kind)?.moments(self))
    }
}

fn check_sigma2(noise_variance: f64, white_variance: f64) -> Result<(), BoundError> {
    let value = noise_variance + white_variance;
    if noise_variance >= 0.0 && value.is_finite() && value > 0.0 {
        return Ok(());
    }
    Err(BoundError::InvalidNoiseVariance { value })
}
