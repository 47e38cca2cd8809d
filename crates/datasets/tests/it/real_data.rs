//! Every table of a folder of public data sets, where `TAUT_DATA_DIR` names one.

use std::path::PathBuf;

use datasets::{Column, ColumnSummary, CsvOptions, Source, describe, read_csv};
use serde_json::Value;

fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("TAUT_DATA_DIR").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("skipped: TAUT_DATA_DIR is not set");
    }
    folder
}

/// The manifest rounds ranges of some columns.
fn close(found: Option<f64>, expected: &Value) -> bool {
    match (found, expected.as_f64()) {
        (Some(found), Some(expected)) => {
            (found - expected).abs() <= 1e-6 * expected.abs().max(1e-6)
        }
        (None, None) => true,
        _ => false,
    }
}

fn check_column(set: &str, column: &Column, summary: &ColumnSummary, listed: &Value) {
    let name = &listed["name"];
    assert_eq!(summary.name, name.as_str().unwrap(), "{set}");
    assert_eq!(
        column.n_missing() as u64,
        listed["missing"].as_u64().unwrap(),
        "{set} {name}: missing"
    );
    // The manifest counts texts as they stand: `0.00` and `-0.00` are two there, and so are `a` and `a `.
    let difference = listed["distinct"].as_u64().unwrap() - summary.distinct as u64;
    let allowed = if column.n_text() > 0 { 20 } else { 1 };
    assert!(difference <= allowed, "{set} {name}: {} distinct", summary.distinct);
    if matches!(listed["type"].as_str(), Some("float" | "integer")) {
        assert_eq!((column.n_text(), column.n_not_finite()), (0, 0), "{set} {name}: all numbers");
        assert!(
            close(summary.min, &listed["min"]) && close(summary.max, &listed["max"]),
            "{set} {name}: {summary:?} {listed}"
        );
    }
}

#[test]
fn every_set_of_the_manifest_reads_as_it_is_listed() {
    let Some(folder) = folder() else { return };
    let manifest: Value =
        serde_json::from_slice(&std::fs::read(folder.join("MANIFEST.json")).unwrap()).unwrap();
    for (set, listed) in manifest["datasets"].as_object().unwrap() {
        let tokens = listed["missing_tokens"].as_array().into_iter().flatten();
        let missing_tokens = tokens.map(|token| token.as_str().unwrap().to_owned()).collect();
        let options = CsvOptions { missing_tokens, ..CsvOptions::default() };
        let table = read_csv(Source::path(folder.join(listed["file"].as_str().unwrap())), &options)
            .unwrap();
        assert_eq!(table.n_rows() as u64, listed["rows"].as_u64().unwrap(), "{set}");
        let description = describe(&table);
        let more_duplicates =
            description.duplicate_rows as u64 - listed["duplicate_rows"].as_u64().unwrap();
        let has_text = table.columns().iter().any(|column| column.n_text() > 0);
        assert!(
            more_duplicates == 0 || has_text && more_duplicates < 20,
            "{set}: {more_duplicates} more duplicates"
        );
        let columns = listed["columns"].as_array().unwrap();
        assert_eq!(table.columns().len(), columns.len(), "{set}");
        for ((column, summary), listed) in
            table.columns().iter().zip(&description.columns).zip(columns)
        {
            check_column(set, column, summary, listed);
        }
    }
}
