//! LOVE against the exact variance.

use crate::support::{exact, leaf, points, targets};
use gp_core::Posterior;
use iterative_gp::{IterativeGp, PredictionOptions, Variance};
use linalg_cg::symmetric_eigenvalues;
use ndarray::Array1;

fn errors(rank: usize, neighbours: usize) -> Array1<f64> {
    let (x, at) = (points(600, 3, 0), points(100, 3, 5000));
    let y = targets(&x);
    let hyper = leaf("matern32", &[1.0, 0.8, 1.2], 0.05);
    let truth = exact(&hyper, &x, &y).predict(&at).unwrap().var_latent;
    let variance = Variance::Love { rank, neighbours };
    let options = PredictionOptions { variance, ..PredictionOptions::default() };
    let gp = IterativeGp::condition(&hyper, &x, &y, &options).unwrap();
    gp.predict(&at).unwrap().var_latent - truth
}

#[test]
fn a_larger_space_or_more_neighbours_leave_less() {
    let worst = |rank, neighbours| {
        let errors = errors(rank, neighbours);
        assert!(errors.iter().all(|error| *error >= -1e-9));
        errors.fold(0.0, |worst: f64, error| worst.max(*error))
    };
    let by_rank = [20, 100, 300, 600].map(|rank| worst(rank, 0));
    assert!(by_rank.windows(2).all(|pair| pair[1] < pair[0]), "{by_rank:?}");
    assert!(by_rank[3] < 1e-8, "{by_rank:?}");
    let by_neighbours = [0, 10, 40].map(|neighbours| worst(100, neighbours));
    assert!(by_neighbours.windows(2).all(|pair| pair[1] < 0.7 * pair[0]), "{by_neighbours:?}");
}

/// One covariance for all inputs: never below the exact one, and it where the space is whole.
#[test]
fn a_covariance_is_symmetric_and_not_below_the_exact_one() {
    let (x, at) = (points(200, 2, 0), points(25, 2, 5000));
    let (y, hyper) = (targets(&x), leaf("matern32", &[0.8, 1.2], 0.05));
    let truth = exact(&hyper, &x, &y).covariance(&at).unwrap();
    for (rank, neighbours) in [(10, 0), (40, 0), (40, 10), (200, 0), (200, 10)] {
        let variance = Variance::Love { rank, neighbours };
        let options = PredictionOptions { variance, ..PredictionOptions::default() };
        let gp = IterativeGp::condition(&hyper, &x, &y, &options).unwrap();
        let found = gp.covariance(&at).unwrap();
        assert_eq!(found, found.t(), "rank {rank}");
        let above = symmetric_eigenvalues(&(&found - &truth)).unwrap();
        assert!(above[0] >= -1e-9, "rank {rank}: {}", above[0]);
        let most = above[above.len() - 1];
        assert_eq!(most <= 1e-7, rank == 200, "rank {rank}: {most}");
        // Neighbours bring marginal variances down.
        let marginal = gp.predict(&at).unwrap().var_latent;
        for (joint, marginal) in found.diag().iter().zip(&marginal) {
            assert!(*joint >= marginal - 1e-9, "rank {rank}: {joint} below {marginal}");
            let same = (joint - marginal).abs() <= 1e-9;
            assert!(same || (neighbours > 0 && rank < 200), "rank {rank}: {joint} {marginal}");
        }
    }
}
