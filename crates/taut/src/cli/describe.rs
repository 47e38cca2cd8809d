//! `taut data describe`.

use datasets::{ColumnSummary, Description, describe};

use super::args::DescribeArgs;
use super::failure::Failure;
use super::output::write_json;
use super::table::read;

pub(crate) fn run(args: &DescribeArgs) -> Result<(), Failure> {
    let description = describe(&read(&args.file)?);
    print(&description);
    match &args.report {
        Some(path) => write_json(path, &description),
        None => Ok(()),
    }
}

fn print(description: &Description) {
    println!(
        "{}: {} rows, {} columns; {} rows repeat an earlier one, {} have a missing or infinite cell",
        description.file,
        description.rows,
        description.columns.len(),
        description.duplicate_rows,
        description.incomplete_rows
    );
    let width = description.columns.iter().map(|c| c.name.chars().count()).max().unwrap_or(0).max(6);
    println!(
        "{:<width$} {:>8} {:>8} {:>8} {:>12} {:>12} {:>12} {:>12}",
        "column", "missing", "text", "distinct", "min", "mean", "max", "sd"
    );
    description.columns.iter().for_each(|column| println!("{}", line(column, width)));
}

fn line(column: &ColumnSummary, width: usize) -> String {
    let number = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.6}"));
    let constant = if column.constant { "  constant" } else { "" };
    format!(
        "{:<width$} {:>8} {:>8} {:>8} {:>12} {:>12} {:>12} {:>12}{constant}",
        column.name,
        column.missing,
        column.text,
        column.distinct,
        number(column.min),
        number(column.mean),
        number(column.max),
        number(column.sd)
    )
}
