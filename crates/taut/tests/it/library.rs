//! The one-stop library, where the command line does not reach.

use datasets::{CsvOptions, Roles, Source, design, read_csv};
use gp_core::Units;
use ndarray::{Array2, array};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use taut::{
    CertifyOptions, EvidenceOptions, FitOptions, Method, Selection, certify, fit, read_params,
    select_rows, test_scores,
};

use crate::support::table;

fn fitted(options: &FitOptions) -> taut::Fitted {
    let read = read_csv(Source::text("t.csv", &table(40)), &CsvOptions::default()).unwrap();
    let roles = Roles { drop: vec!["z".into()], ..Roles::target("y") };
    fit(&design(&read, &roles).unwrap(), options, &mut ()).unwrap()
}

#[test]
fn a_model_predicts_in_the_tables_units() {
    let model = fitted(&FitOptions::default()).model;
    let x = array![[0.5, 1.0], [-1.0, 2.0]];
    let prediction = model.predict(&x).unwrap();
    assert_eq!(prediction.mean, model.predict_mean(&x).unwrap());
    assert!(prediction.var_latent.iter().zip(&prediction.var_y).all(|(latent, y)| latent < y));
    let draws = model.sample(&x, 3, &mut ChaCha8Rng::seed_from_u64(1)).unwrap();
    assert_eq!(draws.dim(), (3, 2, 1));
    let narrow: Array2<f64> = array![[1.0]];
    let error = model.predict(&narrow).unwrap_err().to_string();
    assert!(error.contains("1 columns, expected 2"), "{error}");
}

#[test]
fn a_certificate_knows_its_winners() {
    let model = fitted(&FitOptions::default()).model;
    let certify_with = |options: &CertifyOptions| {
        certify(model.hyperparameters(), model.x(), &model.residual(), options).unwrap()
    };
    let all = certify_with(&CertifyOptions::default());
    let exact = all.exact.unwrap();
    assert!(all.bracket.lower <= exact.lml && exact.lml <= all.bracket.upper);
    // The exact value without the memory for it is left out, and the rest stands.
    let small =
        certify_with(&CertifyOptions { memory_budget: Some(10), ..CertifyOptions::default() });
    assert!(small.exact.is_none());
    assert_eq!(small.bracket, all.bracket);
    assert!(small.warnings.iter().any(|warning| warning.contains("GB")), "{:?}", small.warnings);
    let one = Selection::Names(vec!["vecchia".into()]);
    let one = certify_with(&CertifyOptions { selection: one, ..CertifyOptions::default() });
    assert_eq!(one.rows.len(), 1);
}

/// Where no certificate is asked for, what conditioning knows of its own solve is said.
#[test]
fn a_solve_at_its_cap_is_said_without_a_certificate() {
    let options = EvidenceOptions { exact_limit: 0, thorough: false, ..EvidenceOptions::default() };
    for (cg_max_steps, said) in [(Some(0), 1), (None, 0)] {
        let (method, train) = (Method::Cglb, false);
        let model =
            fitted(&FitOptions { method, train, cg_max_steps, ..FitOptions::default() }).model;
        let warnings = model.evidence(&options).unwrap().warnings;
        assert_eq!(warnings.len(), said, "{warnings:?}");
        for words in ["stopped after 0 steps", "residual norm", "nats looser"] {
            assert!(warnings.iter().all(|warning| warning.contains(words)), "{warnings:?}");
        }
    }
}

#[test]
fn training_scores_are_those_of_the_rows_asked_for() {
    let read = read_csv(Source::text("t.csv", &table(40)), &CsvOptions::default()).unwrap();
    let whole = design(&read, &Roles::target("y")).unwrap();
    let part = select_rows(&whole, &[3, 1, 7]);
    assert_eq!(part.kept_rows, [3, 1, 7]);
    assert_eq!(part.x.row(0), whole.x.row(3));
    let options = FitOptions { train: false, ..FitOptions::default() };
    let model = fit(&whole, &options, &mut ()).unwrap().model;
    let scores = test_scores(&model, &part).unwrap();
    assert!(scores.scores.rmse > 0.0 && (0.0..=1.0).contains(&scores.scores.coverage95));
}

#[test]
fn parameters_without_units_take_those_of_the_fit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.json");
    let text = r#"{"lengthscale": 2, "variance": 3, "noise_variance": 0.5}"#;
    std::fs::write(&path, text).unwrap();
    for units in [Units::Standardised, Units::Original] {
        assert_eq!(read_params(&path, None, units).unwrap().units, units);
    }
}
