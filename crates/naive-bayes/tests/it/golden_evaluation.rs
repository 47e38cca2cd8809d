//! Evaluation, empirical probability and maximum likelihood.

use naive_bayes::evaluation::{
    Calibration, Confusion, Outcome, Ranking, binary_brier, brier, log_loss,
};
use naive_bayes::probability::{
    Frequencies, bernoulli_nll, bernoulli_nll_curvature, bernoulli_nll_gradient, laplace,
};
use ndarray::Array2;
use serde_json::Value;

use crate::support::*;

const TOLERANCE: f64 = 1e-10;

fn optional(value: &Value) -> Option<f64> {
    (!value.is_null()).then(|| number(value))
}

fn scores(case: &Value) -> (Vec<f64>, Vec<bool>) {
    (vector(&case["score"]), integers(&case["y"]).iter().map(|&y| y == 1).collect())
}

#[test]
fn two_classes_at_one_half() {
    let golden = golden();
    let case = &golden["evaluation"];
    let (scores, positive) = scores(case);
    let actual = integers(&case["y"]);
    let predicted: Vec<usize> = scores.iter().map(|&s| usize::from(s > 0.5)).collect();
    let confusion = Confusion::new(&actual, &predicted, 2).unwrap();
    let rows = confusion.matrix().iter().map(|row| row.iter().map(|&n| n as usize).collect());
    let expected: Vec<Vec<usize>> =
        list(&case["confusion_at_half"]["matrix"]).iter().map(integers).collect();
    assert_eq!(rows.collect::<Vec<Vec<usize>>>(), expected);
    close("accuracy", confusion.accuracy(), number(&case["accuracy"]), TOLERANCE);
    for (name, found) in [
        ("precision", confusion.precision(1)),
        ("recall", confusion.recall(1)),
        ("f1", confusion.f1(1)),
        ("mcc", confusion.mcc()),
    ] {
        close(name, found.unwrap(), number(&case[name]), TOLERANCE);
    }
    let log = Array2::from_shape_fn((scores.len(), 2), |(row, class)| {
        if class == 1 { scores[row].ln() } else { (-scores[row]).ln_1p() }
    });
    close("log loss", log_loss(&log, &actual).unwrap(), number(&case["log_loss"]), TOLERANCE);
    close("brier", binary_brier(&scores, &positive).unwrap(), number(&case["brier"]), TOLERANCE);
    let both = brier(&log.mapv(f64::exp), &actual).unwrap();
    close("brier of both", both, 2.0 * number(&case["brier"]), TOLERANCE);
}

#[test]
fn curves() {
    let golden = golden();
    let case = &golden["evaluation"];
    let (scores, positive) = scores(case);
    let ranking = Ranking::new(&scores, &positive).unwrap();
    let roc = ranking.roc().unwrap();
    let column = |value: fn(&naive_bayes::evaluation::RocPoint) -> f64| {
        roc.iter().map(value).collect::<Vec<_>>()
    };
    all_close("fpr", &column(|p| p.false_positive_rate), &vector(&case["roc"]["fpr"]), TOLERANCE);
    all_close("tpr", &column(|p| p.true_positive_rate), &vector(&case["roc"]["tpr"]), TOLERANCE);
    assert_eq!(column(|p| p.threshold), vector(&case["roc"]["threshold"]));
    close("auc", ranking.auc().unwrap(), number(&case["auc"]), TOLERANCE);
    let precision = ranking.average_precision().unwrap();
    close("average precision", precision, number(&case["average_precision"]), TOLERANCE);
}

fn counts(outcome: &Outcome) -> [u64; 4] {
    [
        outcome.true_negatives,
        outcome.false_positives,
        outcome.false_negatives,
        outcome.true_positives,
    ]
}

fn expected_counts(case: &Value) -> [u64; 4] {
    ["tn", "fp", "fn", "tp"].map(|key| case[key].as_u64().unwrap())
}

#[test]
fn thresholds() {
    let golden = golden();
    let case = &golden["evaluation"];
    let (scores, positive) = scores(case);
    let ranking = Ranking::new(&scores, &positive).unwrap();
    let sweep = ranking.sweep();
    let expected = list(&case["sweep"]);
    assert_eq!(sweep.len(), expected.len());
    for (at, (found, expected)) in sweep.iter().zip(expected).enumerate() {
        assert_eq!(counts(found), expected_counts(expected));
        assert_eq!(counts(&ranking.at(found.threshold)), counts(found));
        let asked = ranking.at(number(&expected["threshold"]));
        assert_eq!(counts(&asked), expected_counts(expected));
        // The first threshold stands for any below all scores.
        assert!(at == 0 || found.threshold == number(&expected["threshold"]));
    }
    let safe = ranking.no_misses().unwrap();
    let case = &case["zero_false_negatives"];
    assert_eq!(safe.lowest_positive, number(&case["min_positive_score"]));
    assert_eq!(safe.outcome.threshold, number(&case["largest_threshold"]));
    assert_eq!(counts(&safe.outcome), expected_counts(&case["at"]));
    close("bound", safe.miss_bound, number(&case["miss_bound_new_positive"]), TOLERANCE);
    let mut of_positives: Vec<f64> =
        scores.iter().zip(&positive).filter(|(_, is)| **is).map(|(score, _)| *score).collect();
    of_positives.sort_by(f64::total_cmp);
    for case in list(&golden["evaluation"]["miss_rate_thresholds"]) {
        let found = ranking.threshold_for_miss_rate(number(&case["target"]));
        assert_eq!(found, optional(&case["largest_threshold"]));
        // It lies next below the k-th smallest score of a positive.
        let at = (case["k"].as_u64().unwrap() as usize).checked_sub(1);
        assert_eq!(found, at.map(|at| of_positives[at].next_down()));
    }
}

#[test]
fn calibration() {
    let golden = golden();
    let case = &golden["evaluation"];
    let (scores, positive) = scores(case);
    let bins = list(&case["calibration"]["bins"]).len();
    let table = Calibration::new(&scores, &positive, bins).unwrap();
    assert_eq!(table.bins.len(), bins);
    for (found, expected) in table.bins.iter().zip(list(&case["calibration"]["bins"])) {
        assert_eq!(Some(found.n), expected["n"].as_u64());
        close("low", found.low, number(&expected["lo"]), 1e-15);
        close("high", found.high, number(&expected["hi"]), 1e-15);
        for (found, key) in
            [(found.mean_score, "mean_score"), (found.fraction_positive, "fraction_positive")]
        {
            close(key, found.unwrap_or(f64::NAN), number(&expected[key]), TOLERANCE);
        }
    }
    close("ece", table.ece, number(&case["calibration"]["ece"]), TOLERANCE);
}

#[test]
fn three_classes() {
    let golden = golden();
    let case = &golden["evaluation"]["multiclass"];
    let actual = integers(&case["y"]);
    let confusion = Confusion::new(&actual, &integers(&case["predicted"]), 3).unwrap();
    let expected: Vec<Vec<u64>> = serde_json::from_value(case["matrix"].clone()).unwrap();
    assert_eq!(confusion.matrix(), expected);
    close("accuracy", confusion.accuracy(), number(&case["accuracy"]), TOLERANCE);
    close("f1", confusion.macro_f1().unwrap(), number(&case["macro_f1"]), TOLERANCE);
    let proba = matrix(&case["proba"]);
    let log = proba.mapv(f64::ln);
    close("log loss", log_loss(&log, &actual).unwrap(), number(&case["log_loss"]), TOLERANCE);
    close("brier", brier(&proba, &actual).unwrap(), number(&case["brier_sum"]), TOLERANCE);
}

#[test]
fn the_rules_of_probability() {
    let golden = golden();
    let case = &golden["empirical"];
    let threshold = number(&case["threshold"]);
    let event = |deaths: f64| (!deaths.is_nan()).then_some(deaths > threshold);
    let events: Vec<Option<bool>> = vector(&case["deaths"]).into_iter().map(event).collect();
    let years: Vec<Option<i64>> = integers(&case["year"]).iter().map(|&y| Some(y as i64)).collect();
    let table = Frequencies::new(&events, &years).unwrap();
    assert_eq!(
        (Some(table.rows()), Some(table.events())),
        (case["n"].as_u64(), case["over"].as_u64())
    );
    close("P(y)", table.probability(), number(&case["p_over"]), TOLERANCE);
    let groups: Vec<_> = table.groups().collect();
    assert_eq!(groups.len(), list(&case["per_year"]).len());
    for (group, case) in groups.iter().zip(list(&case["per_year"])) {
        let counted = [group.value as f64, group.rows as f64, group.events as f64];
        assert_eq!(counted, ["year", "n", "over"].map(|key| number(&case[key])));
        for (name, found) in [
            ("p_t", group.marginal()),
            ("p_y_given_t", group.conditional()),
            ("p_y_and_t", group.joint()),
            ("p_t_given_y", group.inverse()),
            ("laplace", group.laplace()),
        ] {
            close(name, found, number(&case[name]), TOLERANCE);
        }
        close("product rule", group.conditional() * group.marginal(), group.joint(), 1e-15);
        let bayes = group.conditional() * group.marginal() / table.probability();
        close("Bayes' rule", bayes, group.inverse(), 1e-15);
    }
    let sum: f64 = groups.iter().map(|group| group.joint()).sum();
    close("sum rule", sum, table.probability(), 1e-15);
}

#[test]
fn bernoulli_maximum_likelihood() {
    let golden = golden();
    let case = &golden["bernoulli_mle"];
    let [ones, n, pi] = ["ones", "n", "pi"].map(|key| number(&case[key]));
    close("nll", bernoulli_nll(ones, n, pi), number(&case["nll"]), TOLERANCE);
    close(
        "gradient",
        bernoulli_nll_gradient(ones, n, pi),
        number(&case["gradient_at_pi"]),
        TOLERANCE,
    );
    let curvature = bernoulli_nll_curvature(ones, n, pi);
    close("curvature", curvature, number(&case["second_derivative"]), TOLERANCE);
    close("laplace", laplace(ones, n), number(&case["laplace"]), TOLERANCE);
    let case = &case["nll_all_ones"];
    let [ones, n, pi] = ["ones", "n", "pi"].map(|key| number(&case[key]));
    assert_eq!(bernoulli_nll(ones, n, pi), number(&case["nll"]));
}
