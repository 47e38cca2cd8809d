//! `taut classify evaluate`.

use std::time::Instant;

use naive_bayes::evaluation::{Calibration, Confusion};
use naive_bayes::{Batch, Label, NaiveBayesError, Predictor};
use ndarray::Array2;
use serde::Serialize;
use taut::{Classifier, fixed};

use super::args::EvaluateArgs;
use super::folds::Folds;
use super::options::{position, unlabelled};
use super::scores::Scores;
use super::thresholds::Ranked;
use crate::cli::chunks::{CHUNK, Pass, open};
use crate::cli::failure::Failure;
use crate::cli::machine;
use crate::cli::output::{check_places, print, write_json};

/// One JSON object, its keys fixed; what does not apply is null.
#[derive(Debug, Serialize)]
struct Report {
    n: u64,
    /// Rows left out because they have no class.
    skipped: usize,
    classes: Vec<Label>,
    /// Rows actual, columns predicted.
    confusion: Confusion,
    accuracy: f64,
    /// In nats; null when infinite.
    log_loss: f64,
    brier: f64,
    mcc: Option<f64>,
    per_class: Vec<ClassRow>,
    positive: Option<Label>,
    #[serde(flatten)]
    ranked: Ranked,
    calibration: Calibration,
    /// Of the model: the log marginal likelihood of what it has learned.
    log_evidence: Option<f64>,
    k_fold: Option<usize>,
    seconds: f64,
    peak_rss_bytes: Option<u64>,
    warnings: Vec<String>,
}

#[derive(Debug, Serialize)]
struct ClassRow {
    class: Label,
    precision: Option<f64>,
    recall: Option<f64>,
    f1: Option<f64>,
}

pub(super) fn run(args: &EvaluateArgs) -> Result<(), Failure> {
    let began = Instant::now();
    machine::use_threads(args.common.threads)?;
    check_places(&[&args.model, &args.data], &[args.report.as_deref()])?;
    let mut classifier = Classifier::load(&args.model)?;
    classifier.set_options(args.predicting.applied_to(classifier.options())?);
    let report = report(args, &classifier, began)?;
    if let Some(path) = &args.report {
        write_json(path, &report)?;
    }
    print(&lines(&report))
}

fn report(args: &EvaluateArgs, classifier: &Classifier, began: Instant) -> Result<Report, Failure> {
    let mut pass = Pass::new(args.common.quiet)?;
    let (scores, skipped) = scored(args, classifier, &mut pass)?;
    if scores.n() == 0 {
        let (file, label) = (args.data.display().to_string(), classifier.schema().label().into());
        return Err(taut::ClassifyError::NoLabels { file, label }.into());
    }
    let (classes, confusion) = scores.confusion()?;
    let ranking = scores.ranking()?;
    let ranked = ranking.as_ref().map(|(positive, ranking)| {
        let first = classes.len() == 2 && *positive == classes[0];
        Ranked::new(ranking, first, args.thresholds)
    });
    // Of what the model has learned, which parts are judged without.
    let evidence = args.k_fold.is_none().then(|| classifier.evidence()).transpose()?;
    Ok(Report {
        n: scores.n(),
        skipped,
        accuracy: confusion.accuracy(),
        log_loss: scores.log_loss(),
        brier: scores.brier(),
        mcc: confusion.mcc(),
        per_class: classes.iter().enumerate().map(|row| class_row(&confusion, row)).collect(),
        positive: ranking.map(|(positive, _)| positive),
        ranked: ranked.unwrap_or_default(),
        calibration: scores.calibration(args.bins)?,
        log_evidence: evidence.map(|evidence| evidence.total()),
        k_fold: args.k_fold,
        seconds: began.elapsed().as_secs_f64(),
        peak_rss_bytes: machine::peak_rss_bytes(),
        warnings: warnings(&scores, skipped),
        classes,
        confusion,
    })
}

fn class_row(confusion: &Confusion, (at, class): (usize, &Label)) -> ClassRow {
    ClassRow {
        class: class.clone(),
        precision: confusion.precision(at),
        recall: confusion.recall(at),
        f1: confusion.f1(at),
    }
}

/// Scores of all rows with a class, and the number of rows without.
fn scored(
    args: &EvaluateArgs,
    classifier: &Classifier,
    pass: &mut Pass,
) -> Result<(Scores, usize), Failure> {
    let mut judge = match args.k_fold {
        Some(k) => Judge::Folds(Folds::learn(args, k, classifier, pass)?),
        None => Judge::Whole(classifier.predictor()?),
    };
    let classes = judge.classes().to_vec();
    let mut scores = Scores::new(&classes, ranked_class(args, &classes)?);
    let policy = unlabelled(args.skip_unlabelled);
    // Rows are judged one by one, whatever they weighed when learned.
    let classifier = &classifier.emptied().unweighted();
    let mut skipped = 0;
    pass.each(open(&args.data, CHUNK)?, "judged", |chunk| {
        let table = &chunk.table;
        let rows = classifier.labelled(table)?;
        skipped += classifier.count_unlabelled(table, &rows, policy)?;
        let log = judge.log_proba(&rows.batch);
        let log = log.map_err(|error| classifier.located(table, error))?;
        for (row, log) in log.rows().into_iter().enumerate() {
            if let Some(label) = rows.classes.label(row) {
                scores.add(label, log);
            }
        }
        Ok(true)
    })?;
    Ok((scores, skipped))
}

/// What predicts the rows that are judged.
enum Judge {
    /// The model.
    Whole(Predictor),
    /// Models of the other parts.
    Folds(Folds),
}

impl Judge {
    fn classes(&self) -> &[Label] {
        match self {
            Self::Whole(predictor) => predictor.classes(),
            Self::Folds(folds) => folds.classes(),
        }
    }

    /// log p(c | x) `[T, C]` of the next rows.
    fn log_proba(&mut self, batch: &Batch<'_>) -> Result<Array2<f64>, NaiveBayesError> {
        match self {
            Self::Whole(predictor) => predictor.log_proba(batch),
            Self::Folds(folds) => folds.log_proba(batch),
        }
    }
}

/// The class asked for, else the second of two.
fn ranked_class(args: &EvaluateArgs, classes: &[Label]) -> Result<Option<usize>, Failure> {
    match &args.positive {
        Some(class) => position(classes, class, "--positive").map(Some),
        None => Ok((classes.len() == 2).then_some(1)),
    }
}

fn warnings(scores: &Scores, skipped: usize) -> Vec<String> {
    let mut warnings = Vec::new();
    if skipped > 0 {
        warnings.push(format!("{skipped} rows have no class and were left out"));
    }
    match (scores.unknown_rows(), scores.log_loss().is_finite()) {
        (0, true) => {}
        (0, false) => warnings.push(
            "the log loss is infinite: a class that occurs had probability 0; use --smoothing above 0"
                .to_owned(),
        ),
        (rows, _) => warnings.push(format!(
            "{rows} rows have a class that the model has not seen: the log loss is infinite"
        )),
    }
    warnings
}

fn lines(report: &Report) -> Vec<String> {
    let mut lines = vec![format!(
        "{} rows, {} classes: accuracy {}, log loss {}, Brier score {}",
        report.n,
        report.classes.len(),
        fixed(report.accuracy, 6),
        fixed(report.log_loss, 6),
        fixed(report.brier, 6)
    )];
    lines.extend(confusion_lines(report));
    lines.extend(ranking_lines(report));
    let bins = report.calibration.bins.iter().filter(|bin| bin.n > 0);
    lines.push(format!("  calibration, expected error {}:", fixed(report.calibration.ece, 4)));
    lines.extend(bins.map(|bin| {
        let share = |part: Option<f64>| part.map_or("-".to_owned(), |part| fixed(part, 4));
        format!(
            "    said {:.2} to {:.2}: {:>8} rows, mean {:>7}, came true {:>7}",
            bin.low,
            bin.high,
            bin.n,
            share(bin.mean_score),
            share(bin.fraction_positive)
        )
    }));
    lines.extend(
        report
            .log_evidence
            .map(|value| format!("  log evidence of the model {} nats", fixed(value, 4))),
    );
    lines.extend(report.warnings.iter().map(|warning| format!("  warning: {warning}")));
    lines
}

/// Most classes whose matrix is printed.
const MOST_CLASSES: usize = 12;

fn confusion_lines(report: &Report) -> Vec<String> {
    if report.classes.len() > MOST_CLASSES {
        return vec!["  (too many classes for a matrix here: see --report)".to_owned()];
    }
    let names: Vec<String> = report.classes.iter().map(short).collect();
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(8);
    let line = |name: &str, cells: Vec<String>| {
        let cells: String = cells.iter().map(|cell| format!(" {cell:>width$}")).collect();
        format!("  {name:<width$} {cells}")
    };
    let rows = names.iter().zip(report.confusion.matrix());
    let rows = rows.map(|(name, row)| line(name, row.iter().map(u64::to_string).collect()));
    let header = format!("  rows actual, columns predicted\n{}", line("", names.clone()));
    header.split('\n').map(str::to_owned).chain(rows).collect()
}

/// A class in at most 20 characters, on one line.
fn short(class: &Label) -> String {
    class.to_string().chars().take(20).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn ranking_lines(report: &Report) -> Vec<String> {
    let (Some(positive), ranked) = (&report.positive, &report.ranked) else { return Vec::new() };
    let number = |value: Option<f64>| value.map_or("-".to_owned(), |value| fixed(value, 6));
    let mut lines = vec![format!(
        "  `{}` before others: AUC {}, average precision {}",
        short(positive),
        number(ranked.auc),
        number(ranked.average_precision)
    )];
    lines.extend(ranked.no_false_negative.map(|safe| {
        let first = report.classes.len() == 2 && *positive == report.classes[0];
        let [rest, other] = safe.confusion;
        let (called, right) = if first { (other[0], other[1]) } else { (rest[1], rest[0]) };
        format!(
            "  none missed with log odds above {:.6} (probability {:.3e}): then {called} of {} others are called `{}`",
            safe.threshold,
            safe.probability,
            called + right,
            short(positive)
        )
    }));
    lines
}
