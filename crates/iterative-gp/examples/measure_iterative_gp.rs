//! How often an estimate and its gradient lie within four standard errors of the exact ones.
//!
//! ```sh
//! cargo run --release -p iterative-gp --example measure_iterative_gp -- 48 200 500
//! ```
//!
//! 1 000 seeds of 10 probes for each number of rows, without and with a preconditioner, with as many
//! Lanczos steps as rows: what fewer steps leave out is not in the standard error. Solves go to 1e-14 nats: the
//! gradient of the mean owes nothing to chance, and all of its error to them.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::time::Instant;

use exact_gp::ExactGp;
use gp_core::{HyperGradient, Hyperparameters};
use iterative_gp::{EstimatorOptions, Preconditioning, lml_estimate};
use kernels::{Matern32, Mean};
use ndarray::{Array1, Array2, Axis};

const RUNS: u64 = 1000;
/// Rounding of a component of the gradient, relative to 1 + its size.
const ROUNDING: f64 = 1e-6;

fn main() -> Result<(), Box<dyn Error>> {
    let sizes: Result<Vec<usize>, _> = std::env::args().skip(1).map(|size| size.parse()).collect();
    println!("| rows | rank | value | worst component of the gradient | seconds |");
    println!("| ---: | ---: | ---: | ---: | ---: |");
    for n in sizes? {
        for rank in [0, 8] {
            let began = Instant::now();
            let within = coverage(n, rank)?;
            let share = |count: usize| count as f64 / RUNS as f64;
            let worst = within[1..].iter().copied().min().unwrap_or(0);
            let seconds = began.elapsed().as_secs_f64();
            println!("| {n} | {rank} | {} | {} | {seconds:.0} |", share(within[0]), share(worst));
        }
    }
    Ok(())
}

/// A number in (−1, 1).
fn wave(i: usize, j: usize) -> f64 {
    let t = (i as f64 + 1.0) * 0.754_877_666 + (j as f64 + 1.0) * 0.569_840_291;
    2.0 * (t + 0.31 * ((i * (j + 3)) as f64).sin()).fract() - 1.0
}

fn data(n: usize) -> (Array2<f64>, Array2<f64>) {
    let x = Array2::from_shape_fn((n, 2), |(i, j)| 2.0 * wave(i, j));
    let y = Array1::from_shape_fn(n, |i| {
        (1.3 * x.row(i).sum()).sin() + 0.5 * x[[i, 0]] + 0.1 * wave(i, 7)
    });
    (x, y.insert_axis(Axis(1)))
}

/// Kernel parameters, noise variance, mean.
fn flat(gradient: &HyperGradient) -> Vec<f64> {
    let mut flat = gradient.log_kernel.clone();
    flat.push(gradient.log_noise_variance);
    flat.extend(&gradient.mean);
    flat
}

/// Runs within four standard errors: of the value, then of each component of the gradient.
fn coverage(n: usize, rank: usize) -> Result<Vec<usize>, Box<dyn Error>> {
    let (x, y) = data(n);
    let kernel = Box::new(Matern32::new(vec![0.8, 1.3], 1.0)?);
    let hyper = Hyperparameters { kernel, noise_variance: 0.05, mean: Mean::Constant(0.2) };
    let (value, gradient) = ExactGp::condition(&hyper, &x, &y, None)?.lml_gradient()?;
    let gradient = flat(&gradient);
    let options = EstimatorOptions {
        probes: 10,
        preconditioning: Preconditioning::PivotedCholesky { rank },
        tolerance: 1e-9,
        nats: 1e-14,
        max_steps: n,
        ..EstimatorOptions::default()
    };
    let mut within = vec![0; gradient.len() + 1];
    for seed in 0..RUNS {
        let found = lml_estimate(&hyper, &x, &y, &options, seed)?;
        within[0] += usize::from((found.value - value).abs() <= 4.0 * found.standard_error);
        let errors = flat(&found.gradient_standard_error);
        let each = flat(&found.gradient).into_iter().zip(errors).zip(&gradient);
        for (within, ((found, error), exact)) in within[1..].iter_mut().zip(each) {
            let near = 4.0 * error + ROUNDING * (1.0 + exact.abs());
            *within += usize::from((found - exact).abs() <= near);
        }
    }
    Ok(within)
}
