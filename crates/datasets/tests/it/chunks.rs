//! Reading piece by piece.

use datasets::{CsvChunks, CsvOptions, DataError, Source, read_csv};

use crate::{assert_error, support::try_design};

fn open(text: &str, rows: usize) -> CsvChunks {
    CsvChunks::open(Source::text("t.csv", text), &CsvOptions::default(), rows).unwrap()
}

fn rows_of(n: usize) -> String {
    std::iter::once("a,b\n".to_owned()).chain((0..n).map(|i| format!("{i},{}\n", i * 2))).collect()
}

#[test]
fn chunks_together_are_the_whole() {
    for (n, size) in [(1, 1), (10, 3), (9, 3), (5, 100), (4, 0)] {
        let chunks: Vec<_> = open(&rows_of(n), size).collect::<Result<_, _>>().unwrap();
        let values: Vec<f64> =
            chunks.iter().flat_map(|chunk| chunk.table.columns()[1].numbers().to_vec()).collect();
        assert_eq!(values, (0..n).map(|i| 2.0 * i as f64).collect::<Vec<_>>());
        assert!(chunks.iter().all(|chunk| chunk.table.n_rows() <= size.max(1)));
        assert!(
            chunks.iter().all(|chunk| chunk.rows().count() == 0),
            "cells are kept only on request"
        );
    }
}

#[test]
fn original_cells_are_kept_on_request() {
    let text = "a,b\n 1.50 ,\"x, y\"\n2,NA\n";
    let chunk = open(text, 10).keep_cells().next().unwrap().unwrap();
    let rows: Vec<Vec<&str>> = chunk.rows().map(Iterator::collect).collect();
    assert_eq!(rows, [[" 1.50 ", "x, y"], ["2", "NA"]]);
}

#[test]
fn errors_count_rows_of_the_whole_source() {
    let mut chunks = open(&(rows_of(7) + "7\n"), 3);
    assert!(chunks.next().unwrap().is_ok() && chunks.next().unwrap().is_ok());
    assert_error!(
        chunks.next().unwrap(),
        DataError::RaggedRow { row: 8, line: 9, .. },
        "row 8 (line 9)"
    );
    assert!(chunks.next().is_none(), "nothing after an error");

    let encoder = try_design("a,y\n1,2\n3,4\n").unwrap().encoder;
    let text = "a\n1\n2\n\n3\nred\n";
    let errors: Vec<DataError> =
        open(text, 2).filter_map(|chunk| encoder.encode(&chunk.unwrap().table).err()).collect();
    assert_eq!(errors.len(), 1);
    assert!(
        errors[0].to_string().contains("row 4 (line 6), column `a` holds `red`"),
        "{}",
        errors[0]
    );
}

#[test]
fn a_header_alone_is_an_error_here_too() {
    let mut chunks = open("a,b\n", 5);
    assert_eq!(chunks.column_names(), ["a", "b"]);
    assert_error!(chunks.next().unwrap(), DataError::NoRows { .. }, "no rows");
    assert!(chunks.next().is_none());
}

#[test]
fn encoding_by_chunks_equals_encoding_at_once() {
    let text = rows_of(1000);
    let whole = read_csv(Source::text("t.csv", &text), &CsvOptions::default()).unwrap();
    let encoder = datasets::design(&whole, &datasets::Roles::target("b")).unwrap().encoder;
    let pieces: Vec<f64> = open(&text, 64)
        .flat_map(|chunk| encoder.encode(&chunk.unwrap().table).unwrap().into_iter())
        .collect();
    assert_eq!(pieces, encoder.encode(&whole).unwrap().into_iter().collect::<Vec<_>>());
}
