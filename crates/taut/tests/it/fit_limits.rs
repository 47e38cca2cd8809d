//! Options of `fit` that bound its work, and where its results go.

use serde_json::{Value, json};

use crate::support::{Place, at, table};

const FIT: &str = "t.csv --target y --drop z";

#[test]
fn the_number_of_starts_and_steps_is_kept() {
    let place = Place::with_tables();
    let starts = |options: &str| {
        place.fit(&format!("{FIT} {options}"))["train"]["starts"].as_array().unwrap().len()
    };
    assert_eq!([starts("--starts 1"), starts("--starts 3"), starts("")], [1, 3, 5]);
    let report = place.fit(&format!("{FIT} --starts 1 --max-iters 2"));
    assert_eq!(at(&report, "/train/iterations"), 2.0);
    assert_eq!(report["train"]["stop_reason"], json!("max_iterations"));
    assert!(report["warnings"].to_string().contains("the step limit was reached after 2 steps"));
}

#[test]
fn seeds_draw_the_starts_beyond_the_fixed_ones() {
    let place = Place::with_tables();
    let last = |seed: u32| {
        let report = place.fit(&format!("{FIT} --starts 7 --max-iters 1 --seed {seed}"));
        report["train"]["starts"][6]["name"].clone()
    };
    assert_eq!(last(1), last(1));
    assert_ne!(last(1), last(2));
}

#[test]
fn a_time_limit_ends_training_in_order() {
    let place = Place::new();
    place.write("t.csv", &table(400));
    let report = place.fit(&format!("{FIT} --kernel se+matern12 --time 0.05 --starts 1"));
    assert_eq!(report["train"]["stop_reason"], json!("time_limit"));
    assert!(place.path("t.taut").exists());
    let longer = place.fit(&format!("{FIT} --kernel se+matern12 --time 0.1 --starts 1 --resume"));
    assert!(at(&longer, "/lml/exact") >= at(&report, "/lml/exact"));
}

#[test]
fn costly_extras_stop_at_the_exact_limit() {
    let place = Place::with_tables();
    let report = place.fit(&format!("{FIT} --method exact --starts 1 --exact-limit 29"));
    assert_eq!(report["loo"], Value::Null);
    assert!(report["lml"]["exact"].is_f64());
    assert!(place.fit(&format!("{FIT} --starts 1"))["loo"]["rmse"].is_f64());
}

/// Case 31: what is needed, what is allowed, what would fit.
#[test]
fn too_little_memory_is_said_before_it_is_taken() {
    let place = Place::with_tables();
    let run = place.taut(&format!("fit {FIT} --method exact --memory 0.00001")).refused(
        1,
        "kB of memory",
        "rows",
    );
    assert!(run.err.contains("30 rows") && run.err.contains("--memory"), "{}", run.err);
    place.taut(&format!("fit {FIT} --memory 1 --starts 1 --max-iters 1")).ok();
}

/// No budget makes a machine larger.
#[test]
fn a_budget_beyond_the_machine_is_refused_before_memory_is_taken() {
    let place = Place::new();
    let rows: String = (0..1_000_000).map(|row| format!("{row},{}\n", row % 7)).collect();
    place.write("t.csv", &format!("x,y\n{rows}"));
    let run = place.taut("fit t.csv --target y --method exact --memory 1e9");
    let run = run.refused(1, "1000000 rows needs 24000.00 GB", "fewer rows");
    assert!(run.err.contains("this machine has") && run.err.contains("1000000000 GB"));
}

/// Same bits for 1, 2 and 8 threads: the model file and what it predicts.
#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let place = Place::new();
    place.write("t.csv", &table(150));
    place.write("new.csv", &table(700));
    let run = |threads: u32| {
        let (model, out) = (format!("m{threads}.taut"), format!("p{threads}.csv"));
        let report = place
            .fit(&format!("{FIT} --starts 2 --max-iters 15 --threads {threads} --out {model}"));
        assert_eq!(at(&report, "/threads"), f64::from(threads));
        place.taut(&format!("predict {model} new.csv --threads {threads} --out {out}")).ok();
        let certified = place.taut(&format!("certify {model} --threads {threads} --report c.json"));
        certified.ok();
        (place.read(&model), place.read(&out), place.json("c.json")["lml"].clone())
    };
    let one = run(1);
    assert!(one == run(2), "2 threads");
    assert!(one == run(8), "8 threads");
}

#[test]
fn the_model_is_named_after_the_table_unless_told_otherwise() {
    let place = Place::with_tables();
    std::fs::copy(place.path("t.csv"), place.path("my.own.table.csv")).unwrap();
    let quick = "--target y --starts 1 --max-iters 500";
    place.taut(&format!("fit my.own.table.csv {quick}")).ok();
    place.taut(&format!("fit t.csv {quick} --out named.model")).ok();
    assert_eq!(
        place.names(),
        ["my.own.table.csv", "my.own.table.taut", "named.model", "new.csv", "t.csv"]
    );
    place.taut("predict named.model t.csv").ok();
}

#[test]
fn quiet_means_quiet() {
    let place = Place::with_tables();
    place.write("dup.csv", "x,y\n1,1\n1,1.5\n2,2\n3,\n");
    let loud = place.taut("fit dup.csv --target y --drop-missing --starts 1").ok();
    assert!(loud.err.contains("note: ") && loud.err.contains("objective"), "{}", loud.err);
    let quiet = place.taut("fit dup.csv --target y --drop-missing --starts 1 --quiet").ok();
    assert_eq!(quiet.err, "");
    assert_eq!(place.taut("certify dup.taut --quiet").ok().err, "");
    assert_eq!(place.taut("predict dup.taut dup.csv --quiet").ok().err, "");
}

#[test]
fn a_fit_that_finishes_leaves_no_checkpoint() {
    let place = Place::with_tables();
    place.taut(&format!("fit {FIT} --starts 1 --checkpoint c.ckpt")).ok();
    assert_eq!(place.names(), ["new.csv", "t.csv", "t.taut"]);
    // Also an older one, which the model is better than.
    place.taut(&format!("fit {FIT} --starts 1 --max-iters 1")).ok();
    assert!(place.path("t.taut.ckpt").exists());
    place.taut(&format!("fit {FIT} --starts 1")).ok();
    assert!(!place.path("t.taut.ckpt").exists());
    // But no other file of that name.
    place.write("mine", "1");
    place.taut(&format!("fit {FIT} --starts 1 --checkpoint mine")).ok();
    assert_eq!(place.read("mine"), "1");
}
