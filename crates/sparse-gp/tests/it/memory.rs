//! Memory over one large evaluation and over many fits, each in a process of its own: cases 27
//! and 30, and case 28 for this model.
#![cfg(target_os = "linux")]

use crate::support::{condition, leaf, points, targets};
use gp_core::Posterior;
use ndarray::{Array2, s};
use sparse_gp::{Sgpr, SgprOptions, SgprSettings, elbo_gradient};
use std::process::Command;

/// Tells the process started by [`alone`] that it is the one to measure.
const MEASURED: &str = "TAUT_TEST_MEASURED";

/// Runs `work` in a process where no other test runs: `test` again, by its path.
fn alone(test: &str, work: fn()) {
    if std::env::var_os(MEASURED).is_some() {
        return work();
    }
    let program = std::env::current_exe().unwrap();
    let run = Command::new(program).args(["--exact", test]).env(MEASURED, "1").output().unwrap();
    let output = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success() && output.contains("1 passed"), "{output}");
}

/// A line of the system's account of this process, in bytes.
fn status(field: &str) -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = text.lines().find(|line| line.starts_with(field)).unwrap();
    1024.0 * line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap()
}

/// Bytes at the peak of one evaluation with its gradient, conditioning and a prediction.
fn peak(n: usize, m: usize, low_memory: bool) -> f64 {
    let x = points(n, 9, 0);
    let (y, hyper) = (targets(&x), leaf("matern32", &[2.0; 9], 0.1));
    let z = x.slice(s![..m, ..]);
    let settings = SgprSettings { low_memory, ..SgprSettings::default() };
    elbo_gradient(&hyper, &z, &x, &y, &settings).unwrap();
    let model = Sgpr::condition(&hyper, &z, &x, &y, &settings).unwrap();
    model.predict(&x).unwrap();
    status("VmHWM")
}

#[test]
fn case_27_a_hundred_thousand_rows() {
    alone("memory::case_27_a_hundred_thousand_rows", || {
        let (n, m) = (100_000, 200);
        let (peak, most) = (peak(n, m, false), 24.0 * (n * m) as f64 + 200e6);
        assert!(peak <= most, "{} MB of {}", peak / 1e6, most / 1e6);
    });
}

#[test]
fn low_memory_does_not_grow_with_the_rows_times_points() {
    alone("memory::low_memory_does_not_grow_with_the_rows_times_points", || {
        let peak = peak(100_000, 200, true);
        assert!(peak <= 100e6, "{} MB, V alone would be 160", peak / 1e6);
    });
}

#[test]
fn case_30_many_fits_do_not_grow_the_process() {
    alone("memory::case_30_many_fits_do_not_grow_the_process", || {
        let x = points(200, 3, 0);
        let (y, at) = (targets(&x), points(50, 3, 4000));
        // Few steps: what could leak is allocated in every one.
        let mut options = SgprOptions { inducing: 20, ..SgprOptions::default() };
        options.plan.starts = 1;
        options.plan.options.lbfgs.max_iters = 2;
        let mut after_100 = 0.0;
        for fit in 1..=1000 {
            let start = leaf("se", &[0.8 + 1e-4 * f64::from(fit)], 0.05);
            let fitted = Sgpr::fit(&start, &x, &y, &options, &mut ()).unwrap();
            fitted.model.predict(&at).unwrap();
            if fit == 100 {
                after_100 = status("VmRSS");
            }
        }
        let grown = status("VmRSS") / after_100;
        assert!(grown < 1.1, "grew to {grown} times");
    });
}

#[test]
fn case_28_a_million_queries_need_no_matrix_of_them() {
    alone("memory::case_28_a_million_queries_need_no_matrix_of_them", || {
        let x = points(5, 1, 0);
        let model = condition(&leaf("se", &[0.8], 0.05), &x, &x, &targets(&x));
        let at = Array2::from_shape_fn((1_000_000, 1), |(i, _)| i as f64 * 4e-6 - 2.0);
        assert_eq!(model.predict(&at).unwrap().var_latent.len(), 1_000_000);
        assert!(status("VmHWM") < 500e6, "{} MB at the peak", status("VmHWM") / 1e6);
    });
}
