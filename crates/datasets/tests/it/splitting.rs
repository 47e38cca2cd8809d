//! Training and test rows.

use datasets::{DataError, Split, TestSize, k_fold, split};
use proptest::prelude::*;

use crate::assert_error;

fn is_partition(halves: &Split, n: usize) -> bool {
    let mut all = [halves.train.clone(), halves.test.clone()].concat();
    all.sort_unstable();
    halves.train.is_sorted() && halves.test.is_sorted() && all.into_iter().eq(0..n)
}

/// A seed must keep its meaning: these rows are written down.
#[test]
fn the_same_seed_gives_the_same_rows_for_ever() {
    assert_eq!(split(20, TestSize::Count(5), 0).unwrap().test, PINNED_0);
    assert_eq!(split(20, TestSize::Fraction(0.25), 1).unwrap().test, PINNED_1);
}

const PINNED_0: [usize; 5] = [2, 5, 7, 13, 15];
const PINNED_1: [usize; 5] = [0, 6, 7, 8, 15];

#[test]
fn impossible_splits() {
    for (n, size, part) in [
        (10, TestSize::Fraction(0.0), "strictly between"),
        (10, TestSize::Fraction(1.0), "a test fraction of 1"),
        (10, TestSize::Fraction(f64::NAN), "NaN"),
        (10, TestSize::Fraction(-0.5), "-0.5"),
        (1, TestSize::Fraction(0.5), "at least 2 rows"),
        (0, TestSize::Fraction(0.5), "of 0 rows"),
        (10, TestSize::Count(0), "a test set of 0"),
        (10, TestSize::Count(10), "at least one row on each side"),
    ] {
        assert_error!(split(n, size, 1), DataError::BadSplit { .. }, part);
    }
    assert_error!(k_fold(5, 1, 0), DataError::BadSplit { .. }, "1 folds");
    assert_error!(k_fold(5, 6, 0), DataError::BadSplit { .. }, "6 folds of 5 rows");
}

#[test]
fn every_row_is_held_out_equally_often() {
    let mut counts = [0_u32; 10];
    (0..2000).for_each(|seed| {
        split(10, TestSize::Count(3), seed).unwrap().test.iter().for_each(|&row| counts[row] += 1)
    });
    // Binomial(2000, 0.3): mean 600, standard deviation 20.5.
    assert!(counts.iter().all(|&count| (500..700).contains(&count)), "{counts:?}");
}

proptest! {
    #[test]
    fn splits_are_partitions(n in 2_usize..500, fraction in 0.001_f64..0.999, seed: u64) {
        let halves = split(n, TestSize::Fraction(fraction), seed).unwrap();
        prop_assert!(is_partition(&halves, n));
        prop_assert!(!halves.train.is_empty() && !halves.test.is_empty());
        prop_assert!((halves.test.len() as f64 - fraction * n as f64).abs() <= 1.0);
        prop_assert_eq!(&halves, &split(n, TestSize::Count(halves.test.len()), seed).unwrap());
    }

    #[test]
    fn folds_test_every_row_once(n in 2_usize..300, k in 2_usize..20, seed: u64) {
        prop_assume!(k <= n);
        let folds = k_fold(n, k, seed).unwrap();
        prop_assert!(folds.iter().all(|fold| is_partition(fold, n)));
        let mut tested: Vec<usize> = folds.iter().flat_map(|fold| fold.test.clone()).collect();
        tested.sort_unstable();
        prop_assert!(tested.into_iter().eq(0..n));
        let sizes = folds.iter().map(|fold| fold.test.len());
        prop_assert!(sizes.clone().max().unwrap() - sizes.min().unwrap() <= 1);
    }
}
