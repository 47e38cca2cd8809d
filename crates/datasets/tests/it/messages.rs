//! Every message has two halves fit for one line each.

use std::error::Error;

use datasets::{DataError, Place, Role};

#[test]
fn cause_and_remedy_make_the_message() {
    let place = Place { file: "t.csv".into(), column: "x".into(), row: 2, line: 3 };
    let error =
        DataError::MissingCell { place, found: String::new(), category: false, cells: 4, rows: 3 };
    assert_eq!(error.to_string(), format!("{}; {}", error.cause(), error.remedy()));
    assert_eq!(
        error.cause(),
        "`t.csv`, row 2 (line 3), column `x` is empty, expected a number (4 such cells in 3 rows)"
    );
}

#[test]
fn wrapped_errors_are_sources() {
    let error = DataError::Unreadable { file: "t".into(), source: std::io::Error::other("why") };
    assert!(error.source().is_some_and(|source| source.to_string() == "why"));
}

#[test]
fn errors_travel_between_threads_and_stay_small() {
    fn travels<T: Send + Sync + 'static>() {}
    travels::<DataError>();
    assert!(size_of::<DataError>() <= 128, "{}", size_of::<DataError>());
}

#[test]
fn requests_have_causes_of_their_own() {
    let cases = [
        DataError::RepeatedColumn { name: "a".into(), role: Role::OneHot },
        DataError::ShapeMismatch { argument: "names", expected: 2, found: 1 },
        DataError::NotPositiveSemidefinite { row: 0, variance: -1.0 },
        DataError::FeatureNameTaken { column: "a".into(), feature: "a=b".into() },
    ];
    assert!(cases.iter().all(|error| !error.cause().contains('{') && !error.remedy().is_empty()));
}

#[test]
fn names_with_line_breaks_stay_on_one_line() {
    let error = DataError::Empty { file: "a\nb.csv".into() };
    assert_eq!(error.cause(), "`a\\nb.csv` is empty");
}
