//! Every bound of a catalogue at one point, as data.

use crate::quad::{QuadPoint, residual_quad};
use crate::rounding::Rounding;
use crate::{BoundError, Bracket, LogDetBound, Problem, QuadBound, Side, check, logdet, quad};
use ndarray::ArrayRef2;
use std::fmt;
use std::time::Instant;

/// What a row of an [`Evaluation`] bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    /// log|K|, nats; counts once per target column in the evidence.
    LogDet,
    /// Σ_p y_pᵀK⁻¹y_p over the target columns.
    Quad,
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LogDet => "logdet",
            Self::Quad => "quad",
        })
    }
}

/// One bound's outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct BoundRow {
    /// The bound's name.
    pub name: &'static str,
    /// What it bounds.
    pub quantity: Quantity,
    /// On which side.
    pub side: Side,
    /// Its value in the quantity's own units (before the factor ½ of the evidence), unwidened.
    pub value: Option<f64>,
    /// Distance to the best value on the other side, if there is one.
    pub slack: Option<f64>,
    /// Seconds it took. The Nyström system and the Vecchia factors are built by the first bound that
    /// asks, and counted there; the product K v that quadratic bounds share is not counted.
    pub seconds: f64,
    /// Why there is no value.
    pub skipped: Option<BoundError>,
}

/// All bounds at one point (y, v), with what the bracket needs.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    rows: Vec<BoundRow>,
    n: usize,
    targets: usize,
    rounding: Rounding,
    solution_squares: f64,
    jitter: Option<f64>,
}

impl Evaluation {
    /// Evaluates the given bounds for targets `y [N, P]` (mean subtracted) and any `v [N, P]`.
    ///
    /// A bound that the problem cannot serve is a row with a reason, not an error.
    ///
    /// # Errors
    /// When a shape disagrees with the data or a number is not finite.
    pub fn new(
        problem: &Problem<'_>,
        y: &ArrayRef2<f64>,
        v: &ArrayRef2<f64>,
        log_dets: &[Box<dyn LogDetBound>],
        quads: &[Box<dyn QuadBound>],
    ) -> Result<Self, BoundError> {
        check_targets(problem, y, v)?;
        let residual = quad::residual(problem, y, v);
        let columns: Vec<_> = y.columns().into_iter().zip(v.columns()).collect();
        let points: Vec<_> = columns
            .iter()
            .zip(residual.columns())
            .map(|((y, v), r)| QuadPoint::with_residual(problem, y, v, r.to_owned()))
            .collect();

        let mut rows: Vec<BoundRow> =
            log_dets.iter().map(|bound| log_det_row(problem, bound.as_ref())).collect();
        rows.extend(quads.iter().map(|bound| quad_row(problem, &points, bound.as_ref())));
        fill_slack(&mut rows);
        let rounding = Rounding::new(problem);
        let solution_squares =
            points.iter().map(|point| solution_squares(problem, &rounding, point)).sum();
        let jitter = problem.nystrom().ok().map(|system| system.jitter());
        Ok(Self { rows, n: problem.n(), targets: y.ncols(), rounding, solution_squares, jitter })
    }

    /// The rows, log-determinant bounds first, in catalogue order.
    #[must_use]
    pub fn rows(&self) -> &[BoundRow] {
        &self.rows
    }

    /// The jitter on Kuu, when there are inducing points.
    #[must_use]
    pub fn jitter(&self) -> Option<f64> {
        self.jitter
    }

    /// The best of each side, widened by the rounding terms.
    #[must_use]
    pub fn bracket(&self) -> Bracket {
        Bracket::assemble(self)
    }

    /// The tightest value of a side, with its name.
    pub(crate) fn best(&self, quantity: Quantity, side: Side) -> Option<(&'static str, f64)> {
        best(&self.rows, quantity, side)
    }

    /// The rounding term of a value.
    pub(crate) fn rounding(&self, quantity: Quantity, value: f64) -> f64 {
        match quantity {
            Quantity::LogDet => self.rounding.log_det(value),
            Quantity::Quad => self.rounding.quad(value, self.solution_squares),
        }
    }

    /// N.
    pub(crate) fn n(&self) -> usize {
        self.n
    }

    /// P.
    pub(crate) fn targets(&self) -> usize {
        self.targets
    }
}

/// Every bound of both catalogues, as rows.
///
/// # Errors
/// As [`Evaluation::new`].
pub fn evaluate_catalogue(
    problem: &Problem<'_>,
    y: &ArrayRef2<f64>,
    v: &ArrayRef2<f64>,
) -> Result<Vec<BoundRow>, BoundError> {
    Ok(Evaluation::new(problem, y, v, &logdet::catalogue(), &quad::catalogue())?.rows)
}

fn check_targets(
    problem: &Problem<'_>,
    y: &ArrayRef2<f64>,
    v: &ArrayRef2<f64>,
) -> Result<(), BoundError> {
    check::length("y", y.nrows(), problem.n())?;
    check::length("v", v.nrows(), problem.n())?;
    check::length("columns of v", v.ncols(), y.ncols())?;
    check::finite("y", y)?;
    check::finite("v", v)
}

fn log_det_row(problem: &Problem<'_>, bound: &dyn LogDetBound) -> BoundRow {
    row(bound.name(), Quantity::LogDet, bound.side(), || bound.value(problem))
}

fn quad_row(problem: &Problem<'_>, points: &[QuadPoint<'_>], bound: &dyn QuadBound) -> BoundRow {
    let total = || points.iter().map(|point| bound.value_at(problem, point)).sum();
    row(bound.name(), Quantity::Quad, bound.side(), total)
}

fn row(
    name: &'static str,
    quantity: Quantity,
    side: Side,
    value: impl FnOnce() -> Result<f64, BoundError>,
) -> BoundRow {
    let start = Instant::now();
    let outcome =
        value().and_then(|x| if x.is_finite() { Ok(x) } else { Err(BoundError::NotRepresentable) });
    let seconds = start.elapsed().as_secs_f64();
    let (value, skipped) = match outcome {
        Ok(value) => (Some(value), None),
        Err(reason) => (None, Some(reason)),
    };
    BoundRow { name, quantity, side, value, slack: None, seconds, skipped }
}

fn fill_slack(rows: &mut [BoundRow]) {
    for index in 0..rows.len() {
        let BoundRow { quantity, side, value, .. } = rows[index];
        let other = if side == Side::Upper { Side::Lower } else { Side::Upper };
        let opposite = best(rows, quantity, other);
        rows[index].slack =
            value.zip(opposite).map(|(mine, (_, theirs))| -side.excess(mine, theirs));
    }
}

fn best(rows: &[BoundRow], quantity: Quantity, side: Side) -> Option<(&'static str, f64)> {
    let on_side = rows.iter().filter(|row| row.quantity == quantity && row.side == side);
    on_side.filter_map(|row| row.value.map(|value| (row.name, value))).reduce(|a, b| {
        // Ties keep the earlier entry of the catalogue.
        if side.is_tighter(b.1, a.1) { b } else { a }
    })
}

/// ‖K⁻¹y‖² from above. Without a Nyström system the slack is measured with σ²I.
fn solution_squares(problem: &Problem<'_>, rounding: &Rounding, point: &QuadPoint<'_>) -> f64 {
    let squares = |a: &ndarray::ArrayRef1<f64>| a.iter().map(|value| value * value).sum::<f64>();
    let slack = residual_quad(problem, point.residual());
    let slack = slack.unwrap_or_else(|_| squares(point.residual()) / problem.sigma2());
    rounding.solution_squares(squares(point.v()), slack)
}
