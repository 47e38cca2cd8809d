//! The certified bracket around the log marginal likelihood.

use crate::evaluation::{Evaluation, Quantity};
use crate::{BoundError, Problem, Side, logdet, quad};
use ndarray::ArrayRef2;
use std::f64::consts::PI;

/// The two bounds that make one end of a bracket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Winners {
    /// Name of the quadratic bound.
    pub quad: &'static str,
    /// Name of the log-determinant bound.
    pub logdet: &'static str,
}

/// The width of a bracket by its two terms, nats.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slack {
    /// ½ (U_q − L_q), widened.
    pub quad: f64,
    /// ½ P (upper − lower log-determinant), widened.
    pub logdet: f64,
}

/// lower ≤ LML ≤ upper, nats, summed over target columns.
///
/// ```text
/// lower = −½ U_q − ½ P · min(upper log-dets) − (NP/2) log 2π
/// upper = −½ L_q − ½ P · max(lower log-dets) − (NP/2) log 2π
/// ```
///
/// Each of the four values has been moved outward by its rounding term, so the bracket holds in
/// float64 too. `upper − lower = slack.quad + slack.logdet`. An end for which no bound was available
/// is infinite and has no winners.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bracket {
    /// Never above the log marginal likelihood; −∞ when unknown.
    pub lower: f64,
    /// Never below it; +∞ when unknown.
    pub upper: f64,
    /// The (upper) bounds that gave `lower`.
    pub lower_bounds: Option<Winners>,
    /// The (lower) bounds that gave `upper`.
    pub upper_bounds: Option<Winners>,
    /// The width's parts.
    pub slack: Slack,
    /// How much of the width is there for rounding alone.
    pub rounding: f64,
}

/// One side of one quantity: the best bound's name, its widened value, and the widening.
type End = Option<(&'static str, f64, f64)>;

impl Bracket {
    /// upper − lower.
    #[must_use]
    pub fn width(&self) -> f64 {
        self.slack.quad + self.slack.logdet
    }

    /// The only place where the signs of the two terms are turned into the evidence.
    pub(crate) fn assemble(evaluation: &Evaluation) -> Self {
        let [quad_up, quad_low] =
            [Side::Upper, Side::Lower].map(|side| end(evaluation, Quantity::Quad, side));
        let [det_up, det_low] =
            [Side::Upper, Side::Lower].map(|side| end(evaluation, Quantity::LogDet, side));
        let p = evaluation.targets() as f64;
        let constant = 0.5 * evaluation.n() as f64 * p * (2.0 * PI).ln();
        let evidence = |quad: End, det: End| {
            quad.zip(det).map(|((_, quad, _), (_, det, _))| -0.5 * quad - 0.5 * p * det - constant)
        };
        let widening = |end: End| end.map_or(0.0, |(_, _, widening)| widening);
        Self {
            lower: evidence(quad_up, det_up).unwrap_or(f64::NEG_INFINITY),
            upper: evidence(quad_low, det_low).unwrap_or(f64::INFINITY),
            lower_bounds: winners(quad_up, det_up),
            upper_bounds: winners(quad_low, det_low),
            slack: Slack {
                quad: 0.5 * gap(quad_up, quad_low),
                logdet: 0.5 * p * gap(det_up, det_low),
            },
            rounding: 0.5 * (widening(quad_up) + widening(quad_low))
                + 0.5 * p * (widening(det_up) + widening(det_low)),
        }
    }
}

/// The bracket from every bound that takes no pass over the whole of K beside those of v, for targets
/// `y [N, P]` (mean subtracted) that share the hyperparameters and any auxiliary `v [N, P]`.
///
/// An [`Evaluation`] over [`log_det_catalogue`](crate::log_det_catalogue) adds the certificates.
///
/// # Errors
/// When a shape disagrees with the data or a number is not finite. Bounds that the problem cannot
/// serve are left out.
///
/// ```
/// use bounds::{Problem, exact::Exact, lml_bracket};
/// use kernels::Matern32;
/// use ndarray::Array2;
///
/// let x = Array2::from_shape_fn((30, 1), |(i, _)| i as f64 / 6.0);
/// let y = x.mapv(|t: f64| t.sin());
/// let kernel = Matern32::new(vec![1.0], 1.0)?;
/// let z = x.slice(ndarray::s![..;5, ..]).to_owned();
/// let problem = Problem::new(&kernel, &x, 0.1)?.with_inducing_points(&z, 1e-6)?.with_neighbours(10);
/// let bracket = lml_bracket(&problem, &y, &Array2::zeros(y.dim()))?;
/// let exact = Exact::new(&problem)?.lml(&y)?;
/// assert!(bracket.lower <= exact && exact <= bracket.upper);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn lml_bracket(
    problem: &Problem<'_>,
    y: &ArrayRef2<f64>,
    v: &ArrayRef2<f64>,
) -> Result<Bracket, BoundError> {
    Ok(Evaluation::new(problem, y, v, &logdet::free_catalogue(), &quad::catalogue())?.bracket())
}

/// The best bound of a side, moved outward by its rounding term.
fn end(evaluation: &Evaluation, quantity: Quantity, side: Side) -> End {
    evaluation.best(quantity, side).map(|(name, value)| {
        let widening = evaluation.rounding(quantity, value);
        let outward = if side == Side::Upper { widening } else { -widening };
        (name, value + outward, widening)
    })
}

fn gap(upper: End, lower: End) -> f64 {
    upper.zip(lower).map_or(f64::INFINITY, |((_, upper, _), (_, lower, _))| upper - lower)
}

fn winners(quad: End, logdet: End) -> Option<Winners> {
    quad.zip(logdet).map(|((quad, ..), (logdet, ..))| Winners { quad, logdet })
}
