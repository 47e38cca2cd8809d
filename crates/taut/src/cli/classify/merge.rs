//! `taut classify merge`.

use std::path::Path;
use std::time::Instant;

use taut::{Classifier, fixed};

use super::args::MergeArgs;
use super::summary::{Learned, finish};
use crate::cli::failure::Failure;
use crate::cli::machine;
use crate::cli::output::check_places;

pub(super) fn run(args: &MergeArgs) -> Result<(), Failure> {
    let began = Instant::now();
    machine::use_threads(args.common.threads)?;
    let inputs: Vec<&Path> = args.models.iter().map(AsRef::as_ref).collect();
    check_places(&inputs, &[Some(&args.out), args.report.as_deref()])?;
    let mut notes = Vec::new();
    let mut merged: Option<Classifier> = None;
    for path in &args.models {
        let next = Classifier::load(path)?;
        let Some(merged) = &mut merged else {
            merged = Some(next);
            continue;
        };
        if next.options() != merged.options() {
            notes
                .push(format!("{} has other options: those of the first are kept", path.display()));
        }
        merged.merge(&next)?;
    }
    let mut merged =
        merged.ok_or_else(|| Failure::usage("no model is named", "name at least two models"))?;
    merged.set_options(args.predicting.applied_to(merged.options())?);
    let weight = merged.model().total_weight();
    let told = format!("{} models of weight {} together", args.models.len(), fixed(weight, 4));
    let learned = Learned { told, rows: weight.round() as u64, skipped: 0, notes };
    finish(&merged, learned, &args.out, args.report.as_deref(), began)
}
