//! Small problems at which the entries of K must be good to a few units of the last place. Exact
//! values were computed with 60 digits.

use bounds::exact::Exact;
use bounds::{Problem, lml_bracket, solve_auxiliary};
use linalg_cg::CgOptions;
use ndarray::{Array2, array};

use crate::support::kernel;

fn check(spec: &serde_json::Value, noise_variance: f64, data: &Array2<f64>, exact: f64) {
    let kernel = kernel(spec);
    let (x, y) = (data.slice(ndarray::s![.., ..1]), data.slice(ndarray::s![.., 1..]));
    let (x, y) = (x.to_owned(), y.to_owned());
    let problem = Problem::new(kernel.as_ref(), &x, noise_variance)
        .unwrap()
        .with_inducing_points(&x, 1e-8)
        .unwrap()
        .with_neighbours(2);
    let solution = solve_auxiliary(&problem, &y, 1e-3, None, &CgOptions::default()).unwrap();
    let bracket = lml_bracket(&problem, &y, &solution.v).unwrap();
    assert!(bracket.lower <= exact && exact <= bracket.upper, "{bracket:?} misses {exact}");
    let computed = Exact::new(&problem).unwrap().lml(&y).unwrap();
    let error = (computed - exact).abs();
    assert!(error <= 1e-9 * exact.abs() + bracket.rounding, "{computed} instead of {exact}");
}

#[test]
fn rows_that_nearly_coincide_under_a_kernel_with_a_cusp() {
    let spec = serde_json::json!(
        {"type": "matern12", "lengthscales": [0.004834816117193352], "variance": 1.0}
    );
    let data = array![
        [-1.0, 0.08885020757668186],
        [0.9999999997015221, 1.246346640051802],
        [0.9999999990181554, 0.012410629689008811],
    ];
    check(&spec, 1e-8, &data, -2515142.6225);
}

#[test]
fn a_million_cycles_of_a_periodic_kernel() {
    let spec = serde_json::json!(
        {"type": "periodic", "lengthscales": [0.1], "variance": 1.0, "period": 1.496895118715154e-6}
    );
    let data = array![
        [1.0452310165677747, -1.2599780755671912],
        [-0.062311208844821414, 1.654995217844716],
    ];
    check(&spec, 0.01, &data, -61.5346102909);
}
