//! Parquet files, written with the library that reads them.

use std::sync::Arc;

use ::parquet::basic::{Compression, ZstdLevel};
use ::parquet::column::writer::ColumnWriter;
use ::parquet::data_type::ByteArray;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::SerializedFileWriter;
use ::parquet::schema::parser::parse_message_type;
use datasets::{
    Cell, CsvOptions, DataError, Roles, Source, Table, TableChunks, design, read_table,
};
use proptest::prelude::*;

use crate::assert_error;

/// A column: for each row its value, if there is one.
enum Values {
    Double(Vec<Option<f64>>),
    Long(Vec<Option<i64>>),
    Int(Vec<Option<i32>>),
    Bool(Vec<Option<bool>>),
    Bytes(Vec<Option<Vec<u8>>>),
}

fn texts(cells: &[Option<&str>]) -> Values {
    Values::Bytes(cells.iter().map(|cell| cell.map(|text| text.as_bytes().to_vec())).collect())
}

macro_rules! write_cells {
    ($writer:expr, $cells:expr) => {{
        let levels: Vec<i16> = $cells.iter().map(|cell| i16::from(cell.is_some())).collect();
        let values: Vec<_> = $cells.iter().flatten().cloned().map(Into::into).collect();
        $writer.write_batch(&values, Some(&levels), None).unwrap();
    }};
}

/// Row groups of optional columns as a file.
fn file(schema: &str, groups: &[Vec<Values>], compression: Compression) -> Vec<u8> {
    let schema = Arc::new(parse_message_type(&format!("message m {{ {schema} }}")).unwrap());
    let properties = WriterProperties::builder().set_compression(compression).build();
    let mut bytes = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties)).unwrap();
    for group in groups {
        let mut group_writer = writer.next_row_group().unwrap();
        for values in group {
            let mut column = group_writer.next_column().unwrap().unwrap();
            match (column.untyped(), values) {
                (ColumnWriter::DoubleColumnWriter(w), Values::Double(c)) => write_cells!(w, c),
                (ColumnWriter::Int64ColumnWriter(w), Values::Long(c)) => write_cells!(w, c),
                (ColumnWriter::Int32ColumnWriter(w), Values::Int(c)) => write_cells!(w, c),
                (ColumnWriter::BoolColumnWriter(w), Values::Bool(c)) => write_cells!(w, c),
                (ColumnWriter::ByteArrayColumnWriter(w), Values::Bytes(c)) => {
                    let c: Vec<Option<ByteArray>> =
                        c.iter().cloned().map(|cell| cell.map(ByteArray::from)).collect();
                    write_cells!(w, c);
                }
                _ => panic!("values of another type"),
            }
            column.close().unwrap();
        }
        group_writer.close().unwrap();
    }
    writer.close().unwrap();
    bytes
}

fn source(bytes: &[u8]) -> Source {
    Source::reader("t.parquet", std::io::Cursor::new(bytes.to_vec()))
}

fn try_table(bytes: &[u8]) -> Result<Table, DataError> {
    read_table(source(bytes), &CsvOptions::default())
}

fn small() -> Vec<u8> {
    let group = vec![
        Values::Double(vec![Some(1.5), None, Some(f64::NAN), Some(f64::INFINITY)]),
        texts(&[Some("red"), Some(" NA "), None, Some("a,\"b\"\nc")]),
    ];
    file("optional double x; optional binary colour (UTF8);", &[group], Compression::SNAPPY)
}

#[test]
fn cells_are_those_of_csv() {
    let table = try_table(&small()).unwrap();
    assert_eq!((table.column_names(), table.n_rows()), (vec!["x", "colour"], 4));
    let [x, colour] = table.columns() else { panic!("two columns") };
    let expected =
        [Cell::Number(1.5), Cell::Missing(""), Cell::Missing("NaN"), Cell::NotFinite("inf")];
    assert_eq!(x.cells().collect::<Vec<_>>(), expected);
    let expected =
        [Cell::Text("red"), Cell::Missing("NA"), Cell::Missing(""), Cell::Text("a,\"b\"\nc")];
    assert_eq!(colour.cells().collect::<Vec<_>>(), expected);
}

#[test]
fn types_become_numbers_and_texts() {
    let schema = "optional int32 day (DATE); optional int64 at (TIMESTAMP_MILLIS);
        optional int64 money (DECIMAL(10, 2)); optional boolean yes; optional int32 big (UINT_32);
        optional binary raw;";
    let group = vec![
        Values::Int(vec![Some(20_787)]),
        Values::Long(vec![Some(86_400_500)]),
        Values::Long(vec![Some(-12_345)]),
        Values::Bool(vec![Some(true)]),
        Values::Int(vec![Some(-1)]),
        texts(&[Some("7.0")]),
    ];
    let table = try_table(&file(schema, &[group], Compression::UNCOMPRESSED)).unwrap();
    let cells: Vec<Cell<'_>> = table.columns().iter().map(|column| column.cell(0)).collect();
    let expected = [
        Cell::Text("2026-11-30"),
        Cell::Text("1970-01-02T00:00:00.500"),
        Cell::Number(-123.45),
        Cell::Number(1.0),
        Cell::Number(4_294_967_295.0),
        Cell::Number(7.0),
    ];
    assert_eq!(cells, expected);
}

#[test]
fn a_design_is_made_of_it_and_faults_name_row_and_column() {
    let group = vec![Values::Double(vec![Some(1.0), None]), Values::Double(vec![Some(2.0); 2])];
    let bytes = file("optional double x; optional double y;", &[group], Compression::SNAPPY);
    let table = try_table(&bytes).unwrap();
    let error = design(&table, &Roles::target("y")).unwrap_err().to_string();
    assert!(error.contains("`t.parquet`, row 2, column `x`"), "{error}");
}

#[test]
fn every_compression_is_read_through_a_path() {
    let folder = tempfile::tempdir().unwrap();
    let kinds = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(Default::default()),
        Compression::LZ4_RAW,
        Compression::ZSTD(ZstdLevel::default()),
    ];
    for kind in kinds {
        let rows = (0..5000).map(|i| Some(f64::from(i % 7))).collect();
        let bytes = file("optional double x;", &[vec![Values::Double(rows)]], kind);
        // The name does not matter.
        let path = folder.path().join("t.csv");
        std::fs::write(&path, bytes).unwrap();
        let table = read_table(Source::path(&path), &CsvOptions::default()).unwrap();
        assert_eq!(table.columns()[0].numbers().iter().sum::<f64>(), 14_995.0, "{kind:?}");
    }
}

#[test]
fn cut_files_and_wrong_names_are_refused() {
    let whole = small();
    for kept in [4, 8, 60, whole.len() - 9, whole.len() - 1] {
        assert_error!(
            try_table(&whole[..kept]),
            DataError::DamagedParquet { .. },
            "`t.parquet` cannot be read as Parquet",
            "copy, download or write it again",
        );
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    let read = |text: &str| {
        std::fs::write(&path, text).unwrap();
        read_table(Source::path(&path), &CsvOptions::default())
    };
    assert_error!(read("a,b\n1,2\n"), DataError::NotParquet { .. }, "PAR1", ".csv");
    assert_error!(read(""), DataError::Empty { .. }, "is empty");
    let gone = read_table(Source::path(folder.path().join("no.parquet")), &CsvOptions::default());
    assert_error!(gone, DataError::NotFound { .. }, "does not exist");
}

#[test]
fn what_cells_cannot_hold_is_refused_by_column() {
    for (schema, column) in [
        ("optional group inner { optional double x; }", "inner"),
        ("optional group l (LIST) { repeated group list { optional double element; } }", "l"),
        ("repeated double many;", "many"),
        ("required fixed_len_byte_array(16) id (UUID);", "id"),
        ("optional binary b (BSON);", "b"),
    ] {
        let bytes = file(schema, &[], Compression::UNCOMPRESSED);
        assert_error!(
            try_table(&bytes),
            DataError::UnsupportedColumn { .. },
            &format!("column `{column}`"),
            "write the table without it",
        );
    }
}

#[test]
fn empty_tables_repeated_names_and_bytes_that_are_no_text() {
    let none = file("optional double x;", &[], Compression::UNCOMPRESSED);
    assert_error!(try_table(&none), DataError::NoRows { columns: 1, .. }, "no rows");
    let twice = file("optional double x; optional double x;", &[], Compression::UNCOMPRESSED);
    assert_error!(try_table(&twice), DataError::DuplicateHeader { .. }, "both named `x`");
    let group = vec![Values::Bytes(vec![Some(b"a".to_vec()), Some(vec![0xff, 0xfe])])];
    let bytes = file("optional binary t;", &[group], Compression::UNCOMPRESSED);
    assert_error!(try_table(&bytes), DataError::InvalidUtf8 { .. }, "row 2, column `t`");
}

#[test]
fn no_damage_makes_a_panic() {
    let whole = small();
    for at in 0..whole.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut bytes = whole.clone();
            bytes[at] ^= flip;
            drop(try_table(&bytes));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Chunks of any size, over row groups of any size, are the whole.
    #[test]
    fn chunks_together_are_the_whole(
        groups in prop::collection::vec(prop::collection::vec(prop::option::weighted(0.8, -1e6..1e6_f64), 0..40), 1..5),
        size in 1..50_usize,
    ) {
        let cells: Vec<Option<f64>> = groups.iter().flatten().copied().collect();
        prop_assume!(!cells.is_empty());
        let groups: Vec<Vec<Values>> = groups.into_iter().map(|group| vec![Values::Double(group)]).collect();
        let bytes = file("optional double x;", &groups, Compression::SNAPPY);
        let chunks = TableChunks::open(source(&bytes), &CsvOptions::default(), size).unwrap().keep_cells();
        let mut found = Vec::new();
        for chunk in chunks {
            let chunk = chunk.unwrap();
            prop_assert_eq!(chunk.table.row_number(0), found.len() as u64 + 1);
            prop_assert!(chunk.table.n_rows() <= size && chunk.rows().count() == chunk.table.n_rows());
            found.extend(chunk.table.columns()[0].numbers().iter().map(|x| (!x.is_nan()).then_some(*x)));
        }
        prop_assert_eq!(found, cells);
    }
}
