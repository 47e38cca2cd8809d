//! Progress on standard error: a spinner on a terminal, a line now and then elsewhere.

use std::time::{Duration, Instant};

use gp_core::Progress;
use indicatif::{ProgressBar, ProgressStyle};

use super::output::tell;

/// Time between lines where there is no terminal.
const BETWEEN_LINES: Duration = Duration::from_secs(5);

/// Shows what a command is doing.
pub(crate) struct Display {
    bar: Option<ProgressBar>,
    last_line: Option<Instant>,
}

impl Display {
    pub(crate) fn new(quiet: bool) -> Self {
        let style = ProgressStyle::with_template("{spinner} {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_spinner());
        let bar = (!quiet).then(|| ProgressBar::new_spinner().with_style(style));
        Self { bar, last_line: None }
    }

    /// A line that stays.
    pub(crate) fn say(&self, text: &str) {
        let Some(bar) = &self.bar else { return };
        bar.suspend(|| tell(text));
    }

    /// What is going on right now.
    pub(crate) fn now(&mut self, text: String) {
        let Some(bar) = &self.bar else { return };
        if !bar.is_hidden() {
            bar.set_message(text);
            bar.tick();
        } else if self.last_line.is_none_or(|last| last.elapsed() >= BETWEEN_LINES) {
            tell(&text);
            self.last_line = Some(Instant::now());
        }
    }

    pub(crate) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// One line on a training step.
pub(crate) fn training_line(progress: &Progress, n_starts: usize) -> String {
    let stage = match progress.start {
        Some(start) => format!("start {}/{n_starts}", start + 1),
        None => "training".to_owned(),
    };
    // Natural gradients have no size to show.
    let gradient = match progress.gradient_norm {
        norm if norm.is_nan() => String::new(),
        norm => format!(", largest gradient {norm:.2e}"),
    };
    format!(
        "{stage}: step {}, objective {:.4} nats{gradient}, {} evaluations, {:.1} s",
        progress.iteration, progress.objective, progress.evaluations, progress.seconds
    )
}
