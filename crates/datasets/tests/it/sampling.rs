//! The embedded tables.

use datasets::{DataError, describe, samples};

use crate::assert_error;

#[test]
fn every_sample_is_a_clean_table() {
    for sample in samples::catalogue() {
        let table = sample.table().unwrap();
        let description = describe(&table);
        assert_eq!(
            (description.incomplete_rows, description.duplicate_rows),
            (0, 0),
            "{}",
            sample.name
        );
        assert!(description.columns.iter().all(|column| !column.constant), "{}", sample.name);
        let design = sample.design().unwrap();
        assert!(
            design.notices.is_empty() && design.target_names == [sample.target],
            "{}",
            sample.name
        );
        assert!(
            sample.source.contains("**Terms.**") && sample.source.contains("**Source.**"),
            "{}",
            sample.name
        );
    }
}

#[test]
fn earthquakes_are_as_described() {
    let table = samples::find("earthquakes").unwrap().table().unwrap();
    assert_eq!(
        (table.n_rows(), table.column_names()),
        (385, vec!["latitude", "longitude", "magnitude", "depth"])
    );
    let depth = table.column("depth").unwrap().numbers();
    assert_eq!((depth[0], depth.iter().copied().fold(0.0, f64::max)), (55.452, 639.503));
    assert!(depth.iter().all(|&depth| depth > 35.0));
}

#[test]
fn unknown_samples() {
    assert_error!(
        samples::find("earthquake"),
        DataError::UnknownSample { .. },
        "`earthquake`",
        "`earthquakes`"
    );
}
