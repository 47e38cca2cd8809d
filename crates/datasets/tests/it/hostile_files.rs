//! Files that cannot be read as a table.

use datasets::{CsvOptions, DataError, FileFormat, Source, read_csv};

use crate::{
    assert_error,
    support::{gzip, try_read, try_read_bytes},
};

#[test]
fn empty_and_blank() {
    for text in ["", "\n\n", "  \n", "\u{feff}", "\u{feff}\r\n"] {
        assert_error!(try_read(text), DataError::Empty { .. }, "`t.csv` is empty", "header line");
    }
    assert_error!(try_read_bytes(&gzip(b"")), DataError::Empty { .. }, "t.csv");
}

#[test]
fn header_only() {
    for text in ["a,b", "a,b\n", "a,b\r\n\r\n"] {
        assert_error!(
            try_read(text),
            DataError::NoRows { columns: 2, .. },
            "header of 2 columns",
            "at least one row"
        );
    }
}

#[test]
fn missing_file_directory_and_dangling_names() {
    let folder = tempfile::tempdir().unwrap();
    let open = |path: std::path::PathBuf| read_csv(Source::path(path), &CsvOptions::default());
    assert_error!(
        open(folder.path().join("no.csv")),
        DataError::NotFound { .. },
        "no.csv",
        "does not exist",
        "check the path"
    );
    assert_error!(
        open(folder.path().to_owned()),
        DataError::Directory { .. },
        "is a directory",
        "name a file"
    );
}

#[test]
fn headers_blank_or_repeated() {
    assert_error!(
        try_read("a,,c\n1,2,3\n"),
        DataError::BlankHeader { position: 2, .. },
        "column 2 of 3",
        "name every column"
    );
    assert_error!(try_read(",x\n0,1\n"), DataError::BlankHeader { position: 1, .. }, "column 1");
    assert_error!(try_read("a, \n1,2\n"), DataError::BlankHeader { position: 2, .. }, "column 2");
    assert_error!(
        try_read("x,y, x \n1,2,3\n"),
        DataError::DuplicateHeader { first: 1, second: 3, .. },
        "columns 1 and 3",
        "`x`",
        "rename",
    );
}

#[test]
fn a_file_without_a_header() {
    for text in ["1.5,2.5\n3,4\n", "2\n3\n", "1e3;2\n1;2\n", "nan,1\n2,3\n"] {
        assert_error!(
            try_read(text),
            DataError::NumericHeader { .. },
            "numbers only",
            "names the columns"
        );
    }
}

#[test]
fn rows_of_unequal_length() {
    assert_error!(
        try_read("a,b\n1,2\n\n3\n"),
        DataError::RaggedRow { row: 2, line: 4, found: 1, expected: 2, .. },
        "row 2 (line 4) has 1 cell, the header has 2",
        "remove the line",
    );
    assert_error!(
        try_read("a,b\r\n1,2\r\n3,4,5\r\n"),
        DataError::RaggedRow { row: 2, line: 3, found: 3, .. },
        "line 3"
    );
    assert_error!(
        try_read("a,b\n1,5,2,5\n"),
        DataError::RaggedRow { found: 4, .. },
        "decimals with a point"
    );
    assert_error!(
        try_read("a,b\n\"1,2\n3,4\n5,6\n"),
        DataError::RaggedRow { row: 1, line: 2, found: 1, .. },
        "row 1 (line 2)",
        "close the quoted cell",
    );
}

#[test]
fn bytes_that_are_not_utf8() {
    assert_error!(
        try_read_bytes(b"name,y\nok,1\nM\xfcller,2\n"),
        DataError::InvalidUtf8 { place } if place.row == 2 && place.line == 3,
        "row 2 (line 3), column `name`",
        "Latin-1",
    );
    assert_error!(try_read_bytes(b"gr\xf6\xdfe,y\n1,2\n"), DataError::InvalidUtf8 { place } if place.row == 0, "header (line 1)", "UTF-8");
    // Two halves that only together would be a letter.
    assert_error!(try_read_bytes(b"a,b\n\xc3,\xa9\n"), DataError::InvalidUtf8 { .. }, "column `a`");
}

fn utf16(text: &str, big_endian: bool) -> Vec<u8> {
    text.encode_utf16()
        .flat_map(|unit| if big_endian { unit.to_be_bytes() } else { unit.to_le_bytes() })
        .collect()
}

#[test]
fn other_formats_are_named() {
    let cases = [
        (utf16("\u{feff}a,b\n1,2\n", false), FileFormat::Utf16, "UTF-16"),
        (utf16("\u{feff}a,b\n1,2\n", true), FileFormat::Utf16, "save it as UTF-8"),
        (utf16("a,b\n1,2\n", false), FileFormat::Utf16, "UTF-16"),
        (utf16("a,b\n1,2\n", true), FileFormat::Utf16, "UTF-16"),
        (b"PAR1\x15\x04".to_vec(), FileFormat::Parquet, "Parquet"),
        (b"PK\x03\x04\x14\x00".to_vec(), FileFormat::Zip, "Excel"),
        (b"BZh91AY".to_vec(), FileFormat::OtherCompression, "gzip"),
        (b"\xfd7zXZ\x00".to_vec(), FileFormat::OtherCompression, "gzip"),
        (b"\x93NUMPY\x01\x00".to_vec(), FileFormat::Npy, "NumPy"),
        (b"ab\x00\x00\x00cd,e\n1,2\n".to_vec(), FileFormat::Binary, "binary"),
    ];
    for (bytes, expected, part) in cases {
        assert_error!(try_read_bytes(&bytes), DataError::NotCsv { format, .. } if *format == expected, part);
    }
}

#[test]
fn gzip_cut_short_or_damaged() {
    let text: String = std::iter::once("a,b\n".to_owned())
        .chain((0..5000).map(|i| format!("{i},{}\n", i * i)))
        .collect();
    let packed = gzip(text.as_bytes());
    for kept in [3, 12, packed.len() / 2, packed.len() - 1] {
        assert_error!(
            try_read_bytes(&packed[..kept]),
            DataError::TruncatedGzip { .. },
            "breaks off",
            "again"
        );
    }
    let mut damaged = packed.clone();
    let end = damaged.len();
    damaged[end - 6] ^= 0xff;
    assert_error!(try_read_bytes(&damaged), DataError::CorruptGzip { .. }, "damaged gzip");
    assert_error!(
        try_read_bytes(&[packed.as_slice(), b"tail of rubbish"].concat()),
        DataError::CorruptGzip { .. },
        "gzip"
    );
}

#[test]
fn failing_readers_report_what_the_system_said() {
    struct Broken;
    impl std::io::Read for Broken {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("the cable is out"))
        }
    }
    let result = read_csv(Source::reader("pipe", Broken), &CsvOptions::default());
    assert_error!(result, DataError::Unreadable { .. }, "`pipe`", "the cable is out");
}
