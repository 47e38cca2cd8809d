//! What is done with the squares of a strip: products with vectors, and weights from vectors.
// Registers are arrays, and an index names the same row in several of them.
#![allow(clippy::needless_range_loop)]

use crate::block::Block;
use crate::prepared::Strip;
use crate::simd::{LANES, Lanes, Pack, Square, Task};

/// Adds a strip's part of a product with V to Y.
///
/// ```text
/// y_i += Σ_j k_ij v_j,   and if mirrored, off the diagonal squares, y_j += Σ_i k_ij v_i
/// ```
///
/// The order of summation of a column is the same whatever other columns there are.
pub(crate) struct Multiply<'a> {
    pub(crate) strip: &'a Strip,
    pub(crate) k: &'a [Square],
    pub(crate) v: &'a Block,
    pub(crate) y: &'a mut Block,
    /// The group of Y the strip's rows are.
    pub(crate) row: usize,
    pub(crate) mirrored: bool,
}

impl Task for Multiply<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        match V::ROWS {
            8 => self.by_rows::<V, 8>(),
            4 => self.by_rows::<V, 4>(),
            _ => self.by_rows::<V, 2>(),
        }
    }
}

impl Multiply<'_> {
    #[inline(always)]
    fn by_rows<V: Lanes, const R: usize>(mut self) {
        let columns = self.v.columns;
        for first in (0..columns - columns % 2).step_by(2) {
            self.columns::<V, R, 2>(first);
        }
        if columns % 2 == 1 {
            self.columns::<V, R, 1>(columns - 1);
        }
    }

    /// `C` columns from `first` on.
    #[inline(always)]
    fn columns<V: Lanes, const R: usize, const C: usize>(&mut self, first: usize) {
        let mut sums = [[Pack::ZERO; LANES]; C];
        for row in (0..LANES).step_by(R) {
            self.rows::<V, R, C>(first, row, &mut sums);
        }
        for (c, sums) in sums.iter().enumerate() {
            let y = &mut self.y.packs[(first + c) * self.y.length + self.row];
            V::load(y).add(V::sums(sums)).store(y);
        }
    }

    /// `C` columns from `first` on by `R` rows from `row` on.
    #[inline(always)]
    fn rows<V: Lanes, const R: usize, const C: usize>(
        &mut self,
        first: usize,
        row: usize,
        sums: &mut [Square; C],
    ) {
        let (rows, v_length, y_length) = (self.strip.rows, self.v.length, self.y.length);
        let v = &self.v.packs[first * v_length..(first + C) * v_length];
        let y = &mut self.y.packs[first * y_length..(first + C) * y_length];
        let mut totals = [[V::splat(0.0); R]; C];
        for (square, column) in self.k.iter().zip(self.strip.columns.clone()) {
            let mut k = [V::splat(0.0); R];
            for r in 0..R {
                k[r] = V::load(&square[row + r]);
            }
            for c in 0..C {
                let there = V::load(&v[c * v_length + column]);
                for r in 0..R {
                    totals[c][r] = k[r].mul_add(there, totals[c][r]);
                }
            }
            if self.mirrored && column != rows {
                for c in 0..C {
                    let (here, y) = (&v[c * v_length + rows], &mut y[c * y_length + column]);
                    let mut total = V::load(y);
                    for r in 0..R {
                        total = k[r].mul_add(V::splat(here.0[row + r]), total);
                    }
                    total.store(y);
                }
            }
        }
        for c in 0..C {
            for r in 0..R {
                totals[c][r].store(&mut sums[c][row + r]);
            }
        }
    }
}

/// Writes the weights of a gradient of Σ_c u_cᵀ K v_c.
///
/// ```text
/// W_ij = Σ_c u_ic v_jc + v_ic u_jc,   on the diagonal squares Σ_c u_ic v_jc
/// ```
pub(crate) struct Outer<'a> {
    pub(crate) strip: &'a Strip,
    pub(crate) u: &'a Block,
    pub(crate) v: &'a Block,
    pub(crate) weights: &'a mut [Square],
}

impl Task for Outer<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        match V::ROWS {
            8 => self.by_rows::<V, 8>(),
            4 => self.by_rows::<V, 4>(),
            _ => self.by_rows::<V, 2>(),
        }
    }
}

impl Outer<'_> {
    #[inline(always)]
    fn by_rows<V: Lanes, const R: usize>(self) {
        let (length, rows) = (self.u.length, self.strip.rows);
        for (square, column) in self.weights.iter_mut().zip(self.strip.columns.clone()) {
            for row in (0..LANES).step_by(R) {
                let mut sums = [V::splat(0.0); R];
                for start in (0..self.u.columns).map(|c| c * length) {
                    let (u, v) = (&self.u.packs[start..], &self.v.packs[start..]);
                    let (u_there, v_there) = (V::load(&u[column]), V::load(&v[column]));
                    let mirror = if column == rows { V::splat(0.0) } else { u_there };
                    for r in 0..R {
                        let (u, v) = (u[rows].0[row + r], v[rows].0[row + r]);
                        sums[r] = V::splat(u).mul_add(v_there, sums[r]);
                        sums[r] = V::splat(v).mul_add(mirror, sums[r]);
                    }
                }
                for r in 0..R {
                    sums[r].store(&mut square[row + r]);
                }
            }
        }
    }
}
