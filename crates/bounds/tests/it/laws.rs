//! Laws over random problems, within the rounding terms that reports use too.

use crate::support::{Owned, column, log_det, problems, squares, wave};
use bounds::exact::Exact;
use bounds::{Rounding, lml_bracket, log_det_catalogue, quad_catalogue};
use ndarray::Array1;
use proptest::prelude::*;

/// v = K⁻¹y exactly, nearly, or zero.
fn auxiliary(alpha: &Array1<f64>, choice: usize) -> Array1<f64> {
    match choice {
        0 => Array1::zeros(alpha.len()),
        1 => Array1::from_shape_fn(alpha.len(), |i| alpha[i] * (1.0 + 1e-3 * wave(i, 1))),
        _ => alpha.clone(),
    }
}

proptest! {
    #[test]
    fn every_log_det_bound_stays_on_its_side(owned in problems()) {
        let problem = owned.problem();
        let exact = Exact::new(&problem);
        // Noise far below the variance of many equal rows: no float64 truth to compare with.
        prop_assume!(exact.is_ok());
        let exact = exact.unwrap();
        let (exact, rounding) = (exact.log_det(), Rounding::new(&problem));
        for bound in log_det_catalogue() {
            let value = bound.value(&problem).unwrap();
            let excess = bound.side().excess(value, exact);
            prop_assert!(excess <= rounding.log_det(exact), "{} wrong by {excess}, exact {exact}", bound.name());
        }
    }

    #[test]
    fn every_quad_bound_stays_on_its_side(owned in problems(), choice in 0..3usize) {
        let problem = owned.problem();
        let exact = Exact::new(&problem);
        // Noise far below the variance of many equal rows: no float64 truth to compare with.
        prop_assume!(exact.is_ok());
        let exact = exact.unwrap();
        let y = column(&owned.y);
        let (alpha, form) = (exact.alpha(&y).unwrap().column(0).to_owned(), exact.quad(&y).unwrap()[0]);
        let tolerance = Rounding::new(&problem).quad(form, squares(&alpha));
        let v = auxiliary(&alpha, choice);
        for bound in quad_catalogue() {
            let value = bound.value(&problem, &owned.y, &v).unwrap();
            let excess = bound.side().excess(value, form);
            prop_assert!(excess <= tolerance, "{} wrong by {excess}, exact {form}", bound.name());
        }
    }

    #[test]
    fn the_reported_bracket_contains_the_exact_evidence(owned in problems(), choice in 0..3usize) {
        let problem = owned.problem();
        let exact = Exact::new(&problem);
        // Noise far below the variance of many equal rows: no float64 truth to compare with.
        prop_assume!(exact.is_ok());
        let exact = exact.unwrap();
        let y = column(&owned.y);
        let v = column(&auxiliary(&exact.alpha(&y).unwrap().column(0).to_owned(), choice));
        let (bracket, lml) = (lml_bracket(&problem, &y, &v).unwrap(), exact.lml(&y).unwrap());
        prop_assert!(bracket.lower <= lml && lml <= bracket.upper, "{lml} outside {bracket:?}");
        let width = bracket.upper - bracket.lower;
        prop_assert!((width - bracket.width()).abs() <= 1e-9 * (1.0 + width + lml.abs()));
    }

    #[test]
    fn tighter_bounds_are_tighter(owned in problems()) {
        let problem = owned.problem();
        let value = |name: &str| log_det(name).value(&problem).unwrap();
        let [hadamard, mean, trace, water] =
            ["hadamard", "arithmetic-geometric", "trace", "water-filling"].map(value);
        let slack = Rounding::new(&problem).log_det(mean);
        prop_assert!(hadamard <= mean + slack, "hadamard {hadamard} > {mean}");
        prop_assert!(mean <= trace + slack, "arithmetic-geometric {mean} > {trace}");
        prop_assert!(water <= mean + slack, "water-filling {water} > {mean}");
    }

    #[test]
    fn what_theory_orders_is_ordered(owned in problems(), blocks in 0..2usize) {
        let owned = if blocks == 1 { owned.in_blocks(3, 4) } else { owned };
        let problem = owned.problem();
        let value = |name: &str| log_det(name).value(&problem).unwrap();
        let upper = [
            ("block-hadamard", "hadamard"),
            ("nystrom", "arithmetic-geometric"),
            ("fitc-exact", "fitc"),
            ("pitc-exact", "pitc"),
            ("vif-exact", "vif"),
        ];
        let lower = [
            ("nystrom-log-det", "nystrom-moments"),
            ("dual-nystrom", "dual-moments-nystrom"),
            ("dual-fitc", "dual-moments-fitc"),
            ("dual-pitc", "dual-moments-pitc"),
            ("dual-vecchia", "dual-moments-vecchia"),
            ("dual-vif", "dual-moments-vif"),
        ];
        for (smaller, larger) in upper.into_iter().chain(lower) {
            let (a, b) = (value(smaller), value(larger));
            prop_assert!(a <= b + Rounding::new(&problem).log_det(b), "{smaller} {a} > {larger} {b}");
        }
    }

    #[test]
    fn blocks_of_rows_bound_too(owned in problems(), block in 1..9usize, k in 0..12usize) {
        let owned = owned.in_blocks(block, k);
        let problem = owned.problem();
        let exact = Exact::new(&problem);
        prop_assume!(exact.is_ok());
        let exact = exact.unwrap().log_det();
        let tolerance = Rounding::new(&problem).log_det(exact);
        for bound in log_det_catalogue().iter().filter(|bound| bound.needs().neighbours) {
            let excess = bound.side().excess(bound.value(&problem).unwrap(), exact);
            prop_assert!(excess <= tolerance, "{} wrong by {excess}, exact {exact}", bound.name());
        }
    }

    #[test]
    fn all_predecessors_make_vecchia_exact(owned in problems()) {
        let problem = Owned { neighbours: owned.n() - 1, ..owned };
        let problem = problem.problem();
        let exact = Exact::new(&problem);
        // Noise far below the variance of many equal rows: no float64 truth to compare with.
        prop_assume!(exact.is_ok());
        let exact = exact.unwrap();
        let (value, exact) = (log_det("vecchia").value(&problem).unwrap(), exact.log_det());
        let slack = Rounding::new(&problem).log_det(exact);
        prop_assert!((value - exact).abs() <= slack, "{value} instead of {exact}");
    }
}
