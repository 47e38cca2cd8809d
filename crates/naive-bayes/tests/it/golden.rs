//! Predictions against scikit-learn and direct formulas.

use naive_bayes::{
    Batch, ClassPrior, Complement, CountRule, Documents, Kind, Label, Model, NaiveBayesError,
    Options, Parameters, Smoothing, Training, UnseenLevel,
};
use ndarray::Array1;
use serde_json::Value;

use crate::support::*;

const TOLERANCE: f64 = 1e-10;

fn by_feature(predictor: &naive_bayes::Predictor, prefix: &str, n: usize) -> Vec<Parameters> {
    (0..n).map(|at| predictor.parameters(&format!("{prefix}{at}")).unwrap()).collect()
}

fn check_gaussian(predictor: &naive_bayes::Predictor, prefix: &str, case: &Value) {
    let (mean, variance) = (matrix(&case["mean"]), matrix(&case["var"]));
    for (at, parameters) in by_feature(predictor, prefix, mean.ncols()).into_iter().enumerate() {
        let Parameters::Gaussian { mean: m, variance: v, epsilon } = parameters else {
            panic!("{parameters:?}")
        };
        all_close("mean", &m, &mean.column(at).to_vec(), 1e-12);
        all_close("variance", &v, &variance.column(at).to_vec(), 1e-12);
        close("epsilon", epsilon, number(&case["epsilon"]), 1e-12);
    }
}

fn check_bernoulli(predictor: &naive_bayes::Predictor, prefix: &str, case: &Value) {
    let expected = matrix(&case["theta"]);
    for (at, parameters) in by_feature(predictor, prefix, expected.ncols()).into_iter().enumerate()
    {
        let Parameters::Bernoulli { theta } = parameters else { panic!("{parameters:?}") };
        all_close("theta", &theta, &expected.column(at).to_vec(), 1e-12);
    }
}

#[test]
fn gaussian() {
    for case in list(&golden()["gaussian"]) {
        let x = matrix(&case["X"]);
        let batch = numbers(Batch::new(x.nrows()), "g", Kind::Gaussian, &x);
        let model = fitted(&batch, &labels(&case["y"]));
        let predictor = model.predictor(&options(case)).unwrap();
        check_gaussian(&predictor, "g", case);
        let x = matrix(&case["X_test"]);
        let batch = numbers(Batch::new(x.nrows()), "g", Kind::Gaussian, &x);
        check_posterior("gaussian", &predictor, &batch, case, TOLERANCE);
    }
}

#[test]
fn bernoulli() {
    for case in list(&golden()["bernoulli"]) {
        let x = matrix(&case["X"]);
        let batch = Batch::new(x.nrows()).matrix(&columns("b", Kind::Bernoulli, 4), &x).unwrap();
        let predictor = fitted(&batch, &labels(&case["y"])).predictor(&options(case)).unwrap();
        check_bernoulli(&predictor, "b", case);
        let x = matrix(&case["X_test"]);
        let batch = Batch::new(x.nrows()).matrix(&columns("b", Kind::Bernoulli, 4), &x).unwrap();
        check_posterior("bernoulli", &predictor, &batch, case, TOLERANCE);
    }
}

#[test]
fn the_limit_of_no_pseudo_count() {
    let case = &golden()["bernoulli_alpha_zero_limit"];
    let x = matrix(&case["X"]);
    let batch = Batch::new(x.nrows()).matrix(&columns("b", Kind::Bernoulli, 3), &x).unwrap();
    let options = Options { alpha: 0.0, ..Options::default() };
    let predictor = fitted(&batch, &labels(&case["y"])).predictor(&options).unwrap();
    let x = matrix(&case["X_test"]);
    let batch = Batch::new(x.nrows()).matrix(&columns("b", Kind::Bernoulli, 3), &x).unwrap();
    close_to_json("limit", &predictor.proba(&batch).unwrap(), &case["proba"], TOLERANCE);
    // Impossible is impossible in the joint value, and NaN nowhere.
    let joint = predictor.joint_log_likelihood(&batch).unwrap();
    let zeros = matrix(&case["zero_terms"]);
    for (value, zeros) in joint.iter().zip(&zeros) {
        assert_eq!(*value == f64::NEG_INFINITY, *zeros > 0.0);
    }
    assert!(predictor.log_proba(&batch).unwrap().iter().all(|value| !value.is_nan()));
}

#[test]
fn categorical_with_unseen_levels() {
    let case = &golden()["categorical"];
    let x = matrix(&case["X"]);
    let model = fitted(&categories(Batch::new(x.nrows()), "c", &x), &labels(&case["y"]));
    let predictor = model.predictor(&options(case)).unwrap();
    for (at, parameters) in by_feature(&predictor, "c", 2).into_iter().enumerate() {
        let Parameters::Categorical { probabilities, .. } = parameters else { panic!() };
        let expected = matrix(&case["prob"][at]);
        all_close("prob", &probabilities.concat(), expected.as_slice().unwrap(), 1e-12);
    }
    let x = matrix(&case["X_test"]);
    check_posterior(
        "categorical",
        &predictor,
        &categories(Batch::new(x.nrows()), "c", &x),
        case,
        TOLERANCE,
    );
    let case = &case["unseen"];
    let x = matrix(&case["X_test"]);
    let batch = categories(Batch::new(x.nrows()), "c", &x);
    check_posterior("skip", &predictor, &batch, &case["skip"], TOLERANCE);
    let open = Options { unseen: UnseenLevel::Open, ..Options::default() };
    let open = model.predictor(&open).unwrap();
    check_posterior("open", &open, &batch, &case["open"], TOLERANCE);
    let refuse = Options { unseen: UnseenLevel::Refuse, ..Options::default() };
    let error = model.predictor(&refuse).unwrap().proba(&batch).unwrap_err();
    let expected =
        NaiveBayesError::UnseenLevel { feature: "c0".into(), row: 2, level: Label::from(9) };
    // The first feature is looked at first; its first unseen level is in row 2.
    assert_eq!(error, expected);
}

#[test]
fn multinomial_and_complement() {
    let golden = golden();
    let case = &golden["multinomial"];
    let documents = Documents::from_matrix(&matrix(&case["X"])).unwrap();
    let batch = Batch::new(documents.n_rows()).documents("m", &documents).unwrap();
    let model = fitted(&batch, &labels(&case["y"]));
    let predictor = model.predictor(&options(case)).unwrap();
    let Parameters::Multinomial { probabilities, terms: None } = predictor.parameters("m").unwrap()
    else {
        panic!()
    };
    all_close("prob", &probabilities.concat(), matrix(&case["prob"]).as_slice().unwrap(), 1e-12);
    let new = Documents::from_matrix(&matrix(&case["X_test"])).unwrap();
    let batch = Batch::new(new.n_rows()).documents("m", &new).unwrap();
    check_posterior("multinomial", &predictor, &batch, case, TOLERANCE);

    let case = &golden["complement"];
    let documents = Documents::from_matrix(&matrix(&case["X"])).unwrap();
    let new = Documents::from_matrix(&matrix(&case["X_test"])).unwrap();
    let batch = Batch::new(documents.n_rows()).documents("m", documents).unwrap();
    let model = fitted(&batch, &labels(&case["y"]));
    let plain = Complement::new(&model, "m", number(&case["alpha"]), false).unwrap();
    close_to_json("weights", plain.weights(), &case["weights"], TOLERANCE);
    close_to_json("score", &plain.scores(&new), &case["score"], TOLERANCE);
    assert_eq!(plain.predict(&new), integers(&case["predict"]));
    let normalised = Complement::new(&model, "m", number(&case["alpha"]), true).unwrap();
    close_to_json("weights", normalised.weights(), &case["weights_norm"], TOLERANCE);
    assert_eq!(normalised.predict(&new), integers(&case["predict_norm"]));
}

#[test]
fn mixed_kinds_and_priors() {
    for case in list(&golden()["mixed"]) {
        let model = fitted(&batch(case, ""), &labels(&case["y"]));
        let prior = match case["prior_kind"].as_str().unwrap() {
            "ml" => ClassPrior::Learned,
            "laplace" => ClassPrior::Laplace(1.0),
            _ => {
                let values = vector(&case["prior"]);
                ClassPrior::Given((0..2).map(|at| (Label::from(at), values[at as usize])).collect())
            }
        };
        let predictor = model.predictor(&Options { prior, ..options(case) }).unwrap();
        check_gaussian(&predictor, "g", &case["gaussian"]);
        check_bernoulli(&predictor, "b", &case["bernoulli"]);
        let batch = batch(case, "_test");
        check_posterior("mixed", &predictor, &batch, case, TOLERANCE);
        let odds = predictor.log_odds(&batch).unwrap().to_vec();
        all_close("log odds", &odds, &vector(&case["log_odds"]), TOLERANCE);
    }
}

#[test]
fn every_kind_and_four_classes() {
    let golden = golden();
    let case = &golden["multiclass"];
    let model = fitted(&batch(case, ""), &labels(&case["y"]));
    let predictor = model.predictor(&options(case)).unwrap();
    check_gaussian(&predictor, "g", &case["params"]["gaussian"]);
    check_bernoulli(&predictor, "b", &case["params"]["bernoulli"]);
    let Parameters::Count { rate } = predictor.parameters("p0").unwrap() else { panic!() };
    all_close("rate", &rate, &vector_of_column(&case["params"]["poisson"]["rate"]), 1e-12);
    let test = batch(case, "_test");
    check_posterior("multiclass", &predictor, &test, case, TOLERANCE);

    let blocks = &case["block_log_likelihood"];
    let names = [
        ("gaussian", "g"),
        ("bernoulli", "b"),
        ("categorical", "c"),
        ("poisson", "p"),
        ("multinomial", "m"),
    ];
    for (block, prefix) in names {
        check_block(&model, &options(case), &test, prefix, &blocks[block]);
    }
    let predictive = Options { count_rule: CountRule::Predictive, ..options(case) };
    check_block(&model, &predictive, &test, "p", &blocks["poisson_predictive"]);
}

fn vector_of_column(value: &Value) -> Vec<f64> {
    matrix(value).column(0).to_vec()
}

/// The sum of the contributions of the features of one block.
fn check_block(
    model: &Model,
    options: &Options,
    batch: &Batch<'_>,
    prefix: &str,
    expected: &Value,
) {
    let predictor = model.predictor(options).unwrap();
    let expected = matrix(expected);
    for row in 0..batch.n_rows() {
        let parts = predictor.explain(batch, row).unwrap().contributions;
        for class in 0..4 {
            let parts = parts.iter().filter(|part| part.feature.starts_with(prefix));
            let sum: f64 = parts.map(|part| part.log_likelihood[class]).sum();
            close(prefix, sum, expected[[row, class]], TOLERANCE);
        }
    }
}

#[test]
fn missing_cells_are_summed_out() {
    let golden = golden();
    let case = &golden["missing"];
    let predictor =
        fitted(&batch(case, ""), &labels(&case["y"])).predictor(&options(case)).unwrap();
    check_gaussian(&predictor, "g", &case["gaussian"]);
    check_bernoulli(&predictor, "b", &case["bernoulli"]);
    check_posterior("missing", &predictor, &batch(case, "_test"), case, TOLERANCE);
}

#[test]
fn weights_are_copies_also_in_the_smoothing() {
    let golden = golden();
    let case = &golden["weights"];
    let x = matrix(&case["X"]);
    let batch = numbers(Batch::new(x.nrows()), "g", Kind::Gaussian, &x);
    let (classes, weights) = (labels(&case["y"]), Array1::from(vector(&case["weight"])));
    let mut model = Model::default();
    let training = Training::new(&batch, &classes).unwrap().weights(&weights).unwrap();
    model.observe(&training).unwrap();
    let predictor = model.predictor(&options(case)).unwrap();
    check_gaussian(&predictor, "g", case);
    let x = matrix(&case["X_test"]);
    let batch = numbers(Batch::new(x.nrows()), "g", Kind::Gaussian, &x);
    check_posterior("weights", &predictor, &batch, case, TOLERANCE);

    let case = &case["sklearn_epsilon_ignores_weights"];
    let predictor = model.predictor(&options(case)).unwrap();
    let Parameters::Gaussian { epsilon, .. } = predictor.parameters("g0").unwrap() else {
        panic!()
    };
    close("epsilon", epsilon, number(&case["crate_must_give"]), 1e-12);
    close("of copies", epsilon, number(&case["sklearn_copies"]), 1e-10);
    assert!(
        (epsilon - number(&case["sklearn_weighted"])).abs() > 1.0,
        "the difference this is about"
    );
}

#[test]
fn log_odds_stay_finite_where_probabilities_saturate() {
    let golden = golden();
    let case = &golden["saturation"];
    let x = ndarray::array![[-2.0], [-1.0], [1.0], [2.0]];
    let columns = columns("g", Kind::Gaussian, 1);
    let batch = Batch::new(4).matrix(&columns, &x).unwrap();
    let model = fitted(&batch, &naive_bayes::Levels::from_integers(&[0, 0, 1, 1]));
    let options = Options { smoothing: Smoothing::None, ..Options::default() };
    let predictor = model.predictor(&options).unwrap();
    let found = predictor.parameters("g0").unwrap();
    let [mean, variance] = ["mean", "var"].map(|key| vector(&case[key]));
    assert_eq!(found, Parameters::Gaussian { mean, variance, epsilon: 0.0 });
    let prior: Vec<f64> = predictor.log_prior().iter().map(|log| log.exp()).collect();
    assert_eq!(prior, vector(&case["prior"]));
    for row in list(&case["rows"]) {
        let x = ndarray::array![[number(&row["x"])]];
        let batch = Batch::new(1).matrix(&columns, &x).unwrap();
        let odds = predictor.log_odds(&batch).unwrap()[0];
        close("log odds", odds, number(&row["log_odds"]), TOLERANCE);
        close("p", predictor.proba(&batch).unwrap()[[0, 1]], number(&row["proba1"]), TOLERANCE);
        assert!(predictor.log_proba(&batch).unwrap().iter().all(|value| !value.is_nan()));
    }
}
