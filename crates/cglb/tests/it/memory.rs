//! Memory over one large evaluation and over many fits, each in a process of its own: cases 27 and
//! 30.
#![cfg(target_os = "linux")]

use crate::support::{leaf, points, targets};
use cglb::{Cglb, CglbOptions, CglbSettings, cglb_gradient, cold_start};
use gp_core::Posterior;
use ndarray::{Array2, s};
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

#[test]
fn case_27_an_evaluation_takes_memory_for_v_and_a_few_rows() {
    alone("memory::case_27_an_evaluation_takes_memory_for_v_and_a_few_rows", || {
        let (n, m) = (20_000, 200);
        let x = points(n, 2, 0);
        let (y, hyper) = (targets(&x), leaf("se", &[2.0; 2], 0.1));
        let z = x.slice(s![..m, ..]);
        let v = Array2::from_elem(y.dim(), 1e-3);
        cglb_gradient(&hyper, &z, &x, &y, &v, &CglbSettings::default()).unwrap();
        let (peak, most) = (status("VmHWM"), 16.0 * (n * m) as f64 + 80e6);
        assert!(peak <= most, "{} MB of {}", peak / 1e6, most / 1e6);
    });
}

/// Case 27 as it was met: K would take 20 GB. Few steps: a longer solve has no more vectors.
#[test]
fn case_27_fifty_thousand_rows() {
    alone("memory::case_27_fifty_thousand_rows", || {
        let (n, m) = (50_000, 512);
        let x = points(n, 9, 0);
        let (y, hyper) = (targets(&x), leaf("matern32", &[2.0; 9], 0.1));
        let z = x.slice(s![..m, ..]);
        let settings = CglbSettings { cg_max_steps: 2, ..CglbSettings::default() };
        cold_start(&hyper, &z, &x, &y, &settings).unwrap();
        let model = Cglb::condition(&hyper, &z, &x, &y, &settings).unwrap();
        model.predict(&points(1000, 9, n)).unwrap();
        let peak = status("VmHWM");
        assert!(peak < 1.2 * 1024f64.powi(3), "{} MB at the peak", peak / 1e6);
    });
}

#[test]
fn case_30_many_fits_do_not_grow_the_process() {
    alone("memory::case_30_many_fits_do_not_grow_the_process", || {
        let x = points(200, 3, 0);
        let (y, at) = (targets(&x), points(50, 3, 4000));
        // Few steps: what could leak is allocated in every one.
        let mut options = CglbOptions { inducing: 20, ..CglbOptions::default() };
        options.plan.starts = 1;
        options.plan.options.lbfgs.max_iters = 2;
        let mut after_100 = 0.0;
        for fit in 1..=1000 {
            let start = leaf("se", &[0.8 + 1e-4 * f64::from(fit)], 0.05);
            let fitted = Cglb::fit(&start, &x, &y, &options, &mut ()).unwrap();
            fitted.model.predict(&at).unwrap();
            if fit == 100 {
                after_100 = status("VmRSS");
            }
        }
        let grown = status("VmRSS") / after_100;
        assert!(grown < 1.1, "grew to {grown} times");
    });
}
