//! Options of `fit` that say which cells are used, and for what.

use serde_json::json;

use crate::support::{Place, at};

#[test]
fn all_other_columns_are_inputs_unless_told_otherwise() {
    let place = Place::with_tables();
    let quick = "--starts 1 --max-iters 3";
    let d = |options: &str| at(&place.fit(&format!("t.csv --target y {quick} {options}")), "/d");
    assert_eq!(d(""), 3.0);
    assert_eq!(d("--features b,a"), 2.0);
    assert_eq!(d("--drop z"), 2.0);
    assert_eq!(d("--drop z,a"), 1.0);
}

#[test]
fn several_targets_share_hyperparameters() {
    let place = Place::with_tables();
    let report = place.fit("t.csv --target y,z --starts 1 --test-fraction 0.2");
    assert_eq!(at(&report, "/d"), 2.0);
    let targets = report["test"]["per_target"].as_array().unwrap();
    let names: Vec<_> = targets.iter().map(|target| &target["target"]).collect();
    assert_eq!(names, [&json!("y"), &json!("z")]);
    let mean_of = |key: &str| 0.5 * (at(&targets[0], key) + at(&targets[1], key));
    assert!((at(&report, "/test/nlpd") - mean_of("/nlpd")).abs() < 1e-12);
    let offset: f64 = at(&report, "/lml/original_offset");
    assert!(offset.is_finite());
}

/// The log-determinant counts once for each target: two equal columns have twice the LML of one.
#[test]
fn a_target_given_twice_doubles_the_evidence() {
    let place = Place::with_tables();
    let text = place.read("t.csv");
    let doubled: String = text
        .lines()
        .map(|line| format!("{line},{}\n", line.split(',').nth(2).unwrap().replace('y', "y2")))
        .collect();
    place.write("twice.csv", &doubled);
    let params = r#"{"lengthscales": [1, 2], "variance": 1, "noise_variance": 0.1}"#;
    place.write("p.json", params);
    let fixed = "--params p.json --no-train --features a,b";
    let one = place.fit(&format!("twice.csv --target y {fixed}"));
    let two = place.fit(&format!("twice.csv --target y,y2 {fixed}"));
    assert!((at(&two, "/lml/exact") - 2.0 * at(&one, "/lml/exact")).abs() < 1e-9);
}

#[test]
fn a_text_column_becomes_one_input_for_each_of_its_values() {
    let place = Place::with_tables();
    let coloured: String = place
        .read("t.csv")
        .lines()
        .enumerate()
        .map(|(i, line)| {
            let colour = if i == 0 { "colour" } else { ["red", "green", "blue"][i % 3] };
            format!("{line},{colour}\n")
        })
        .collect();
    place.write("c.csv", &coloured);
    place.taut("fit c.csv --target y --drop z").refused(1, "`colour`", "--one-hot");
    let report = place
        .fit("c.csv --target y --drop z --one-hot colour --starts 1 --kernel se+linear[colour]");
    assert_eq!(at(&report, "/d"), 5.0);
    assert_eq!(report["kernel"], json!("se + linear[colour=blue,colour=green,colour=red]"));
    place.write("q.csv", "colour,a,b\nred,0,1\nblue,0,1\n");
    let rows = place.taut("predict c.taut q.csv").ok().out;
    assert_eq!(rows.lines().count(), 3);
    place.write("q.csv", "colour,a,b\nblack,0,1\n");
    place.taut("predict c.taut q.csv --out p.csv").refused(1, "`black`", "");
}

/// Case 32: every fifth target of y = sin is NaN.
#[test]
fn rows_with_missing_cells_are_refused_or_dropped_on_request() {
    let place = Place::new();
    let (mut holes, mut finite) = ("x,y\n".to_owned(), "x,y\n".to_owned());
    for i in 0..100 {
        let x = i as f64 / 10.0;
        let line = format!("{x},{}\n", x.sin());
        if i % 5 == 0 {
            holes.push_str(&format!("{x},NaN\n"));
        } else {
            holes.push_str(&line);
            finite.push_str(&line);
        }
    }
    place.write("holes.csv", &holes);
    place.write("finite.csv", &finite);
    let refusal = place.taut("fit holes.csv --target y").refused(1, "row 1", "--drop-missing");
    assert!(refusal.err.contains("`y`") && refusal.err.contains("20"), "{}", refusal.err);
    let run = place.taut("fit holes.csv --target y --starts 1 --drop-missing").ok();
    assert!(run.out.contains("20 rows left out"), "{}", run.out);
    place.taut("fit finite.csv --target y --starts 1").ok();
    assert_eq!(place.read("holes.taut"), place.read("finite.taut"));
    place.write("new.csv", "x\n0.05\n11\n");
    let predictions = |model: &str| place.taut(&format!("predict {model} new.csv")).ok().out;
    assert_eq!(predictions("holes.taut"), predictions("finite.taut"));
}

#[test]
fn the_split_files_reproduce_the_split() {
    let place = Place::with_tables();
    let options = "--target y --drop z --starts 1";
    let split = place.fit(&format!(
        "t.csv {options} --test-fraction 0.3 --seed 7 --split-out parts --out split.taut"
    ));
    assert_eq!((at(&split, "/n_train"), at(&split, "/n_test")), (21.0, 9.0));
    let files = place
        .fit(&format!("parts/train.csv {options} --seed 7 --test parts/test.csv --out files.taut"));
    for key in ["params", "lml", "test", "loo", "n_train", "n_test"] {
        assert_eq!(split[key], files[key], "{key}");
    }
    assert_eq!(place.read("split.taut"), place.read("files.taut"));
    let other = place.fit(&format!("t.csv {options} --test-fraction 0.3 --seed 8"));
    assert_ne!(split["test"], other["test"]);
}

#[test]
fn a_split_of_a_table_with_holes_keeps_its_other_columns() {
    let place = Place::new();
    place.write("t.csv", "name,x,y\nann,1,2\nbob,,3\ncy,3,1\ndi,4,5\n\"e, f\",5,1\n");
    place.fit(
        "t.csv --target y --drop name --drop-missing --test-fraction 0.5 --split-out p --starts 1",
    );
    let both = place.read("p/train.csv") + &place.read("p/test.csv");
    assert_eq!(both.matches("name,x,y\n").count(), 2);
    assert!(both.contains("\"e, f\",5,1\n") && !both.contains("bob"), "{both}");
    assert_eq!(both.lines().count(), 6);
}

#[test]
fn gzip_standard_input_and_other_line_ends_give_the_same_model() {
    let place = Place::with_tables();
    let options = "--target y --drop z --starts 1 --max-iters 5 --out";
    let plain = place.read("t.csv");
    place.taut(&format!("fit t.csv {options} plain.taut")).ok();
    let odd = format!("\u{feff}{}", plain.replace('\n', "\r\n"));
    place.write("odd.csv", &odd);
    place.taut(&format!("fit odd.csv {options} odd.taut")).ok();
    let gz = std::fs::File::create(place.path("t.csv.gz")).unwrap();
    let mut gz = flate2::write::GzEncoder::new(gz, flate2::Compression::fast());
    std::io::Write::write_all(&mut gz, plain.as_bytes()).unwrap();
    gz.finish().unwrap();
    place.taut(&format!("fit t.csv.gz {options} gz.taut")).ok();
    let arguments = format!("fit - {options} stdin.taut");
    let mut command = place.command(&arguments.split(' ').collect::<Vec<_>>());
    command.stdin(std::fs::File::open(place.path("t.csv")).unwrap());
    assert!(command.output().unwrap().status.success());
    for model in ["odd.taut", "gz.taut", "stdin.taut"] {
        assert_eq!(place.read("plain.taut"), place.read(model), "{model}");
    }
}
