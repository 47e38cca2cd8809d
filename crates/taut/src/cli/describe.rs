//! `taut data describe`.

use datasets::{ColumnSummary, Description, describe};

use taut::fixed;

use super::args::DescribeArgs;
use super::failure::Failure;
use super::output::{check_places, print, write_json};
use super::table::read;

pub(crate) fn run(args: &DescribeArgs) -> Result<(), Failure> {
    check_places(&[&args.file], &[args.report.as_deref()])?;
    let description = describe(&read(&args.file)?);
    if let Some(path) = &args.report {
        write_json(path, &description)?;
    }
    print(&lines(&description))
}

fn lines(description: &Description) -> Vec<String> {
    let first = format!(
        "{}: {} rows, {} columns; {} rows repeat an earlier one, {} have a missing or infinite cell",
        description.file,
        description.rows,
        description.columns.len(),
        description.duplicate_rows,
        description.incomplete_rows
    );
    let width =
        description.columns.iter().map(|c| c.name.chars().count()).max().unwrap_or(0).max(6);
    let header = format!(
        "{:<width$} {:>8} {:>8} {:>8} {:>12} {:>12} {:>12} {:>12}",
        "column", "missing", "text", "distinct", "min", "mean", "max", "sd"
    );
    let columns = description.columns.iter().map(|column| line(column, width));
    [first, header].into_iter().chain(columns).collect()
}

fn line(column: &ColumnSummary, width: usize) -> String {
    let number = |value: Option<f64>| value.map_or("-".to_owned(), |value| fixed(value, 6));
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
