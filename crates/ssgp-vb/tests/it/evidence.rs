//! The lower bound below the exact evidence, which on tiny problems three integrals give.

use std::f64::consts::PI;

use kernels::Spectrum;
use linalg_cg::{gram, matmul_tn, symmetric_eigen};
use ndarray::{Array1, Array2, Axis};
use ssgp_vb::{
    Algorithm, FitOptions, Gaussian, Priors, Sampling, SparseSpectrum, Start, draw_frequencies,
};

const VARIANCE: f64 = 4.0;
const SCALE: f64 = 5.0;

/// log ∫∫∫ p(y | λ, σ, γ) p(λ) p(σ) p(γ) on a grid, α integrated exactly; one column.
fn log_evidence(x: &Array2<f64>, y: &Array1<f64>, s: &Array2<f64>) -> f64 {
    let grid = |from: f64, to: f64, count: usize| {
        let step = (to - from) / (count - 1) as f64;
        ((0..count).map(move |i| from + step * i as f64), step)
    };
    let sd = VARIANCE.sqrt();
    let (lambdas, d_lambda) = grid(-7.0 * sd, 7.0 * sd, 601);
    let mut terms = Vec::new();
    for lambda in lambdas {
        let prior = -0.5 * (lambda / sd).powi(2) - 0.5 * (2.0 * PI * VARIANCE).ln();
        terms.push(prior + log_scales(x, y, s, lambda));
    }
    log_sum(&terms) + d_lambda.ln()
}

fn log_scales(x: &Array2<f64>, y: &Array1<f64>, s: &Array2<f64>, lambda: f64) -> f64 {
    let (n, m) = (x.nrows(), s.nrows());
    let z = Array2::from_shape_fn((n, 2 * m), |(i, column)| {
        let angle = lambda * x[[i, 0]] * s[[column % m, 0]];
        if column < m { angle.cos() } else { angle.sin() }
    });
    let (values, vectors) = symmetric_eigen(&gram(&z)).unwrap();
    let projected = matmul_tn(&vectors, &y.view().insert_axis(Axis(1)).to_owned());
    let squares: Vec<f64> = projected.iter().map(|value| value * value).collect();
    let values: Vec<f64> = values.iter().map(|value| value.max(0.0) / m as f64).collect();
    // p(σ) dσ in log σ.
    let prior = |t: f64| (2.0 * SCALE / PI).ln() - (SCALE * SCALE + (2.0 * t).exp()).ln() + t;
    let (count, from, to) = (97, -8.0, 9.0);
    let at = |i: usize| from + (to - from) * i as f64 / (count - 1) as f64;
    let mut terms = Vec::with_capacity(count * count);
    for i in 0..count {
        let signal = (2.0 * at(i)).exp();
        for j in 0..count {
            let noise = (2.0 * at(j)).exp();
            let mut term = prior(at(i)) + prior(at(j));
            for (value, square) in values.iter().zip(&squares) {
                let variance = noise + signal * value;
                term -= 0.5 * ((2.0 * PI * variance).ln() + square / variance);
            }
            terms.push(term);
        }
    }
    log_sum(&terms) + 2.0 * ((to - from) / (count - 1) as f64).ln()
}

fn log_sum(terms: &[f64]) -> f64 {
    let largest = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    largest + terms.iter().map(|term| (term - largest).exp()).sum::<f64>().ln()
}

#[test]
fn the_bound_is_below_the_evidence_and_not_far() {
    for (n, m, seed) in [(3, 1, 0), (4, 2, 1), (8, 3, 2)] {
        let x =
            Array2::from_shape_fn((n, 1), |(i, _)| 1.4 * crate::support::wave(i, seed as usize));
        let y: Array1<f64> = x.column(0).mapv(|t| (1.5 * t).sin() + 0.1 * (40.0 * t).cos());
        let s = draw_frequencies(Spectrum::default(), Sampling::Random, m, 1, seed);
        let lambda = Some(Gaussian::isotropic(1, 0.0, VARIANCE));
        let priors = Priors { lambda, signal_scale: SCALE, noise_scale: SCALE };
        let evidence = log_evidence(&x, &y, &s);
        let problem = SparseSpectrum::new(&x, &y, &s, &priors).unwrap();
        for algorithm in [Algorithm::Plain, Algorithm::Adaptive] {
            let options = FitOptions {
                algorithm,
                tolerance: 1e-10,
                max_cycles: 3000,
                ..FitOptions::default()
            };
            let run = problem.run(&Start::default(), &options, &mut ()).unwrap();
            let gap = evidence - run.bound;
            assert!(gap > 0.0 && gap < 10.0, "N {n}, M {m}: {} below {evidence}", run.bound);
        }
    }
}
