//! Kernels ranked by what is proven of them.

use serde_json::{Value, json};

use crate::support::{Place, at, table};

fn compare(options: &str) -> (Value, String) {
    let place = Place::new();
    place.write("t.csv", &table(120));
    let fit = "fit t.csv --target y --drop z --starts 1 --max-iters 25 --report r.json";
    let out = place.taut(&format!("{fit} {options}")).ok().out;
    (place.json("r.json"), out)
}

fn brackets(report: &Value) -> Vec<(f64, f64)> {
    let rows = report["kernels"].as_array().unwrap();
    rows.iter().map(|row| (at(row, "/lower"), at(row, "/upper"))).collect()
}

/// A straight line is far from a sine: brackets tell, whatever the method.
#[test]
fn disjoint_brackets_make_a_ranking_certain() {
    for method in ["exact", "cglb --inducing 40", "sgpr --inducing 40"] {
        let (report, out) =
            compare(&format!("--kernel linear --kernel se --exact-limit 0 --method {method}"));
        let [linear, se] = brackets(&report)[..] else { panic!("{report:#}") };
        assert!(linear.1 < se.0, "{method}: {linear:?} {se:?}");
        let ranking = &report["ranking"];
        assert_eq!(ranking["order"], json!(["se", "linear"]));
        assert_eq!(
            (&ranking["best_is_certain"], &ranking["is_certain"]),
            (&json!(true), &json!(true))
        );
        assert_eq!(report["kernel"], json!("se"));
        assert!(out.contains("the ranking is certain"), "{out}");
    }
}

/// Two kernels that differ little, on few inducing points: brackets overlap, and it is said.
#[test]
fn overlapping_brackets_leave_it_open() {
    let pair = "--kernel se --kernel rq --inducing 6 --neighbours 2 --exact-limit 0";
    for method in ["cglb", "sgpr"] {
        let (report, out) = compare(&format!("{pair} --method {method}"));
        let found = brackets(&report);
        assert!(found[0].1 >= found[1].0 && found[1].1 >= found[0].0, "{found:?}");
        assert_eq!(report["ranking"]["is_certain"], json!(false));
        assert!(out.contains("the ranking is not certain"), "{out}");
        // The one that is kept has the higher lower end, and its own bracket is the report's.
        let best = usize::from(found[1].0 > found[0].0);
        assert_eq!(report["kernel"], report["kernels"][best]["kernel"]);
        assert_eq!(at(&report, "/lml/lower"), found[best].0);
    }
}

/// Where the exact values are known they rank, however wide the brackets.
#[test]
fn exact_values_settle_it() {
    let pair = "--kernel se --kernel rq --inducing 6 --neighbours 2 --method cglb";
    let (report, _) = compare(pair);
    let rows = report["kernels"].as_array().unwrap();
    let best = usize::from(at(&rows[1], "/exact") > at(&rows[0], "/exact"));
    assert_eq!(report["kernel"], rows[best]["kernel"]);
    assert_eq!(report["ranking"]["is_certain"], json!(true));
}

#[test]
fn one_kernel_is_not_ranked() {
    let (report, _) = compare("--kernel se");
    assert_eq!((&report["kernels"], &report["ranking"]), (&Value::Null, &Value::Null));
}

/// What stands for a model, or no bracket at all, ranks nothing: objectives do, and prove nothing.
#[test]
fn without_brackets_of_their_own_objectives_rank() {
    let kernels = ["se", "matern12", "matern52", "matern32"];
    let named = |kernel: &str| format!("--kernel {kernel} ");
    for options in ["--spectral-points 8", "--local 12 --draws 2"] {
        for limit in ["", "--exact-limit 0"] {
            for kernels in [kernels.to_vec(), kernels.iter().rev().copied().collect()] {
                let kernels: String = kernels.iter().copied().map(named).collect();
                let asked = format!("--method ssgp-vb {options} {limit} {kernels}");
                let (report, out) = compare(&asked);
                let mut rows = report["kernels"].as_array().unwrap().clone();
                rows.sort_by(|a, b| at(b, "/lml").total_cmp(&at(a, "/lml")));
                let order: Vec<&Value> = rows.iter().map(|row| &row["kernel"]).collect();
                let ranking = &report["ranking"];
                assert_eq!(ranking["order"], json!(order), "{asked}: {report:#}");
                assert_eq!(&report["kernel"], order[0], "{asked}");
                assert_eq!(ranking["by"], json!("objective"));
                assert_eq!(ranking["best_is_certain"], json!(false));
                assert_eq!(ranking["is_certain"], json!(false));
                assert!(out.contains("the ranking is not certain: no bounds"), "{out}");
                assert!(rows.iter().all(|row| at(row, "/seconds") > 0.0), "{report:#}");
            }
        }
    }
}
