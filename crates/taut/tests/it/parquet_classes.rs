//! `taut classify` on Parquet: what it says and writes is what it does of the same table as CSV.

use std::sync::Arc;

use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

use crate::classifying::rows;
use crate::support::Place;

const SCHEMA: &str = "message m { optional double size; optional boolean spots; \
                      optional binary colour (UTF8); optional binary kind (UTF8); }";

/// Writes the cells that are there with the level of each.
macro_rules! column {
    ($writer:expr, $cells:expr) => {{
        let cells: Vec<Option<_>> = $cells;
        let levels: Vec<i16> = cells.iter().map(|cell| i16::from(cell.is_some())).collect();
        let values: Vec<_> = cells.into_iter().flatten().collect();
        $writer.write_batch(&values, Some(&levels), None).unwrap();
    }};
}

/// The CSV of [`rows`] as Parquet, in row groups of 70.
fn as_parquet(csv: &str) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(SCHEMA).unwrap());
    let properties = Arc::new(WriterProperties::builder().build());
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, properties).unwrap();
    let cells: Vec<Vec<&str>> = csv.lines().skip(1).map(|line| line.split(',').collect()).collect();
    for group in cells.chunks(70) {
        let mut of_group = writer.next_row_group().unwrap();
        for at in 0..4 {
            let text = || group.iter().map(|row| Some(row[at]).filter(|cell| !cell.is_empty()));
            let mut column = of_group.next_column().unwrap().unwrap();
            match column.untyped() {
                ColumnWriter::DoubleColumnWriter(w) => {
                    column!(w, text().map(|c| c.map(|c| c.parse::<f64>().unwrap())).collect());
                }
                ColumnWriter::BoolColumnWriter(w) => {
                    column!(w, text().map(|c| c.map(|c| c == "1")).collect());
                }
                ColumnWriter::ByteArrayColumnWriter(w) => {
                    column!(w, text().map(|c| c.map(ByteArray::from)).collect());
                }
                _ => panic!("a column of another type"),
            }
            column.close().unwrap();
        }
        of_group.close().unwrap();
    }
    writer.close().unwrap();
    bytes
}

/// A report without what differs between any two runs.
fn report(place: &Place, name: &str) -> serde_json::Value {
    let mut report = place.json(name);
    for key in ["seconds", "peak_rss_bytes"] {
        report.as_object_mut().unwrap().remove(key);
    }
    report
}

#[test]
fn fitting_predicting_and_judging_equal_those_of_csv() {
    let place = Place::new();
    for (name, range) in [("t", 0..300), ("new", 300..500)] {
        let csv = rows(range);
        place.write(&format!("{name}.csv"), &csv);
        std::fs::write(place.path(&format!("{name}.parquet")), as_parquet(&csv)).unwrap();
    }
    for form in ["csv", "parquet"] {
        let fit = format!("classify fit t.{form} --target kind --out {form}.m --report {form}.f");
        let out = place.taut(&fit).ok().out;
        assert!(out.contains("300 rows learned"), "{out}");
        let run = |rest: &str| place.taut(&format!("classify {rest}")).ok().out;
        run(&format!("predict {form}.m new.{form} --out {form}.p"));
        run(&format!("evaluate {form}.m new.{form} --report {form}.e"));
        run(&format!("update {form}.m new.{form} --out {form}.u"));
        assert!(run(&format!("explain {form}.m new.{form} --rows 1,199")).contains("row 199:"));
    }
    // Bit for bit: models, those updated, predictions; reports but for the time they took.
    for output in ["m", "u", "p"] {
        let of = |form: &str| place.read(&format!("{form}.{output}"));
        assert_eq!(of("parquet"), of("csv"), "{output}");
    }
    assert_eq!(place.read("csv.p").lines().count(), 201);
    for output in ["f", "e"] {
        let of = |form: &str| report(&place, &format!("{form}.{output}"));
        assert_eq!(of("parquet"), of("csv"), "{output}");
    }
    // A model does not know where its rows came from.
    let mixed = place.taut("classify predict csv.m new.parquet").ok().out;
    assert_eq!(mixed, place.read("csv.p"));
}
