//! Streams, shards, chunks and features that come and go.

use naive_bayes::{Batch, Kind, Label, Levels, Model, Options, Parameters, Predictor, Training};
use serde_json::Value;

use crate::support::*;

const TOLERANCE: f64 = 1e-10;

#[test]
fn shards_merge_to_the_model_of_the_union() {
    let golden = golden();
    let case = &golden["shards"];
    let (all, classes) = (batch(case, ""), labels(&case["y"]));
    let shards: Vec<Model> = list(&case["shard_rows"])
        .iter()
        .map(|rows| {
            let rows = integers(rows);
            fitted(&all.select(&rows), &classes.select(&rows))
        })
        .collect();
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        let mut merged = Model::default();
        order.iter().for_each(|&shard| merged.merge(&shards[shard]).unwrap());
        let predictor = merged.predictor(&options(case)).unwrap();
        check_posterior("shards", &predictor, &batch(case, "_test"), case, TOLERANCE);
        check_union(&merged, &case["union_stats"]);
    }
    for (shard, expected) in shards.iter().zip(list(&case["shard_stats"])) {
        for (label, rows) in shard.classes() {
            assert_eq!(Some(rows), expected[label.to_string()]["rows"].as_f64());
        }
    }
}

/// The statistics, read from the saved form.
fn check_union(model: &Model, expected: &Value) {
    let saved = serde_json::to_value(model).unwrap();
    for (class, saved_class) in list(&saved["classes"]).iter().enumerate() {
        let expected = &expected[saved_class["label"].to_string()];
        assert_eq!(saved_class["weight"].as_f64(), expected["rows"].as_f64());
        for feature in list(&saved["features"]) {
            let cell = &feature["cells"][class];
            let name = feature["name"].as_str().unwrap();
            let at: usize = name[1..].parse().unwrap();
            if name.starts_with('g') {
                let found = ["n", "mean", "m2"].map(|key| number(&cell[key]));
                all_close(name, &found, &vector(&expected["gaussian"][at]), 1e-12);
            } else {
                let found = ["ones", "n"].map(|key| number(&cell[key]));
                assert_eq!(found.to_vec(), vector(&expected["bernoulli"][at]), "{name}");
            }
        }
    }
}

#[test]
fn chunks_do_not_matter_where_they_do_elsewhere() {
    let golden = golden();
    let case = &golden["chunking"];
    let (x, y) = (matrix(&case["X"]), labels(&case["y"]));
    let batch = Batch::new(4).matrix(&columns("g", Kind::Gaussian, 1), &x).unwrap();
    let question = matrix(&case["X_test"]);
    let question = Batch::new(1).matrix(&columns("g", Kind::Gaussian, 1), &question).unwrap();
    for chunks in list(&case["chunks"]) {
        let mut model = Model::default();
        for rows in list(&chunks["parts"]).iter().map(integers) {
            let (part, classes) = (batch.select(&rows), y.select(&rows));
            model.observe(&Training::new(&part, &classes).unwrap()).unwrap();
        }
        let predictor = model.predictor(&options(case)).unwrap();
        let proba = predictor.proba(&question).unwrap();
        all_close("proba", proba.as_slice().unwrap(), &vector(&case["proba"]), TOLERANCE);
        let elsewhere = vector(&chunks["sklearn_partial_fit_proba"]);
        assert!((proba[[0, 0]] - elsewhere[0]).abs() > 0.04, "the difference this is about");
        let Parameters::Gaussian { epsilon, variance, .. } = predictor.parameters("g0").unwrap()
        else {
            panic!()
        };
        close("epsilon", epsilon, number(&case["epsilon"]), 1e-12);
        assert!((epsilon - number(&chunks["sklearn_epsilon"])).abs() > 0.2, "another, elsewhere");
        all_close("variance", &variance, &matrix(&case["var"]).into_raw_vec_and_offset().0, 1e-12);
    }
}

#[test]
fn moments_keep_their_digits() {
    let golden = golden();
    for (name, case) in golden["moment_stability"]["cases"].as_object().unwrap() {
        let x = vector(&case["x"]);
        for chunk in [x.len(), 1, 3] {
            let model = in_chunks(&x, chunk);
            let saved = serde_json::to_value(&model).unwrap();
            let cell = &saved["features"][0]["cells"][0];
            assert_eq!(cell["n"].as_f64(), case["n"].as_f64(), "{name}");
            let (mean, m2) = (number(&case["mean"]), number(&case["m2"]));
            let (found, found_m2) = (number(&cell["mean"]), number(&cell["m2"]));
            let largest = x.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
            assert!(
                (found - mean).abs() <= 1e-12 * mean.abs().max(1e-4 * largest),
                "{name}: {found:e}"
            );
            // The bound of cancellation where the offset dwarfs the deviations: n u (mean/sd)².
            let variance = m2 / x.len() as f64;
            let condition = mean * mean / variance.max(f64::MIN_POSITIVE);
            let slack = (1e-12 + 1e-16 * f64::EPSILON * condition * x.len() as f64).min(1e-6);
            let absolute = if m2 == 0.0 { 1e-30 } else { 0.0 };
            assert!(
                (found_m2 - m2).abs() <= slack * m2 + absolute,
                "{name} by {chunk}: {found_m2:e} is not {m2:e}"
            );
        }
    }
}

fn in_chunks(x: &[f64], chunk: usize) -> Model {
    let mut model = Model::default();
    for part in x.chunks(chunk) {
        let batch = Batch::new(part.len()).column("x", Kind::Gaussian, part.to_vec()).unwrap();
        let classes = Levels::from_integers(&vec![0; part.len()]);
        model.observe(&Training::new(&batch, &classes).unwrap()).unwrap();
    }
    model
}

#[test]
fn single_precision_input_is_summed_in_double() {
    let golden = golden();
    let case = &golden["moment_stability"]["f32_input"];
    let x: Vec<f64> = vector(&case["x"]).iter().map(|x| f64::from(*x as f32)).collect();
    let batch = Batch::new(4).column("x", Kind::Gaussian, x).unwrap();
    let model = fitted(&batch, &labels(&case["y"]));
    let options = Options { smoothing: naive_bayes::Smoothing::None, ..Options::default() };
    let predictor = model.predictor(&options).unwrap();
    let Parameters::Gaussian { variance, .. } = predictor.parameters("x").unwrap() else {
        panic!()
    };
    assert_eq!(variance, vector(&case["var"]));
}

/// One row of named cells.
fn row(cells: &Value) -> Batch<'static> {
    let mut batch = Batch::new(1);
    for (name, cell) in cells.as_object().unwrap() {
        let kind = if name == "b" { Kind::Bernoulli } else { Kind::Gaussian };
        batch = match name.as_str() {
            "y" => batch,
            "g" => batch.levels(name, Levels::from_texts([cell.as_str()])).unwrap(),
            _ => batch.column(name, kind, vec![number(cell)]).unwrap(),
        };
    }
    batch
}

#[test]
fn features_appear_and_vanish() {
    let golden = golden();
    let case = &golden["new_features"];
    let stream = list(&case["stream"]);
    for snapshot in list(&case["snapshots"]) {
        let rows = snapshot["after_rows"].as_u64().unwrap() as usize;
        let mut model = Model::default();
        for cells in &stream[..rows] {
            let classes = Levels::from_labels([label(&cells["y"])]);
            model.observe(&Training::new(&row(cells), &classes).unwrap()).unwrap();
        }
        let predictor = model.predictor(&options(case)).unwrap();
        check_snapshot(&model, &predictor, snapshot);
        for feature in model.features() {
            assert_eq!(case["kinds"][&feature.name], format!("{:?}", feature.kind).to_lowercase());
        }
        for (at, query) in list(&case["queries"]).iter().enumerate() {
            let batch = row(query);
            let found = predictor.joint_log_likelihood(&batch).unwrap();
            let expected = vector(&snapshot["joint_log_likelihood"][at]);
            all_close("joint", found.as_slice().unwrap(), &expected, TOLERANCE);
            // Differences of large joint values are rounding in the golden file; ours are taken before the squares.
            let rounding =
                4.0 * f64::EPSILON * expected.iter().fold(0.0_f64, |a, b| a.max(b.abs()));
            let found = predictor.proba(&batch).unwrap();
            let expected = vector(&snapshot["proba"][at]);
            all_close("p", found.as_slice().unwrap(), &expected, TOLERANCE + rounding);
            let posterior = predictor.posterior(&batch).unwrap();
            let evidence = number(&snapshot["log_evidence_of_row"][at]);
            close("evidence", posterior.log_evidence[0], evidence, TOLERANCE);
            let found = posterior.log_proba.as_slice().unwrap();
            all_close("log p", found, &vector(&snapshot["log_proba"][at]), TOLERANCE + rounding);
            let best = &predictor.classes()[predictor.predict(&batch).unwrap()[0]];
            assert_eq!(Some(best.clone()), label(&snapshot["predict"][at]));
            check_explanation(&predictor, &batch, 0);
        }
    }
}

/// What is known after some rows of features that come and go.
fn check_snapshot(model: &Model, predictor: &Predictor, snapshot: &Value) {
    let saved = serde_json::to_value(model).unwrap();
    let feature = |name: &str| list(&saved["features"]).iter().find(|of| of["name"] == *name);
    let gaussian = &snapshot["gaussian_ac"];
    for (at, name) in ["a", "c"].into_iter().enumerate() {
        for class in 0..2 {
            let expected = ["count", "mean", "m2"].map(|key| number(&gaussian[key][class][at]));
            let cell = feature(name).map(|found| &found["cells"][class]);
            let found =
                cell.map_or([0.0; 3], |cell| ["n", "mean", "m2"].map(|key| number(&cell[key])));
            all_close(name, &found, &expected, 1e-12);
            let Ok(Parameters::Gaussian { variance, epsilon, .. }) = predictor.parameters(name)
            else {
                assert!(gaussian["var"].as_array().unwrap().iter().any(|of| of[at].is_null()));
                continue;
            };
            close("variance", variance[class], number(&gaussian["var"][class][at]), 1e-12);
            close("epsilon", epsilon, number(&gaussian["epsilon"]), 1e-12);
        }
        check_pooled(model, name, &gaussian["pooled_var"][at]);
    }
    let flag = &snapshot["bernoulli_b"];
    for class in 0..2 {
        let cell = &feature("b").unwrap()["cells"][class];
        let expected = ["ones", "count"].map(|key| number(&flag[key][class][0]));
        assert_eq!(["ones", "n"].map(|key| number(&cell[key])), expected);
    }
    let Parameters::Bernoulli { theta } = predictor.parameters("b").unwrap() else { panic!() };
    all_close("theta", &theta, &matrix(&flag["theta"]).column(0).to_vec(), 1e-12);
    match predictor.parameters("g") {
        Ok(Parameters::Categorical { levels, probabilities }) => {
            let names: Vec<String> = levels.iter().map(ToString::to_string).collect();
            assert_eq!(names, words(&snapshot["categories"]));
            let expected = matrix(&snapshot["categorical_g"]["prob"][0]);
            all_close("prob", &probabilities.concat(), expected.as_slice().unwrap(), 1e-12);
        }
        _ => {
            assert!(snapshot["categorical_g"].is_null() && list(&snapshot["categories"]).is_empty())
        }
    }
}

/// The variance over both classes, from their moments.
fn check_pooled(model: &Model, name: &str, expected: &Value) {
    let saved = serde_json::to_value(model).unwrap();
    let Some(feature) = list(&saved["features"]).iter().find(|of| of["name"] == *name) else {
        assert!(expected.is_null(), "{name} is not there yet");
        return;
    };
    let cells = list(&feature["cells"]);
    let [n, sum] = [0, 1].map(|power| {
        let part = |cell: &Value| number(&cell["n"]) * number(&cell["mean"]).powi(power);
        cells.iter().map(part).sum::<f64>()
    });
    let around = |cell: &Value| {
        number(&cell["m2"]) + number(&cell["n"]) * (number(&cell["mean"]) - sum / n).powi(2)
    };
    close("pooled", cells.iter().map(around).sum::<f64>() / n, number(expected), 1e-12);
}

fn words(value: &Value) -> Vec<&str> {
    list(value).iter().map(|word| word.as_str().unwrap()).collect()
}

#[test]
fn tags_that_are_not_listed_are_absent() {
    let golden = golden();
    let case = &golden["absent_is_zero"];
    let mut model = Model::default();
    for cells in list(&case["stream"]) {
        let batch = Batch::new(1).tags([words(&cells["t"])]).unwrap();
        let classes = Levels::from_labels([label(&cells["y"])]);
        model.observe(&Training::new(&batch, &classes).unwrap()).unwrap();
    }
    let predictor = model.predictor(&options(case)).unwrap();
    for (at, name) in words(&case["tags"]).into_iter().enumerate() {
        let Parameters::Bernoulli { theta } = predictor.parameters(name).unwrap() else { panic!() };
        all_close("theta", &theta, &matrix(&case["theta"]).column(at).to_vec(), 1e-12);
        // A tag has no cells of its own: n is the number of the class's rows.
        let saved = serde_json::to_value(&model).unwrap();
        let feature = list(&saved["features"]).iter().find(|of| of["name"] == name).unwrap();
        for (class, (_, rows)) in model.classes().into_iter().enumerate() {
            let ones = number(&feature["cells"][class]["ones"]);
            assert_eq!(ones, number(&case["ones"][class][at]), "{name}");
            assert_eq!(rows, number(&case["count"][class][at]), "{name}");
        }
    }
    let queries = list(&case["queries"]).iter().map(words);
    check_posterior("tags", &predictor, &Batch::new(4).tags(queries).unwrap(), case, TOLERANCE);
}

#[test]
fn classes_appear_later() {
    let mut model = in_chunks(&[1.0, 2.0], 2);
    let batch = Batch::new(2).column("x", Kind::Gaussian, vec![5.0, 6.0]).unwrap();
    let classes = Levels::from_integers(&[-3, -3]);
    model.observe(&Training::new(&batch, &classes).unwrap()).unwrap();
    let predictor = model.predictor(&Options::default()).unwrap();
    assert_eq!(predictor.classes(), [Label::from(-3), Label::from(0)]);
    assert_eq!(predictor.predict(&batch).unwrap(), [0, 0]);
}
