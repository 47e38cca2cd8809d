//! Models, places and parameter files that are not what they should be.

use crate::support::Place;

#[test]
fn damaged_models_are_refused() {
    let place = Place::with_model();
    let whole = place.read("m.taut");
    let commands = ["predict bad.taut new.csv --out p.csv", "certify bad.taut --report c.json"];
    let refused = |content: &str, cause: &str, remedy: &str| {
        place.write("bad.taut", content);
        for command in commands {
            place.taut(command).refused(1, cause, remedy);
        }
    };
    refused(&whole[..whole.len() - 20], "ends too early", "cut off");
    refused(&whole[..10], "ends too early", "cut off");
    refused("", "bad.taut", "");
    for other in [1, 3] {
        let text = whole.replace("\"version\":2", &format!("\"version\":{other}"));
        refused(&text, &format!("version {other}"), "fit again");
    }
    refused("a,b\n1,2\n", "is not a taut-model file", "");
    refused("{}", "bad.taut", "");
    refused("[1, 2]", "is not a taut-model file", "");
    refused(
        &whole.replacen("taut-model", "taut-checkpoint", 1),
        "it is a taut-checkpoint file",
        "",
    );
    refused(&whole.replacen("\"alpha\"", "\"beta\"", 1), "bad.taut", "");
    refused(
        &whole.replacen("\"noise_variance\":", "\"noise_variance\":-", 1),
        "noise_variance",
        "",
    );
    std::fs::write(place.path("bad.taut"), [0xff, 0xfe, 0, 1]).unwrap();
    place.taut(commands[0]).refused(1, "not text", "");
    place.taut("predict none.taut new.csv").refused(1, "none.taut", "exists");
    place.taut("certify . --report c.json").refused(1, "cannot read .", "");
}

#[test]
fn what_cannot_be_written_is_refused_before_training() {
    let place = Place::with_model();
    let fit = "fit t.csv --target y --starts 1";
    place.taut(&format!("{fit} --out no/m.taut")).refused(1, "cannot write no/m.taut", "");
    place.taut(&format!("{fit} --report no/r.json")).refused(1, "cannot write no/r.json", "");
    place.taut(&format!("{fit} --checkpoint no/c")).refused(1, "cannot write no/c", "");
    place.taut(&format!("{fit} --out .")).refused(1, "cannot write .", "");
    place.taut(&format!("{fit} --test-fraction 0.2 --split-out t.csv")).refused(
        1,
        "cannot write t.csv",
        "",
    );
    place.taut("predict m.taut new.csv --out no/p.csv").refused(1, "cannot write no/p.csv", "");
    place.taut("certify m.taut --report no/c.json").refused(1, "cannot write no/c.json", "");
    let told = place.taut(&format!("{fit} --out no/m.taut")).err;
    assert!(!told.contains(".taut-"), "{told}");
    assert_eq!(place.names(), ["m.taut", "new.csv", "t.csv"]);
}

/// A name given twice would lose something.
#[test]
fn nothing_replaces_an_input() {
    let place = Place::with_model();
    let fit = "fit t.csv --target y --starts 1";
    place.taut(&format!("{fit} --out t.csv")).refused(2, "would replace t.csv", "names");
    place.taut(&format!("{fit} --out ./t.csv")).refused(2, "would replace t.csv", "names");
    place.taut(&format!("{fit} --report x --out x")).refused(2, "would replace x", "names");
    place.taut(&format!("{fit} --params m.taut --out m.taut")).refused(
        2,
        "would replace m.taut",
        "",
    );
    place.taut("predict m.taut new.csv --out new.csv").refused(2, "would replace new.csv", "");
    place.taut("certify m.taut --report m.taut").refused(2, "would replace m.taut", "");
    place.taut("predict m.taut new.csv --out m.taut").refused(2, "would replace m.taut", "");
    place.taut("data describe t.csv --report t.csv").refused(2, "would replace t.csv", "");
    place.write("p.json", r#"{"lengthscale": 1, "variance": 1, "noise_variance": 0.1}"#);
    let own = "certify m.taut --params p.json --report p.json";
    place.taut(own).refused(2, "would replace p.json", "");
}

/// The two files of a split are outputs like others.
#[test]
fn a_split_replaces_no_input() {
    let place = Place::with_tables();
    let whole = place.read("t.csv");
    std::fs::create_dir(place.path("s")).unwrap();
    for name in ["train.csv", "s/test.csv"] {
        place.write(name, &whole);
    }
    let fit = "fit train.csv --target y --starts 1 --test-fraction 0.2 --out m.taut --split-out";
    place.taut(&format!("{fit} .")).refused(2, "would replace train.csv", "names");
    let fit = "fit t.csv --target y --starts 1 --test-fraction 0.2 --out m.taut --split-out";
    for other in ["--params", "--report", "--checkpoint"] {
        place.taut(&format!("{fit} s {other} s/test.csv")).refused(2, "would replace", "names");
    }
    place.taut("fit t.csv --target y --test-fraction 0.2 --split-out s --out s/train.csv").refused(
        2,
        "would replace s/t",
        "names",
    );
    assert_eq!([place.read("train.csv"), place.read("s/test.csv")], [whole.clone(), whole]);
    place.taut(&format!("{fit} new/folder")).ok();
    assert!(place.path("new/folder/test.csv").exists());
}

/// Links of either kind, and standard input, lead to the same file.
#[test]
#[cfg(unix)]
fn links_hide_no_input() {
    let place = Place::with_model();
    std::fs::hard_link(place.path("t.csv"), place.path("hard")).unwrap();
    std::os::unix::fs::symlink("t.csv", place.path("soft")).unwrap();
    std::os::unix::fs::symlink("nothing", place.path("dangling")).unwrap();
    for name in ["hard", "soft", "./soft", "../t.csv/../t.csv"] {
        let run = place.taut(&format!("fit t.csv --target y --starts 1 --out {name}"));
        assert_ne!(run.code, Some(0), "{name}");
    }
    let both = "fit t.csv --target y --starts 1 --out nothing --report dangling";
    place.taut(both).refused(2, "would replace nothing", "names");
    let data = std::fs::File::open(place.path("t.csv")).unwrap();
    let mut command = place.command(&["fit", "-", "--target", "y", "--out", "t.csv"]);
    assert_eq!(command.stdin(data).output().unwrap().status.code(), Some(2));
    assert!(place.read("t.csv").starts_with("a,b,y,z\n"));
    place.taut("fit t.csv --target y --starts 1 --out dangling").ok();
    assert!(place.path("dangling").is_symlink() && place.path("nothing").is_file());
}

/// Writing to a pipe with a name waits for a reader, after training: it is refused before.
#[test]
#[cfg(unix)]
fn a_fit_waits_for_no_reader() {
    let place = Place::with_model();
    let pipe = place.path("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    for option in ["--out", "--report", "--checkpoint"] {
        let fit = format!("fit t.csv --target y --starts 1 {option} pipe");
        place.taut(&fit).refused(1, "cannot write pipe", "file");
    }
    place.taut("certify m.taut --report pipe").refused(1, "cannot write pipe", "file");
    place.taut("data describe t.csv --report pipe").refused(1, "cannot write pipe", "file");
    place.taut("data describe t.csv --report /dev/stdout").ok();
}

/// Names as long as the system takes, also those that begin with a dot.
#[test]
fn long_names_are_written_or_refused_at_once() {
    let place = Place::with_tables();
    let fit = "fit t.csv --target y --starts 1 --out";
    place.taut(&format!("{fit} .{}", "x".repeat(245))).ok();
    let run = place.taut(&format!("{fit} .{}", "x".repeat(255)));
    assert!(!run.refused(1, "cannot write .x", "").err.contains(".taut-"));
}

#[test]
fn scalings_that_are_none_are_refused() {
    let place = Place::with_model();
    let whole = place.json("m.taut");
    for part in ["x_scaling", "y_scaling"] {
        for scale in [0.0, -1.0] {
            let mut model = whole.clone();
            model["content"][part]["scale"][0] = serde_json::json!(scale);
            place.write("bad.taut", &model.to_string());
            place.taut("predict bad.taut new.csv --out p.csv").refused(1, "bad.taut", "");
        }
    }
    let mut model = whole.clone();
    model["content"]["y_scaling"]["scale"][0] = serde_json::json!(1e200);
    place.write("bad.taut", &model.to_string());
    place.taut("predict bad.taut new.csv").refused(1, "too large to square", "");
    let mut model = whole;
    let alpha = model["content"]["method"]["exact"]["alpha"]["data"].as_array_mut().unwrap();
    alpha.iter_mut().for_each(|value| *value = serde_json::json!(1e308));
    place.write("bad.taut", &model.to_string());
    for options in ["", "--mean-only", "--samples 2"] {
        let predict = format!("predict bad.taut new.csv --out p.csv {options}");
        place.taut(&predict).refused(1, "prediction of row 1", "fit again");
    }
    let alpha = model["content"]["method"]["exact"]["alpha"]["data"].as_array_mut().unwrap();
    alpha.pop();
    model["content"]["method"]["exact"]["alpha"]["dim"][0] = serde_json::json!(alpha.len());
    place.write("bad.taut", &model.to_string());
    place.taut("predict bad.taut new.csv").refused(1, "29 rows, expected 30", "");
}

/// A command that fails leaves an older result alone.
#[test]
fn failures_keep_what_was_there() {
    let place = Place::with_model();
    place.write("p.csv", "older");
    place.write("bad.csv", "a,b\n1,2\n1,x\n");
    place.taut("predict m.taut bad.csv --out p.csv").refused(1, "`x`", "");
    assert_eq!(place.read("p.csv"), "older");
    let model = place.read("m.taut");
    place.taut("fit bad.csv --target b --out m.taut").refused(1, "`x`", "");
    assert_eq!(place.read("m.taut"), model);
}

#[test]
fn parameter_files_must_make_sense() {
    let place = Place::with_tables();
    let flat = r#"{"lengthscales": [1, 1], "variance": 1, "noise_variance": 0.1, "mean": 0}"#;
    let refused = |params: &str, cause: &str, remedy: &str| {
        place.write("p.json", params);
        let fit = "fit t.csv --target y --drop z --params p.json";
        place.taut(fit).refused(1, cause, remedy);
        place.taut(&format!("{fit} --no-train")).refused(1, cause, remedy);
    };
    refused("garbage", "p.json: is not JSON", "parameter file");
    refused("", "p.json: is not JSON", "parameter file");
    refused("[1, 2]", "does not hold hyperparameters", "noise_variance");
    refused("{}", "does not hold hyperparameters", "noise_variance");
    refused(&flat.replace("\"variance\"", "\"varience\""), "varience", "noise_variance");
    refused(&flat.replace("0.1", "-0.1"), "`noise_variance` is -0.1", "greater than 0");
    refused(&flat.replace("0.1", "0.0"), "`noise_variance` is 0", "1e-10");
    refused(&flat.replace("0.1", "1e999"), "p.json", "");
    refused(&flat.replace("[1, 1]", "[1, 1, 1]"), "3 values", "one for each");
    refused(&flat.replace("[1, 1]", "[1, 0]"), "lengthscales[1]", "greater than 0");
    refused(&flat.replace("[1, 1]", "[]"), "lengthscales", "");
    refused(
        &flat.replace("\"mean\": 0", r#""mean": {"weights": [1], "intercept": 0}"#),
        "mean.weights",
        "each",
    );
    refused(&flat.replace("\"mean\": 0", r#""units": "metres""#), "metres", "");
    let white = r#"{"kernel": {"type": "product", "terms": [{"type": "se", "lengthscales": [1], "variance": 1}, {"type": "white", "variance": 1}]}, "noise_variance": 0.1}"#;
    refused(white, "white", "add it instead");
    refused(&white.replace("\"white\"", "\"black\""), "black", "");
    place.taut("fit t.csv --target y --params none.json").refused(1, "cannot read none.json", "");
}

/// Case 5: what is below the floor of training is refused by name, not moved.
#[test]
fn noise_below_the_floor_is_refused_by_name() {
    let place = Place::with_tables();
    place.write("p.json", r#"{"lengthscale": 1, "variance": 1, "noise_variance": 1e-7}"#);
    let fit = "fit t.csv --target y --params p.json";
    place.taut(fit).refused(1, "`noise_variance` is 0.0000001", "floor");
    place.taut(&format!("{fit} --noise-floor 1e-9")).ok();
    let report = place.fit("t.csv --target y --params p.json --fix noise_variance");
    assert_eq!(report["params"]["noise_variance"], serde_json::json!(1e-7));
}
