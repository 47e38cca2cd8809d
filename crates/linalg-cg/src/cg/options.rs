//! How long conjugate gradients may run.

/// What one who watches a run is told, before every step.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct CgProgress {
    /// Steps taken.
    pub steps: usize,
    /// Columns still being solved.
    pub n_active: usize,
    /// The largest stopping measure among them.
    pub worst_measure: f64,
}

/// What follows when the true residual has been computed during a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Restart {
    /// Start a new direction from it only where the recursive residual is off by more than 1 %.
    #[default]
    WhenDrifted,
    /// Start a new direction every time, as GPflow's `cglb_conjugate_gradient` does. On
    /// ill-conditioned systems the forgotten directions cost up to twenty times the steps.
    Always,
}

/// Caps and habits of conjugate gradients; when it has *converged* is [`Stop`](crate::Stop)'s.
///
/// | option | default | range |
/// | --- | --- | --- |
/// | [`max_iters`](Self::max_iters) | `1000` | any; 0 returns the start |
/// | [`restart_every`](Self::restart_every) | `40` | any; 0 for never |
/// | [`restart`](Self::restart) | [`Restart::WhenDrifted`] | |
/// | [`stagnation`](Self::stagnation) | `400` | any; 0 for never |
/// | [`keep_history`](Self::keep_history) | `false` | |
///
/// ```
/// let options = linalg_cg::CgOptions::default().max_iters(50).keep_history(true);
/// assert!(format!("{options:?}").contains("max_iters: 50"));
/// ```
#[derive(Debug, Clone)]
pub struct CgOptions {
    pub(crate) max_iters: usize,
    pub(crate) restart_every: usize,
    pub(crate) restart: Restart,
    pub(crate) stagnation: usize,
    pub(crate) keep_history: bool,
}

impl Default for CgOptions {
    fn default() -> Self {
        Self {
            max_iters: 1000,
            restart_every: 40,
            restart: Restart::default(),
            stagnation: 400,
            keep_history: false,
        }
    }
}

impl CgOptions {
    /// The most steps; with 0 the start comes back with its own residual.
    #[must_use]
    pub fn max_iters(mut self, max_iters: usize) -> Self {
        self.max_iters = max_iters;
        self
    }

    /// Steps between two computations of the true residual; 0 for none but those that confirm
    /// convergence and end a run.
    #[must_use]
    pub fn restart_every(mut self, restart_every: usize) -> Self {
        self.restart_every = restart_every;
        self
    }

    /// Whether those computations start a new direction.
    #[must_use]
    pub fn restart(mut self, restart: Restart) -> Self {
        self.restart = restart;
        self
    }

    /// Steps without a new best iterate after which a column is given up; 0 for never.
    #[must_use]
    pub fn stagnation(mut self, stagnation: usize) -> Self {
        self.stagnation = stagnation;
        self
    }

    /// Whether reports hold the stopping measure of every step.
    #[must_use]
    pub fn keep_history(mut self, keep_history: bool) -> Self {
        self.keep_history = keep_history;
        self
    }
}
