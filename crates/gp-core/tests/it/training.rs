//! Training on objectives with known optima: cases 45 and 46.

use crate::support::{Function, close, limits, refuse, rosenbrock, start};
use gp_core::{
    Evaluation, GpError, LbfgsOptions, Objective, Observer, Progress, Start, StopReason,
    TrainOptions, TrainState, Trained, train,
};
use std::cell::Cell;
use std::time::Duration;

fn run<F>(mut function: F, starts: &[Start], options: &TrainOptions) -> Result<Trained, GpError>
where
    F: FnMut(&[f64]) -> Result<Evaluation, GpError> + Copy,
{
    let mut screening = Function(function);
    train(&mut screening, &mut Function(&mut function), starts, options, None, &mut ())
}

/// −½ (u − c)².
fn hill(u: &[f64], centre: f64) -> Evaluation {
    let gradient: Vec<f64> = u.iter().map(|u| centre - u).collect();
    Evaluation { value: -0.5 * gradient.iter().map(|g| g * g).sum::<f64>(), gradient }
}

/// Two hills: the one at −1 is 1 high, the one at 4 is 2 high.
fn two_hills(u: &[f64]) -> Result<Evaluation, GpError> {
    let bump = |centre: f64, height: f64| {
        let value = height * (-0.5 * (u[0] - centre).powi(2)).exp();
        (value, value * (centre - u[0]))
    };
    let (a, b) = (bump(-1.0, 1.0), bump(4.0, 2.0));
    Ok(Evaluation { value: a.0 + b.0, gradient: vec![a.1 + b.1] })
}

#[test]
fn a_curved_ridge_is_climbed() {
    for n in [2, 5, 10] {
        let u = vec![-1.2; n];
        let trained = run(rosenbrock, &[start("far", &u)], &limits(2000, 5)).unwrap();
        assert!(trained.stop_reason.converged(), "{:?}", trained.stop_reason);
        let error = trained.u.iter().fold(0.0_f64, |worst, u| worst.max((u - 1.0).abs()));
        // In several dimensions the ridge has a second top near (−1, 1, …, 1).
        assert!(error < 1e-3 || (trained.u[0] + 1.0).abs() < 0.1, "{:?}", trained.u);
        assert!(trained.evaluations < 400);
    }
}

#[test]
fn the_best_of_the_starts_is_carried_on_and_the_spread_is_reported() {
    let starts = [start("left", &[-1.5]), start("right", &[3.0]), start("middle", &[-0.2])];
    let trained = run(two_hills, &starts, &limits(100, 20)).unwrap();
    assert_eq!(trained.start, 1);
    close("u", trained.u[0], 4.0, 1e-4);
    let names: Vec<&str> = trained.starts.iter().map(|start| start.name.as_str()).collect();
    assert_eq!(names, ["left", "right", "middle"]);
    let objectives: Vec<f64> = trained.starts.iter().map(|s| s.objective.unwrap()).collect();
    for (found, expected) in objectives.iter().zip([1.0, 2.0, 1.0]) {
        close("objective", *found, expected, 1e-4);
    }
}

type Hole = fn(&[f64]) -> Result<Evaluation, GpError>;

#[test]
fn points_that_are_not_finite_are_never_accepted() {
    let bad: [(&str, Hole); 5] = [
        ("NaN", |u| Ok(Evaluation { value: f64::NAN, gradient: vec![0.0; u.len()] })),
        ("infinitely good", |u| {
            Ok(Evaluation { value: f64::INFINITY, gradient: vec![1.0; u.len()] })
        }),
        ("infinitely bad", |u| {
            Ok(Evaluation { value: f64::NEG_INFINITY, gradient: vec![1.0; u.len()] })
        }),
        ("NaN gradient", |u| Ok(Evaluation { value: 1e9, gradient: vec![f64::NAN; u.len()] })),
        ("error", |_| Err(refuse())),
    ];
    for (name, hole) in bad {
        // The first step, of length one, already falls into the hole.
        for edge in [-1.9, -0.5, 0.999] {
            let function = |u: &[f64]| if u[0] > edge { hole(u) } else { Ok(hill(u, 3.0)) };
            let trained = run(function, &[start("x", &[-2.0])], &limits(200, 5)).unwrap();
            assert!(trained.u[0] <= edge && trained.u[0] > -2.0, "{name}: {:?}", trained.u);
            assert!(trained.objective.is_finite() && trained.objective > hill(&[-2.0], 3.0).value);
        }
    }
}

#[test]
fn a_start_that_fails_is_reported_and_passed_over() {
    let function = |u: &[f64]| if u[0] > 10.0 { Err(refuse()) } else { Ok(hill(u, 1.0)) };
    let starts = [start("hole", &[20.0]), start("fine", &[0.0]), start("hole too", &[30.0])];
    let trained = run(function, &starts, &limits(50, 5)).unwrap();
    assert_eq!(trained.start, 1);
    let found: Vec<bool> = trained.starts.iter().map(|start| start.objective.is_some()).collect();
    assert_eq!(found, [false, true, false]);
}

#[test]
fn when_every_start_fails_there_is_no_result() {
    let starts = [start("a", &[1.0]), start("b", &[2.0])];
    let nan = |_: &[f64]| Ok(Evaluation { value: f64::NAN, gradient: vec![0.0] });
    for count in [1, 2] {
        let error = run(nan, &starts[..count], &limits(50, 5)).unwrap_err();
        assert!(matches!(error, GpError::BadStart { .. }), "{error}");
        assert!(error.to_string().contains("other starting values"), "{error}");
    }
    let error = run(|_: &[f64]| Err(refuse()), &starts[..1], &limits(50, 5)).unwrap_err();
    assert!(error.to_string().contains("a hole"), "{error}");
    assert!(matches!(run(rosenbrock, &[], &limits(50, 5)), Err(GpError::BadStart { .. })));
}

#[test]
fn nothing_free_is_evaluated_once() {
    let function = |u: &[f64]| Ok(Evaluation { value: 7.0, gradient: u.to_vec() });
    let trained = run(function, &[start("fixed", &[])], &limits(50, 5)).unwrap();
    assert_eq!((trained.stop_reason, trained.objective), (StopReason::NothingFree, 7.0));
    assert_eq!((trained.iterations, trained.evaluations), (0, 1));
    assert!(trained.stop_reason.converged());
}

#[test]
fn no_iterations_leave_the_start_where_it_is() {
    let trained = run(rosenbrock, &[start("x", &[-1.2, 1.0])], &limits(0, 5)).unwrap();
    assert_eq!((trained.u, trained.iterations), (vec![-1.2, 1.0], 0));
    assert_eq!((trained.stop_reason, trained.evaluations), (StopReason::MaxIterations, 1));
}

#[test]
fn no_iterations_compare_the_starts_where_they_are() {
    let starts = [start("left", &[-1.5]), start("right", &[3.0]), start("middle", &[-0.2])];
    let trained = run(two_hills, &starts, &limits(0, 20)).unwrap();
    assert_eq!((trained.start, trained.u), (1, vec![3.0]));
}

/// Asks to stop once the start called by this index is under way.
struct StopIn(usize, bool);

impl Observer for StopIn {
    fn step(&mut self, progress: &Progress, _: &TrainState) {
        self.1 = progress.start == Some(self.0);
    }

    fn interrupted(&self) -> bool {
        self.1
    }
}

#[test]
fn stopped_among_the_starts_the_best_so_far_is_returned() {
    let starts = [start("left", &[-1.5]), start("right", &[3.0]), start("middle", &[-0.2])];
    for (stop_in, best) in [(0, 0), (1, 1), (2, 1)] {
        let [mut screening, mut full] = [Function(two_hills), Function(two_hills)];
        let mut observer = StopIn(stop_in, false);
        let options = limits(100, 20);
        let trained =
            train(&mut screening, &mut full, &starts, &options, None, &mut observer).unwrap();
        assert_eq!((trained.stop_reason, trained.start), (StopReason::Interrupted, best));
        assert_eq!(trained.objective, two_hills(&trained.u).unwrap().value);
    }
}

/// Asks to stop from the evaluation of this number on: a clock that an objective moves.
struct Clock<'a> {
    evaluations: &'a Cell<usize>,
    limit: usize,
}

impl Observer for Clock<'_> {
    fn interrupted(&self) -> bool {
        self.evaluations.get() >= self.limit
    }
}

/// After the limit not one evaluation of a start begins, nor the final run; and the run that is
/// resumed finds what an uninterrupted one does.
#[test]
fn no_evaluation_among_the_starts_begins_after_a_limit() {
    let starts = [[-1.2, 1.0], [2.0, -1.0], [0.0, 5.0]].map(|u| start("start", &u));
    let options = limits(200, 6);
    let train_until = |limit: usize, resume: Option<TrainState>| {
        let (screened, finals) = (Cell::new(0), Cell::new(0));
        let counted = |count: &Cell<usize>, u: &[f64]| {
            count.set(count.get() + 1);
            rosenbrock(u)
        };
        let mut screening = Function(|u: &[f64]| counted(&screened, u));
        let mut full = Function(|u: &[f64]| counted(&finals, u));
        let mut clock = Clock { evaluations: &screened, limit };
        let trained = train(&mut screening, &mut full, &starts, &options, resume, &mut clock);
        (trained.unwrap(), screened.get(), finals.get())
    };
    let (whole, screened, _) = train_until(usize::MAX, None);
    for limit in 1..=screened {
        let (part, evaluations, finals) = train_until(limit, None);
        assert_eq!((part.stop_reason, evaluations, finals), (StopReason::Interrupted, limit, 0));
        assert_eq!(part.objective, rosenbrock(&part.u).unwrap().value);
        assert!(part.objective >= rosenbrock(&starts[0].u).unwrap().value);
        let (rest, _, _) = train_until(usize::MAX, Some(part.state));
        assert_eq!((rest.u, &rest.starts), (whole.u.clone(), &whole.starts), "{limit}");
    }
}

/// Evaluations of many parts, which asks before each part whether to go on.
struct Parts<'a>(&'a Cell<usize>);

impl Objective for Parts<'_> {
    fn evaluate(&mut self, u: &[f64]) -> Result<Evaluation, GpError> {
        self.evaluate_until(u, &|| false)
    }

    fn evaluate_until(
        &mut self,
        u: &[f64],
        stop: &dyn Fn() -> bool,
    ) -> Result<Evaluation, GpError> {
        for _ in 0..10 {
            if stop() {
                return Err(GpError::Interrupted);
            }
            self.0.set(self.0.get() + 1);
        }
        rosenbrock(u)
    }
}

/// In the midst of its first evaluation too, if a start has come to something; and it goes on as if
/// nothing had happened.
#[test]
fn the_final_run_ends_within_an_evaluation() {
    let starts = [[-1.2, 1.0], [2.0, -1.0]].map(|u| start("start", &u));
    let options = limits(200, 6);
    let train_until = |starts: &[Start], limit: usize, resume: Option<TrainState>| {
        let parts = Cell::new(0);
        let (mut screening, mut full) = (Function(rosenbrock), Parts(&parts));
        let mut clock = Clock { evaluations: &parts, limit };
        let trained = train(&mut screening, &mut full, starts, &options, resume, &mut clock);
        (trained.unwrap(), parts.get())
    };
    let (whole, parts) = train_until(&starts, usize::MAX, None);
    for limit in [5, 15, 33, parts / 2, parts - 5] {
        let (part, done) = train_until(&starts, limit, None);
        assert_eq!((part.stop_reason, done), (StopReason::Interrupted, limit));
        assert_eq!(part.objective, rosenbrock(&part.u).unwrap().value);
        let (rest, _) = train_until(&starts, usize::MAX, Some(part.state));
        assert_eq!((rest.u, rest.evaluations), (whole.u.clone(), whole.evaluations), "{limit}");
    }
    // Of a single start there is nothing to return before its first evaluation.
    let (part, done) = train_until(&starts[..1], 5, None);
    assert_eq!((part.stop_reason, done, part.iterations), (StopReason::Interrupted, 10, 0));
}

/// The same by the clock: each evaluation takes long beside the limit.
#[test]
fn a_time_limit_is_exceeded_by_one_evaluation_of_a_start_at_most() {
    let starts = [[-1.2, 1.0], [2.0, -1.0]].map(|u| start("start", &u));
    let (each, limit) = (Duration::from_millis(20), Duration::from_millis(70));
    let evaluations = Cell::new(0_u32);
    let slow = |u: &[f64]| {
        evaluations.set(evaluations.get() + 1);
        std::thread::sleep(each);
        rosenbrock(u)
    };
    let options = TrainOptions { time_limit: Some(limit), ..limits(100, 50) };
    let trained = run(slow, &starts, &options).unwrap();
    assert_eq!(trained.stop_reason, StopReason::TimeLimit);
    // The last began before the limit, since those before it took less.
    assert!(evaluations.get() >= 1 && (evaluations.get() - 1) * each <= limit);
}

/// With the time over and no start that could be evaluated the next one is.
#[test]
fn a_limit_waits_for_a_start_that_can_be_evaluated() {
    let function = |u: &[f64]| if u[0] > 10.0 { Err(refuse()) } else { Ok(hill(u, 1.0)) };
    let starts = [start("hole", &[20.0]), start("fine", &[0.0]), start("better", &[0.9])];
    let options = TrainOptions { time_limit: Some(Duration::ZERO), ..limits(50, 5) };
    let trained = run(function, &starts, &options).unwrap();
    assert_eq!((trained.stop_reason, trained.start), (StopReason::TimeLimit, 1));
    assert_eq!((trained.u, trained.starts.len()), (vec![0.0], 1));
}

/// Asks to stop once a start has failed.
#[test]
fn a_start_that_fails_ends_among_the_starts_too() {
    let failures = Cell::new(0);
    let function = |u: &[f64]| match u[0] > 10.0 {
        true => {
            failures.set(failures.get() + 1);
            Err(refuse())
        }
        false => Ok(hill(u, 1.0)),
    };
    let starts = [start("fine", &[0.0]), start("hole", &[20.0])];
    let mut clock = Clock { evaluations: &failures, limit: 1 };
    let (mut screening, mut full) = (Function(function), Function(|_: &[f64]| Err(refuse())));
    let options = limits(50, 5);
    let part = train(&mut screening, &mut full, &starts, &options, None, &mut clock).unwrap();
    assert_eq!((part.stop_reason, part.start), (StopReason::Interrupted, 0));
    assert_eq!((part.starts.len(), part.objective), (2, hill(&part.u, 1.0).value));
}

/// Rises nowhere along its gradient until it is refined.
struct Coarse {
    refined: bool,
}

impl Objective for Coarse {
    fn evaluate(&mut self, u: &[f64]) -> Result<Evaluation, GpError> {
        if self.refined {
            let hill = hill(u, 3.0);
            return Ok(Evaluation { value: hill.value + 10.0, ..hill });
        }
        Ok(Evaluation { value: -u[0].abs(), gradient: vec![1.0] })
    }

    fn refine(&mut self, _: &[f64]) -> Result<bool, GpError> {
        Ok(!std::mem::replace(&mut self.refined, true))
    }
}

#[test]
fn an_objective_is_refined_among_the_starts_too() {
    let starts = [start("a", &[0.0]), start("b", &[-1.0])];
    let [mut screening, mut full] = [Coarse { refined: false }, Coarse { refined: true }];
    let trained =
        train(&mut screening, &mut full, &starts, &limits(50, 20), None, &mut ()).unwrap();
    assert!(screening.refined);
    close("where the first start ended", trained.starts[0].u[0], 3.0, 1e-4);
}

#[test]
fn limits_are_kept() {
    for limit in [1, 3, 8] {
        let trained = run(rosenbrock, &[start("x", &[-1.2, 1.0])], &limits(limit, 5)).unwrap();
        assert_eq!((trained.iterations, trained.stop_reason), (limit, StopReason::MaxIterations));
        assert!(!trained.stop_reason.converged());
    }
    let options = TrainOptions { time_limit: Some(Duration::ZERO), ..limits(100, 5) };
    for starts in
        [&[start("x", &[-1.2, 1.0])][..], &[start("x", &[-1.2, 1.0]), start("y", &[0.0, 0.0])]]
    {
        let trained = run(rosenbrock, starts, &options).unwrap();
        assert_eq!((trained.stop_reason, trained.iterations), (StopReason::TimeLimit, 0));
    }
}

#[test]
fn an_optimum_is_recognised_at_once() {
    let trained =
        run(|u: &[f64]| Ok(hill(u, 3.0)), &[start("top", &[3.0])], &limits(50, 5)).unwrap();
    assert_eq!((trained.stop_reason, trained.evaluations), (StopReason::Gradient, 1));
}

#[test]
fn a_gradient_that_promises_too_much_ends_the_run() {
    // Rises everywhere along the promised direction: no step is accepted.
    let liar = |u: &[f64]| Ok(Evaluation { value: -u[0].abs(), gradient: vec![1.0] });
    let trained = run(liar, &[start("x", &[0.0])], &limits(50, 5)).unwrap();
    assert_eq!((trained.stop_reason, trained.u[0]), (StopReason::LineSearch, 0.0));
}

#[test]
fn plateaus_end_a_run_by_value() {
    let options = TrainOptions {
        lbfgs: LbfgsOptions {
            gradient_tolerance: 0.0,
            value_tolerance: 1e-6,
            ..LbfgsOptions::default()
        },
        ..limits(500, 5)
    };
    let quartic =
        |u: &[f64]| Ok(Evaluation { value: -u[0].powi(4), gradient: vec![-4.0 * u[0].powi(3)] });
    let trained = run(quartic, &[start("x", &[2.0])], &options).unwrap();
    assert_eq!(trained.stop_reason, StopReason::Value);
}

/// Keeps what it is told.
#[derive(Default)]
struct Diary(Vec<Progress>);

impl Observer for Diary {
    fn step(&mut self, progress: &Progress, state: &TrainState) {
        assert_eq!(state.run.as_ref().unwrap().iterations, progress.iteration);
        assert_eq!(state.starts.len(), progress.start.unwrap_or(state.starts.len()));
        self.0.push(*progress);
    }
}

#[test]
fn every_run_of_training_only_climbs() {
    let starts = [start("a", &[-1.2, 1.0]), start("b", &[2.0, -1.0]), start("c", &[0.0, 5.0])];
    let mut diary = Diary::default();
    let (mut screening, mut full) = (Function(rosenbrock), Function(rosenbrock));
    let options = limits(200, 6);
    let trained = train(&mut screening, &mut full, &starts, &options, None, &mut diary).unwrap();
    let runs: Vec<Option<usize>> = diary.0.iter().map(|progress| progress.start).collect();
    for run in [Some(0), Some(1), Some(2), None] {
        let steps: Vec<&Progress> = diary.0.iter().filter(|p| p.start == run).collect();
        assert!(steps.windows(2).all(|w| w[1].objective >= w[0].objective));
        assert!(steps.windows(2).all(|w| w[1].seconds >= w[0].seconds));
        assert_eq!(steps[0].iteration, 0);
    }
    assert!(runs.windows(2).all(|w| w[0] == w[1] || w[1].is_none() || w[1] > w[0]));
    assert_eq!(diary.0.last().unwrap().objective, trained.objective);
}
