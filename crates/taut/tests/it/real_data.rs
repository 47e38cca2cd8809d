//! A real table from the shell, where `TAUT_DATA_DIR` names a folder of public data sets.

use crate::support::{Place, at};

#[test]
fn five_hundred_rows_of_airfoil_are_fitted_and_certified() {
    let Some(folder) = std::env::var_os("TAUT_DATA_DIR").map(std::path::PathBuf::from) else {
        eprintln!("skipped: TAUT_DATA_DIR is not set");
        return;
    };
    let place = Place::new();
    let text = std::fs::read_to_string(folder.join("airfoil/data.csv")).unwrap();
    let rows: Vec<&str> = text.lines().take(501).collect();
    place.write("airfoil.csv", &(rows.join("\n") + "\n"));
    let report = place
        .fit("airfoil.csv --target sound_pressure_level --test-fraction 0.2 --seed 1 --starts 2");
    assert_eq!((at(&report, "/n_train"), at(&report, "/n_test")), (400.0, 100.0));
    assert!(at(&report, "/test/rmse") < 0.5, "{:#}", report["test"]);
    assert!((0.85..=1.0).contains(&at(&report, "/test/coverage95")));
    place.taut("certify airfoil.taut --inducing 64 --report c.json").ok();
    let lml = place.json("c.json")["lml"].clone();
    assert!(at(&lml, "/lower") <= at(&lml, "/exact") && at(&lml, "/exact") <= at(&lml, "/upper"));
}
