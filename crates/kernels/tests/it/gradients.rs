//! Every gradient against central differences, for every kernel of the catalogue.

use kernels::{
    Kernel, contract_gradient, contract_gradients, contract_input_gradient,
    contract_symmetric_gradient, gram_matrix,
};
use ndarray::{Array1, Array2, ArrayRef2};
use proptest::prelude::*;

use crate::support::{
    DIMENSIONS, assert_close, assert_same_bits, largest, parameters, perturbed_catalogue, random,
    random_vec, stepped, weighted,
};

/// Step of the differences of input gradients: truncation and rounding are then both about 1e-10.
const STEP: f64 = 1e-5;
/// Step of the differences in log-parameters. They are of fourth order, because in the period of
/// distant rows the third derivative is thousands of times the first.
const LOG_STEP: f64 = 1e-4;
/// What is allowed, relative to the sum of magnitudes.
const TOLERANCE: f64 = 1e-8;

/// Central differences of fourth order of `value` in the logarithm of each parameter:
/// `(8 (f(h) − f(−h)) − (f(2h) − f(−2h))) / 12h`.
fn differences(kernel: &dyn Kernel, value: impl Fn(&dyn Kernel) -> f64) -> Vec<f64> {
    (0..parameters(kernel).len())
        .map(|index| {
            let at = |steps: f64| value(stepped(kernel, index, steps * LOG_STEP).as_ref());
            (8.0 * (at(1.0) - at(-1.0)) - (at(2.0) - at(-2.0))) / (12.0 * LOG_STEP)
        })
        .collect()
}

/// `Σ |W ∘ k|` and a little more: the scale of a contracted gradient.
fn magnitude(
    kernel: &dyn Kernel,
    x: &ArrayRef2<f64>,
    x2: &ArrayRef2<f64>,
    w: &ArrayRef2<f64>,
) -> f64 {
    1.0 + (kernel.block(x, x2) * w).iter().map(|value| value.abs()).sum::<f64>()
}

fn gradient(
    kernel: &dyn Kernel,
    x: &ArrayRef2<f64>,
    x2: &ArrayRef2<f64>,
    w: &ArrayRef2<f64>,
) -> Vec<f64> {
    let mut grad = vec![0.0; parameters(kernel).len()];
    kernel.accumulate_gradient(x, x2, w, &mut grad);
    grad
}

fn check_parameters(kernel: &dyn Kernel, x: &ArrayRef2<f64>, x2: &ArrayRef2<f64>, seed: u64) {
    let w = random(x.nrows(), x2.nrows(), seed ^ 2);
    let expected = differences(kernel, |kernel| weighted(kernel, x, x2, &w));
    let tolerance = TOLERANCE * magnitude(kernel, x, x2, &w);
    assert_close(&gradient(kernel, x, x2, &w), &expected, tolerance, &format!("{kernel:?}"));
}

fn check_inputs(kernel: &dyn Kernel, x: &ArrayRef2<f64>, x2: &ArrayRef2<f64>, seed: u64) {
    let w = random(x.nrows(), x2.nrows(), seed ^ 3);
    let mut grad = Array2::zeros(x.dim());
    kernel.accumulate_input_gradient(x, x2, &w, &mut grad);
    let moved = |i: usize, d: usize, step: f64| {
        let mut x = x.to_owned();
        x[[i, d]] += step;
        weighted(kernel, &x, x2, &w)
    };
    let expected = Array2::from_shape_fn(x.dim(), |(i, d)| {
        (moved(i, d, STEP) - moved(i, d, -STEP)) / (2.0 * STEP)
    });
    let tolerance = 10.0 * TOLERANCE * (magnitude(kernel, x, x2, &w) + largest(&expected));
    assert_close(&grad, &expected, tolerance, &format!("{kernel:?}"));
}

fn check_diag(kernel: &dyn Kernel, x: &ArrayRef2<f64>, seed: u64) {
    let w = random_vec(x.nrows(), seed ^ 4);
    let mut grad = vec![0.0; parameters(kernel).len()];
    kernel.accumulate_diag_gradient(x, &w, &mut grad);
    let value = |kernel: &dyn Kernel| (kernel.diag(x) * &w).sum();
    let scale = 1.0 + kernel.diag(x).sum();
    assert_close(&grad, &differences(kernel, value), TOLERANCE * scale, &format!("{kernel:?}"));
}

fn check_white(kernel: &dyn Kernel) {
    let mut grad = vec![0.0; parameters(kernel).len()];
    kernel.accumulate_white_gradient(3.0, &mut grad);
    let expected = differences(kernel, |kernel| 3.0 * kernel.white_variance());
    assert_close(&grad, &expected, TOLERANCE, kernel.name());
}

/// Rows no two of which are near: differences do not straddle a kernel's cusp.
fn apart(n: usize, d: usize, seed: u64) -> Array2<f64> {
    random(n, d, seed) * 0.01
        + &Array2::from_shape_fn((n, d), |(i, k)| 0.37 * i as f64 - 0.2 * k as f64)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn parameter_gradients_match_differences(seed in any::<u64>()) {
        for d in DIMENSIONS {
            let (x, x2) = (random(6, d, seed), random(5, d, seed ^ 1));
            for kernel in perturbed_catalogue(d, seed) {
                check_parameters(kernel.as_ref(), &x, &x2, seed);
                check_diag(kernel.as_ref(), &x, seed);
                check_white(kernel.as_ref());
            }
        }
    }

    /// Case 38: where rows coincide there is no division by their distance.
    #[test]
    fn parameter_gradients_match_differences_at_repeated_rows(seed in any::<u64>()) {
        for d in DIMENSIONS {
            let mut x = random(6, d, seed);
            for (from, to) in [(0, 1), (0, 4), (2, 5)] {
                let row = x.row(from).to_owned();
                x.row_mut(to).assign(&row);
            }
            for kernel in perturbed_catalogue(d, seed) {
                check_parameters(kernel.as_ref(), &x, &x, seed);
            }
        }
    }

    #[test]
    fn input_gradients_match_differences(seed in any::<u64>()) {
        for d in DIMENSIONS {
            let (x, x2) = (apart(4, d, seed), apart(5, d, seed ^ 1) + 0.17);
            for kernel in perturbed_catalogue(d, seed) {
                check_inputs(kernel.as_ref(), &x, &x2, seed);
            }
        }
    }
}

#[test]
fn gradients_are_added_to_what_is_there() {
    let x = random(4, 2, 1);
    let (w, w_diag) = (Array2::zeros((4, 4)), Array1::zeros(4));
    for kernel in perturbed_catalogue(2, 1) {
        let mut grad = vec![7.0; parameters(kernel.as_ref()).len()];
        let mut grad_x = Array2::from_elem((4, 2), 7.0);
        kernel.accumulate_gradient(&x, &x, &w, &mut grad);
        kernel.accumulate_diag_gradient(&x, &w_diag, &mut grad);
        kernel.accumulate_white_gradient(0.0, &mut grad);
        kernel.accumulate_input_gradient(&x, &x, &w, &mut grad_x);
        assert!(grad.iter().chain(&grad_x).all(|&value| value == 7.0), "{kernel:?}");
    }
}

#[test]
fn input_gradients_are_finite_at_repeated_rows() {
    let x = Array2::from_elem((3, 2), 0.4);
    for kernel in perturbed_catalogue(2, 1) {
        let mut grad = Array2::zeros(x.dim());
        kernel.accumulate_input_gradient(&x, &x, &random(3, 3, 2), &mut grad);
        assert!(grad.iter().all(|value| value.is_finite()), "{kernel:?}");
    }
}

#[test]
fn contractions_equal_the_kernels_own() {
    let (x, x2, w) = (random(300, 2, 1), random(270, 2, 2), random(300, 270, 3));
    let square = random(300, 300, 4);
    let symmetric = &square + &square.t();
    for kernel in perturbed_catalogue(2, 5) {
        let kernel = kernel.as_ref();
        let close = |found: &[f64], expected: &[f64]| {
            assert_close(found, expected, 1e-11 * (1.0 + largest(expected)), kernel.name());
        };
        close(&contract_gradient(kernel, &x, &x2, &w), &gradient(kernel, &x, &x2, &w));
        let expected = gradient(kernel, &x, &x, &symmetric);
        close(&contract_symmetric_gradient(kernel, &x, &symmetric), &expected);
        let mut grad = Array2::zeros(x.dim());
        kernel.accumulate_input_gradient(&x, &x2, &w, &mut grad);
        let found = contract_input_gradient(kernel, &x, &x2, &w);
        close(found.as_slice().unwrap(), grad.as_slice().unwrap());
        let (in_parameters, in_rows) = contract_gradients(kernel, &x, &x2, &w);
        close(&in_parameters, &gradient(kernel, &x, &x2, &w));
        close(in_rows.as_slice().unwrap(), grad.as_slice().unwrap());
    }
}

#[test]
fn contractions_and_matrices_have_the_same_bits_on_any_pool() {
    let (x, x2, w) = (random(500, 2, 1), random(333, 2, 2), random(500, 333, 3));
    let square = random(500, 500, 4);
    for kernel in perturbed_catalogue(2, 5) {
        let kernel = kernel.as_ref();
        assert_same_bits(|| contract_gradient(kernel, &x, &x2, &w));
        assert_same_bits(|| contract_symmetric_gradient(kernel, &x, &square));
        assert_same_bits(|| contract_input_gradient(kernel, &x, &x2, &w).into_iter().collect());
        assert_same_bits(|| {
            let (in_parameters, in_rows) = contract_gradients(kernel, &x, &x2, &w);
            in_parameters.into_iter().chain(in_rows).collect()
        });
        assert_same_bits(|| gram_matrix(kernel, &x).into_iter().collect());
    }
}
