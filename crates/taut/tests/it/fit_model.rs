//! Options of `fit` that say what is fitted: kernels, means, scale, method.

use serde_json::{Value, json};

use crate::support::{Place, at};

fn quick(place: &Place, options: &str) -> Value {
    place.fit(&format!("t.csv --target y --drop z --starts 1 --max-iters 10 {options}"))
}

#[test]
fn every_kernel_of_the_catalogue_can_be_fitted() {
    let place = Place::with_tables();
    let kernels =
        ["se", "matern12", "matern32", "matern52", "rq", "periodic", "linear", "se+white"];
    let mut values = Vec::new();
    for kernel in kernels {
        let report = quick(&place, &format!("--kernel {kernel}"));
        assert_eq!(report["kernel"], json!(kernel.replace('+', " + ")));
        values.push(at(&report, "/lml/exact"));
    }
    values.dedup();
    assert_eq!(values.len(), kernels.len());
    assert_eq!(quick(&place, "--kernel squared-exponential")["kernel"], json!("se"));
    assert_eq!(quick(&place, "")["kernel"], json!("matern32"));
}

#[test]
fn kernels_combine_over_named_columns() {
    let place = Place::with_tables();
    let expression = "matern32[a] + periodic[b] * (linear[a,b] + constant)";
    let report = place
        .taut_args(&[
            "fit",
            "t.csv",
            "--target",
            "y",
            "--drop",
            "z",
            "--kernel",
            expression,
            "--report",
            "r.json",
            "--starts",
            "1",
            "--max-iters",
            "5",
        ])
        .ok();
    assert!(report.out.contains(expression), "{}", report.out);
    let terms = &place.json("r.json")["params"]["kernel"]["terms"];
    assert_eq!(terms[0]["active_dims"], json!([0]));
    assert_eq!(terms[1]["type"], json!("product"));
    assert_eq!(terms[1]["terms"][0]["active_dims"], json!([1]));
    assert_eq!(terms[1]["terms"][1]["terms"][0]["active_dims"], json!([0, 1]));
}

#[test]
fn of_several_kernels_the_most_probable_is_kept() {
    let place = Place::with_tables();
    let kernels = ["linear", "se", "matern12"];
    let alone: Vec<f64> = kernels
        .iter()
        .map(|kernel| at(&quick(&place, &format!("--kernel {kernel}")), "/lml/exact"))
        .collect();
    let report = quick(&place, "--kernel linear --kernel se --kernel matern12 --out best.taut");
    let compared = report["kernels"].as_array().unwrap();
    for (row, (kernel, lml)) in compared.iter().zip(kernels.iter().zip(&alone)) {
        assert_eq!((&row["kernel"], at(row, "/lml")), (&json!(kernel), *lml));
    }
    assert_eq!(report["kernel"], json!("se"));
    assert_eq!(at(&report, "/lml/exact"), alone[1]);
    quick(&place, "--kernel se --out se.taut");
    assert_eq!(place.read("best.taut"), place.read("se.taut"));
    assert_eq!(quick(&place, "--kernel se")["kernels"], Value::Null);
}

#[test]
fn the_mean_is_zero_constant_or_linear() {
    let place = Place::with_tables();
    let mean = |options: &str| quick(&place, options)["params"]["mean"].clone();
    assert_eq!(mean("--mean zero"), Value::Null);
    assert!(mean("--mean constant").is_f64());
    assert!(mean("").is_f64());
    let linear = mean("--mean linear");
    assert_eq!(linear["weights"].as_array().unwrap().len(), 2);
    assert!(linear["intercept"].is_f64());
}

#[test]
fn without_scaling_everything_is_in_original_units() {
    let place = Place::with_tables();
    let standardised = quick(&place, "");
    assert_eq!(standardised["units"], json!("standardised"));
    assert_ne!(at(&standardised, "/lml/original_offset"), 0.0);
    let original = quick(&place, "--no-scale --test-fraction 0.2");
    assert_eq!(original["units"], json!("original"));
    assert_eq!(original["params"]["units"], json!("original"));
    assert_eq!(at(&original, "/lml/original_offset"), 0.0);
    assert_eq!(at(&original, "/test/rmse"), at(&original, "/test/rmse_original"));
    assert_eq!(at(&original, "/test/nlpd"), at(&original, "/test/nlpd_original"));
}

#[test]
fn auto_is_exact_where_it_fits() {
    let place = Place::with_tables();
    let exact = quick(&place, "--method exact");
    let auto = quick(&place, "--method auto");
    assert_eq!((&exact["method"], &exact["params"]), (&json!("exact"), &auto["params"]));
}

/// What the bounds of a model are built from is kept with it.
#[test]
fn sizes_of_the_surrogates_are_kept_for_certify() {
    let place = Place::with_tables();
    quick(&place, "--inducing 5 --neighbours 3 --jitter 1e-4");
    let run = place.taut("certify t.taut --report c.json").ok();
    assert!(run.out.contains("5 inducing points"), "{}", run.out);
    let few = place.json("c.json");
    let variance = at(&few, "/params/kernel/variance");
    assert!((at(&few, "/jitter") / variance - 1e-4).abs() < 1e-12);
    quick(&place, "--inducing 20 --neighbours 15");
    place.taut("certify t.taut --report c.json").ok();
    let many = place.json("c.json");
    let width = |report: &Value| at(report, "/lml/upper") - at(report, "/lml/lower");
    assert!(width(&many) < width(&few));
}

#[test]
fn the_noise_floor_is_where_noise_stops() {
    let place = Place::new();
    let smooth: String = (0..30).map(|i| format!("{i},{}\n", (0.3 * f64::from(i)).sin())).collect();
    place.write("s.csv", &format!("x,y\n{smooth}"));
    let fit = |floor: &str| {
        place.fit(&format!("s.csv --target y --kernel se --starts 3 --noise-floor {floor}"))
    };
    let high = fit("1e-2");
    let noise = at(&high, "/params/noise_variance");
    assert!((1e-2..1.1e-2).contains(&noise), "{noise}");
    assert!(high["warnings"].to_string().contains("floor"), "{}", high["warnings"]);
    assert!(at(&fit("1e-6"), "/params/noise_variance") < 1e-3);
    // Above the starting value of the other starts, and of all.
    for floor in [0.5, 3.0] {
        assert!(at(&fit(&floor.to_string()), "/params/noise_variance") >= floor);
    }
}
