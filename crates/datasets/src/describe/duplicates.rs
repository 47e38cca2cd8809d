//! Rows that occur more than once.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::Table;

/// Rows minus different rows: rows are put in order of a hash, and only those of equal hash are compared cell by cell.
pub(super) fn duplicate_rows(table: &Table) -> usize {
    let mut hashed: Vec<(u64, usize)> =
        (0..table.n_rows()).map(|row| (hash(table, row), row)).collect();
    hashed.sort_unstable();
    hashed.chunk_by(|a, b| a.0 == b.0).map(|group| duplicates_among(table, group)).sum()
}

fn hash(table: &Table, row: usize) -> u64 {
    let mut hasher = DefaultHasher::new();
    table.columns().iter().for_each(|column| column.key(row).hash(&mut hasher));
    hasher.finish()
}

fn duplicates_among(table: &Table, group: &[(u64, usize)]) -> usize {
    let mut different: Vec<usize> = Vec::new();
    for &(_, row) in group {
        if !different.iter().any(|&earlier| equal(table, earlier, row)) {
            different.push(row);
        }
    }
    group.len() - different.len()
}

fn equal(table: &Table, a: usize, b: usize) -> bool {
    table.columns().iter().all(|column| column.key(a) == column.key(b))
}
