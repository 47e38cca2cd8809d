//! Gaussian-process regression on a real table: the exact method with every bound around its log
//! marginal likelihood, then the methods for larger tables beside it.
//!
//! `cargo xtask demo`, or `cargo run --release -p taut --example demo [SEED]`.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::error::Error;
use std::time::Instant;

use datasets::{Design, TestSize, samples, split};
use gp_core::{Observer, Progress, TrainState};
use ndarray::Array2;
use taut::{
    CertifyOptions, EvidenceOptions, FitOptions, Fitted, Method, Model, Surrogates, TestScores,
    certify, fit, fixed, select_rows, table_lines, test_scores,
};

/// What the bounds, and the methods on inducing points, are built from.
const SURROGATES: Surrogates = Surrogates { inducing: 100, neighbours: 30, jitter: 1e-6 };
/// The rows of the table of methods: a name, the method, its bound on the log-determinant.
const METHODS: [(&str, Method, Option<&str>); 4] = [
    ("exact", Method::Exact, None),
    ("SGPR", Method::Sgpr, None),
    ("CGLB", Method::Cglb, None),
    ("CGLB-Vecchia", Method::Cglb, Some("vecchia")),
];

fn main() -> Result<(), Box<dyn Error>> {
    let seed = std::env::args().nth(1).map_or(Ok(0), |text| text.parse())?;
    let sample = samples::find("earthquakes")?;
    println!("{}", sample.title);
    println!("source: {}\n", source(sample.source));

    let table = sample.design()?;
    let parts = split(table.x.nrows(), TestSize::Fraction(0.2), seed)?;
    let (train, test) = (select_rows(&table, &parts.train), select_rows(&table, &parts.test));
    let (rows, inputs) = train.x.dim();
    println!(
        "{rows} rows to fit, {} to test, {inputs} inputs: {}",
        test.x.nrows(),
        train.feature_names.join(", ")
    );

    let mut options = FitOptions { surrogates: SURROGATES, ..FitOptions::default() };
    options.plan.seed = seed;
    let mut show = Show { began: Instant::now(), last: (None, usize::MAX) };
    let Fitted { model, trained, warnings, .. } = fit(&train, &options, &mut show)?;
    warnings.iter().for_each(|warning| println!("warning: {warning}"));
    describe(&model)?;
    if let Some(trained) = trained {
        println!(
            "trained in {:.1} s: {} steps, {} evaluations",
            trained.seconds, trained.iterations, trained.evaluations
        );
    }
    print_scores(&test_scores(&model, &test)?, sample.target);
    print_bounds(&model)?;
    print_methods(&train, &test, seed)?;
    print_next_steps();
    Ok(())
}

/// Where the sample comes from: its page's paragraph up to the address.
fn source(page: &str) -> String {
    let paragraph = page.split("\n\n").find_map(|paragraph| paragraph.strip_prefix("**Source.** "));
    let text = paragraph.unwrap_or(page).split_whitespace().collect::<Vec<_>>().join(" ");
    text.split_inclusive('>').next().unwrap_or_default().to_owned()
}

/// Prints a line on standard error every few steps of training.
struct Show {
    began: Instant,
    last: (Option<usize>, usize),
}

impl Observer for Show {
    fn step(&mut self, progress: &Progress, _state: &TrainState) {
        let place = (progress.start, progress.iteration);
        if !progress.iteration.is_multiple_of(10) || place == self.last {
            return;
        }
        self.last = place;
        let start = progress.start.map(|start| format!("start {}", start + 1));
        eprintln!(
            "  {:>5.1} s  {}, step {:>3}: objective {:>10.4} nats, gradient {:.1e}",
            self.began.elapsed().as_secs_f64(),
            start.unwrap_or("training".to_owned()),
            progress.iteration,
            progress.objective,
            progress.gradient_norm
        );
    }
}

/// A long lengthscale says that an input does not matter.
fn describe(model: &Model) -> Result<(), Box<dyn Error>> {
    let hyper = model.hyperparameters();
    println!("\n{} kernel, every column divided by its standard deviation:", hyper.kernel.name());
    let inputs = model.encoder().feature_names();
    for (index, (name, value)) in hyper.named_values().into_iter().enumerate() {
        let input = inputs.get(index).map_or(String::new(), |input| format!("  ({input})"));
        println!("  {:<16} {value:>10.4}{input}", name.trim_start_matches("kernel."));
    }
    println!("log marginal likelihood {:.4} nats", model.objective()?);
    Ok(())
}

fn print_scores(test: &TestScores, target: &str) {
    println!("\non the test rows        standardised   {target} in its own units");
    println!("  RMSE                  {:>12.4}   {:>12.4}", test.scores.rmse, test.rmse_original);
    println!("  NLPD, nats            {:>12.4}   {:>12.4}", test.scores.nlpd, test.nlpd_original);
    println!("  in the 95 % interval  {:>10.1} %\n", 100.0 * test.scores.coverage95);
}

fn print_bounds(model: &Model) -> Result<(), Box<dyn Error>> {
    let options = CertifyOptions { surrogates: SURROGATES, ..CertifyOptions::default() };
    let residual: Array2<f64> = model.residual();
    let certificate = certify(model.hyperparameters(), model.x(), &residual, &options)?;
    println!(
        "every bound, from {} inducing points and {} neighbours, beside the exact values ({:.2} s):",
        certificate.inducing, SURROGATES.neighbours, certificate.seconds
    );
    table_lines(&certificate).iter().for_each(|line| println!("{line}"));
    Ok(())
}

/// Each method trained by itself, on its own objective.
fn print_methods(train: &Design, test: &Design, seed: u64) -> Result<(), Box<dyn Error>> {
    println!(
        "\nevery method, with {} inducing points and {} neighbours where it has any; lower <= exact <= upper:",
        SURROGATES.inducing, SURROGATES.neighbours
    );
    println!(
        "{:<13} {:>11} {:>11} {:>11} {:>8} {:>8} {:>8}",
        "method", "lower", "exact", "upper", "RMSE", "NLPD", "seconds"
    );
    for (name, method, bound) in METHODS {
        println!("{}", method_line(name, method, bound, train, test, seed)?);
    }
    Ok(())
}

fn method_line(
    name: &str,
    method: Method,
    bound: Option<&str>,
    train: &Design,
    test: &Design,
    seed: u64,
) -> Result<String, Box<dyn Error>> {
    let bound = bound.map(str::to_owned);
    let mut options = FitOptions { method, bound, surrogates: SURROGATES, ..FitOptions::default() };
    options.plan.seed = seed;
    let began = Instant::now();
    let model = fit(train, &options, &mut ())?.model;
    let seconds = began.elapsed().as_secs_f64();
    let known = EvidenceOptions { surrogates: SURROGATES, ..EvidenceOptions::default() };
    let evidence = model.evidence(&known)?;
    let scores = test_scores(&model, test)?.scores;
    let nats = |value: Option<f64>| value.map_or("unknown".to_owned(), |value| fixed(value, 2));
    Ok(format!(
        "{name:<13} {:>11} {:>11} {:>11} {:>8.4} {:>8.4} {seconds:>8.1}",
        nats(evidence.lower),
        nats(evidence.exact),
        nats(evidence.upper),
        scores.rmse,
        scores.nlpd
    ))
}

fn print_next_steps() {
    println!("\nnow with a table of your own:");
    println!("  cargo install --locked --path crates/taut");
    println!("  taut fit table.csv --target COLUMN --test-fraction 0.2 --out my.taut");
    println!("  taut predict my.taut new.csv --out predictions.csv");
    println!("  taut certify my.taut");
}
