//! The six-row table of bounds: SGPR, the exact LML and Titsias' upper bound.

use crate::support::{absolute, column, exact_lml, leaf};
use ndarray::Axis;
use sparse_gp::Sgpr;

/// m, σ², SGPR, exact, upper.
const TABLE: [(usize, f64, f64, f64, f64); 6] = [
    (4, 0.1, -178.330_389_47, -16.003_603_42, 0.798_704_39),
    (4, 0.01, -1_750.630_159_89, -1.752_048_05, 42.278_219_32),
    (8, 0.1, -25.027_726_73, -16.003_603_42, -6.986_895_66),
    (8, 0.01, -149.836_111_74, -1.752_048_05, 29.947_911_47),
    (16, 0.1, -16.009_621_88, -16.003_603_42, -15.905_825_16),
    (16, 0.01, -1.907_875_09, -1.752_048_05, -0.061_151_68),
];

#[test]
fn the_table_of_bounds() {
    let x = column((0..40).map(|i| 5.0 * f64::from(i) / 39.0));
    let y = x.mapv(|t: f64| (2.0 * t).sin() + 0.3 * (7.0 * t).cos());
    for (m, noise_variance, lower, exact, upper) in TABLE {
        let step = |i: usize| (39.0 * i as f64 / (m as f64 - 1.0)).round_ties_even() as usize;
        let z = x.select(Axis(0), &(0..m).map(step).collect::<Vec<_>>());
        let hyper = leaf("se", &[0.5], noise_variance);
        let model = Sgpr::condition(&hyper, &z, &x, &y, &absolute(0.0)).unwrap();
        let evidence = model.evidence();
        for (found, expected) in [
            (evidence.elbo(), lower),
            (exact_lml(&hyper, &x, &y).0, exact),
            (evidence.upper_bound(), upper),
        ] {
            assert!((found - expected).abs() < 1e-6, "m {m}: {found} instead of {expected}");
        }
    }
}
