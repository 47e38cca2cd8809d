//! Estimates against the exact evidence.

use crate::support::{close, estimate, exact, flat, leaf, of_rank, points, targets};
use bounds::Problem;
use gp_core::{GpError, Hyperparameters};
use iterative_gp::{
    EstimatorOptions, IterativeGp, NystromSurrogate, Preconditioning, PredictionOptions, ProbeKind,
    Surrogate, SurrogateDerivative, VecchiaSurrogate, lml_estimate_with,
};
use kernels::Mean;
use linalg_cg::Preconditioner;
use ndarray::{Array2, ArrayRef2, Axis, concatenate, s};

const RUNS: u64 = 1000;

/// How many of the seeded runs lie within four standard errors: of the value, and of each gradient.
fn coverage(hyper: &Hyperparameters, n: usize, options: &EstimatorOptions) -> (usize, Vec<usize>) {
    let x = points(n, 2, 0);
    let y = targets(&x);
    let truth = exact(hyper, &x, &y);
    let (value, gradient) = truth.lml_gradient().unwrap();
    let gradient = flat(&gradient);
    let (mut values, mut gradients) = (0, vec![0; gradient.len()]);
    for seed in 0..RUNS {
        let found = estimate(hyper, (&x, &y), options, seed);
        values += usize::from((found.value - value).abs() <= 4.0 * found.standard_error);
        let errors = flat(&found.gradient_standard_error);
        for (i, (g, error)) in flat(&found.gradient).into_iter().zip(errors).enumerate() {
            let near = 4.0 * error + 1e-6 * (1.0 + gradient[i].abs());
            gradients[i] += usize::from((g - gradient[i]).abs() <= near);
        }
    }
    (values, gradients)
}

#[test]
fn estimates_lie_within_four_standard_errors_in_99_of_100_runs() {
    let mut hyper = leaf("matern32", &[0.8, 1.3], 0.05);
    hyper.mean = Mean::Constant(0.2);
    for (rank, kind) in
        [(0, ProbeKind::Rademacher), (8, ProbeKind::Rademacher), (8, ProbeKind::Gaussian)]
    {
        let options = EstimatorOptions { probes: 10, kind, ..of_rank(rank) };
        let (values, gradients) = coverage(&hyper, 48, &options);
        let least = RUNS as usize * 99 / 100;
        assert!(values >= least, "rank {rank}, {kind:?}: {values} values");
        assert!(gradients.iter().all(|&count| count >= least), "rank {rank}: {gradients:?}");
    }
}

#[test]
fn every_preconditioner_estimates_the_same_evidence() {
    let x = points(400, 3, 0);
    let y = concatenate![Axis(1), targets(&x), targets(&x).mapv(|v| v * v)];
    let hyper = leaf("se", &[2.4, 1.8, 3.0], 0.02);
    let truth = exact(&hyper, &x, &y);
    let (value, gradient) = truth.lml_gradient().unwrap();
    let kinds = [
        Preconditioning::PivotedCholesky { rank: 0 },
        Preconditioning::PivotedCholesky { rank: 5 },
        Preconditioning::PivotedCholesky { rank: 50 },
        Preconditioning::InducingPoints(points(30, 3, 900)),
        Preconditioning::Vecchia { neighbours: 10 },
    ];
    let mut errors = Vec::new();
    for preconditioning in kinds {
        let options = EstimatorOptions { preconditioning, ..of_rank(0) };
        let found = estimate(&hyper, (&x, &y), &options, 3);
        assert!(found.solver.converged(), "{:?}", found.solver);
        let name = format!("{:?}", options.preconditioning);
        let error = (found.value - value).abs();
        assert!(error <= 4.0 * found.standard_error, "{name}: {error} {}", found.standard_error);
        let each = flat(&found.gradient).into_iter().zip(flat(&found.gradient_standard_error));
        for ((g, error), truth) in each.zip(flat(&gradient)) {
            assert!((g - truth).abs() <= 4.0 * error + 1e-6, "{name}: {g} {truth} {error}");
        }
        errors.push((found.standard_error, found.gradient_standard_error.log_kernel[0]));
    }
    // A better surrogate leaves less to chance, in value and gradient alike.
    assert!(errors[2].0 < 0.3 * errors[1].0 && errors[2].0 < 0.3 * errors[0].0, "{errors:?}");
    assert!(errors[2].1 < 0.3 * errors[0].1, "{errors:?}");
}

/// Fewer steps make the estimate smaller, by at most what is said.
#[test]
fn what_too_few_steps_cost_is_bounded_and_never_an_over_estimate() {
    let x = points(300, 2, 0);
    let y = targets(&x);
    let hyper = leaf("matern12", &[0.4, 0.6], 1e-3);
    let whole = estimate(&hyper, (&x, &y), &of_rank(10), 5);
    let mut last = f64::INFINITY;
    for max_steps in [1, 3, 10, 30, 100] {
        let options = EstimatorOptions { max_steps, ..of_rank(10) };
        let cut = estimate(&hyper, (&x, &y), &options, 5);
        let slack = cut.solver.quad_slack + cut.solver.log_det_slack.unwrap();
        let short = whole.value - cut.value;
        assert!((-1e-6..=slack + 1e-6).contains(&short), "{max_steps} steps: {short} of {slack}");
        assert!(cut.solver.capped > 0 || max_steps == 100);
        assert!(cut.solver.steps_max <= max_steps && short < last);
        last = short;
    }
    assert!(last < 1e-3, "{last}");
}

/// With as many pivots as rows nothing is left to chance, nor with one row.
#[test]
fn a_full_surrogate_is_exact() {
    let x = points(40, 1, 0);
    let y = targets(&x);
    let hyper = leaf("matern12", &[0.7], 0.1);
    let found = estimate(&hyper, (&x, &y), &of_rank(40), 1);
    let (value, gradient) = exact(&hyper, &x, &y).lml_gradient().unwrap();
    assert!((found.value - value).abs() < 1e-7 && found.standard_error < 1e-5);
    for (g, truth) in flat(&found.gradient).into_iter().zip(flat(&gradient)) {
        assert!((g - truth).abs() < 1e-6 * (1.0 + truth.abs()), "{g} {truth}");
    }
}

/// The same number through the door for surrogates of one's own; another seed, another number.
#[test]
fn seeds_replay_and_a_surrogate_may_be_given() {
    let x = points(120, 2, 0);
    let y = targets(&x);
    let hyper = leaf("matern52", &[0.8, 0.8], 0.05);
    let z = points(12, 2, 700);
    let preconditioning = Preconditioning::InducingPoints(z.clone());
    let options = EstimatorOptions { preconditioning, ..EstimatorOptions::default() };
    let [a, b, c] = [7, 7, 8].map(|seed| estimate(&hyper, (&x, &y), &options, seed));
    assert_eq!(a, b);
    assert_ne!(a.value, c.value);
    let problem = bounds::Problem::new(hyper.kernel.as_ref(), &x, hyper.noise_variance).unwrap();
    let problem = problem.with_inducing_points(&z, 0.0).unwrap();
    let surrogate = NystromSurrogate::new(&problem).unwrap();
    let own = lml_estimate_with(&hyper, &x, &y, &surrogate, &options, 7).unwrap();
    assert_eq!(own, a);
}

/// The estimate of a conditioned model spends nothing on what α tells.
#[test]
fn a_models_estimate_is_that_of_its_rows() {
    let x = points(150, 2, 0);
    let y = Array2::from_shape_fn((150, 2), |(i, j)| targets(&x)[[i, 0]] + 0.1 * (i * j) as f64);
    let hyper = leaf("matern32", &[0.5, 0.8], 0.02);
    for preconditioning in
        [Preconditioning::PivotedCholesky { rank: 20 }, Preconditioning::Vecchia { neighbours: 5 }]
    {
        let (tolerance, nats) = (1e-9, 1e-12);
        let prediction = PredictionOptions {
            preconditioning: preconditioning.clone(),
            nats,
            ..PredictionOptions::default()
        };
        let options =
            EstimatorOptions { preconditioning, tolerance, nats, ..EstimatorOptions::default() };
        let gp = IterativeGp::condition(&hyper, &x, &y, &prediction).unwrap();
        let (found, whole) =
            (gp.estimate(&options, 3).unwrap(), estimate(&hyper, (&x, &y), &options, 3));
        assert!(
            (found.value - whole.value).abs() < 1e-7 * whole.value.abs(),
            "{found:?} {whole:?}"
        );
        assert!((found.standard_error - whole.standard_error).abs() < 1e-7);
        assert_eq!(found.solver.solves + 2, whole.solver.solves);
        // Of an α that is no solution the estimate is smaller, by no more than it says.
        let rough = PredictionOptions { nats: 10.0, ..prediction };
        let rough = IterativeGp::condition(&hyper, &x, &y, &rough).unwrap();
        let rough = rough.estimate(&options, 3).unwrap();
        let lost = found.value - rough.value;
        assert!(lost > 1e-6 && lost <= rough.solver.quad_slack + 1e-9, "{lost} {rough:?}");
    }
}

/// Pivots where they leave less than the noise, neighbours elsewhere, to the bit.
#[test]
fn the_automatic_surrogate_is_the_one_that_fits() {
    let x = points(200, 2, 0);
    let y = targets(&x);
    let (rank, neighbours) = (20, 10);
    let pivots = Preconditioning::PivotedCholesky { rank };
    let vecchia = Preconditioning::Vecchia { neighbours };
    for (lengthscale, noise, expected) in [(2.0, 0.5, &pivots), (0.1, 1e-3, &vecchia)] {
        let hyper = leaf("matern32", &[lengthscale; 2], noise);
        let [found, other, same] = [&Preconditioning::Auto { rank, neighbours }, &pivots, expected]
            .map(|chosen| {
                let options = EstimatorOptions {
                    preconditioning: chosen.clone(),
                    ..EstimatorOptions::default()
                };
                estimate(&hyper, (&x, &y), &options, 1)
            });
        assert_eq!(found, same);
        assert_eq!(found == other, expected == &pivots);
    }
}

/// Rademacher probes coloured by the surrogate vary less than Gaussian ones.
#[test]
fn signs_vary_less_than_normal_numbers() {
    let x = points(200, 2, 0);
    let y = targets(&x);
    let hyper = leaf("matern32", &[0.5, 0.5], 0.05);
    let error = |kind| {
        let options = EstimatorOptions { probes: 64, kind, ..of_rank(10) };
        estimate(&hyper, (&x, &y), &options, 2).standard_error
    };
    assert!(error(ProbeKind::Rademacher) < 0.9 * error(ProbeKind::Gaussian));
}

/// A surrogate whose N probes are the columns of √N I, whatever was drawn: their mean is a trace.
struct EveryProbe<S>(S);

impl<S: Surrogate> Preconditioner for EveryProbe<S> {
    fn n(&self) -> usize {
        self.0.n()
    }

    fn solve(&self, r: &ArrayRef2<f64>) -> Array2<f64> {
        self.0.solve(r)
    }
}

impl<S: Surrogate> Surrogate for EveryProbe<S> {
    fn log_det(&self) -> f64 {
        Surrogate::log_det(&self.0)
    }

    fn colour(&self, z: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError> {
        let n = self.n();
        assert_eq!(z.dim(), (n, n));
        self.0.colour(&(Array2::<f64>::eye(n) * (n as f64).sqrt()))
    }

    fn is_below(&self) -> bool {
        self.0.is_below()
    }

    fn derivative(&self) -> Option<&dyn SurrogateDerivative> {
        self.0.derivative()
    }
}

/// Case 15: with nothing left to chance, no surrogate changes the evidence or its gradient.
#[test]
fn case_15_the_surrogate_does_not_matter() {
    let x = points(80, 2, 0);
    let y = targets(&x);
    let hyper = leaf("matern32", &[0.8, 1.3], 0.05);
    let (value, gradient) = exact(&hyper, &x, &y).lml_gradient().unwrap();
    let options = EstimatorOptions { probes: 80, tolerance: 1e-12, nats: 1e-12, ..of_rank(0) };
    let check = |what: &str, surrogate: &dyn Surrogate| {
        let found = lml_estimate_with(&hyper, &x, &y, surrogate, &options, 1).unwrap();
        close(&format!("{what}, value"), found.value, value, 1e-8);
        for (found, exact) in flat(&found.gradient).into_iter().zip(flat(&gradient)) {
            close(&format!("{what}, gradient"), found, exact, 1e-6);
        }
    };
    let problem = || Problem::new(hyper.kernel.as_ref(), &x, hyper.noise_variance).unwrap();
    for rank in [0, 5, 50] {
        let z = x.slice(s![..rank, ..]);
        let problem = problem().with_inducing_points(&z, 0.0).unwrap();
        let surrogate = NystromSurrogate::new(&problem).unwrap();
        check(&format!("rank {rank}"), &EveryProbe(surrogate));
    }
    for neighbours in [0, 3, 20] {
        let problem = problem().with_neighbours(neighbours);
        let surrogate = VecchiaSurrogate::new(&problem).unwrap();
        check(&format!("{neighbours} neighbours"), &EveryProbe(surrogate));
    }
}
