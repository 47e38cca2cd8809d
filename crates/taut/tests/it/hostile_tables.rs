//! Tables that are not what they should be, from the shell.

use crate::support::{Place, at, close, numbers};

#[track_caller]
fn refuses(table: &str, cause: &str, remedy: &str) {
    let place = Place::new();
    place.write("t.csv", table);
    place.taut("fit t.csv --target y").refused(1, cause, remedy);
}

#[test]
fn what_cannot_be_fitted_is_refused_by_place() {
    refuses("", "`t.csv` is empty", "header");
    refuses(" \n\n", "empty", "header");
    refuses("x,y\n", "no rows", "row");
    refuses("x,y\n1,2\n3,NaN\n", "row 2 (line 3), column `y`", "--drop-missing");
    refuses("x,y\n1,2\ninf,3\n", "holds `inf`", "--drop-missing");
    refuses("x,y\n1,2\n1e400,3\n", "1e400", "");
    refuses("x,y\n1,2\n,3\n", "column `x`", "--drop-missing");
    refuses("x,y\n1,2\nabc,3\n", "`abc`", "--one-hot");
    refuses("x,y,x\n1,2,3\n", "both named `x`", "rename");
    refuses("x,z\n1,2\n", "no column `y`", "check the name");
    refuses("x,Y\n1,2\n", "no column `y`", "`Y`");
    refuses("x,y\n1,2\n3\n", "row 2", "");
    refuses("y\n1\n2\n", "none of them left", "column");
    refuses("x,,y\n1,2,3\n", "no name", "");
    refuses("1.5,2\n3,4\n", "numbers only", "");
}

#[test]
fn files_that_are_no_tables_are_refused() {
    let place = Place::with_model();
    place.taut("fit absent.csv --target y").refused(1, "`absent.csv` does not exist", "path");
    std::fs::create_dir(place.path("folder")).unwrap();
    place.taut("fit folder --target y").refused(1, "directory", "file");
    std::fs::write(place.path("t.parquet"), b"PAR1....").unwrap();
    place.taut("fit t.parquet --target y").refused(1, "Parquet", "write it again");
    std::fs::write(place.path("latin.csv"), b"x,y\n1,2\n\xe9,3\n").unwrap();
    place.taut("fit latin.csv --target y").refused(1, "UTF-8", "UTF-8");
    std::fs::write(place.path("cut.csv.gz"), [0x1f, 0x8b, 8, 0, 0, 0]).unwrap();
    place.taut("fit cut.csv.gz --target y").refused(1, "gzip", "");
    place.taut("fit m.taut --target y --out n.taut").code_is(1);
}

#[test]
fn test_tables_must_have_the_same_columns() {
    let place = Place::with_tables();
    let fit = "fit t.csv --target y --drop z --test";
    place.write("test.csv", "a,c,y\n1,2,3\n");
    place.taut(&format!("{fit} test.csv")).refused(1, "`test.csv` lacks the column `b`", "");
    place.write("test.csv", "a,b\n1,2\n");
    place.taut(&format!("{fit} test.csv")).refused(1, "`y`", "");
    place.write("test.csv", "a,b,y\n1,2,\n");
    place.taut(&format!("{fit} test.csv")).refused(1, "test.csv", "--drop-missing");
    place.taut(&format!("{fit} none.csv")).refused(1, "`none.csv` does not exist", "");
    place.write("test.csv", "y,b,a\n1,2,0.5\n1,2,\n");
    let run = place.taut(&format!("{fit} test.csv --drop-missing --starts 1")).ok();
    assert!(run.out.contains("test table: 1 rows left out"), "{}", run.out);
}

/// A remedy names only what helps: a target cannot be dropped, nor a test table's column.
#[test]
fn remedies_fit_the_role_of_the_column() {
    let place = Place::with_tables();
    place.write("kinds.csv", "x,kind\n1,red\n2,blue\n");
    place.taut("fit kinds.csv --target kind").refused(1, "`red`", "classification");
    place.write("kinds.csv", "x,kind\n1,yes\n2,no\n");
    place.taut("fit kinds.csv --target kind").refused(1, "`yes`", "classification");
    place.write("kinds.csv", "x,kind\n1,2\n2,zwei\n");
    place.taut("fit kinds.csv --target kind").refused(1, "`zwei`", "a target holds numbers");
    place.write("kinds.csv", "x,kind\n1,2\n2,\n");
    let run =
        place.taut("fit kinds.csv --target kind").refused(1, "expected a number (", "missing");
    assert!(!run.err.contains("--drop "), "{}", run.err);
    place.write("kinds.csv", "x,kind,y\n1,red,1\n2,,2\n");
    place.taut("fit kinds.csv --target y --one-hot kind").refused(1, "expected a category (", "");
    place.write("test.csv", "a,b,y\n1,two,3\n");
    let run = place.taut("fit t.csv --target y --drop z --test test.csv");
    let run = run.refused(1, "`two`", "as in the training table");
    assert!(!run.err.contains("one-hot"), "{}", run.err);
}

/// Case 33: a constant target, and a single row.
#[test]
fn constant_targets_and_single_rows_give_finite_results() {
    let place = Place::new();
    for table in [
        "x,y\n1,2\n",
        "u,v,y\n1,2,0\n2,2,0\n",
        "x,y\n1,5\n2,5\n3,5\n",
        "x,y\n0.1,0.1\n0.2,0.1\n0.3,0.1\n",
    ] {
        place.write("t.csv", table);
        let report = place.fit("t.csv --target y");
        assert!(at(&report, "/lml/exact").is_finite(), "{table}");
        let constant: f64 = table.trim_end().rsplit(',').next().unwrap().parse().unwrap();
        place.write("new.csv", "x,u,v\n1.5,1,1\n900,900,-900\n");
        for row in numbers(&place.taut("predict t.taut new.csv").ok().out) {
            close(row[0], constant, 1e-9);
            assert!(row.iter().all(|number| number.is_finite()), "{table} {row:?}");
        }
        place.taut("certify t.taut").ok();
    }
    place.write("t.csv", "x,y\n1,5\n2,5\n3,5\n");
    let warned = place.taut("fit t.csv --target y").ok().out;
    assert!(warned.contains("target `y` is 5 in every training row"), "{warned}");
}

/// Case 34: a constant column changes nothing and is named.
#[test]
fn constant_columns_change_nothing_and_are_named() {
    let place = Place::with_tables();
    let text = place.read("t.csv");
    let wider: String = text
        .lines()
        .enumerate()
        .map(|(i, line)| format!("{},{line}\n", if i == 0 { "zero,big" } else { "0,1e9" }))
        .collect();
    place.write("wide.csv", &wider);
    place.write("p.json", r#"{"lengthscale": 0.7, "variance": 1.2, "noise_variance": 0.05}"#);
    let fit = |table: &str, options: &str| {
        place.fit(&format!("{table} --target y --drop z --params p.json --no-train {options}"))
    };
    let (narrow, wide) = (fit("t.csv", ""), fit("wide.csv", ""));
    close(at(&narrow, "/lml/exact"), at(&wide, "/lml/exact"), 1e-12);
    let warnings = wide["warnings"].to_string();
    assert!(
        warnings.contains("`zero` is 0") && warnings.contains("`big` is 1000000000"),
        "{warnings}"
    );
    place.write("new.csv", "a,b,zero,big\n0.3,0.4,0,1e9\n1.5,-1,0,1e9\n");
    let rows = |model: &str| numbers(&place.taut(&format!("predict {model} new.csv")).ok().out);
    for (narrow, wide) in rows("t.taut").iter().flatten().zip(rows("wide.taut").iter().flatten()) {
        close(*narrow, *wide, 1e-12);
    }
    let (narrow, wide) = (fit("t.csv", "--no-scale"), fit("wide.csv", "--no-scale"));
    close(at(&narrow, "/lml/exact"), at(&wide, "/lml/exact"), 1e-12);
}

/// A column that varies in the table but not in the rows that train.
#[test]
fn a_column_constant_by_the_split_is_named_too() {
    let place = Place::new();
    let rows: String = (0..12).map(|i| format!("{i},{},{}\n", u8::from(i == 7), i % 5)).collect();
    place.write("t.csv", &format!("x,rare,y\n{rows}"));
    let named = (0..40).any(|seed| {
        let fit = format!("t.csv --target y --test-fraction 0.3 --starts 1 --seed {seed}");
        place.fit(&fit)["warnings"].to_string().contains("`rare` is 0 in every training row")
    });
    assert!(named);
}

/// Cases 2 and 3: equal inputs that disagree.
#[test]
fn equal_inputs_need_noise_that_explains_them() {
    let place = Place::new();
    place.write("gap.csv", "x,y\n0,1\n,9\n5,2\n0,3\n");
    let params = |noise: &str| {
        let text = format!(
            r#"{{"lengthscale": 1, "variance": 1, "noise_variance": {noise}, "units": "original"}}"#
        );
        place.write("p.json", &text);
    };
    let fixed = "gap.csv --target y --params p.json --no-train --drop-missing";
    params("0");
    let run = place.taut(&format!("fit {fixed}")).refused(
        1,
        "rows 1 and 4 have equal inputs but different targets",
        "noise",
    );
    assert!(run.err.contains("`noise_variance` is 0"), "{}", run.err);
    params("1e-10");
    let warnings = place.fit(fixed)["warnings"].to_string();
    assert!(warnings.contains("rows 1 and 4 have equal inputs"), "{warnings}");
    params("0.5");
    let warnings = place.fit(fixed)["warnings"].to_string();
    assert!(!warnings.contains("equal inputs"), "{warnings}");
    place.write("same.csv", "x,y\n0,1\n5,2\n0,1\n");
    params("0");
    place.taut("fit same.csv --target y --params p.json --no-train").refused(
        1,
        "rows 1 and 3 have equal inputs and equal targets",
        "",
    );
}
