//! `taut predict`: what it writes and where.

use std::io::{Read, Write};
use std::process::Stdio;

use crate::support::{Place, at, close, numbers};

const HEADER: &str = "mean,var_latent,var_y,lower,upper";

/// Case 20: the noise, in original units, is what tells the two variances apart.
#[test]
fn columns_are_named_and_mean_what_they_say() {
    let place = Place::with_tables();
    let report = place.fit("t.csv --target y --drop z --starts 1 --test-fraction 0.3 --out m.taut");
    let out = place.taut("predict m.taut new.csv").ok().out;
    assert_eq!(out.lines().next(), Some(HEADER));
    let s = at(&report, "/test/rmse_original") / at(&report, "/test/rmse");
    let noise = at(&report, "/params/noise_variance") * s * s;
    for row in numbers(&out) {
        close(row[2] - row[1], noise, 1e-12);
        assert!(row[1] >= 0.0);
        let half = 1.959_963_984_540_054 * row[2].sqrt();
        close(row[3], row[0] - half, 1e-12);
        close(row[4], row[0] + half, 1e-12);
    }
}

/// Case 20 in numbers: X = {0}, y = {2}, noise 0.1.
#[test]
fn one_point_predicts_itself_shrunk() {
    let place = Place::new();
    place.write("one.csv", "x,y\n0,2\n");
    let params = r#"{"lengthscale": 1, "variance": 1, "noise_variance": 0.1, "mean": null, "units": "original"}"#;
    place.write("p.json", params);
    let report = place.fit("one.csv --target y --params p.json --kernel se --no-train --no-scale");
    close(at(&report, "/lml/exact"), -2.784_775_441_3, 1e-10);
    let row = &numbers(&place.taut("predict one.taut one.csv").ok().out)[0];
    close(row[0], 1.818_181_818_2, 1e-10);
    close(row[1], 0.090_909_090_9, 1e-10);
    close(row[2], 0.190_909_090_9, 1e-10);
}

#[test]
fn the_interval_is_as_wide_as_asked_for() {
    let place = Place::with_model();
    let rows =
        |options: &str| numbers(&place.taut(&format!("predict m.taut new.csv {options}")).ok().out);
    let (narrow, wide) = (rows("--interval 0.5"), rows("--interval 0.99"));
    for (narrow, wide) in narrow.iter().zip(&wide) {
        let z = |row: &[f64]| (row[4] - row[0]) / row[2].sqrt();
        close(z(narrow), 0.674_489_750_196_08, 1e-9);
        close(z(wide), 2.575_829_303_548_9, 1e-9);
    }
}

#[test]
fn the_mean_alone_is_the_same_mean() {
    let place = Place::with_model();
    let all = place.taut("predict m.taut new.csv").ok().out;
    let mean = place.taut("predict m.taut new.csv --mean-only").ok().out;
    let first = |line: &str| line.split(',').next().unwrap().to_owned();
    assert_eq!(mean, all.lines().map(|line| first(line) + "\n").collect::<String>());
}

#[test]
fn samples_follow_the_seed_and_the_posterior() {
    let place = Place::with_model();
    let draw = |seed: u32, count: u32| {
        place.taut(&format!("predict m.taut new.csv --samples {count} --seed {seed}")).ok().out
    };
    let three = draw(1, 3);
    assert_eq!(three.lines().next().unwrap(), format!("{HEADER},sample_1,sample_2,sample_3"));
    assert_eq!(three, draw(1, 3));
    assert_ne!(three, draw(2, 3));
    for row in numbers(&draw(1, 400)) {
        let draws = &row[5..];
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        let error = (mean - row[0]).abs() / (row[1] / draws.len() as f64).sqrt().max(1e-12);
        assert!(error < 4.0, "{error} standard errors");
    }
}

#[test]
fn too_many_samples_are_refused() {
    let place = Place::with_model();
    let many: String = (0..10_001).map(|i| format!("{i},1\n")).collect();
    place.write("many.csv", &format!("a,b\n{many}"));
    place.taut("predict m.taut many.csv --samples 1 --out p.csv").refused(1, "10000 rows", "fewer");
    let many: String = (0..600).map(|i| format!("{i},1\n")).collect();
    place.write("many.csv", &format!("a,b\n{many}"));
    let samples = "--samples 100000 --out p.csv";
    place.taut(&format!("predict m.taut many.csv {samples}")).refused(
        1,
        "50000000 numbers",
        "fewer",
    );
    place.taut("predict m.taut new.csv --samples 100001").refused(2, "at most 100000", "");
}

/// A pipe with a name is written to; a file of that name does not take its place.
#[test]
#[cfg(unix)]
fn a_named_pipe_is_written_to() {
    use std::os::unix::fs::FileTypeExt;

    let place = Place::with_model();
    let pipe = place.path("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = {
        let pipe = pipe.clone();
        std::thread::spawn(move || std::fs::read_to_string(pipe).unwrap())
    };
    place.taut("predict m.taut new.csv --out pipe").ok();
    assert_eq!(reader.join().unwrap(), place.taut("predict m.taut new.csv").ok().out);
    assert!(pipe.metadata().unwrap().file_type().is_fifo());
}

#[test]
fn the_tables_own_columns_can_be_kept() {
    let place = Place::with_model();
    let out = place.taut("predict m.taut new.csv --keep --mean-only").ok().out;
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "b,note,a,mean");
    assert!(lines[1].starts_with("0.5,first,1,") && lines[3].starts_with("9,far,40,"), "{out}");
    place.write("clash.csv", "a,b,mean\n1,2,3\n");
    place.taut("predict m.taut clash.csv --keep").refused(1, "`mean`", "--keep");
    place.taut("predict m.taut clash.csv").ok();
}

#[test]
fn several_targets_carry_their_names() {
    let place = Place::with_tables();
    place.taut("fit t.csv --target z,y --starts 1 --out two.taut").ok();
    let out = place.taut("predict two.taut new.csv").ok().out;
    let header =
        "mean_z,var_latent_z,var_y_z,lower_z,upper_z,mean_y,var_latent_y,var_y_y,lower_y,upper_y";
    assert_eq!(out.lines().next(), Some(header));
    let mean = place.taut("predict two.taut new.csv --mean-only --samples 1");
    mean.refused(2, "--mean-only", "");
    let samples = place.taut("predict two.taut new.csv --samples 2").ok().out;
    let names: Vec<&str> = samples.lines().next().unwrap().split(',').collect();
    assert_eq!((names[5], names[6], names[7]), ("sample_1_z", "sample_2_z", "mean_y"));
    let (plain, sampled) = (numbers(&out), numbers(&samples));
    assert_eq!((plain[0][5], plain[2][9]), (sampled[0][7], sampled[2][11]));
}

#[test]
fn order_and_further_columns_do_not_matter() {
    let place = Place::with_model();
    place.write("swapped.csv", "a,q,b\n1,7,0.5\n-0.25,7,1.5\n40,7,9\n");
    let predict = |file: &str| place.taut(&format!("predict m.taut {file}")).ok().out;
    assert_eq!(predict("new.csv"), predict("swapped.csv"));
}

/// Case 19 at the shell: a row's prediction does not depend on its company.
#[test]
fn one_by_one_equals_all_at_once() {
    let place = Place::with_model();
    let all = place.taut("predict m.taut new.csv").ok().out;
    let text = place.read("new.csv");
    for (row, line) in text.lines().skip(1).enumerate() {
        place.write("one.csv", &format!("b,note,a\n{line}\n"));
        let one = place.taut("predict m.taut one.csv").ok().out;
        for (one, all) in numbers(&one)[0].iter().zip(&numbers(&all)[row]) {
            close(*one, *all, 1e-12);
        }
    }
}

#[test]
fn pipes_and_gzip_work_on_both_ends() {
    let place = Place::with_model();
    let expected = place.taut("predict m.taut new.csv").ok().out;
    place.taut("predict m.taut new.csv --out p.csv").ok();
    assert_eq!(place.read("p.csv"), expected);
    place.taut("predict m.taut new.csv --out p.csv.gz").ok();
    let mut text = String::new();
    let gz = std::fs::File::open(place.path("p.csv.gz")).unwrap();
    flate2::read::GzDecoder::new(gz).read_to_string(&mut text).unwrap();
    assert_eq!(text, expected);
    let mut gz = flate2::write::GzEncoder::new(
        std::fs::File::create(place.path("new.csv.gz")).unwrap(),
        flate2::Compression::fast(),
    );
    gz.write_all(place.read("new.csv").as_bytes()).unwrap();
    gz.finish().unwrap();
    assert_eq!(place.taut("predict m.taut new.csv.gz").ok().out, expected);
    let mut command = place.command(&["predict", "m.taut", "-", "--out", "-"]);
    command.stdin(std::fs::File::open(place.path("new.csv")).unwrap());
    let output = command.output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), expected);
}

/// A reader that leaves early is no fault of the data.
#[test]
fn a_closed_pipe_ends_quietly() {
    let place = Place::with_model();
    let many: String = (0..60_000).map(|i| format!("{i},1\n")).collect();
    place.write("many.csv", &format!("a,b\n{many}"));
    for arguments in
        ["predict m.taut many.csv --quiet", "certify m.taut --quiet", "data describe t.csv"]
    {
        let mut command = place.command(&arguments.split(' ').collect::<Vec<_>>());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), told.as_str()), (Some(0), ""), "{arguments}");
    }
}

/// Case 49: another process, the same bits; and a copy elsewhere, too.
#[test]
fn a_loaded_model_predicts_the_same_bits() {
    let place = Place::with_tables();
    let fit = "fit t.csv --target y --drop z --starts 1 --test-fraction 0.5 --split-out parts";
    place.taut(&format!("{fit} --out m.taut --report r.json")).ok();
    let first = place.taut("predict m.taut parts/test.csv").ok().out;
    let elsewhere = Place::new();
    std::fs::copy(place.path("m.taut"), elsewhere.path("copy.taut")).unwrap();
    std::fs::copy(place.path("parts/test.csv"), elsewhere.path("test.csv")).unwrap();
    assert_eq!(elsewhere.taut("predict copy.taut test.csv").ok().out, first);
    let scored: f64 = numbers(&place.taut("predict m.taut parts/test.csv --keep").ok().out)
        .iter()
        .map(|row| (row[2] - row[4]).powi(2))
        .sum();
    let n = numbers(&first).len() as f64;
    close(at(&place.json("r.json"), "/test/rmse_original"), (scored / n).sqrt(), 1e-12);
}

/// Case 40: both widths and the names, when columns are missing.
#[test]
fn wrong_columns_are_named() {
    let place = Place::with_model();
    place.write("wrong.csv", "a,c\n1,2\n");
    let run = place.taut("predict m.taut wrong.csv --out p.csv").refused(1, "`b`", "a, b");
    assert!(run.err.contains("2 columns"), "{}", run.err);
    place.write("text.csv", "a,b\n1,2\n1,two\n");
    place.taut("predict m.taut text.csv --out p.csv").refused(1, "row 2", "");
    place.write("hole.csv", "a,b\n1,\n");
    place.taut("predict m.taut hole.csv --out p.csv").refused(1, "row 1", "");
    place.write("inf.csv", "a,b\n1,inf\n");
    place.taut("predict m.taut inf.csv --out p.csv").refused(1, "`inf`", "");
    place.write("header.csv", "a,b\n");
    for options in ["", "--samples 2 "] {
        place
            .taut(&format!("predict m.taut header.csv {options}--out p.csv"))
            .refused(1, "no rows", "");
    }
    place.write("empty.csv", "");
    place.taut("predict m.taut empty.csv --out p.csv").refused(1, "is empty", "");
    place.taut("predict m.taut absent.csv --out p.csv").refused(1, "does not exist", "");
}

/// What predict advises is what predict can do, and no header goes out before a row is ready.
#[test]
fn a_row_that_cannot_be_predicted_is_refused_with_advice_that_applies() {
    let place = Place::with_model();
    let cells = [
        ("", "is empty, expected a number ("),
        ("inf", "a finite number"),
        ("two", "`two`"),
        ("n/a", "`n/a`"),
        ("yes", "`yes`"),
    ];
    for (cell, cause) in cells {
        place.write("bad.csv", &format!("a,b\n1,2\n1,{cell}\n"));
        for options in ["", " --samples 2", " --keep --mean-only"] {
            let run = place.taut(&format!("predict m.taut bad.csv --quiet{options}"));
            let run = run.refused(1, cause, "correct the cell, or leave that row out");
            assert!(!run.err.contains("drop") && !run.err.contains("one-hot"), "{}", run.err);
        }
    }
    place.write("header.csv", "a,b\n");
    place.taut("predict m.taut header.csv").refused(1, "no rows", "at least one row");
}

/// Case 40: integers and decimals are the same numbers.
#[test]
fn integers_are_numbers() {
    let place = Place::new();
    let fit = "--target y --starts 1 --out";
    place.write("whole.csv", "x,y\n1,2\n2,3\n3,5\n4,4\n");
    place.write("point.csv", "x,y\n1.0,2.0\n2.0,3e0\n3.,+5.0\n4.00,4.0\n");
    place.taut(&format!("fit whole.csv {fit} whole.taut")).ok();
    place.taut(&format!("fit point.csv {fit} point.taut")).ok();
    assert_eq!(place.read("whole.taut"), place.read("point.taut"));
}
