//! What users of other packages ran into: cases 6, 8, 17, 22 and 25 of the collection.

use crate::support::{
    absolute, close, column, condition, exact_lml, leaf, points, targets, wave, with_bound,
};
use cglb::{Cglb, CglbParts, CglbSettings, VarianceFrom, cglb_gradient};
use gp_core::{Hyperparameters, Posterior};
use ndarray::{Array2, Axis, array, concatenate, s};
use sparse_gp::{Notice, Sgpr, SgprSettings};

fn two_rows() -> (Hyperparameters, Array2<f64>) {
    (leaf("se", &[0.2], 0.1), array![[0.0], [1.0]])
}

#[test]
fn jitter_is_reported_and_moves_the_bound_continuously() {
    let ((hyper, x), y) = (two_rows(), array![[1.0], [0.5]]);
    let bound = |z: &Array2<f64>, jitter: f64| {
        let none = Array2::zeros(y.dim());
        let model = Cglb::with_auxiliary(&hyper, z, &x, &y, &none, &absolute(jitter)).unwrap();
        assert!(jitter == 0.0 || model.jitter() == jitter);
        model.evidence().elbo()
    };
    let (once, twice) = (array![[0.3], [0.9]], array![[0.3], [0.3], [0.9]]);
    for jitter in [1e-8, 1e-6] {
        // A repeated point with jitters of j is one with j/2, so repeating can only help.
        assert!(bound(&once, jitter) <= bound(&twice, jitter));
        assert!((bound(&once, 0.0) - bound(&twice, jitter)).abs() < 10.0 * jitter);
    }
    let ladder = [1e-10, 1e-8, 1e-6, 1e-4, 1e-2].map(|jitter| bound(&once, jitter));
    assert!(ladder.windows(2).all(|pair| pair[1] <= pair[0]), "{ladder:?}");
    let model = Cglb::condition(&hyper, &twice, &x, &y, &absolute(0.0)).unwrap();
    assert!(model.jitter() > 0.0 && model.jitter() < 1e-12, "raised, and said so");
}

/// Five columns of few levels each, as in wind-tunnel tables, and a smooth target with little noise.
fn levels(n: usize) -> (Array2<f64>, Array2<f64>) {
    let x = Array2::from_shape_fn((n, 5), |(i, j)| {
        let levels = [21.0, 27.0, 6.0, 4.0, 105.0][j];
        let place =
            ((i + 1) as f64 * [0.618_034, 0.754_878, 0.569_840, 0.324_718, 0.819_173][j]).fract();
        (place * levels).floor() / levels * 3.4 - 1.7
    });
    let y = Array2::from_shape_fn((n, 1), |(i, _)| {
        let row = x.row(i);
        (1.5 * row[0] + row[1]).sin() + row[2] * row[4] + 0.3 * row[3] + 0.02 * wave(i, 7)
    });
    (x, y)
}

/// Case 8: the bracket holds whatever bound is trained with and wherever conjugate gradients are cut;
/// that they were cut is said, with the residual and what it costs in nats.
#[test]
fn small_noise_and_solves_at_their_cap() {
    let (x, y) = levels(1200);
    let (z, hyper) = (x.slice(ndarray::s![..60, ..]), leaf("matern32", &[2.0; 5], 4e-4));
    let (exact, slack) = exact_lml(&hyper, &x, &y);
    for name in cglb::Bound::names() {
        let mut last = f64::INFINITY;
        for cg_max_steps in [0, 2, 20, 1000] {
            let settings = CglbSettings { cg_max_steps, neighbours: 10, ..with_bound(name) };
            let model = Cglb::condition(&hyper, &z, &x, &y, &settings).unwrap();
            let found = model.evidence();
            let named = format!("{name}, {cg_max_steps} steps: {exact} and {found:?}");
            assert!(found.lower <= exact + slack && exact - slack <= found.upper, "{named}");
            assert!(found.elbo() <= exact + slack && found.slack[0] <= last, "{named}");
            let capped = cg_max_steps < 1000;
            assert_eq!(found.cg.capped, usize::from(capped), "{named}");
            assert!(found.residual_norm[0] > 0.0 && (found.slack[0] > 1e-3) == capped, "{named}");
            last = found.slack[0];
        }
    }
}

#[test]
fn every_target_column_counts() {
    let (hyper, x) = two_rows();
    let y = array![[1.0, 0.0, 2.0, -1.0], [0.5, 1.0, -1.0, 3.0]];
    let z = array![[0.3], [0.9]];
    for cg_max_steps in [0, 1, 50] {
        let settings = CglbSettings { cg_max_steps, ..absolute(0.0) };
        let all = Cglb::condition(&hyper, &z, &x, &y, &settings).unwrap();
        let (evidence, mean) = (all.evidence(), all.predict_mean(&x).unwrap());
        let mut sums = [0.0; 3];
        for (p, elbo) in evidence.elbo_per_target().into_iter().enumerate() {
            let alone = y.column(p).to_owned().insert_axis(Axis(1));
            let alone = Cglb::condition(&hyper, &z, &x, &alone, &settings).unwrap();
            close("bound", alone.evidence().elbo(), elbo, 1e-12);
            close("v", alone.v()[[0, 0]], all.v()[[0, p]], 1e-12);
            close("mean", alone.predict_mean(&x).unwrap()[[1, 0]], mean[[1, p]], 1e-12);
            sums[0] += alone.evidence().elbo();
            sums[1] += alone.evidence().lower;
            sums[2] += alone.evidence().upper;
        }
        close("joint", evidence.elbo(), sums[0], 1e-12);
        close("lower", evidence.lower, sums[1], 1e-7);
        close("upper", evidence.upper, sums[2], 1e-7);
        let joint = cglb_gradient(&hyper, &z, &x, &y, all.v(), &settings).unwrap();
        close("gradient's value", joint.value, evidence.elbo(), 1e-12);
    }
    let trace = CglbSettings { bound: cglb::Bound::named("trace").unwrap(), ..absolute(0.0) };
    let none = Array2::zeros(y.dim());
    let sgpr = cglb_gradient(&hyper, &z, &x, &y, &none, &trace).unwrap();
    assert!((sgpr.value - -47.187_362_400_5).abs() < 1e-9, "{}", sgpr.value);
}

#[test]
fn all_rows_as_inducing_points_give_the_exact_evidence() {
    let x = points(60, 2, 0);
    let (y, hyper) = (targets(&x), leaf("matern32", &[0.8, 1.2], 0.05));
    let (exact, _) = exact_lml(&hyper, &x, &y);
    for cg_max_steps in [0, 10] {
        let settings = CglbSettings { cg_max_steps, ..absolute(1e-10) };
        let model = Cglb::condition(&hyper, &x, &x, &y, &settings).unwrap();
        assert!((model.evidence().elbo() - exact).abs() < 1e-6);
        assert!((model.evidence().lower - exact).abs() < 1e-4);
        assert!((model.evidence().upper - exact).abs() < 1e-4);
    }
}

#[test]
fn more_inducing_points_than_rows_are_cut_with_a_notice() {
    let x = points(12, 1, 0);
    let (y, hyper) = (targets(&x), leaf("matern32", &[0.8], 0.05));
    let mut options = cglb::CglbOptions { inducing: 20, ..Default::default() };
    options.plan.options.lbfgs.max_iters = 2;
    let fit = Cglb::fit(&hyper, &x, &y, &options, &mut ()).unwrap();
    assert_eq!(fit.notices, [Notice::MoreThanRows { asked: 20, n: 12 }]);
    assert_eq!(fit.model.inducing_points().nrows(), 12);
}

#[test]
fn no_inducing_points_leave_gibbs_and_mackay() {
    let (x, z) = (column([0.0, 0.4, 1.0]), Array2::zeros((0, 1)));
    let (y, hyper) = (column([1.0, -2.0, 0.5]), leaf("se", &[0.2], 0.1));
    let trace = CglbSettings { bound: cglb::Bound::named("trace").unwrap(), ..absolute(0.0) };
    let zero = CglbSettings { cg_max_steps: 0, ..trace.clone() };
    let model = Cglb::condition(&hyper, &z, &x, &y, &zero).unwrap();
    let normal: f64 =
        y.iter().map(|y| -0.5 * (y * y / 0.1 + (0.2 * std::f64::consts::PI).ln())).sum();
    assert!((model.evidence().elbo() - (normal - 3.0 / 0.2)).abs() < 1e-12);
    let model = Cglb::condition(&hyper, &z, &x, &y, &trace).unwrap();
    let exact = exact_gp_mean(&hyper, &x, &y);
    for (found, exact) in model.predict_mean(&x).unwrap().iter().zip(&exact) {
        assert!((found - exact).abs() < 1e-2, "{found} instead of {exact}");
    }
}

/// With all rows as neighbours variances are the exact model's, with fewer above them; a joint
/// covariance knows at least what each variance does.
#[test]
fn variances_from_neighbours_are_above_the_exact_ones() {
    let x = points(90, 2, 0);
    let (y, hyper) = (targets(&x), leaf("matern32", &[0.7, 1.1], 1e-3));
    let (z, at) = (points(10, 2, 500), points(25, 2, 900));
    let joint = exact_covariance(&hyper, &x, &at);
    let noise = hyper.noise_variance;
    let model = Cglb::condition(&hyper, &z, &x, &y, &CglbSettings::default()).unwrap();
    let all = model.predict(&at).unwrap();
    crate::support::close_all("latent", &all.var_latent, joint.diag(), 1e-10);
    crate::support::close_all("observed", &all.var_y, &(&all.var_latent + noise), 1e-15);
    crate::support::close_all("joint", &model.covariance(&at).unwrap(), &joint, 1e-10);
    let mut last = all.var_latent;
    for neighbours in [40, 12, 3, 1, 0] {
        let variance = VarianceFrom::Neighbours(neighbours);
        let parts = CglbParts { variance, ..model.parts() };
        let fewer = Cglb::from_parts(parts).unwrap();
        let found = fewer.predict(&at).unwrap().var_latent;
        let joint = fewer.covariance(&at).unwrap();
        for ((fewer, more), joint) in found.iter().zip(&last).zip(joint.diag()) {
            assert!(
                fewer >= &(more - 1e-12) && joint <= &(fewer + 1e-10),
                "{fewer} {more} {joint}"
            );
        }
        last = found;
    }
    assert_eq!(last.to_vec(), vec![1.0; 25]);
}

/// K** − K*_f K⁻¹ K_f*.
fn exact_covariance(hyper: &Hyperparameters, x: &Array2<f64>, at: &Array2<f64>) -> Array2<f64> {
    let kernel = hyper.kernel.as_ref();
    let k = kernels::gram_matrix(kernel, x) + Array2::<f64>::eye(x.nrows()) * hyper.noise_variance;
    let factor = linalg_cg::Cholesky::factor(k).unwrap();
    let half = factor.solve_lower(&kernels::kernel_matrix(kernel, x, at));
    kernels::gram_matrix(kernel, at) - half.t().dot(&half)
}

/// K_ff K⁻¹y: what the exact model predicts at its own rows.
fn exact_gp_mean(hyper: &Hyperparameters, x: &Array2<f64>, y: &Array2<f64>) -> Array2<f64> {
    let problem = bounds::Problem::new(hyper.kernel.as_ref(), x, hyper.noise_variance).unwrap();
    let alpha = bounds::exact::Exact::new(&problem).unwrap().alpha(y).unwrap();
    y - &(&alpha * hyper.noise_variance)
}

#[test]
fn without_steps_and_neighbours_it_is_sgpr() {
    let x = points(80, 2, 0);
    let (y, hyper) = (targets(&x), leaf("matern52", &[0.8, 1.2], 0.05));
    let (z, at) = (points(10, 2, 500), points(30, 2, 900));
    let variance = VarianceFrom::InducingPoints;
    let settings = CglbSettings { cg_max_steps: 0, variance, ..CglbSettings::default() };
    let cglb = Cglb::condition(&hyper, &z, &x, &y, &settings).unwrap();
    let sgpr = Sgpr::condition(&hyper, &z, &x, &y, &SgprSettings::default()).unwrap();
    let [a, b] = [cglb.predict(&at).unwrap(), sgpr.predict(&at).unwrap()];
    crate::support::close_all("mean", &a.mean, &b.mean, 1e-10);
    crate::support::close_all("variance", &a.var_latent, &b.var_latent, 1e-10);
    let [a, b] = [cglb.covariance(&at).unwrap(), sgpr.covariance(&at).unwrap()];
    crate::support::close_all("covariance", &a, &b, 1e-10);
}

/// Case 17: nearly noise-free data on a line.
#[test]
fn variances_are_between_zero_and_the_prior() {
    let x = column((0..300).map(|i| f64::from(i) / 299.0));
    let (y, hyper) = (x.mapv(|t| (6.0 * t).sin()), leaf("se", &[0.3], 1e-6));
    let at = concatenate![Axis(0), x, column((0..50).map(|i| -1.0 + 0.06 * f64::from(i)))];
    let model = condition(&hyper, &x.slice(s![..;15, ..]), &x, &y);
    for variance in [VarianceFrom::default(), VarianceFrom::InducingPoints] {
        let model = Cglb::from_parts(CglbParts { variance, ..model.parts() }).unwrap();
        let prediction = model.predict(&at).unwrap();
        for (latent, observed) in prediction.var_latent.iter().zip(&prediction.var_y) {
            assert!((0.0..=1.0 + 1e-9).contains(latent), "{variance:?}: {latent}");
            assert!(*observed >= 1e-6, "{variance:?}: {observed}");
        }
    }
}
