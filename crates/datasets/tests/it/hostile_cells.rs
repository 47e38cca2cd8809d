//! Cells that cannot be used as numbers.

use datasets::{DataError, Hint, Missing, Roles, design};

use crate::{
    assert_error,
    support::{dropping, read, strings, try_design},
};

#[test]
fn text_in_a_column_of_numbers() {
    assert_error!(
        try_design("x,y\n1,2\nred,3\n5,blue\n"),
        DataError::NotANumber { place, count: 1, rows: 3, hint: None, .. } if place.row == 2 && place.column == "x",
        "row 2 (line 3), column `x` holds `red`",
        "1 of the column's 3 cells",
        "correct the cell",
    );
    assert_error!(
        try_design("c,y\nred,1\nblue,2\n"),
        DataError::NotANumber { hint: Some(Hint::Categories), .. },
        "2 of the column's 2 cells",
        "make the column one-hot, or drop it",
    );
    // Text comes first even where rows are dropped: a typing error is no missing value.
    assert_error!(
        design(&read("x,y\n,1\nred,2\n"), &dropping("y")),
        DataError::NotANumber { .. },
        "row 2"
    );
}

#[test]
fn text_that_was_meant_as_a_number_gets_a_hint() {
    for (cell, expected, part) in [
        ("1_000", Hint::Underscore, "underscores"),
        ("\"1,234.5\"", Hint::ThousandsSeparator, "thousands"),
        ("\"3,14\"", Hint::DecimalComma, "decimals with a point"),
        ("N/A", Hint::MissingMark, "missing token"),
        ("true", Hint::Boolean, "0 and 1"),
        ("2024-05-31", Hint::Date, "days since"),
        ("12 kg", Hint::Unit, "units"),
    ] {
        let result = try_design(&format!("x,y\n1,2\n{cell},3\n"));
        assert_error!(result, DataError::NotANumber { hint: Some(hint), .. } if *hint == expected, part, "row 2");
    }
    let result = try_design("x;y\n1,5;2\n2,5;3\n");
    assert_error!(
        result,
        DataError::NotANumber { hint: Some(Hint::DecimalComma), .. },
        "column `x` holds `1,5`",
        "point"
    );
}

#[test]
fn missing_cells_are_refused_by_default() {
    assert_error!(
        try_design("x,y\n1,2\n3,NaN\n,4\n,\n"),
        DataError::MissingCell { place, cells: 4, rows: 3, .. } if place.row == 2 && place.column == "y",
        "row 2 (line 3), column `y` holds `NaN`",
        "4 such cells in 3 rows",
        "dropped",
    );
    assert_error!(
        try_design("x,y\n1,2\n,4\n"),
        DataError::MissingCell { .. },
        "row 2 (line 3), column `x` is empty"
    );
    // Columns that are not used may have holes.
    let roles = Roles { drop: strings(&["z"]), ..Roles::target("y") };
    assert_eq!(design(&read("x,y,z\n1,2,\n3,4,red\n"), &roles).unwrap().x.nrows(), 2);
}

#[test]
fn infinite_cells_are_refused_by_default() {
    for cell in ["inf", "-Infinity", "1e400", "+INF"] {
        let result = try_design(&format!("x,y\n1,2\n{cell},4\n"));
        assert_error!(
            result,
            DataError::NotFinite { cells: 1, .. },
            "row 2 (line 3), column `x`",
            cell,
            "finite"
        );
    }
}

/// Case 32: a sine of which every fifth value is NaN.
#[test]
fn dropping_rows_gives_what_the_finite_rows_alone_give() {
    let value = |i: u32| (f64::from(i) * 0.1).sin();
    let row = |i: u32| {
        format!(
            "{},c{},{}\n",
            f64::from(i) * 0.1,
            i % 3,
            if i % 5 == 4 { "NaN".into() } else { value(i).to_string() }
        )
    };
    let whole: String = "x,c,y\n".to_owned() + &(0..100).map(row).collect::<String>();
    let finite: String =
        "x,c,y\n".to_owned() + &(0..100).filter(|i| i % 5 != 4).map(row).collect::<String>();
    let roles = Roles { one_hot: strings(&["c"]), ..Roles::target("y") };
    assert_error!(
        design(&read(&whole), &roles),
        DataError::MissingCell { place, cells: 20, rows: 20, .. } if place.row == 5 && place.line == 6,
        "column `y` holds `NaN`",
    );
    let dropped =
        design(&read(&whole), &Roles { missing: Missing::DropRows, ..roles.clone() }).unwrap();
    let alone = design(&read(&finite), &roles).unwrap();
    assert_eq!((&dropped.x, &dropped.y, &dropped.encoder), (&alone.x, &alone.y, &alone.encoder));
    assert_eq!(
        (dropped.dropped.count, dropped.dropped.missing_cells, dropped.dropped.first.len()),
        (20, 20, 5)
    );
    assert_eq!((dropped.dropped.first[0].row, dropped.dropped.first[0].line), (5, 6));
    assert_eq!(dropped.kept_rows[4], 5);
    assert!(dropped.notices.iter().any(|notice| notice.to_string().contains("20 rows left out")));
}

#[test]
fn a_level_that_only_dropped_rows_have_is_no_level() {
    let roles = Roles { one_hot: strings(&["c"]), ..dropping("y") };
    let made = design(&read("c,y\na,1\nb,\na,inf\nc,2\n"), &roles).unwrap();
    assert_eq!(made.feature_names, ["c=a", "c=c"]);
    assert_eq!((made.dropped.missing_cells, made.dropped.not_finite_cells), (1, 1));
}

#[test]
fn nothing_is_left_to_drop() {
    assert_error!(
        design(&read("x,y\n,1\n2,\n,3\n"), &dropping("y")),
        DataError::AllRowsDropped { rows: 3, missing: 2, .. },
        "each of the 3 rows",
        "drop a column",
        "`x`",
    );
}

#[test]
fn giant_and_unprintable_cells_are_shown_in_part() {
    let result = try_design(&format!("x,y\n\"{}\na\u{7}\",1\n", "long ".repeat(1000)));
    let message = result.unwrap_err().to_string();
    assert!(message.len() < 300 && message.contains('…'), "{message}");
}
