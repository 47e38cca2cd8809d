//! The table `uci`: the experiments of the CGLB paper as one command, and what can be added to them.
//!
//! Sets × methods × splits; one JSON object a run is appended to a file as it ends, and a run that is in
//! the file is not made again, so the command can be stopped and started at will.

mod figure;
mod fit;
mod maker;
mod options;
mod plan;
mod render;
mod trace;

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use serde_json::Value;

use super::{Table, program};
use crate::task::{self, Failure, TaskResult};
use maker::Maker;
use options::Options;
use plan::{Run, Scale};

pub(super) const TABLE: Table = Table {
    name: "uci",
    usage: "uci [--data DIR] [--quick] [--trace] [--time SECONDS] [--sets A,..] [--only METHOD,..] [--splits N] [--table FILE]",
    about: "the paper's experiments: sets, methods and splits, resumable, as a table or as pictures against time",
    run,
};

fn run(args: &[String]) -> TaskResult {
    let options = Options::parse(args)?;
    let scale = Scale::of(&options);
    let runs = if options.trace { scale.traced(&options)? } else { scale.runs(&options)? };
    program::build()?;
    let folder = task::root().join("target/taut-bench").join(scale.name);
    fs::create_dir_all(&folder).map_err(|error| Failure::io(&folder, &error))?;
    if options.trace {
        return trace::make(&runs, &scale, &options, &folder);
    }
    let results = folder.with_extension("jsonl");
    let failed = make(&runs, &scale, &options, &folder, &results)?;
    let text = render::markdown(&lines(&results)?, &scale);
    let table = options.table.clone().unwrap_or_else(|| folder.with_extension("md"));
    fs::write(&table, &text).map_err(|error| Failure::io(&table, &error))?;
    print!("{text}");
    println!("\nruns in {}, table in {}", results.display(), table.display());
    match failed {
        0 => Ok(()),
        _ => Err(Failure::run(
            format!("{failed} of {} runs failed", runs.len()),
            "read their messages above; the same command makes them again",
        )),
    }
}

/// Makes the runs that are not there; how many failed.
fn make(
    runs: &[Run],
    scale: &Scale,
    options: &Options,
    folder: &Path,
    results: &Path,
) -> Result<usize, Failure> {
    let (there, maker) = (lines(results)?, Maker::here());
    let missing: Vec<&Run> = runs.iter().filter(|run| !run.is_among(&there, scale)).collect();
    eprintln!("{} runs, {} of them there", runs.len(), runs.len() - missing.len());
    let mut failed = 0;
    for (index, run) in missing.iter().enumerate() {
        eprintln!("{}/{} {}", index + 1, missing.len(), run.label());
        match fit::one(run, scale, options, folder) {
            Ok(row) => append(results, &[maker.sign(row)])?,
            Err(Failure::Run { cause, .. }) => {
                eprintln!("{} failed: {cause}", run.label());
                failed += 1;
            }
            Err(usage) => return Err(usage),
        }
    }
    Ok(failed)
}

/// The runs of a file, none if there is no file; a last line that was cut off is left out.
pub(super) fn lines(results: &Path) -> Result<Vec<Value>, Failure> {
    match fs::read_to_string(results) {
        Ok(text) => Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(Failure::io(results, &error)),
    }
}

/// Adds lines in one write: what is there of a run is all of it.
pub(super) fn append(results: &Path, rows: &[Value]) -> TaskResult {
    let lines: String = rows.iter().map(|row| format!("{row}\n")).collect();
    let open = File::options().create(true).append(true).open(results);
    open.and_then(|mut file| file.write_all(lines.as_bytes()))
        .map_err(|error| Failure::io(results, &error))
}
