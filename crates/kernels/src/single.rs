//! Products in single precision, summed over tiles in double: what conjugate gradients may search
//! with, and nothing certified may use.

mod block;
mod composite;
mod multiply;

use std::fmt::Debug;
use std::ops::Range;

use crate::block::Block;
use crate::simd::{SINGLES, Simd, SinglePack, SingleSquare};
use crate::tiles::{Cover, TILE, Tile};

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

/// What a run of tiles works on.
struct Partial {
    /// Sums over tiles.
    y: Block,
    /// Sums of the tile at hand over its rows.
    mirror: SingleBlock,
    /// Kernel values of the strip at hand.
    k: Vec<SingleSquare>,
}

/// `k(X, X) V`: values and sums within a tile in single precision, sums over tiles in double.
pub(crate) fn product(
    kernel: &dyn PreparedSingle,
    cover: Cover,
    stripes: usize,
    v: &Block,
    simd: Simd,
) -> Block {
    let v = SingleBlock::of(v);
    let start = || Partial {
        y: v.sums(),
        mirror: SingleBlock::zeros(TILE / SINGLES, v.columns),
        k: vec![[SinglePack::ZERO; SINGLES]; TILE / SINGLES],
    };
    let visit = |Partial { y, mirror, k }: &mut Partial, tile: &Tile| {
        mirror.clear();
        for strip in strips(tile) {
            let k = &mut k[..strip.columns.len()];
            kernel.fill(&strip, k);
            simd.run(SingleMultiply { strip: &strip, k, v: &v, y, mirror });
        }
        mirror.add_to(y, tile.columns.start / SINGLES);
    };
    let add = |sums: Partial, next: Partial| Partial { y: sums.y.plus(next.y), ..sums };
    v.unscaled(cover.reduce(stripes, start, visit, add).y)
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
