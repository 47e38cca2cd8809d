//! Random features: functions whose products have the kernel as their mean.

use std::f64::consts::TAU;

use linalg_cg::Shards;
use ndarray::{Array2, ArrayRef1, ArrayRef2, Axis, s};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Gamma, Poisson, StandardNormal};

use crate::{KernelError, KernelSpec, Spectrum, StationarySpec};

/// Rows of features formed together.
const ROWS: usize = 256;

/// An angular frequency of a stationary leaf, one entry for each of its `d` columns.
///
/// ```text
/// k(x, x′) = s² E cos(ωᵀ(x − x′))
/// se: ω = g/ℓ     matern ν: ω = g √(2ν/χ²_{2ν})/ℓ     rq: ω = g √τ/ℓ, τ ~ Gamma(α, rate α)
/// ```
///
/// g is standard normal, and one χ² or τ serves all columns; the normals are drawn first. Source:
/// Rahimi & Recht (2007); Rasmussen & Williams (2006), eqs. 4.15 and 4.20.
fn frequency(
    kernel: &KernelSpec,
    lengthscales: &[f64],
    d: usize,
    rng: &mut (impl Rng + ?Sized),
) -> Vec<f64> {
    let normals: Vec<f64> = (0..d).map(|_| StandardNormal.sample(rng)).collect();
    let stretch = match kernel {
        KernelSpec::Matern12(_) => stretch(Spectrum::Matern12, rng),
        KernelSpec::Matern32(_) => stretch(Spectrum::Matern32, rng),
        KernelSpec::Matern52(_) => stretch(Spectrum::Matern52, rng),
        KernelSpec::RationalQuadratic { alpha, .. } => gamma_root(*alpha, rng),
        _ => 1.0,
    };
    let shared = lengthscales.len() == 1;
    let scaled = |(i, g): (usize, f64)| g * stretch / lengthscales[if shared { 0 } else { i }];
    normals.into_iter().enumerate().map(scaled).collect()
}

/// What turns a normal into a frequency of the law, by a χ² draw made of squared normals.
fn stretch(law: Spectrum, rng: &mut (impl Rng + ?Sized)) -> f64 {
    let square = |_| StandardNormal.sample(rng);
    let freedom = law.degrees_of_freedom().unwrap_or(0);
    let sum: f64 = (0..freedom).map(square).map(|g: f64| g * g).sum();
    law.stretch(sum.max(f64::MIN_POSITIVE))
}

/// √τ, τ ~ Gamma(α, rate α). Where α is beyond the sampler τ is 1, its limit.
fn gamma_root(alpha: f64, rng: &mut (impl Rng + ?Sized)) -> f64 {
    Gamma::new(alpha, alpha.recip()).map_or(1.0, |law| law.sample(rng)).sqrt()
}

/// A random function φ with E φ(x)φ(x′) = k(x, x′).
#[derive(Debug, Clone, PartialEq)]
enum Feature {
    /// amplitude · cos(Σ ω_d x_d + phase).
    Wave { omega: Vec<(usize, f64)>, phase: f64, amplitude: f64 },
    /// Σ slope_d x_d.
    Plane(Vec<(usize, f64)>),
    /// The same everywhere.
    Level(f64),
    /// Σ ± φ_t, the signs independent: cross terms vanish in the mean.
    Sum(Vec<(f64, Feature)>),
    /// Π φ_t of independent factors.
    Product(Vec<Feature>),
}

impl Feature {
    fn draw(spec: &KernelSpec, d: usize, rng: &mut ChaCha8Rng) -> Self {
        match spec {
            KernelSpec::SquaredExponential(leaf)
            | KernelSpec::Matern12(leaf)
            | KernelSpec::Matern32(leaf)
            | KernelSpec::Matern52(leaf) => wave(spec, leaf, d, rng),
            KernelSpec::RationalQuadratic { lengthscales, variance, active_dims, .. } => {
                let leaf = StationarySpec {
                    lengthscales: lengthscales.clone(),
                    variance: *variance,
                    active_dims: active_dims.clone(),
                };
                wave(spec, &leaf, d, rng)
            }
            KernelSpec::Periodic { lengthscales, variance, period, active_dims } => {
                let dims = columns(active_dims, d);
                let harmonic = |(i, &dim): (usize, &usize)| {
                    let lengthscale = lengthscales[if lengthscales.len() == 1 { 0 } else { i }];
                    (dim, TAU / period * skellam(lengthscale.powi(-2), rng))
                };
                let omega = dims.iter().enumerate().map(harmonic).collect();
                with_phase(omega, *variance, rng)
            }
            KernelSpec::Linear { variances, active_dims } => {
                let slope = |(i, &dim): (usize, &usize)| {
                    let variance = variances[if variances.len() == 1 { 0 } else { i }];
                    (dim, variance.sqrt() * sign(rng))
                };
                Self::Plane(columns(active_dims, d).iter().enumerate().map(slope).collect())
            }
            KernelSpec::Constant { variance } => Self::Level(variance.sqrt()),
            // White noise stands on the training diagonal only.
            KernelSpec::White { .. } => Self::Level(0.0),
            KernelSpec::Sum { terms } => {
                let term = |term| (sign(rng), Self::draw(term, d, rng));
                Self::Sum(terms.iter().map(term).collect())
            }
            KernelSpec::Product { terms } => {
                Self::Product(terms.iter().map(|term| Self::draw(term, d, rng)).collect())
            }
        }
    }

    fn value(&self, x: &ArrayRef1<f64>) -> f64 {
        let inner = |terms: &[(usize, f64)]| terms.iter().map(|&(d, w)| w * x[d]).sum::<f64>();
        match self {
            Self::Wave { omega, phase, amplitude } => amplitude * (inner(omega) + phase).cos(),
            Self::Plane(slopes) => inner(slopes),
            Self::Level(level) => *level,
            Self::Sum(terms) => terms.iter().map(|(sign, term)| sign * term.value(x)).sum(),
            Self::Product(terms) => terms.iter().map(|term| term.value(x)).product(),
        }
    }
}

fn wave(spec: &KernelSpec, leaf: &StationarySpec, d: usize, rng: &mut ChaCha8Rng) -> Feature {
    let dims = columns(&leaf.active_dims, d);
    let omega = frequency(spec, &leaf.lengthscales, dims.len(), rng);
    with_phase(dims.into_iter().zip(omega).collect(), leaf.variance, rng)
}

fn with_phase(omega: Vec<(usize, f64)>, variance: f64, rng: &mut ChaCha8Rng) -> Feature {
    let phase = TAU * rng.random::<f64>();
    Feature::Wave { omega, phase, amplitude: (2.0 * variance).sqrt() }
}

fn columns(active: &Option<Vec<usize>>, d: usize) -> Vec<usize> {
    active.clone().unwrap_or_else(|| (0..d).collect())
}

fn sign(rng: &mut ChaCha8Rng) -> f64 {
    if rng.random::<bool>() { 1.0 } else { -1.0 }
}

/// A harmonic of the periodic kernel: exp(a(cos t − 1)) = Σ_h e^(−a) I_h(a) cos(h t), whose weights
/// are the law of the difference of two Poisson numbers of mean a/2. Where a is beyond the sampler
/// the difference is a normal number, its limit.
fn skellam(a: f64, rng: &mut ChaCha8Rng) -> f64 {
    match Poisson::new(0.5 * a) {
        Ok(law) => law.sample(rng) - law.sample(rng),
        Err(_) if a > 1.0 => {
            a.sqrt() * <StandardNormal as Distribution<f64>>::sample(&StandardNormal, rng)
        }
        Err(_) => 0.0,
    }
}

/// F random functions that make up draws of a Gaussian process.
///
/// ```text
/// f(x) = F^(−1/2) Σ_i a_i φ_i(x),   a ~ N(0, I),   E φ_i(x)φ_i(x′) = k(x, x′)
/// ```
///
/// For any F the covariance of f is k in the mean over φ and a; its law tends to the Gaussian
/// process as F grows. A stationary leaf is a wave of a random frequency, the periodic kernel
/// a wave of a random harmonic, the linear a plane; sums and products are made of these. Each
/// feature has a stream of random numbers of its own: as hyperparameters move, so do the features,
/// continuously but where a rejection sampler (`rq`, `periodic`) turns over.
///
/// Source: Rahimi & Recht (2007); Wilson et al. (2020), "Efficiently sampling functions from
/// Gaussian process posteriors", section 2.3.
///
/// ```
/// use kernels::{Kernel, RandomFeatures, SquaredExponential};
/// use ndarray::array;
///
/// let kernel = SquaredExponential::new(vec![0.5], 2.0)?;
/// let features = RandomFeatures::draw(&kernel, 1, 20_000, 7)?;
/// let phi = features.matrix(&array![[0.0], [0.4]]);
/// let covariance = phi.row(0).dot(&phi.row(1)) / 20_000.0;
/// assert!((covariance - kernel.eval(&array![0.0], &array![0.4])).abs() < 0.05);
/// # Ok::<(), kernels::KernelError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct RandomFeatures {
    features: Vec<Feature>,
}

impl RandomFeatures {
    /// `count` features for inputs of `d` columns, drawn by `seed`.
    ///
    /// # Errors
    /// [`KernelError::Columns`], [`KernelError::ActiveDim`].
    pub fn draw(
        kernel: &dyn crate::Kernel,
        d: usize,
        count: usize,
        seed: u64,
    ) -> Result<Self, KernelError> {
        kernel.check_columns(d)?;
        let spec = kernel.spec();
        let feature = |stream| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(stream);
            Feature::draw(&spec, d, &mut rng)
        };
        Ok(Self { features: (0..count as u64).map(feature).collect() })
    }

    /// F.
    #[must_use]
    pub fn len(&self) -> usize {
        self.features.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.features.is_empty()
    }

    /// φ_i(x) `[N, F]` for `x [N, D]`.
    #[must_use]
    pub fn matrix(&self, x: &ArrayRef2<f64>) -> Array2<f64> {
        Array2::from_shape_fn((x.nrows(), self.len()), |(row, i)| {
            self.features[i].value(&x.row(row))
        })
    }

    /// F^(−1/2) Φ(x) A `[N, C]` for `x [N, D]`, `weights [F, C]`: C draws, in bounded memory and with
    /// the same bits for any number of threads.
    ///
    /// # Panics
    /// When `weights` has another number of rows than there are features.
    #[must_use]
    pub fn combine(&self, x: &ArrayRef2<f64>, weights: &ArrayRef2<f64>) -> Array2<f64> {
        assert!(weights.nrows() == self.len(), "{} weights", weights.nrows());
        let scale = (self.len().max(1) as f64).sqrt().recip();
        let parts = Shards::of_length(x.nrows(), ROWS).map(|rows| {
            let phi = self.matrix(&x.slice(s![rows, ..]));
            linalg_cg::matmul(&phi, weights) * scale
        });
        let mut draws = Array2::zeros((x.nrows(), weights.ncols()));
        for (mut target, part) in draws.axis_chunks_iter_mut(Axis(0), ROWS).zip(parts) {
            target.assign(&part);
        }
        draws
    }
}
