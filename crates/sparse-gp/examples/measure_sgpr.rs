//! Seconds and peak of memory of one evaluation of the bound with its gradient.
//!
//! ```sh
//! cargo run --release -p sparse-gp --example measure_sgpr -- 100000 9 200
//! cargo run --release -p sparse-gp --example measure_sgpr -- 1000000 21 512 low-memory
//! ```
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::time::Instant;

use gp_core::Hyperparameters;
use kernels::{Matern32, Mean};
use ndarray::{Array2, Axis, s};
use sparse_gp::{SgprSettings, elbo_gradient};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, default: usize| {
        args.get(index).map_or(Ok(default), |text| text.parse::<usize>())
    };
    let (n, d, m) = (number(0, 10_000)?, number(1, 9)?, number(2, 512)?);
    let low_memory = args.iter().any(|arg| arg == "low-memory");
    let step = |j: usize| (2.0 + j as f64).sqrt().fract();
    let x = Array2::from_shape_fn((n, d), |(i, j)| 4.0 * (i as f64 * step(j)).fract());
    let y = x.sum_axis(Axis(1)).mapv(f64::sin).insert_axis(Axis(1));
    let z = x.slice(s![..m.min(n), ..]);
    let kernel = Box::new(Matern32::new(vec![1.5; d], 1.0)?);
    let hyper = Hyperparameters { kernel, noise_variance: 0.05, mean: Mean::Constant(0.0) };
    let settings = SgprSettings { low_memory, ..SgprSettings::default() };
    for call in ["first", "second"] {
        let start = Instant::now();
        let value = elbo_gradient(&hyper, &z, &x, &y, &settings)?.value;
        let seconds = start.elapsed().as_secs_f64();
        println!("{call} evaluation: {seconds:.3} s, ELBO {value:.3}");
    }
    if let Some(peak) = peak_megabytes() {
        println!("peak resident: {peak:.0} MB; V alone is {:.0} MB", 8e-6 * (n * m) as f64);
    }
    Ok(())
}

/// The largest resident memory this process has had, where the system tells.
fn peak_megabytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes = line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok()?;
    Some(1.024e-3 * kilobytes)
}
