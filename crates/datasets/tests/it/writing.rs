//! Tables on their way out and back in.

use datasets::{CsvOptions, CsvWriter, DataError, Source, read_csv};

use crate::{assert_error, support::read};

#[test]
fn rows_of_text_and_numbers() {
    let mut text = Vec::new();
    let mut writer = CsvWriter::new("memory", &mut text);
    writer.write_text(["name", "mean", "var"]).unwrap();
    writer.write_row(["a \"b\", c"], &[0.1, -1e300]).unwrap();
    writer.write_row([], &[1.0]).unwrap();
    writer.finish().unwrap();
    assert_eq!(
        String::from_utf8(text).unwrap(),
        "name,mean,var\n\"a \"\"b\"\", c\",0.1,-1e300\n1\n"
    );
}

#[test]
fn files_plain_and_gzip_read_back_the_same() {
    let table = read("x,c\n0.1,a\n1e-300,\"b\n,\"\n,\n123456789.123,NA\n");
    let folder = tempfile::tempdir().unwrap();
    for name in ["a.csv", "a.csv.gz"] {
        let path = folder.path().join(name);
        let mut writer = CsvWriter::create(&path).unwrap();
        writer.write_table(&table, 0..table.n_rows()).unwrap();
        writer.finish().unwrap();
        let back = read_csv(Source::path(&path), &CsvOptions::default()).unwrap();
        for (column, expected) in back.columns().iter().zip(table.columns()) {
            assert!(column.cells().eq(expected.cells()), "{name}");
        }
    }
    let packed = std::fs::read(folder.path().join("a.csv.gz")).unwrap();
    assert_eq!(packed[..2], [0x1f, 0x8b]);
}

#[test]
fn folders_that_do_not_exist() {
    let folder = tempfile::tempdir().unwrap();
    let result = CsvWriter::create(folder.path().join("none").join("a.csv")).map(|_| ());
    assert_error!(
        result,
        DataError::Unwritable { .. },
        "a.csv",
        "cannot be written",
        "folder exists"
    );
}

#[test]
fn full_disks_are_reported() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let mut writer = CsvWriter::new("disk", Full);
    writer.write_text(["a"]).unwrap();
    assert_error!(writer.finish(), DataError::Unwritable { .. }, "`disk`");
}
