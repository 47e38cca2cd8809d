//! The command line: what is read, shown and written around the library.

pub(crate) mod args;
mod certify;
mod checkpoint;
mod chunks;
mod classify;
mod data;
mod describe;
mod failure;
mod fit;
mod interrupt;
pub(crate) mod iterative_args;
mod machine;
mod numbers;
mod options;
mod output;
mod predict;
mod progress;
mod remedy;
mod report;
mod summary;
mod table;
mod training;

use std::process::ExitCode;

use clap::error::ErrorKind;

use args::{Cli, Command, DataCommand};
use clap::{CommandFactory, FromArgMatches};

/// Nothing was asked for: the answer is the whole help.
const HELP: ErrorKind = ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;

/// Runs the command the arguments name; the exit code says how it ended.
pub(crate) fn run() -> ExitCode {
    let matches = with_negative_numbers(Cli::command()).try_get_matches();
    let cli = match matches.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) if error.exit_code() == 0 || error.kind() == HELP => error.exit(),
        Err(error) => return failure::Failure::from(error).report(),
    };
    let outcome = match &cli.command {
        Command::Fit(args) => fit::run(args),
        Command::Predict(args) => predict::run(args),
        Command::Certify(args) => certify::run(args),
        Command::Classify(command) => classify::run(command),
        Command::Data(DataCommand::List(args)) => data::list(args),
        Command::Data(DataCommand::Describe(args)) => describe::run(args),
        Command::Data(DataCommand::Fetch(args)) => data::fetch(args),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// A negative number behind an option is its value, not an option of its own, so that what is wrong with it is said by name.
fn with_negative_numbers(command: clap::Command) -> clap::Command {
    let negative = |arg: clap::Arg| {
        let takes = arg.get_action().takes_values() && !arg.is_positional();
        if takes { arg.allow_negative_numbers(true) } else { arg }
    };
    command.mut_args(negative).mut_subcommands(with_negative_numbers)
}
