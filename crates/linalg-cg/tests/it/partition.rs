//! The row seam.

use linalg_cg::{Shards, map_rows, reduce_rows};

use crate::support::on_pools;

#[test]
fn shards_cover_every_row_once_in_order() {
    for n in [0, 1, 255, 256, 257, 8192, 8193, 1_000_003] {
        let shards = Shards::of_rows(n);
        assert!(shards.iter().flatten().eq(0..n));
        assert!(shards.len() <= 32);
        assert_eq!(shards.is_empty(), n == 0);
        assert_eq!(shards.iter().count(), shards.len());
    }
    assert_eq!(Shards::of_length(5, 0).len(), 5);
}

#[test]
fn partial_results_are_combined_in_row_order() {
    let starts = map_rows(3000, |rows| rows.start);
    assert!(starts.is_sorted());
    let joined = reduce_rows(
        700,
        |rows| vec![rows.start],
        |mut all, next| {
            all.extend(next);
            all
        },
    );
    assert_eq!(joined, Some(vec![0, 256, 512]));
    assert_eq!(reduce_rows(0, |rows| rows.len(), |a, b| a + b), None);
}

#[test]
fn a_reduction_has_the_same_bits_on_any_pool() {
    let sums = on_pools(|| {
        let partial = |rows: std::ops::Range<usize>| rows.map(|i| (i as f64).sin()).sum::<f64>();
        reduce_rows(10_000, partial, |a, b| a + b).map(f64::to_bits)
    });
    assert!(sums[0] == sums[1] && sums[0] == sums[2]);
}
