//! What is accepted, and how it is read.

use std::io::{Cursor, Read};

use datasets::{Cell, ColumnKind, CsvOptions, Source, read_csv};

use crate::support::{gzip, read, try_read_bytes};

#[test]
fn numbers_in_every_accepted_form() {
    let table = read("x\n1\n+2\n -3.5 \n1e3\n6.1556E+05\n.5\n5.\n-0\n1e-400\n\"7\"\n");
    assert_eq!(
        table.columns()[0].numbers(),
        [1.0, 2.0, -3.5, 1000.0, 615_560.0, 0.5, 5.0, 0.0, 0.0, 7.0]
    );
    assert_eq!(table.columns()[0].kind(), ColumnKind::Number);
}

#[test]
fn byte_order_mark_line_ends_and_blank_lines_change_nothing() {
    let plain = read("a,b\n1,2\n3,4\n");
    for text in [
        "\u{feff}a,b\n1,2\n3,4\n",
        "a,b\r\n1,2\r\n3,4\r\n",
        "a,b\r1,2\r3,4",
        "a,b\n1,2\n3,4",
        "\n\na,b\n\n1,2\n   \n3,4\n\n\n",
        " a , b \n 1 , 2 \n 3 , 4 \n",
        "\u{feff}\"a\",\"b\"\r\n\"1\",\"2\"\r\n3,4\r\n\r\n",
    ] {
        let table = read(text);
        assert_eq!(table.column_names(), plain.column_names(), "{text:?}");
        for (column, expected) in table.columns().iter().zip(plain.columns()) {
            assert_eq!(column.numbers(), expected.numbers(), "{text:?}");
        }
    }
}

#[test]
fn rows_know_their_lines() {
    for end in ["\n", "\r\n", "\r"] {
        let text = ["a,b", "1,2", "", "3,\"x", "y\"", "5,6", "", "", "7,8"].join(end);
        let table = read(&text);
        let lines: Vec<u64> = (0..table.n_rows()).map(|row| table.line_number(row)).collect();
        assert_eq!(lines, [2, 4, 6, 9], "{end:?}");
        assert_eq!(table.columns()[1].cell(1), Cell::Text("x\ny"));
        assert_eq!(table.row_number(3), 4);
    }
}

#[test]
fn quoted_cells_hold_separators_quotes_and_line_breaks() {
    let table = read("a,b\n\"x, \"\"y\"\"\nz\",1\n");
    assert_eq!(table.columns()[0].cell(0), Cell::Text("x, \"y\"\nz"));
}

#[test]
fn separators_are_found_in_the_header() {
    for (text, delimiter) in [
        ("a;b\n1;2\n", ';'),
        ("a\tb\n1\t2\n", '\t'),
        ("a,b\n1,2\n", ','),
        ("\"a,1\";b\n1;2\n", ';'),
    ] {
        let table = read(text);
        assert_eq!((table.delimiter(), table.columns().len()), (delimiter, 2), "{text:?}");
    }
    let options = CsvOptions { delimiter: Some(b'|'), ..CsvOptions::default() };
    assert_eq!(
        read_csv(Source::text("t", "a|b\n1|2\n"), &options).unwrap().column_names(),
        ["a", "b"]
    );
}

#[test]
fn one_column_and_one_row() {
    let table = read("y\n1");
    assert_eq!((table.n_rows(), table.columns().len()), (1, 1));
}

#[test]
fn missing_marks() {
    let table = read("x,y\n1,\n2,NA\n3,NaN\n4,nan\n5,null\n6,?\n7,  \n8,\"\"\n9,N/A\n");
    let y = &table.columns()[1];
    assert_eq!((y.n_missing(), y.n_text(), y.kind()), (8, 1, ColumnKind::Text));
    assert_eq!(y.cell(1), Cell::Missing("NA"));
    let options = CsvOptions { missing_tokens: vec!["-999".into()], ..CsvOptions::default() };
    let table = read_csv(Source::text("t", "x\n-999\nNA\n\n1\n"), &options).unwrap();
    assert_eq!((table.columns()[0].n_missing(), table.columns()[0].n_text()), (1, 1));
}

#[test]
fn kinds_of_columns() {
    let table = read("n,t,m,e,i\n1,a,1,,inf\n2,b,b,,1e999\n");
    let kinds: Vec<ColumnKind> = table.columns().iter().map(datasets::Column::kind).collect();
    assert_eq!(
        kinds,
        [
            ColumnKind::Number,
            ColumnKind::Text,
            ColumnKind::Mixed,
            ColumnKind::Empty,
            ColumnKind::Number
        ]
    );
    assert_eq!(table.columns()[4].n_not_finite(), 2);
}

#[test]
fn gzip_is_known_by_its_bytes() {
    let text = b"a,b\n1,2\n";
    let packed = gzip(text);
    assert_eq!(try_read_bytes(&packed).unwrap().n_rows(), 1);
    let twice = [packed.as_slice(), &gzip(b"3,4\n")].concat();
    assert_eq!(
        try_read_bytes(&twice).unwrap().columns()[1].numbers(),
        [2.0, 4.0],
        "two members one after another"
    );
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in
        [("a.csv.gz", packed.as_slice()), ("plain.csv.gz", text), ("packed.csv", &packed)]
    {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(
            read_csv(Source::argument(&path), &CsvOptions::default()).unwrap().n_rows(),
            1,
            "{name}"
        );
    }
}

#[test]
fn names_made_of_counting_numbers_are_names() {
    assert_eq!(read("0,1,2\n5,6,7\n").n_rows(), 1);
    assert_eq!(read("1,2\n5,6\n").n_rows(), 1);
}

/// Hands out one byte at a time, as a slow pipe may.
struct Drip(Cursor<&'static [u8]>);

impl Read for Drip {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.0.read(&mut buffer[..1])
    }
}

#[test]
fn slow_readers_are_read_to_the_end() {
    let source = Source::reader("pipe", Drip(Cursor::new(b"\xef\xbb\xbfa;b\r\n1;2\r\n3;4")));
    let table = read_csv(source, &CsvOptions::default()).unwrap();
    assert_eq!((table.n_rows(), table.delimiter(), table.name()), (2, ';', "pipe"));
}

#[test]
fn tables_from_numbers() {
    let values = ndarray::array![[1.0, f64::NAN], [f64::INFINITY, 4.0]];
    let table = datasets::Table::from_numbers("made", &["a", "b"], &values).unwrap();
    assert_eq!((table.columns()[0].n_not_finite(), table.columns()[1].n_missing()), (1, 1));
    assert_eq!(table.line_number(1), 3);
    assert!(datasets::Table::from_numbers("made", &["a"], &values).is_err());
    assert!(datasets::Table::from_numbers("made", &["a", "a"], &values).is_err());
}
