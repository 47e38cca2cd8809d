//! Printing a table and keeping its rows.

use std::fs;

use serde_json::Value;

use crate::task::{self, Failure, TaskResult};

/// Prints `rows` under `columns` and writes them, one JSON object a line, to `target/taut-bench/NAME.jsonl`.
pub(super) fn publish(name: &str, columns: &[&str], rows: &[Value]) -> TaskResult {
    print!("{}", aligned(columns, rows));
    let folder = task::root().join("target/taut-bench");
    let path = folder.join(format!("{name}.jsonl"));
    let lines: String = rows.iter().map(|row| format!("{row}\n")).collect();
    fs::create_dir_all(&folder)
        .and_then(|()| fs::write(&path, lines))
        .map_err(|error| Failure::io(&path, &error))?;
    println!("{} rows in target/taut-bench/{name}.jsonl", rows.len());
    Ok(())
}

/// `rows` as text, every column as wide as its widest cell; numbers to the right.
fn aligned(columns: &[&str], rows: &[Value]) -> String {
    let widths: Vec<usize> = columns.iter().map(|column| width(column, rows)).collect();
    let head = columns.iter().zip(&widths).map(|(column, width)| format!("{column:<width$}"));
    let mut text = finished(head.collect());
    for row in rows {
        let cells = columns.iter().zip(&widths).map(|(column, width)| match &row[*column] {
            Value::String(words) => format!("{words:<width$}"),
            other => format!("{:>width$}", plain(other)),
        });
        text += &finished(cells.collect());
    }
    text
}

fn width(column: &str, rows: &[Value]) -> usize {
    let cells = rows.iter().map(|row| plain(&row[column]).chars().count());
    cells.chain([column.chars().count()]).max().unwrap_or(0)
}

fn finished(cells: Vec<String>) -> String {
    format!("{}\n", cells.join("  ").trim_end())
}

/// A value without quotes.
fn plain(value: &Value) -> String {
    match value {
        Value::String(words) => words.clone(),
        Value::Number(number) if number.is_f64() => fraction(number.as_f64().unwrap_or(f64::NAN)),
        other => other.to_string(),
    }
}

/// Four decimals, and none where they would only be noise.
fn fraction(number: f64) -> String {
    if number.abs() < 1e4 { format!("{number:.4}") } else { format!("{number:.0}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn columns_line_up() {
        let rows = [
            json!({"id": "a", "ns": 12.5}),
            json!({"id": "long", "ns": 3}),
            json!({"id": null, "ns": 1}),
        ];
        let text = aligned(&["id", "ns"], &rows);
        assert_eq!(text, "id    ns\na     12.5000\nlong        3\nnull        1\n");
    }
}
