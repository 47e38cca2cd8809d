//! `taut classify explain`.

use datasets::Table;
use naive_bayes::{Explanation, Label, Predictor, first_largest};
use serde::Serialize;
use taut::Classifier;

use super::args::ExplainArgs;
use super::options::position;
use crate::cli::chunks::{CHUNK, Pass, open};
use crate::cli::failure::Failure;
use crate::cli::machine;
use crate::cli::output::{check_places, print, write_json};

/// A row of the report; numbers that are infinite, or undefined because neither class is possible, are null.
#[derive(Debug, Serialize)]
struct Row {
    row: u64,
    predicted: Label,
    class: Label,
    against: Label,
    /// log p(class | x) − log p(against | x): the prior and all contributions together.
    log_odds: f64,
    probability: f64,
    prior_log_odds: f64,
    /// The largest first.
    contributions: Vec<Part>,
}

#[derive(Debug, Serialize)]
struct Part {
    feature: String,
    value: Option<String>,
    log_odds: f64,
}

pub(super) fn run(args: &ExplainArgs) -> Result<(), Failure> {
    machine::use_threads(args.common.threads)?;
    check_places(&[&args.model, &args.data], &[args.report.as_deref()])?;
    let wanted = row_ranges(&args.rows)?;
    let mut classifier = Classifier::load(&args.model)?;
    classifier.set_options(args.predicting.applied_to(classifier.options())?);
    let predictor = classifier.predictor()?;
    let rows = explained(args, &classifier, &predictor, &wanted)?;
    if rows.is_empty() {
        return Err(Failure::usage(
            format!("`{}` has no row {}", args.data.display(), args.rows),
            "choose other --rows",
        ));
    }
    if let Some(path) = &args.report {
        write_json(path, &rows)?;
    }
    print(&rows.iter().flat_map(|row| lines(row, args.top)).collect::<Vec<_>>())
}

fn explained(
    args: &ExplainArgs,
    classifier: &Classifier,
    predictor: &Predictor,
    wanted: &[(u64, u64)],
) -> Result<Vec<Row>, Failure> {
    let last = wanted.iter().map(|(_, last)| *last).max().unwrap_or(0);
    let mut rows = Vec::new();
    Pass::new(args.common.quiet)?.each(open(&args.data, CHUNK)?, "read", |chunk| {
        let table = &chunk.table;
        let chosen = (0..table.n_rows()).filter(|&row| {
            let number = table.row_number(row);
            wanted.iter().any(|(first, last)| (*first..=*last).contains(&number))
        });
        let chosen: Vec<usize> = chosen.collect();
        if !chosen.is_empty() {
            let batch = classifier.batch(table)?;
            for row in chosen {
                let found = predictor.explain(&batch, row);
                let found = found.map_err(|error| classifier.located(table, error))?;
                rows.push(explained_row(args, table, row, &found)?);
            }
        }
        Ok(table.row_number(table.n_rows().saturating_sub(1)) < last)
    })?;
    Ok(rows)
}

fn explained_row(
    args: &ExplainArgs,
    table: &Table,
    row: usize,
    found: &Explanation,
) -> Result<Row, Failure> {
    let (class, against) = sides(args, found)?;
    let mut contributions: Vec<Part> = found
        .contributions
        .iter()
        .map(|part| Part {
            feature: part.feature.clone(),
            value: table.column(&part.feature).map(|column| column.cell(row).text().into_owned()),
            log_odds: part.log_odds(class, against),
        })
        .collect();
    contributions.sort_by(|a, b| b.log_odds.abs().total_cmp(&a.log_odds.abs()));
    Ok(Row {
        row: table.row_number(row),
        predicted: found.classes[first_largest(&found.log_proba)].clone(),
        class: found.classes[class].clone(),
        against: found.classes[against].clone(),
        log_odds: found.log_proba[class] - found.log_proba[against],
        probability: found.log_proba[class].exp(),
        prior_log_odds: found.log_prior[class] - found.log_prior[against],
        contributions,
    })
}

/// The classes to speak for and against.
fn sides(args: &ExplainArgs, found: &Explanation) -> Result<(usize, usize), Failure> {
    let classes = &found.classes;
    if classes.len() < 2 {
        return Err(Failure::new(
            format!("the model has one class only, `{}`, and log odds are between two", classes[0]),
            "add rows of another class with taut classify update",
        ));
    }
    let asked = |text: &Option<String>, option| {
        text.as_ref().map(|text| position(classes, text, option)).transpose()
    };
    let against = asked(&args.against, "--against")?;
    let best_but = |other: Option<usize>| {
        let value = |class: usize| found.log_proba[class];
        let rest = (0..classes.len()).filter(|class| Some(*class) != other);
        rest.reduce(|best, class| if value(class) > value(best) { class } else { best })
            .unwrap_or(0)
    };
    let class = match asked(&args.class, "--class")? {
        Some(class) => class,
        None if classes.len() == 2 => against.map_or(1, |against| 1 - against),
        None => best_but(against),
    };
    let against = against.unwrap_or_else(|| best_but(Some(class)));
    if class == against {
        return Err(Failure::usage(
            format!("`{}` is named for and against", classes[class]),
            "name two different classes",
        ));
    }
    Ok((class, against))
}

/// Reads `3,10-12`.
fn row_ranges(text: &str) -> Result<Vec<(u64, u64)>, Failure> {
    let number = |text: &str| text.trim().parse::<u64>().ok().filter(|number| *number > 0);
    let range = |part: &str| match part.split_once('-') {
        Some((first, last)) => Some((number(first)?, number(last)?)).filter(|(a, b)| a <= b),
        None => number(part).map(|row| (row, row)),
    };
    text.split(',').map(range).collect::<Option<_>>().ok_or_else(|| {
        Failure::usage(
            format!("--rows {text} is not a list of rows"),
            "give numbers from 1 and ranges of them, such as 3,10-12",
        )
    })
}

fn lines(row: &Row, top: usize) -> Vec<String> {
    let (class, against) = (&row.class, &row.against);
    let odds = match row.log_odds.is_nan() {
        true => format!("no odds of {class} against {against}, neither is possible"),
        false => format!(
            "log odds of {class} against {against}: {:+.4} (probability {:.4})",
            row.log_odds, row.probability
        ),
    };
    let mut lines = vec![format!("row {}: predicted {}; {odds}", row.row, row.predicted)];
    lines.push(format!("  {}  prior", nats(row.prior_log_odds)));
    lines.extend(row.contributions.iter().take(top).map(|part| {
        let value = part.value.as_ref().map_or(String::new(), |value| format!(" = {value}"));
        format!("  {}  {}{value}", nats(part.log_odds), part.feature)
    }));
    if let Some(rest) = row.contributions.get(top..).filter(|rest| !rest.is_empty()) {
        let sum: f64 = rest.iter().map(|part| part.log_odds).sum();
        lines.push(format!("  {}  {} more", nats(sum), rest.len()));
    }
    lines.into_iter().map(|line| line.replace(['\n', '\r'], " ")).collect()
}

/// Log odds; those between two impossible classes, or of ∞ with −∞, are none.
fn nats(odds: f64) -> String {
    if odds.is_nan() { format!("{:>12}", "undefined") } else { format!("{odds:+12.4}") }
}

#[cfg(test)]
mod tests {
    use super::row_ranges;

    #[test]
    fn rows_are_listed() {
        assert_eq!(row_ranges("3, 10-12").ok(), Some(vec![(3, 3), (10, 12)]));
        for bad in ["", "0", "5-3", "a", "1-", "1,,2"] {
            assert!(row_ranges(bad).is_err(), "{bad}");
        }
    }
}
