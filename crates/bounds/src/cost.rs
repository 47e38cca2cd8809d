//! What bounds and their parts cost: the one place that says so.
//!
//! Counts of operations times rates that were measured once and are never measured anew: a choice by
//! the clock would give different results on different days. Rates are processor seconds of
//! `taut certify MODEL --bounds NAME` for 5 000 and 20 000 rows of a table with 9 columns, 512 inducing
//! points and 30 neighbours, less those of `--bounds auxiliary`, on two cores with AVX-512; the formulas
//! are within a factor of 1.6 of them. Those of products and exact fits are from `cargo xtask bench kernels`.

use crate::{Part, SurrogateKind};

/// Threads of the machine the rates were measured on: what choices that must not depend on the machine
/// at hand are made for.
pub const REFERENCE_THREADS: usize = 2;

/// Multiply–adds per second of one thread: in products of large matrices, and in small blocks.
const DENSE_RATE: f64 = 1e10;
const SMALL_RATE: f64 = 1e9;
/// Seconds one thread takes for an entry of a symmetric product with K: whatever D, and for each column.
const PRODUCT: (f64, f64) = (4e-10, 3e-11);
/// Seconds one thread takes for a kernel value that is kept: whatever D, and for each column.
const ENTRY: (f64, f64) = (1e-9, 2.5e-10);
/// Ordering, neighbours and factors of k neighbours, by their bare operations.
const NEIGHBOURS: f64 = 2.3;
/// Seconds of one thread for the exact value with its gradient, times N⁻³.
const EXACT: f64 = 3.8e-11;
/// A gradient with its value by the time of the value: through neighbours, and of the rest.
const NEIGHBOUR_GRADIENT: f64 = 6.0;
const GRADIENT: f64 = 2.5;

/// The size of a problem, and of what its bounds may be built on; 0 for what it lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProblemSize {
    /// Rows N.
    pub n: usize,
    /// Columns D.
    pub d: usize,
    /// Inducing points M.
    pub inducing: usize,
    /// Neighbours k.
    pub neighbours: usize,
    /// Largest block.
    pub block: usize,
    /// Threads.
    pub threads: usize,
}

impl ProblemSize {
    /// Seconds that some parts take together.
    #[must_use]
    pub fn seconds(&self, parts: &[Part]) -> f64 {
        self.shared(parts.iter().map(|part| self.part_seconds(part)).sum())
    }

    /// The same with the gradients of bounds built on them.
    #[must_use]
    pub fn training_seconds(&self, parts: &[Part]) -> f64 {
        let with_gradient = |part: &Part| {
            let factor = match part {
                Part::Surrogate(kind) if kind.has_neighbours() => NEIGHBOUR_GRADIENT,
                _ => GRADIENT,
            };
            factor * self.part_seconds(part)
        };
        self.shared(parts.iter().map(with_gradient).sum())
    }

    /// Seconds of a product with K, for one vector.
    #[must_use]
    pub fn product_seconds(&self) -> f64 {
        self.shared((PRODUCT.0 + PRODUCT.1 * self.d as f64) * (self.n as f64).powi(2))
    }

    /// Seconds of the exact log marginal likelihood with its gradient.
    #[must_use]
    pub fn exact_seconds(&self) -> f64 {
        self.shared(EXACT * (self.n as f64).powi(3))
    }

    fn shared(&self, seconds: f64) -> f64 {
        seconds / self.threads.max(1) as f64
    }

    fn part_seconds(&self, part: &Part) -> f64 {
        let [n, m, b] = [self.n, self.inducing, self.block].map(|count| count as f64);
        let k = self.neighbours.min(self.n) as f64;
        let entry = ENTRY.0 + ENTRY.1 * self.d as f64;
        let low_rank = n * m * m / DENSE_RATE;
        let local = NEIGHBOURS * n * (k * k * entry + k.powi(3) / 3.0 / SMALL_RATE);
        match part {
            Part::Nystrom => n * m * entry + low_rank,
            Part::Surrogate(SurrogateKind::Nystrom | SurrogateKind::Fitc) => 2.0 * low_rank,
            Part::Surrogate(SurrogateKind::Pitc) => {
                2.0 * low_rank + n * b * (entry + (m + b) / DENSE_RATE)
            }
            Part::Surrogate(SurrogateKind::Vecchia) => local,
            Part::Surrogate(SurrogateKind::Vif) => {
                2.0 * low_rank + local + 0.5 * n * k * (k + 4.0) * m / SMALL_RATE
            }
            Part::Trace(_) => n * n * (entry + 1.2 * m / DENSE_RATE),
            Part::Moments(kind) => {
                let touched = if kind.has_neighbours() { k } else { 1.0 };
                let passes = if kind.needs_inducing_points() { 6.0 } else { 2.0 };
                n * n * (entry + passes * m / DENSE_RATE + 3.0 * touched / SMALL_RATE)
            }
        }
    }

    /// Bytes that some parts take together.
    #[must_use]
    pub fn bytes(&self, parts: &[Part]) -> u64 {
        parts.iter().map(|part| self.part_bytes(part)).sum()
    }

    fn part_bytes(&self, part: &Part) -> u64 {
        let (n, m) = (self.n as u64, self.inducing as u64);
        let k = self.neighbours.min(self.n) as u64;
        8 * n
            * match part {
                Part::Nystrom => 2 * m,
                Part::Surrogate(SurrogateKind::Vecchia) => 3 * k,
                Part::Surrogate(SurrogateKind::Vif) => 2 * m + 6 * k,
                Part::Surrogate(SurrogateKind::Pitc) => 2 * m + self.block as u64,
                Part::Surrogate(_) => 2 * m,
                Part::Trace(_) => 2 * m + 128 * self.threads as u64,
                Part::Moments(_) => 3 * m + 512 * self.threads as u64,
            }
    }
}
