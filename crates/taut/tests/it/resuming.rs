//! Checkpoints: interruption, resumption, refusals.

use serde_json::json;

#[cfg(unix)]
use crate::support::interrupt_after_a_few_steps;
use crate::support::{Place, at, table};

/// Seconds of training in any build.
#[cfg(unix)]
const LONG: &str = "fit t.csv --target y --drop z --kernel se+matern12*rq --starts 4 --out";

#[test]
#[cfg(unix)]
fn an_interrupted_fit_goes_on_to_the_same_bits() {
    let place = Place::new();
    place.write("t.csv", &table(400));
    let arguments = format!("{LONG} m.taut");
    let output = interrupt_after_a_few_steps(&place, &arguments);
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{told}");
    assert!(told.contains("error: interrupted\nhelp: ") && told.contains("--resume"), "{told}");
    assert!(told.contains("m.taut.ckpt"), "{told}");
    assert_eq!(place.names(), ["m.taut.ckpt", "t.csv"]);
    place.taut(&format!("{arguments} --resume --report r.json")).ok();
    place.taut(&format!("{LONG} whole.taut --report w.json")).ok();
    assert!(place.read("m.taut") == place.read("whole.taut"), "models differ");
    let (resumed, whole) = (place.json("r.json"), place.json("w.json"));
    assert_eq!(resumed["params"], whole["params"]);
    assert_eq!(resumed["train"]["iterations"], whole["train"]["iterations"]);
    assert!(!place.path("m.taut.ckpt").exists(), "the checkpoint has served");
}

/// A run that stopped after some steps goes on as if it had not, also with several kernels.
#[test]
fn a_fit_stopped_by_a_limit_goes_on_to_the_same_bits() {
    let place = Place::with_tables();
    for options in ["--starts 1", "--starts 1 --kernel se --kernel rq"] {
        let fit = format!("fit t.csv --target y --drop z {options}");
        place.taut(&format!("{fit} --max-iters 3 --out m.taut --checkpoint c.ckpt")).ok();
        assert!(place.path("c.ckpt").exists() && place.path("m.taut").exists());
        let more = place.taut(&format!("{fit} --out m.taut --checkpoint c.ckpt --resume")).ok();
        assert!(!more.out.contains("warning"), "{}", more.out);
        place.taut(&format!("{fit} --out whole.taut")).ok();
        assert!(place.read("m.taut") == place.read("whole.taut"), "{options}");
        assert!(!place.path("c.ckpt").exists());
    }
}

#[test]
fn a_forgotten_resume_is_noted() {
    let place = Place::with_tables();
    let fit = "fit t.csv --target y --starts 1 --max-iters 1";
    place.taut(fit).ok();
    let again = place.taut(fit).ok();
    assert!(again.err.contains("--resume would go on from t.taut.ckpt"), "{}", again.err);
}

#[test]
fn only_the_same_data_and_options_can_be_resumed() {
    let place = Place::with_tables();
    let fit = "fit t.csv --target y --starts 1";
    place.taut(&format!("{fit} --resume")).refused(
        1,
        "no checkpoint at t.taut.ckpt",
        "--checkpoint",
    );
    place.taut(&format!("{fit} --max-iters 1")).ok();
    for other in ["--seed 3", "--kernel se", "--no-scale", "--drop z", "--noise-floor 1e-5"] {
        place.taut(&format!("{fit} --resume {other}")).refused(
            1,
            "other data or options",
            "same table",
        );
    }
    place.write("t.csv", &table(31));
    place.taut(&format!("{fit} --resume")).refused(1, "other data or options", "same table");
    place.write("t.csv", &table(30));
    // The number of threads and the limits may differ.
    let report = place.fit("t.csv --target y --starts 1 --resume --threads 1 --max-iters 500");
    assert_ne!(report["train"]["stop_reason"], json!("max_iterations"));
    assert!(at(&report, "/train/iterations") > 1.0);
}

#[test]
fn damaged_checkpoints_are_refused() {
    let place = Place::with_model();
    let fit = "fit t.csv --target y --starts 1 --out other.taut --checkpoint c.ckpt";
    place.taut(&format!("{fit} --max-iters 1")).ok();
    let resume = format!("{fit} --resume");
    let whole = place.read("c.ckpt");
    place.write("c.ckpt", &whole[..whole.len() / 2]);
    place.taut(&resume).refused(1, "ends too early", "cut off");
    place.write("c.ckpt", &whole.replace("\"version\":3", "\"version\":9"));
    place.taut(&resume).refused(1, "version 9", "");
    place.write("c.ckpt", &place.read("m.taut"));
    place.taut(&resume).refused(1, "is not a taut-checkpoint file (it is a taut-model file)", "");
    place.write("c.ckpt", "");
    place.taut(&resume).refused(1, "c.ckpt", "");
}
