//! Which hyperparameters training moves, within what limits, and under what priors.

use crate::GpError;
use crate::hyperparameters::{HyperGradient, Hyperparameters};
use crate::objective::Evaluation;
use crate::prior::Prior;
use crate::transform::Transform;

/// Where the growth of a parameter turns from exponential to linear, as a multiple of the template's
/// value: far enough out not to slow training down, near enough to keep numbers in range.
const KNEE: f64 = 100.0;

/// The smallest values training can reach, excluded; those given by hand may be smaller only when
/// they are held fixed.
///
/// | option | default |
/// | --- | --- |
/// | `kernel` | 1e-6 |
/// | `noise_variance` | 1e-6 |
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Floors {
    /// For every kernel parameter.
    pub kernel: f64,
    /// For the noise variance.
    pub noise_variance: f64,
}

impl Default for Floors {
    fn default() -> Self {
        Self { kernel: 1e-6, noise_variance: 1e-6 }
    }
}

/// The unconstrained space training moves in: one variable per free hyperparameter.
///
/// ```
/// use gp_core::{Floors, Hyperparameters, ParameterSpace};
/// use kernels::{Matern32, Mean};
///
/// let kernel = Box::new(Matern32::new(vec![0.5, 3.0], 1.0)?);
/// let hyper = Hyperparameters { kernel, noise_variance: 0.1, mean: Mean::Zero };
/// let mut space = ParameterSpace::new(&hyper, Floors::default());
/// space.fix("kernel.lengthscales")?;
///
/// let mut u = space.pack(&hyper)?;
/// assert_eq!(u.len(), 2);
/// u[1] = -100.0;
/// let moved = space.unpack(&u)?;
/// assert_eq!(moved.noise_variance, 1e-6);
/// assert_eq!(space.at_floor(&moved), ["noise_variance = 1.000e-6 (floor 1e-6)"]);
/// # Ok::<(), gp_core::GpError>(())
/// ```
#[derive(Debug, Clone)]
pub struct ParameterSpace {
    template: Hyperparameters,
    entries: Vec<Entry>,
}

#[derive(Debug, Clone)]
struct Entry {
    name: String,
    transform: Transform,
    /// Whether the gradient handed in is with respect to log θ.
    log_gradient: bool,
    fixed: Option<f64>,
    prior: Option<Prior>,
}

impl ParameterSpace {
    /// All of `template`'s parameters free above `floors`, without priors. Its values set the scale
    /// of each variable.
    #[must_use]
    pub fn new(template: &Hyperparameters, floors: Floors) -> Self {
        let entries = template.named_values().into_iter().map(|(name, value)| {
            let floor = match name.as_str() {
                "noise_variance" => Some(floors.noise_variance),
                other if other.starts_with("kernel.") => Some(floors.kernel),
                _ => None,
            };
            let positive = |floor| Transform::Positive { floor, knee: KNEE * value.max(floor) };
            let transform = floor.map_or(Transform::Real, positive);
            Entry { name, transform, log_gradient: floor.is_some(), fixed: None, prior: None }
        });
        Self { entries: entries.collect(), template: template.clone() }
    }

    /// Holds the parameter called `name` at the template's value; a prefix such as
    /// `kernel.lengthscales` holds all it covers.
    ///
    /// # Errors
    /// [`GpError::UnknownParameter`].
    pub fn fix(&mut self, name: &str) -> Result<(), GpError> {
        let values = self.template.named_values();
        for index in self.matching(name)? {
            self.entries[index].fixed = Some(values[index].1);
        }
        Ok(())
    }

    /// Puts a prior on the parameter called `name` (or on all that a prefix covers).
    ///
    /// # Errors
    /// [`GpError::UnknownParameter`]; [`GpError::BadPrior`] for a prior that is no density, or one
    /// of positive numbers on a parameter of any sign.
    pub fn set_prior(&mut self, name: &str, prior: Prior) -> Result<(), GpError> {
        let refuse = |reason| Err(GpError::BadPrior { name: name.to_owned(), reason });
        let matching = self.matching(name)?;
        if !prior.is_valid() {
            return refuse("its numbers must be finite, deviations, shapes and rates above 0");
        }
        let real = |&index: &usize| self.entries[index].transform == Transform::Real;
        if prior.is_positive() && matching.iter().any(real) {
            return refuse("the parameter may be negative: give a normal prior");
        }
        for index in matching {
            self.entries[index].prior = Some(prior);
        }
        Ok(())
    }

    fn matching(&self, name: &str) -> Result<Vec<usize>, GpError> {
        let covers = |entry: &Entry| {
            entry
                .name
                .strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        let found: Vec<usize> =
            (0..self.entries.len()).filter(|&i| covers(&self.entries[i])).collect();
        if found.is_empty() {
            let names: Vec<&str> = self.entries.iter().map(|e| e.name.as_str()).collect();
            return Err(GpError::UnknownParameter {
                name: name.to_owned(),
                known: names.join(", "),
            });
        }
        Ok(found)
    }

    /// Number of free parameters: the length of `u`.
    #[must_use]
    pub fn len(&self) -> usize {
        self.free().count()
    }

    /// Whether nothing is free.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn free(&self) -> impl Iterator<Item = (usize, &Entry)> {
        self.entries.iter().enumerate().filter(|(_, entry)| entry.fixed.is_none())
    }

    /// The unconstrained point of `hyper`.
    ///
    /// # Errors
    /// [`GpError::BadParameter`] for a free parameter at or below its floor: it is refused by
    /// name, not moved silently.
    pub fn pack(&self, hyper: &Hyperparameters) -> Result<Vec<f64>, GpError> {
        let values = hyper.named_values();
        self.free().map(|(index, entry)| entry.inverse(values[index].1)).collect()
    }

    /// The hyperparameters at `u`.
    ///
    /// # Errors
    /// As [`Hyperparameters::with_values`].
    pub fn unpack(&self, u: &[f64]) -> Result<Hyperparameters, GpError> {
        let mut free = u.iter();
        let value = |entry: &Entry| match entry.fixed {
            Some(value) => value,
            None => free.next().map_or(f64::NAN, |&u| entry.transform.forward(u)),
        };
        let values: Vec<f64> = self.entries.iter().map(value).collect();
        self.template.with_values(&values)
    }

    /// Turns a value and gradient in the hyperparameters into those in `u`, priors added.
    #[must_use]
    pub fn evaluation(&self, u: &[f64], value: f64, gradient: &HyperGradient) -> Evaluation {
        let mut flat = gradient.log_kernel.clone();
        flat.push(gradient.log_noise_variance);
        flat.extend(&gradient.mean);
        let mut total = value;
        let chain = |((index, entry), &u): ((usize, &Entry), &f64)| {
            let theta = entry.transform.forward(u);
            let mut slope = if entry.log_gradient { flat[index] / theta } else { flat[index] };
            if let Some(prior) = entry.prior {
                let (log_density, derivative) = prior.log_density(theta);
                total += log_density;
                slope += derivative;
            }
            slope * entry.transform.derivative(u)
        };
        let gradient = self.free().zip(u).map(chain).collect();
        Evaluation { value: total, gradient }
    }

    /// Free parameters that ended within 1 % of their floor, as "name = value (floor …)".
    #[must_use]
    pub fn at_floor(&self, hyper: &Hyperparameters) -> Vec<String> {
        let values = hyper.named_values();
        let sits = |(index, entry): (usize, &Entry)| match entry.transform {
            Transform::Positive { floor, .. } if values[index].1 <= 1.01 * floor => {
                Some(format!("{} = {:.3e} (floor {floor:.0e})", entry.name, values[index].1))
            }
            _ => None,
        };
        self.free().filter_map(sits).collect()
    }
}

impl Entry {
    fn inverse(&self, theta: f64) -> Result<f64, GpError> {
        let u = self.transform.inverse(theta);
        if u.is_finite() {
            return Ok(u);
        }
        let least = match self.transform {
            Transform::Positive { floor, .. } => floor,
            Transform::Real => f64::NEG_INFINITY,
        };
        let hint = match self.name.as_str() {
            "noise_variance" => {
                ", the noise floor of training (lower the floor, or hold this parameter fixed)"
            }
            _ => ", the floor of training (hold this parameter fixed to keep it smaller)",
        };
        Err(GpError::BadParameter { name: self.name.clone(), value: theta, least, hint })
    }
}
