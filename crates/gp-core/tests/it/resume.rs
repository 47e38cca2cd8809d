//! Interruption anywhere, then the same bits as if it had not happened.

use crate::support::{bits, limits, rosenbrock, start};
use gp_core::{
    Evaluation, GpError, Objective, Observer, Progress, StopReason, TrainState, Trained, train,
};
use proptest::prelude::*;

/// The ridge, with a term that pulls towards an anchor which follows the accepted steps.
struct Anchored {
    anchor: Vec<f64>,
    /// Evaluations until one is interrupted from within.
    remaining: usize,
}

impl Anchored {
    fn new(remaining: usize) -> Self {
        Self { anchor: vec![0.0; 3], remaining }
    }
}

impl Objective for Anchored {
    fn evaluate(&mut self, u: &[f64]) -> Result<Evaluation, GpError> {
        if self.remaining == 0 {
            return Err(GpError::Interrupted);
        }
        self.remaining -= 1;
        let mut evaluation = rosenbrock(u)?;
        for ((slope, u), anchor) in evaluation.gradient.iter_mut().zip(u).zip(&self.anchor) {
            evaluation.value -= 0.1 * (u - anchor).powi(2);
            *slope -= 0.2 * (u - anchor);
        }
        Ok(evaluation)
    }

    fn accepted(&mut self, u: &[f64]) -> Result<bool, GpError> {
        for (anchor, u) in self.anchor.iter_mut().zip(u) {
            *anchor = 0.5 * (*anchor + u);
        }
        Ok(true)
    }

    fn auxiliary(&self) -> Vec<f64> {
        self.anchor.clone()
    }

    fn restore_auxiliary(&mut self, auxiliary: &[f64]) {
        self.anchor = auxiliary.to_vec();
    }
}

/// Keeps every state as the text of a checkpoint, and asks to stop after some.
struct Checkpoints {
    limit: usize,
    texts: Vec<String>,
}

impl Checkpoints {
    fn new(limit: usize) -> Self {
        Self { limit, texts: Vec::new() }
    }
}

impl Observer for Checkpoints {
    fn step(&mut self, _: &Progress, state: &TrainState) {
        self.texts.push(serde_json::to_string(state).unwrap());
    }

    fn interrupted(&self) -> bool {
        self.texts.len() >= self.limit
    }
}

/// Trains from `resume`; evaluations from `remaining` on are interrupted from within.
fn run(
    resume: Option<&str>,
    remaining: [usize; 2],
    observer: &mut Checkpoints,
) -> Result<Trained, GpError> {
    let starts = [[-1.2, 1.0, 0.3], [2.0, -1.0, 0.5], [0.1, 0.2, -0.3]].map(|u| start("start", &u));
    let [mut screening, mut full] = remaining.map(Anchored::new);
    let resume = resume.map(|text| serde_json::from_str(text).unwrap());
    train(&mut screening, &mut full, &starts, &limits(40, 7), resume, observer)
}

const ENDLESS: [usize; 2] = [usize::MAX; 2];

fn whole() -> (Trained, Vec<String>) {
    let mut observer = Checkpoints::new(usize::MAX);
    (run(None, ENDLESS, &mut observer).unwrap(), observer.texts)
}

/// Whether two runs found the same, however long they took.
fn check_same(a: &Trained, b: &Trained) {
    assert_eq!(bits(&a.u), bits(&b.u));
    assert_eq!(a.objective.to_bits(), b.objective.to_bits());
    assert_eq!((a.iterations, a.stop_reason), (b.iterations, b.stop_reason));
    assert_eq!((a.start, &a.starts), (b.start, &b.starts));
}

#[test]
fn interrupted_after_any_step_and_resumed() {
    let (expected, texts) = whole();
    for limit in 1..texts.len() {
        let mut observer = Checkpoints::new(limit);
        let part = run(None, ENDLESS, &mut observer).unwrap();
        if part.stop_reason != StopReason::Interrupted {
            // The last state of a run is kept after it has ended.
            continue;
        }
        assert!(part.objective >= part.state.run.as_ref().unwrap().value);
        let text = serde_json::to_string(&part.state).unwrap();
        let rest = run(Some(&text), ENDLESS, &mut Checkpoints::new(usize::MAX)).unwrap();
        check_same(&rest, &expected);
        assert_eq!(rest.evaluations, expected.evaluations, "after {limit} steps");
    }
}

#[test]
fn killed_at_any_checkpoint_and_resumed() {
    let (expected, texts) = whole();
    for text in &texts {
        let rest = run(Some(text), ENDLESS, &mut Checkpoints::new(usize::MAX)).unwrap();
        check_same(&rest, &expected);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn interrupted_within_any_evaluation_and_resumed(screening in 0..60usize, full in 0..90usize) {
        let mut observer = Checkpoints::new(usize::MAX);
        let (expected, _) = whole();
        let first = match run(None, [screening, full], &mut observer) {
            Ok(trained) if trained.stop_reason != StopReason::Interrupted => trained,
            Ok(_) | Err(GpError::Interrupted) => {
                let last = observer.texts.last().map(String::as_str);
                run(last, ENDLESS, &mut Checkpoints::new(usize::MAX)).unwrap()
            }
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        };
        check_same(&first, &expected);
    }

    #[test]
    fn interrupted_again_and_again(limits in prop::collection::vec(2..9usize, 1..6)) {
        let (expected, _) = whole();
        let mut text: Option<String> = None;
        for limit in limits {
            let part = run(text.as_deref(), ENDLESS, &mut Checkpoints::new(limit)).unwrap();
            text = Some(serde_json::to_string(&part.state).unwrap());
        }
        let rest = run(text.as_deref(), ENDLESS, &mut Checkpoints::new(usize::MAX)).unwrap();
        check_same(&rest, &expected);
    }
}
