//! The lecture on probabilistic machine learning, from the first probability to a classifier, on films and the deaths in them.
//!
//! `cargo run -p naive-bayes --example movies -- film-death-counts.csv [FOLDER]` prints each step with its numbers and draws the pictures into
//! FOLDER, by default `target/movies`.

#![allow(clippy::print_stdout, clippy::unwrap_used)]

mod classifier;
mod films;
mod plots;
mod rules;
mod selection;
mod thresholds;

use std::error::Error;
use std::path::PathBuf;

use films::Films;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let mut args = std::env::args_os().skip(1).map(PathBuf::from);
    let path = args.next().ok_or("give the path of film-death-counts.csv")?;
    let folder = args.next().unwrap_or_else(|| PathBuf::from("target/movies"));
    let films = Films::read(&path)?;
    std::fs::create_dir_all(&folder)?;
    rules::show(&films, &folder)?;
    classifier::show(&films, &folder)?;
    selection::show(&films)?;
    thresholds::show(&films)?;
    println!("\nThe pictures are in {}.", folder.display());
    Ok(())
}

/// A heading.
fn heading(text: &str) {
    println!("\n{text}\n{}", "-".repeat(text.chars().count()));
}

/// Mean and standard deviation (divisor n).
fn spread(values: &[f64]) -> (f64, f64) {
    let (mean, variance) = naive_bayes::probability::gaussian_mle(values);
    (mean, variance.sqrt())
}
