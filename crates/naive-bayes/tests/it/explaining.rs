//! Log odds of single features where logarithms are infinite.

use naive_bayes::{Batch, Kind, Levels, Options, Smoothing};

use crate::support::fitted;

#[test]
fn what_both_classes_never_had_is_the_limit_of_small_pseudo_counts() {
    let levels =
        |cells: &[i64]| Batch::new(cells.len()).levels("x", Levels::from_integers(cells)).unwrap();
    let classes = Levels::from_integers(&[0, 0, 1, 2, 2, 2]);
    let model = fitted(&levels(&[5, 5, 6, 7, 7, 8]), &classes);
    let limit = model.predictor(&Options { alpha: 0.0, ..Options::default() }).unwrap();
    let small = model.predictor(&Options { alpha: 1e-13, ..Options::default() }).unwrap();
    let of = |predictor: &naive_bayes::Predictor, class, against| {
        let explanation = predictor.explain(&levels(&[7]), 0).unwrap();
        explanation.contributions[0].log_odds(class, against)
    };
    // Level 7: none of two rows against none of one.
    assert!((of(&limit, 0, 1) - 0.5_f64.ln()).abs() < 1e-15);
    assert!((of(&limit, 0, 1) - of(&small, 0, 1)).abs() < 1e-12);
    assert_eq!((of(&limit, 0, 2), of(&limit, 2, 1)), (f64::NEG_INFINITY, f64::INFINITY));
}

#[test]
fn far_cells_speak_for_the_wider_or_the_nearer_class() {
    let column =
        |cells: &[f64]| Batch::new(cells.len()).column("x", Kind::Gaussian, cells.to_vec());
    let train = column(&[-1.0, 1.0, -2.0, 2.0, 9.0, 11.0]).unwrap();
    let model = fitted(&train, &Levels::from_integers(&[0, 0, 1, 1, 2, 2]));
    let options = Options { smoothing: Smoothing::None, ..Options::default() };
    let predictor = model.predictor(&options).unwrap();
    for x in [1e200, 1e308] {
        let explanation = predictor.explain(&column(&[x]).unwrap(), 0).unwrap();
        let part = &explanation.contributions[0];
        assert!(part.log_likelihood.iter().all(|log| *log == f64::NEG_INFINITY));
        // Class 1 is wider than both; class 2 is as wide as 0, and nearer: 10 x − 50.
        assert_eq!(part.log_odds(1, 0), f64::INFINITY);
        assert_eq!(part.log_odds(2, 1), f64::NEG_INFINITY);
        assert!((part.log_odds(2, 0) / (10.0 * x) - 1.0).abs() < 1e-12 || x == 1e308);
        assert_eq!(part.log_odds(0, 2), -part.log_odds(2, 0));
    }
    // Near, it is the difference of the logarithms.
    let explanation = predictor.explain(&column(&[0.5]).unwrap(), 0).unwrap();
    let part = &explanation.contributions[0];
    let plain = part.log_likelihood[0] - part.log_likelihood[1];
    assert!((part.log_odds(0, 1) - plain).abs() < 1e-14);
}
