//! Products in single precision: for conjugate gradients' directions, never for a result.

use kernels::simd::{Lanes, Simd, SinglePack, Singles, Task, Vector};
use kernels::{Kernel, KernelOperator, Store, gram_matrix};
use linalg_cg::{CgOptions, LinearOperator, Preconditioner, ScaledIdentity, Stop, cg};
use ndarray::{Array2, ArrayRef2, Axis, concatenate, s};

use crate::support::{assert_close, assert_same_bits, bits, kernel, largest, random, random_vec};

const SHIFT: f64 = 0.3;
/// The error of a product, of its largest entry.
const ERROR: f64 = 1.5e-6;

/// Stationary kernels and what single precision can be had of beside them.
fn kernels() -> Vec<Box<dyn Kernel>> {
    let leaf = |name: &str| {
        format!(r#"{{"type": "{name}", "lengthscales": [0.8, 1.7], "variance": 1.4}}"#)
    };
    let rq = r#"{"type": "rq", "lengthscales": [1.1], "variance": 0.6, "alpha": 1.3}"#.to_owned();
    let (constant, white) =
        (r#"{"type": "constant", "variance": 0.1}"#, r#"{"type": "white", "variance": 0.2}"#);
    let active = r#"{"type": "se", "lengthscales": [0.5], "variance": 0.9, "active_dims": [1]}"#;
    let product = format!(r#"{{"type": "product", "terms": [{active}, {}]}}"#, leaf("matern52"));
    let sum = format!(r#"{{"type": "sum", "terms": [{product}, {constant}, {white}]}}"#);
    let leaves = ["se", "matern12", "matern32", "matern52"].map(leaf);
    leaves.into_iter().chain([rq, product, sum]).map(|json| kernel(&json)).collect()
}

fn operator<'a>(kernel: &'a dyn Kernel, x: &'a ArrayRef2<f64>, simd: Simd) -> KernelOperator<'a> {
    let operator = KernelOperator::with_simd(kernel, x, SHIFT, simd).search_in_single_precision();
    assert!(operator.searches_in_single_precision(), "{}", kernel.name());
    operator
}

#[test]
fn products_agree_with_double_precision_on_every_path() {
    for simd in Simd::available() {
        for n in [0, 1, 2, 15, 16, 17, 461, 463, 1000, 1025] {
            let (x, v) = (random(n, 2, 1), random(n, 3, 2));
            for kernel in kernels() {
                let operator = operator(kernel.as_ref(), &x, simd);
                let exact = operator.apply(&v);
                let what = format!("{} on {}, n = {n}", kernel.name(), simd.name());
                let tolerance = ERROR * largest(&exact);
                assert_close(&operator.apply_search(&v), &exact, tolerance, &what);
            }
        }
    }
}

#[test]
fn products_have_the_same_bits_on_any_pool_and_beside_other_columns() {
    let (x, v) = (random(1300, 2, 1), random(1300, 35, 2));
    for simd in Simd::available() {
        for kernel in kernels().into_iter().step_by(3) {
            let operator = operator(kernel.as_ref(), &x, simd);
            let some = v.slice(s![.., ..3]);
            assert_same_bits(|| operator.apply_search(&some).into_iter().collect());
            let together = operator.apply_search(&v);
            for column in [0, 34] {
                let alone = operator.apply_search(&v.slice(s![.., column..=column]));
                assert_eq!(bits(together.column(column)), bits(&alone));
            }
        }
    }
}

/// Equal rows are at distance exactly 0, whatever is added to all of them.
#[test]
fn duplicates_and_offsets_cost_nothing() {
    let grid = random(150, 2, 1).mapv(|value| (value * 64.0).round() / 64.0);
    let x = concatenate(Axis(0), &[grid.view(), grid.view()]).unwrap();
    let (far, v) = (x.mapv(|value| value + f64::from(1 << 20)), random(300, 1, 2));
    let opposite = concatenate(Axis(0), &[v.slice(s![..150, ..]), (-&v).slice(s![..150, ..])]);
    let opposite = opposite.unwrap();
    for simd in Simd::available() {
        for kernel in kernels() {
            let here = operator(kernel.as_ref(), &x, simd);
            let there = operator(kernel.as_ref(), &far, simd);
            assert_eq!(bits(&here.apply_search(&v)), bits(&there.apply_search(&v)));
            // K v = shift v: what is left is the order of summation.
            let left = here.apply_search(&opposite) - &opposite * SHIFT;
            assert!(largest(&left) < 1e-4, "{} on {}", kernel.name(), simd.name());
        }
    }
}

#[test]
fn entries_of_any_size_are_multiplied() {
    let (x, v) = (random(100, 2, 1), random(100, 1, 2));
    let kernel = kernels().swap_remove(2);
    let operator = operator(kernel.as_ref(), &x, Simd::detect());
    let product = operator.apply_search(&v);
    for scale in [f64::from_bits(1 << 58), 2.0_f64.powi(-200), 2.0_f64.powi(300)] {
        let scaled = operator.apply_search(&(&v * scale));
        assert_eq!(bits(&scaled), bits(&(&product * scale)));
    }
    let zeros = Array2::<f64>::zeros((100, 2));
    assert_eq!(operator.apply_search(&zeros), zeros);
}

/// Where single precision is not good enough, or of no use, directions are multiplied as residuals.
#[test]
fn double_precision_is_what_is_fallen_back_to() {
    let (mut x, v) = (random(100, 2, 1), random(100, 1, 2));
    let linear = kernel(r#"{"type": "linear", "variances": [1.0]}"#);
    let matern = kernels().swap_remove(2);
    let same = |kernel: &dyn Kernel, x: &ArrayRef2<f64>, store| {
        let operator = KernelOperator::new(kernel, x, SHIFT).search_in_single_precision();
        let operator = operator.store(store, u64::MAX);
        assert!(!operator.searches_in_single_precision());
        assert_eq!(bits(&operator.apply_search(&v)), bits(&operator.apply(&v)));
    };
    same(linear.as_ref(), &x, Store::Never);
    same(matern.as_ref(), &x, Store::IfItFits);
    x *= 1e3;
    same(matern.as_ref(), &x, Store::Never);
}

/// One row far out leaves single precision to all others, as exact as without it.
#[test]
fn an_outlier_costs_the_others_nothing() {
    let (mut x, v) = (random(300, 2, 1), random(300, 1, 2));
    x[[3, 0]] = 1e4;
    for kernel in kernels() {
        let operator = operator(kernel.as_ref(), &x, Simd::detect());
        let exact = operator.apply(&v);
        let tolerance = ERROR * largest(&exact);
        assert_close(&operator.apply_search(&v), &exact, tolerance, kernel.name());
    }
}

#[test]
fn conjugate_gradients_reach_a_tolerance_of_double_precision() {
    let (x, y) = (random(400, 2, 1), random_vec(400, 2));
    for kernel in kernels() {
        let noise = ScaledIdentity::new(400, SHIFT).unwrap();
        let operator = operator(kernel.as_ref(), &x, Simd::detect());
        let stop = Stop::QuadraticSlack { nats: 1e-12, inverse: &noise };
        let solution = cg(&operator, &y, &noise, &stop, None, &CgOptions::default()).unwrap();
        assert!(solution.report.converged(), "{}: {:?}", kernel.name(), solution.report);
        let k = gram_matrix(kernel.as_ref(), &x);
        let product = (&k * &solution.v).sum_axis(Axis(1)) + &solution.v * SHIFT;
        let slack = 0.5 * noise.quad_vec(&(&y - &product));
        assert!(slack <= 1.1e-12, "{}: {slack}", kernel.name());
    }
}

/// Powers, roots and logarithms of sixteen numbers.
struct Functions(SinglePack);

impl Task for Functions {
    type Output = [SinglePack; 3];

    #[inline(always)]
    fn run<V: Lanes>(self) -> Self::Output {
        let x = V::Single::load(&self.0);
        let mut results = [SinglePack::ZERO; 3];
        x.exp2_neg().store(&mut results[0]);
        x.sqrt().store(&mut results[1]);
        x.ln_1p().store(&mut results[2]);
        results
    }
}

#[test]
fn functions_err_by_few_units_of_the_last_place() {
    let numbers = std::iter::successors(Some(1e-30_f32), |x| Some(x * 1.001));
    let numbers: Vec<f32> = numbers.take_while(|&x| x < 120.0).collect();
    for simd in Simd::available() {
        for chunk in numbers.chunks_exact(16) {
            let x: [f32; 16] = std::array::from_fn(|lane| chunk[lane]);
            let found = simd.run(Functions(SinglePack(x)));
            for (lane, x) in x.into_iter().map(f64::from).enumerate() {
                let exact = [(-x).exp2(), x.sqrt(), x.ln_1p()];
                for (found, exact) in found.iter().zip(exact) {
                    let error = (f64::from(found.0[lane]) - exact).abs() / exact;
                    assert!(error < 4.0 * f64::from(f32::EPSILON), "{x} on {}", simd.name());
                }
            }
        }
        let ends = simd.run(Functions(SinglePack([0.0; 16])));
        assert_eq!([ends[0].0[0], ends[1].0[0], ends[2].0[0]], [1.0, 0.0, 0.0]);
        assert_eq!(simd.run(Functions(SinglePack([2_097_152.0; 16])))[0].0[3], 0.0);
    }
}
