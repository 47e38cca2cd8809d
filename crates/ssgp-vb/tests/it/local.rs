//! Local regression: golden values, neighbours, degenerate neighbourhoods.

use crate::support::{data, golden, matrix, near, near_all, number, priors, scores, vector};
use gp_core::Prediction;
use ndarray::{Array1, Array2, Axis, array};
use proptest::prelude::*;
use serde_json::Value;
use ssgp_vb::{
    Fallback, FitOptions, LocalObserver, LocalOptions, LocalParts, LocalPrediction, LocalSsgpVb,
    SpectralPoints, SsgpError, StageReport,
};

fn options(golden: &Value, fit: FitOptions) -> LocalOptions {
    let k = golden["k"].as_u64().unwrap() as usize;
    let spectral =
        SpectralPoints { given: vec![matrix(&golden["S"])], ..SpectralPoints::default() };
    let priors = priors(golden);
    LocalOptions { spectral, priors, fit, scale: false, ..LocalOptions::paper(k, 1) }
}

fn rows(value: &Value) -> Vec<usize> {
    serde_json::from_value(value.clone()).unwrap()
}

#[test]
fn two_stages_as_in_the_golden_file() {
    let golden = &golden()["local"];
    let inputs = &golden["inputs"];
    let fit = FitOptions { tolerance: 1e-10, max_cycles: 5000, ..FitOptions::default() };
    let (x, y) = (matrix(&inputs["X"]), vector(&inputs["y"]));
    let model = LocalSsgpVb::condition(&x, &y, &options(inputs, fit)).unwrap();
    let found = model.predict(&matrix(&inputs["X_star"]), &()).unwrap();
    for (i, golden) in golden["points"].as_array().unwrap().iter().enumerate() {
        let report = &found.queries[i];
        let (first, second) = (report.first.as_ref().unwrap(), report.second.as_ref().unwrap());
        assert_eq!((&first.rows, &second.rows), (&rows(&golden["N1"]), &rows(&golden["N2"])));
        near("L1", first.bound, number(&golden["M1_bound"]), 1e-5);
        near("L2", second.bound, number(&golden["M2_bound"]), 1e-5);
        near_all("μ 1", &first.lambda, &vector(&golden["M1_mu_lambda"]), 1e-5);
        near_all("μ 2", &second.lambda, &vector(&golden["M2_mu_lambda"]), 1e-5);
        near("mean 1", first.mean, number(&golden["stage1_mean_var"][0]), 1e-5);
        near("var 1", first.var_y, number(&golden["stage1_mean_var"][1]), 1e-5);
        near("mean", found.prediction.mean[[i, 0]], number(&golden["mean"]), 1e-5);
        near("var", found.prediction.var_y[i], number(&golden["var"]), 1e-5);
    }
}

fn stage(
    found: &LocalPrediction,
    of: fn(&ssgp_vb::LocalReport) -> &Option<StageReport>,
) -> Prediction {
    let column = |value: fn(&StageReport) -> f64| -> Array1<f64> {
        found.queries.iter().map(|query| value(of(query).as_ref().unwrap())).collect()
    };
    Prediction {
        mean: column(|stage| stage.mean).insert_axis(Axis(1)),
        var_latent: column(|stage| stage.var_latent),
        var_y: column(|stage| stage.var_y),
    }
}

/// Nonstationary in one input, two inputs irrelevant: the second stage is better in both scores.
#[test]
fn the_second_stage_beats_the_first() {
    let golden = &golden()["local_quality"];
    let (x, y) = (matrix(&golden["X"]), vector(&golden["y"]));
    let y_new = vector(&golden["y_star"]);
    let model = LocalSsgpVb::condition(&x, &y, &options(golden, FitOptions::default())).unwrap();
    let found = model.predict(&matrix(&golden["X_star"]), &()).unwrap();
    let mean = y.mean().unwrap();
    let first = scores(&y_new, &stage(&found, |query| &query.first), mean);
    let second = scores(&y_new, &stage(&found, |query| &query.second), mean);
    near("stage 1 NMSE", first.0, number(&golden["stage1"]["nmse"]), 1e-3);
    near("stage 2 NMSE", second.0, number(&golden["stage2"]["nmse"]), 1e-3);
    near("stage 1 MNLP", first.1, number(&golden["stage1"]["mnlp"]), 1e-2);
    near("stage 2 MNLP", second.1, number(&golden["stage2"]["mnlp"]), 1e-2);
    assert!(second.0 < first.0 && second.1 < first.1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20))]

    /// The tree finds what exhaustive search finds; rows may be repeated.
    #[test]
    fn neighbours_are_the_nearest(n in 8..60_usize, d in 1..4_usize, k in 2..8_usize, at in -1.0..1.0_f64) {
        let (x, y) = data(n, d);
        let x = x.mapv(|value| (4.0 * value).round() / 4.0);
        let few = FitOptions { max_cycles: 1, ..FitOptions::default() };
        let options = LocalOptions { fit: few, scale: false, ..LocalOptions::paper(k, 2) };
        let query = Array2::from_elem((1, d), at);
        let model = LocalSsgpVb::condition(&x, &y, &options).unwrap();
        let found = model.predict(&query, &()).unwrap();
        let distance = |row: usize| (&x.row(row) - &query.row(0)).mapv(|v| v * v).sum();
        let mut order: Vec<usize> = (0..n).collect();
        order.sort_by(|&a, &b| distance(a).total_cmp(&distance(b)).then(a.cmp(&b)));
        prop_assert_eq!(&found.queries[0].first.as_ref().unwrap().rows, &order[..k]);
    }
}

#[test]
fn a_constant_neighbourhood_grows_until_its_target_varies() {
    let (x, mut y) = data(40, 1);
    for (x, y) in x.column(0).iter().zip(&mut y) {
        *y = if *x < 0.2 { 3.0 } else { *x };
    }
    let model = LocalSsgpVb::condition(&x, &y, &LocalOptions::paper(5, 3)).unwrap();
    let found = model.predict(&array![[-0.9]], &()).unwrap();
    let rows = &found.queries[0].first.as_ref().unwrap().rows;
    assert!(rows.len() > 5 && rows.iter().any(|&row| y[row] != 3.0));
    assert!(found.prediction.var_y[0] > 0.0);
}

#[test]
fn equal_rows_and_fewer_rows_than_features_are_fitted() {
    let x = Array2::from_elem((12, 2), 0.5);
    let y = Array1::from_shape_fn(12, |i| (i % 3) as f64);
    let model = LocalSsgpVb::condition(&x, &y, &LocalOptions::paper(4, 10)).unwrap();
    let found = model.predict(&array![[0.5, 0.5], [0.7, 0.1]], &()).unwrap();
    for i in 0..2 {
        assert!((found.prediction.mean[[i, 0]] - 1.0).abs() < 1.0);
        assert!(found.prediction.var_y[i] > 0.0 && found.prediction.var_y[i].is_finite());
        assert_ne!(found.queries[i].fallback, Some(Fallback::NeighbourhoodMean));
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let (x, y) = data(90, 2);
    let query = data(7, 2).0;
    let options = LocalOptions { neighbours: 20, ..LocalOptions::default() };
    let bits = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let model = LocalSsgpVb::condition(&x, &y, &options).unwrap();
            let found = model.predict(&query, &()).unwrap().prediction;
            found.mean.iter().chain(&found.var_y).map(|v| v.to_bits()).collect::<Vec<_>>()
        })
    };
    assert_eq!(bits(1), bits(3));
}

#[test]
fn calibration_scales_variances_and_leaves_means() {
    let (x, y) = data(80, 2);
    let query = data(5, 2).0;
    let mut model = LocalSsgpVb::condition(&x, &y, &LocalOptions::paper(15, 5)).unwrap();
    let before = model.predict(&query, &()).unwrap().prediction;
    let factor = model.calibrate(20, 3, &()).unwrap();
    let after = model.predict(&query, &()).unwrap().prediction;
    assert_eq!(before.mean, after.mean);
    assert_eq!(after.var_y, before.var_y * factor);
    assert!(factor > 0.0 && factor.is_finite());
}

struct Stop;

impl LocalObserver for Stop {
    fn interrupted(&self) -> bool {
        true
    }
}

#[test]
fn a_prediction_can_be_interrupted() {
    let (x, y) = data(30, 1);
    let model = LocalSsgpVb::condition(&x, &y, &LocalOptions::paper(10, 3)).unwrap();
    assert!(matches!(model.predict(&x, &Stop), Err(SsgpError::Interrupted)));
}

/// Written as JSON and read back, a calibrated model predicts the same bits.
#[test]
fn a_calibrated_model_read_back_predicts_the_same_bits() {
    let (x, y) = data(60, 2);
    let query = data(6, 2).0;
    let options = LocalOptions { neighbours: 15, ..LocalOptions::default() };
    let mut model = LocalSsgpVb::condition(&x, &y, &options).unwrap();
    model.calibrate(10, 1, &()).unwrap();
    let before = model.predict(&query, &()).unwrap();
    let parts = model.into_parts();
    let text = serde_json::to_string(&parts).unwrap();
    let read: LocalParts = serde_json::from_str(&text).unwrap();
    assert_eq!(read, parts);
    let again = LocalSsgpVb::from_parts(read).unwrap();
    assert_ne!(again.variance_factor(), 1.0);
    let after = again.predict(&query, &()).unwrap();
    assert_eq!(before.prediction, after.prediction);
    assert_eq!(before.queries, after.queries);
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let (x, y) = data(30, 2);
    let whole = || {
        let model = LocalSsgpVb::condition(&x, &y, &LocalOptions::paper(10, 3)).unwrap();
        model.into_parts()
    };
    let damages: [fn(&mut LocalParts); 8] = [
        |parts| parts.variance_factor = 0.0,
        |parts| parts.variance_factor = f64::NAN,
        |parts| parts.frequencies = Vec::new(),
        |parts| parts.frequencies[0] = Array2::zeros((3, 5)),
        |parts| parts.y = Array1::zeros(29),
        |parts| parts.x[[0, 0]] = f64::NAN,
        |parts| parts.options.neighbours = 31,
        |parts| parts.scaling.half_range = vec![1.0],
    ];
    for (index, damage) in damages.iter().enumerate() {
        let mut parts = whole();
        damage(&mut parts);
        assert!(LocalSsgpVb::from_parts(parts).is_err(), "damage {index}");
    }
}

/// What a fit says of its posterior is in the units of the inputs.
#[test]
fn lengthscales_follow_the_units_of_the_inputs() {
    let (x, y) = data(60, 2);
    let stretched = &x * &array![10.0, 0.1];
    let options = LocalOptions::paper(20, 5);
    let report = |x: &Array2<f64>| {
        let model = LocalSsgpVb::condition(x, &y, &options).unwrap();
        model.left_out(&[7], &()).unwrap().queries[0].second.clone().unwrap()
    };
    let (before, after) = (report(&x), report(&stretched));
    near("first", after.lengthscales[0] / before.lengthscales[0], 10.0, 1e-4);
    near("second", after.lengthscales[1] / before.lengthscales[1], 0.1, 1e-4);
    near("noise", before.var_y - before.var_latent, before.noise_variance, 1e-12);
    assert!(before.signal_variance > 0.0);
}
