//! Reading golden values, and comparing.

use naive_bayes::{Batch, Documents, Kind, Label, Levels, Model, Options, Predictor, Training};
use ndarray::{Array2, ArrayRef2};
use serde_json::Value;

pub(crate) fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/naive-bayes.json")).unwrap()
}

/// A number; null is missing and infinities are words.
pub(crate) fn number(value: &Value) -> f64 {
    match value {
        Value::Null => f64::NAN,
        Value::String(word) => word.parse().unwrap(),
        Value::Bool(is) => f64::from(u8::from(*is)),
        other => other.as_f64().unwrap(),
    }
}

pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

pub(crate) fn vector(value: &Value) -> Vec<f64> {
    list(value).iter().map(number).collect()
}

pub(crate) fn integers(value: &Value) -> Vec<usize> {
    list(value).iter().map(|value| value.as_u64().unwrap() as usize).collect()
}

pub(crate) fn matrix(value: &Value) -> Array2<f64> {
    let rows: Vec<Vec<f64>> = list(value).iter().map(vector).collect();
    let width = rows.first().map_or(0, Vec::len);
    Array2::from_shape_vec((rows.len(), width), rows.concat()).unwrap()
}

pub(crate) fn label(value: &Value) -> Option<Label> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(Label::from(text.as_str())),
        other => Some(Label::from(other.as_i64().unwrap())),
    }
}

pub(crate) fn labels(value: &Value) -> Levels {
    Levels::from_labels(list(value).iter().map(label))
}

/// Relative above 1, absolute below.
#[track_caller]
pub(crate) fn close(what: &str, found: f64, expected: f64, tolerance: f64) {
    let same = found == expected || (found.is_nan() && expected.is_nan());
    let error = (found - expected).abs() / expected.abs().max(1.0);
    assert!(same || error <= tolerance, "{what}: {found:e} is not {expected:e}, off by {error:e}");
}

#[track_caller]
pub(crate) fn all_close(what: &str, found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{what}");
    found
        .iter()
        .zip(expected)
        .for_each(|(found, expected)| close(what, *found, *expected, tolerance));
}

#[track_caller]
pub(crate) fn close_to_json(what: &str, found: &ArrayRef2<f64>, expected: &Value, tolerance: f64) {
    let expected = matrix(expected);
    assert_eq!(found.dim(), expected.dim(), "{what}");
    let pairs = found.iter().zip(&expected);
    pairs.for_each(|(found, expected)| close(what, *found, *expected, tolerance));
}

/// Names `prefix0`, `prefix1`, … of one kind.
pub(crate) fn columns(prefix: &str, kind: Kind, n: usize) -> Vec<(String, Kind)> {
    (0..n).map(|column| (format!("{prefix}{column}"), kind)).collect()
}

/// The blocks of a golden case that are there, as one batch.
pub(crate) fn batch(case: &Value, suffix: &str) -> Batch<'static> {
    let found = |name: &str| case.get(format!("{name}{suffix}")).map(matrix);
    let blocks = [
        ("gaussian_X", "g", Kind::Gaussian),
        ("bernoulli_X", "b", Kind::Bernoulli),
        ("poisson_X", "p", Kind::Count),
    ];
    let rows = ["gaussian_X", "multinomial_X"].iter().find_map(|name| found(name)).unwrap().nrows();
    let mut batch = Batch::new(rows);
    for (name, prefix, kind) in blocks {
        if let Some(values) = found(name) {
            batch = numbers(batch, prefix, kind, &values);
        }
    }
    if let Some(values) = found("categorical_X") {
        batch = categories(batch, "c", &values);
    }
    if let Some(values) = found("multinomial_X") {
        batch = batch.documents("m", Documents::from_matrix(&values).unwrap()).unwrap();
    }
    batch
}

pub(crate) fn numbers<'a>(
    mut batch: Batch<'a>,
    prefix: &str,
    kind: Kind,
    values: &Array2<f64>,
) -> Batch<'a> {
    for (column, (name, kind)) in columns(prefix, kind, values.ncols()).iter().enumerate() {
        batch = batch.column(name, *kind, values.column(column).to_vec()).unwrap();
    }
    batch
}

pub(crate) fn categories<'a>(
    mut batch: Batch<'a>,
    prefix: &str,
    values: &Array2<f64>,
) -> Batch<'a> {
    for column in 0..values.ncols() {
        let levels = Levels::from_numbers(&values.column(column).to_vec());
        batch = batch.levels(&format!("{prefix}{column}"), levels).unwrap();
    }
    batch
}

pub(crate) fn fitted(batch: &Batch<'_>, classes: &Levels) -> Model {
    let mut model = Model::default();
    model.observe(&Training::new(batch, classes).unwrap()).unwrap();
    model
}

/// Checks every prediction a golden case has.
#[track_caller]
pub(crate) fn check_posterior(
    what: &str,
    predictor: &Predictor,
    batch: &Batch<'_>,
    case: &Value,
    tolerance: f64,
) {
    let joint = predictor.joint_log_likelihood(batch).unwrap();
    close_to_json(&format!("{what} joint"), &joint, &case["joint_log_likelihood"], tolerance);
    let posterior = predictor.posterior(batch).unwrap();
    let evidence = vector(&case["log_evidence_of_row"]);
    all_close(&format!("{what} evidence"), &posterior.log_evidence.to_vec(), &evidence, tolerance);
    close_to_json(&format!("{what} log p"), &posterior.log_proba, &case["log_proba"], tolerance);
    let proba = predictor.proba(batch).unwrap();
    close_to_json(&format!("{what} p"), &proba, &case["proba"], tolerance);
    let classes = predictor.classes();
    if let Some(expected) = case.get("classes") {
        let found: Vec<_> = classes.iter().cloned().map(Some).collect();
        assert_eq!(found, list(expected).iter().map(label).collect::<Vec<_>>(), "{what}");
    }
    if let Some(expected) = case.get("prior") {
        let prior: Vec<f64> = predictor.log_prior().iter().map(|log| log.exp()).collect();
        all_close(&format!("{what} prior"), &prior, &vector(expected), 1e-12);
    }
    let predicted: Vec<Option<Label>> =
        predictor.predict(batch).unwrap().iter().map(|&at| Some(classes[at].clone())).collect();
    let expected: Vec<Option<Label>> = list(&case["predict"]).iter().map(label).collect();
    assert_eq!(predicted, expected, "{what}");
    for row in 0..batch.n_rows() {
        check_explanation(predictor, batch, row);
    }
}

/// The parts of an explanation add up.
#[track_caller]
pub(crate) fn check_explanation(predictor: &Predictor, batch: &Batch<'_>, row: usize) {
    let explanation = predictor.explain(batch, row).unwrap();
    for (class, joint) in explanation.joint_log_likelihood.iter().enumerate() {
        let parts = explanation.contributions.iter().map(|part| part.log_likelihood[class]);
        let sum = explanation.log_prior[class] + parts.sum::<f64>();
        close("explanation", sum, *joint, 1e-12);
    }
}

/// Smoothing and pseudo-count as a golden case has them.
pub(crate) fn options(case: &Value) -> Options {
    let mut options = Options::default();
    if let Some(alpha) = case.get("alpha") {
        options.alpha = number(alpha);
    }
    if let Some(smoothing) = case.get("var_smoothing") {
        options.smoothing = naive_bayes::Smoothing::Global(number(smoothing));
    }
    options
}
