//! `taut predict --certify`: the exact Gaussian process lies within.

use crate::support::{Place, numbers, table};

const PARAMS: &str = r#"{"kernel": {"type": "matern32", "lengthscales": [0.9, 1.4], "variance": 1.3},
    "noise_variance": 0.02, "mean": 0.1, "units": "standardised"}"#;

/// A table with parameters for it.
fn place() -> Place {
    let place = Place::new();
    place.write("t.csv", &table(200));
    place.write("p.json", PARAMS);
    place.write("new.csv", "a,b\n0.5,1\n-0.25,1.5\n1.9,0.1\n40,9\n");
    place
}

fn condition(place: &Place, method: &str, options: &str) {
    let fit = format!("fit t.csv --target y --drop z --params p.json --no-train --method {method}");
    place.taut(&format!("{fit} --out {method}.taut {options}")).ok();
}

fn predict(place: &Place, arguments: &str) -> Vec<Vec<f64>> {
    numbers(&place.taut(&format!("predict {arguments} --quiet")).ok().out)
}

/// What exact rows say lies within what certified rows claim, and how wide the claims are at most:
/// of the mean, and of the variance.
fn check(exact: &[Vec<f64>], certified: &[Vec<f64>]) -> (f64, f64) {
    let mut widest = (0.0_f64, 0.0_f64);
    for (exact, row) in exact.iter().zip(certified) {
        let [error, lower, upper] = [row[5], row[6], row[7]];
        assert!((row[0] - exact[0]).abs() <= error, "{row:?} of {exact:?}");
        assert!(lower <= exact[1] && exact[1] <= upper, "{row:?} of {exact:?}");
        assert!(0.0 <= lower && error >= 0.0, "{row:?}");
        widest = (widest.0.max(error), widest.1.max(upper - lower));
    }
    widest
}

#[test]
fn the_exact_mean_and_variance_lie_within() {
    let place = place();
    condition(&place, "exact", "");
    let exact = predict(&place, "exact.taut new.csv");
    for (method, options) in [
        ("sgpr", "--inducing 12"),
        ("cglb", "--inducing 12"),
        ("cglb", "--inducing 0 --bound vecchia"),
        ("cglb", "--inducing 12 --cg-max-steps 2"),
    ] {
        condition(&place, method, options);
        let certified = predict(&place, &format!("{method}.taut new.csv --certify"));
        let (mean, variance) = check(&exact, &certified);
        // y varies by about 1; inducing points alone are off by more.
        assert!(variance < 3e-3, "{method} {options}: {variance}");
        let most = if method == "sgpr" || options.contains("steps") { 1.0 } else { 0.02 };
        assert!(mean < most, "{method} {options}: {mean}");
        // The further columns change none of the others.
        let plain = predict(&place, &format!("{method}.taut new.csv"));
        assert!(plain.iter().zip(&certified).all(|(plain, row)| *plain == row[..5]));
        let narrow = format!("{method}.taut new.csv --certify --certify-tolerance 1e-7");
        let (_, narrowed) = check(&exact, &predict(&place, &narrow));
        assert!(narrowed < 0.01 * variance.max(1e-5), "{method} {options}: {narrowed}");
    }
}

#[test]
fn an_exact_model_is_off_by_rounding_alone() {
    let place = place();
    condition(&place, "exact", "");
    let certified = predict(&place, "exact.taut new.csv --certify");
    let (mean, variance) = check(&certified, &certified);
    assert!(0.0 < mean && mean < 1e-9 && 0.0 < variance && variance < 1e-8, "{mean} {variance}");
}

/// Each target in its own units: of ten times the target ten times the error, a hundred times the
/// variance.
#[test]
fn columns_carry_their_targets_names_and_units() {
    let place = place();
    let rows = table(200);
    let tenfold = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let y: f64 = cells[2].parse().unwrap();
        format!("{},{},{},{}\n", cells[0], cells[1], cells[2], 10.0 * y)
    };
    let body: String = rows.lines().skip(1).map(tenfold).collect();
    place.write("two.csv", &format!("a,b,y,tenfold\n{body}"));
    // Few steps: many more make of last digits that differ iterates that do.
    let fit = "fit two.csv --target y,tenfold --params p.json --no-train --method cglb \
               --inducing 12 --cg-max-steps 4";
    place.taut(&format!("{fit} --out two.taut")).ok();
    let out = place.taut("predict two.taut new.csv --certify --keep --quiet").ok().out;
    let certified = "mean_error_bound_y,var_latent_lower_y,var_latent_upper_y,mean_tenfold";
    assert!(out.lines().next().unwrap().contains(certified), "{out}");
    for row in numbers(&out) {
        let (y, tenfold) = (&row[2..10], &row[10..18]);
        assert!((tenfold[5] / y[5] - 10.0).abs() < 1e-3, "{row:?}");
        assert!((tenfold[7] / y[7] - 100.0).abs() < 1e-6, "{row:?}");
    }
}

#[test]
fn what_a_certificate_is_not_for_is_refused() {
    let place = place();
    condition(&place, "cglb", "--inducing 12");
    let predict = |options: &str| place.taut(&format!("predict cglb.taut new.csv {options}"));
    predict("--certify --mean-only").refused(2, "--mean-only", "");
    predict("--certify --samples 3").refused(2, "--samples", "");
    predict("--certify --certify-tolerance 0").refused(2, "--certify-tolerance", "");
    predict("--certify-tolerance 0.1").refused(2, "--certify", "");
}
