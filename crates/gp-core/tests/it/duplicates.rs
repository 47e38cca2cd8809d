//! Repeated inputs: cases 2 and 3.

use gp_core::{GpError, disagreement, duplicate_groups, refuse_duplicates_without_noise};
use ndarray::{Array1, Array2, array};

#[test]
fn targets_further_apart_than_the_noise_explains_are_noticed() {
    let (x, y) = (array![[0.0], [0.0], [1.0]], array![1.0, 3.0, 2.0]);
    for (noise, noticed) in [(1e-10, true), (1e-4, true), (0.1, false), (4.0, false)] {
        assert_eq!(disagreement(&x, &y, noise).is_some(), noticed, "noise {noise}");
    }
    let found = disagreement(&x, &y, 1e-10).unwrap();
    assert_eq!((found.rows, found.within_variance, found.rows_repeated), ((0, 1), 2.0, 2));
}

#[test]
fn the_most_extreme_pair_is_named() {
    let x = array![[1.0], [2.0], [1.0], [2.0], [1.0], [5.0]];
    let y = array![0.0, 10.0, 0.5, -20.0, 0.2, 1.0];
    let found = disagreement(&x, &y, 1e-6).unwrap();
    assert_eq!((found.rows, found.rows_repeated), ((3, 1), 5));
}

#[test]
fn equal_targets_never_disagree() {
    let (x, y) = (array![[0.0], [0.0], [1.0]], array![3.0, 3.0, 2.0]);
    for noise in [0.0, 1e-300, 1.0] {
        assert_eq!(disagreement(&x, &y, noise), None);
    }
}

#[test]
fn extreme_scatter_is_a_disagreement_and_no_panic() {
    let x = array![[0.0], [0.0]];
    for (y, noise) in
        [(array![1e200, -1e200], 1.0), (array![1.0, 2.0], 0.0), (array![0.0, 1e-3], 1e-300)]
    {
        assert_eq!(disagreement(&x, &y, noise).unwrap().rows.0.min(1), usize::from(y[0] > y[1]));
    }
}

#[test]
fn many_repeats_within_the_noise_are_fine() {
    // Two thousand rows at one input; the scatter is that of a uniform law of variance 1/3.
    let x = Array2::zeros((2000, 1));
    let y = Array1::from_shape_fn(2000, |i| -1.0 + (2 * i + 1) as f64 / 2000.0);
    assert_eq!(disagreement(&x, &y, 1.0 / 3.0), None);
    assert!(disagreement(&x, &y, 0.2).is_some());
}

#[test]
fn groups_are_exact_equality() {
    let x = array![[1.0, 2.0], [1.0, 2.0 + 1e-15], [-0.0, 3.0], [1.0, 2.0], [0.0, 3.0]];
    assert_eq!(duplicate_groups(&x), [vec![0, 3], vec![2, 4]]);
    assert!(duplicate_groups(&array![[1.0], [2.0]]).is_empty());
}

#[test]
fn without_noise_the_rows_are_named() {
    let x = array![[4.0], [1.0], [1.0], [1.0]];
    let refuse = |y: &Array2<f64>, noise| refuse_duplicates_without_noise(&x, y, noise);
    let y = array![[0.0, 1.0], [2.0, 1.0], [2.0, 1.0], [2.0, 7.0]];
    let Err(GpError::DuplicateRowsWithoutNoise { first, second, relation }) = refuse(&y, 0.0)
    else {
        panic!("not refused");
    };
    // The pair that contradicts itself, counted from one, before the pair that only repeats.
    assert_eq!((first, second, relation), (2, 4, "but different targets"));
    assert!(refuse(&y, 1e-9).is_ok());
    assert!(
        refuse_duplicates_without_noise(&array![[1.0], [2.0]], &array![[1.0], [2.0]], 0.0).is_ok()
    );
}
