//! Memory over one large estimate and over many fits, each in a process of its own: cases 27 and 30.
#![cfg(target_os = "linux")]

use crate::support::{estimate, leaf, of_rank, points, targets};
use gp_core::Posterior;
use iterative_gp::{
    EstimatorOptions, IterativeGp, IterativeOptions, Preconditioning, PredictionOptions, Variance,
};
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

/// K would take 3.2 GB. Few steps: a longer solve has no more vectors.
#[test]
fn case_27_an_estimate_takes_memory_for_its_vectors() {
    alone("memory::case_27_an_estimate_takes_memory_for_its_vectors", || {
        let x = points(20_000, 3, 0);
        let (y, hyper) = (targets(&x), leaf("matern32", &[1.0, 0.8, 1.2], 0.1));
        let options = EstimatorOptions { probes: 4, max_steps: 10, cache_bytes: 0, ..of_rank(50) };
        let found = estimate(&hyper, (&x, &y), &options, 1);
        assert!(found.value.is_finite());
        let peak = status("VmHWM");
        assert!(peak < 250e6, "{} MB at the peak", peak / 1e6);
    });
}

#[test]
fn case_30_many_fits_do_not_grow_the_process() {
    alone("memory::case_30_many_fits_do_not_grow_the_process", || {
        let x = points(200, 3, 0);
        let (y, at) = (targets(&x), points(50, 3, 4000));
        // Few steps and small spaces: what could leak is allocated in every one.
        let mut options = IterativeOptions::default();
        options.plan.starts = 1;
        options.plan.options.lbfgs.max_iters = 2;
        options.training.preconditioning = Preconditioning::PivotedCholesky { rank: 10 };
        options.prediction = PredictionOptions {
            preconditioning: Preconditioning::PivotedCholesky { rank: 10 },
            variance: Variance::Love { rank: 20, neighbours: 5 },
            ..PredictionOptions::default()
        };
        let mut after_100 = 0.0;
        for fit in 1..=400 {
            let start = leaf("se", &[0.8 + 1e-4 * f64::from(fit); 3], 0.05);
            let (gp, _) = IterativeGp::fit(&start, &x, &y, &options, &mut ()).unwrap();
            gp.predict(&at).unwrap();
            if fit == 100 {
                after_100 = status("VmRSS");
            }
        }
        let grown = status("VmRSS") / after_100;
        assert!(grown < 1.1, "grew to {grown} times");
    });
}
