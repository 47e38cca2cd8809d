//! Evidence against quadrature and brute force, feature selection, predictives.

use std::collections::BTreeMap;

use naive_bayes::probability::laplace;
use naive_bayes::{
    Batch, Direction, Evidence, EvidencePriors, GammaPrior, GaussianPrior, Kind, Label, Levels,
    NaiveBayesError, NormalInverseGamma, Options, Parameters, Predictor, Smoothing, select,
};
use serde_json::Value;

use crate::support::*;

const TOLERANCE: f64 = 1e-10;

/// The evidence of one feature in one class.
fn alone(batch: Batch<'_>, priors: &EvidencePriors) -> f64 {
    let classes = Levels::from_integers(&vec![0; batch.n_rows()]);
    if batch.n_rows() == 0 {
        // A model without rows has no classes; a second class without the feature shares nothing either.
        assert_eq!(fitted(&batch, &classes).evidence(priors), Err(NaiveBayesError::NoClasses));
        return 0.0;
    }
    let evidence = fitted(&batch, &classes).evidence(priors).unwrap();
    evidence.features.first().map_or(0.0, |feature| feature.shared)
}

fn ones(ones: usize, n: usize) -> Batch<'static> {
    let x = (0..n).map(|row| f64::from(u8::from(row < ones))).collect();
    Batch::new(n).column("x", Kind::Bernoulli, x).unwrap()
}

#[test]
fn bernoulli() {
    for case in list(&golden()["evidence"]["bernoulli"]) {
        let count = |key: &str| case[key].as_u64().unwrap() as usize;
        let beta = (number(&case["a"]), number(&case["b"]));
        let found =
            alone(ones(count("ones"), count("n")), &EvidencePriors { beta, ..Default::default() });
        close("bernoulli", found, number(&case["log_evidence"]), TOLERANCE);
    }
}

/// The levels of a case, and what is listed of their pseudo-counts.
fn categorical(case: &Value) -> (Vec<i64>, EvidencePriors) {
    let counts = integers(&case["counts"]);
    let cells = counts.iter().zip(0..).flat_map(|(&n, level)| vec![level; n]).collect();
    let mut priors = EvidencePriors::default();
    match case["alpha"].as_f64() {
        Some(alpha) => priors.level = alpha,
        None => {
            let listed = vector(&case["alpha"]).into_iter().zip(0..);
            let listed = listed.map(|(alpha, level)| (Label::Integer(level), alpha)).collect();
            priors.level_of = BTreeMap::from([("x".to_owned(), listed)]);
        }
    }
    (cells, priors)
}

#[test]
fn categorical_with_symmetric_and_asymmetric_priors() {
    for case in list(&golden()["evidence"]["categorical"]) {
        let (cells, priors) = categorical(case);
        let batch = Batch::new(cells.len()).levels("x", Levels::from_integers(&cells)).unwrap();
        close("categorical", alone(batch, &priors), number(&case["log_evidence"]), TOLERANCE);
    }
}

#[test]
fn pseudo_counts_of_terms_and_classes_are_those_of_levels() {
    let golden = golden();
    let case = &golden["evidence"]["categorical"][1];
    let (cells, priors) = categorical(case);
    let expected = number(&case["log_evidence"]);
    let counts = ndarray::Array2::from_shape_fn((cells.len(), 4), |(row, term)| {
        f64::from(u8::from(cells[row] == term as i64))
    });
    let documents = naive_bayes::Documents::from_matrix(&counts).unwrap();
    let batch = Batch::new(cells.len()).documents("x", documents).unwrap();
    close("terms", alone(batch, &priors), expected, TOLERANCE);
    let priors = EvidencePriors { class_of: priors.level_of["x"].clone(), ..Default::default() };
    let model = fitted(&Batch::new(cells.len()), &Levels::from_integers(&cells));
    close("classes", model.evidence(&priors).unwrap().labels, expected, TOLERANCE);
}

#[test]
fn a_listed_level_that_no_row_has_still_counts() {
    let batch = |cells: &[i64]| {
        let levels = Levels::from_integers(cells);
        Batch::new(cells.len()).levels("x", levels).unwrap()
    };
    let listed = vec![(Label::Integer(7), 3.0)];
    let level_of = BTreeMap::from([("x".to_owned(), listed)]);
    let priors = EvidencePriors { level_of, ..Default::default() };
    // One cell of a level with pseudo-count 1 beside 3: 1/4.
    close("unseen", alone(batch(&[0]), &priors), 0.25_f64.ln(), TOLERANCE);
    // So it is with terms that have numbers, the listed one beyond the last.
    let documents = naive_bayes::Documents::from_matrix(&ndarray::array![[1.0]]).unwrap();
    let terms = Batch::new(1).documents("x", documents).unwrap();
    close("unseen term", alone(terms, &priors), 0.25_f64.ln(), TOLERANCE);
    for bad in [vec![(Label::Integer(1), 0.0)], vec![(Label::Integer(1), 1.0); 2]] {
        let level_of = BTreeMap::from([("x".to_owned(), bad)]);
        let priors = EvidencePriors { level_of, ..Default::default() };
        let refused = fitted(&batch(&[0]), &Levels::from_integers(&[0])).evidence(&priors);
        assert!(matches!(refused, Err(NaiveBayesError::Option { name: "level_of", .. })));
    }
}

#[test]
fn poisson() {
    for case in list(&golden()["evidence"]["poisson"]) {
        let x = vector(&case["x"]);
        let count = GammaPrior { shape: number(&case["shape"]), rate: number(&case["rate"]) };
        let batch = Batch::new(x.len()).column("x", Kind::Count, x).unwrap();
        let found = alone(batch, &EvidencePriors { count, ..Default::default() });
        close("poisson", found, number(&case["log_evidence"]), TOLERANCE);
    }
}

fn prior(case: &Value) -> NormalInverseGamma {
    let [m0, k0, a0, b0] = ["m0", "k0", "a0", "b0"].map(|key| number(&case[key]));
    NormalInverseGamma { m0, k0, a0, b0 }
}

#[test]
fn gaussian_and_its_predictive() {
    for case in list(&golden()["evidence"]["gaussian"]) {
        let x = vector(&case["x"]);
        let gaussian = GaussianPrior::Given(prior(case));
        let batch = Batch::new(x.len()).column("x", Kind::Gaussian, x).unwrap();
        let found = alone(batch.clone(), &EvidencePriors { gaussian, ..Default::default() });
        close("gaussian", found, number(&case["log_evidence"]), TOLERANCE);
        let Some(predictive) = case.get("predictive") else { continue };
        let model = fitted(&batch, &Levels::from_integers(&vec![0; batch.n_rows()]));
        let options = Options { smoothing: Smoothing::Predictive(gaussian), ..Options::default() };
        let predictor = model.predictor(&options).unwrap();
        check_location_and_scale(&predictor, &case["posterior"]);
        for point in list(predictive) {
            let batch =
                Batch::new(1).column("x", Kind::Gaussian, vec![number(&point["x"])]).unwrap();
            let found = predictor.joint_log_likelihood(&batch).unwrap()[[0, 0]];
            close("predictive", found, number(&point["log_density"]), TOLERANCE);
            check_explanation(&predictor, &batch, 0);
        }
    }
}

/// Degrees of freedom 2a, location m, scale² b(k + 1)/(ak) of the posterior.
fn check_location_and_scale(predictor: &Predictor, posterior: &Value) {
    let [m, k, a, b] = ["m", "k", "a", "b"].map(|key| number(&posterior[key]));
    let Parameters::StudentT { degrees, location, scale } = predictor.parameters("x").unwrap()
    else {
        panic!("a Student-t predictive")
    };
    close("degrees", degrees[0], 2.0 * a, TOLERANCE);
    close("location", location[0], m, TOLERANCE);
    close("scale", scale[0], (b * (k + 1.0) / (a * k)).sqrt(), TOLERANCE);
}

fn selection_case(case: &Value) -> Evidence {
    let model = fitted(&batch(case, ""), &labels(&case["y"]));
    let named = list(&case["gaussian_prior"]).iter().enumerate();
    let gaussian_of: BTreeMap<_, _> =
        named.map(|(at, case)| (format!("g{at}"), prior(case))).collect();
    model.evidence(&EvidencePriors { gaussian_of, ..Default::default() }).unwrap()
}

#[test]
fn feature_selection_is_that_of_brute_force() {
    let golden = golden();
    let case = &golden["evidence"]["feature_selection"];
    let evidence = selection_case(case);
    close("labels", evidence.labels, number(&case["log_evidence_labels"]), TOLERANCE);
    for (at, feature) in evidence.features.iter().enumerate() {
        assert_eq!(Some(feature.name.as_str()), case["features"][at].as_str());
        all_close("D", &feature.per_class, &vector(&case["log_evidence_per_class"][at]), TOLERANCE);
        close("H", feature.shared, number(&case["log_evidence_shared"][at]), TOLERANCE);
        close("BF", feature.log_bayes_factor(), number(&case["log_bayes_factor"][at]), TOLERANCE);
        let inclusion = feature.inclusion_probability(0.0);
        close("inclusion", inclusion, number(&case["inclusion_probability"][at]), TOLERANCE);
    }
    close("all", evidence.total(), number(&case["log_evidence_all_dependent"]), TOLERANCE);
    let none = evidence.total_where(|_| false);
    close("none", none, number(&case["log_evidence_none_dependent"]), TOLERANCE);
    let best: Vec<String> = list(&case["best_subset"])
        .iter()
        .zip(&evidence.features)
        .filter(|(chosen, _)| chosen.as_u64() == Some(1))
        .map(|(_, feature)| feature.name.clone())
        .collect();
    for direction in [Direction::Forward, Direction::Backward] {
        let path = select(&evidence, direction);
        assert_eq!(path.selected, best);
        close("best", path.log_evidence, number(&case["log_evidence_best"]), TOLERANCE);
        assert!(path.steps.windows(2).all(|pair| pair[0].gain >= pair[1].gain));
    }
}

#[test]
fn laplace_is_the_bayesian_predictive() {
    let golden = golden();
    let case = &golden["evidence"]["predictive_equals_laplace"];
    let priors = EvidencePriors::default();
    let [k, n] = ["ones", "n"].map(|key| case[key].as_u64().unwrap() as usize);
    let ratio = (alone(ones(k + 1, n + 1), &priors) - alone(ones(k, n), &priors)).exp();
    close("ratio", ratio, number(&case["ratio_of_evidence"]), TOLERANCE);
    close("laplace", laplace(k as f64, n as f64), number(&case["theta"]), TOLERANCE);
    let sunrise = &golden["evidence"]["bernoulli"][3];
    let [k, n] = ["ones", "n"].map(|key| number(&sunrise[key]));
    close("sunrise", laplace(k, n), number(&sunrise["posterior_mean"]), 1e-15);
}
