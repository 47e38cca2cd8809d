//! Options of the conjugate-gradient lower bound.

use serde_json::{Value, json};

use crate::support::{Place, at, close, table};

const FIT: &str = "t.csv --target y --drop z";
const PARAMS: &str =
    r#"{"lengthscales": [0.7, 1.1], "variance": 1.2, "noise_variance": 0.05, "mean": 0.1}"#;

fn conditioned(place: &Place, options: &str) -> Value {
    place.write("p.json", PARAMS);
    place.fit(&format!("{FIT} --params p.json --no-train {options}"))
}

/// 40 points of the six-row table: `t.csv`, its hyperparameters `p.json`, and 8 of its rows `z.csv`.
fn six_row_table() -> Place {
    let place = Place::new();
    let x = |i: usize| 5.0 * i as f64 / 39.0;
    let y = |x: f64| (2.0 * x).sin() + 0.3 * (7.0 * x).cos();
    let rows: String = (0..40).map(|i| format!("{},{}\n", x(i), y(x(i)))).collect();
    place.write("t.csv", &format!("x,y\n{rows}"));
    let params = r#"{"kernel": {"type": "se", "lengthscales": [0.5], "variance": 1.0},
                     "noise_variance": 0.1, "mean": null, "units": "original"}"#;
    place.write("p.json", params);
    // round(linspace(0, 39, 8)), half to even.
    let points: String =
        [0, 6, 11, 17, 22, 28, 33, 39].iter().map(|&i| format!("{}\n", x(i))).collect();
    place.write("z.csv", &format!("x\n{points}"));
    place
}

const SIX: &str =
    "t.csv --target y --params p.json --no-train --no-scale --inducing-points z.csv --jitter 0";

/// Cases 9 and 23: without steps the value is that of v = 0, and with them that of v*.
#[test]
fn case_9_steps_and_tolerances_are_those_of_the_bound() {
    let place = six_row_table();
    let elbo = |options: &str| at(&place.fit(&format!("{SIX} {options}")), "/elbo");
    let none = place.fit(&format!("{SIX} --method cglb --cg-max-steps 0"));
    close(at(&none, "/elbo"), -23.436_234_83, 1e-9);
    assert_eq!(at(&none, "/cg/steps_total"), 0.0);
    assert_eq!(at(&none, "/cg/capped"), at(&none, "/cg/solves"));
    let said = none["warnings"].to_string();
    let words =
        ["conjugate gradients stopped after 0 steps", "relative residual 1.0e0", "nats looser"];
    words.iter().for_each(|words| assert!(said.contains(words), "{words} in {said}"));
    let whole = place.fit(&format!("{SIX} --method cglb"));
    // v* leaves at most a thousandth of a nat.
    let best = -21.018_089_58;
    assert!(at(&whole, "/elbo") <= best + 1e-8 && at(&whole, "/elbo") >= best - 1e-3);
    assert!(at(&whole, "/cg/steps_total") >= 1.0 && at(&whole, "/cg/capped") == 0.0);
    assert_eq!(whole["warnings"], json!([]));
    close(elbo("--method cglb --cg-tolerance 1e-12"), best, 1e-9);
    close(elbo("--method sgpr"), -25.027_726_73, 1e-9);
    // More steps never lower it.
    let steps: Vec<f64> =
        (0..6).map(|n| elbo(&format!("--method cglb --cg-max-steps {n}"))).collect();
    assert!(steps.is_sorted(), "{steps:?}");
}

/// Case 10: two steps are enough for two rows, and nothing is said about stopping.
#[test]
fn case_10_two_rows_converge_in_two_steps() {
    let place = Place::new();
    place.write("t.csv", "a,b,y\n0,0.3,1\n0.7,-0.4,-2\n");
    place.write("p.json", PARAMS);
    let fit = "t.csv --target y --params p.json --no-train --no-scale --cg-max-steps 2";
    for method in ["iterative --preconditioner-rank 0", "cglb --inducing 0 --cg-tolerance 1e-12"] {
        let report = place.fit(&format!("{fit} --method {method}"));
        assert_eq!(at(&report, "/cg/capped"), 0.0, "{method}: {}", report["cg"]);
        assert!(at(&report, "/cg/steps_max") <= 2.0 && at(&report, "/cg/solves") >= 1.0);
        let said = report["warnings"].to_string();
        assert!(!said.contains("stopped"), "{method}: {said}");
        assert!(at(&report, "/lml/lower") <= at(&report, "/lml/exact"));
    }
}

/// Case 26: the upper end with its two parts, at v = 0 and at v*.
#[test]
fn case_26_the_upper_end_is_near() {
    let place = six_row_table();
    let exact = -16.003_603_42;
    for options in ["--method cglb", "--method sgpr"] {
        let report = place.fit(&format!("{SIX} {options}"));
        let (lower, upper) = (at(&report, "/lml/lower"), at(&report, "/lml/upper"));
        assert!(lower <= exact && exact <= upper, "{options}");
        assert!(upper < -6.986_895_66 + 1e-6, "{options}: {upper}");
        close(at(&report, "/lml/exact"), exact, 1e-9);
        close(
            upper - lower,
            at(&report, "/lml/slack/quad") + at(&report, "/lml/slack/logdet"),
            1e-9,
        );
        let out = place.taut(&format!("fit {SIX} {options}")).ok().out;
        assert!(
            out.contains("from the quadratic term") && out.contains("from the log-determinant")
        );
    }
}

/// Every upper bound of the catalogue can be trained, and no other name.
#[test]
fn bounds_are_those_of_the_catalogue() {
    let place = Place::with_tables();
    let upper = bounds::log_det_catalogue();
    let upper = upper.iter().filter(|bound| bound.side() == bounds::Side::Upper);
    for bound in upper.filter(|bound| bound.differentiable().is_some()) {
        let name = bound.name();
        let fit = format!(
            "--method cglb --inducing 8 --neighbours 4 --starts 1 --max-iters 3 --bound {name}"
        );
        let report = place.fit(&format!("{FIT} {fit}"));
        assert_eq!(report["bound"], json!(name));
        let (lower, exact) = (at(&report, "/lml/lower"), at(&report, "/lml/exact"));
        assert!(at(&report, "/elbo") <= exact + 1e-6 && lower <= exact, "{name}");
        let neighbours = bound.needs().neighbours.then_some(4);
        assert_eq!(report["neighbours"].as_u64(), neighbours, "{name}");
    }
    for name in ["tight", "nystrom-log-det", "nystrom", "vif-exact", "auxiliary", ""] {
        let arguments = ["fit", "t.csv", "--target", "y", "--method", "cglb", "--bound", name];
        place.taut_args(&arguments).refused(2, &format!("`{name}`"), "arithmetic-geometric");
    }
    let default = conditioned(&place, "--method cglb --inducing 8");
    assert_eq!(default["bound"], json!("arithmetic-geometric"));
}

/// Neighbours that cover all rows make the bound exact; none at all are allowed.
#[test]
fn neighbours_tighten_the_bound() {
    let place = Place::with_tables();
    let elbo = |k: usize| {
        let fit = "--method cglb --inducing 5 --bound vecchia --cg-tolerance 1e-9";
        let report = conditioned(&place, &format!("{fit} --neighbours {k}"));
        assert!(at(&report, "/lml/lower") <= at(&report, "/lml/exact"));
        (at(&report, "/elbo"), at(&report, "/lml/exact"))
    };
    let (none, _) = elbo(0);
    let (few, _) = elbo(3);
    let (all, exact) = elbo(29);
    assert!(none < few && few < all, "{none} {few} {all}");
    close(all, exact, 1e-6);
}

#[test]
fn numbers_of_conjugate_gradients_are_in_range() {
    let place = Place::with_tables();
    for value in ["0", "-1", "nan", "inf", "x"] {
        let option = format!("--cg-tolerance={value}");
        place.taut(&format!("fit {FIT} --method cglb {option}")).refused(2, "--cg-tolerance", "");
    }
    place.taut(&format!("fit {FIT} --method cglb --cg-max-steps=-1")).refused(
        2,
        "--cg-max-steps",
        "",
    );
    // Used in training too: another tolerance is another path.
    place.write("t.csv", &table(200));
    let elbo = |options: &str| {
        let fit = format!("{FIT} --method cglb --inducing 6 --starts 1 --max-iters 6 {options}");
        at(&place.fit(&fit), "/elbo")
    };
    assert_ne!(elbo(""), elbo("--cg-tolerance 1e-6"));
    assert_ne!(elbo(""), elbo("--cg-max-steps 1"));
}
