//! `taut classify fit`.

use std::path::{Path, PathBuf};
use std::time::Instant;

use datasets::{ColumnKind, Table};
use taut::{Classifier, ClassifyError, FeatureKind};

use super::args::ClassifyFitArgs;
use super::options::{schema, unlabelled};
use super::summary::{Learned, finish};
use crate::cli::chunks::{CHUNK, Pass, open};
use crate::cli::failure::Failure;
use crate::cli::fit::stem;
use crate::cli::machine;
use crate::cli::output::check_places;

pub(super) fn run(args: &ClassifyFitArgs) -> Result<(), Failure> {
    let began = Instant::now();
    machine::use_threads(args.common.threads)?;
    let out = args.out.clone().unwrap_or_else(|| default_out(&args.data));
    check_places(&[&args.data], &[Some(&out), args.report.as_deref()])?;
    let options = args.predicting.applied_to(&Default::default())?;
    let chunks = open(&args.data, CHUNK)?;
    let file = args.data.display().to_string();
    let schema = schema(args, &file, chunks.column_names())?;
    let mut classifier = Classifier::new(schema, options);
    let (mut skipped, mut notes) = (0, Vec::new());
    let policy = unlabelled(args.skip_unlabelled);
    let rows = Pass::new(args.common.quiet)?.each(chunks, "learned", |chunk| {
        skipped += classifier.observe(&chunk.table, policy)?;
        if notes.is_empty() {
            notes = mixed(&classifier, &chunk.table);
        }
        Ok(true)
    })?;
    if classifier.model().total_weight() == 0.0 {
        let label = classifier.schema().label().to_owned();
        return Err(ClassifyError::NoLabels { file, label }.into());
    }
    notes.extend(many_levels(&classifier));
    let learned = Learned { told: format!("{rows} rows learned"), rows, skipped, notes };
    finish(&classifier, learned, &out, args.report.as_deref(), began)
}

/// The table's name with `.classifier`, in the current folder.
fn default_out(data: &Path) -> PathBuf {
    PathBuf::from(format!("{}.classifier", stem(data)))
}

/// Columns of numbers and text, which may hold a slip.
fn mixed(classifier: &Classifier, table: &Table) -> Vec<String> {
    let specs = classifier.schema().columns().iter();
    let guessed = specs.filter(|spec| spec.inferred && spec.kind == Some(FeatureKind::Categorical));
    let columns = guessed.filter_map(|spec| table.column(&spec.name));
    let mixed = columns.filter(|column| column.kind() == ColumnKind::Mixed);
    mixed
        .map(|column| {
            format!(
                "`{}` holds numbers and, in {} of its first {} rows, text: it is taken as categorical",
                column.name(),
                column.n_text(),
                column.len()
            )
        })
        .collect()
}

/// Guessed categories of which hardly any occurs twice: names or numbers of rows.
fn many_levels(classifier: &Classifier) -> Vec<String> {
    let weight = classifier.model().total_weight();
    let features = classifier.model().features().into_iter();
    let guessed = |name: &str| classifier.schema().column(name).is_some_and(|spec| spec.inferred);
    let many = features
        .filter(|feature| guessed(&feature.name) && feature.kind == naive_bayes::Kind::Categorical);
    let many = many.filter_map(|feature| Some((feature.labels?, feature.name)));
    many.filter(|(levels, _)| *levels > 20 && *levels as f64 > 0.5 * weight)
        .map(|(levels, name)| {
            format!("`{name}` has {levels} different values: if it names rows, leave it out with --kind {name}=ignore")
        })
        .collect()
}
