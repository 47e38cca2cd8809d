//! The six-row table: sparse bound, conjugate-gradient bound, exact evidence and both upper bounds.

use crate::support::{close, column, evidence, log_det, quad, se};
use bounds::exact::Exact;
use bounds::{Problem, QuadPoint, solve_auxiliary};
use linalg_cg::CgOptions;
use ndarray::{Array1, Array2, Axis};

/// m, σ², SGPR, CGLB(0), CGLB(K⁻¹y), exact, upper(K⁻¹y), Titsias' upper.
#[rustfmt::skip]
const TABLE: [(usize, f64, [f64; 6]); 6] = [
    (4, 0.1, [-178.33038947, -121.31234444, -41.29936850, -16.00360342, -6.95892074, 0.79870439]),
    (4, 0.01, [-1750.63015989, -913.91122525, -60.39076686, -1.75204805, 16.47522641, 42.27821932]),
    (8, 0.1, [-25.02772673, -23.43623483, -21.01808958, -16.00360342, -13.53643856, -6.98689566]),
    (8, 0.01, [-149.83611174, -93.33219135, -28.83653959, -1.75204805, 5.39096918, 29.94791147]),
    (16, 0.1, [-16.00962188, -16.00961951, -16.00736377, -16.00360342, -15.99761921, -15.90582516]),
    (16, 0.01, [-1.90787509, -1.90763835, -1.79761525, -1.75204805, -1.70038270, -0.06115168]),
];

const N: usize = 40;

fn data() -> (Array2<f64>, Array1<f64>) {
    let x = Array2::from_shape_fn((N, 1), |(i, _)| 5.0 * i as f64 / 39.0);
    let y = x.column(0).mapv(|t| (2.0 * t).sin() + 0.3 * (7.0 * t).cos());
    (x, y)
}

/// Rows round(linspace(0, 39, m)), halves to even.
fn inducing(x: &Array2<f64>, m: usize) -> Array2<f64> {
    let rows: Vec<usize> =
        (0..m).map(|i| (39.0 * i as f64 / (m - 1) as f64).round_ties_even() as usize).collect();
    x.select(Axis(0), &rows)
}

#[test]
fn six_rows_to_1e_6() {
    let ((x, y), kernel) = (data(), se(0.5, 1.0));
    for (m, noise, expected) in TABLE {
        let z = inducing(&x, m);
        let problem = Problem::new(kernel.as_ref(), &x, noise)
            .unwrap()
            .with_inducing_points(&z, 0.0)
            .unwrap();
        let exact = Exact::new(&problem).unwrap();
        let (zero, alpha) =
            (Array1::zeros(N), exact.alpha(&column(&y)).unwrap().column(0).to_owned());
        let det = |name: &str| log_det(name).value(&problem).unwrap();
        let form = |name: &str, v: &Array1<f64>| quad(name).value(&problem, &y, v).unwrap();
        let values = [
            evidence(N, form("auxiliary", &zero), det("trace")),
            evidence(N, form("auxiliary", &zero), det("arithmetic-geometric")),
            evidence(N, form("auxiliary", &alpha), det("arithmetic-geometric")),
            exact.lml(&column(&y)).unwrap(),
            evidence(N, form("cauchy-schwarz", &alpha), det("nystrom-log-det")),
            evidence(N, form("shifted-nystrom", &zero), det("nystrom-log-det")),
        ];
        for (value, expected) in values.iter().zip(expected) {
            assert!(
                (value - expected).abs() < 1e-6,
                "m = {m}, noise {noise}: {value} instead of {expected}"
            );
        }
        assert!(values.windows(2).all(|pair| pair[0] <= pair[1] + 1e-9), "order of {values:?}");
    }
}

/// m = 8, σ² = 0.1, from v = 0: ½rᵀQ⁻¹r, lower and upper bound after so many steps.
#[rustfmt::skip]
const STEPS: [(usize, f64, f64, f64); 6] = [
    (0, 10.73, -23.43623, -5.22815),
    (1, 3.329, -23.28997, -12.47906),
    (2, 0.6667, -21.42917, -13.28080),
    (3, 0.1458, -21.08815, -13.46067),
    (4, 2.868e-3, -21.01940, -13.53489),
    (6, 3.8e-7, -21.01809, -13.53644),
];

#[test]
fn the_bracket_step_by_step_and_its_width_by_formula() {
    let ((x, y), kernel) = (data(), se(0.5, 1.0));
    let z = inducing(&x, 8);
    let problem =
        Problem::new(kernel.as_ref(), &x, 0.1).unwrap().with_inducing_points(&z, 0.0).unwrap();
    let det = |name: &str| log_det(name).value(&problem).unwrap();
    for (steps, slack, lower, upper) in STEPS {
        let options = CgOptions::default().max_iters(steps);
        let solution = solve_auxiliary(&problem, &column(&y), 1e-14, None, &options).unwrap();
        let v = solution.v.column(0).to_owned();
        let point = QuadPoint::new(&problem, &y, &v).unwrap();
        let found = 0.5 * problem.nystrom().unwrap().quad_vec(point.residual());
        assert!(
            (found - slack).abs() < 1e-3 * slack.max(1e-5),
            "step {steps}: {found} instead of {slack}"
        );
        let upper_form = quad("auxiliary").value_at(&problem, &point).unwrap();
        let values = [
            evidence(N, upper_form, det("arithmetic-geometric")),
            evidence(N, point.base(), det("nystrom-log-det")),
        ];
        assert!(
            (values[0] - lower).abs() < 1e-5 && (values[1] - upper).abs() < 1e-5,
            "step {steps}: {values:?}"
        );

        let system = problem.nystrom().unwrap();
        let per_point = system.residual_trace() / (N as f64 * system.sigma2());
        let width = 0.5 * N as f64 * per_point.ln_1p() + found;
        close("width", values[1] - values[0], width, 1e-8);
    }
}
