//! What is done with the squares of a strip: products with vectors, and weights from vectors.
// Registers are arrays, and an index names the same row in several of them.
#![allow(clippy::needless_range_loop)]

use crate::block::Block;
use crate::prepared::Strip;
use crate::simd::{LANES, Lanes, Pack, Square, Task};

/// Adds a strip's part of a product with V to Y, and its mirror image's.
///
/// ```text
/// y_i += Σ_j k_ij v_j,   y_j += Σ_i k_ij v_i
/// ```
///
/// The order of summation of a column is the same whatever other columns there are.
pub(crate) struct Multiply<'a> {
    pub(crate) k: &'a [Square],
    /// V at the columns of the strip's tile.
    pub(crate) v: &'a Block,
    /// The group of `v` that the first square belongs to.
    pub(crate) first: usize,
    /// Y at the rows of the strip's tile; of a tile on the diagonal it is that of the mirror image.
    pub(crate) y: Option<&'a mut Block>,
    /// The group of Y, and of the mirror image's V, that the strip's rows are.
    pub(crate) row: usize,
    pub(crate) mirror: Option<Mirror<'a>>,
}

/// What the mirror image of a strip is multiplied by and added to.
pub(crate) struct Mirror<'a> {
    /// V at the rows of the strip's tile.
    pub(crate) v: &'a Block,
    /// Y at the columns of the strip's tile.
    pub(crate) y: &'a mut Block,
    /// Whether the first square lies on the diagonal and is its own mirror image.
    pub(crate) diagonal: bool,
}

impl Task for Multiply<'_> {
    type Output = ();

    /// By half of the rows that fit the registers: two columns of V are held there too.
    #[inline(always)]
    fn run<V: Lanes>(self) {
        match V::ROWS {
            8 => self.by_rows::<V, 4>(),
            _ => self.by_rows::<V, 2>(),
        }
    }
}

impl Multiply<'_> {
    #[inline(always)]
    fn by_rows<V: Lanes, const R: usize>(mut self) {
        let columns = self.v.columns;
        for column in (0..columns - columns % 2).step_by(2) {
            self.columns::<V, R, 2>(column);
        }
        if columns % 2 == 1 {
            self.columns::<V, R, 1>(columns - 1);
        }
    }

    /// `C` columns of V from `column` on.
    #[inline(always)]
    fn columns<V: Lanes, const R: usize, const C: usize>(&mut self, column: usize) {
        let mut lanes = [[Pack::ZERO; LANES]; C];
        for row in (0..LANES).step_by(R) {
            let totals = match self.mirror {
                None => self.rows::<V, R, C>(column, row),
                Some(_) => self.both::<V, R, C>(column, row),
            };
            for c in 0..C {
                for r in 0..R {
                    totals[c][r].store(&mut lanes[c][row + r]);
                }
            }
        }
        let mirrored = self.mirror.as_mut().map(|mirror| &mut *mirror.y);
        let Some(y) = self.y.as_deref_mut().or(mirrored) else { return };
        for c in 0..C {
            let y = &mut y.packs[(column + c) * y.length + self.row];
            V::load(y).add(V::sums(&lanes[c])).store(y);
        }
    }

    /// `R` rows from `row` on, in eight lanes each.
    #[inline(always)]
    fn rows<V: Lanes, const R: usize, const C: usize>(
        &self,
        column: usize,
        row: usize,
    ) -> [[V; R]; C] {
        let length = self.v.length;
        let v = &self.v.packs[column * length..(column + C) * length];
        let mut totals = [[V::splat(0.0); R]; C];
        for (group, square) in self.k.iter().enumerate() {
            for c in 0..C {
                let there = V::load(&v[c * length + self.first + group]);
                for r in 0..R {
                    totals[c][r] = V::load(&square[row + r]).mul_add(there, totals[c][r]);
                }
            }
        }
        totals
    }

    /// [`rows`](Self::rows), and their mirror image.
    #[inline(always)]
    fn both<V: Lanes, const R: usize, const C: usize>(
        &mut self,
        column: usize,
        row: usize,
    ) -> [[V; R]; C] {
        let mut totals = [[V::splat(0.0); R]; C];
        let Some(mirror) = &mut self.mirror else { return totals };
        let (length, first) = (self.v.length, self.first);
        let v = &self.v.packs[column * length..(column + C) * length];
        let y = &mut mirror.y.packs[column * length..(column + C) * length];
        let mut here = [[V::splat(0.0); R]; C];
        for c in 0..C {
            let pack = &mirror.v.packs[(column + c) * mirror.v.length + self.row];
            for r in 0..R {
                here[c][r] = V::splat(pack.0[row + r]);
            }
        }
        for (group, square) in self.k.iter().enumerate() {
            let mut k = [V::splat(0.0); R];
            for r in 0..R {
                k[r] = V::load(&square[row + r]);
            }
            for c in 0..C {
                let there = V::load(&v[c * length + first + group]);
                for r in 0..R {
                    totals[c][r] = k[r].mul_add(there, totals[c][r]);
                }
            }
            if group > 0 || !mirror.diagonal {
                for c in 0..C {
                    let y = &mut y[c * length + first + group];
                    let mut total = V::load(y);
                    for r in 0..R {
                        total = k[r].mul_add(here[c][r], total);
                    }
                    total.store(y);
                }
            }
        }
        totals
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
