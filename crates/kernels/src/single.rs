//! Products in single precision, summed over tiles in double: what conjugate gradients may search
//! with, and nothing certified may use.

mod block;
mod composite;
mod multiply;

use std::fmt::Debug;
use std::ops::Range;

use ndarray::ArrayRef2;

use crate::block::Block;
use crate::simd::{SINGLES, Simd, SinglePack, SingleSquare};
use crate::tiles::{TILE, Tile, for_each_pair};

use block::SingleBlock;
pub(crate) use composite::{SingleLevel, SingleTerms};
use multiply::SingleMultiply;

/// Sixteen rows of a kernel matrix by some groups of sixteen columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SingleStrip {
    /// The group of sixteen rows.
    pub rows: usize,
    /// The groups of sixteen columns.
    pub columns: Range<usize>,
}

/// A kernel made ready in single precision for one set of rows.
pub trait PreparedSingle: Debug + Send + Sync {
    /// Writes k(xᵢ, xⱼ), a square for each group of columns.
    fn fill(&self, strip: &SingleStrip, k: &mut [SingleSquare]);
}

/// Groups of sixteen that hold `n` points.
pub(crate) fn groups(n: usize) -> usize {
    n.div_ceil(SINGLES)
}

/// The variances entries are made of lie within this, so that those of products of a few kernels
/// are neither subnormal nor infinite.
pub(crate) const VARIANCES: Range<f64> = 1e-9..1e9;

/// `k(X, X) V`, by the rows of tiles: values and sums within a tile in single precision, sums over
/// tiles in double.
pub(crate) fn product(kernel: &dyn PreparedSingle, v: &ArrayRef2<f64>, simd: Simd) -> Vec<Block> {
    let scales = block::scales(v);
    let tiles = SingleBlock::tiles(v, &scales);
    let mut product: Vec<Block> = tiles.iter().map(SingleBlock::sums).collect();
    for_each_pair(&mut product, |(i, here): (usize, &mut Block), there| {
        let (j, there) = there.map_or((i, None), |(j, there)| (j, Some(there)));
        let product = TileProduct { kernel, tile: Tile::at(i, j, v.nrows()), simd };
        product.add([&tiles[i], &tiles[j]], here, there);
    });
    product.iter_mut().for_each(|sums| block::scale(sums, &scales));
    product
}

/// One tile's part of a product.
struct TileProduct<'a> {
    kernel: &'a dyn PreparedSingle,
    tile: Tile,
    simd: Simd,
}

impl TileProduct<'_> {
    /// Adds it, and that of its mirror image, to sums at its rows and at its columns, which are the
    /// same on the diagonal.
    fn add(&self, v: [&SingleBlock; 2], here: &mut Block, there: Option<&mut Block>) {
        let mut mirror = SingleBlock::zeros(v[1].length, v[1].columns);
        let mut k = vec![[SinglePack::ZERO; SINGLES]; TILE / SINGLES];
        let [top, start] = [&self.tile.rows, &self.tile.columns].map(|range| range.start / SINGLES);
        for strip in strips(&self.tile) {
            let k = &mut k[..strip.columns.len()];
            self.kernel.fill(&strip, k);
            let (row, first) = (strip.rows - top, strip.columns.start - start);
            let diagonal = there.is_none();
            let (y, mirror) = (&mut *here, &mut mirror);
            self.simd.run(SingleMultiply { k, v, first, row, diagonal, y, mirror });
        }
        mirror.add_to(there.unwrap_or(here));
    }
}

/// The tile in strips; of a tile on the diagonal only the squares on and above it.
fn strips(tile: &Tile) -> impl Iterator<Item = SingleStrip> + use<> {
    let squares = |range: &Range<usize>| range.start / SINGLES..groups(range.end);
    let (columns, is_diagonal) = (squares(&tile.columns), tile.is_diagonal());
    squares(&tile.rows).map(move |rows| {
        let start = if is_diagonal { rows } else { columns.start };
        SingleStrip { rows, columns: start..columns.end }
    })
}
