//! Summaries.

use datasets::{ColumnKind, LevelCount, describe};

use crate::support::read;

#[test]
fn every_count_and_statistic() {
    let description = describe(&read("x;c;e\n1;a;\n3;b;\n3;a;\n;a;\n3;a;\n1e400;zz;\n"));
    assert_eq!(
        (
            description.rows,
            description.delimiter,
            description.duplicate_rows,
            description.incomplete_rows
        ),
        (6, ';', 1, 6)
    );
    let [x, c, e] = &description.columns[..] else { panic!("three columns") };
    assert_eq!(
        (x.kind, x.missing, x.not_finite, x.text, x.distinct, x.constant),
        (ColumnKind::Number, 1, 1, 0, 3, false)
    );
    assert_eq!((x.min, x.mean, x.max), (Some(1.0), Some(2.5), Some(3.0)));
    assert_eq!(x.sd, Some(0.75_f64.sqrt()), "population standard deviation of 1, 3, 3, 3");
    assert_eq!((c.kind, c.distinct, c.min), (ColumnKind::Text, 3, None));
    let levels: Vec<(&str, usize)> =
        c.levels.iter().map(|LevelCount { level, count }| (level.as_str(), *count)).collect();
    assert_eq!(levels, [("a", 4), ("b", 1), ("zz", 1)]);
    assert_eq!((e.kind, e.missing, e.distinct, e.constant), (ColumnKind::Empty, 6, 0, false));
}

#[test]
fn constant_mixed_and_extreme_columns() {
    let description = describe(&read("k,m,big\n5,1,1e308\n5.0,two,-1e308\n"));
    let [k, m, big] = &description.columns[..] else { panic!("three columns") };
    assert_eq!((k.constant, k.distinct, k.sd), (true, 1, Some(0.0)));
    assert_eq!((m.kind, m.text, m.distinct, m.mean), (ColumnKind::Mixed, 1, 2, Some(1.0)));
    assert_eq!((big.mean, big.sd), (Some(0.0), Some(1e308)));
}

#[test]
fn duplicates_are_rows_equal_in_every_cell() {
    let description = describe(&read("a,b\n1,x\n1.0,x\n1,y\n-0,x\n0,x\n,x\n,x\nNA,x\n"));
    assert_eq!(description.duplicate_rows, 3);
}

#[test]
fn it_is_written_as_json() {
    let json = serde_json::to_value(describe(&read("x,c\n1,a\n"))).unwrap();
    assert_eq!(json["rows"], 1);
    assert_eq!(json["columns"][0]["kind"], "number");
    assert_eq!(json["columns"][1]["min"], serde_json::Value::Null);
    assert_eq!(json["columns"][1]["levels"][0]["level"], "a");
}
