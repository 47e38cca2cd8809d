//! Laws over random problems.

use crate::support::{absolute, close_all, exact_lml, sparse_cases};
use bounds::exact::Exact;
use cglb::{Bound, Cglb, CglbSettings, Preconditioning, cglb_gradient};
use gp_core::Posterior;
use ndarray::{Array2, Axis, concatenate};
use proptest::prelude::*;

fn settings(bound: &str, cg_max_steps: usize) -> CglbSettings {
    let bound = Bound::named(bound).unwrap();
    let prediction_tolerance = 1e-9;
    CglbSettings { bound, cg_max_steps, prediction_tolerance, ..CglbSettings::default() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn better_v_better_bound_and_never_above_the_evidence(case in sparse_cases()) {
        let (exact, slack) = exact_lml(&case.hyper, &case.x, &case.y);
        let at = |bound: &str, v: &Array2<f64>| {
            let settings = settings(bound, 0);
            cglb_gradient(&case.hyper, &case.z, &case.x, &case.y, v, &settings).unwrap().value
        };
        let problem = bounds::Problem::new(
            case.hyper.kernel.as_ref(), &case.x, case.hyper.noise_variance).unwrap();
        let centred =
            case.y.clone() - case.hyper.mean.value(&case.x).insert_axis(Axis(1));
        let best = Exact::new(&problem).unwrap().alpha(&centred).unwrap();
        let zero = Array2::zeros(case.y.dim());
        let ladder =
            [at("trace", &zero), at("arithmetic-geometric", &zero), at("arithmetic-geometric", &best)];
        let room = slack + 1e-9 * (1.0 + ladder[0].abs());
        prop_assert!(ladder[0] <= ladder[1] + room, "{ladder:?}");
        prop_assert!(ladder[1] <= ladder[2] + room, "{ladder:?}");
        prop_assert!(ladder[2] <= exact + slack, "{ladder:?} above {exact}");
        let evidence = case.cglb().evidence().clone();
        prop_assert!(evidence.lower <= exact + slack && exact - slack <= evidence.upper);
        prop_assert!(evidence.lower <= evidence.upper);
        let width = evidence.slack_quad + evidence.slack_logdet;
        prop_assert!((evidence.upper - evidence.lower - width).abs() <= 1e-9 * (1.0 + width));
    }

    #[test]
    fn the_reported_bound_never_falls_when_conjugate_gradients_run_longer(
        case in sparse_cases(), vecchia in any::<bool>()
    ) {
        let mut last = f64::NEG_INFINITY;
        let (_, slack) = exact_lml(&case.hyper, &case.x, &case.y);
        for steps in [0, 1, 2, 3, 5, 8, 13, 50] {
            let mut settings = settings("arithmetic-geometric", steps);
            if vecchia {
                settings.preconditioning = Preconditioning::Vecchia;
            }
            let model =
                Cglb::condition(&case.hyper, &case.z, &case.x, &case.y, &settings).unwrap();
            let lower = model.evidence().lower;
            prop_assert!(lower >= last - slack - 1e-8 * (1.0 + last.abs()), "{lower} after {last}");
            last = last.max(lower);
        }
    }

    #[test]
    fn the_order_of_rows_does_not_matter(case in sparse_cases(), shift in 1..7usize) {
        let n = case.x.nrows();
        let order: Vec<usize> = (0..n).rev().map(|i| (i + shift) % n).collect();
        let [x, y] = [&case.x, &case.y].map(|a| a.select(Axis(0), &order));
        let v = Array2::from_shape_fn(y.dim(), |(i, p)| crate::support::wave(i, p));
        let moved_v = v.select(Axis(0), &order);
        let settings = absolute(1e-4);
        let at = |x: &Array2<f64>, y: &Array2<f64>, v: &Array2<f64>| {
            Cglb::with_auxiliary(&case.hyper, &case.z, x, y, v, &settings).unwrap()
        };
        let (model, moved) = (at(&case.x, &case.y, &v), at(&x, &y, &moved_v));
        let [a, b] = [&model, &moved].map(Cglb::evidence);
        for (a, b) in [(a.elbo(), b.elbo()), (a.lower, b.lower), (a.upper, b.upper)] {
            prop_assert!((a - b).abs() <= 1e-7 * (1.0 + b.abs()) + a_rounding(&model), "{a} and {b}");
        }
        let [a, b] = [model.predict(&x).unwrap(), moved.predict(&x).unwrap()];
        close_all("variance", &b.var_latent, &a.var_latent, 1e-8);
        close_all("mean", &b.mean, &a.mean, 1e-6);
    }

    #[test]
    fn repeated_inducing_points_are_harmless(case in sparse_cases()) {
        let twice = concatenate![Axis(0), case.z, case.z];
        let (exact, slack) = exact_lml(&case.hyper, &case.x, &case.y);
        let v = case.cglb().v().clone();
        let at = |z: &Array2<f64>, bound: &str| {
            let settings = settings(bound, 0);
            Cglb::with_auxiliary(&case.hyper, z, &case.x, &case.y, &v, &settings).unwrap()
        };
        let repeated = at(&twice, "arithmetic-geometric");
        prop_assert!(repeated.evidence().lower <= exact + slack);
        prop_assert!(exact - slack <= repeated.evidence().upper);
        // Two points with a jitter of j each are one with j/2, which raises Q. The trace bound falls
        // then; the arithmetic-geometric one may rise, as it may with any further point.
        let [a, b] = [&case.z, &twice].map(|z| at(z, "trace").evidence().elbo());
        // A jitter of 1e-6 leaves some 1e-9 of the variance to rounding, and D is divided by σ².
        let prior = case.hyper.kernel.diag(&case.x).sum() * case.y.ncols() as f64;
        let rounding = 1e-9 * prior / case.hyper.total_noise_variance();
        prop_assert!(b >= a - 1e-6 * (1.0 + a.abs()) - slack - rounding, "{b} below {a}");
        prop_assert!(repeated.predict(&case.x).unwrap().var_latent.iter().all(|v| *v >= 0.0));
    }

    #[test]
    fn the_mean_is_within_its_certificate(case in sparse_cases(), steps in 0..6usize) {
        let settings = settings("arithmetic-geometric", steps);
        let model = Cglb::condition(&case.hyper, &case.z, &case.x, &case.y, &settings).unwrap();
        let at = &case.x + 0.2;
        let (mean, bound) = (model.predict_mean(&at).unwrap(), model.mean_error_bound(&at).unwrap());
        let problem = model.problem().unwrap();
        let alpha = Exact::new(&problem).unwrap().alpha(&model.centred()).unwrap();
        let kernel = case.hyper.kernel.as_ref();
        let exact = kernels::cross_product(kernel, &at, &case.x, &alpha)
            + case.hyper.mean.value(&at).insert_axis(Axis(1));
        let scale = 1.0 + alpha.iter().fold(0.0, |sum: f64, a| sum + a.abs());
        for ((mean, exact), bound) in mean.iter().zip(&exact).zip(&bound) {
            prop_assert!((mean - exact).abs() <= bound + 1e-8 * scale, "{mean}, {exact}, {bound}");
        }
    }
}

/// What rounding alone puts into the bracket.
fn a_rounding(model: &Cglb) -> f64 {
    model.evidence().rounding
}
