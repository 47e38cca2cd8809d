//! Small problems at which the entries of K must be good to a few units of the last place. Exact
//! values were computed with 60 digits.

use bounds::exact::Exact;
use bounds::{Problem, SurrogateKind, lml_bracket, solve_auxiliary};
use kernels::{Constant, Linear, Matern12, Product, Sum};
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

/// Equal rows, more inducing points than different rows, noise of 3e-7: the moments of Q⁻¹K in 60 digits.
#[test]
fn moments_keep_their_digits_where_a_root_is_nearly_singular() {
    let x = array![
        [
            0.922267466219047,
            1.3602290772121164,
            0.298230551238981,
            -1.1231928997479244,
            -1.240926062433287
        ],
        [-0.3260412745048862, -0.6507106155373945, -1.9660991862413195, -0.30460748336688404, 0.0],
        [0.0, -1.1618452037642077, -0.8520885387521604, 0.0, 1.0049131686133679],
        [0.28850119855974843, 0.8183219423883029, 0.0, -1.0631906872051415, 0.0],
        [0.0, -1.1618452037642077, -0.8520885387521604, 0.0, 1.0049131686133679],
        [-1.2369993468729779, 0.0, 1.5289357141264612, 0.0, 0.0],
        [0.28850119855974843, 0.8183219423883029, 0.0, -1.0631906872051415, 0.0],
        [0.28850119855974843, 0.8183219423883029, 0.0, -1.0631906872051415, 0.0],
        [0.28850119855974843, 0.8183219423883029, 0.0, -1.0631906872051415, 0.0],
        [0.28850119855974843, 0.8183219423883029, 0.0, -1.0631906872051415, 0.0],
        [0.0, -1.1618452037642077, -0.8520885387521604, 0.0, 1.0049131686133679],
        [
            0.922267466219047,
            1.3602290772121164,
            0.298230551238981,
            -1.1231928997479244,
            -1.240926062433287
        ],
    ];
    let z = array![
        [
            0.9047392619435216,
            1.3996849020363964,
            0.2946704051630663,
            -1.1697690167240338,
            -1.230518150309591
        ],
        [
            -0.36370699190588635,
            -0.659227901442991,
            -1.9238982182071223,
            -0.28435771416249084,
            0.006262263308647676
        ],
        [
            0.02478544852964646,
            -1.1407437400452645,
            -0.821537806016307,
            -0.012234344184784352,
            0.9970054420129433
        ],
        [
            0.31021196720072536,
            0.8676073066285773,
            0.04306207684296384,
            -1.106584108957165,
            -0.037192463207678376
        ],
        [
            -0.032210898234861764,
            -1.1293633152578677,
            -0.8253963155568416,
            0.027302020300362353,
            1.025670226673285
        ],
        [
            -1.2569297949802862,
            0.045195960720182796,
            1.498711496920862,
            0.00023373580035830345,
            -0.02542691750733832
        ],
        [
            0.3006189893823168,
            0.7826314377383932,
            0.018737473325222267,
            -1.0875853488899718,
            0.03492234388632696
        ],
        [
            0.32532368545152573,
            0.7945902130228119,
            0.011580557542389604,
            -1.1097646057939505,
            0.009255946260837256
        ],
        [
            0.24680219805937195,
            0.7787741273284295,
            0.023440494896299315,
            -1.0296805656849304,
            -0.0018580359436439764
        ],
    ];
    let linear = Linear::new(vec![
        0.012419759080875213,
        0.04380375726153183,
        1.0,
        0.028266240929949678,
        0.040643244525713204,
    ]);
    let constant = Constant::new(33.34872689495244).unwrap();
    let sum = Sum::new(vec![Box::new(linear.unwrap()), Box::new(constant)]).unwrap();
    let matern = Matern12::new(vec![1.0], 57.94774665134872).unwrap();
    let kernel = Product::new(vec![Box::new(matern), Box::new(sum)]).unwrap();
    let problem = Problem::new(&kernel, &x, 2.7336287499099626e-7).unwrap();
    let problem = problem.with_inducing_points(&z, 2.1483013113098343e-5).unwrap();
    let moments = problem.moments(SurrogateKind::Nystrom).unwrap();
    let errors = [moments.trace_excess - 0.571073522637294, moments.squares - 0.0723449112575809];
    assert!(errors.iter().all(|error| error.abs() < 1e-8), "{errors:?}");
}
