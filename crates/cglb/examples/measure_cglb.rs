//! Seconds and peak of memory of one evaluation of the bound with its gradient from a cold start,
//! conjugate gradients from v = 0 to 1 nat included, and seconds of its parts.
//!
//! ```sh
//! cargo run --release -p cglb --example measure_cglb -- 10000 512
//! cargo run --release -p cglb --example measure_cglb -- 50000 512 whole
//! ```
//!
//! The set `protein` of `TAUT_DATA_DIR`, standardised; without the variable, made-up rows.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::Instant;

use bounds::Problem;
use bounds::surrogate::factor_inducing;
use cglb::{Cglb, CglbSettings, cglb_gradient, cold_start};
use datasets::{CsvOptions, Roles, Source, design, read_csv};
use gp_core::Hyperparameters;
use kernels::{Matern32, Mean, contract_gradients, gram_matrix, kernel_matrix};
use linalg_cg::{Cholesky, LinearOperator, Preconditioner, gram, matmul};
use ndarray::{Array2, Axis, s};

const COLUMNS: usize = 9;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize, default: usize| {
        args.get(index).map_or(Ok(default), |text| text.parse::<usize>())
    };
    let (n, m) = (number(0, 10_000)?, number(1, 512)?);
    let (x, y) = rows(n)?;
    let kernel = Box::new(Matern32::new(vec![1.0; x.ncols()], 1.0)?);
    let hyper = Hyperparameters { kernel, noise_variance: 0.1, mean: Mean::Constant(0.0) };
    let z = x.slice(s![..m.min(n), ..]).to_owned();
    let settings = CglbSettings::default();
    for call in ["first", "second", "third"] {
        let (start, before) = (Instant::now(), processor_seconds());
        let (bound, cg) = cold_start(&hyper, &z, &x, &y, &settings)?;
        let (seconds, processor) = (start.elapsed().as_secs_f64(), processor_seconds() - before);
        let (steps, value) = (cg.steps_total, bound.value);
        println!(
            "{call} cold start: {seconds:.3} s, processor {processor:.2} s, {steps} steps, bound {value:.3}"
        );
    }
    if let Some(peak) = peak_megabytes() {
        println!("peak resident: {peak:.0} MB; V alone is {:.0} MB", 8e-6 * (n * m) as f64);
    }
    if !args.iter().any(|arg| arg == "whole") {
        parts(&hyper, &z, &x, &y)?;
    }
    Ok(())
}

/// The parts, each alone.
fn parts(
    hyper: &Hyperparameters,
    z: &Array2<f64>,
    x: &Array2<f64>,
    y: &Array2<f64>,
) -> Result<(), Box<dyn Error>> {
    let kernel = hyper.kernel.as_ref();
    let problem = Problem::new(kernel, x, hyper.noise_variance)?.with_inducing_points(z, 1e-6)?;
    let operator = problem.operator();
    let single = problem.operator().search_in_single_precision();
    let k_uf = kernel_matrix(kernel, z, x);
    let (l, _) = factor_inducing(&gram_matrix(kernel, z), 1e-6)?;
    let system = problem.nystrom()?;
    let square = system.vvt().clone();
    let mut b = square.clone();
    b.diag_mut().mapv_inplace(|value| value + 1.0);
    let factor = Cholesky::factor(b.clone())?;
    let products = timed("K v in double precision", || operator.apply(y))
        + timed("gradient of u'K v", || operator.gradient_product(y, y));
    let k_uf_parts = timed("K_uf", || kernel_matrix(kernel, z, x))
        + timed("gradients of K_uf", || contract_gradients(kernel, z, x, &k_uf));
    let level_3 = timed("L^-1 K_uf", || l.solve_lower(&k_uf))
        + timed("V V'", || gram(system.v()))
        + timed("A V", || matmul(&square, system.v()))
        + timed("Q^-1 r", || system.solve(y));
    let factors =
        timed("Cholesky", || Cholesky::factor(b.clone())) + timed("inverse", || factor.inverse());
    let settings = CglbSettings::default();
    let whole = timed("evaluation at a given v", || cglb_gradient(hyper, z, x, y, y, &settings));
    let other = whole - products - k_uf_parts - level_3 - factors;
    for (what, seconds) in [
        ("kernel products", products),
        ("K_uf", k_uf_parts),
        ("BLAS-3", level_3),
        ("Cholesky", factors),
        ("other", other),
    ] {
        println!("{what:>32}: {:.0} % of it", 100.0 * seconds / whole);
    }
    timed("K v in single precision", || single.apply_search(y));
    timed("conditioning", || Cglb::condition(hyper, z, x, y, &settings));
    Ok(())
}

/// Calls of each part.
const CALLS: u32 = 8;

/// Prints and returns the least wall time of some calls; prints their mean of processor time over all threads:
/// the better figure where others use the machine too.
fn timed<T>(what: &str, work: impl Fn() -> T) -> f64 {
    let once = |_| {
        let start = Instant::now();
        black_box(work());
        start.elapsed().as_secs_f64()
    };
    let before = processor_seconds();
    let least = (0..CALLS).map(once).fold(f64::INFINITY, f64::min);
    let processor = (processor_seconds() - before) / f64::from(CALLS);
    println!("{what:>32}: {:.1} ms, processor {:.1} ms", 1e3 * least, 1e3 * processor);
    least
}

/// Seconds all threads of this process have run, to a hundredth; 0 where the system does not tell.
fn processor_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or("").split_whitespace().collect();
    let ticks = |index: usize| fields.get(index).and_then(|text| text.parse::<f64>().ok());
    0.01 * (ticks(11).unwrap_or(0.0) + ticks(12).unwrap_or(0.0))
}

fn rows(n: usize) -> Result<(Array2<f64>, Array2<f64>), Box<dyn Error>> {
    let (x, y) = match std::env::var_os("TAUT_DATA_DIR").map(PathBuf::from) {
        Some(folder) => {
            let file = folder.join("protein/data.csv.gz");
            let table = read_csv(Source::path(&file), &CsvOptions::default())?;
            let design = design(&table, &Roles::target("log1p_RMSD"))?;
            (design.x, design.y)
        }
        None => made_up(n),
    };
    // Where more rows are asked for than there are, the first come again, moved a little.
    let all = x.nrows();
    let shift = |i: usize| 1.0 + 1e-3 * (i / all) as f64;
    let x = Array2::from_shape_fn((n, x.ncols()), |(i, j)| x[[i % all, j]] * shift(i));
    let y = Array2::from_shape_fn((n, 1), |(i, _)| y[[i % all, 0]]);
    Ok((standardised(x), standardised(y)))
}

fn made_up(n: usize) -> (Array2<f64>, Array2<f64>) {
    let step = |j: usize| (0.754_877_666 * (j + 1) as f64).fract();
    let x = Array2::from_shape_fn((n, COLUMNS), |(i, j)| (i as f64 * step(j)).fract());
    let y = x.sum_axis(Axis(1)).mapv(f64::sin).insert_axis(Axis(1));
    (x, y)
}

/// Every column with mean 0 and variance 1.
fn standardised(mut matrix: Array2<f64>) -> Array2<f64> {
    for mut column in matrix.columns_mut() {
        let (mean, spread) = (column.mean().unwrap_or(0.0), column.std(0.0));
        column.mapv_inplace(|value| (value - mean) / spread);
    }
    matrix
}

/// The largest resident memory this process has had, where the system tells.
fn peak_megabytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes = line.trim().strip_suffix("kB")?.trim().parse::<f64>().ok()?;
    Some(1.024e-3 * kilobytes)
}
