//! Ends of the range: as many inducing points as data, none, more; perfect v; no residual.

use crate::support::{Owned, close, column, evidence, log_det, points, quad, se, squares, wave};
use bounds::exact::Exact;
use bounds::{Problem, QuadPoint, log_det_catalogue, quad_catalogue};
use ndarray::{Array1, Array2};

fn owned(m: usize) -> Owned {
    let x = points(20, 2, 0);
    let z = Array2::from_shape_fn((m, 2), |(i, j)| x[[i % 20, j]] + if i < 20 { 0.0 } else { 0.3 });
    let y = Array1::from_shape_fn(20, |i| wave(i, 4));
    Owned {
        kernel: se(0.7, 1.3),
        x,
        z,
        v: Array1::zeros(20),
        y,
        noise_variance: 0.1,
        jitter: 1e-12,
        neighbours: 19,
        structure: None,
        block: 6,
        blocks: None,
    }
}

#[test]
fn inducing_points_at_the_data_make_every_bound_exact() {
    let owned = owned(20);
    let problem = owned.problem();
    let exact = Exact::new(&problem).unwrap();
    for bound in log_det_catalogue() {
        close(bound.name(), bound.value(&problem).unwrap(), exact.log_det(), 1e-6);
    }
    let form = exact.quad(&column(&owned.y)).unwrap()[0];
    for name in ["auxiliary", "shifted-nystrom"] {
        close(name, quad(name).value(&problem, &owned.y, &owned.v).unwrap(), form, 1e-6);
    }
}

#[test]
fn a_solved_system_makes_the_quadratic_bounds_exact() {
    let owned = owned(3);
    let problem = owned.problem();
    let exact = Exact::new(&problem).unwrap();
    let y = column(&owned.y);
    let (alpha, form) = (exact.alpha(&y).unwrap(), exact.quad(&y).unwrap()[0]);
    for name in ["auxiliary", "cauchy-schwarz"] {
        close(name, quad(name).value(&problem, &owned.y, &alpha.column(0)).unwrap(), form, 1e-12);
    }
}

#[test]
fn no_inducing_points_leave_the_noise_alone() {
    let owned = owned(0);
    let problem = owned.problem();
    let (n, sigma2) = (20.0, 0.1f64);
    let log_noise = n * sigma2.ln();
    let trace_k = n * 1.3;
    let expected = [
        ("nystrom-log-det", log_noise),
        ("trace", log_noise + trace_k / sigma2),
        ("arithmetic-geometric", n * (sigma2 + 1.3).ln()),
        ("water-filling", n * (sigma2 + 1.3).ln()),
        ("hadamard", n * (sigma2 + 1.3).ln()),
    ];
    for (name, value) in expected {
        close(name, log_det(name).value(&problem).unwrap(), value, 1e-13);
        assert_eq!(
            log_det(name).differentiable().unwrap().gradient(&problem).unwrap().z.unwrap().dim(),
            (0, 2)
        );
    }
    let squared = squares(&owned.y);
    let form = |name: &str| quad(name).value(&problem, &owned.y, &owned.v).unwrap();
    close("auxiliary", form("auxiliary"), squared / sigma2, 1e-13);
    close("shifted-nystrom", form("shifted-nystrom"), squared / (sigma2 + trace_k), 1e-13);
    // The sparse variational bound is log N(y; 0, σ²I) − tr K/(2σ²).
    let bound = evidence(20, form("auxiliary"), log_det("trace").value(&problem).unwrap());
    let normal = evidence(20, squared / sigma2, log_noise);
    close("no inducing points", bound, normal - trace_k / (2.0 * sigma2), 1e-13);
}

#[test]
fn absent_and_empty_inducing_points_give_the_same_auxiliary_bound() {
    let owned = owned(0);
    let absent = Problem::new(owned.kernel.as_ref(), &owned.x, owned.noise_variance).unwrap();
    let v = owned.y.mapv(|y| 0.4 * y);
    let form = |problem: &Problem<'_>| quad("auxiliary").value(problem, &owned.y, &v).unwrap();
    close("auxiliary", form(&absent), form(&owned.problem()), 1e-14);
}

#[test]
fn more_inducing_points_than_rows_are_accepted() {
    let owned = Owned { jitter: 1e-8, ..owned(33) };
    let problem = owned.problem();
    let exact = Exact::new(&problem).unwrap();
    for bound in log_det_catalogue() {
        let value = bound.value(&problem).unwrap();
        close(bound.name(), value, exact.log_det(), 1e-5);
        let Some(bound) = bound.differentiable() else { continue };
        assert!(bound.gradient(&problem).unwrap().kernel.iter().all(|g| g.is_finite()));
    }
}

#[test]
fn a_zero_residual_and_zero_targets_are_no_division_by_zero() {
    let owned = owned(3);
    let problem = owned.problem();
    let zero = Array1::zeros(20);
    for bound in quad_catalogue() {
        assert_eq!(bound.value(&problem, &zero, &zero).unwrap(), 0.0, "{}", bound.name());
        let gradient = bound.gradient(&problem, &zero, &zero).unwrap();
        assert!(gradient.hyper.kernel.iter().all(|g| *g == 0.0), "{}", bound.name());
    }
    let point = QuadPoint::new(&problem, &zero, &zero).unwrap();
    assert_eq!(point.residual(), &zero);
}

/// The clamp of D: at the data D is zero, and rounding alone makes some of its entries negative.
#[test]
fn the_residual_is_never_negative() {
    let mut owned = owned(20);
    (owned.jitter, owned.noise_variance) = (0.0, 1e-9);
    let problem = owned.problem();
    let system = problem.nystrom().unwrap();
    let explained = system.v().mapv(|v| v * v).sum_axis(ndarray::Axis(0));
    let raw = owned.kernel.diag(&owned.x) - explained;
    assert!(raw.iter().any(|d| *d < 0.0), "nothing to clamp: {raw}");
    assert!(system.residual_diag().iter().all(|d| *d >= 0.0));
    let value = |name: &str| log_det(name).value(&problem).unwrap();
    assert!(value("hadamard") >= value("nystrom-log-det"));
}

#[test]
fn one_row_is_enough() {
    let (x, z) = (ndarray::array![[0.0]], ndarray::array![[0.0]]);
    let kernel = se(1.0, 1.0);
    let problem =
        Problem::new(kernel.as_ref(), &x, 0.1).unwrap().with_inducing_points(&z, 0.0).unwrap();
    let problem = problem.with_neighbours(30).with_blocks(4).unwrap();
    for bound in log_det_catalogue() {
        close(bound.name(), bound.value(&problem).unwrap(), 1.1f64.ln(), 1e-14);
    }
}

#[test]
fn white_noise_in_the_kernel_counts_as_noise() {
    let spec = |white: f64| {
        serde_json::json!({"type": "sum", "terms": [
            {"type": "se", "lengthscales": [0.7], "variance": 1.3}, {"type": "white", "variance": white}]})
    };
    let (plain, mut split) = (owned(5), owned(5));
    split.kernel = crate::support::kernel(&spec(0.04));
    split.noise_variance = 0.06;
    for bound in log_det_catalogue() {
        let [a, b] = [&plain, &split].map(|owned| bound.value(&owned.problem()).unwrap());
        close(bound.name(), a, b, 1e-13);
    }
}
