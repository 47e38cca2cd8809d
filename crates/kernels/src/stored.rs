//! Tiles kept in memory, and whether keeping them pays.

use std::hint::black_box;
use std::time::Instant;

use rayon::prelude::*;

use crate::points::groups;
use crate::prepared::{PreparedKernel, Scratch, Strip};
use crate::simd::{LANES, Pack, Square};
use crate::tiles::{Cover, Tile};

/// Bytes of a square.
const SQUARE: u64 = size_of::<Square>() as u64;
/// Squares a thread writes and reads to measure memory: 16 MiB, beyond a core's own caches.
const MEASURED: usize = 32 * 1024;

/// Whether an operator keeps its tiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Store {
    /// Forms them for every product.
    Never,
    /// Keeps them if they fit the budget.
    IfItFits,
    /// Keeps them if they fit the budget and that is faster for so many products, as measured
    /// here: a product with stored tiles costs memory bandwidth, a product without arithmetic.
    IfItPays {
        /// Products expected.
        products: usize,
    },
}

/// The squares on and above the diagonal, tile by tile and strip by strip.
#[derive(Debug)]
pub(crate) struct Stored(Vec<Vec<Square>>);

impl Stored {
    /// Bytes for `n` rows.
    pub(crate) fn bytes(n: usize) -> u64 {
        let squares = groups(n) as u64;
        squares * (squares + 1) / 2 * SQUARE
    }

    /// All squares of `n` rows, formed in parallel.
    pub(crate) fn new(prepared: &dyn PreparedKernel, n: usize) -> Self {
        let cover = Cover::Upper { n };
        let tiles = (0..cover.len()).into_par_iter().with_max_len(1);
        Self(tiles.map(|index| fill(prepared, &cover.tile(index))).collect())
    }

    /// The squares of a tile.
    pub(crate) fn tile(&self, tile: &Tile) -> &[Square] {
        &self.0[tile.upper_index()]
    }
}

/// The squares of a tile on and above the diagonal.
fn fill(prepared: &dyn PreparedKernel, tile: &Tile) -> Vec<Square> {
    let length = tile.upper_strips().map(|strip| strip.columns.len()).sum();
    let (mut squares, mut done) = (vec![[Pack::ZERO; LANES]; length], 0);
    let mut scratch = Scratch::default();
    for strip in tile.upper_strips() {
        let next = done + strip.columns.len();
        prepared.fill(&strip, &mut squares[done..next], &mut scratch);
        done = next;
    }
    squares
}

/// Seconds a square costs with all threads at work: to form, to write for the first time, to read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Costs {
    form: f64,
    write: f64,
    read: f64,
}

impl Costs {
    /// Measures: some tens of milliseconds, less for few rows.
    pub(crate) fn measure(prepared: &dyn PreparedKernel, n: usize) -> Self {
        let columns = 0..groups(n).min(LANES * LANES);
        let all = groups(n) * (groups(n) + 1) / 2;
        let (strip, length) = (Strip { rows: 0, columns }, all.clamp(1, MEASURED));
        let each = rayon::broadcast(|_| Self::of_thread(prepared, &strip, length));
        let slowest = |cost: fn(&Self) -> f64| each.iter().map(cost).fold(0.0, f64::max);
        Self { form: slowest(|c| c.form), write: slowest(|c| c.write), read: slowest(|c| c.read) }
    }

    fn of_thread(prepared: &dyn PreparedKernel, strip: &Strip, length: usize) -> Self {
        let (mut scratch, mut k) = (Scratch::default(), vec![[Pack::ZERO; 8]; strip.columns.len()]);
        let forms = (0..8).map(|_| seconds(|| prepared.fill(strip, &mut k, &mut scratch)));
        let form = forms.fold(f64::INFINITY, f64::min) / strip.columns.len() as f64;
        let mut buffer: Vec<Square> = Vec::with_capacity(length);
        let write = seconds(|| buffer.resize(length, [Pack([1.0; LANES]); LANES]));
        let read = seconds(|| {
            black_box(buffer.as_flattened().iter().map(|pack| pack.0[0]).sum::<f64>());
        });
        Self { form, write: write / length as f64, read: read / length as f64 }
    }

    /// Whether storing is faster over `products` products.
    pub(crate) fn pays(&self, products: usize) -> bool {
        let products = products as f64;
        self.form + self.write + products * self.read < products * self.form
    }
}

fn seconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn storing_pays_only_over_many_products_of_costly_squares() {
        let costly = Costs { form: 3.0, write: 2.0, read: 1.0 };
        assert!(!costly.pays(0) && !costly.pays(2) && costly.pays(3));
        let cheap = Costs { form: 1.0, write: 2.0, read: 1.0 };
        assert!(!cheap.pays(usize::MAX));
    }

    #[test]
    fn a_triangle_of_squares_is_counted() {
        assert_eq!(Stored::bytes(0), 0);
        assert_eq!(Stored::bytes(9), 3 * 512);
    }
}
