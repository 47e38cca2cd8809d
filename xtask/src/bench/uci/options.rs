//! The arguments of `bench uci`.

use std::path::PathBuf;

use crate::task::Failure;

/// Seconds of training unless told otherwise.
const SECONDS: f64 = 600.0;

#[derive(Debug, PartialEq)]
pub(super) struct Options {
    /// Folder with the sets, instead of TAUT_DATA_DIR, the cache or a download.
    pub(super) data: Option<PathBuf>,
    /// Small tables that are always there.
    pub(super) quick: bool,
    /// What is found against time, as pictures, in place of the table.
    pub(super) trace: bool,
    /// Limit of training, a fit.
    pub(super) seconds: f64,
    /// Sets, all if empty.
    pub(super) sets: Vec<String>,
    /// Methods, all if empty.
    pub(super) only: Vec<String>,
    /// Most splits of a set.
    pub(super) splits: usize,
    /// Where the rendered table goes.
    pub(super) table: Option<PathBuf>,
}

impl Options {
    pub(super) fn parse(args: &[String]) -> Result<Self, Failure> {
        let mut options = Self {
            data: None,
            quick: false,
            trace: false,
            seconds: SECONDS,
            sets: Vec::new(),
            only: Vec::new(),
            splits: usize::MAX,
            table: None,
        };
        let mut rest = args.iter();
        while let Some(name) = rest.next() {
            match name.as_str() {
                "--quick" => options.quick = true,
                "--trace" => options.trace = true,
                name => options.take(name, rest.next())?,
            }
        }
        Ok(options)
    }

    fn take(&mut self, name: &str, value: Option<&String>) -> Result<(), Failure> {
        let value = || value.ok_or_else(|| Failure::usage(format!("{name} needs a value")));
        let words = |value: &String| value.split(',').map(str::to_owned).collect();
        match name {
            "--data" => self.data = Some(PathBuf::from(value()?)),
            "--table" => self.table = Some(PathBuf::from(value()?)),
            "--sets" => self.sets = words(value()?),
            "--only" => self.only = words(value()?),
            "--time" => self.seconds = seconds(value()?)?,
            "--splits" => self.splits = splits(value()?)?,
            _ => return Err(Failure::usage(format!("`{name}` is no option of uci"))),
        }
        Ok(())
    }
}

fn seconds(value: &str) -> Result<f64, Failure> {
    let seconds = value.parse().ok().filter(|seconds: &f64| *seconds > 0.0);
    seconds.ok_or_else(|| Failure::usage(format!("--time takes seconds above 0, not `{value}`")))
}

fn splits(value: &str) -> Result<usize, Failure> {
    let splits = value.parse().ok().filter(|splits| *splits > 0);
    splits.ok_or_else(|| Failure::usage(format!("--splits takes a number above 0, not `{value}`")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Options, Failure> {
        Options::parse(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>())
    }

    #[test]
    fn options_are_read_and_others_refused() {
        let options =
            parse("--quick --trace --time 2.5 --sets pol,bike --only sgpr-512").expect("known");
        assert!(
            options.quick
                && options.trace
                && options.sets == ["pol", "bike"]
                && options.only == ["sgpr-512"]
        );
        assert_eq!(options.seconds.to_string(), "2.5");
        for wrong in ["--fast", "--time", "--time 0", "--time x", "--splits 0", "pol"] {
            assert!(matches!(parse(wrong), Err(Failure::Usage(_))), "{wrong}");
        }
    }
}
