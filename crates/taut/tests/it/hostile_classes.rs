//! Tables, labels and models that `taut classify` must get right, or refuse by name.

use crate::support::{Place, close};

fn fit(place: &Place, text: &str, options: &str) -> crate::support::Run {
    place.write("t.csv", text);
    place.taut(&format!("classify fit t.csv --target y --out m {options}"))
}

#[test]
fn labels_with_commas_quotes_and_line_breaks() {
    let place = Place::new();
    let text = "x,y\n1,\"a,\"\"b\"\"\nc\"\n2,\"a,\"\"b\"\"\nc\"\n9,\" d \"\n8,d\n";
    fit(&place, text, "").ok();
    let out = place.taut("classify predict m t.csv").ok().out;
    assert!(out.starts_with("predicted,\"p_a,\"\"b\"\"\nc\",p_d\n\"a,\"\"b\"\"\nc\","), "{out}");
    // What was written reads back as a table.
    place.write("p.csv", &out);
    let described = place.taut("data describe p.csv").ok().out;
    assert!(described.contains("4 rows, 3 columns"), "{described}");
    place.taut("classify evaluate m t.csv --report e.json").ok();
    assert_eq!(place.json("e.json")["classes"], serde_json::json!(["a,\"b\"\nc", "d"]));
    place.taut("classify explain m t.csv --rows 1").ok();
}

#[test]
fn one_class_only() {
    let place = Place::new();
    let out = fit(&place, "x,y\n1,a\n2,a\n", "").ok().out;
    assert!(out.contains("one class only: every prediction will be `a`"), "{out}");
    assert_eq!(place.taut("classify predict m t.csv").ok().out, "predicted,p_a\na,1\na,1\n");
    place.taut("classify evaluate m t.csv").ok();
    place.taut("classify explain m t.csv").refused(1, "one class only", "classify update");
}

#[test]
fn columns_and_rows_without_a_cell() {
    let place = Place::new();
    let out = fit(&place, "x,none,y\n1,,a\n5,NA,b\n2,,a\n6,,b\n,,a\n", "").ok().out;
    assert!(out.contains("none: no cell yet, not used"), "{out}");
    place.write("new.csv", "x,none\n,\n1,\n");
    let out = place.taut("classify predict m new.csv").ok().out;
    // Without any cell the prior is left.
    let first: Vec<&str> = out.lines().nth(1).unwrap().split(',').collect();
    close(first[1].parse().unwrap(), 0.6, 1e-14);
    // The column gets its kind once it has a cell.
    place.write("later.csv", "x,none,y\n1,red,a\n");
    let out = place.taut("classify update m later.csv").ok().out;
    assert!(out.contains("none: categorical (inferred)"), "{out}");
    let out = fit(&place, "none,y\n,a\n,b\n", "").ok().out;
    assert!(out.contains("no column is left as a feature"), "{out}");
}

#[test]
fn cells_that_contradict_their_kind() {
    let place = Place::new();
    let rows = |last: &str| {
        let many: String = (0..9000).map(|i| format!("{},{}\n", i % 2, i % 3)).collect();
        format!("x,y\n{many}{last},1\n")
    };
    // Beyond the chunk that the kind was inferred from.
    fit(&place, &rows("2"), "").refused(
        1,
        "`t.csv`, row 9001 (line 9002), column `x` holds `2`",
        "--kind 'x=gaussian'",
    );
    fit(&place, &rows("2"), "--kind x=gaussian").ok();
    fit(&place, &rows("red"), "").refused(1, "row 9001", "--kind 'x=categorical'");
    std::fs::remove_file(place.path("m")).unwrap();
    fit(&place, "x,y\n1.5,a\n2,b\ninf,b\n", "").refused(
        1,
        "row 3 (line 4), column `x` holds `inf`",
        "correct the cell",
    );
    fit(&place, "x,y\n1.5,a\n1e400,b\n", "").refused(1, "`1e400`", "");
    fit(&place, "x,y\n1.5,a\n1e200,b\n", "").refused(1, "1e140", "correct");
    fit(&place, "x,y\n1.5,a\n2,b\n", "--kind x=count").refused(
        1,
        "holds `1.5`",
        "--kind 'x=gaussian'",
    );
    fit(&place, "x,y\n-1,a\n2,b\n", "--kind x=multinomial").refused(1, "holds `-1`", "");
    fit(&place, "x,y\nred,a\n2,b\n", "--kind x=gaussian").refused(1, "holds `red`", "categorical");
    fit(&place, "x,y\ntrue,a\nFALSE,b\n1,a\n", "").ok();
    // A model refuses the same in what it predicts.
    place.write("new.csv", "x\n1\nred\n");
    place.taut("classify predict m new.csv --out p.csv").refused(
        1,
        "`new.csv`, row 2",
        "correct the cell",
    );
}

#[test]
fn features_that_never_vary_say_nothing() {
    let place = Place::new();
    fit(&place, "x,z,y\n3,7,a\n3,7,b\n3,7,a\n", "--kind x=gaussian").ok();
    let out = place.taut("classify predict m t.csv").ok().out;
    for line in out.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        assert!(cells[0] == "a" && cells[1].starts_with("0.66666666666"), "{line}");
    }
}

#[test]
fn values_a_class_never_had() {
    let place = Place::new();
    fit(&place, "x,y\n0,a\n0,a\n1,b\n1,b\n", "--smoothing 0").ok();
    assert_eq!(
        place.taut("classify predict m t.csv").ok().out,
        "predicted,p_a,p_b\na,1,0\na,1,0\nb,0,1\nb,0,1\n"
    );
    let out = place.taut("classify predict m t.csv --log").ok().out;
    assert!(!out.contains("NaN"), "{out}");
}

#[test]
fn files_without_rows_headers_or_labels() {
    let place = Place::new();
    fit(&place, "", "").refused(1, "`t.csv` is empty", "header line");
    fit(&place, "x,y\n", "").refused(1, "no rows below it", "one row");
    fit(&place, "x,z\n1,2\n", "").refused(1, "no column `y` (asked for as the label)", "position");
    fit(&place, "x,y,x\n1,2,3\n", "").refused(1, "both named `x`", "rename");
    fit(&place, "x,y\n1,\n2,\n", "--skip-unlabelled").refused(1, "no row with a class", "`y`");
    fit(&place, "x,y\n1,2,3\n", "").refused(1, "row 1 (line 2) has 3 cells", "");
    place.taut("classify fit none.csv --target y").refused(1, "does not exist", "path");
    place.taut("classify fit t.csv").code_is(2);
}

#[test]
fn kinds_that_are_none_or_contradict() {
    let place = Place::new();
    let text = "x,y\n1,a\n2,b\n";
    fit(&place, text, "--kind z=gaussian").refused(
        1,
        "no column `z` (asked for as --kind)",
        "position",
    );
    fit(&place, text, "--kind x=normal").refused(2, "`normal` is no kind", "");
    fit(&place, text, "--kind x").refused(2, "not COL=KIND", "such as");
    fit(&place, text, "--kind x=gaussian --kind x=ignore").refused(
        2,
        "as gaussian and as ignore",
        "once",
    );
    fit(&place, text, "--kind y=gaussian").refused(2, "`y` is asked for as the label", "once");
    fit(&place, text, "--weights y").refused(2, "as the label and as the weights", "once");
}

#[test]
fn models_of_another_kind_or_with_other_columns() {
    let place = Place::with_model();
    fit(&place, "a,b,y\n1,2,p\n3,4,q\n", "").ok();
    place.taut("classify predict m.taut t.csv --out p").refused(1, "it is a taut-model file", "");
    place.taut("predict m t.csv --out p").refused(1, "it is a taut-classifier file", "");
    place.taut("classify merge m m.taut --out c").refused(1, "it is a taut-model file", "");
    place.taut("classify update m.taut t.csv").refused(1, "it is a taut-model file", "");
    let whole = place.read("m");
    place.write("cut", &whole[..whole.len() / 2]);
    place.taut("classify explain cut t.csv").refused(1, "ends too early", "cut off");
    place.taut("classify fit t.csv --target y --kind a=categorical --out n").ok();
    place.taut("classify merge m n --out c").refused(
        1,
        "column `a` is `gaussian` in one model and `categorical`",
        "alike",
    );
    place.taut("classify fit t.csv --target b --out n").ok();
    place.taut("classify merge m n --out c").refused(1, "the label is `y`", "alike");
    place.taut("classify merge m --out c").code_is(2);
}

#[test]
fn nothing_replaces_an_input() {
    let place = Place::new();
    fit(&place, "x,y\n1,a\n2,b\n", "").ok();
    place.taut("classify fit t.csv --target y --out t.csv").refused(2, "would replace t.csv", "");
    place.taut("classify predict m t.csv --out m").refused(2, "would replace m", "");
    place.taut("classify merge m m --out m").refused(2, "would replace m", "");
    place.taut("classify evaluate m t.csv --report t.csv").refused(2, "would replace t.csv", "");
    place.taut("classify update m t.csv --report m").refused(2, "would replace m", "");
    place.taut("classify update m t.csv --out t.csv").refused(2, "would replace t.csv", "");
    place.taut("classify predict m t.csv --out no/p").refused(1, "no/p", "");
    place.write("p.csv", "x,predicted\n1,2\n");
    place.taut("classify predict m p.csv --keep").refused(1, "`predicted`", "rename");
}

#[test]
fn classes_and_levels_that_the_model_has_not_seen() {
    let place = Place::new();
    fit(&place, "x,y\nred,a\nblue,b\nred,a\n", "").ok();
    place.write("new.csv", "x,y\ngreen,a\nred,c\n");
    let out = place.taut("classify evaluate m new.csv --report e.json").ok().out;
    assert!(out.contains("1 rows have a class that the model has not seen"), "{out}");
    assert_eq!(
        place.json("e.json")["confusion"],
        serde_json::json!([[1, 0, 0], [0, 0, 0], [1, 0, 0]])
    );
    place.taut("classify predict m new.csv --unseen refuse --out p").refused(
        1,
        "`green`",
        "--unseen skip",
    );
    place.taut("classify predict m new.csv --unseen open").ok();
}

/// Everything again from Parquet would need a writer; what opens tables is shared, and tested in `datasets`.
#[test]
fn a_file_named_parquet_that_is_none() {
    let place = Place::new();
    place.write("t.parquet", "x,y\n1,a\n");
    place.taut("classify fit t.parquet --target y").refused(1, "no Parquet file", ".csv");
    place.taut("fit t.parquet --target y").refused(1, "no Parquet file", ".csv");
    place.write("t.parquet", "PAR1 and no more");
    place.taut("fit t.parquet --target y").refused(
        1,
        "cannot be read as Parquet",
        "write it again",
    );
}

#[test]
fn labels_whose_digits_are_lost_are_refused() {
    let place = Place::new();
    let text = "x,y\n1,1152921504606846977\n2,1152921504606846978\n";
    fit(&place, text, "").refused(1, "row 1 (line 2), column `y`", "a letter in front");
    let text = "x,y\n1152921504606846977,a\n1152921504606846978,b\n";
    fit(&place, text, "--kind x=categorical").refused(1, "column `x`", "a letter in front");
    fit(&place, "x,y\n1,9007199254740991\n2,-9007199254740991\n", "").ok();
}

#[test]
fn rows_that_were_never_learned_cannot_be_taken_out() {
    let place = Place::new();
    fit(&place, "x,y\n4.1,a\n4.3,a\n5.2,b\n5.9,b\n5.4,b\n", "").ok();
    for cell in ["1000", "-3", "9"] {
        place.write("far.csv", &format!("x,y\n{cell},b\n"));
        place.taut("classify update m far.csv --remove").refused(
            1,
            "hold more of `x`",
            "the model has observed",
        );
    }
    place.write("one.csv", "x,y\n5.9,b\n");
    place.taut("classify update m one.csv --remove").ok();
}

#[test]
fn models_with_and_without_weights_are_not_merged() {
    let place = Place::new();
    place.write("w.csv", "x,w,y\n1,1,a\n2,1,b\n3,2,a\n");
    place.taut("classify fit w.csv --target y --weights w --out weighted").ok();
    fit(&place, "x,y\n1,a\n2,b\n", "").ok();
    for models in ["weighted m", "m weighted"] {
        place.taut(&format!("classify merge {models} --out both")).refused(
            1,
            "the column of weights",
            "fit both alike",
        );
    }
}

#[test]
fn options_beyond_all_use_are_refused_by_name() {
    let place = Place::new();
    fit(&place, "x,y\n1,a\n2,b\n3,b\n", "").ok();
    for (command, option) in [
        ("predict m t.csv --smoothing 1e308", "alpha"),
        ("predict m t.csv --var-smoothing 1e308", "smoothing"),
    ] {
        place.taut(&format!("classify {command}")).refused(1, option, "");
    }
    for (command, option) in [
        ("evaluate m t.csv --k-fold 1000000000", "--k-fold"),
        ("evaluate m t.csv --bins 1000000000000", "--bins"),
        ("evaluate m t.csv --thresholds 1000000000000", "--thresholds"),
    ] {
        place.taut(&format!("classify {command}")).refused(2, option, "");
    }
}

/// Where a class is impossible its odds are infinite, or none at all, and no number is NaN.
#[test]
fn explanations_of_what_is_impossible() {
    let place = Place::new();
    let text = "x,z,y\nred,p,a\nblue,q,b\nred,p,a\ngreen,r,c\ngreen,s,c\n";
    fit(&place, text, "--smoothing 0").ok();
    place.write("n.csv", "x,z\ngreen,p\n");
    let explain = |options: &str| {
        let out =
            place.taut(&format!("classify explain m n.csv {options} --report x.json")).ok().out;
        assert!(!out.contains("NaN"), "{out}");
        out
    };
    // `green` is in neither: 0 of 2 rows against 0 of 1, in the limit of small pseudo-counts.
    let out = explain("--class a --against b");
    assert!(out.contains("log odds of a against b: +inf"), "{out}");
    assert!(
        out.contains("     -0.6931  x = green") && out.contains("        +inf  z = p"),
        "{out}"
    );
    let prior = "--prior a=1 --prior b=0 --prior c=0";
    let out = explain(&format!("--class b --against c {prior}"));
    assert!(out.contains("predicted a; no odds of b against c, neither is possible"), "{out}");
    assert!(out.contains("   undefined  prior"), "{out}");
    assert_eq!(place.json("x.json")[0]["log_odds"], serde_json::Value::Null);
    // ∞ − ∞ of the features that are not shown.
    let out = explain("--class a --against c --top 1");
    assert!(out.contains("   undefined  1 more") || out.contains("inf  1 more"), "{out}");
    let out = place.taut("classify fit t.csv --target y --out m --smoothing -1");
    out.refused(2, "--smoothing", "");
}

/// Squares beyond all numbers, whose differences are none.
#[test]
fn explanations_of_cells_far_from_every_class() {
    let place = Place::new();
    fit(&place, "x,y\n1,a\n-1,b\n2,a\n-3,b\n0,c\n9,c\n", "").ok();
    place.write("n.csv", "x\n1e308\n-1e200\n");
    for sides in ["", "--class a --against b", "--class b --against a", "--class c"] {
        let out = place.taut(&format!("classify explain m n.csv {sides}")).ok().out;
        assert!(!out.contains("NaN") && !out.contains("undefined"), "{out}");
    }
}
