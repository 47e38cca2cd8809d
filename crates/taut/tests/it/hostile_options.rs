//! Options that are not what they should be: exit code 2 where no data could make them right.

use crate::support::Place;

const FIT: &str = "fit t.csv --target y --drop z";

#[track_caller]
fn wrong(options: &str, cause: &str, remedy: &str) {
    Place::with_tables().taut(&format!("{FIT} {options}")).refused(2, cause, remedy);
}

#[test]
fn unknown_and_contradictory_options_are_wrong_usage() {
    wrong("--colour", "'--colour'", "usage: taut fit");
    wrong("--kernal se", "'--kernal'", "'--kernel'");
    wrong("--method magic", "'magic'", "");
    wrong("--features a", "'--drop", "");
    wrong("--test-fraction 0.2 --test t.csv", "'--test", "");
    wrong("--split-out p", "--test-fraction", "");
    wrong("--no-train", "--params", "");
    wrong("--no-train --params p.json --fix mean", "--fix", "");
    let place = Place::with_tables();
    place.taut("fit t.csv").refused(2, "--target", "usage: ");
    place.taut("fit --target y").refused(2, "<DATA>", "usage: ");
    place.taut("fitt t.csv").refused(2, "'fitt'", "'fit'");
    place.taut("predict m.taut").refused(2, "<DATA>", "");
    place.taut("predict m.taut t.csv --seed 1").refused(2, "--samples", "");
}

#[test]
fn numbers_must_be_in_range() {
    for option in ["--starts", "--threads"] {
        wrong(&format!("{option} 0"), option, "");
    }
    for option in ["--noise-floor", "--time", "--memory"] {
        for value in ["0", "nan", "inf", "x"] {
            wrong(&format!("{option} {value}"), option, "");
        }
    }
    for option in ["--jitter", "--noise-floor", "--memory", "--max-iters", "--test-fraction"] {
        for value in [" -1", "=-1", " -0.5", " -1e3"] {
            wrong(&format!("{option}{value}"), option, "");
        }
    }
    wrong("--threads 100000", "--threads", "");
    wrong("--max-iters many", "--max-iters", "");
    wrong("--starts 10000000000000", "--starts", "");
    wrong("--method ssgp-vb --draws 1000000000000", "--draws", "");
    wrong("--neighbours 100000000000", "--neighbours", "");
    wrong("--seed -1", "'-1' for '--seed", "");
    // What is no number is still taken for an option.
    wrong("--seed -x", "'-x'", "");
    for fraction in ["0", "1", "1.5", "x"] {
        wrong(&format!("--test-fraction {fraction}"), "--test-fraction", "");
    }
    let place = Place::with_model();
    place.taut("fit t.csv --target y --starts 1 --time 1e300 --out n.taut").ok();
    for near in ["1", "0.99999999999999989", "0.999999999999999999"] {
        place.taut(&format!("predict m.taut new.csv --interval {near}")).refused(2, near, "");
    }
    place.taut("predict m.taut new.csv --samples 0").refused(2, "--samples", "");
}

/// Case 44 among them: white noise in a product.
#[test]
fn kernel_expressions_are_checked() {
    wrong("--kernel gauss", "`gauss`", "matern32");
    wrong("--kernel se+", "character 4", "kernel");
    wrong("--kernel (se", "cannot be read", "");
    wrong(&format!("--kernel {}", "(".repeat(30_000)), "…", "at most 64");
    wrong("--kernel se[a", "cannot be read", "]");
    wrong("--kernel se[z]", "column `z`", "a, b");
    wrong("--kernel se[a,a]", "se[a,a]", "each once");
    wrong("--kernel se*white", "white", "add it instead");
    wrong("--kernel se*(linear+white)", "white", "add it instead");
    wrong("--kernel se --kernel nothing", "`nothing`", "");
    wrong("--fix lengthscale", "`lengthscale`", "kernel.lengthscales[0]");
    let place = Place::with_tables();
    place.write(
        "p.json",
        r#"{"kernel": {"type": "se", "lengthscales": [1], "variance": 1}, "noise_variance": 1}"#,
    );
    place.taut(&format!("{FIT} --params p.json --kernel rq")).refused(2, "--kernel says", "");
    place.taut(&format!("{FIT} --params p.json --kernel rq --kernel se")).refused(
        2,
        "one kernel",
        "--params",
    );
}

#[test]
fn columns_must_exist_and_have_one_role() {
    let place = Place::with_tables();
    place.taut("fit t.csv --target w").refused(1, "no column `w`", "");
    place.taut("fit t.csv --target y --features a,q").refused(1, "no column `q`", "");
    place.taut("fit t.csv --target y --drop q").refused(1, "no column `q`", "");
    place.taut("fit t.csv --target y --one-hot q").refused(1, "no column `q`", "");
    place.taut("fit t.csv --target y,y").refused(1, "named twice", "once");
    place.taut("fit t.csv --target y --features a,y").refused(1, "`y`", "once");
    place.taut("fit t.csv --target y --drop a,b,z").refused(1, "none of them left", "");
    place.write("one.csv", "x,y\n1,2\n");
    place.taut("fit one.csv --target y --test-fraction 0.5").refused(1, "1 rows", "");
}

#[test]
fn help_and_version_are_answers() {
    let place = Place::new();
    assert!(place.taut("--help").ok().out.contains("certify"));
    assert!(place.taut("--version").ok().out.starts_with("taut "));
    let fit = place.taut("fit --help").ok().out;
    for option in [
        "--target",
        "--features",
        "--drop",
        "--one-hot",
        "--drop-missing",
        "--method",
        "--kernel",
        "--mean",
        "--inducing",
        "--inducing-points",
        "--select",
        "--bound",
        "--cg-tolerance",
        "--cg-max-steps",
        "--neighbours",
        "--jitter",
        "--noise-floor",
        "--no-scale",
        "--test",
        "--test-fraction",
        "--split-out",
        "--seed",
        "--starts",
        "--max-iters",
        "--time",
        "--exact-limit",
        "--params",
        "--fix",
        "--no-train",
        "--threads",
        "--memory",
        "--out",
        "--checkpoint",
        "--resume",
        "--report",
        "--quiet",
    ] {
        assert!(fit.contains(option), "{option}");
    }
}

#[test]
fn only_predictions_go_to_standard_output() {
    let place = Place::with_model();
    place.write("c.csv", "x,y\n1,a\n2,b\n1,a\n3,b\n");
    place.taut("classify fit c.csv --target y --out m").ok();
    for command in [
        "fit t.csv --target y --drop z --out",
        "fit t.csv --target y --drop z --out n.taut --checkpoint",
        "fit t.csv --target y --drop z --out n.taut --report",
        "certify m.taut --report",
        "data describe t.csv --report",
        "classify fit c.csv --target y --out",
        "classify fit c.csv --target y --out n --report",
        "classify update m c.csv --out",
        "classify merge m m --out",
        "classify evaluate m c.csv --report",
        "classify explain m c.csv --report",
    ] {
        place.taut(&format!("{command} -")).refused(2, "cannot write to `-`", "./-");
    }
    let there = place.taut("classify predict m c.csv --out -").ok().out;
    assert_eq!(there, place.taut("classify predict m c.csv").ok().out);
    place.taut("classify fit c.csv --target y --out ./-").ok();
    assert!(place.names().contains(&"-".to_owned()));
}
