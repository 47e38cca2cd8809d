//! `taut classify update`.

use std::time::Instant;

use taut::Classifier;

use super::args::UpdateArgs;
use super::options::unlabelled;
use super::summary::{Learned, finish};
use crate::cli::chunks::{CHUNK, Pass, open};
use crate::cli::failure::Failure;
use crate::cli::machine;
use crate::cli::output::check_places;

pub(super) fn run(args: &UpdateArgs) -> Result<(), Failure> {
    let began = Instant::now();
    machine::use_threads(args.common.threads)?;
    let out = args.out.as_ref().unwrap_or(&args.model);
    // The model may be replaced by its successor; nothing else may be replaced.
    check_places(&[&args.data], &[Some(out)])?;
    check_places(&[&args.data, &args.model, out], &[args.report.as_deref()])?;
    let mut classifier = Classifier::load(&args.model)?;
    classifier.set_options(args.predicting.applied_to(classifier.options())?);
    if let Some(factor) = args.decay {
        classifier.decay(factor)?;
    }
    let (rows, skipped, notes) =
        if args.remove { remove(args, &mut classifier)? } else { add(args, &mut classifier)? };
    let verb = if args.remove { "taken out" } else { "added" };
    let learned = Learned { told: format!("{rows} rows {verb}"), rows, skipped, notes };
    finish(&classifier, learned, out, args.report.as_deref(), began)
}

/// Rows read, rows without a class, and what a person should know.
type Outcome = (u64, usize, Vec<String>);

fn add(args: &UpdateArgs, classifier: &mut Classifier) -> Result<Outcome, Failure> {
    let chunks = open(&args.data, CHUNK)?;
    let mut notes = absent(classifier, chunks.column_names());
    let before = classifier.schema().columns().len();
    let mut skipped = 0;
    let policy = unlabelled(args.skip_unlabelled);
    let rows = Pass::new(args.common.quiet)?.each(chunks, "added", |chunk| {
        skipped += classifier.observe(&chunk.table, policy)?;
        Ok(true)
    })?;
    notes.extend(classifier.schema().columns()[before..].iter().map(|spec| {
        let kind = spec.kind.as_ref().map_or("without a cell".to_owned(), ToString::to_string);
        format!("column `{}` is new: {kind}; rows learned before count as without it", spec.name)
    }));
    Ok((rows, skipped, notes))
}

/// The rows are learned apart and taken out together: all of them or none.
fn remove(args: &UpdateArgs, classifier: &mut Classifier) -> Result<Outcome, Failure> {
    let chunks = open(&args.data, CHUNK)?;
    let mut notes = absent(classifier, chunks.column_names());
    notes.extend(unknown(classifier, chunks.column_names()));
    let mut taken = classifier.emptied();
    let mut skipped = 0;
    let policy = unlabelled(args.skip_unlabelled);
    let rows = Pass::new(args.common.quiet)?.each(chunks, "taken out", |chunk| {
        skipped += taken.observe_known(&chunk.table, policy)?;
        Ok(true)
    })?;
    classifier.subtract(&taken)?;
    Ok((rows, skipped, notes))
}

/// What the table lacks of the model's columns.
pub(super) fn absent(classifier: &Classifier, names: &[String]) -> Vec<String> {
    let absent = classifier.schema().absent_from(names);
    absent
        .iter()
        .map(|name| format!("column `{name}` is not in the table: it is missing in these rows"))
        .collect()
}

/// What the table has beyond the model's columns.
fn unknown(classifier: &Classifier, names: &[String]) -> Vec<String> {
    let schema = classifier.schema();
    let known = |name: &str| schema.column(name).is_some() || schema.is_special(name);
    let unknown = names.iter().filter(|name| !known(name));
    unknown.map(|name| format!("column `{name}` is not in the model: it is left out")).collect()
}
