//! The command line: what is read, shown and written around the library.

pub(crate) mod args;
mod certify;
mod checkpoint;
mod describe;
mod failure;
mod fit;
mod interrupt;
mod machine;
mod options;
mod output;
mod predict;
mod progress;
mod report;
mod scores;
mod summary;
mod table;
mod training;

use std::process::ExitCode;

use args::{Cli, Command, DataCommand};

/// Runs one command; the exit code says how it ended.
pub(crate) fn run(cli: &Cli) -> ExitCode {
    let outcome = match &cli.command {
        Command::Fit(args) => fit::run(args),
        Command::Predict(args) => predict::run(args),
        Command::Certify(args) => certify::run(args),
        Command::Data(DataCommand::Describe(args)) => describe::run(args),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
