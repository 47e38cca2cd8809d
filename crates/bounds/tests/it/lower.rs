//! The lower bound as one function: the sum of its parts.

use bounds::quad::{Auxiliary, QuadBound, residual};
use bounds::{BoundError, LowerPoint, Problem, Side, log_det_catalogue};
use kernels::{Matern32, SquaredExponential};
use ndarray::{Array2, s};

fn rows(n: usize, d: usize, offset: usize) -> Array2<f64> {
    let fraction = |i: usize, j: usize| (0.618_034 * ((i + offset) * (j + 2) + j) as f64).fract();
    Array2::from_shape_fn((n, d), |(i, j)| 4.0 * fraction(i, j) - 2.0)
}

#[test]
fn value_and_gradient_are_those_of_the_parts() {
    let (x, z) = (rows(40, 2, 0), rows(6, 2, 100));
    let y = rows(40, 2, 7);
    let v = rows(40, 2, 31) * 0.3;
    let kernel = Matern32::new(vec![0.8, 1.3], 1.7).unwrap();
    for bound in log_det_catalogue().iter().filter(|bound| bound.side() == Side::Upper) {
        let Some(bound) = bound.differentiable() else { continue };
        let problem = Problem::new(&kernel, &x, 0.2).unwrap();
        let problem = problem.with_inducing_points(&z, 1e-6).unwrap().with_neighbours(6);
        let problem = problem.with_blocks(8).unwrap();
        let residual = residual(&problem, &y, &v);
        let point = LowerPoint { y: &y, v: &v, residual: &residual };
        let found = point.gradient(&problem, bound, true).unwrap();
        let mut value = bound.value(&problem).unwrap() * 2.0;
        let mut hyper = bound.gradient(&problem).unwrap();
        hyper.scaled_add(1.0, &hyper.clone());
        for p in 0..2 {
            let (y, v) = (y.column(p), v.column(p));
            value += Auxiliary.value(&problem, &y, &v).unwrap();
            let part = Auxiliary.gradient(&problem, &y, &v).unwrap();
            hyper.scaled_add(1.0, &part.hyper);
            for (found, part) in found.y.column(p).iter().zip(&part.y) {
                assert!((found + 0.5 * part).abs() < 1e-10);
            }
        }
        value += 80.0 * (2.0 * std::f64::consts::PI).ln();
        assert!((found.value + 0.5 * value).abs() < 1e-9, "{}", bound.name());
        let z_found = found.hyper.z.unwrap();
        let pairs = found.hyper.kernel.iter().zip(&hyper.kernel);
        let pairs = pairs.chain(z_found.iter().zip(hyper.z.as_ref().unwrap()));
        let pairs = pairs.chain([(&found.hyper.noise_variance, &hyper.noise_variance)]);
        for (found, part) in pairs {
            let error = (found + 0.5 * part).abs() / (1.0 + part.abs());
            assert!(error < 1e-8, "{}: {found}, {part}, error {error:e}", bound.name());
        }
        let still = point.gradient(&problem, bound, false).unwrap();
        assert!(still.hyper.z.is_none());
        for (still, found) in still.hyper.kernel.iter().zip(&found.hyper.kernel) {
            assert!((still - found).abs() < 1e-9 * (1.0 + found.abs()), "{still} and {found}");
        }
    }
}

#[test]
fn what_is_kept_of_the_log_determinant_serves_any_v() {
    let (x, z) = (rows(40, 2, 0), rows(6, 2, 100));
    let (y, v) = (rows(40, 1, 7), rows(40, 1, 31));
    let kernel = Matern32::new(vec![0.8, 1.3], 1.7).unwrap();
    let mut n_kept = 0;
    for bound in log_det_catalogue().iter().filter(|bound| bound.side() == Side::Upper) {
        let Some(bound) = bound.differentiable() else { continue };
        let problem = Problem::new(&kernel, &x, 0.2).unwrap();
        let problem = problem.with_inducing_points(&z, 1e-6).unwrap().with_neighbours(6);
        let problem = problem.with_blocks(8).unwrap();
        let mut kept = None;
        for v in [&v, &(&v * 0.5)] {
            let residual = residual(&problem, &y, v);
            let point = LowerPoint { y: &y, v, residual: &residual };
            let found = point.gradient_keeping(&problem, bound, true, &mut kept).unwrap();
            assert_eq!(found, point.gradient(&problem, bound, true).unwrap(), "{}", bound.name());
        }
        if let Some(kept) = kept {
            assert_eq!(kept.value, bound.value(&problem).unwrap());
            n_kept += 1;
        }
    }
    assert!(n_kept > 0, "no bound keeps anything");
}

#[test]
fn what_a_bound_needs_is_what_it_fails_without() {
    let (x, z) = (rows(20, 1, 0), rows(4, 1, 50));
    let kernel = SquaredExponential::new(vec![0.8], 1.0).unwrap();
    for bound in log_det_catalogue() {
        let (needs, bare) = (bound.needs(), || Problem::new(&kernel, &x, 0.2).unwrap());
        let with_z = || bare().with_inducing_points(&z, 1e-6).unwrap();
        let missing = |problem: Problem<'_>, error: BoundError| bound.value(&problem) == Err(error);
        let no_neighbours = with_z().with_blocks(5).unwrap();
        let no_neighbours = missing(no_neighbours, BoundError::NeedsNeighbours);
        assert_eq!(no_neighbours, needs.neighbours, "{}", bound.name());
        let no_blocks = missing(with_z().with_neighbours(3), BoundError::NeedsBlocks);
        assert_eq!(no_blocks, needs.blocks, "{}", bound.name());
        let no_points = bare().with_neighbours(3).with_blocks(5).unwrap();
        let no_points = missing(no_points, BoundError::NeedsInducingPoints);
        assert_eq!(no_points, needs.inducing_points, "{}", bound.name());
        let Some(bound) = bound.differentiable() else { continue };
        let all = with_z().with_neighbours(3).with_blocks(5).unwrap();
        let gradient = bound.gradient(&all).unwrap();
        assert_eq!(gradient.z.is_some(), needs.inducing_points, "{}", bound.name());
    }
}

#[test]
fn a_system_goes_from_one_problem_to_another() {
    let (x, z) = (rows(30, 1, 0), rows(4, 1, 50));
    let kernel = SquaredExponential::new(vec![0.8], 1.4).unwrap();
    let problem =
        || Problem::new(&kernel, &x, 0.2).unwrap().with_relative_jitter(&z, 1e-5).unwrap();
    let first = problem();
    let log_det = first.nystrom().unwrap().log_det_q();
    assert!((first.nystrom().unwrap().jitter() - 1.4e-5).abs() < 1e-18);
    let system = first.into_nystrom().unwrap();
    let second = problem().with_nystrom(system.clone()).unwrap();
    assert!((second.nystrom().unwrap().log_det_q() - log_det).abs() <= 0.0);
    assert!(problem().into_nystrom().is_none(), "not built yet");
    let fewer = x.slice(s![..29, ..]);
    let other = Problem::new(&kernel, &fewer, 0.2).unwrap().with_inducing_points(&z, 0.0).unwrap();
    assert!(matches!(other.with_nystrom(system), Err(BoundError::ShapeMismatch { .. })));
}
