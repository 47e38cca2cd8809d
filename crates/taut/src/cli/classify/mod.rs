//! `taut classify`: naive Bayes, one pass over tables of any length.

pub(crate) mod args;
mod evaluate;
mod explain;
mod fit;
mod folds;
mod merge;
mod options;
mod predict;
mod scores;
mod summary;
mod thresholds;
mod update;

use args::ClassifyCommand;

use super::failure::Failure;

pub(crate) fn run(command: &ClassifyCommand) -> Result<(), Failure> {
    match command {
        ClassifyCommand::Fit(args) => fit::run(args),
        ClassifyCommand::Update(args) => update::run(args),
        ClassifyCommand::Merge(args) => merge::run(args),
        ClassifyCommand::Predict(args) => predict::run(args),
        ClassifyCommand::Evaluate(args) => evaluate::run(args),
        ClassifyCommand::Explain(args) => explain::run(args),
    }
}
