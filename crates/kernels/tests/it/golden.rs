//! Kernel values against reference values computed with 256 bits.

use std::collections::BTreeMap;

use kernels::{KernelSpec, gram_matrix, kernel_matrix};
use ndarray::{Array2, ArrayRef2, s};
use serde::Deserialize;

use crate::support::{assert_close, parameters};

#[derive(Deserialize)]
struct Golden {
    datasets: BTreeMap<String, Dataset>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Dataset {
    x: Vec<Vec<f64>>,
    z: Vec<Vec<f64>>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    dataset: String,
    kernel: KernelSpec,
    param_names: Vec<String>,
    param_values: Vec<f64>,
    k_xx: Vec<Entry>,
    k_xz_first_row: Vec<f64>,
    k_diag_first: Vec<f64>,
    k_xx_frobenius: f64,
}

#[derive(Deserialize)]
struct Entry {
    i: usize,
    j: usize,
    value: f64,
}

fn golden() -> Golden {
    serde_json::from_str(include_str!("../golden/kernels.json")).unwrap()
}

fn matrix(rows: &[Vec<f64>]) -> Array2<f64> {
    let flat: Vec<f64> = rows.iter().flatten().copied().collect();
    Array2::from_shape_vec((rows.len(), rows[0].len()), flat).unwrap()
}

/// Relative tolerance: rounding of a few operations, and of the decimal digits.
const TOLERANCE: f64 = 1e-13;

fn check(case: &Case, x: &ArrayRef2<f64>, z: &ArrayRef2<f64>) {
    let kernel = case.kernel.build().unwrap();
    let (kernel, scale) = (kernel.as_ref(), case.k_xx_frobenius);
    let tolerance = TOLERANCE * scale;
    let k = gram_matrix(kernel, x);
    for entry in &case.k_xx {
        assert_close([&k[[entry.i, entry.j]]], [&entry.value], tolerance, &case.name);
    }
    let frobenius = k.iter().map(|value| value * value).sum::<f64>().sqrt();
    assert_close([&frobenius], [&case.k_xx_frobenius], tolerance, &case.name);
    let k_xz = kernel_matrix(kernel, x, z);
    assert_close(k_xz.row(0), &case.k_xz_first_row, tolerance, &case.name);
    let diag = kernel.diag(&x.slice(s![..case.k_diag_first.len(), ..]));
    assert_close(&diag, &case.k_diag_first, tolerance, &case.name);
}

#[test]
fn kernel_values_match_the_reference() {
    let golden = golden();
    assert_eq!(golden.cases.len(), 24);
    for case in &golden.cases {
        let dataset = &golden.datasets[&case.dataset];
        check(case, &matrix(&dataset.x), &matrix(&dataset.z));
    }
}

#[test]
fn parameters_have_the_names_and_the_order_of_the_reference() {
    for case in golden().cases {
        let kernel = case.kernel.build().unwrap();
        let names: Vec<String> = kernel
            .parameters()
            .iter()
            .map(|parameter| format!("kernel.{}", parameter.name))
            .chain(["noise_variance".to_owned(), "mean".to_owned()])
            .collect();
        assert_eq!(names, case.param_names, "{}", case.name);
        let values = parameters(kernel.as_ref());
        assert_eq!(values, case.param_values[..values.len()], "{}", case.name);
    }
}
