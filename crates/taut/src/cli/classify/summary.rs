//! What is said and written once a model has been made.

use std::path::Path;
use std::time::Instant;

use naive_bayes::{Evidence, FeatureEvidence, FeatureSummary, Kind, Label, Options};
use serde::Serialize;
use taut::{Classifier, ColumnSpec, FeatureKind, bytes_text, fixed};

use crate::cli::failure::Failure;
use crate::cli::machine;
use crate::cli::output::{print, write_json};

/// Most features listed for a person.
const MOST_LISTED: usize = 30;

/// How a model came about.
pub(super) struct Learned {
    /// Such as "12 rows learned".
    pub(super) told: String,
    pub(super) rows: u64,
    /// Rows without a class.
    pub(super) skipped: usize,
    pub(super) notes: Vec<String>,
}

/// One JSON object, its keys fixed.
#[derive(Debug, Serialize)]
struct Report {
    /// Rows read; of merged models, which tell no rows, the weight of all, rounded.
    n: u64,
    /// Rows left out because they have no class.
    skipped: usize,
    label: String,
    weights: Option<String>,
    /// Weight of all rows the model knows.
    total_weight: f64,
    classes: Vec<ClassRow>,
    columns: Vec<ColumnSpec>,
    features: Vec<FeatureRow>,
    options: Options,
    log_evidence: f64,
    seconds: f64,
    peak_rss_bytes: Option<u64>,
    warnings: Vec<String>,
}

#[derive(Debug, Serialize)]
struct ClassRow {
    class: Label,
    weight: f64,
}

/// A feature as the model has it: a column, or one of the tags of a column, or a block.
#[derive(Debug, Serialize)]
struct FeatureRow {
    name: String,
    kind: Kind,
    levels: Option<usize>,
    /// In nats; positive when the classes help to explain the feature.
    log_bayes_factor: Option<f64>,
}

/// Saves the model, writes the report and prints the summary.
pub(super) fn finish(
    classifier: &Classifier,
    learned: Learned,
    out: &Path,
    report: Option<&Path>,
    began: Instant,
) -> Result<(), Failure> {
    // Options that do not fit the classes are refused before anything is written.
    classifier.predictor()?;
    let evidence = classifier.evidence()?;
    let size = classifier.save(out)?;
    let report_of = made(classifier, learned, &evidence, began);
    if let Some(path) = report {
        write_json(path, &report_of.1)?;
    }
    let mut lines = lines(&report_of.0, &report_of.1);
    lines.push(format!("  model: {} ({})", out.display(), bytes_text(size)));
    print(&lines)
}

fn made(
    classifier: &Classifier,
    learned: Learned,
    evidence: &Evidence,
    began: Instant,
) -> (String, Report) {
    let (model, schema) = (classifier.model(), classifier.schema());
    let Learned { told, rows, skipped, mut notes } = learned;
    let classes: Vec<ClassRow> = model
        .classes()
        .into_iter()
        .map(|(class, weight)| ClassRow { class: class.clone(), weight })
        .collect();
    let features: Vec<FeatureRow> =
        model.features().into_iter().map(|feature| feature_row(feature, evidence)).collect();
    notes.extend(warnings(&classes, &features, skipped));
    let report = Report {
        n: rows,
        skipped,
        label: schema.label().to_owned(),
        weights: schema.weight_column().map(str::to_owned),
        total_weight: model.total_weight(),
        classes,
        columns: schema.columns().to_vec(),
        features,
        options: classifier.options().clone(),
        log_evidence: evidence.total(),
        seconds: began.elapsed().as_secs_f64(),
        peak_rss_bytes: machine::peak_rss_bytes(),
        warnings: notes,
    };
    (told, report)
}

fn feature_row(feature: FeatureSummary, evidence: &Evidence) -> FeatureRow {
    let FeatureSummary { name, kind, labels, .. } = feature;
    let log_bayes_factor = evidence.feature(&name).map(FeatureEvidence::log_bayes_factor);
    FeatureRow { name, kind, levels: labels, log_bayes_factor }
}

fn warnings(classes: &[ClassRow], features: &[FeatureRow], skipped: usize) -> Vec<String> {
    let mut warnings = Vec::new();
    if skipped > 0 {
        warnings.push(format!("{skipped} rows have no class and were left out"));
    }
    if let [only] = classes {
        warnings
            .push(format!("there is one class only: every prediction will be `{}`", only.class));
    }
    if features.is_empty() {
        warnings.push("no column is left as a feature: predictions are the prior".to_owned());
    }
    warnings
}

fn lines(told: &str, report: &Report) -> Vec<String> {
    let mut lines = vec![format!(
        "naive Bayes: {told}, {} classes of `{}`, {} features from {} columns",
        report.classes.len(),
        report.label,
        report.features.len(),
        report.columns.iter().filter(|spec| is_used(spec)).count()
    )];
    lines.extend(report.classes.iter().take(MOST_LISTED).map(|row| {
        let share = 100.0 * row.weight / report.total_weight;
        format!("  class {}: weight {}, {share:.1} %", row.class, fixed(row.weight, 4))
    }));
    lines.extend(report.columns.iter().take(MOST_LISTED).map(column_line));
    lines.extend(strongest(report));
    lines.push(format!("  log evidence {} nats", fixed(report.log_evidence, 4)));
    lines.extend(report.warnings.iter().map(|warning| format!("  warning: {warning}")));
    lines
}

fn is_used(spec: &ColumnSpec) -> bool {
    spec.kind.as_ref().is_some_and(|kind| *kind != FeatureKind::Ignore)
}

fn column_line(spec: &ColumnSpec) -> String {
    match (&spec.kind, spec.inferred) {
        (None, _) => format!("  column {}: no cell yet, not used", spec.name),
        (Some(kind), true) => format!("  column {}: {kind} (inferred)", spec.name),
        (Some(kind), false) => format!("  column {}: {kind}", spec.name),
    }
}

/// The features that the classes explain best.
fn strongest(report: &Report) -> Option<String> {
    let mut factors: Vec<(&str, f64)> = report
        .features
        .iter()
        .filter_map(|feature| Some((feature.name.as_str(), feature.log_bayes_factor?)))
        .collect();
    factors.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let shown: Vec<String> =
        factors.iter().take(5).map(|(name, factor)| format!("{name} {factor:+.1}")).collect();
    (!shown.is_empty()).then(|| format!("  log Bayes factors, nats: {}", shown.join(", ")))
}
