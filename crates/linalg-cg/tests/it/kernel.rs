//! Kernel matrices written out directly, by the conventions of the golden file.

use ndarray::{Array1, Array2, ArrayView1};
use serde_json::Value;

/// `K_ff [N, N]` of the kernel that `spec` describes, at the rows of `x [N, D]`.
pub(crate) fn matrix(spec: &Value, x: &Array2<f64>) -> Array2<f64> {
    Array2::from_shape_fn((x.nrows(), x.nrows()), |(i, j)| value(spec, &x.row(i), &x.row(j)))
}

pub(crate) fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap()).collect()
}

pub(crate) fn table(value: &Value) -> Array2<f64> {
    let rows: Vec<Vec<f64>> = value.as_array().unwrap().iter().map(numbers).collect();
    let columns = rows.first().map_or(0, Vec::len);
    Array2::from_shape_vec((rows.len(), columns), rows.concat()).unwrap()
}

fn value(spec: &Value, x: &ArrayView1<f64>, x2: &ArrayView1<f64>) -> f64 {
    let (x, x2) = (active(spec, x), active(spec, x2));
    let variance = || spec["variance"].as_f64().unwrap();
    let terms =
        || spec["terms"].as_array().unwrap().iter().map(|s| value(s, &x.view(), &x2.view()));
    match spec["type"].as_str().unwrap() {
        "sum" => terms().sum(),
        "product" => terms().product(),
        "constant" => variance(),
        "linear" => {
            let variances = Array1::from(numbers(&spec["variances"]));
            (&x * &x2 * &variances).sum()
        }
        "periodic" => {
            let phase = (&x - &x2) * (std::f64::consts::PI / spec["period"].as_f64().unwrap());
            let sines = phase.mapv(f64::sin) / &lengthscales(spec, x.len());
            variance() * (-2.0 * sines.mapv(|s| s * s).sum()).exp()
        }
        profile => {
            let scaled = (&x - &x2) / &lengthscales(spec, x.len());
            variance() * stationary(profile, scaled.dot(&scaled).sqrt())
        }
    }
}

fn stationary(profile: &str, r: f64) -> f64 {
    let (root3, root5) = (3f64.sqrt() * r, 5f64.sqrt() * r);
    match profile {
        "se" => (-0.5 * r * r).exp(),
        "matern32" => (1.0 + root3) * (-root3).exp(),
        "matern52" => (1.0 + root5 + root5 * root5 / 3.0) * (-root5).exp(),
        other => panic!("no kernel `{other}` here"),
    }
}

fn lengthscales(spec: &Value, d: usize) -> Array1<f64> {
    let given = numbers(&spec["lengthscales"]);
    if given.len() == d { given.into() } else { Array1::from_elem(d, given[0]) }
}

fn active(spec: &Value, x: &ArrayView1<f64>) -> Array1<f64> {
    match spec.get("active_dims").and_then(Value::as_array) {
        Some(dims) => dims.iter().map(|dim| x[dim.as_u64().unwrap() as usize]).collect(),
        None => x.to_owned(),
    }
}
