//! Stochastic quantities of the golden file, by its own probes.

use crate::support::relative;
use gp_core::{GpError, Hyperparameters};
use iterative_gp::{EstimatorOptions, LmlEstimate, Surrogate, lml_estimate_with};
use kernels::{KernelSpec, Mean};
use linalg_cg::Preconditioner;
use ndarray::{Array1, Array2, ArrayRef2, Axis};
use serde_json::Value;

/// No preconditioning, and given vectors in place of what was drawn.
struct Given(Array2<f64>);

impl Preconditioner for Given {
    fn n(&self) -> usize {
        self.0.nrows()
    }

    fn solve(&self, r: &ArrayRef2<f64>) -> Array2<f64> {
        r.to_owned()
    }
}

impl Surrogate for Given {
    fn log_det(&self) -> f64 {
        0.0
    }

    fn colour(&self, z: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError> {
        assert_eq!(z.dim(), self.0.dim());
        Ok(self.0.clone())
    }

    fn is_below(&self) -> bool {
        false
    }
}

struct Case {
    hyper: Hyperparameters,
    x: Array2<f64>,
    y: Array2<f64>,
    probes: Array2<f64>,
    json: Value,
}

fn numbers(value: &Value) -> Vec<f64> {
    serde_json::from_value(value.clone()).unwrap()
}

fn matrix(value: &Value) -> Array2<f64> {
    let rows: Vec<Vec<f64>> = serde_json::from_value(value.clone()).unwrap();
    Array2::from_shape_vec((rows.len(), rows[0].len()), rows.concat()).unwrap()
}

fn cases() -> Vec<Case> {
    let file: Value = serde_json::from_str(include_str!("../golden/iterative.json")).unwrap();
    let case = |json: &Value| {
        let kernel: KernelSpec = serde_json::from_value(json["kernel"].clone()).unwrap();
        let hyper = Hyperparameters {
            kernel: kernel.build().unwrap(),
            noise_variance: json["noise_variance"].as_f64().unwrap(),
            mean: Mean::Constant(json["mean"].as_f64().unwrap()),
        };
        let y = Array1::from(numbers(&json["y"])).insert_axis(Axis(1));
        let probes = matrix(&json["probes"]).reversed_axes().as_standard_layout().to_owned();
        Case { hyper, x: matrix(&json["x"]), y, probes, json: json.clone() }
    };
    file["cases"].as_array().unwrap().iter().map(case).collect()
}

impl Case {
    /// With solves to rounding, or as far as `max_steps` go, for these probes.
    fn estimate(&self, probes: &Array2<f64>, max_steps: usize) -> LmlEstimate {
        let options = EstimatorOptions {
            probes: probes.ncols(),
            tolerance: 1e-14,
            nats: 1e-14,
            max_steps,
            ..EstimatorOptions::default()
        };
        let given = Given(probes.clone());
        lml_estimate_with(&self.hyper, &self.x, &self.y, &given, &options, 1).unwrap()
    }

    fn name(&self) -> &str {
        self.json["case"].as_str().unwrap()
    }
}

#[test]
fn quadratures_of_few_steps() {
    for case in cases() {
        for golden in case.json["slq_logdet"].as_array().unwrap() {
            let steps = golden["steps"].as_u64().unwrap() as usize;
            let found = case.estimate(&case.probes, steps);
            relative(case.name(), found.log_det, golden["mean"].as_f64().unwrap(), 1e-8);
            for (probe, expected) in numbers(&golden["per_probe"]).into_iter().enumerate() {
                // Two of the same, since one alone has no standard error.
                let alone = case.probes.select(Axis(1), &[probe, probe]);
                relative(case.name(), case.estimate(&alone, steps).log_det, expected, 1e-8);
            }
        }
    }
}

#[test]
fn quadratures_of_as_many_steps_as_rows() {
    for case in cases() {
        let golden = numbers(&case.json["exact_quadrature_per_probe"]);
        for (probe, expected) in golden.iter().enumerate() {
            let alone = case.probes.select(Axis(1), &[probe, probe]);
            let found = case.estimate(&alone, 1000);
            relative(case.name(), found.log_det, *expected, 1e-8);
        }
        let mean = golden.iter().sum::<f64>() / golden.len() as f64;
        let found = case.estimate(&case.probes, 1000);
        relative(case.name(), found.log_det, mean, 1e-8);
        // The quadratic term is exact, so the value is off by the log-determinant's error alone.
        let off = 0.5 * (case.json["logdet"].as_f64().unwrap() - mean);
        relative(case.name(), found.value - off, case.json["lml"].as_f64().unwrap(), 1e-8);
    }
}

#[test]
fn gradients_with_exact_solves() {
    for case in cases() {
        let found = case.estimate(&case.probes, 1000).gradient;
        let golden = numbers(&case.json["hutchinson_grad_exact_solves"]);
        let mut flat = found.log_kernel;
        flat.push(found.log_noise_variance);
        assert_eq!(flat.len(), golden.len());
        let scale = golden.iter().fold(0.0, |scale: f64, g| scale.max(g.abs()));
        for (g, golden) in flat.into_iter().zip(golden) {
            assert!((g - golden).abs() <= 1e-6 * scale, "{}: {g} for {golden}", case.name());
        }
    }
}
