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

const FORMAT: Format = Format { name: "taut-checkpoint", version: 1 };
/// Time between saves while training runs undisturbed.
const BETWEEN_SAVES: Duration = Duration::from_secs(10);

#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Checkpoint {
    /// What data and options the state belongs to.
    fingerprint: String,
    state: TrainState,
}

/// A digest of the data and of everything that shapes training, limits left out: a longer run may
/// go on from a shorter one.
pub(crate) fn fingerprint(design: &Design, options: &str) -> String {
    let mut digest = Sha256::new();
    digest.update(options.as_bytes());
    for array in [&design.x, &design.y] {
        digest.update(format!("{:?}", array.dim()).as_bytes());
        array.iter().for_each(|value| digest.update(value.to_bits().to_le_bytes()));
    }
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The state saved at `path`, if it belongs to the same data and options.
pub(crate) fn load(path: &Path, fingerprint: &str) -> Result<TrainState, Failure> {
    if !path.exists() {
        return Err(Failure::new(
            format!("there is no checkpoint at {}", path.display()),
            "name it with --checkpoint, or start afresh without --resume",
        ));
    }
    let saved: Checkpoint = FORMAT.read(path)?;
    if saved.fingerprint == fingerprint {
        return Ok(saved.state);
    }
    Err(Failure::new(
        format!("the checkpoint {} belongs to other data or options", path.display()),
        "resume with the same table and options, or start afresh without --resume",
    ))
}

/// Shows training, saves its state, and stops it when asked.
pub(crate) struct Watch<'a> {
    pub(crate) path: PathBuf,
    pub(crate) fingerprint: String,
    pub(crate) interrupt: &'a Interrupt,
    pub(crate) display: &'a mut Display,
    pub(crate) n_starts: usize,
    saved: Instant,
    failed: Option<GpError>,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(
        path: PathBuf,
        fingerprint: String,
        interrupt: &'a Interrupt,
        display: &'a mut Display,
        n_starts: usize,
    ) -> Self {
        let saved = Instant::now();
        Self { path, fingerprint, interrupt, display, n_starts, saved, failed: None }
    }

    /// Saves the state; for the end of an interrupted run.
    pub(crate) fn save(&self, state: &TrainState) -> Result<(), GpError> {
        let (fingerprint, state) = (self.fingerprint.clone(), state.clone());
        FORMAT.write(&self.path, &Checkpoint { fingerprint, state }).map(drop)
    }
}

impl Observer for Watch<'_> {
    fn step(&mut self, progress: &Progress, state: &TrainState) {
        self.display.now(training_line(progress, self.n_starts));
        if self.saved.elapsed() >= BETWEEN_SAVES && self.failed.is_none() {
            if let Err(error) = self.save(state) {
                self.display.say(&format!("warning: no checkpoint can be saved: {error}"));
                self.failed = Some(error);
            }
            self.saved = Instant::now();
        }
    }

    fn interrupted(&self) -> bool {
        self.interrupt.asked()
    }
}
