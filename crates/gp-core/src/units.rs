//! Hyperparameters from one scale of the data to another.

use kernels::{KernelSpec, StationarySpec};

use crate::GpError;
use crate::params::{MeanSpec, Params, Units};
use crate::scaling::Standardiser;

/// How data are standardised: what converts hyperparameters between the two scales.
///
/// With x̃ = (x − a)/s and ỹ = (y − b)/t,
///
/// ```text
/// ℓ = s ℓ̃,   variance = t² variance~,   σ² = t² σ̃²,   constant mean = b + t c̃
/// linear mean: w = t w̃ / s,   intercept = b + t (c̃ − Σ_d w̃_d a_d/s_d)
/// ```
///
/// ```
/// use gp_core::{Params, Scales, Standardiser, Units};
/// use ndarray::array;
///
/// let x = Standardiser::fit(&array![[0.0], [20.0]], "x")?;
/// let y = Standardiser::fit(&array![[99.0], [101.0]], "y")?;
/// let params: Params = serde_json::from_str(
///     r#"{"kernel": {"type": "se", "lengthscales": [0.5], "variance": 1.0}, "noise_variance": 0.2}"#,
/// )?;
/// let original = Scales { x: &x, y: &y }.convert(&params, Units::Original)?;
/// let values = original.build(1)?.named_values();
/// assert_eq!(values[0], ("kernel.lengthscales[0]".to_owned(), 5.0));
/// assert_eq!(values[3], ("mean".to_owned(), 100.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Scales<'a> {
    /// Of the inputs.
    pub x: &'a Standardiser,
    /// Of one target.
    pub y: &'a Standardiser,
}

/// A conversion: what each input column, each variance is multiplied by.
struct Factors {
    x: Vec<f64>,
    y_squared: f64,
    to: Units,
}

impl Scales<'_> {
    /// `params` in `units`.
    ///
    /// # Errors
    /// [`GpError::Units`] for what has no counterpart in the other scale: several targets with
    /// different scales, linear kernels on shifted inputs, one period over columns that are scaled
    /// differently; and as [`Params::build`] for parameters that do not fit the columns.
    pub fn convert(&self, params: &Params, units: Units) -> Result<Params, GpError> {
        // What does not fit is refused here, before a conversion could stretch or cut it to fit.
        params.build(self.x.n_columns())?;
        if params.units == units {
            return Ok(params.clone());
        }
        let t = self.target_scale(units)?;
        let factors = match units {
            Units::Original => Factors { x: self.x.scale().to_vec(), y_squared: t * t, to: units },
            Units::Standardised => {
                let x = self.x.scale().iter().map(|s| s.recip()).collect();
                Factors { x, y_squared: (t * t).recip(), to: units }
            }
        };
        if uses_linear(&params.kernel) && self.x.mean().iter().any(|&a| a.abs() > 0.0) {
            let reason = "a linear kernel goes through the origin, which standardising moves; fit with --no-scale to use original units";
            return Err(factors.refuse(reason));
        }
        Ok(Params {
            kernel: factors.kernel(&params.kernel, factors.y_squared)?,
            noise_variance: params.noise_variance * factors.y_squared,
            mean: self.mean(&params.mean, units, t),
            units,
        })
    }

    /// t, when all targets share it.
    fn target_scale(&self, units: Units) -> Result<f64, GpError> {
        let same = |values: &[f64]| values.windows(2).all(|w| w[0].total_cmp(&w[1]).is_eq());
        if same(self.y.scale()) && same(self.y.mean()) {
            return Ok(self.y.scale().first().copied().unwrap_or(1.0));
        }
        let reason = "the targets have different scales and share their hyperparameters; use standardised units".to_owned();
        Err(GpError::Units { units: units.name(), reason })
    }

    fn mean(&self, mean: &MeanSpec, to: Units, t: f64) -> MeanSpec {
        let b = self.y.mean().first().copied().unwrap_or(0.0);
        let columns = || self.x.mean().iter().zip(self.x.scale());
        match (mean, to) {
            // A zero mean of the standardised targets is the targets' average in their own units,
            // and the other way round.
            (MeanSpec::Zero, Units::Original) if b.abs() > 0.0 => MeanSpec::Constant(b),
            (MeanSpec::Zero, Units::Standardised) if b.abs() > 0.0 => MeanSpec::Constant(-b / t),
            (MeanSpec::Zero, _) => MeanSpec::Zero,
            (MeanSpec::Constant(c), Units::Original) => MeanSpec::Constant(b + t * c),
            (MeanSpec::Constant(c), Units::Standardised) => MeanSpec::Constant((c - b) / t),
            (MeanSpec::Linear { weights, intercept }, Units::Original) => {
                let shift: f64 = weights.iter().zip(columns()).map(|(w, (a, s))| w * a / s).sum();
                MeanSpec::Linear {
                    weights: weights.iter().zip(columns()).map(|(w, (_, s))| t * w / s).collect(),
                    intercept: b + t * (intercept - shift),
                }
            }
            (MeanSpec::Linear { weights, intercept }, Units::Standardised) => {
                let shift: f64 = weights.iter().zip(columns()).map(|(w, (a, _))| w * a).sum();
                MeanSpec::Linear {
                    weights: weights.iter().zip(columns()).map(|(w, (_, s))| w * s / t).collect(),
                    intercept: (intercept + shift - b) / t,
                }
            }
        }
    }
}

fn uses_linear(kernel: &KernelSpec) -> bool {
    match kernel {
        KernelSpec::Linear { .. } => true,
        KernelSpec::Sum { terms } | KernelSpec::Product { terms } => terms.iter().any(uses_linear),
        _ => false,
    }
}

impl Factors {
    fn refuse(&self, reason: &str) -> GpError {
        GpError::Units { units: self.to.name(), reason: reason.to_owned() }
    }

    /// `kernel` with its variance times `gain`.
    fn kernel(&self, kernel: &KernelSpec, gain: f64) -> Result<KernelSpec, GpError> {
        Ok(match kernel {
            KernelSpec::SquaredExponential(spec) => {
                KernelSpec::SquaredExponential(self.stationary(spec, gain))
            }
            KernelSpec::Matern12(spec) => KernelSpec::Matern12(self.stationary(spec, gain)),
            KernelSpec::Matern32(spec) => KernelSpec::Matern32(self.stationary(spec, gain)),
            KernelSpec::Matern52(spec) => KernelSpec::Matern52(self.stationary(spec, gain)),
            KernelSpec::RationalQuadratic { lengthscales, variance, alpha, active_dims } => {
                KernelSpec::RationalQuadratic {
                    lengthscales: self.lengthscales(lengthscales, active_dims),
                    variance: variance * gain,
                    alpha: *alpha,
                    active_dims: active_dims.clone(),
                }
            }
            KernelSpec::Periodic { lengthscales, variance, period, active_dims } => {
                KernelSpec::Periodic {
                    lengthscales: lengthscales.clone(),
                    variance: variance * gain,
                    period: period * self.common(active_dims)?,
                    active_dims: active_dims.clone(),
                }
            }
            KernelSpec::Linear { variances, active_dims } => {
                let columns = self.columns(active_dims);
                let scaled = spread(variances, columns.len()).zip(&columns);
                KernelSpec::Linear {
                    variances: scaled.map(|(v, s)| v * gain / (s * s)).collect(),
                    active_dims: active_dims.clone(),
                }
            }
            KernelSpec::Constant { variance } => KernelSpec::Constant { variance: variance * gain },
            KernelSpec::White { variance } => KernelSpec::White { variance: variance * gain },
            KernelSpec::Sum { terms } => {
                let terms = terms.iter().map(|term| self.kernel(term, gain));
                KernelSpec::Sum { terms: terms.collect::<Result<_, _>>()? }
            }
            KernelSpec::Product { terms } => {
                // The gain of a product is that of one of its factors.
                let gains = std::iter::once(gain).chain(std::iter::repeat(1.0));
                let terms = terms.iter().zip(gains).map(|(term, gain)| self.kernel(term, gain));
                KernelSpec::Product { terms: terms.collect::<Result<_, _>>()? }
            }
        })
    }

    fn stationary(&self, spec: &StationarySpec, gain: f64) -> StationarySpec {
        StationarySpec {
            lengthscales: self.lengthscales(&spec.lengthscales, &spec.active_dims),
            variance: spec.variance * gain,
            active_dims: spec.active_dims.clone(),
        }
    }

    fn columns(&self, active_dims: &Option<Vec<usize>>) -> Vec<f64> {
        match active_dims {
            Some(dims) => dims.iter().filter_map(|&dim| self.x.get(dim).copied()).collect(),
            None => self.x.clone(),
        }
    }

    /// One shared lengthscale stays shared where all columns scale alike, and otherwise becomes
    /// one for each.
    fn lengthscales(&self, lengthscales: &[f64], active_dims: &Option<Vec<usize>>) -> Vec<f64> {
        let columns = self.columns(active_dims);
        match (lengthscales, self.common(active_dims)) {
            ([shared], Ok(scale)) => vec![shared * scale],
            _ => spread(lengthscales, columns.len()).zip(&columns).map(|(l, s)| l * s).collect(),
        }
    }

    /// The scale of all these columns, if there is only one.
    fn common(&self, active_dims: &Option<Vec<usize>>) -> Result<f64, GpError> {
        let columns = self.columns(active_dims);
        match columns.split_first() {
            Some((first, rest)) if rest.iter().all(|s| s.total_cmp(first).is_eq()) => Ok(*first),
            Some(_) => Err(self.refuse("a periodic kernel has one period for columns that are scaled differently; give it one column each")),
            None => Ok(1.0),
        }
    }
}

/// One value for all of `d` columns, or one for each.
fn spread(values: &[f64], d: usize) -> impl Iterator<Item = f64> {
    let shared = values.len() == 1;
    (0..d).map(move |i| values[if shared { 0 } else { i.min(values.len() - 1) }])
}
