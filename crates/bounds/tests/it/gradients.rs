//! Every bound × every kernel of the catalogue: analytic gradients against central differences.

use crate::support::{Owned, close_all, points, wave};
use bounds::exact::Exact;
use bounds::{Gradient, SurrogateKind, log_det_catalogue, quad_catalogue, vecchia_form_gradient};
use ndarray::{Array1, Array2};

const STEP: f64 = 1e-5;
const TOLERANCE: f64 = 1e-6;

/// A problem away from any kink: a generous jitter keeps linear and constant kernels' Kuu regular.
fn owned(kernel: Box<dyn kernels::Kernel>) -> Owned {
    let (n, m, d) = (14, 4, 2);
    let y = Array1::from_shape_fn(n, |i| wave(i, 7));
    let v = Array1::from_shape_fn(n, |i| 0.3 * wave(i, 9));
    let mut owned = Owned {
        kernel,
        x: points(n, d, 0),
        z: points(m, d, 50),
        y,
        v,
        noise_variance: 0.2,
        jitter: 1e-2,
        neighbours: 4,
        structure: None,
        block: 5,
        blocks: None,
    };
    owned.freeze_structure();
    owned
}

/// Central difference of `f` as the owned problem is moved by `change(±h)`.
fn difference(
    owned: &mut Owned,
    f: &dyn Fn(&Owned) -> f64,
    change: &dyn Fn(&mut Owned, f64),
) -> f64 {
    change(owned, STEP);
    let above = f(owned);
    change(owned, -2.0 * STEP);
    let below = f(owned);
    change(owned, STEP);
    (above - below) / (2.0 * STEP)
}

fn scale_parameter(owned: &mut Owned, index: usize, h: f64) {
    let mut values: Vec<f64> = owned.kernel.parameters().iter().map(|p| p.value).collect();
    values[index] *= h.exp();
    owned.kernel.set_parameters(&values).unwrap();
}

fn check_hyper(what: &str, owned: &mut Owned, f: &dyn Fn(&Owned) -> f64, gradient: &Gradient) {
    let count = owned.kernel.parameters().len();
    let mut numeric: Vec<f64> =
        (0..count).map(|p| difference(owned, f, &|o, h| scale_parameter(o, p, h))).collect();
    numeric.push(difference(owned, f, &|o, h| o.noise_variance *= h.exp()));
    let mut analytic = gradient.kernel.clone();
    analytic.push(gradient.noise_variance);
    close_all(what, &analytic, &numeric, TOLERANCE);

    let cells: Vec<_> =
        (0..owned.z.nrows()).flat_map(|i| (0..owned.z.ncols()).map(move |j| [i, j])).collect();
    let numeric: Vec<f64> =
        cells.iter().map(|&cell| difference(owned, f, &|o, h| o.z[cell] += h)).collect();
    let zeros = Array2::zeros(owned.z.dim());
    close_all(&format!("{what}, Z"), gradient.z.as_ref().unwrap_or(&zeros), &numeric, TOLERANCE);
}

/// Of Σ bᵀCb, with one row or several in a group.
#[test]
fn forms_in_vecchia() {
    let b = Array2::from_shape_fn((14, 2), |(i, j)| ((3 * i + j) as f64).sin());
    let form = |owned: &Owned| {
        let problem = owned.problem();
        let surrogate = problem.surrogate(SurrogateKind::Vecchia).unwrap();
        (&surrogate.apply(&b) * &b).sum()
    };
    let check = |what: &str, owned: &mut Owned| {
        let gradient = vecchia_form_gradient(&owned.problem(), &b).unwrap();
        check_hyper(what, owned, &form, &gradient);
    };
    for kernel in kernels::catalogue(2).unwrap() {
        let what = format!("a form in Vecchia of {}", kernel.name());
        let mut owned = owned(kernel);
        check(&what, &mut owned);
        check(&format!("{what}, in blocks"), &mut owned.in_blocks(3, 4));
    }
}

#[test]
fn log_determinant_bounds() {
    for bound in log_det_catalogue() {
        for kernel in kernels::catalogue(2).unwrap() {
            let what = format!("{} of {}", bound.name(), kernel.name());
            let mut owned = owned(kernel);
            let Some(differentiable) = bound.differentiable() else { continue };
            let gradient = differentiable.gradient(&owned.problem()).unwrap();
            check_hyper(&what, &mut owned, &|o| bound.value(&o.problem()).unwrap(), &gradient);
            let mut owned = owned.in_blocks(3, 4);
            let gradient = differentiable.gradient(&owned.problem()).unwrap();
            let what = format!("{what}, in blocks");
            check_hyper(&what, &mut owned, &|o| bound.value(&o.problem()).unwrap(), &gradient);
        }
    }
}

#[test]
fn quadratic_bounds() {
    for bound in quad_catalogue() {
        for kernel in kernels::catalogue(2).unwrap() {
            let what = format!("{} of {}", bound.name(), kernel.name());
            let mut owned = owned(kernel);
            let gradient = bound.gradient(&owned.problem(), &owned.y, &owned.v).unwrap();
            let f = |o: &Owned| bound.value(&o.problem(), &o.y, &o.v).unwrap();
            check_hyper(&what, &mut owned, &f, &gradient.hyper);
            let numeric: Vec<f64> =
                (0..owned.n()).map(|i| difference(&mut owned, &f, &|o, h| o.y[i] += h)).collect();
            close_all(&format!("{what}, y"), &gradient.y, &numeric, TOLERANCE);
        }
    }
}

#[test]
fn auxiliary_bound_without_inducing_points() {
    for kernel in kernels::catalogue(2).unwrap() {
        let what = kernel.name();
        let mut owned = owned(kernel);
        let bare = |o: &Owned| {
            let problem = bounds::Problem::new(o.kernel.as_ref(), &o.x, o.noise_variance).unwrap();
            let bound = crate::support::quad("auxiliary");
            (
                bound.value(&problem, &o.y, &o.v).unwrap(),
                bound.gradient(&problem, &o.y, &o.v).unwrap(),
            )
        };
        let gradient = bare(&owned).1;
        assert!(gradient.hyper.z.is_none());
        check_hyper(what, &mut owned, &|o| bare(o).0, &gradient.hyper);
    }
}

#[test]
fn exact_evidence_of_two_targets() {
    for kernel in kernels::catalogue(2).unwrap() {
        let what = kernel.name();
        let mut owned = owned(kernel);
        let targets = |o: &Owned| ndarray::stack![ndarray::Axis(1), o.y, o.v];
        let gradient =
            Exact::new(&owned.problem()).unwrap().lml_gradient(&targets(&owned)).unwrap();
        let f = |o: &Owned| Exact::new(&o.problem()).unwrap().lml(&targets(o)).unwrap();
        check_hyper(what, &mut owned, &f, &gradient.hyper);
        let numeric: Vec<f64> =
            (0..owned.n()).map(|i| difference(&mut owned, &f, &|o, h| o.v[i] += h)).collect();
        close_all(what, gradient.y.column(1), &numeric, TOLERANCE);
    }
}

/// Matérn kernels have no cusp in their gradient at coinciding points.
#[test]
fn duplicated_rows_leave_gradients_finite_and_right() {
    for kernel in kernels::catalogue(2).unwrap() {
        let what = format!("duplicates, {}", kernel.name());
        let mut owned = owned(kernel);
        let first = owned.x.row(0).to_owned();
        owned.x.row_mut(1).assign(&first);
        for bound in log_det_catalogue() {
            let Some(differentiable) = bound.differentiable() else { continue };
            let gradient = differentiable.gradient(&owned.problem()).unwrap();
            check_hyper(&what, &mut owned, &|o| bound.value(&o.problem()).unwrap(), &gradient);
        }
    }
}
