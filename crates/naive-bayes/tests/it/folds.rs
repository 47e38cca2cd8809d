//! Cross-validation by merging.

use naive_bayes::{Options, Training, cross_validate, random_folds};
use proptest::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::strategies::{Data, data};

proptest! {
    #[test]
    fn each_fold_is_predicted_by_the_others(data in data(6..30), k in 2_usize..5) {
        let folds: Vec<usize> = (0..data.rows.len()).map(|row| row % k).collect();
        let (batch, classes, weights) = (data.batch(), data.classes(), data.weights());
        let training = Training::new(&batch, &classes).unwrap().weights(&weights).unwrap();
        let found = cross_validate(&training, &folds, &Options::default()).unwrap();
        for fold in 0..k {
            let pick = |inside: bool| Data {
                rows: data.rows.iter().zip(&folds).filter(|(_, of)| (**of == fold) == inside).map(|(row, _)| row.clone()).collect(),
            };
            let predictor = pick(false).model().predictor(&Options::default()).unwrap();
            let expected = predictor.log_proba(&pick(true).batch()).unwrap();
            let rows = (0..folds.len()).filter(|row| folds[*row] == fold);
            for (row, expected) in rows.zip(expected.rows()) {
                for (class, label) in found.classes.iter().enumerate() {
                    let known = predictor.classes().iter().position(|other| other == label);
                    let expected = known.map_or(f64::NEG_INFINITY, |at| expected[at]);
                    let value = found.log_proba[[row, class]];
                    let same = value == expected || (value - expected).abs() < 1e-8 * expected.abs().max(1.0);
                    prop_assert!(same, "{value} is not {expected}");
                }
                prop_assert_eq!(&found.classes[found.actual[row].unwrap()], &naive_bayes::Label::from(data.rows[row].class));
            }
        }
    }

    #[test]
    fn random_folds_are_even_and_replay(n in 2_usize..50, k in 2_usize..9, seed in any::<u64>()) {
        let folds = |seed| random_folds(n, k, &mut ChaCha8Rng::seed_from_u64(seed));
        if k > n {
            prop_assert!(folds(seed).is_err());
            return Ok(());
        }
        let found = folds(seed).unwrap();
        let sizes: Vec<usize> = (0..k).map(|fold| found.iter().filter(|of| **of == fold).count()).collect();
        prop_assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
        prop_assert_eq!(found, folds(seed).unwrap());
    }
}
