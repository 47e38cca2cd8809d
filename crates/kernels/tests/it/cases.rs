//! What users of other packages ran into: offsets, units, relevance determination, extremes.

use std::f64::consts::PI;

use kernels::{Kernel, gram_matrix};
use linalg_cg::Cholesky;
use ndarray::{Array1, Array2, Axis, array, concatenate, s};

use crate::support::{
    assert_close, bits, kernel, largest, parameters, perturbed_catalogue, random,
};

const STATIONARY: [&str; 5] = ["se", "matern12", "matern32", "matern52", "rq"];

fn stationary(name: &str, lengthscales: &[f64]) -> Box<dyn Kernel> {
    let alpha = if name == "rq" { r#", "alpha": 0.7"# } else { "" };
    kernel(&format!(
        r#"{{"type": "{name}", "lengthscales": {lengthscales:?}, "variance": 1.3{alpha}}}"#
    ))
}

/// Case 35: an offset common to all rows changes nothing, to the bit where adding it is exact.
#[test]
fn a_common_offset_costs_no_digits() {
    let grid = random(20, 2, 1).mapv(|value| (value * 64.0).round() / 64.0);
    let far = grid.mapv(|value| value + f64::from(1 << 20));
    let periodic =
        kernel(r#"{"type": "periodic", "lengthscales": [0.8], "variance": 1.3, "period": 0.7}"#);
    for kernel in STATIONARY.map(|name| stationary(name, &[0.3, 0.9])).into_iter().chain([periodic])
    {
        assert_eq!(
            bits(&kernel.block(&grid, &grid)),
            bits(&kernel.block(&far, &far)),
            "{kernel:?}"
        );
    }
}

/// Case 35: the log marginal likelihood at growing offsets.
#[test]
fn the_likelihood_survives_large_offsets() {
    let t = Array1::linspace(0.0, 1.0, 20);
    let y = t.mapv(|t| f64::sin(6.0 * t));
    let kernel = kernel(r#"{"type": "se", "lengthscales": [0.2], "variance": 1.0}"#);
    for offset in [0.0, 1e3, 1e6] {
        let x = t.mapv(|t| offset + t).insert_axis(Axis(1));
        let k = gram_matrix(kernel.as_ref(), &x) + &(Array2::<f64>::eye(20) * 0.01);
        let factor = Cholesky::factor(k).unwrap();
        let quad = (factor.solve_vec(&y) * &y).sum();
        let lml = -0.5 * (quad + factor.log_det() + 20.0 * (2.0 * PI).ln());
        assert!((lml - 9.521_327_739_4).abs() < 1e-8, "{lml} at offset {offset}");
    }
}

/// Case 36: inputs and lengthscales in another unit, the same bits when the unit is a power of two.
#[test]
fn the_unit_of_a_column_does_not_matter() {
    let x = random(20, 2, 1);
    for factor in [f64::from(1 << 20), 1.0 / f64::from(1 << 20)] {
        let scaled = &x * &array![1.0, factor];
        for name in STATIONARY {
            let (here, there) =
                (stationary(name, &[0.3, 0.9]), stationary(name, &[0.3, 0.9 * factor]));
            let (k, scaled_k) = (here.block(&x, &x), there.block(&scaled, &scaled));
            assert_eq!(bits(&k), bits(&scaled_k), "{name}");
        }
    }
    let scaled = &x * &array![1.0, 1e6];
    for name in STATIONARY {
        let (here, there) = (stationary(name, &[0.3, 0.9]), stationary(name, &[0.3, 0.9e6]));
        assert_close(&there.block(&scaled, &scaled), &here.block(&x, &x), 1e-13, name);
    }
}

/// Case 39: one lengthscale is that lengthscale for each column.
#[test]
fn equal_lengthscales_are_one_lengthscale() {
    let (x, w) = (random(9, 3, 1), random(9, 9, 2));
    for name in STATIONARY {
        let (one, each) = (stationary(name, &[0.8]), stationary(name, &[0.8, 0.8, 0.8]));
        assert_eq!(bits(&one.block(&x, &x)), bits(&each.block(&x, &x)), "{name}");
        let gradient = |kernel: &dyn Kernel| {
            let mut grad = vec![0.0; parameters(kernel).len()];
            kernel.accumulate_gradient(&x, &x, &w, &mut grad);
            grad
        };
        let (one, each) = (gradient(one.as_ref()), gradient(each.as_ref()));
        let summed: Vec<f64> =
            [each[..3].iter().sum()].into_iter().chain(each[3..].iter().copied()).collect();
        assert_close(&one, &summed, 1e-12, name);
    }
}

/// Case 39: columns swapped together with their lengthscales.
#[test]
fn the_order_of_columns_does_not_matter() {
    let x = random(9, 3, 1);
    let swapped = x.select(Axis(1), &[2, 0, 1]);
    for name in STATIONARY {
        let here = stationary(name, &[0.5, 0.8, 2.0]).block(&x, &x);
        let there = stationary(name, &[2.0, 0.5, 0.8]).block(&swapped, &swapped);
        assert_close(&here, &there, 1e-14, name);
    }
}

/// Case 34: a constant column tells no two rows apart.
#[test]
fn a_constant_column_changes_nothing() {
    let x = random(9, 2, 1);
    for value in [0.0, 7.0, 1e9] {
        let column = Array2::from_elem((9, 1), value);
        let wider = concatenate(Axis(1), &[x.view(), column.view()]).unwrap();
        for name in STATIONARY {
            let narrow = stationary(name, &[0.5, 0.8]).block(&x, &x);
            let wide = stationary(name, &[0.5, 0.8, 0.1]).block(&wider, &wider);
            assert_eq!(bits(&narrow), bits(&wide), "{name}");
        }
    }
}

/// Rows as far apart as numbers go: no covariance, no gradient, no NaN.
#[test]
fn far_rows_are_uncorrelated_and_never_nan() {
    let x = array![[0.0], [1e-300], [1.0], [1e160], [-1e300], [f64::MAX], [f64::MIN]];
    for name in STATIONARY {
        for lengthscale in [1e-300, 1e-8, 1.0, 1e150, 1e300] {
            let kernel = stationary(name, &[lengthscale]);
            let k = kernel.block(&x, &x);
            assert!(k.iter().all(|&value| (0.0..=1.3).contains(&value)), "{name}: {k}");
            assert_eq!(k.diag(), kernel.diag(&x), "{name}");
            let mut grad = vec![0.0; parameters(kernel.as_ref()).len()];
            kernel.accumulate_gradient(&x, &x, &Array2::ones((7, 7)), &mut grad);
            assert!(grad.iter().all(|value| value.is_finite()), "{name} {lengthscale}: {grad:?}");
        }
    }
}

#[test]
fn a_tiny_lengthscale_leaves_the_diagonal() {
    let x = array![[0.0], [1.0], [2.0]];
    for name in ["se", "matern12", "matern32", "matern52"] {
        let k = stationary(name, &[1e-12]).block(&x, &x);
        assert_eq!(k, Array2::<f64>::eye(3) * 1.3, "{name}");
    }
}

#[test]
fn extreme_shapes_stay_finite() {
    let x = array![[0.0], [1e-3], [1.0], [1e3], [1e200]];
    let weights = Array2::ones((5, 5));
    for shape in [1e-300, 1e-10, 1e-3, 1e3, 1e10, 1e300] {
        for json in [
            format!(
                r#"{{"type": "rq", "lengthscales": [1.0], "variance": 1.0, "alpha": {shape:e}}}"#
            ),
            format!(
                r#"{{"type": "periodic", "lengthscales": [{shape:e}], "variance": 1.0, "period": 3.0}}"#
            ),
            format!(
                r#"{{"type": "periodic", "lengthscales": [1.0], "variance": 1.0, "period": {shape:e}}}"#
            ),
        ] {
            let kernel = kernel(&json);
            let k = kernel.block(&x, &x);
            assert!(k.iter().all(|&value| (0.0..=1.0).contains(&value)), "{json}: {k}");
            let mut grad = vec![0.0; parameters(kernel.as_ref()).len()];
            kernel.accumulate_gradient(&x, &x, &weights, &mut grad);
            assert!(grad.iter().all(|value| value.is_finite()), "{json}: {grad:?}");
            let mut grad = Array2::zeros(x.dim());
            kernel.accumulate_input_gradient(&x, &x, &weights, &mut grad);
            assert!(grad.iter().all(|value| value.is_finite()), "{json}: {grad}");
        }
    }
}

/// A large α is the squared exponential, without the cancellation of forming 1 + r²/(2α).
#[test]
fn a_large_alpha_is_the_squared_exponential() {
    let x = random(9, 2, 1);
    let rational =
        kernel(r#"{"type": "rq", "lengthscales": [0.5, 0.8], "variance": 1.3, "alpha": 1e14}"#);
    let limit = stationary("se", &[0.5, 0.8]);
    assert_close(&rational.block(&x, &x), &limit.block(&x, &x), 1e-12, "rq");
    let mut grad = vec![0.0; 4];
    rational.accumulate_gradient(&x, &x, &Array2::ones((9, 9)), &mut grad);
    assert!(grad[3].abs() < 1e-9, "alpha does not matter any more: {}", grad[3]);
}

/// White noise is a property of a row's place on the training diagonal, not of its inputs.
#[test]
fn white_noise_is_not_in_the_block() {
    let sum = kernel(
        r#"{"type": "sum", "terms": [{"type": "white", "variance": 0.4},
            {"type": "sum", "terms": [{"type": "white", "variance": 0.1}, {"type": "constant", "variance": 2.0}]}]}"#,
    );
    let x = Array2::zeros((3, 1));
    assert_eq!(sum.block(&x, &x), Array2::from_elem((3, 3), 2.0));
    assert_eq!(sum.diag(&x), Array1::from_elem(3, 2.0));
    assert_eq!(sum.white_variance(), 0.5);
    let mut grad = vec![0.0; 3];
    sum.accumulate_white_gradient(10.0, &mut grad);
    assert_eq!(grad, [4.0, 1.0, 0.0]);
}

/// Active columns see their own columns and move nothing else.
#[test]
fn active_columns_leave_the_others_alone() {
    let picked = kernel(
        r#"{"type": "matern52", "lengthscales": [0.5, 0.8], "variance": 1.3, "active_dims": [2, 0]}"#,
    );
    let plain = stationary("matern52", &[0.5, 0.8]);
    let (x, x2, w) = (random(6, 3, 1), random(5, 3, 2), random(6, 5, 3));
    let (seen, seen2) = (x.select(Axis(1), &[2, 0]), x2.select(Axis(1), &[2, 0]));
    assert_eq!(bits(&picked.block(&x, &x2)), bits(&plain.block(&seen, &seen2)));
    let (mut grad, mut grad_seen) = (Array2::zeros((6, 3)), Array2::zeros((6, 2)));
    picked.accumulate_input_gradient(&x, &x2, &w, &mut grad);
    plain.accumulate_input_gradient(&seen, &seen2, &w, &mut grad_seen);
    assert_eq!(grad.select(Axis(1), &[2, 0]), grad_seen);
    assert_eq!(largest(grad.slice(s![.., 1])), 0.0);
}

/// Squared distances that overflow or underflow in between do not spoil neighbours in the tile.
#[test]
fn one_absurd_row_leaves_the_others_alone() {
    let mut x = random(40, 2, 1);
    let clean = x.clone();
    x.row_mut(17).fill(1e200);
    for kernel in perturbed_catalogue(2, 1) {
        let (k, expected) = (kernel.block(&x, &x), kernel.block(&clean, &clean));
        for ((i, j), value) in k.indexed_iter().filter(|((i, j), _)| *i != 17 && *j != 17) {
            assert_eq!(value.to_bits(), expected[[i, j]].to_bits(), "{kernel:?}");
        }
    }
}
