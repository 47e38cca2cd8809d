//! Ctrl-C: the first asks for an orderly end, the second ends at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::failure::Failure;
use super::output::tell;

/// What the handler knows.
#[derive(Debug, Default)]
struct State {
    asked: AtomicBool,
    /// Nothing looks at `asked` any more, and the user should know.
    finishing: AtomicBool,
}

/// Set once the user has asked to stop.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupt(Arc<State>);

impl Interrupt {
    /// Starts to listen for Ctrl-C and termination.
    pub(crate) fn listen() -> Result<Self, Failure> {
        let interrupt = Self::default();
        let state = Arc::clone(&interrupt.0);
        ctrlc::set_handler(move || {
            if state.asked.swap(true, Ordering::SeqCst) {
                std::process::exit(130);
            }
            if state.finishing.load(Ordering::SeqCst) {
                answer();
            }
        })?;
        Ok(interrupt)
    }

    pub(crate) fn asked(&self) -> bool {
        self.0.asked.load(Ordering::SeqCst)
    }

    /// From here on the first interrupt only gets an answer, one that came before gets it now; the second
    /// still ends at once.
    pub(crate) fn finishing(&self, quiet: bool) {
        if quiet {
            return;
        }
        self.0.finishing.store(true, Ordering::SeqCst);
        if self.asked() {
            answer();
        }
    }
}

fn answer() {
    tell(
        "note: bounds are being computed and results written; interrupt again to stop without them",
    );
}
