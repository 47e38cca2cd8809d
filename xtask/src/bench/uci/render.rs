//! The runs as tables in Markdown: means over splits, with their standard deviations.

use std::fmt::Write;

use serde_json::Value;

use super::maker::told;
use super::plan::Scale;

/// A column: its head, the key of a run, decimals, and what a unit of the column is in the key's.
struct Column(&'static str, &'static str, usize, f64);

const COLUMNS: [Column; 9] = [
    Column("RMSE", "rmse", 4, 1.0),
    Column("NLPD", "nlpd", 3, 1.0),
    Column("lower", "lower", 1, 1.0),
    Column("own LML", "own", 1, 1.0),
    Column("upper", "upper", 1, 1.0),
    Column("exact on subset", "exact_on_subset", 1, 1.0),
    Column("CG steps a call", "cg_steps_per_call", 1, 1.0),
    Column("train s", "train_seconds", 1, 1.0),
    Column("peak MB", "peak_rss_bytes", 0, 1_048_576.0),
];

/// What the runs of this scale say, set by set, under who made them.
pub(super) fn markdown(lines: &[Value], scale: &Scale) -> String {
    let (mut shown, mut tables) = (Vec::new(), String::new());
    for set in &scale.sets {
        let rows = |name: &str| -> Vec<&Value> {
            let of = |line: &&Value| {
                line["set"] == set.name
                    && line["method"] == name
                    && line["time_limit"] == scale.seconds
            };
            lines.iter().filter(of).collect()
        };
        let methods = scale.methods();
        let found: Vec<(&str, Vec<&Value>)> =
            methods.iter().map(|method| (method.name.as_str(), rows(&method.name))).collect();
        let found: Vec<_> = found.into_iter().filter(|(_, rows)| !rows.is_empty()).collect();
        shown.extend(found.iter().flat_map(|(_, rows)| rows).copied());
        if !found.is_empty() {
            tables += &table(set.name, &found);
        }
    }
    heading(scale, &shown) + &tables
}

fn heading(scale: &Scale, shown: &[&Value]) -> String {
    format!(
        "Made by `cargo xtask bench {}` at commit {}, on {}.\n\nTwo thirds of the rows train, {} s of training at most; in standardised units, mean ± standard deviation \
         over splits. Lower and upper are proven for the exact LML at the hyperparameters found; own LML is what the method maximised or estimates \
         (± its standard error); the exact LML on a subset is that of the hyperparameters found, on {} rows that are the same for all \
         and standardised by themselves. `exact-{}` trains on as many rows and is tested on all others.\n",
        scale.table(),
        told(shown, "commit"),
        told(shown, "machine"),
        scale.seconds,
        scale.subset,
        scale.subset,
    )
}

fn table(set: &str, found: &[(&str, Vec<&Value>)]) -> String {
    let mut text = format!("\n### {set}\n\n");
    let whole = found.iter().filter(|(name, _)| !name.starts_with("exact"));
    let first = whole.flat_map(|(_, rows)| rows).next();
    if let Some(row) = first {
        let _ = writeln!(text, "{} rows to train, {} inputs.", row["n"], row["d"]);
    }
    if set == "keggundirected" {
        text +=
            "71 % of its rows repeat another: a random split tests on rows it has trained on.\n";
    }
    let heads: Vec<&str> = COLUMNS.iter().map(|column| column.0).collect();
    let _ = writeln!(text, "\n| method | {} | own LML is | splits |", heads.join(" | "));
    let _ = writeln!(text, "|{}", "---|".repeat(heads.len() + 3));
    for (name, rows) in found {
        let cells: Vec<String> = COLUMNS.iter().map(|column| cell(column, rows)).collect();
        let _ = writeln!(
            text,
            "| {name} | {} | {} | {} |",
            cells.join(" | "),
            claims(rows),
            rows.len()
        );
    }
    text
}

fn cell(column: &Column, rows: &[&Value]) -> String {
    let Column(_, key, digits, unit) = column;
    let values: Vec<f64> =
        rows.iter().filter_map(|row| row[*key].as_f64()).map(|value| value / unit).collect();
    let text = spread(&values, *digits);
    let error = rows.iter().find_map(|row| row["standard_error"].as_f64());
    match error {
        Some(error) if *key == "own" => format!("{text} (± {error:.1})"),
        _ => text,
    }
}

/// Mean ± standard deviation; the value alone where there is one.
fn spread(values: &[f64], digits: usize) -> String {
    let n = values.len() as f64;
    if values.is_empty() {
        return "–".to_owned();
    }
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    match values.len() {
        1 => format!("{mean:.digits$}"),
        _ => format!("{mean:.digits$} ± {:.digits$}", (squares / (n - 1.0)).sqrt()),
    }
}

/// What is said of the own value, each thing once.
fn claims(rows: &[&Value]) -> String {
    let mut said: Vec<&str> = rows.iter().filter_map(|row| row["own_is"].as_str()).collect();
    said.sort_unstable();
    said.dedup();
    said.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn means_come_with_deviations_over_splits() {
        assert_eq!(spread(&[1.0, 3.0], 1), "2.0 ± 1.4");
        assert_eq!((spread(&[2.5], 2), spread(&[], 2)), ("2.50".to_owned(), "–".to_owned()));
    }

    #[test]
    fn a_set_is_a_table_with_a_row_for_each_method() {
        let words = ["--quick".to_owned()];
        let options = super::super::options::Options::parse(&words).expect("known");
        let scale = Scale::of(&options);
        let line = |split: usize, rmse: f64| {
            json!({"set": "friedman1", "method": "iterative", "split": split, "time_limit": 10.0,
                   "rmse": rmse, "own": -5.0, "standard_error": 0.25, "n": 600, "d": 5,
                   "own_is": "estimate inside the bracket", "peak_rss_bytes": 3 << 20,
                   "commit": if split == 0 { Value::Null } else { json!("abc") }, "machine": "m"})
        };
        let other = json!({"set": "friedman1", "method": "iterative", "time_limit": 99.0,
                           "commit": "another"});
        let text = markdown(&[line(0, 0.5), line(1, 0.7), other], &scale);
        let made = "Made by `cargo xtask bench uci --quick` at commit abc; unknown, on m.\n";
        assert!(text.starts_with(made), "{text}");
        assert!(text.contains("### friedman1") && !text.contains("### earthquakes"), "{text}");
        let row = text.lines().find(|line| line.starts_with("| iterative |")).expect("a row");
        assert!(row.contains("0.6000 ± 0.1414") && row.contains("-5.0 ± 0.0 (± 0.2)"), "{row}");
        assert!(row.contains("| 3 ± 0 |") && row.ends_with("| estimate inside the bracket | 2 |"));
    }
}
