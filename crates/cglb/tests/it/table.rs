//! The six-row table of bounds, and the path of conjugate gradients on one of its rows: cases 9, 23
//! and 26.

use crate::support::{absolute, column, exact_lml, leaf};
use bounds::exact::Exact;
use cglb::{Cglb, CglbSettings, cglb_gradient};
use gp_core::Hyperparameters;
use ndarray::{Array2, Axis};
use sparse_gp::{Jitter, Sgpr, SgprSettings};

/// m, σ², SGPR, v = 0, v = K⁻¹y, exact, upper with L_q⁰, Titsias' upper.
const TABLE: [(usize, f64, [f64; 6]); 6] = [
    (
        4,
        0.1,
        [
            -178.330_389_47,
            -121.312_344_44,
            -41.299_368_50,
            -16.003_603_42,
            -6.958_920_74,
            0.798_704_39,
        ],
    ),
    (
        4,
        0.01,
        [
            -1_750.630_159_89,
            -913.911_225_25,
            -60.390_766_86,
            -1.752_048_05,
            16.475_226_41,
            42.278_219_32,
        ],
    ),
    (
        8,
        0.1,
        [
            -25.027_726_73,
            -23.436_234_83,
            -21.018_089_58,
            -16.003_603_42,
            -13.536_438_56,
            -6.986_895_66,
        ],
    ),
    (
        8,
        0.01,
        [
            -149.836_111_74,
            -93.332_191_35,
            -28.836_539_59,
            -1.752_048_05,
            5.390_969_18,
            29.947_911_47,
        ],
    ),
    (
        16,
        0.1,
        [
            -16.009_621_88,
            -16.009_619_51,
            -16.007_363_77,
            -16.003_603_42,
            -15.997_619_21,
            -15.905_825_16,
        ],
    ),
    (
        16,
        0.01,
        [-1.907_875_09, -1.907_638_35, -1.797_615_25, -1.752_048_05, -1.700_382_70, -0.061_151_68],
    ),
];

fn data() -> (Array2<f64>, Array2<f64>) {
    let x = column((0..40).map(|i| 5.0 * f64::from(i) / 39.0));
    let y = x.mapv(|t: f64| (2.0 * t).sin() + 0.3 * (7.0 * t).cos());
    (x, y)
}

fn points(x: &Array2<f64>, m: usize) -> Array2<f64> {
    let step = |i: usize| (39.0 * i as f64 / (m as f64 - 1.0)).round_ties_even() as usize;
    x.select(Axis(0), &(0..m).map(step).collect::<Vec<_>>())
}

fn exact_v(hyper: &Hyperparameters, x: &Array2<f64>, y: &Array2<f64>) -> Array2<f64> {
    let problem = bounds::Problem::new(hyper.kernel.as_ref(), x, hyper.noise_variance).unwrap();
    Exact::new(&problem).unwrap().alpha(y).unwrap()
}

#[test]
fn the_table_of_bounds() {
    let (x, y) = data();
    for (m, noise_variance, expected) in TABLE {
        let (z, hyper) = (points(&x, m), leaf("se", &[0.5], noise_variance));
        let settings = absolute(0.0);
        let at = |v: &Array2<f64>| Cglb::with_auxiliary(&hyper, &z, &x, &y, v, &settings).unwrap();
        let [zero, exact] = [Array2::zeros(y.dim()), exact_v(&hyper, &x, &y)].map(|v| at(&v));
        let sgpr = SgprSettings { jitter: Jitter::Absolute(0.0), low_memory: false };
        let sgpr = Sgpr::condition(&hyper, &z, &x, &y, &sgpr).unwrap();
        let found = [
            sgpr.evidence().elbo(),
            zero.evidence().elbo(),
            exact.evidence().elbo(),
            exact_lml(&hyper, &x, &y).0,
            exact.evidence().upper,
            sgpr.evidence().upper_bound(),
        ];
        for (column, (found, expected)) in found.iter().zip(expected).enumerate() {
            // The upper end of the evidence is widened for rounding.
            let tolerance = if column == 4 { 2e-6 } else { 1e-6 };
            assert!((found - expected).abs() < tolerance, "m {m}: {found} instead of {expected}");
        }
        assert!(found.windows(2).all(|pair| pair[0] <= pair[1] + 1e-9), "{found:?}");
    }
}

#[test]
fn each_step_of_conjugate_gradients_on_the_third_row() {
    let (x, y) = data();
    let (z, hyper) = (points(&x, 8), leaf("se", &[0.5], 0.1));
    for (steps, slack, lower) in [
        (0, 10.73, -23.436_23),
        (1, 3.329, -23.289_97),
        (2, 0.666_7, -21.429_17),
        (3, 0.145_8, -21.088_15),
        (4, 2.868e-3, -21.019_40),
        (6, 3.8e-7, -21.018_09),
    ] {
        let settings =
            CglbSettings { cg_max_steps: steps, prediction_tolerance: 1e-12, ..absolute(0.0) };
        let model = Cglb::condition(&hyper, &z, &x, &y, &settings).unwrap();
        let evidence = model.evidence();
        assert!((evidence.slack[0] / slack - 1.0).abs() < 1e-2, "{steps}: {}", evidence.slack[0]);
        assert!((evidence.elbo() - lower).abs() < 1e-5, "{steps}: {}", evidence.elbo());
        assert_eq!((evidence.cg.steps_max, evidence.cg.capped), (steps, 1));
        assert!(
            (evidence.upper - evidence.lower - evidence.slack_quad - evidence.slack_logdet).abs()
                < 1e-9
        );
    }
}

#[test]
fn a_cap_of_zero_steps_is_v_zero_exactly() {
    let (x, y) = data();
    let (z, hyper) = (points(&x, 8), leaf("se", &[0.5], 0.1));
    let settings = CglbSettings { cg_max_steps: 0, ..absolute(0.0) };
    let model = Cglb::condition(&hyper, &z, &x, &y, &settings).unwrap();
    let none = Array2::zeros(y.dim());
    let zero = cglb_gradient(&hyper, &z, &x, &y, &none, &settings).unwrap();
    assert!((model.evidence().elbo() - -23.436_234_83).abs() < 1e-8);
    assert!((model.evidence().elbo() - zero.value).abs() < 1e-12);
    assert!(model.v().iter().all(|v| *v == 0.0) && *model.residual() == y);
}
