//! What must not change a value: the order of rows, the number of threads.

use crate::support::{Owned, close, close_all, column, permuted, points, se, wave};
use bounds::exact::Exact;
use bounds::{Evaluation, log_det_catalogue, quad_catalogue};
use ndarray::{Array1, Array2};

fn owned(n: usize) -> Owned {
    let x = points(n, 3, 0);
    let kernel = crate::support::kernel(
        &serde_json::json!({"type": "matern52", "lengthscales": [1.0, 1.5, 0.8], "variance": 1.2}),
    );
    let [y, v] = [2, 5].map(|j| Array1::from_shape_fn(n, |i| wave(i, j)));
    let (z, jitter) = (points(12, 3, 900), 1e-6);
    Owned {
        kernel,
        x,
        z,
        y,
        v,
        noise_variance: 0.05,
        jitter,
        neighbours: 8,
        structure: None,
        block: 9,
        blocks: None,
    }
}

#[test]
fn the_order_of_rows_does_not_matter() {
    let n = 60;
    let plain = owned(n);
    let order: Vec<usize> = (0..n).map(|i| (i * 23 + 7) % n).collect();
    let select = |a: &Array1<f64>| Array1::from_shape_fn(n, |i| a[order[i]]);
    let moved = Owned {
        x: permuted(&plain.x, &order),
        y: select(&plain.y),
        v: select(&plain.v),
        ..owned(n)
    };
    let (a, b) = (plain.problem(), moved.problem());
    for bound in log_det_catalogue() {
        close(bound.name(), bound.value(&a).unwrap(), bound.value(&b).unwrap(), 1e-11);
        let Some(bound) = bound.differentiable() else { continue };
        let [p, q] = [&a, &b].map(|problem| bound.gradient(problem).unwrap());
        close_all(bound.name(), &p.kernel, &q.kernel, 1e-10);
    }
    for bound in quad_catalogue() {
        let [p, q] = [(&a, &plain), (&b, &moved)]
            .map(|(problem, o)| bound.value(problem, &o.y, &o.v).unwrap());
        close(bound.name(), p, q, 1e-11);
    }
}

/// Every bit of every value, gradient and exact quantity, concatenated.
fn fingerprint(owned: &Owned) -> Vec<u64> {
    let problem = owned.problem();
    let mut numbers = Vec::new();
    for bound in log_det_catalogue() {
        numbers.push(bound.value(&problem).unwrap());
        let Some(bound) = bound.differentiable() else { continue };
        let gradient = bound.gradient(&problem).unwrap();
        numbers.extend(gradient.kernel);
        numbers.push(gradient.noise_variance);
        numbers.extend(gradient.z.unwrap_or_default());
    }
    for bound in quad_catalogue() {
        let gradient = bound.gradient(&problem, &owned.y, &owned.v).unwrap();
        numbers.push(bound.value(&problem, &owned.y, &owned.v).unwrap());
        numbers.extend(gradient.hyper.kernel);
        numbers.extend(gradient.hyper.z.unwrap_or_default());
        numbers.extend(gradient.y);
    }
    let options = linalg_cg::CgOptions::default().max_iters(12);
    let solution =
        bounds::solve_auxiliary(&problem, &column(&owned.y), 1e-9, None, &options).unwrap();
    numbers.extend(solution.v);
    let exact = Exact::new(&problem).unwrap();
    let gradient = exact.lml_gradient(&column(&owned.y)).unwrap();
    numbers.push(exact.log_det());
    numbers.push(gradient.value);
    numbers.extend(gradient.hyper.kernel);
    numbers.extend(gradient.alpha);
    numbers.extend(exact.leave_one_out(&column(&owned.y)).unwrap().var_y);
    numbers.into_iter().map(f64::to_bits).collect()
}

#[test]
fn the_same_bits_for_any_number_of_threads() {
    let owned = owned(700);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| fingerprint(&owned))
    };
    let one = run(1);
    for threads in [2, 8] {
        assert!(run(threads) == one, "{threads} threads give other bits than one");
    }
}

#[test]
fn evaluating_twice_gives_the_same_rows() {
    let owned = owned(50);
    let (problem, y) = (owned.problem(), column(&owned.y));
    let values = || {
        let evaluation = Evaluation::new(
            &problem,
            &y,
            &Array2::zeros(y.dim()),
            &log_det_catalogue(),
            &quad_catalogue(),
        )
        .unwrap();
        evaluation.rows().iter().map(|row| (row.name, row.value, row.slack)).collect::<Vec<_>>()
    };
    assert_eq!(values(), values());
}

/// Case 39: one lengthscale for all columns is the same as equal ones per column.
#[test]
fn equal_lengthscales_are_one_lengthscale() {
    let mut many = owned(30);
    many.kernel = crate::support::kernel(
        &serde_json::json!({"type": "se", "lengthscales": [0.9, 0.9, 0.9], "variance": 1.0}),
    );
    let one = Owned { kernel: se(0.9, 1.0), ..owned(30) };
    for bound in log_det_catalogue() {
        let [a, b] = [&many, &one].map(|owned| bound.value(&owned.problem()).unwrap());
        close(bound.name(), a, b, 1e-13);
    }
}
