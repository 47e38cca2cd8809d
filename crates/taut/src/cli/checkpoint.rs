//! Training's state on disk, so that nothing is lost when it is stopped.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use datasets::Design;
use gp_core::{Format, GpError, Observer, Progress, TrainState};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::failure::Failure;
use super::interrupt::Interrupt;
use super::progress::{Display, training_line};

const FORMAT: Format = Format { name: "taut-checkpoint", version: 3 };
/// Time between saves while training runs undisturbed.
const BETWEEN_SAVES: Duration = Duration::from_secs(10);

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Checkpoint {
    /// What data and options the state belongs to.
    fingerprint: String,
    /// Of each kernel begun, in order; the last may be unfinished.
    states: Vec<TrainState>,
}

/// A digest of the data and of the options that shape training.
pub(crate) fn fingerprint(design: &Design, options: &str) -> String {
    let mut digest = Sha256::new();
    digest.update(options.as_bytes());
    for array in [&design.x, &design.y] {
        digest.update(format!("{:?}", array.dim()).as_bytes());
        array.iter().for_each(|value| digest.update(value.to_bits().to_le_bytes()));
    }
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The states saved at `path`, if they belong to the same data and options.
pub(crate) fn load(path: &Path, fingerprint: &str) -> Result<Vec<TrainState>, Failure> {
    if !path.exists() {
        return Err(Failure::new(
            format!("there is no checkpoint at {}", path.display()),
            "name it with --checkpoint, or start afresh without --resume",
        ));
    }
    let saved: Checkpoint = FORMAT.read(path)?;
    if saved.fingerprint == fingerprint {
        return Ok(saved.states);
    }
    Err(Failure::new(
        format!("the checkpoint {} belongs to other data or options", path.display()),
        "resume with the same table and options, or start afresh without --resume",
    ))
}

/// Removes a checkpoint that has served; another file of that name is left alone.
pub(crate) fn remove(path: &Path) {
    if FORMAT.read::<Checkpoint>(path).is_ok() {
        let _ = std::fs::remove_file(path);
    }
}

/// Shows training, saves its state, and stops it when asked.
pub(crate) struct Watch<'a> {
    path: PathBuf,
    fingerprint: String,
    interrupt: &'a Interrupt,
    display: &'a mut Display,
    stage: String,
    n_starts: usize,
    /// Final states of the kernels trained so far.
    finished: Vec<TrainState>,
    saved: Instant,
    failed: bool,
    /// The last state of the kernel under way that can be resumed.
    latest: Option<TrainState>,
    /// Where kernels still to come go on.
    to_come: std::vec::IntoIter<TrainState>,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(
        path: &Path,
        fingerprint: String,
        loaded: Vec<TrainState>,
        interrupt: &'a Interrupt,
        display: &'a mut Display,
    ) -> Self {
        Self {
            path: path.to_owned(),
            fingerprint,
            interrupt,
            display,
            stage: String::new(),
            n_starts: 1,
            finished: Vec::new(),
            saved: Instant::now(),
            failed: false,
            latest: None,
            to_come: loaded.into_iter(),
        }
    }

    /// Another kernel is about to be trained, `stage` says which; where it goes on.
    pub(crate) fn begin(&mut self, stage: String, n_starts: usize) -> Option<TrainState> {
        (self.stage, self.n_starts, self.latest) = (stage, n_starts, self.to_come.next());
        self.latest.clone()
    }

    /// Saves the finished kernels' states, that of the one under way, and those still to come.
    pub(crate) fn save(&self) -> Result<(), GpError> {
        let begun = self.finished.iter().chain(&self.latest);
        let states = begun.chain(self.to_come.as_slice()).cloned().collect();
        let fingerprint = self.fingerprint.clone();
        FORMAT.write(&self.path, &Checkpoint { fingerprint, states }).map(drop)
    }

    /// The training under way has come to its end; what took long is kept while bounds are computed.
    pub(crate) fn end(&mut self, state: TrainState) {
        let long = state.seconds >= BETWEEN_SAVES.as_secs_f64();
        self.latest = None;
        self.finished.push(state);
        if long && !self.failed {
            self.keep();
        }
    }

    fn note(&mut self, state: &TrainState) {
        if !state.is_empty() {
            self.latest = Some(state.clone());
        }
    }

    /// Saves in passing, and says once if that cannot be.
    fn keep(&mut self) {
        if let Err(error) = self.save() {
            self.display.say(&format!("warning: no checkpoint can be saved: {error}"));
            self.failed = true;
        }
        self.saved = Instant::now();
    }

    /// Saves what there is and says how to go on.
    pub(crate) fn interruption(&mut self, current: Option<&TrainState>) -> Failure {
        current.into_iter().for_each(|state| self.note(state));
        self.display.clear();
        if self.latest.is_none() && self.finished.is_empty() {
            return Failure::interrupted("nothing had been computed yet: run the command again");
        }
        match self.save() {
            Ok(()) => Failure::interrupted(format!(
                "go on with the same command and --resume; training's state is in {}, no model is written yet",
                self.path.display()
            )),
            Err(error) => error.into(),
        }
    }
}

impl Observer for Watch<'_> {
    fn step(&mut self, progress: &Progress, state: &TrainState) {
        self.display.now(format!("{}{}", self.stage, training_line(progress, self.n_starts)));
        self.note(state);
        let due = self.saved.elapsed() >= BETWEEN_SAVES;
        if due && !self.failed && self.latest.is_some() {
            self.keep();
        }
    }

    fn interrupted(&self) -> bool {
        self.interrupt.asked()
    }

    fn given_up(&self) -> bool {
        self.interrupt.asked()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use gp_core::StartReport;

    use super::*;

    fn state(objective: f64, seconds: f64) -> TrainState {
        let (name, u) = ("ones".to_owned(), vec![objective]);
        let start = StartReport { name, u, objective: Some(objective), failure: None };
        TrainState { starts: vec![start], seconds, ..TrainState::default() }
    }

    #[test]
    fn what_was_loaded_is_kept_until_it_is_taken_further() {
        let path = std::env::temp_dir().join(format!("taut-watch-{}.ckpt", std::process::id()));
        let saved = || load(&path, "f").ok().unwrap();
        let (interrupt, mut display) = (Interrupt::default(), Display::new(true));
        let [first, second, further] =
            [(1.0, 5.0), (2.0, 9.0), (3.0, 20.0)].map(|(o, s)| state(o, s));
        let loaded = vec![first.clone(), second.clone()];
        let mut watch = Watch::new(&path, "f".to_owned(), loaded, &interrupt, &mut display);

        assert_eq!(watch.begin(String::new(), 1), Some(first.clone()));
        watch.interruption(None);
        assert_eq!(saved(), [first, second.clone()], "before the first step");

        watch.end(further.clone());
        assert_eq!(saved(), [further.clone(), second.clone()], "while bounds are computed");

        assert_eq!(watch.begin(String::new(), 1), Some(second.clone()));
        watch.interruption(Some(&TrainState::default()));
        assert_eq!(saved(), [further.clone(), second], "by a run that came to nothing");

        watch.end(state(4.0, 1.0));
        assert_eq!(watch.begin(String::new(), 1), None);
        watch.save().ok().unwrap();
        assert_eq!(saved(), [further, state(4.0, 1.0)]);
        std::fs::remove_file(&path).unwrap();
    }
}
