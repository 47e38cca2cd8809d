//! Fixed covers of a kernel matrix by tiles: the unit of all work on pairs of rows.
//!
//! Which tiles there are, and how they are dealt out, depends on the shape alone, never on the
//! number of threads: that is why results have the same bits however many threads run.

use std::ops::Range;

use linalg_cg::Shards;

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

/// Visits every pair of `parts` and every part alone, once each and many at a time, never a part in
/// two visits at once, so that both parts of a pair may be changed. The order in which a part is
/// visited depends on their number alone.
///
/// Halves first, then each half against the other: threads meet only where large pieces end.
pub(crate) fn for_each_pair<T: Send>(parts: &mut [T], visit: impl Visit<T>) {
    within((0, parts), &visit);
}

/// What is done with a pair of parts, or with one alone, and their indices.
pub(crate) trait Visit<T>: Fn((usize, &mut T), Option<(usize, &mut T)>) + Sync {}

impl<T, F: Fn((usize, &mut T), Option<(usize, &mut T)>) + Sync> Visit<T> for F {}

/// Consecutive parts, and the index of the first.
type Run<'p, T> = (usize, &'p mut [T]);

fn within<T: Send>((first, parts): Run<'_, T>, visit: &impl Visit<T>) {
    match parts {
        [] => {}
        [part] => visit((first, part), None),
        _ => {
            let (mut left, mut right) = halves((first, parts));
            rayon::join(|| within(again(&mut left), visit), || within(again(&mut right), visit));
            across(left, right, visit);
        }
    }
}

/// Every part of one run with every part of the other: opposite quarters, which share none, at once.
fn across<T: Send>(a: Run<'_, T>, b: Run<'_, T>, visit: &impl Visit<T>) {
    match (a, b) {
        ((_, []), _) | (_, (_, [])) => {}
        ((i, [here]), (j, [there])) => visit((i, here), Some((j, there))),
        (a, b) => {
            let ((mut a, mut a_rest), (mut b, mut b_rest)) = (halves(a), halves(b));
            rayon::join(
                || across(again(&mut a), again(&mut b), visit),
                || across(again(&mut a_rest), again(&mut b_rest), visit),
            );
            rayon::join(|| across(a, b_rest, visit), || across(a_rest, b, visit));
        }
    }
}

fn halves<T>((first, parts): Run<'_, T>) -> (Run<'_, T>, Run<'_, T>) {
    let half = parts.len() / 2;
    let (left, right) = parts.split_at_mut(half);
    ((first, left), (first + half, right))
}

fn again<'p, T>(run: &'p mut Run<'_, T>) -> Run<'p, T> {
    (run.0, &mut *run.1)
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
            let mut met = vec![Vec::new(); n];
            for_each_pair(&mut met, |(i, a): (usize, &mut Vec<_>), other| match other {
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
