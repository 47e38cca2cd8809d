//! Random subsets.

use gp_core::random_rows;
use proptest::prelude::*;

proptest! {
    #[test]
    fn rows_are_distinct_ascending_and_reproducible(n in 0..300usize, count in 0..350usize, seed: u64) {
        let rows = random_rows(n, count, seed);
        prop_assert_eq!(rows.len(), count.min(n));
        prop_assert!(rows.windows(2).all(|pair| pair[0] < pair[1]));
        prop_assert!(rows.last().is_none_or(|last| *last < n));
        prop_assert_eq!(rows, random_rows(n, count, seed));
    }
}

#[test]
fn every_row_has_its_turn() {
    let mut counts = [0; 10];
    for seed in 0..1000 {
        for row in random_rows(10, 3, seed) {
            counts[row] += 1;
        }
    }
    // 300 expected, with a standard deviation of 14.5.
    assert!(counts.iter().all(|count| (230..370).contains(count)), "{counts:?}");
}
