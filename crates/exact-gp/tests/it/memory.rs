//! Memory over many fits and many queries, each measured in a process of its own: cases 28 and 30.
#![cfg(target_os = "linux")]

use crate::support::{bits, close_all, condition, points, se, targets};
use exact_gp::{ExactGp, ExactGpOptions};
use gp_core::{Posterior, TrainingPlan};
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
fn many_fits_do_not_grow_the_process() {
    alone("memory::many_fits_do_not_grow_the_process", || {
        let x = points(200, 3, 0);
        let (y, at) = (targets(&x), points(50, 3, 4000));
        // Few steps: what could leak is allocated in every one.
        let mut plan = TrainingPlan { starts: 1, ..TrainingPlan::default() };
        plan.options.lbfgs.max_iters = 2;
        let options = ExactGpOptions { plan, memory_budget: None };
        let mut after_100 = 0.0;
        for fit in 1..=1000 {
            let start = se(0.8 + 1e-4 * f64::from(fit), 0.05);
            let (gp, _) = ExactGp::fit(&start, &x, &y, &options, &mut ()).unwrap();
            gp.predict(&at).unwrap();
            if fit == 100 {
                after_100 = status("VmRSS");
            }
        }
        let grown = status("VmRSS") / after_100;
        assert!(grown < 1.1, "grew to {grown} times");
    });
}

#[test]
fn a_million_queries_need_no_matrix_of_them() {
    alone("memory::a_million_queries_need_no_matrix_of_them", || {
        let x = points(5, 1, 0);
        let gp = condition(&se(0.8, 0.05), &x, &targets(&x));
        let at = Array2::from_shape_fn((1_000_000, 1), |(i, _)| i as f64 * 4e-6 - 2.0);
        let all = gp.predict(&at).unwrap();
        let rows = 123_456..133_456;
        let part = gp.predict(&at.slice(s![rows.clone(), ..])).unwrap();
        assert_eq!(bits(&part.mean), bits(all.mean.slice(s![rows.clone(), ..])));
        close_all("variance", &part.var_latent, all.var_latent.slice(s![rows]), 1e-12);
        assert!(status("VmHWM") < 500e6, "{} MB at the peak", status("VmHWM") / 1e6);
    });
}
