//! Laws over generated files.

use datasets::{
    CsvChunks, CsvOptions, CsvWriter, Missing, Roles, Source, Table, describe, design, read_csv,
};
use ndarray::Array2;
use proptest::prelude::*;

use crate::support::{gzip, strings, try_read_bytes};

/// Everything that can be done with a table, for its side effects.
fn exercise(table: &Table) {
    let description = describe(table);
    assert_eq!(description.columns.len(), table.columns().len());
    let names = table.column_names();
    for missing in [Missing::Refuse, Missing::DropRows] {
        let one_hot = strings(&names[1..]);
        for roles in [
            Roles { missing, ..Roles::target(names[0]) },
            Roles { missing, one_hot, ..Roles::target(names[0]) },
        ] {
            match design(table, &roles) {
                Ok(made) => {
                    assert!(made.x.iter().chain(&made.y).all(|value| value.is_finite()));
                    assert_eq!(
                        (made.x.nrows(), made.x.ncols()),
                        (made.kept_rows.len(), made.encoder.n_features())
                    );
                    made.notices.iter().for_each(|notice| assert!(!notice.to_string().is_empty()));
                }
                Err(error) => assert!(!error.to_string().contains('\n'), "{error}"),
            }
        }
    }
}

fn try_everything(bytes: &[u8]) {
    match try_read_bytes(bytes) {
        Ok(table) => exercise(&table),
        Err(error) => {
            assert!(!error.cause().contains('\n') && !error.remedy().is_empty(), "{error}")
        }
    }
    let source = Source::reader("t", std::io::Cursor::new(bytes.to_vec()));
    if let Ok(chunks) = CsvChunks::open(source, &CsvOptions::default(), 2) {
        chunks
            .keep_cells()
            .flatten()
            .for_each(|chunk| assert_eq!(chunk.rows().count(), chunk.table.n_rows()));
    }
}

/// Bytes that look like a table at first.
fn csv_like() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        4 => "[a-c0-9.,;\"\t\r\n+e -]{0,12}".prop_map(String::into_bytes),
        2 => Just(b"\n".to_vec()),
        2 => Just(b",".to_vec()),
        1 => Just(b"\r\n".to_vec()),
        1 => prop_oneof!["NA", "inf", "1e400", "nan", "−5", "1,5", "é"].prop_map(String::into_bytes),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ];
    prop::collection::vec(piece, 0..30)
        .prop_map(|pieces| [b"a,b\n".to_vec(), pieces.concat()].concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        try_everything(&bytes);
    }

    #[test]
    fn nothing_like_a_table_makes_it_panic(bytes in csv_like()) {
        try_everything(&bytes);
        try_everything(&bytes[4..]);
    }

    #[test]
    fn no_cut_or_changed_gzip_makes_it_panic(bytes in csv_like(), cut in 0.0_f64..1.0, change: u8) {
        let mut packed = gzip(&bytes);
        let at = (cut * packed.len() as f64) as usize;
        try_everything(&packed[..at]);
        packed[at] ^= change;
        try_everything(&packed);
    }

    #[test]
    fn numbers_survive_writing_and_reading_bit_for_bit(
        (rows, columns, bits) in (1_usize..20, 1_usize..6)
            .prop_flat_map(|(r, c)| (Just(r), Just(c), prop::collection::vec(any::<u64>(), r * c))),
        crlf: bool,
    ) {
        let finite = |bits: u64| Some(f64::from_bits(bits)).filter(|value| value.is_finite()).unwrap_or(0.5);
        let values = Array2::from_shape_vec((rows, columns), bits.into_iter().map(finite).collect()).unwrap();
        let names: Vec<String> = (0..columns).map(|column| format!("c{column}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let table = Table::from_numbers("made", &names, &values).unwrap();
        let mut text = Vec::new();
        let mut writer = CsvWriter::new("memory", &mut text);
        writer.write_table(&table, 0..rows).unwrap();
        writer.finish().unwrap();
        if crlf {
            text = String::from_utf8(text).unwrap().replace('\n', "\r\n").into_bytes();
        }
        let back = try_read_bytes(&text).unwrap();
        for (column, expected) in back.columns().iter().zip(values.columns()) {
            let equal = column.numbers().iter().zip(expected).all(|(a, b)| a.to_bits() == b.to_bits());
            prop_assert!(equal);
        }
    }

    #[test]
    fn dropping_equals_deleting(cells in prop::collection::vec((0_u8..6, -5_i32..5, 0_u8..6), 1..40)) {
        let word = |kind: u8, value: i32| match kind { 0 => String::new(), 1 => "inf".into(), _ => value.to_string() };
        let line = |&(a, value, b): &(u8, i32, u8)| format!("{},{},l{}\n", word(a, value), word(b, value * value), value.rem_euclid(3));
        let good = |&&(a, _, b): &&(u8, i32, u8)| a > 1 && b > 1;
        let whole: String = std::iter::once("x,y,c\n".to_owned()).chain(cells.iter().map(line)).collect();
        let rest: String = std::iter::once("x,y,c\n".to_owned()).chain(cells.iter().filter(good).map(line)).collect();
        let roles = Roles { one_hot: vec!["c".into()], missing: Missing::DropRows, ..Roles::target("y") };
        let dropped = design(&try_read_bytes(whole.as_bytes()).unwrap(), &roles);
        match try_read_bytes(rest.as_bytes()) {
            Err(_) => prop_assert!(dropped.is_err()),
            Ok(rest) => {
                let (dropped, alone) = (dropped.unwrap(), design(&rest, &roles).unwrap());
                prop_assert_eq!((dropped.x, dropped.y, dropped.encoder), (alone.x, alone.y, alone.encoder));
            }
        }
    }

    #[test]
    fn line_numbers_are_those_an_editor_shows(
        gaps in prop::collection::vec((0_usize..3, 0_usize..3), 1..20),
        end in prop_oneof![Just("\n"), Just("\r\n"), Just("\r")],
    ) {
        let (mut text, mut line, mut expected) = (format!("x,c{end}"), 2_u64, Vec::new());
        for (blank, inside) in gaps {
            line += blank as u64;
            expected.push(line);
            line += 1 + inside as u64;
            text += &format!("{}1,\"a{}\"{end}", end.repeat(blank), end.repeat(inside));
        }
        let table = read_csv(Source::text("t", &text), &CsvOptions::default()).unwrap();
        let found: Vec<u64> = (0..table.n_rows()).map(|row| table.line_number(row)).collect();
        prop_assert_eq!(found, expected);
    }
}
