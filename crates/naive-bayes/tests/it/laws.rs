//! What holds for every stream of rows.

use naive_bayes::{Batch, Kind, Levels, Model, Options, Smoothing, Training};
use ndarray::{Array1, Array2, s};
use proptest::prelude::*;

use crate::strategies::{Data, FEATURES, agree, data, options, predictor};
use crate::support::{check_explanation, close};

const TOLERANCE: f64 = 1e-10;

fn merged(parts: &[&Data]) -> Model {
    let mut model = Model::default();
    parts.iter().for_each(|part| model.merge(&part.model()).unwrap());
    model
}

/// Rows in which every length varies in every class: moments that are forgotten keep as many digits as what is left has deviations.
fn varied() -> impl Strategy<Value = Data> {
    data(6..20).prop_map(|mut data| {
        for (at, row) in data.rows.iter_mut().take(6).enumerate() {
            row.class = at as i64 / 2;
            let side = if at % 2 == 0 { -1.0 } else { 1.0 };
            row.lengths = [Some(side), Some(1000.0 + side), Some(side * 1e-3)];
        }
        data
    })
}

proptest! {
    #[test]
    fn the_order_of_rows_does_not_matter(data in data(1..40), questions in data(1..4), seed in any::<u64>()) {
        let mut shuffled = data.clone();
        let n = shuffled.rows.len();
        for at in (1..n).rev() {
            shuffled.rows.swap(at, (seed.wrapping_mul(at as u64 | 1) >> 16) as usize % (at + 1));
        }
        agree(&shuffled.model(), &data.model(), &questions, TOLERANCE)?;
    }

    #[test]
    fn chunks_do_not_matter(data in data(1..40), questions in data(1..4), size in 1_usize..9) {
        let mut chunked = Model::default();
        for start in (0..data.rows.len()).step_by(size) {
            data.part(start..(start + size).min(data.rows.len())).observe(&mut chunked);
        }
        agree(&chunked, &data.model(), &questions, TOLERANCE)?;
    }

    #[test]
    fn merging_is_associative_and_commutative(a in data(1..15), b in data(1..15), c in data(1..15), questions in data(1..4)) {
        let mut left = merged(&[&a, &b]);
        left.merge(&c.model()).unwrap();
        let mut right = a.model();
        right.merge(&merged(&[&b, &c])).unwrap();
        agree(&left, &right, &questions, TOLERANCE)?;
        agree(&merged(&[&c, &a, &b]), &left, &questions, TOLERANCE)?;
        let all = Data { rows: [a.rows, b.rows, c.rows].concat() };
        agree(&left, &all.model(), &questions, TOLERANCE)?;
    }

    #[test]
    fn forgetting_is_never_having_seen(kept in varied(), passing in data(1..20), questions in data(1..4)) {
        let mut model = kept.model();
        passing.observe(&mut model);
        passing.forget(&mut model);
        agree(&model, &kept.model(), &questions, TOLERANCE)?;
        let mut other = passing.model();
        kept.observe(&mut other);
        other.subtract(&passing.model()).unwrap();
        agree(&other, &kept.model(), &questions, TOLERANCE)?;
    }

    #[test]
    fn forgetting_everything_leaves_nothing(data in data(1..20)) {
        let mut model = data.model();
        data.forget(&mut model);
        prop_assert_eq!(model.total_weight(), 0.0);
        prop_assert!(model.classes().is_empty());
        prop_assert!(model.features().iter().all(|feature| feature.is_empty));
    }

    #[test]
    fn a_removed_feature_was_never_there(data in data(1..30), questions in data(1..4), which in 0_usize..9) {
        let name = FEATURES[which];
        let mut removed = data.model();
        if removed.remove_feature(name).is_err() {
            // No cell of it was seen.
            return Ok(());
        }
        agree(&removed, &data.model_without(name), &questions, 0.0)?;
        prop_assert!(removed.features().iter().all(|feature| feature.name != name));
    }

    #[test]
    fn a_missing_cell_is_a_missing_feature(data in data(2..30), mut questions in data(1..4), which in 0_usize..9) {
        let name = FEATURES[which];
        questions.rows.iter_mut().for_each(|row| row.forget_cell(name));
        // With one smoothing for all features, a feature matters also through its variance.
        let options = Options { smoothing: Smoothing::PerFeature(1e-9), ..options() };
        let proba = |model: &Model, batch: &Batch<'_>| {
            model.predictor(&options).unwrap().proba(batch).unwrap()
        };
        let expected = proba(&data.model_without(name), &questions.batch());
        let blank = (name != "tag").then(|| questions.batch());
        // A tag's cell cannot be missing, since a tag not listed means 0: there is the model that never used it.
        let model = data.model();
        let found = match blank {
            Some(batch) => proba(&model, &batch),
            None => {
                let others = FEATURES.into_iter().filter(|other| *other != name && model.features().iter().any(|f| f.name == *other));
                proba(&model.with_features(&others.collect::<Vec<_>>()).unwrap(), &questions.batch())
            }
        };
        for (found, expected) in found.iter().zip(&expected) {
            prop_assert!((found - expected).abs() <= 1e-12, "{name}: {found} is not {expected}");
        }
        // A batch without the column says as little.
        if name != "tag" {
            let without = proba(&model, &questions.batch_without(Some(name)));
            for (found, expected) in without.iter().zip(&expected) {
                prop_assert!((found - expected).abs() <= 1e-12, "{name}: {found} is not {expected}");
            }
        }
    }

    #[test]
    fn a_weight_is_that_many_copies(data in data(1..20), questions in data(1..4)) {
        let copies = data.rows.iter().flat_map(|row| {
            let mut single = row.clone();
            single.weight = 1.0;
            std::iter::repeat_n(single, row.weight as usize)
        });
        let copies = Data { rows: copies.collect() };
        agree(&copies.model(), &data.model(), &questions, TOLERANCE)?;
        let mut with_nothing = data.clone();
        let mut stranger = questions.rows[0].clone();
        (stranger.weight, stranger.class) = (0.0, 77);
        with_nothing.rows.push(stranger);
        agree(&with_nothing.model(), &data.model(), &questions, TOLERANCE)?;
    }

    #[test]
    fn probabilities_add_up_and_explanations_do(data in data(1..30), questions in data(1..4)) {
        let predictor = predictor(&data.model());
        let batch = questions.batch();
        let proba = predictor.proba(&batch).unwrap();
        let log_proba = predictor.log_proba(&batch).unwrap();
        let classes = predictor.classes().len() as f64;
        for (row, (proba, log)) in proba.rows().into_iter().zip(log_proba.rows()).enumerate() {
            prop_assert!((proba.sum() - 1.0).abs() <= 4.0 * f64::EPSILON * classes);
            prop_assert!(proba.iter().zip(log).all(|(p, log)| (p - log.exp()).abs() <= 1e-12 * p + 1e-300));
            check_explanation(&predictor, &batch, row);
        }
        let predicted = predictor.predict(&batch).unwrap();
        for (best, proba) in predicted.iter().zip(proba.rows()) {
            prop_assert!(proba.iter().all(|p| *p <= proba[*best]));
        }
    }

    #[test]
    fn shifting_a_feature_changes_nothing(x in prop::collection::vec(-5.0_f64..5.0, 4..20), shift in -1e3_f64..1e3) {
        let model = |shift: f64| {
            let cells = x.iter().map(|x| x + shift).collect();
            let classes: Vec<i64> = (0..x.len() as i64).map(|row| row % 2).collect();
            let batch = Batch::new(x.len()).column("x", Kind::Gaussian, cells).unwrap();
            let classes = Levels::from_integers(&classes);
            let mut model = Model::default();
            model.observe(&Training::new(&batch, &classes).unwrap()).unwrap();
            let proba = predictor(&model).proba(&batch).unwrap();
            (proba, model.evidence(&Default::default()).unwrap().total())
        };
        let ((found, moved), (expected, still)) = (model(shift), model(0.0));
        for (found, expected) in found.iter().zip(&expected) {
            prop_assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
        }
        prop_assert!((moved - still).abs() <= 1e-6 * still.abs().max(1.0));
    }

    #[test]
    fn evidence_does_not_see_order_or_grouping(a in data(1..15), b in data(1..15)) {
        let all = Data { rows: [a.rows.clone(), b.rows.clone()].concat() };
        let one = all.model().evidence(&Default::default()).unwrap();
        let other = merged(&[&b, &a]).evidence(&Default::default()).unwrap();
        prop_assert!((one.total() - other.total()).abs() <= 1e-9 * one.total().abs().max(1.0));
        prop_assert_eq!(one.classes, other.classes);
    }

    #[test]
    fn evidence_is_a_chain_of_predictives(ones in prop::collection::vec(any::<bool>(), 1..30)) {
        let evidence = |n: usize| {
            let cells = ones[..n].iter().map(|is| f64::from(u8::from(*is))).collect();
            let batch = Batch::new(n).column("x", Kind::Bernoulli, cells).unwrap();
            let mut model = Model::default();
            let classes = Levels::from_integers(&vec![0; n]);
            model.observe(&Training::new(&batch, &classes).unwrap()).unwrap();
            model.evidence(&Default::default()).unwrap().features[0].shared
        };
        let mut seen = 0.0;
        let mut chain = 0.0;
        for (n, is) in ones.iter().enumerate() {
            let one = (seen + 1.0) / (n as f64 + 2.0);
            chain += if *is { one.ln() } else { (1.0 - one).ln() };
            seen += f64::from(u8::from(*is));
        }
        close("chain", evidence(ones.len()), chain, 1e-12);
    }

    #[test]
    fn decay_is_a_weight(old in data(1..15), new in data(1..15), questions in data(1..4)) {
        let mut model = old.model();
        model.decay(0.5).unwrap();
        new.observe(&mut model);
        let mut weighted = old.clone();
        weighted.rows.iter_mut().for_each(|row| row.weight *= 0.5);
        weighted.rows.extend(new.rows);
        agree(&model, &weighted.model(), &questions, TOLERANCE)?;
    }
}

#[test]
fn a_feature_equal_in_all_classes_says_nothing() {
    let x = ndarray::array![[1.0, 0.0], [2.0, 1.0], [1.5, 0.0], [2.5, 1.0]];
    let classes = Levels::from_integers(&[0, 0, 1, 1]);
    let columns = [("x", Kind::Gaussian), ("same", Kind::Bernoulli)];
    let both = Batch::new(4).matrix(&columns, &x).unwrap();
    let mut model = Model::default();
    model.observe(&Training::new(&both, &classes).unwrap()).unwrap();
    let alone = model.with_features(&["x"]).unwrap();
    let found = predictor(&model).proba(&both).unwrap();
    let expected = predictor(&alone).proba(&both).unwrap();
    assert!((&found - &expected).iter().all(|off| off.abs() < 1e-15));
}

#[test]
fn columns_may_lie_anywhere() {
    let n = 700;
    let wide = Array2::from_shape_fn((n, 7), |(row, column)| ((row * 7 + column * 3) % 11) as f64);
    let classes: Vec<i64> = (0..n as i64).map(|row| row % 3).collect();
    let classes = Levels::from_integers(&classes);
    let names = ["a", "b", "c"].map(|name| (name, Kind::Gaussian));
    let view = wide.slice(s![.., 2..5]);
    let columns = wide.t().to_owned();
    let transposed = columns.t();
    let transposed = transposed.slice(s![.., 2..5]);
    let copy = view.to_owned();
    let single = |batch: Batch<'static>, at: usize| {
        batch.column(["a", "b", "c"][at], Kind::Gaussian, copy.column(at).to_vec()).unwrap()
    };
    let batches = [
        Batch::new(n).matrix(&names, &copy).unwrap(),
        Batch::new(n).matrix(&names, &view).unwrap(),
        Batch::new(n).matrix(&names, &transposed).unwrap(),
        (0..3).fold(Batch::new(n), single),
    ];
    let results = batches.iter().map(|batch| {
        let mut model = Model::default();
        model.observe(&Training::new(batch, &classes).unwrap()).unwrap();
        predictor(&model).proba(batch).unwrap()
    });
    let results: Vec<_> = results.collect();
    assert!(results.iter().all(|result| *result == results[0]), "bit for bit");
}

#[test]
fn unweighted_is_weight_one() {
    let x = Array2::from_shape_fn((500, 5), |(row, column)| ((row * 13 + column) % 17) as f64);
    let names: Vec<_> = (0..5).map(|at| (format!("x{at}"), Kind::Gaussian)).collect();
    let batch = Batch::new(500).matrix(&names, &x).unwrap();
    let classes = Levels::from_integers(&(0..500).map(|row| row % 2).collect::<Vec<_>>());
    let ones = Array1::ones(500);
    let (mut plain, mut weighted) = (Model::default(), Model::default());
    plain.observe(&Training::new(&batch, &classes).unwrap()).unwrap();
    weighted.observe(&Training::new(&batch, &classes).unwrap().weights(&ones).unwrap()).unwrap();
    let proba = |model: &Model| predictor(model).proba(&batch).unwrap();
    assert_eq!(proba(&plain), proba(&weighted));
}
