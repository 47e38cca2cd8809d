//! Laws over random problems.

use crate::support::{close_all, column, condition};
use exact_gp::ExactGp;
use gp_core::{Hyperparameters, Posterior};
use kernels::{Mean, catalogue};
use linalg_cg::symmetric_eigenvalues;
use ndarray::{Array2, Axis, concatenate, s};
use proptest::prelude::*;

#[derive(Debug)]
struct Case {
    hyper: Hyperparameters,
    x: Array2<f64>,
    y: Array2<f64>,
    at: Array2<f64>,
}

impl Case {
    fn gp(&self) -> ExactGp {
        condition(&self.hyper, &self.x, &self.y)
    }

    /// Largest prior variance, the scale of rounding.
    fn scale(&self) -> f64 {
        let diagonal = self.hyper.kernel.diag(&concatenate![Axis(0), self.x, self.at]);
        diagonal.fold(1.0, |largest: f64, &value| largest.max(value))
    }
}

fn hyperparameters(d: usize) -> impl Strategy<Value = Hyperparameters> {
    let count = catalogue(d).unwrap().len();
    let factors = prop::collection::vec(-0.5..0.5f64, 40);
    (0..count, factors, -2.0..0.0f64, -1.0..1.0f64).prop_map(move |(index, factors, noise, c)| {
        let kernel = catalogue(d).unwrap().swap_remove(index);
        let mean = Mean::Constant(c);
        let hyper = Hyperparameters { kernel, noise_variance: 10f64.powf(noise), mean };
        let named = hyper.named_values();
        let values = named.iter().zip(&factors).map(|((_, v), f)| v * 10f64.powf(*f));
        hyper.with_values(&values.collect::<Vec<_>>()).unwrap()
    })
}

/// Some of the rows asked are training rows; some training rows are repeated.
fn cases(rows: std::ops::Range<usize>) -> impl Strategy<Value = Case> {
    (rows, 1..=3usize, 1..=2usize).prop_flat_map(|(n, d, p)| {
        let numbers = |count: usize| prop::collection::vec(-2.0..2.0f64, count);
        let copied = 0..n;
        (hyperparameters(d), numbers(n * d), numbers(n * p), numbers(6 * d), copied).prop_map(
            move |(hyper, x, y, at, copied)| {
                let mut x = Array2::from_shape_vec((n, d), x).unwrap();
                let first = x.row(0).to_owned();
                x.row_mut(copied).assign(&first);
                let at = Array2::from_shape_vec((6, d), at).unwrap();
                let at = concatenate![Axis(0), at, x.slice(s![..2, ..])];
                let y = Array2::from_shape_vec((n, p), y).unwrap();
                Case { hyper, x, y, at }
            },
        )
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn the_order_of_rows_does_not_matter(case in cases(3..20), shift in 1..7usize) {
        let n = case.x.nrows();
        let order: Vec<usize> = (0..n).rev().map(|i| (i + shift) % n).collect();
        let [x, y] = [&case.x, &case.y].map(|a| a.select(Axis(0), &order));
        let (gp, moved) = (case.gp(), condition(&case.hyper, &x, &y));
        let tolerance = 1e-9 * case.scale();
        close_all("LML", &[moved.lml().unwrap().value], &[gp.lml().unwrap().value], tolerance);
        let [a, b] = [gp.predict(&case.at).unwrap(), moved.predict(&case.at).unwrap()];
        close_all("mean", &b.mean, &a.mean, tolerance);
        close_all("variance", &b.var_latent, &a.var_latent, tolerance);
    }

    #[test]
    fn variances_lie_between_zero_and_the_prior(case in cases(3..20)) {
        let (gp, prior) = (case.gp(), case.hyper.kernel.diag(&case.at));
        let prediction = gp.predict(&case.at).unwrap();
        for (variance, prior) in prediction.var_latent.iter().zip(&prior) {
            prop_assert!(*variance >= 0.0 && variance <= prior, "{variance} of {prior}");
        }
        let noise = case.hyper.total_noise_variance();
        prop_assert_eq!(&prediction.var_y, &(&prediction.var_latent + noise));
    }

    #[test]
    fn the_covariance_is_one(case in cases(3..20)) {
        let gp = case.gp();
        let (covariance, scale) = (gp.covariance(&case.at).unwrap(), case.scale());
        let variance = gp.predict(&case.at).unwrap().var_latent;
        close_all("diagonal", covariance.diag(), &variance, 1e-12 * scale);
        close_all("symmetry", covariance.t(), &covariance, 1e-14 * scale);
        let least = symmetric_eigenvalues(&covariance).unwrap()[0];
        prop_assert!(least >= -1e-11 * scale, "eigenvalue {least}");
    }

    #[test]
    fn more_rows_never_leave_more_variance(case in cases(4..20)) {
        let (all, few) = (case.gp(), case.x.nrows() / 2);
        let (x, y) = (case.x.slice(s![..few, ..]), case.y.slice(s![..few, ..]));
        let fewer = condition(&case.hyper, &x, &y).predict(&case.at).unwrap().var_latent;
        let variance = all.predict(&case.at).unwrap().var_latent;
        for (after, before) in variance.iter().zip(&fewer) {
            prop_assert!(after - before <= 1e-11 * case.scale(), "{after} from {before}");
        }
    }

    #[test]
    fn leaving_one_out_is_fitting_without_it(case in cases(2..10)) {
        let loo = case.gp().leave_one_out().unwrap();
        for left_out in 0..case.x.nrows() {
            let rows: Vec<usize> = (0..case.x.nrows()).filter(|&row| row != left_out).collect();
            let [x, y] = [&case.x, &case.y].map(|a| a.select(Axis(0), &rows));
            let at = case.x.slice(s![left_out..=left_out, ..]);
            let refit = condition(&case.hyper, &x, &y).predict(&at).unwrap();
            let tolerance = 1e-9 * case.scale() / case.hyper.noise_variance;
            close_all("mean", loo.mean.row(left_out), &refit.mean, tolerance);
            close_all("var_y", &[loo.var_y[left_out]], &refit.var_y, tolerance);
            close_all("var_latent", &[loo.var_latent[left_out]], &refit.var_latent, tolerance);
        }
    }

    #[test]
    fn the_evidence_is_a_product_of_predictions(case in cases(2..12)) {
        // log p(y) = Σ log p(y_i | y_1 … y_{i−1}).
        let mut sum = 0.0;
        for i in 0..case.x.nrows() {
            let at = case.x.slice(s![i..=i, ..]);
            let (mean, var) = if i == 0 {
                let var = case.hyper.kernel.diag(&at)[0] + case.hyper.total_noise_variance();
                (case.hyper.mean.value(&at).insert_axis(Axis(0)), var)
            } else {
                let known = condition(&case.hyper, &case.x.slice(s![..i, ..]), &case.y.slice(s![..i, ..]));
                let prediction = known.predict(&at).unwrap();
                (prediction.mean, prediction.var_y[0])
            };
            let errors = case.y.slice(s![i..=i, ..]).to_owned() - mean;
            sum -= errors.iter().map(|e| 0.5 * (e * e / var + (2.0 * std::f64::consts::PI * var).ln())).sum::<f64>();
        }
        close_all("LML", &[case.gp().lml().unwrap().value], &[sum], 1e-9 * case.scale() / case.hyper.noise_variance);
    }

    #[test]
    fn targets_are_linear_in_the_prediction(case in cases(3..15), factor in -3.0..3.0f64) {
        let zero = Hyperparameters { mean: Mean::Zero, ..case.hyper.clone() };
        let [a, b] = [&case.y, &(&case.y * factor)].map(|y| condition(&zero, &case.x, y));
        let [a, b] = [a, b].map(|gp| gp.predict_mean(&case.at).unwrap());
        close_all("mean", &b, &(a * factor), 1e-10 * case.scale());
    }
}

#[test]
fn the_mean_function_is_subtracted_and_added() {
    let (x, y) = (crate::support::points(20, 1, 0), column((0..20).map(|i| f64::from(i).sqrt())));
    let base = crate::support::se(0.7, 0.1);
    let shifted = Hyperparameters { mean: Mean::Constant(2.5), ..base.clone() };
    let [a, b] = [condition(&base, &x, &(&y - 2.5)), condition(&shifted, &x, &y)];
    assert_eq!(a.lml().unwrap(), b.lml().unwrap());
    assert_eq!(a.predict_mean(&x).unwrap() + 2.5, b.predict_mean(&x).unwrap());
    assert_eq!(a.residual(), b.residual());
}
