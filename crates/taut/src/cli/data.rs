//! `taut data list` and `taut data fetch`.

use std::time::{Duration, Instant};

use datasets::fetch::{Downloaded, Origin, Places};
use datasets::public::{PublicSet, Recipe, catalogue, find};
use taut::bytes_text;

use super::args::{FetchArgs, ListArgs};
use super::failure::Failure;
use super::output::{print, tell};
use super::progress::Display;

/// Time between looks at a download.
const BETWEEN_LOOKS: Duration = Duration::from_millis(200);

pub(crate) fn list(args: &ListArgs) -> Result<(), Failure> {
    let places = Places::from_environment();
    let Some(name) = &args.name else { return print(&table(&places)) };
    print(&details(&find(name)?, &places))
}

fn table(places: &Places) -> Vec<String> {
    let width = catalogue().iter().map(|set| set.name.len()).max().unwrap_or(0);
    let header = format!(
        "{:<width$} {:>6} {:>6}  {:<14} {:<13} about",
        "set", "rows", "inputs", "target", "file"
    );
    let line = |set: &PublicSet| {
        format!(
            "{:<width$} {:>6} {:>6}  {:<14} {:<13} {}",
            set.name,
            set.rows,
            set.inputs,
            set.target,
            state(set, places),
            set.title
        )
    };
    let last = "`taut data list NAME` for source, terms, address and hash; `taut data fetch NAME` for the file";
    std::iter::once(header)
        .chain(catalogue().iter().map(line))
        .chain([String::new(), last.to_owned()])
        .collect()
}

/// Where its file is, or how it may come; nothing is read.
fn state(set: &PublicSet, places: &Places) -> &'static str {
    match (places.find(set).map(|found| found.origin), set.url()) {
        (Some(Origin::Data), _) => "TAUT_DATA_DIR",
        (Some(_), _) => "cached",
        (None, Some(_)) => "to download",
        (None, None) => "by hand only",
    }
}

fn details(set: &PublicSet, places: &Places) -> Vec<String> {
    let file = match places.find(set) {
        Some(found) => found.path.display().to_string(),
        None => "not there yet".to_owned(),
    };
    let address = match set.recipe {
        Recipe::AsIs { url } => url.to_owned(),
        Recipe::WithHeader { url, .. } => format!("{url} (the header line is added)"),
        Recipe::Unknown { reason } => format!("none: {reason}"),
        _ => "not known".to_owned(),
    };
    vec![
        format!("{}: {}", set.name, set.title),
        format!("  {} rows, {} inputs, target {}", set.rows, set.inputs, set.target),
        format!("  source   {}", set.source),
        format!("  terms    {}", set.licence),
        format!("  address  {address}"),
        format!("  SHA-256  {} (of the uncompressed text)", set.sha256),
        format!("  file     {file}"),
    ]
}

/// Prints the path of the file alone, for `$(…)`.
pub(crate) fn fetch(args: &FetchArgs) -> Result<(), Failure> {
    let set = find(&args.name)?;
    let mut display = Display::new(args.quiet);
    let mut looked = Instant::now();
    let mut progress = |state: Downloaded| {
        let whole = state.of == Some(state.bytes);
        if looked.elapsed() >= BETWEEN_LOOKS || whole {
            display.now(format!("{}: {}", set.name, downloaded(state)));
            looked = Instant::now();
        }
    };
    let found = Places::from_environment().fetch(&set, args.url.as_deref(), &mut progress)?;
    display.clear();
    if !args.quiet {
        let origin = match found.origin {
            Origin::Data => "found in TAUT_DATA_DIR",
            Origin::Cache => "found in the cache",
            Origin::Download => "downloaded",
        };
        tell(&format!("note: {} {origin}, its text has the right SHA-256", set.name));
        tell(&format!("note: target {}; terms: {}", set.target, set.licence));
    }
    print(&[found.path.display().to_string()])
}

fn downloaded(state: Downloaded) -> String {
    let of = state.of.map_or(String::new(), |all| format!(" of {}", bytes_text(all)));
    format!("{}{of}", bytes_text(state.bytes))
}
