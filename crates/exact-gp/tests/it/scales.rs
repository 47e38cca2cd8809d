//! Units of inputs and targets: cases 33, 34, 36, 41 and 42.

use crate::support::{
    Scaled, bits, close, close_all, column, condition, grid, leaf, model, points, se, targets,
};
use gp_core::{
    Hyperparameters, MeanSpec, Params, Posterior, Scales, Standardiser, TrainingPlan, Units,
    metrics,
};
use kernels::{KernelSpec, catalogue};
use ndarray::{Array2, ArrayRef2, Axis, array, concatenate};

/// One table in both scales.
struct Table {
    x: Array2<f64>,
    y: Array2<f64>,
    x_scaling: Standardiser,
    y_scaling: Standardiser,
}

impl Table {
    fn new(x: Array2<f64>, y: Array2<f64>) -> Self {
        let [x_scaling, y_scaling] = [&x, &y].map(|a| Standardiser::fit(a, "x").unwrap());
        Self { x, y, x_scaling, y_scaling }
    }

    fn standardised(&self) -> (Array2<f64>, Array2<f64>) {
        (self.x_scaling.apply(&self.x).unwrap(), self.y_scaling.apply(&self.y).unwrap())
    }

    fn scales(&self) -> Scales<'_> {
        Scales { x: &self.x_scaling, y: &self.y_scaling }
    }

    /// −n Σ log s.
    fn offset(&self) -> f64 {
        let n = self.x.nrows() as f64;
        self.y_scaling.scale().iter().map(|s| -n * s.ln()).sum()
    }

    /// Whether standardised `params` say the same about the standardised table as their
    /// conversion about the table itself.
    fn check(&self, what: &str, params: &Params) {
        let (x, y) = self.standardised();
        let converted = self.scales().convert(params, Units::Original).unwrap();
        let d = x.ncols();
        let scaled = condition(&params.build(d).unwrap(), &x, &y);
        let original = condition(&converted.build(d).unwrap(), &self.x, &self.y);
        let expected = scaled.lml().unwrap().value + self.offset();
        close(what, original.lml().unwrap().value, expected, 1e-9);
        let [p, q] = [scaled.predict(&x).unwrap(), original.predict(&self.x).unwrap()];
        close_all(what, &q.mean, &self.y_scaling.undo(&p.mean).unwrap(), 1e-9);
        let gain = self.y_scaling.scale()[0].powi(2);
        close_all(what, &q.var_y, &(p.var_y * gain), 1e-9);
    }
}

fn means(d: usize) -> [MeanSpec; 3] {
    let weights = (0..d).map(|i| 0.4 - 0.3 * i as f64).collect();
    [MeanSpec::Zero, MeanSpec::Constant(0.3), MeanSpec::Linear { weights, intercept: -0.2 }]
}

#[test]
fn converted_hyperparameters_have_the_same_evidence_up_to_the_offset() {
    let mut refused = Vec::new();
    for d in [1, 2] {
        let x = points(25, d, 0) * array![[40.0, 0.05]].slice(ndarray::s![.., ..d]) + 3.0;
        let table = Table::new(x, targets(&points(25, d, 0)) * 7.0 - 50.0);
        for (index, kernel) in catalogue(d).unwrap().into_iter().enumerate() {
            for mean in means(d) {
                let units = Units::Standardised;
                let params = Params { kernel: kernel.spec(), noise_variance: 0.05, mean, units };
                if table.scales().convert(&params, Units::Original).is_ok() {
                    table.check(&format!("{} {index} in {d}", kernel.name()), &params);
                } else {
                    refused.push((d, kernel.spec()));
                }
            }
        }
    }
    // Linear kernels on inputs that are not centred; one period for columns of different scale.
    let no_counterpart = |(d, spec): &(usize, KernelSpec)| {
        let text = serde_json::to_string(spec).unwrap();
        text.contains("linear") || (*d == 2 && text.contains("period"))
    };
    assert!(!refused.is_empty() && refused.iter().all(no_counterpart), "{refused:?}");
}

#[test]
fn linear_kernels_convert_on_centred_inputs() {
    let half = points(12, 2, 0);
    // Each row beside its mirror image: the mean is zero to the bit.
    let x = Array2::from_shape_fn((24, 2), |(i, j)| half[[i / 2, j]] * [30.0, -30.0][i % 2]);
    let table = Table::new(x, targets(&points(24, 2, 70)) * 0.2 + 9.0);
    assert_eq!(table.x_scaling.mean(), [0.0, 0.0]);
    for kernel in catalogue(2).unwrap() {
        let spec = kernel.spec();
        if serde_json::to_string(&spec).unwrap().contains("period") {
            continue;
        }
        for mean in means(2) {
            let units = Units::Standardised;
            table.check(
                kernel.name(),
                &Params { kernel: spec.clone(), noise_variance: 0.05, mean, units },
            );
        }
    }
}

#[test]
fn standardised_and_original_evidence_differ_by_the_offset() {
    let t = grid(20);
    let table = Table::new(t.clone(), t.mapv(|t| 100.0 + 50.0 * (6.0 * t).sin()));
    let y = table.y_scaling.apply(&table.y).unwrap();
    let lml = condition(&se(0.2, 0.01), &t, &y).lml().unwrap().value;
    close("standardised", lml, 8.099_399_341_1, 1e-10);
    close("original", lml + table.offset(), -63.159_059_099_5, 1e-10);
}

#[test]
fn predictions_do_not_depend_on_the_scale_they_are_made_in() {
    // scikit-learn#20934
    let table =
        Table::new(column([20.0, 20.0, 140.0, 140.0]), column([740.0, 680.0, 1260.0, 1200.0]));
    let params = Params {
        kernel: leaf("se", &[1.5], 2.0).spec(),
        noise_variance: 0.02,
        mean: MeanSpec::Zero,
        units: Units::Standardised,
    };
    table.check("four rows", &params);
}

#[test]
fn densities_differ_by_the_log_of_the_scale() {
    let x = points(40, 2, 0);
    let table = Table::new(x.clone(), targets(&x) * 50.0 + 100.0);
    let (x, y) = table.standardised();
    let gp = condition(&model(leaf("matern32", &[0.9, 1.3], 0.8), 0.1), &x, &y);
    let prediction = gp.predict(&points(15, 2, 800)).unwrap();
    let truth = targets(&points(15, 2, 800));
    let s = table.y_scaling.scale()[0];
    let [mean, y] = [&prediction.mean, &truth].map(|a| table.y_scaling.undo(a).unwrap());
    let scaled = metrics::nlpd(&truth.column(0), &prediction.mean.column(0), &prediction.var_y);
    let original = metrics::nlpd(&y.column(0), &mean.column(0), &(&prediction.var_y * (s * s)));
    close("nlpd", original - scaled, s.ln(), 1e-12);
    let [a, b] = [
        metrics::rmse(&y.column(0), &mean.column(0)),
        metrics::rmse(&truth.column(0), &prediction.mean.column(0)),
    ];
    close("rmse", a, s * b, 1e-12);
}

/// Predictions in the targets' units at fixed standardised hyperparameters.
fn fixed(hyper: &Hyperparameters, x: &ArrayRef2<f64>, y: &ArrayRef2<f64>) -> [Array2<f64>; 2] {
    let table = Table::new(x.to_owned(), y.to_owned());
    let (x, y) = table.standardised();
    let prediction = condition(hyper, &x, &y).predict(&x).unwrap();
    let mean = table.y_scaling.undo(&prediction.mean).unwrap();
    [mean, prediction.var_y.insert_axis(Axis(1))]
}

#[test]
fn the_unit_of_a_column_does_not_matter() {
    let x = points(60, 3, 0) + 0.3;
    let (y, hyper) = (targets(&x), model(leaf("matern52", &[0.9, 1.3, 2.0], 0.8), 0.1));
    let expected = fixed(&hyper, &x, &y);
    for factors in [[1e6, 1.0, 1.0], [1.0, 1e-6, 1.0], [1e-6, 1e6, 1e6]] {
        let found = fixed(&hyper, &(&x * &Array2::from(vec![factors])), &y);
        close_all("mean", &found[0], &expected[0], 1e-8);
        close_all("variance", &found[1], &expected[1], 1e-8);
    }
    for factor in [2f64.powi(20), 2f64.powi(-20)] {
        let found = fixed(&hyper, &(&x * &array![[factor, 1.0, 1.0 / factor]]), &y);
        assert_eq!(found, expected);
    }
}

#[test]
fn training_moves_with_the_unit() {
    let x = points(40, 2, 0) + 0.3;
    let y = targets(&x);
    let factor = 2f64.powi(20);
    let plain = Scaled::fit("matern32", &x, &y, TrainingPlan::default());
    for factors in [array![[factor, 1.0]], array![[1.0, 1.0 / factor]], array![[factor, factor]]] {
        let other = &x * &factors;
        let fit = Scaled::fit("matern32", &other, &y, TrainingPlan::default());
        assert_eq!(bits(&fit.trained.u), bits(&plain.trained.u));
        assert_eq!(bits(&fit.mean(&other)), bits(&plain.mean(&x)));
        let [a, b] = [&fit, &plain].map(lengthscales);
        let moved: Vec<f64> = b.iter().zip(&factors).map(|(b, factor)| b * factor).collect();
        assert_eq!(bits(&a), bits(&moved));
    }
}

/// In the inputs' own units.
fn lengthscales(fit: &Scaled) -> Vec<f64> {
    let params = Params::new(fit.gp.hyperparameters(), Units::Standardised);
    let params = fit.scales().convert(&params, Units::Original).unwrap();
    let parameters = params.kernel.build().unwrap().parameters();
    parameters.into_iter().filter(|p| p.name.contains("lengthscales")).map(|p| p.value).collect()
}

#[test]
fn a_constant_target_is_predicted_everywhere() {
    for constant in [0.0, 7.25, -1e9, 0.1] {
        for x in [array![[1.0, 2.0], [2.0, 2.0]], array![[3.0, 4.0]], points(9, 2, 0)] {
            let y = Array2::from_elem((x.nrows(), 1), constant);
            let fit = Scaled::fit("matern32", &x, &y, TrainingPlan::default());
            let at = concatenate![Axis(0), x, array![[1e3, -1e3]]];
            assert!(fit.mean(&at).iter().all(|mean| *mean == constant), "{constant}");
            assert!(fit.gp.lml().unwrap().value.is_finite());
            let prediction = fit.gp.predict(&fit.x.apply(&at).unwrap()).unwrap();
            assert!(prediction.var_y.iter().all(|v| v.is_finite() && *v > 0.0));
        }
    }
}
