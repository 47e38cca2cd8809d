//! What is in a CSV file? `cargo run -p datasets --example describe -- FILE` (`-` for standard input; without one, an embedded sample).
#![allow(clippy::print_stdout)]

use datasets::{CsvOptions, DataError, Source, describe, read_csv, samples};

fn main() -> Result<(), DataError> {
    let table = match std::env::args_os().nth(1) {
        Some(file) => read_csv(Source::argument(file), &CsvOptions::default())?,
        None => samples::find("earthquakes")?.table()?,
    };
    let description = describe(&table);
    println!(
        "{}: {} rows, {} repeated",
        description.file, description.rows, description.duplicate_rows
    );
    for column in &description.columns {
        let range = column
            .min
            .zip(column.max)
            .map_or(String::new(), |(min, max)| format!("{min} to {max}"));
        println!(
            "  {:<20} {:?}, {} missing, {} distinct  {range}",
            column.name, column.kind, column.missing, column.distinct
        );
    }
    Ok(())
}
