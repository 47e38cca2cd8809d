//! A real table from the shell, where `TAUT_DATA_DIR` names a folder of public data sets.

use taut::datasets::{Cell, CsvOptions, Source, read_csv};

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

/// The films with their rating as `R` or `no`, all of them or those that are rated.
fn films(folder: &std::path::Path, rated_only: bool) -> String {
    let source = Source::path(folder.join("movies/film-death-counts.csv"));
    let table = read_csv(source, &CsvOptions::default()).unwrap();
    let text = |name: &str, row: usize| match table.column(name).unwrap().cell(row) {
        Cell::Number(value) => value.to_string(),
        Cell::Text(text) => text.to_owned(),
        _ => String::new(),
    };
    let rows =
        (0..table.n_rows()).filter(|&row| !rated_only || !text("MPAA_Rating", row).is_empty());
    let line = |row: usize| {
        let class = if text("MPAA_Rating", row) == "R" { "R" } else { "no" };
        format!(
            "{},{},{},{class}\n",
            text("Year", row),
            text("Body_Count", row),
            text("Genre", row)
        )
    };
    rows.fold("Year,Body_Count,Genre,R\n".to_owned(), |all, row| all + &line(row))
}

#[test]
fn the_lectures_best_feature_is_made_of_missing_ratings() {
    let Some(folder) = std::env::var_os("TAUT_DATA_DIR").map(std::path::PathBuf::from) else {
        eprintln!("skipped: TAUT_DATA_DIR is not set");
        return;
    };
    let place = Place::new();
    for (rated_only, year) in [(false, 82.7), (true, -2.4)] {
        place.write("films.csv", &films(&folder, rated_only));
        place.taut("classify fit films.csv --target R --kind Genre=tags --var-smoothing 0 --out f --report r.json").ok();
        let report = place.json("r.json");
        let feature = report["features"].as_array().unwrap().iter().find(|f| f["name"] == "Year");
        let factor = feature.unwrap()["log_bayes_factor"].as_f64().unwrap();
        assert!((factor - year).abs() < 0.05, "{factor}");
    }
    place.write("films.csv", &films(&folder, false));
    place
        .taut("classify fit films.csv --target R --kind Genre=tags --var-smoothing 0 --out f")
        .ok();
    place.taut("classify evaluate f films.csv --report e.json").ok();
    let report = place.json("e.json");
    // `R` before `no`: numbers and capitals come first.
    assert_eq!(report["classes"], serde_json::json!(["R", "no"]));
    assert_eq!(report["confusion"], serde_json::json!([[187, 39], [56, 139]]));
    assert!((at(&report, "/accuracy") - 0.774_347).abs() < 1e-6);
    assert!((at(&report, "/auc") - 0.841_604).abs() < 1e-6);
    place.taut("classify evaluate f films.csv --positive R --report e.json").ok();
    let safe = &place.json("e.json")["no_false_negative"];
    assert_eq!(safe["confusion"], serde_json::json!([[226, 0], [188, 7]]));
    assert!((at(safe, "/threshold") + 14.375).abs() < 1e-3, "{safe}");
}
