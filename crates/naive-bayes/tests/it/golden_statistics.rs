//! What models have summed, and what they make of it, beside their predictions.

use naive_bayes::{Batch, Kind, Label, Levels, Model, Options, Parameters, Smoothing, Training};
use ndarray::{Array1, Array2, Axis};
use serde_json::Value;

use crate::support::*;

/// The training rows of a case.
fn rows(case: &Value) -> Batch<'static> {
    let Some(x) = case.get("X").map(matrix) else { return batch(case, "") };
    let zeros_and_ones = x.iter().all(|cell| [0.0, 1.0].contains(cell));
    match zeros_and_ones {
        true => numbers(Batch::new(x.nrows()), "b", Kind::Bernoulli, &x),
        false => numbers(Batch::new(x.nrows()), "g", Kind::Gaussian, &x),
    }
}

fn learned(case: &Value, classes: &Levels) -> Model {
    let batch = rows(case);
    let weights = case.get("weight").map_or(vec![1.0; batch.n_rows()], vector);
    let (mut model, weights) = (Model::default(), Array1::from(weights));
    model.observe(&Training::new(&batch, classes).unwrap().weights(&weights).unwrap()).unwrap();
    model
}

/// One statistic of the features of a prefix, by class and feature.
fn summed(model: &Model, prefix: &str, key: &str) -> Array2<f64> {
    let saved = serde_json::to_value(model).unwrap();
    let of_prefix = |feature: &&Value| feature["name"].as_str().unwrap().starts_with(prefix);
    let features: Vec<&Value> = list(&saved["features"]).iter().filter(of_prefix).collect();
    let places = sorted_places(&saved);
    Array2::from_shape_fn((places.len(), features.len()), |(class, at)| {
        number(&features[at]["cells"][places[class]][key])
    })
}

/// Where the classes lie in the saved form, by label; they lie there in the order of first sight.
fn sorted_places(saved: &Value) -> Vec<usize> {
    let labels: Vec<_> = list(&saved["classes"]).iter().map(|of| label(&of["label"])).collect();
    let mut places: Vec<usize> = (0..labels.len()).collect();
    places.sort_by(|a, b| labels[*a].cmp(&labels[*b]));
    places
}

fn check_moments(model: &Model, case: &Value) {
    for (key, expected) in [("n", "count"), ("mean", "mean"), ("m2", "m2")] {
        close_to_json(expected, &summed(model, "g", key), &case[expected], 1e-12);
    }
}

fn check_ones(model: &Model, case: &Value) {
    for (key, expected) in [("ones", "ones"), ("n", "count")] {
        close_to_json(expected, &summed(model, "b", key), &case[expected], 0.0);
    }
}

/// The variance over all rows, whatever their class, is that of a model of one class.
fn check_pooled(case: &Value, expected: &Value) {
    let n = labels(&case["y"]).len();
    let model = learned(case, &Levels::from_integers(&vec![0; n]));
    let options = Options { smoothing: Smoothing::None, ..Options::default() };
    let predictor = model.predictor(&options).unwrap();
    for (at, expected) in vector(expected).into_iter().enumerate() {
        let Parameters::Gaussian { variance, .. } =
            predictor.parameters(&format!("g{at}")).unwrap()
        else {
            panic!("a Gaussian feature")
        };
        close("pooled", variance[0], expected, 1e-12);
    }
}

#[test]
fn moments_of_gaussian_features() {
    let golden = golden();
    let nested = |case: &'static str| (&golden[case], &golden[case]["gaussian"]);
    let plain = list(&golden["gaussian"]).iter().chain([&golden["weights"]]);
    let mixed = list(&golden["mixed"]).iter().map(|case| (case, &case["gaussian"]));
    let multiclass = &golden["multiclass"];
    let others = [nested("missing"), (multiclass, &multiclass["params"]["gaussian"])];
    for (case, expected) in plain.map(|case| (case, case)).chain(mixed).chain(others) {
        check_moments(&learned(case, &labels(&case["y"])), expected);
        check_pooled(case, &expected["pooled_var"]);
    }
}

#[test]
fn ones_of_bernoulli_features() {
    let golden = golden();
    let plain = list(&golden["bernoulli"]).iter().map(|case| (case, case));
    let mixed = list(&golden["mixed"]).iter().map(|case| (case, &case["bernoulli"]));
    let (missing, multiclass) = (&golden["missing"], &golden["multiclass"]);
    let others =
        [(missing, &missing["bernoulli"]), (multiclass, &multiclass["params"]["bernoulli"])];
    for (case, expected) in plain.chain(mixed).chain(others) {
        check_ones(&learned(case, &labels(&case["y"])), expected);
    }
}

#[test]
fn counts_levels_and_terms_of_every_kind() {
    let golden = golden();
    let case = &golden["multiclass"];
    let (model, params) = (learned(case, &labels(&case["y"])), &case["params"]);
    close_to_json("sum", &summed(&model, "p", "sum"), &params["poisson"]["sum"], 0.0);
    close_to_json("n", &summed(&model, "p", "n"), &params["poisson"]["count"], 0.0);
    let mut options = options(case);
    let prior = &case["poisson_prior"];
    (options.count_prior.shape, options.count_prior.rate) =
        (number(&prior["shape"]), number(&prior["rate"]));
    let predictor = model.predictor(&options).unwrap();
    let prior: Vec<f64> = predictor.log_prior().iter().map(|log| log.exp()).collect();
    all_close("prior", &prior, &vector(&case["prior"]), 1e-12);
    let joint = predictor.joint_log_likelihood(&batch(case, "_test")).unwrap();
    close_to_json("joint", &joint, &case["joint_log_likelihood"], 1e-10);
    let Parameters::Categorical { levels, probabilities } = predictor.parameters("c0").unwrap()
    else {
        panic!("a categorical feature")
    };
    assert!(levels.iter().eq(&(0..levels.len() as i64).map(Label::from).collect::<Vec<_>>()));
    let expected = matrix(&params["categorical"]["prob"][0]);
    all_close("prob", &probabilities.concat(), expected.as_slice().unwrap(), 1e-12);
    check_terms(&model, &predictor, &params["multinomial"]);
    let words = &golden["multinomial"];
    let documents = naive_bayes::Documents::from_matrix(&matrix(&words["X"])).unwrap();
    let texts = Batch::new(documents.n_rows()).documents("m", documents).unwrap();
    let model = fitted(&texts, &labels(&words["y"]));
    check_terms(&model, &model.predictor(&self::options(words)).unwrap(), words);
}

fn check_terms(model: &Model, predictor: &naive_bayes::Predictor, case: &Value) {
    let saved = serde_json::to_value(model).unwrap();
    let terms = |feature: &&Value| feature["kind"] == "multinomial";
    let counts = &list(&saved["features"]).iter().find(terms).unwrap()["counts"];
    let counts = matrix(counts).select(Axis(0), &sorted_places(&saved));
    close_to_json("count", &counts, &case["count"], 0.0);
    let Parameters::Multinomial { probabilities, .. } = predictor.parameters("m").unwrap() else {
        panic!("terms")
    };
    all_close("prob", &probabilities.concat(), matrix(&case["prob"]).as_slice().unwrap(), 1e-12);
}

#[test]
fn levels_are_counted_over_all_classes() {
    let golden = golden();
    let case = &golden["categorical"];
    let x = matrix(&case["X"]);
    let model = fitted(&categories(Batch::new(x.nrows()), "c", &x), &labels(&case["y"]));
    let levels: Vec<usize> = model.features().iter().map(|f| f.labels.unwrap()).collect();
    assert_eq!(levels, integers(&case["n_categories"]));
}

/// log p = log coefficient + (impossible terms) log α, to first order in α.
#[test]
fn impossible_terms_and_what_is_left_of_them() {
    let golden = golden();
    let case = &golden["bernoulli_alpha_zero_limit"];
    let alpha = 1e-13;
    let model = learned(case, &labels(&case["y"]));
    let predictor = model.predictor(&Options { alpha, ..Options::default() }).unwrap();
    let x = matrix(&case["X_test"]);
    let questions = numbers(Batch::new(x.nrows()), "b", Kind::Bernoulli, &x);
    let joint = predictor.joint_log_likelihood(&questions).unwrap();
    let left = joint - matrix(&case["zero_terms"]) * alpha.ln();
    close_to_json("coefficient", &left, &case["log_coefficient"], 1e-10);
}

#[test]
fn statistics_of_shards() {
    let golden = golden();
    let case = &golden["shards"];
    let (all, classes) = (batch(case, ""), labels(&case["y"]));
    for (rows, expected) in list(&case["shard_rows"]).iter().zip(list(&case["shard_stats"])) {
        let rows = integers(rows);
        let model = fitted(&all.select(&rows), &classes.select(&rows));
        let seen: Vec<String> =
            model.classes().iter().map(|(class, _)| class.to_string()).collect();
        for (class, expected) in expected.as_object().unwrap() {
            let Some(at) = seen.iter().position(|label| label == class) else {
                assert_eq!(expected["rows"].as_u64(), Some(0), "class {class} is in no row");
                continue;
            };
            let row = |prefix: &str, keys: &[&str]| -> Vec<Vec<f64>> {
                let found: Vec<_> = keys.iter().map(|key| summed(&model, prefix, key)).collect();
                (0..found[0].ncols())
                    .map(|f| found.iter().map(|of| of[[at, f]]).collect())
                    .collect()
            };
            let gaussian = row("g", &["n", "mean", "m2"]).concat();
            let of_golden =
                |key: &str| list(&expected[key]).iter().flat_map(vector).collect::<Vec<_>>();
            all_close("gaussian", &gaussian, &of_golden("gaussian"), 1e-12);
            assert_eq!(row("b", &["ones", "n"]).concat(), of_golden("bernoulli"));
        }
    }
}
