//! Ways to choose inducing points.

use crate::support::{leaf, points};
use ndarray::{Array2, Axis};
use proptest::prelude::*;
use sparse_gp::{Notice, Selector, k_means};

/// Σ over rows of the squared distance to the nearest centre.
fn inertia(x: &Array2<f64>, centres: &Array2<f64>) -> f64 {
    let nearest = |row: ndarray::ArrayView1<'_, f64>| {
        let distances =
            centres.outer_iter().map(|c| row.iter().zip(c).map(|(a, b)| (a - b) * (a - b)).sum());
        distances.fold(f64::INFINITY, f64::min)
    };
    x.outer_iter().map(nearest).sum()
}

proptest! {
    #[test]
    fn k_means_is_no_worse_than_rows_at_random(seed in 0..1000u64, m in 1..8usize) {
        let x = points(300, 2, seed as usize);
        let centres = k_means(&x, m, seed);
        prop_assert_eq!(centres.dim(), (m, 2));
        let random = sparse_gp::random_points(&x, m, seed);
        prop_assert!(inertia(&x, &centres) <= inertia(&x, &random) * 1.2);
        prop_assert_eq!(k_means(&x, m, seed), centres);
    }

    #[test]
    fn random_points_are_distinct_rows(seed in 0..1000u64, m in 0..30usize) {
        let x = points(40, 1, 0);
        let z = sparse_gp::random_points(&x, m, seed);
        let mut places: Vec<usize> =
            z.iter().map(|z| x.iter().position(|x| x == z).unwrap()).collect();
        places.dedup();
        prop_assert_eq!(places.len(), m);
    }
}

#[test]
fn repeated_rows_give_fewer_points_and_say_so() {
    let x = points(4, 2, 0).select(Axis(0), &[0, 1, 2, 3, 0, 1, 2, 3, 3]);
    let hyper = leaf("matern32", &[1.0], 0.1);
    for selector in [Selector::Greedy, Selector::KMeans] {
        let chosen = selector.choose(hyper.kernel.as_ref(), &x, 7, 1).unwrap();
        assert_eq!(chosen.z.nrows(), 4, "{selector:?}");
        assert_eq!(chosen.notices, [Notice::FewerDistinct { asked: 7, chosen: 4 }]);
    }
}

#[test]
fn many_rows_are_sampled_first() {
    let x = points(120_000, 1, 0);
    let hyper = leaf("matern32", &[1.0], 0.1);
    let chosen = Selector::KMeans.choose(hyper.kernel.as_ref(), &x, 3, 1).unwrap();
    assert_eq!(chosen.notices, [Notice::AmongRows { rows: 100_000, n: 120_000 }]);
    assert_eq!(chosen.z.dim(), (3, 1));
}

#[test]
fn none_and_given_points_are_taken_as_they_are() {
    let (x, hyper) = (points(9, 2, 0), leaf("matern32", &[1.0], 0.1));
    for selector in [Selector::Greedy, Selector::KMeans, Selector::Random] {
        let chosen = selector.choose(hyper.kernel.as_ref(), &x, 0, 1).unwrap();
        assert!(chosen.z.dim() == (0, 2) && chosen.notices.is_empty());
    }
    let given = points(20, 2, 5);
    let chosen = Selector::Given(given.clone()).choose(hyper.kernel.as_ref(), &x, 3, 1).unwrap();
    assert!(chosen.z == given && chosen.notices.is_empty());
}

#[test]
fn notices_say_what_was_done() {
    for (notice, text) in [
        (Notice::MoreThanRows { asked: 9, n: 5 }, "9 inducing points asked for 5 rows: 5 are used"),
        (
            Notice::FewerDistinct { asked: 7, chosen: 4 },
            "4 inducing points instead of 7 explain every row",
        ),
        (
            Notice::AmongRows { rows: 10, n: 20 },
            "inducing points chosen among 10 rows of 20, drawn at random",
        ),
    ] {
        assert_eq!(notice.to_string(), text);
    }
}
