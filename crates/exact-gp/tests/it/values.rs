//! Known values of the LML, against other packages and a factorisation written out here.

use crate::support::{
    close, close_all, column, condition, grid, leaf, lml, model, points, se, targets,
};
use gp_core::Posterior;
use ndarray::{Array2, ArrayRef1, ArrayRef2, array, s};
use std::f64::consts::PI;

/// log N(y; 0, K) by a Cholesky factorisation in plain loops.
fn reference_lml(mut k: Array2<f64>, y: &ArrayRef1<f64>) -> f64 {
    let n = y.len();
    let mut whitened = y.to_owned();
    let mut lml = -0.5 * n as f64 * (2.0 * PI).ln();
    for i in 0..n {
        for j in 0..i {
            let sum: f64 = (0..j).map(|p| k[[i, p]] * k[[j, p]]).sum();
            k[[i, j]] = (k[[i, j]] - sum) / k[[j, j]];
        }
        let squares: f64 = (0..i).map(|p| k[[i, p]].powi(2)).sum();
        k[[i, i]] = (k[[i, i]] - squares).sqrt();
        let known: f64 = (0..i).map(|p| k[[i, p]] * whitened[p]).sum();
        whitened[i] = (whitened[i] - known) / k[[i, i]];
        lml -= k[[i, i]].ln() + 0.5 * whitened[i].powi(2);
    }
    lml
}

fn distance(a: &ArrayRef1<f64>, b: &ArrayRef1<f64>, lengthscales: &[f64]) -> f64 {
    let terms = a.iter().zip(b).zip(lengthscales).map(|((a, b), l)| ((a - b) / l).powi(2));
    terms.sum::<f64>().sqrt()
}

/// κ(r).
type Shape = fn(f64) -> f64;

/// K of a stationary kernel with profile `shape`.
fn dense(x: &ArrayRef2<f64>, lengthscales: &[f64], noise: f64, shape: Shape) -> Array2<f64> {
    Array2::from_shape_fn((x.nrows(), x.nrows()), |(i, j)| {
        shape(distance(&x.row(i), &x.row(j), lengthscales)) + if i == j { noise } else { 0.0 }
    })
}

#[test]
fn a_dense_reference_agrees() {
    let shapes: [(&str, Shape); 3] = [
        ("se", |r| (-0.5 * r * r).exp()),
        ("matern12", |r| (-r).exp()),
        ("matern32", |r| (1.0 + 3f64.sqrt() * r) * (-(3f64.sqrt()) * r).exp()),
    ];
    for (n, d) in [(2, 1), (37, 3), (300, 2), (500, 5)] {
        let x = points(n, d, n);
        let (y, lengthscales) = (targets(&x), vec![0.9; d]);
        for (kind, shape) in shapes {
            let expected = reference_lml(dense(&x, &lengthscales, 0.02, shape), &y.column(0));
            let found = lml(&model(leaf(kind, &lengthscales, 1.0), 0.02), &x, &y);
            close(kind, found, expected, 1e-9);
        }
    }
}

#[test]
fn one_row() {
    let gp = condition(&se(1.0, 0.1), &array![[0.0]], &array![[2.0]]);
    close("LML", gp.lml().unwrap().value, -2.784_775_441_3, 1e-10);
    let prediction = gp.predict(&array![[0.0]]).unwrap();
    close("mean", prediction.mean[[0, 0]], 1.818_181_818_2, 1e-10);
    close("var_latent", prediction.var_latent[0], 0.090_909_090_9, 1e-10);
    close("var_y", prediction.var_y[0], 0.190_909_090_9, 1e-10);
    // Without the only row nothing is known but the prior.
    let loo = gp.leave_one_out().unwrap();
    close("prior variance", loo.var_y[0], 1.1, 1e-12);
    close("prior mean", loo.mean[[0, 0]], 0.0, 1e-12);
}

#[test]
fn large_offsets_cost_no_digits() {
    let t = grid(20);
    let y = t.mapv(|t| (6.0 * t).sin());
    for offset in [0.0, 1e3, 1e6] {
        // Adding the offset rounds the inputs themselves, by up to 1e-10 at 1e6.
        close("LML", lml(&se(0.2, 0.01), &(&t + offset), &y), 9.521_327_739_4, 1e-8);
    }
    close("at 1e8", lml(&se(0.2, 0.01), &(&t + 1e8), &y), 9.521_327_641_8, 1e-8);
}

#[test]
fn equal_lengthscales_are_one_lengthscale() {
    let x = points(40, 3, 0);
    let y = targets(&x);
    for kind in ["se", "matern12", "matern32", "matern52"] {
        let shared = lml(&model(leaf(kind, &[0.8], 1.1), 0.05), &x, &y);
        close(kind, lml(&model(leaf(kind, &[0.8; 3], 1.1), 0.05), &x, &y), shared, 1e-13);
    }
}

#[test]
fn columns_trade_places_with_their_lengthscales() {
    let x = points(40, 3, 0);
    let y = targets(&x);
    let swapped = x.select(ndarray::Axis(1), &[2, 0, 1]);
    for kind in ["se", "matern12", "matern32", "matern52"] {
        let [plain, moved] =
            [([0.5, 0.9, 1.6], &x), ([1.6, 0.5, 0.9], &swapped)].map(|(lengthscales, x)| {
                condition(&model(leaf(kind, &lengthscales, 1.1), 0.05), x, &y)
            });
        close(kind, moved.lml().unwrap().value, plain.lml().unwrap().value, 1e-12);
        let rows = s![..7, ..];
        let predict = |gp: &exact_gp::ExactGp, x: &Array2<f64>| gp.predict(&x.slice(rows)).unwrap();
        let [a, b] = [predict(&plain, &x), predict(&moved, &swapped)];
        close_all(kind, &b.mean, &a.mean, 1e-12);
        close_all(kind, &b.var_latent, &a.var_latent, 1e-12);
    }
}

#[test]
fn a_constant_column_changes_nothing() {
    let x = points(40, 2, 0);
    let y = targets(&x);
    let mut wide = Array2::from_elem((40, 3), 7.3);
    wide.slice_mut(s![.., ..2]).assign(&x);
    let [a, b] =
        [([0.5, 0.9].as_slice(), &x), (&[0.5, 0.9, 3.0], &wide)].map(|(lengthscales, x)| {
            condition(&model(leaf("matern32", lengthscales, 1.1), 0.05), x, &y)
        });
    close("LML", b.lml().unwrap().value, a.lml().unwrap().value, 1e-12);
    close_all("mean", &b.predict_mean(&wide).unwrap(), &a.predict_mean(&x).unwrap(), 1e-12);
}

#[test]
fn a_white_kernel_is_noise_by_another_name() {
    let x = points(30, 2, 0);
    let y = targets(&x);
    let white = crate::support::kernel(&serde_json::json!({"type": "sum", "terms": [
        {"type": "se", "lengthscales": [0.8], "variance": 1.0},
        {"type": "white", "variance": 0.03}]}));
    let [a, b] = [se(0.8, 0.05), model(white, 0.02)].map(|hyper| condition(&hyper, &x, &y));
    close("LML", b.lml().unwrap().value, a.lml().unwrap().value, 1e-13);
    let at = column([0.1, 0.2]).t().to_owned();
    let [p, q] = [a.predict(&at).unwrap(), b.predict(&at).unwrap()];
    close_all("mean", &q.mean, &p.mean, 1e-13);
    close_all("var_latent", &q.var_latent, &p.var_latent, 1e-13);
    close_all("var_y", &q.var_y, &p.var_y, 1e-13);
    let (_, gradient) = b.lml_gradient().unwrap();
    let (_, merged) = a.lml_gradient().unwrap();
    let split = gradient.log_kernel.last().unwrap() + gradient.log_noise_variance;
    close("noise gradient", split, merged.log_noise_variance, 1e-12);
}
