//! The lecture's hundred splits of the films, where the films are.

use naive_bayes::evaluation::{Confusion, Ranking, log_loss};
use naive_bayes::{
    Batch, EvidencePriors, Levels, Model, Options, Parameters, Predictor, Smoothing,
};
use serde_json::Value;

use crate::movies::films::Films;
use crate::movies::{films, fit_rows};
use crate::numpy::permutation;
use crate::support::*;

const TOLERANCE: f64 = 1e-10;
const TRAINING_FILMS: usize = 200;

/// One split: who trains, who is asked, and what is true of them.
struct Split {
    train: Vec<usize>,
    test: Vec<usize>,
    is_r: Vec<bool>,
}

impl Split {
    fn new(films: &Films, seed: u32) -> Self {
        let mut train = permutation(seed, films.films.len());
        let test = train.split_off(TRAINING_FILMS);
        let all = films.is_r();
        let is_r = test.iter().map(|&row| all[row]).collect();
        Self { train, test, is_r }
    }

    fn actual(&self) -> Vec<usize> {
        self.is_r.iter().map(|&is| usize::from(is)).collect()
    }

    fn accuracy(&self, predictor: &Predictor, questions: &Batch<'_>) -> f64 {
        let predicted = predictor.predict(questions).unwrap();
        Confusion::new(&self.actual(), &predicted, 2).unwrap().accuracy()
    }

    fn loss(&self, predictor: &Predictor, questions: &Batch<'_>) -> f64 {
        log_loss(&predictor.log_proba(questions).unwrap(), &self.actual()).unwrap()
    }
}

/// Named figures of one split.
fn figures(films: &Films, split: &Split) -> Vec<(&'static str, f64)> {
    let all = films.batch(|deaths| deaths).unwrap();
    let questions = all.select(&split.test);
    let predictor = fit_rows(films, &split.train);
    let predicted = predictor.predict(&questions).unwrap();
    let confusion = Confusion::new(&split.actual(), &predicted, 2).unwrap();
    let wrong = |actual: usize, predicted: usize| confusion.matrix()[actual][predicted] as f64;
    let odds = predictor.log_odds(&questions).unwrap().to_vec();
    let safe = Ranking::new(&odds, &split.is_r).unwrap();
    let rated_r = split.is_r.iter().filter(|&&is| is).count();
    // Of always saying what is most frequent among those asked.
    let majority = rated_r.max(split.is_r.len() - rated_r) as f64;
    let threshold = 1.0 / (1.0 + (-safe.no_misses().unwrap().lowest_positive).exp());
    let mut found = vec![
        ("/accuracy", confusion.accuracy()),
        ("/majority_baseline", majority / split.is_r.len() as f64),
        ("/false_negatives", wrong(1, 0)),
        ("/false_positives", wrong(0, 1)),
        ("/auc", safe.auc().unwrap()),
        ("/log_loss", split.loss(&predictor, &questions)),
        ("/zero_fn_threshold", threshold),
        ("/zero_fn_false_positives", safe.no_misses().unwrap().outcome.false_positives as f64),
    ];
    let logged = films.batch(f64::ln_1p).unwrap();
    let of_logs = fitted(&logged.select(&split.train), &films.classes().select(&split.train));
    let of_logs = of_logs.predictor(&lecture()).unwrap();
    found.push((
        "/accuracy_log1p_body_count",
        split.accuracy(&of_logs, &logged.select(&split.test)),
    ));
    let learned = fitted(&all.select(&split.train), &films.classes().select(&split.train));
    let (kept, chosen) = selected(&learned);
    found.push(("/evidence_selected/features_kept", kept as f64));
    found.push(("/evidence_selected/accuracy", split.accuracy(&chosen, &questions)));
    found.push(("/evidence_selected/log_loss", split.loss(&chosen, &questions)));
    found
}

fn lecture() -> Options {
    Options { smoothing: Smoothing::None, ..Options::default() }
}

/// Features with a positive log Bayes factor alone.
fn selected(model: &Model) -> (usize, Predictor) {
    let evidence = model.evidence(&EvidencePriors::default()).unwrap();
    let features = evidence.features.iter().filter(|feature| feature.log_bayes_factor() > 0.0);
    let names: Vec<&str> = features.map(|feature| feature.name.as_str()).collect();
    (names.len(), model.with_features(&names).unwrap().predictor(&lecture()).unwrap())
}

fn check_spread(name: &str, values: &mut [f64], case: &Value) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let sd = (values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt();
    values.sort_by(f64::total_cmp);
    let median = 0.5 * (values[values.len() / 2 - 1] + values[values.len() / 2]);
    for (key, found) in [("mean", mean), ("sd", sd), ("median", median)] {
        if let Some(expected) = case.get(key) {
            close(&format!("{name} {key}"), found, number(expected), TOLERANCE);
        }
    }
}

#[test]
fn a_hundred_splits_with_and_without_unrated_films() {
    let Some(films) = films() else { return };
    let golden = golden();
    let movies = &golden["movies"];
    for (films, case) in [(films.rated(), &movies["rated_only"]), (films, movies)] {
        let case = &case["splits_100x200"];
        for (seed, rows) in list(&case["first3_train_rows"]).iter().enumerate() {
            assert_eq!(Split::new(&films, seed as u32).train, integers(rows));
        }
        let each = list(&case["per_split_accuracy"]);
        let splits: Vec<_> =
            (0..each.len()).map(|seed| figures(&films, &Split::new(&films, seed as u32))).collect();
        for (at, &(name, _)) in splits[0].iter().enumerate() {
            let mut values: Vec<f64> = splits.iter().map(|split| split[at].1).collect();
            if name == "/accuracy" {
                all_close(name, &values, &vector(&case["per_split_accuracy"]), TOLERANCE);
            }
            check_spread(name, &mut values, case.pointer(name).unwrap());
        }
    }
}

/// Counts of training films divided by the sizes of the classes among all films.
#[test]
fn the_slip_of_the_lecture() {
    let Some(films) = films() else { return };
    let golden = golden();
    let case = &golden["movies"]["lecture_slip"];
    let split = Split::new(&films, 0);
    let classes: Levels = films.classes().select(&split.train);
    let model = fitted(&films.batch(|x| x).unwrap().select(&split.train), &classes);
    let predictor = model.predictor(&Options { alpha: 0.0, ..lecture() }).unwrap();
    let Parameters::Bernoulli { theta } = predictor.parameters(&films.genres[0]).unwrap() else {
        panic!("a genre is a flag")
    };
    close("right", theta[1], number(&case["theta_1_first_genre_right"]), TOLERANCE);
    let rated_r = films.is_r().into_iter().filter(|&is| is).count() as f64;
    let slipped = theta[1] * model.classes()[1].1 / rated_r;
    close("slipped", slipped, number(&case["theta_1_first_genre_full_y"]), TOLERANCE);
}
