//! What models on inducing points need of memory, said before it is taken.

use gp_core::GpError;
use iterative_gp::{Preconditioning, Variance};
use ndarray::ArrayRef2;
use sparse_gp::Selector;

use crate::method::Rows;
use crate::{FitOptions, bytes_text};

/// Numbers of the factor behind a greedy choice of inducing points, at most.
const SELECTION_NUMBERS: u64 = 1 << 26;
/// Test rows predicted at a time.
const PREDICTED_ROWS: u64 = 1024;

/// The needs of a fit on inducing points.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SparseNeed {
    method: &'static str,
    n: u64,
    m: u64,
    /// Numbers of the rows themselves.
    data: u64,
    neighbours: u64,
    greedy: bool,
    budget: Option<u64>,
}

impl SparseNeed {
    pub(crate) fn new(method: &'static str, x: &ArrayRef2<f64>, options: &FitOptions) -> Self {
        Self::of_size(method, x.nrows(), x.len(), options)
    }

    /// For `n` rows of `data` numbers.
    pub(crate) fn of_size(
        method: &'static str,
        n: usize,
        data: usize,
        options: &FitOptions,
    ) -> Self {
        let surrogates = options.surrogates;
        let m = match &options.selector {
            Some(Selector::Given(z)) => z.nrows(),
            _ => surrogates.inducing.min(n),
        };
        Self {
            method,
            n: n as u64,
            m: m as u64,
            data: data as u64,
            neighbours: surrogates.neighbours.min(n) as u64,
            greedy: matches!(options.selector, None | Some(Selector::Greedy)),
            budget: options.memory_budget,
        }
    }

    pub(crate) fn with_points(self, m: u64) -> Self {
        Self { m, ..self }
    }

    /// Three matrices of M×N at the peak of a gradient, a few of M×M.
    pub(crate) fn bytes(self) -> u64 {
        8 * (3 * self.m.saturating_mul(self.n) + 6 * self.m * self.m + 2 * self.data)
    }

    /// The same when M×N matrices are formed in parts, but for that of the selection.
    pub(crate) fn low_bytes(self) -> u64 {
        let selection = if self.greedy { self.m.saturating_mul(self.n) } else { 0 };
        8 * (selection.min(SELECTION_NUMBERS) + 6 * self.m * self.m + 2 * self.data)
    }

    /// As [`bytes`](Self::bytes), with the matrices that sensitivities need, and neighbours' factors.
    pub(crate) fn cglb_bytes(self) -> u64 {
        let neighbours = self.n.saturating_mul(4 * self.neighbours);
        8 * (5 * self.m.saturating_mul(self.n) + 6 * self.m * self.m + 2 * self.data + neighbours)
    }

    pub(crate) fn fits(self, bytes: u64) -> bool {
        self.budget.is_none_or(|budget| bytes <= budget)
    }

    /// Refuses needs beyond the budget; `bytes` as one of the two above counts them.
    pub(crate) fn check(self, bytes: fn(Self) -> u64) -> Result<(), GpError> {
        let Some(budget) = self.budget.filter(|_| !self.fits(bytes(self))) else { return Ok(()) };
        Err(GpError::InducingMemory {
            method: self.method,
            n: self.n as usize,
            inducing: self.m as usize,
            needed: bytes_text(bytes(self)),
            budget: bytes_text(budget),
            affordable: self.affordable(bytes) as usize,
        })
    }

    /// The largest M that fits.
    fn affordable(self, bytes: fn(Self) -> u64) -> u64 {
        let (mut fits, mut too_many) = (0, self.m);
        while too_many - fits > 1 {
            let middle = (fits + too_many) / 2;
            if self.fits(bytes(self.with_points(middle))) {
                fits = middle;
            } else {
                too_many = middle;
            }
        }
        fits
    }
}

/// Bytes a prediction from `m` inducing points needs.
pub(crate) fn prediction_bytes(m: usize) -> u64 {
    8 * 4 * PREDICTED_ROWS * m as u64
}

/// Whether the bounds of `taut certify` with `m` inducing points fit: V, and the selection's factor.
pub(crate) fn certificate_bytes(n: usize, m: usize) -> u64 {
    8 * 3 * (n as u64).saturating_mul(m as u64)
}

/// Vectors of a right-hand side that conjugate gradients hold, its two solutions and probe included.
const VECTORS: u64 = 8;
/// Rows of a block of the kernel matrix at prediction.
const BLOCK_ROWS: u64 = 256;
/// What Lanczos vectors are kept in, at most.
const BASIS_BYTES: u64 = 64 << 20;

/// The needs of a fit by conjugate gradients alone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IterativeNeed {
    n: u64,
    bytes: u64,
}

impl IterativeNeed {
    pub(crate) fn new(
        rows: &Rows,
        preconditioning: &Preconditioning,
        probes: usize,
        variance: Variance,
    ) -> Self {
        let (n, p) = (rows.x.nrows() as u64, rows.y.ncols() as u64);
        let rank = match preconditioning {
            Preconditioning::PivotedCholesky { rank } => (*rank as u64).min(n),
            Preconditioning::InducingPoints(z) => z.nrows() as u64,
            Preconditioning::Vecchia { neighbours } => (*neighbours as u64).min(n),
            Preconditioning::Auto { rank, neighbours } => (*rank.max(neighbours) as u64).min(n),
        };
        let columns = probes as u64 + p;
        let factor = 3 * rank.saturating_mul(n) + 4 * rank * rank;
        let basis = (columns.saturating_mul(n).saturating_mul(n)).min(BASIS_BYTES / 8);
        let data = 2 * rows.x.len() as u64;
        let numbers = factor + VECTORS * columns.saturating_mul(n) + basis + data;
        Self { n, bytes: 8 * numbers + Self::prediction_bytes(rows.x.nrows(), variance) }
    }

    /// Bytes a variance needs.
    pub(crate) fn prediction_bytes(n: usize, variance: Variance) -> u64 {
        let n = n as u64;
        let space = match variance {
            Variance::Love { rank, .. } => 2 * (rank as u64).min(n),
            Variance::Exact => 0,
        };
        8 * (space + 2 * BLOCK_ROWS).saturating_mul(n)
    }

    /// Bytes left of the budget to keep tiles of K in, at most `most`.
    pub(crate) fn left_for_tiles(self, budget: Option<u64>, most: u64) -> Result<u64, GpError> {
        let Some(budget) = budget else { return Ok(most) };
        match budget.checked_sub(self.bytes) {
            Some(left) => Ok(left.min(most)),
            None => Err(GpError::OverBudget {
                task: format!("iterative on {} rows", self.n),
                needed: bytes_text(self.bytes),
                budget: bytes_text(budget),
                remedy: "raise it with --memory GB, or give less to --neighbours, --preconditioner-rank, --probes or --love-rank",
            }),
        }
    }
}
