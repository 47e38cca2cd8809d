//! How a run fails: one line of cause, one of remedy, and an exit code.

use std::path::Path;
use std::process::ExitCode;

use datasets::DataError;
use gp_core::GpError;
use linalg_cg::LinalgError;
use naive_bayes::NaiveBayesError;
use taut::{ClassifyError, KernelExprError};

use super::output::tell;

/// Inducing points suggested where there is room.
const DEFAULT_INDUCING: usize = 512;
/// Fewer are no good advice.
const FEW_INDUCING: usize = 8;

/// A run that could not be finished.
#[derive(Debug)]
pub(crate) struct Failure {
    cause: String,
    remedy: String,
    code: u8,
    silent: bool,
}

impl Failure {
    /// Exit code 1.
    pub(crate) fn new(cause: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { cause: cause.into(), remedy: remedy.into(), code: 1, silent: false }
    }

    /// Exit code 2: the command itself is wrong.
    pub(crate) fn usage(cause: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { code: 2, ..Self::new(cause, remedy) }
    }

    /// Exit code 130: stopped by the user, nothing lost.
    pub(crate) fn interrupted(remedy: impl Into<String>) -> Self {
        Self { code: 130, ..Self::new("interrupted", remedy) }
    }

    /// Whoever read standard output has gone: nothing is wrong, and nobody to tell.
    pub(crate) fn closed_pipe() -> Self {
        Self { code: 0, silent: true, ..Self::new("", "") }
    }

    pub(crate) fn cannot_write(path: &Path, error: &std::io::Error) -> Self {
        Self::new(
            format!("cannot write {}: {error}", path.display()),
            "choose a place that exists and is writable",
        )
    }

    /// The two lines on standard error, and the code for the shell.
    pub(crate) fn report(&self) -> ExitCode {
        if !self.silent {
            tell(&format!("error: {}", one_line(&self.cause)));
            tell(&format!("help: {}", one_line(&self.remedy)));
        }
        ExitCode::from(self.code)
    }

    /// The same with exit code 2.
    pub(crate) fn into_usage(self) -> Self {
        Self { code: 2, ..self }
    }

    /// Splits a library's sentence "cause: remedy" or "cause; remedy".
    pub(crate) fn from_sentence(text: &str) -> Self {
        match text.rfind(": ").max(text.rfind("; ")) {
            Some(at) => Self::new(&text[..at], &text[at + 2..]),
            None => Self::new(text, "run the command with --help to see what is accepted"),
        }
    }
}

/// What to do where an exact fit of `n` rows is too large and `affordable` rows would fit.
fn smaller(n: usize, affordable: usize) -> String {
    // An exact fit holds three N×N matrices, one on inducing points five of M×N.
    let inducing = (affordable * affordable / n.max(1) * 3 / 5).min(DEFAULT_INDUCING);
    let rest = format!("raise it with --memory GB, or use fewer rows (about {affordable} fit)");
    match inducing {
        0..FEW_INDUCING => rest,
        _ => format!("use --method cglb --inducing {inducing}, {rest}"),
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

impl From<DataError> for Failure {
    fn from(error: DataError) -> Self {
        match &error {
            DataError::Unwritable { source, .. }
                if source.kind() == std::io::ErrorKind::BrokenPipe =>
            {
                Self::closed_pipe()
            }
            _ => Self::new(error.cause(), error.remedy()),
        }
    }
}

impl From<GpError> for Failure {
    fn from(error: GpError) -> Self {
        match &error {
            GpError::Io { .. } => {
                Self::new(error.to_string(), "check that the path exists and that you may use it")
            }
            GpError::MemoryBudget { n, affordable, .. } => {
                Self { remedy: smaller(*n, *affordable), ..Self::from_sentence(&error.to_string()) }
            }
            GpError::InducingMemory { affordable, .. } => Self {
                remedy: format!(
                    "raise it with --memory GB, or give fewer with --inducing M (about {affordable} fit)"
                ),
                ..Self::from_sentence(&error.to_string())
            },
            GpError::UnusedOption { option, method, used_by } => Self::usage(
                format!("--{option} makes no difference to --method {method}"),
                format!("leave it out, or use --method {used_by}"),
            ),
            GpError::Linalg(LinalgError::InvalidOption { option, found, accepted }) => {
                Self::usage(format!("--{option} is {found}"), format!("expected {accepted}"))
            }
            // Names come from the command line alone.
            GpError::UnknownBound { .. } | GpError::UnknownParameter { .. } => {
                Self::from_sentence(&error.to_string()).into_usage()
            }
            _ => Self::from_sentence(&error.to_string()),
        }
    }
}

impl From<ClassifyError> for Failure {
    fn from(error: ClassifyError) -> Self {
        let remedy = match &error {
            ClassifyError::Cell { place, kind, text, .. } => {
                let (column, other) = (&place.column, kind.alternative(*text));
                format!("correct the cell, or fit with --kind '{column}={other}'")
            }
            ClassifyError::Unseen { .. } => {
                "correct the cell, or use --unseen skip or --unseen open".to_owned()
            }
            ClassifyError::LargeLabel { .. } => {
                "put a letter in front of each label of the column".to_owned()
            }
            ClassifyError::Unlabelled { .. } => {
                "fill the cell, or leave such rows out with --skip-unlabelled".to_owned()
            }
            ClassifyError::Model(error) => return Self::from(error.clone()),
            _ => return Self::from_sentence(&error.to_string()),
        };
        Self { remedy, ..Self::from_sentence(&error.to_string()) }
    }
}

impl From<NaiveBayesError> for Failure {
    fn from(error: NaiveBayesError) -> Self {
        let remedy = match &error {
            NaiveBayesError::PriorClass { .. }
            | NaiveBayesError::PriorValue { .. }
            | NaiveBayesError::PriorSum { .. } => {
                "give --prior CLASS=P once for each class, adding up to 1, or --prior learned"
            }
            _ => return Self::from_sentence(&error.to_string()),
        };
        Self { remedy: remedy.to_owned(), ..Self::from_sentence(&error.to_string()) }
    }
}

impl From<KernelExprError> for Failure {
    fn from(error: KernelExprError) -> Self {
        Self::from_sentence(&error.to_string()).into_usage()
    }
}

impl From<ctrlc::Error> for Failure {
    fn from(error: ctrlc::Error) -> Self {
        Self::new(format!("cannot listen for Ctrl-C: {error}"), "run in another shell")
    }
}

/// Clap's message fills a paragraph each for the cause, tips and the usage.
impl From<clap::Error> for Failure {
    fn from(error: clap::Error) -> Self {
        let text = error.render().to_string();
        let mut paragraphs = text.split("\n\n").map(str::trim);
        let cause = paragraphs.next().unwrap_or_default();
        let cause = cause.strip_prefix("error: ").unwrap_or(cause);
        let rest: Vec<&str> = paragraphs.collect();
        let find = |start: &str| rest.iter().find_map(|paragraph| paragraph.strip_prefix(start));
        let tip = find("tip: ").filter(|tip| !tip.starts_with("to pass")).map(str::to_owned);
        let usage = || find("Usage: ").map(|usage| format!("usage: {usage}"));
        Self::usage(cause, tip.or_else(usage).unwrap_or("see taut --help".to_owned()))
    }
}
