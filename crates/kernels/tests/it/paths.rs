//! Every instruction set this processor has against plain scalar formulas (case 53).

use kernels::simd::{Pack, Simd};
use kernels::{Inputs, Kernel, KernelOperator, Scratch, Strip};
use linalg_cg::LinearOperator;
use ndarray::{Array2, ArrayRef2, s};

use crate::scalar;
use crate::support::{
    assert_close, assert_same_bits, bits, largest, naive_product, perturbed_catalogue, random,
};

const SIZES: [usize; 7] = [1, 2, 7, 8, 9, 461, 463];
const LARGE: [usize; 3] = [462, 1000, 1025];

/// The kernel matrix, strip by strip.
fn values(kernel: &dyn Kernel, inputs: &Inputs<'_>) -> Array2<f64> {
    let (n, n2) = (inputs.x().nrows(), inputs.x2().nrows());
    let (groups, mut scratch) = (n2.div_ceil(8), Scratch::default());
    let prepared = kernel.prepare(inputs);
    let mut matrix = Array2::zeros((n, n2));
    for rows in 0..n.div_ceil(8) {
        let mut k = vec![[Pack::ZERO; 8]; groups];
        prepared.fill(&Strip { rows, columns: 0..groups }, &mut k, &mut scratch);
        for (row, mut target) in
            matrix.slice_mut(s![8 * rows.., ..]).outer_iter_mut().take(8).enumerate()
        {
            target.iter_mut().enumerate().for_each(|(j, value)| *value = k[j / 8][row].0[j % 8]);
        }
    }
    matrix
}

fn check(kernel: &dyn Kernel, simd: Simd, x: &ArrayRef2<f64>) {
    let what = format!("{} on {}, n = {}", kernel.name(), simd.name(), x.nrows());
    let (x2, v) = (random(11, x.ncols(), 8), random(x.nrows(), 3, 9));
    let expected = scalar::block(&kernel.spec(), x, x);
    let tolerance = 1e-14 * (1.0 + largest(&expected));
    for inputs in [Inputs::square(x, simd), Inputs::square(x, simd).scaled_once()] {
        assert_close(&values(kernel, &inputs), &expected, tolerance, &what);
    }
    let cross = scalar::block(&kernel.spec(), x, &x2);
    assert_close(&values(kernel, &Inputs::pair(x, &x2, simd)), &cross, tolerance, &what);

    let expected = naive_product(&expected, &v) + &(&v * 0.3);
    let found = KernelOperator::with_simd(kernel, x, 0.3, simd).apply(&v);
    assert_close(&found, &expected, 1e-13 * (1.0 + largest(&expected)), &what);
}

#[test]
fn every_path_gives_the_values_and_products_of_the_formulas() {
    for simd in Simd::available() {
        for kernel in perturbed_catalogue(2, 21) {
            for n in SIZES {
                check(kernel.as_ref(), simd, &random(n, 2, 3));
            }
        }
        for kernel in perturbed_catalogue(3, 22).into_iter().step_by(3) {
            for n in LARGE {
                check(kernel.as_ref(), simd, &random(n, 3, 4));
            }
        }
    }
}

#[test]
fn every_path_gives_the_same_gradients() {
    let all = Simd::available();
    for n in SIZES.into_iter().chain(LARGE) {
        let (x, u, v) = (random(n, 2, 1), random(n, 3, 2), random(n, 3, 3));
        for kernel in perturbed_catalogue(2, 23) {
            let kernel = kernel.as_ref();
            let gradient = |simd: Simd| {
                KernelOperator::with_simd(kernel, &x, 0.0, simd).gradient_product(&u, &v)
            };
            let expected = gradient(all[0]);
            for &simd in &all[1..] {
                let tolerance = 1e-12 * (1.0 + n as f64) * (1.0 + largest(&expected));
                assert_close(&gradient(simd), &expected, tolerance, kernel.name());
            }
        }
    }
}

#[test]
fn every_path_has_the_same_bits_on_any_pool() {
    let (x, u, v) = (random(1025, 2, 1), random(1025, 3, 2), random(1025, 3, 3));
    for simd in Simd::available() {
        for kernel in perturbed_catalogue(2, 24) {
            let operator = KernelOperator::with_simd(kernel.as_ref(), &x, 0.3, simd);
            assert_same_bits(|| operator.apply(&v).into_iter().collect());
            assert_same_bits(|| operator.gradient_product(&u, &v));
        }
    }
}

/// Case 35: coordinates scaled once are relative to the middle of their column.
#[test]
fn a_common_offset_costs_a_product_no_digits() {
    let grid = random(300, 2, 1).mapv(|value| (value * 64.0).round() / 64.0);
    let (far, v) = (grid.mapv(|value| value + f64::from(1 << 20)), random(300, 2, 2));
    for simd in Simd::available() {
        for kernel in perturbed_catalogue(2, 25).into_iter().take(5) {
            let product = |x| KernelOperator::with_simd(kernel.as_ref(), x, 0.0, simd).apply(&v);
            assert_eq!(bits(&product(&grid)), bits(&product(&far)), "{}", kernel.name());
        }
    }
}

/// A row out of all proportion makes the kernel scale differences instead of coordinates.
#[test]
fn one_absurd_row_leaves_a_product_alone() {
    let (mut x, v) = (random(300, 2, 1), random(300, 1, 2));
    x.row_mut(17).fill(1e200);
    for simd in Simd::available() {
        for kernel in perturbed_catalogue(2, 26).into_iter().take(5) {
            let expected = naive_product(&scalar::block(&kernel.spec(), &x, &x), &v);
            let operator = KernelOperator::with_simd(kernel.as_ref(), &x, 0.0, simd);
            assert_close(&operator.apply(&v), &expected, 1e-12, kernel.name());
            assert!(operator.gradient_product(&v, &v).iter().all(|value| value.is_finite()));
        }
    }
}
