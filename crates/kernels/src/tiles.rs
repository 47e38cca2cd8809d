//! Fixed covers of a kernel matrix by tiles: the unit of all work on pairs of rows.
//!
//! Which tiles there are, and how they are dealt out, depends on the shape alone, never on the
//! number of threads: that is why results have the same bits however many threads run.

use std::ops::Range;

use linalg_cg::Shards;
use rayon::prelude::*;

use crate::points::groups;
use crate::prepared::Strip;
use crate::simd::LANES;

/// Side of a tile: with it a strip of kernel values is 16 KiB, within a core's first-level cache.
pub(crate) const TILE: usize = 256;

/// The rows and columns of one tile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tile {
    pub(crate) rows: Range<usize>,
    pub(crate) columns: Range<usize>,
}

impl Tile {
    /// Tile (`row`, `column`) of a square cover of order `n`.
    pub(crate) fn at(row: usize, column: usize, n: usize) -> Self {
        Self { rows: piece(row, n), columns: piece(column, n) }
    }

    /// Whether the tile lies on the diagonal of a square cover.
    pub(crate) fn is_diagonal(&self) -> bool {
        self.rows == self.columns
    }

    /// Its index in [`Cover::Upper`].
    pub(crate) fn upper_index(&self) -> usize {
        triangle(self.columns.start / TILE) + self.rows.start / TILE
    }

    /// The tile in strips.
    pub(crate) fn strips(&self) -> impl Iterator<Item = Strip> + use<> {
        let columns = squares(&self.columns);
        squares(&self.rows).map(move |rows| Strip { rows, columns: columns.clone() })
    }

    /// The tile of a square cover in strips, of a tile on the diagonal only the squares on and
    /// above it.
    pub(crate) fn upper_strips(&self) -> impl Iterator<Item = Strip> + use<> {
        let is_diagonal = self.is_diagonal();
        self.strips().map(move |mut strip| {
            if is_diagonal {
                strip.columns.start = strip.rows;
            }
            strip
        })
    }
}

/// The groups of eight that hold `rows`, which start at one.
fn squares(rows: &Range<usize>) -> Range<usize> {
    rows.start / LANES..groups(rows.end)
}

/// A cover of a matrix by tiles.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Cover {
    /// Every tile of a `rows × columns` matrix, row by row.
    Full { rows: usize, columns: usize },
    /// The tiles on and above the diagonal of a square matrix of order `n`, column by column.
    Upper { n: usize },
}

impl Cover {
    /// The number of tiles.
    pub(crate) fn len(&self) -> usize {
        match *self {
            Self::Full { rows, columns } => rows.div_ceil(TILE) * columns.div_ceil(TILE),
            Self::Upper { n } => triangle(n.div_ceil(TILE)),
        }
    }

    /// Tile `index`, below [`Cover::len`].
    pub(crate) fn tile(&self, index: usize) -> Tile {
        match *self {
            Self::Full { rows, columns } => {
                let across = columns.div_ceil(TILE);
                Tile { rows: piece(index / across, rows), columns: piece(index % across, columns) }
            }
            Self::Upper { n } => {
                // The largest J with J (J + 1) / 2 ≤ index, in exact integers.
                let column = ((8 * index + 1).isqrt() - 1) / 2;
                Tile { rows: piece(index - triangle(column), n), columns: piece(column, n) }
            }
        }
    }

    /// Visits every tile: `stripes` runs of consecutive tiles in parallel, each adding to a value
    /// of its own from `start`, those values combined in the order of the runs.
    pub(crate) fn reduce<T: Send>(
        &self,
        stripes: usize,
        start: impl Fn() -> T + Sync,
        visit: impl Fn(&mut T, &Tile) + Sync,
        add: impl FnMut(T, T) -> T,
    ) -> T {
        let run = |tiles: Range<usize>| {
            let mut partial = start();
            tiles.for_each(|index| visit(&mut partial, &self.tile(index)));
            partial
        };
        let shards = Shards::of_length(self.len(), self.len().div_ceil(stripes));
        shards.reduce(run, add).unwrap_or_else(&start)
    }
}

/// Visits every pair of `parts` and every part alone, once each and many at a time: in a round no
/// part comes twice, so that both parts of a pair may be changed. The order in which a part is
/// visited depends on their number alone.
///
/// Rounds of a tournament: the first stays, all others move on by one place a round, and each meets
/// the one opposite. Of an odd number one is alone in each round.
pub(crate) fn for_each_pair<T: Send>(
    parts: impl IntoIterator<Item = T>,
    visit: impl Fn((usize, &mut T), Option<(usize, &mut T)>) + Sync,
) -> Vec<T> {
    let mut places: Vec<Option<(usize, T)>> = parts.into_iter().enumerate().map(Some).collect();
    let is_even = places.len().is_multiple_of(2);
    if !is_even {
        places.push(None);
    }
    for _ in 1..places.len() {
        let half = places.len() / 2;
        let (left, right) = places.split_at_mut(half);
        let pairs = left.par_iter_mut().zip(right.par_iter_mut().rev()).with_max_len(1);
        pairs.for_each(|pair| match pair {
            (Some((i, a)), Some((j, b))) => {
                let (a, b) = ((*i, a), (*j, b));
                if a.0 < b.0 { visit(a, Some(b)) } else { visit(b, Some(a)) }
            }
            (Some((i, a)), None) | (None, Some((i, a))) => visit((*i, a), None),
            (None, None) => {}
        });
        places[1..].rotate_right(1);
    }
    let mut parts: Vec<(usize, T)> = places.into_iter().flatten().collect();
    if is_even {
        parts.par_iter_mut().with_max_len(1).for_each(|(i, part)| visit((*i, part), None));
    }
    parts.sort_by_key(|(index, _)| *index);
    parts.into_iter().map(|(_, part)| part).collect()
}

/// 1 + 2 + … + `n`.
fn triangle(n: usize) -> usize {
    n * (n + 1) / 2
}

/// Piece `index` of `0..n` cut into lengths of [`TILE`].
fn piece(index: usize, n: usize) -> Range<usize> {
    let first = index * TILE;
    first..(first + TILE).min(n)
}

/// Cuts `0..n` into pieces of `length`, in order.
pub(crate) fn pieces(n: usize, length: usize) -> impl Iterator<Item = Range<usize>> {
    (0..n).step_by(length).map(move |first| first..(first + length).min(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often each entry of a `rows × columns` matrix is covered.
    fn counts(cover: Cover, rows: usize, columns: usize) -> Vec<Vec<usize>> {
        let mut counts = vec![vec![0; columns]; rows];
        for tile in (0..cover.len()).map(|index| cover.tile(index)) {
            for row in tile.rows {
                tile.columns.clone().for_each(|column| counts[row][column] += 1);
            }
        }
        counts
    }

    #[test]
    fn a_full_cover_has_every_entry_once() {
        for (rows, columns) in [(0, 3), (1, 1), (255, 257), (600, 256), (5, 900)] {
            let counts = counts(Cover::Full { rows, columns }, rows, columns);
            assert!(counts.iter().flatten().all(|&count| count == 1), "{rows} x {columns}");
        }
    }

    #[test]
    fn an_upper_cover_has_every_pair_once() {
        for n in [0, 1, 255, 256, 257, 900] {
            let counts = counts(Cover::Upper { n }, n, n);
            let pairs = (0..n).flat_map(|row| (row..n).map(move |column| (row, column)));
            for (row, column) in pairs {
                let same_tile = row / TILE == column / TILE;
                assert_eq!(counts[row][column], 1);
                assert_eq!(counts[column][row], usize::from(same_tile));
            }
        }
    }

    #[test]
    fn an_upper_tile_knows_its_index() {
        let cover = Cover::Upper { n: 1500 };
        assert!((0..cover.len()).all(|index| cover.tile(index).upper_index() == index));
    }

    #[test]
    fn every_pair_meets_once_and_every_part_is_alone_once() {
        for n in 0..9_usize {
            let met = for_each_pair((0..n).map(|_| Vec::new()), |(i, a), other| match other {
                Some((j, b)) => {
                    a.push((i, j));
                    b.push((i, j));
                }
                None => a.push((i, i)),
            });
            for (i, mut met) in met.into_iter().enumerate() {
                met.sort_unstable();
                let expected: Vec<_> = (0..n).map(|j| (i.min(j), i.max(j))).collect();
                assert_eq!(met, expected);
            }
        }
    }

    #[test]
    fn runs_are_combined_in_order() {
        let cover = Cover::Upper { n: 2000 };
        let visit = |seen: &mut Vec<Tile>, tile: &Tile| seen.push(tile.clone());
        let seen = cover.reduce(5, Vec::new, visit, |mut all, next| {
            all.extend(next);
            all
        });
        let expected: Vec<Tile> = (0..cover.len()).map(|index| cover.tile(index)).collect();
        assert_eq!(seen, expected);
    }
}
