//! The lecture's data, where they are.

#[path = "../../examples/movies/films.rs"]
pub(crate) mod films;

use std::path::PathBuf;

use datasets::{Cell, CsvOptions, Source, read_csv};
use films::{Film, Films};
use naive_bayes::evaluation::{Confusion, Ranking, log_loss};
use naive_bayes::probability::Frequencies;
use naive_bayes::{
    EvidencePriors, Levels, Model, Options, Parameters, Predictor, Smoothing, Training,
};
use serde_json::Value;

use crate::support::*;

const TOLERANCE: f64 = 1e-10;

pub(crate) fn films() -> Option<Films> {
    Some(Films::read(&path()?).unwrap())
}

fn path() -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("TAUT_DATA_DIR") else {
        eprintln!("TAUT_DATA_DIR is not set: skipped");
        return None;
    };
    Some(PathBuf::from(folder).join("movies/film-death-counts.csv"))
}

pub(crate) fn fit_rows(films: &Films, rows: &[usize]) -> Predictor {
    let batch = films.batch(|x| x).unwrap().select(rows);
    let classes: Levels = films.classes().select(rows);
    let mut model = Model::default();
    model.observe(&Training::new(&batch, &classes).unwrap()).unwrap();
    model.predictor(&Options { smoothing: Smoothing::None, ..Options::default() }).unwrap()
}

#[test]
fn empirical_probabilities() {
    let Some(films) = films() else { return };
    let golden = golden();
    let case = &golden["movies"];
    let events: Vec<_> = films.films.iter().map(|film| Some(film.deaths > 40.0)).collect();
    let years: Vec<_> = films.films.iter().map(|film| Some(film.year as i64)).collect();
    let table = Frequencies::new(&events, &years).unwrap();
    assert_eq!(Some(table.events()), case["over_40"].as_u64());
    close("P(> 40)", table.probability(), number(&case["p_over_40"]), TOLERANCE);
    assert_eq!(table.groups().count(), list(&case["per_year"]).len());
    for (group, expected) in table.groups().zip(list(&case["per_year"])) {
        let (rows, events) = (group.rows as f64, group.events as f64);
        let found = [group.value as f64, rows, events, group.conditional(), group.joint()];
        all_close("year", &found, &vector(expected), TOLERANCE);
    }
    let most = films.films.iter().max_by(|a, b| a.deaths.total_cmp(&b.deaths)).unwrap();
    assert_eq!(Some(most.title.as_str()), case["max_film"].as_str());
    assert_eq!(most.deaths, number(&case["max_body_count"]));
    let many = films.films.iter().filter(|film| film.deaths > 200.0).count();
    assert_eq!(Some(many as u64), case["films_over_200"].as_u64());
}

#[test]
fn what_the_table_holds() {
    let (Some(path), Some(films)) = (path(), films()) else { return };
    let golden = golden();
    let case = &golden["movies"];
    let table = read_csv(Source::path(&path), &CsvOptions::default()).unwrap();
    assert_eq!(table.n_rows() as f64, number(&case["rows"]));
    let expected = case["missing_cells"].as_object().unwrap();
    assert_eq!(table.columns().len(), expected.len());
    for column in table.columns() {
        let missing = (0..column.len()).filter(|&row| matches!(column.cell(row), Cell::Missing(_)));
        assert_eq!(
            Some(missing.count() as u64),
            expected[column.name()].as_u64(),
            "{}",
            column.name()
        );
    }
    assert_eq!(
        films.genres,
        list(&case["genres"]).iter().map(|g| g.as_str().unwrap()).collect::<Vec<_>>()
    );
    assert_eq!(Some(films.genres.len() as u64), case["n_genres"].as_u64());
    for (films, case) in [(films.rated(), &case["rated_only"]), (films, case)] {
        assert_eq!(films.films.len() as f64, number(&case["rows"]));
        let ratings = case["rating_counts"].as_object().unwrap();
        for (rating, n) in ratings {
            let is = |film: &&Film| film.rating.as_deref().unwrap_or("nan") == rating;
            assert_eq!(Some(films.films.iter().filter(is).count() as u64), n.as_u64(), "{rating}");
        }
        let all: u64 = ratings.values().filter_map(Value::as_u64).sum();
        assert_eq!(films.films.len() as u64, all, "no other rating");
    }
}

fn check_parameters(films: &Films, predictor: &Predictor, case: &Value) {
    let gaussian = &case["gaussian"];
    for (at, name) in list(&gaussian["features"]).iter().enumerate() {
        let Ok(Parameters::Gaussian { mean, variance, .. }) =
            predictor.parameters(name.as_str().unwrap())
        else {
            panic!("{name} is Gaussian")
        };
        all_close("mean", &mean, &matrix(&gaussian["mean"]).column(at).to_vec(), TOLERANCE);
        all_close("variance", &variance, &matrix(&gaussian["var"]).column(at).to_vec(), TOLERANCE);
    }
    let Some(expected) = case.get("bernoulli_theta_alpha1").map(matrix) else { return };
    for (at, genre) in films.genres.iter().enumerate() {
        let Ok(Parameters::Bernoulli { theta }) = predictor.parameters(genre) else {
            panic!("{genre} is a flag")
        };
        all_close(genre, &theta, &expected.column(at).to_vec(), TOLERANCE);
    }
}

fn check_fit(films: &Films, case: &Value) {
    let predictor = fit_rows(films, &(0..films.films.len()).collect::<Vec<_>>());
    close("prior", predictor.log_prior()[1].exp(), number(&case["prior_R"]), 1e-12);
    check_parameters(films, &predictor, case);
    let batch = films.batch(|x| x).unwrap();
    let case = &case["full_fit_training"];
    let odds = predictor.log_odds(&batch).unwrap().to_vec();
    all_close("log odds", &odds[..5], &vector(&case["first5_log_odds"]), TOLERANCE);
    let actual: Vec<usize> = films.is_r().into_iter().map(usize::from).collect();
    let confusion = Confusion::new(&actual, &predictor.predict(&batch).unwrap(), 2).unwrap();
    let expected: Vec<Vec<u64>> = serde_json::from_value(case["confusion"].clone()).unwrap();
    assert_eq!(confusion.matrix(), expected);
    close("accuracy", confusion.accuracy(), number(&case["accuracy"]), TOLERANCE);
    let not_r = actual.iter().filter(|class| **class == 0).count();
    assert_eq!(Some(not_r as u64), case["not_R"].as_u64());
    let loss = log_loss(&predictor.log_proba(&batch).unwrap(), &actual).unwrap();
    close("log loss", loss, number(&case["log_loss"]), TOLERANCE);
    let ranking = Ranking::new(&odds, &films.is_r()).unwrap();
    close("auc", ranking.auc().unwrap(), number(&case["auc"]), TOLERANCE);
    let safe = ranking.no_misses().unwrap();
    close("no misses", safe.lowest_positive, number(&case["zero_fn_log_odds"]), TOLERANCE);
    assert_eq!(Some(safe.outcome.false_positives), case["zero_fn_false_positives"].as_u64());
    let proba = predictor.proba(&batch).unwrap();
    let hardest = odds.iter().position(|odds| *odds == safe.lowest_positive).unwrap();
    assert_eq!(Some(films.films[hardest].title.as_str()), case["hardest_R_film"].as_str());
    let expected = number(&case["zero_fn_probability"]);
    assert!((proba[[hardest, 1]] / expected - 1.0).abs() < TOLERANCE, "{}", proba[[hardest, 1]]);
    let saturated = films.is_r().into_iter().zip(proba.rows()).filter(|(is, p)| *is && p[1] == 0.0);
    assert_eq!(Some(saturated.count() as u64), case["saturated_to_0"].as_u64());
}

#[test]
fn fits_and_factors_with_and_without_unrated_films() {
    let Some(films) = films() else { return };
    let golden = golden();
    let movies = &golden["movies"];
    for (films, case) in [(films.rated(), &movies["rated_only"]), (films, movies)] {
        check_fit(&films, case);
        let model = fitted(&films.batch(|x| x).unwrap(), &films.classes());
        for feature in model.evidence(&EvidencePriors::default()).unwrap().features {
            let expected = number(&case["log_bayes_factor"][&feature.name]);
            close(&feature.name, feature.log_bayes_factor(), expected, TOLERANCE);
        }
    }
}
