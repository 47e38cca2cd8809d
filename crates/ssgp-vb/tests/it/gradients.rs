//! Gradients in q(λ) against central differences.

use crate::support::{data, near, wave};
use kernels::Spectrum;
use ndarray::{Array1, Array2};
use ssgp_vb::{Gaussian, Priors, Sampling, SparseSpectrum, draw_frequencies};

const STEP: f64 = 1e-5;

fn covariance(d: usize, scale: f64, offset: usize) -> Array2<f64> {
    let b = Array2::from_shape_fn((d, d), |(i, j)| wave(i + offset, j));
    (linalg_cg::gram(&b) + Array2::<f64>::eye(d) * 0.3) * scale
}

/// τ (y'E(Z)μ − ½⟨E(Z'Z), M⟩).
fn objective(problem: &SparseSpectrum, lambda: &Gaussian, alpha: &Gaussian, tau: f64) -> f64 {
    let found = problem.expectations(lambda).unwrap();
    let dot = |a: &Array1<f64>, b: &Array1<f64>| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let times = |a: &Array2<f64>| -> Array1<f64> {
        a.outer_iter().map(|row| dot(&row.to_owned(), &alpha.mean)).collect()
    };
    let spread: f64 = found.second_moment.iter().zip(&alpha.covariance).map(|(a, b)| a * b).sum();
    let square = spread + dot(&times(&found.second_moment), &alpha.mean);
    tau * (dot(&times(&found.mean), problem.y()) - 0.5 * square)
}

#[test]
fn gradients_match_differences_for_small_and_large_covariances() {
    for (n, d, m, scale) in [(11, 1, 3, 0.2), (9, 3, 4, 0.5), (20, 13, 2, 0.05), (8, 2, 3, 900.0)] {
        let (x, y) = data(n, d);
        let s = draw_frequencies(Spectrum::default(), Sampling::Random, m, d, 5);
        let problem = SparseSpectrum::new(&x, &y, &s, &Priors::default()).unwrap();
        let mean = Array1::from_shape_fn(d, |j| 0.4 + wave(j, 2));
        let lambda = Gaussian { mean, covariance: covariance(d, scale, 0) };
        let mean = Array1::from_shape_fn(2 * m, |j| wave(j, 5));
        let alpha = Gaussian { mean, covariance: covariance(2 * m, 0.1, 7) };
        let found = problem.lambda_gradient(&lambda, &alpha, 1.7).unwrap();
        let difference = |plus: &Gaussian, minus: &Gaussian| {
            (objective(&problem, plus, &alpha, 1.7) - objective(&problem, minus, &alpha, 1.7))
                / (2.0 * STEP)
        };
        let largest =
            found.mean.iter().chain(&found.covariance).fold(0.0_f64, |a, b| a.max(b.abs()));
        let slack = 1e-7 * largest + 1e-9;
        for j in 0..d {
            let (mut plus, mut minus) = (lambda.clone(), lambda.clone());
            plus.mean[j] += STEP;
            minus.mean[j] -= STEP;
            near("dS/dμ", found.mean[j], difference(&plus, &minus), slack);
            for k in 0..=j {
                let (mut plus, mut minus) = (lambda.clone(), lambda.clone());
                for (a, b) in [(j, k), (k, j)] {
                    plus.covariance[[a, b]] += 0.5 * STEP;
                    minus.covariance[[a, b]] -= 0.5 * STEP;
                }
                near("dS/dΣ", found.covariance[[j, k]], difference(&plus, &minus), slack);
            }
        }
    }
}

/// As Σ goes to 0, Σᵢ Cov(Zᵢ) goes to that of the linearised features, with all its digits.
#[test]
fn covariances_keep_their_digits_as_they_vanish() {
    let (x, y) = data(30, 2);
    let s = draw_frequencies(Spectrum::default(), Sampling::Random, 4, 2, 1);
    let problem = SparseSpectrum::new(&x, &y, &s, &Priors::default()).unwrap();
    for variance in [1e-12, 1e-15] {
        let lambda = Gaussian::isotropic(2, 1.3, variance);
        let found = problem.expectations(&lambda).unwrap().covariance;
        let jacobian = Array2::from_shape_fn((8, 60), |(column, at)| {
            let (i, j, r) = (at / 2, at % 2, column % 4);
            let angle: f64 = (0..2).map(|k| 1.3 * s[[r, k]] * x[[i, k]]).sum();
            let slope = if column < 4 { -angle.sin() } else { angle.cos() };
            slope * s[[r, j]] * x[[i, j]]
        });
        let linear = linalg_cg::gram(&jacobian) * variance;
        let largest = linear.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
        for (found, exact) in found.iter().zip(&linear) {
            near("Cov", found / largest, exact / largest, 1e-10);
        }
    }
}
