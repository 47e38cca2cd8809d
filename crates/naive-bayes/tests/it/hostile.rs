//! Input that means harm: the right answer, or an error that says what is wrong.

use naive_bayes::evaluation::{Calibration, Confusion, Isotonic, Platt, Ranking, log_loss};
use naive_bayes::{
    Batch, ClassPrior, Complement, Documents, EvidencePriors, Kind, Label, Levels, Model,
    NaiveBayesError, Options, Smoothing, Training, Unlabelled,
};
use ndarray::{Array1, Array2, array};
use proptest::prelude::*;

fn fit(x: &Array2<f64>, kind: Kind, classes: &[i64]) -> Result<Model, NaiveBayesError> {
    let batch = Batch::new(x.nrows()).matrix(&names(kind, x.ncols()), x)?;
    let classes = Levels::from_integers(classes);
    let mut model = Model::default();
    model.observe(&Training::new(&batch, &classes)?)?;
    Ok(model)
}

fn names(kind: Kind, n: usize) -> Vec<(String, Kind)> {
    (0..n).map(|at| (format!("x{at}"), kind)).collect()
}

fn proba(model: &Model, options: &Options, kind: Kind, x: &Array2<f64>) -> Array2<f64> {
    let batch = Batch::new(x.nrows()).matrix(&names(kind, x.ncols()), x).unwrap();
    let predictor = model.predictor(options).unwrap();
    let log = predictor.log_proba(&batch).unwrap();
    assert!(log.iter().all(|value| !value.is_nan()), "{log}");
    let proba = predictor.proba(&batch).unwrap();
    for row in proba.rows() {
        assert!((row.sum() - 1.0).abs() < 1e-12, "{row}");
    }
    proba
}

/// Beside itself alone it would deviate by nothing.
#[test]
fn a_cell_that_is_too_large_is_refused_as_the_first_of_its_class() {
    for x in [array![[1e200]], array![[1.5], [1e200]], array![[-1e141], [-1e141]]] {
        let classes: Vec<i64> = (0..x.nrows() as i64).collect();
        let refused = fit(&x, Kind::Gaussian, &classes);
        assert!(matches!(refused, Err(NaiveBayesError::Cell { .. })), "{refused:?}");
    }
}

#[test]
fn cells_of_the_wrong_kind_are_named_and_nothing_is_learned() {
    for (kind, bad) in [
        (Kind::Bernoulli, 3.7),
        (Kind::Bernoulli, -2.0),
        (Kind::Bernoulli, f64::INFINITY),
        (Kind::Bernoulli, f64::NEG_INFINITY),
        (Kind::Tag, 0.5),
        (Kind::Gaussian, f64::INFINITY),
        (Kind::Gaussian, f64::NEG_INFINITY),
        (Kind::Gaussian, 1e200),
        (Kind::Count, 1.5),
        (Kind::Count, -1.0),
        (Kind::Count, f64::INFINITY),
    ] {
        for row in [0, 1, 299] {
            let mut x = Array2::zeros((300, 3));
            x[[row, 2]] = bad;
            x[[150, 0]] = f64::NAN;
            let classes: Vec<i64> = (0..300).map(|row| row % 2).collect();
            let error = fit(&x, kind, &classes).unwrap_err();
            let expected = NaiveBayesError::Cell { feature: "x2".into(), row, found: bad, kind };
            assert_eq!(error, expected);
            let message = error.to_string();
            assert!(message.contains("`x2` holds") && message.contains("accepted"), "{message}");
        }
    }
}

#[test]
fn infinite_cells_are_refused_at_prediction_and_others_are_not() {
    let model = fit(&array![[0.0], [1.0], [5.0], [7.0]], Kind::Gaussian, &[0, 0, 1, 1]).unwrap();
    let predictor = model.predictor(&Options::default()).unwrap();
    let x = array![[1.0], [f64::INFINITY]];
    let batch = Batch::new(2).matrix(&names(Kind::Gaussian, 1), &x).unwrap();
    let error = predictor.predict(&batch).unwrap_err();
    let kind = Kind::Gaussian;
    let expected =
        NaiveBayesError::Cell { feature: "x0".into(), row: 1, found: f64::INFINITY, kind };
    assert_eq!(error, expected);
    for x in [f64::MAX, -f64::MAX, f64::MIN_POSITIVE, 5e-324, -0.0, 1e308, 1e154, 1e20] {
        let found = proba(&model, &Options::default(), Kind::Gaussian, &array![[x]]);
        // Class 1 varies four times as much, so it wins far out on both sides.
        assert!(x.abs() < 1.0 || found[[0, 1]] == 1.0, "{x}: {found}");
    }
}

#[test]
fn binary_cells_that_are_none_are_named_wherever_they_are() {
    let width = 7;
    let value = |(row, column): (usize, usize)| f64::from((row * column) % 3 == 1);
    let x = Array2::from_shape_fn((300, width), value);
    let classes: Vec<i64> = (0..300).map(|row| row % 2).collect();
    let model = fit(&x, Kind::Bernoulli, &classes).unwrap();
    let predictor = model.predictor(&Options::default()).unwrap();
    for found in [f64::INFINITY, f64::NEG_INFINITY, 2.0, 0.5, -1.0, 5e-324, 1.0 + f64::EPSILON] {
        for (row, column, hole) in [(0, 0, 0), (130, 3, 130), (299, 6, 130), (299, 6, 299)] {
            let mut x = x.clone();
            x[[hole, 1]] = f64::NAN;
            x[[row, column]] = found;
            let batch = Batch::new(300).matrix(&names(Kind::Bernoulli, width), &x).unwrap();
            let error = predictor.predict(&batch).unwrap_err();
            let (feature, kind) = (format!("x{column}"), Kind::Bernoulli);
            assert_eq!(error, NaiveBayesError::Cell { feature, row, found, kind });
        }
    }
    let zeros = |zero: f64| x.mapv(|cell| if cell == 0.0 { zero } else { cell });
    let of = |x: &Array2<f64>| proba(&model, &Options::default(), Kind::Bernoulli, x);
    assert_eq!(of(&zeros(0.0)), of(&zeros(-0.0)));
}

#[test]
fn features_that_never_vary() {
    let x = array![[3.0, 1.0], [3.0, 1.0], [3.0, 1.0], [3.0, 1.0]];
    for smoothing in [Smoothing::None, Smoothing::Global(1e-9), Smoothing::PerFeature(1e-9)] {
        let options = Options { smoothing, ..Options::default() };
        let model = fit(&x, Kind::Gaussian, &[0, 1, 1, 1]).unwrap();
        let found = proba(&model, &options, Kind::Gaussian, &array![[3.0, 1.0], [4.0, -1e9]]);
        for row in found.rows() {
            assert!((row[0] - 0.25).abs() < 1e-12, "the posterior is the prior: {row}");
        }
        assert!(model.evidence(&EvidencePriors::default()).unwrap().total().is_finite());
    }
}

#[test]
fn a_class_that_never_varies_beside_one_that_does() {
    let x = array![[3.0], [3.0], [2.0], [4.0]];
    let model = fit(&x, Kind::Gaussian, &[0, 0, 1, 1]).unwrap();
    let options = Options { smoothing: Smoothing::None, ..Options::default() };
    let found = proba(&model, &options, Kind::Gaussian, &array![[3.0], [3.1]]);
    assert!(found[[0, 0]] > 0.999 && found[[1, 1]] == 1.0, "{found}");
}

#[test]
fn counts_of_zero_and_of_all() {
    let x = array![[1.0], [1.0], [0.0], [0.0]];
    let model = fit(&x, Kind::Bernoulli, &[0, 0, 1, 1]).unwrap();
    let found = proba(&model, &Options::maximum_likelihood(), Kind::Bernoulli, &x);
    assert_eq!(found, array![[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]);
    let smoothed = proba(&model, &Options::default(), Kind::Bernoulli, &x);
    assert!((smoothed[[0, 0]] - 0.75).abs() < 1e-15);
    let counts = fit(&array![[0.0], [0.0], [2.0], [4.0]], Kind::Count, &[0, 0, 1, 1]).unwrap();
    let found = proba(&counts, &Options::maximum_likelihood(), Kind::Count, &array![[0.0], [1.0]]);
    assert!(found[[0, 0]] > 0.9 && found[[1, 1]] == 1.0, "{found}");
}

#[test]
fn one_class_only_and_none() {
    let model = fit(&array![[1.0], [2.0]], Kind::Gaussian, &[7, 7]).unwrap();
    let found = proba(&model, &Options::default(), Kind::Gaussian, &array![[99.0]]);
    assert_eq!(found, array![[1.0]]);
    let predictor = model.predictor(&Options::default()).unwrap();
    let batch = Batch::new(1).column("x0", Kind::Gaussian, vec![1.0]).unwrap();
    assert_eq!(predictor.log_odds(&batch), Err(NaiveBayesError::NotBinary { classes: 1 }));
    let empty = Model::default();
    assert_eq!(empty.predictor(&Options::default()).unwrap_err(), NaiveBayesError::NoClasses);
    assert_eq!(empty.evidence(&EvidencePriors::default()), Err(NaiveBayesError::NoClasses));
    let nothing = fit(&Array2::zeros((0, 2)), Kind::Gaussian, &[]).unwrap();
    assert!(nothing.classes().is_empty());
}

#[test]
fn all_cells_missing_is_the_prior() {
    let model = fit(&array![[1.0], [2.0], [9.0]], Kind::Gaussian, &[0, 0, 1]).unwrap();
    let found = proba(&model, &Options::default(), Kind::Gaussian, &array![[f64::NAN]]);
    assert!((found[[0, 0]] - 2.0 / 3.0).abs() < 1e-15);
    let blank = fit(&array![[f64::NAN], [f64::NAN]], Kind::Gaussian, &[0, 1]).unwrap();
    assert!(blank.features().is_empty(), "a column without a cell is not a feature yet");
    let found = proba(&blank, &Options::default(), Kind::Gaussian, &array![[5.0]]);
    assert_eq!(found, array![[0.5, 0.5]]);
}

#[test]
fn labels_with_commas_quotes_and_line_breaks() {
    let names = ["a,b", "\"quoted\"", "two\nlines", "", "1", "naïve"];
    let classes = Levels::from_texts(names.map(Some));
    let x = (0..6).map(f64::from).collect();
    let batch = Batch::new(6).column("x, \"y\"", Kind::Gaussian, x).unwrap();
    let mut model = Model::default();
    model.observe(&Training::new(&batch, &classes).unwrap()).unwrap();
    let text = serde_json::to_string(&model).unwrap();
    let back: Model = serde_json::from_str(&text).unwrap();
    let mut expected: Vec<Label> = names.map(Label::from).to_vec();
    expected.sort();
    let predictor = back.predictor(&Options::default()).unwrap();
    assert_eq!(predictor.classes(), expected);
    assert!(predictor.uses("x, \"y\""));
}

#[test]
fn unlabelled_rows_are_never_a_class() {
    let batch = Batch::new(3).column("x", Kind::Gaussian, vec![1.0, 2.0, 3.0]).unwrap();
    let classes = Levels::from_texts([Some("a"), None, Some("a")]);
    let training = Training::new(&batch, &classes).unwrap();
    let mut model = Model::default();
    assert_eq!(model.observe(&training), Err(NaiveBayesError::Unlabelled { row: 1 }));
    assert_eq!(model.total_weight(), 0.0);
    model.observe(&training.unlabelled(Unlabelled::Skip)).unwrap();
    assert_eq!(model.total_weight(), 2.0);
}

#[test]
fn weights_must_count() {
    let batch = Batch::new(2).column("x", Kind::Gaussian, vec![1.0, 2.0]).unwrap();
    let classes = Levels::from_integers(&[0, 1]);
    for bad in [-1.0, f64::NAN, f64::INFINITY, 1e17] {
        let weights = array![1.0, bad];
        let error = Training::new(&batch, &classes).unwrap().weights(&weights).unwrap_err();
        assert!(matches!(error, NaiveBayesError::Weight { row: 1, .. }));
    }
    let short = Array1::ones(1);
    assert!(Training::new(&batch, &classes).unwrap().weights(&short).is_err());
    assert!(Training::new(&batch, &Levels::from_integers(&[1])).is_err());
}

#[test]
fn a_feature_keeps_its_kind() {
    let mut model = fit(&array![[1.0], [0.0]], Kind::Bernoulli, &[0, 1]).unwrap();
    let before = serde_json::to_string(&model).unwrap();
    let batch = Batch::new(1).column("x0", Kind::Gaussian, vec![1.0]).unwrap();
    let classes = Levels::from_integers(&[0]);
    let error = model.observe(&Training::new(&batch, &classes).unwrap()).unwrap_err();
    let (known, found) = (Kind::Bernoulli, Kind::Gaussian);
    assert_eq!(error, NaiveBayesError::KindMismatch { name: "x0".into(), known, found });
    let other = fit(&array![[1.0], [0.0]], Kind::Gaussian, &[0, 1]).unwrap();
    assert_eq!(model.merge(&other).unwrap_err(), error);
    assert_eq!(model.predictor(&Options::default()).unwrap().predict(&batch).unwrap_err(), error);
    assert_eq!(serde_json::to_string(&model).unwrap(), before, "unchanged");
}

#[test]
fn named_and_numbered_terms_do_not_mix() {
    let classes = Levels::from_integers(&[0, 1]);
    let numbered = Documents::from_matrix(&array![[1.0, 0.0], [0.0, 2.0]]).unwrap();
    let named = Documents::from_words([vec!["a"], vec!["b"]]);
    let batch = |documents: &Documents| Batch::new(2).documents("w", documents.clone()).unwrap();
    let mut model = Model::default();
    model.observe(&Training::new(&batch(&numbered), &classes).unwrap()).unwrap();
    let error = NaiveBayesError::TermNames { name: "w".into() };
    assert_eq!(
        model.observe(&Training::new(&batch(&named), &classes).unwrap()),
        Err(error.clone())
    );
    let predictor = model.predictor(&Options::default()).unwrap();
    assert_eq!(predictor.predict(&batch(&named)), Err(error));
    // Terms beyond those known are ignored.
    let wide = Documents::from_matrix(&array![[0.0, 2.0, 9.0], [3.0, 0.0, 1e9]]).unwrap();
    assert_eq!(predictor.predict(&batch(&wide)).unwrap(), [1, 0]);
}

#[test]
fn documents_that_make_no_sense() {
    let rows = Documents::from_rows;
    assert!(rows(vec![], vec![], vec![], 1).is_err());
    assert!(rows(vec![0, 2, 1], vec![0, 0], vec![1.0, 1.0], 1).is_err());
    assert!(rows(vec![0, 1], vec![0, 0], vec![1.0, 1.0], 1).is_err());
    assert!(rows(vec![0, 1], vec![1], vec![1.0], 1).is_err());
    assert!(rows(vec![0, 1], vec![0], vec![], 1).is_err());
    for bad in [f64::NAN, -1.0, f64::INFINITY, 1e300] {
        let found = rows(vec![0, 1, 2], vec![0, 0], vec![1.0, bad], 1).unwrap_err();
        assert!(matches!(found, NaiveBayesError::Count { row: 1, .. }), "{found}");
    }
    let named = rows(vec![0], vec![], vec![], 2).unwrap();
    assert!(named.clone().named(vec![Label::from("a")]).is_err());
    assert!(named.named(vec![Label::from("a"), Label::from("a")]).is_err());
}

#[test]
fn options_out_of_range() {
    let model = fit(&array![[1.0], [0.0]], Kind::Gaussian, &[0, 1]).unwrap();
    let try_options = |options: Options| model.predictor(&options).unwrap_err().to_string();
    for alpha in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(try_options(Options { alpha, ..Options::default() }).contains("`alpha`"));
        let smoothing = Smoothing::Global(alpha);
        assert!(try_options(Options { smoothing, ..Options::default() }).contains("`smoothing`"));
    }
    let given = |values: &[(i64, f64)]| {
        let values = values.iter().map(|&(class, value)| (Label::from(class), value)).collect();
        Options { prior: ClassPrior::Given(values), ..Options::default() }
    };
    assert!(try_options(given(&[(0, 0.5)])).contains("class `1`"));
    assert!(try_options(given(&[(0, 0.5), (1, 0.5), (2, 0.0)])).contains("class `2`"));
    assert!(try_options(given(&[(0, 0.5), (0, 0.5)])).contains("2 values for class `0`"));
    assert!(try_options(given(&[(0, 0.5), (1, 0.6)])).contains("1.1"));
    assert!(try_options(given(&[(0, -0.5), (1, 1.5)])).contains("-0.5"));
    // A class with prior 0 is never predicted, and never NaN.
    let predictor = model.predictor(&given(&[(0, 1.0), (1, 0.0)])).unwrap();
    let batch = Batch::new(1).column("x0", Kind::Gaussian, vec![0.0]).unwrap();
    assert_eq!(predictor.proba(&batch).unwrap(), array![[1.0, 0.0]]);
}

#[test]
fn declared_classes() {
    let mut model = fit(&array![[1.0], [0.0]], Kind::Gaussian, &[0, 1]).unwrap();
    model.declare_class(5);
    let batch = Batch::new(1).column("x0", Kind::Gaussian, vec![0.0]).unwrap();
    let learned = model.predictor(&Options::default()).unwrap();
    assert_eq!(learned.proba(&batch).unwrap()[[0, 2]], 0.0);
    assert!(learned.uses("x0"), "the class without rows is no candidate");
    let laplace = Options { prior: ClassPrior::Laplace(1.0), ..Options::default() };
    let laplace = model.predictor(&laplace).unwrap();
    assert!(!laplace.uses("x0"), "now it is, and knows nothing of the feature");
    assert!((laplace.proba(&batch).unwrap()[[0, 2]] - 0.2).abs() < 1e-15);
    let mut only = Model::default();
    only.declare_class("a");
    assert_eq!(only.predictor(&Options::default()).unwrap_err(), NaiveBayesError::NoCandidate);
}

#[test]
fn what_was_not_learned_cannot_be_forgotten() {
    let x = array![[1.0], [0.0], [1.0]];
    let mut model = fit(&x, Kind::Bernoulli, &[0, 1, 1]).unwrap();
    let before = serde_json::to_string(&model).unwrap();
    for (x, classes) in [(array![[0.0]], [0]), (array![[1.0]], [2])] {
        let other = fit(&x, Kind::Bernoulli, &classes).unwrap();
        let error = model.subtract(&other).unwrap_err();
        assert!(matches!(error, NaiveBayesError::NotLearned { .. }), "{error}");
        assert_eq!(serde_json::to_string(&model).unwrap(), before, "unchanged");
    }
    let missing = model.remove_feature("y").unwrap_err();
    assert!(missing.to_string().contains("`y`"));
    assert!(model.with_features(&["x0", "y"]).is_err());
    assert!(model.decay(0.0).is_err() && model.decay(1.5).is_err());
    assert!(Complement::new(&model, "x0", 1.0, false).is_err());
}

#[test]
fn batches_must_fit_together() {
    let x = array![[1.0, 2.0]];
    let columns = [("a", Kind::Gaussian), ("a", Kind::Gaussian)];
    assert!(Batch::new(1).matrix(&columns, &x).is_err());
    assert!(Batch::new(1).matrix(&columns[..1], &x).is_err());
    assert!(Batch::new(2).matrix(&[("a", Kind::Gaussian), ("b", Kind::Gaussian)], &x).is_err());
    assert!(Batch::new(1).column("a", Kind::Categorical, vec![1.0]).is_err());
    assert!(Batch::new(1).levels("a", Levels::from_integers(&[1, 2])).is_err());
    assert!(Levels::from_codes(&[Some(2)], vec![Label::from(1)]).is_err());
    assert!(Levels::from_codes(&[None], vec![Label::from(1), Label::from(1)]).is_err());
    assert!("poisson".parse::<Kind>().is_err());
    for kind in Kind::ALL {
        assert_eq!(kind.name().parse::<Kind>(), Ok(kind));
    }
}

#[test]
fn evaluations_of_nothing_and_of_nonsense() {
    assert!(Confusion::new(&[], &[], 2).is_err());
    assert!(Confusion::new(&[0], &[2], 2).is_err());
    assert!(Ranking::new(&[f64::NAN], &[true]).is_err());
    assert!(Calibration::new(&[1.5], &[true], 10).is_err());
    assert!(Calibration::new(&[0.5], &[true], 0).is_err());
    assert!(log_loss(&Array2::zeros((1, 2)), &[2]).is_err());
    let one_sided = Ranking::new(&[0.3, 0.4], &[true, true]).unwrap();
    assert_eq!((one_sided.auc(), one_sided.roc()), (None, None));
    let none = Ranking::new(&[0.3], &[false]).unwrap();
    assert_eq!((none.no_misses(), none.average_precision()), (None, None));
    let hopeless = Ranking::new(&[f64::NEG_INFINITY, 1.0], &[true, false]).unwrap();
    assert_eq!(hopeless.no_misses(), None, "no threshold lies below the lowest score");
    let empty_column = Confusion::new(&[0, 1], &[0, 0], 2).unwrap();
    assert_eq!((empty_column.precision(1), empty_column.recall(1)), (None, Some(0.0)));
    assert_eq!(empty_column.mcc(), None);
    assert!(Platt::fit(&[f64::INFINITY], &[true]).is_err());
    assert!(Isotonic::fit(&[], &[]).is_err());
}

#[test]
fn two_thousand_features_do_not_underflow() {
    let d = 2000;
    let x = Array2::from_shape_fn((4, d), |(row, column)| {
        ((row + column) % 3) as f64 + (row / 2) as f64
    });
    let model = fit(&x, Kind::Gaussian, &[0, 0, 1, 1]).unwrap();
    let found = proba(&model, &Options::default(), Kind::Gaussian, &x);
    assert!(found[[0, 0]] > 0.99 && found[[3, 1]] > 0.99, "{found}");
}

proptest! {
    #[test]
    fn never_nan_for_any_finite_input(
        learned in prop::collection::vec((-1e140_f64..1e140, 0_i64..3), 2..12),
        asked in prop::num::f64::NORMAL | prop::num::f64::SUBNORMAL | prop::num::f64::ZERO,
        small in prop::bool::ANY,
    ) {
        let scale = if small { 1e-280 } else { 1.0 };
        let x: Vec<f64> = learned.iter().map(|(x, _)| x * scale).collect();
        let classes: Vec<i64> = learned.iter().map(|(_, class)| *class).collect();
        let x = Array2::from_shape_vec((x.len(), 1), x).unwrap();
        let model = fit(&x, Kind::Gaussian, &classes).unwrap();
        for smoothing in [Smoothing::None, Smoothing::Global(1e-9)] {
            let options = Options { smoothing, ..Options::default() };
            proba(&model, &options, Kind::Gaussian, &array![[asked]]);
        }
        let evidence = model.evidence(&EvidencePriors::default()).unwrap();
        prop_assert!(!evidence.total().is_nan());
    }
}
