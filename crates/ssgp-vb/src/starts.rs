//! Several starts and draws of spectral points, chosen by the lower bound.

use kernels::Spectrum;
use ndarray::{Array2, ArrayRef1, ArrayRef2};
use serde::{Deserialize, Serialize};

use crate::SsgpError;
use crate::algorithm::{Run, Status};
use crate::frequencies::{Sampling, draw_frequencies};
use crate::observer::Observer;
use crate::options::{FitOptions, Start};
use crate::prior::Priors;
use crate::problem::{Factors, SparseSpectrum};

/// Which spectral points a fit may choose from.
///
/// | option | default | range |
/// | --- | --- | --- |
/// | `points` | 50 | ≥ 1 |
/// | `spectrum` | squared exponential | |
/// | `sampling` | [`Sampling::Random`] | |
/// | `draws` | 4 | ≥ 1 |
/// | `seed` | 0; draw k has seed + k | |
/// | `given` | none | replaces all of the above: one `[M, D]` for each draw |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SpectralPoints {
    /// M, how many; there are twice as many features.
    pub points: usize,
    /// Their law.
    pub spectrum: Spectrum,
    /// How they are spread over it.
    pub sampling: Sampling,
    /// How many sets to try.
    pub draws: usize,
    /// Of the first set.
    pub seed: u64,
    /// Sets to use instead.
    pub given: Vec<Array2<f64>>,
}

impl Default for SpectralPoints {
    fn default() -> Self {
        let (spectrum, sampling) = (Spectrum::default(), Sampling::default());
        Self { points: 50, spectrum, sampling, draws: 4, seed: 0, given: Vec::new() }
    }
}

impl SpectralPoints {
    /// The sets of `[M, d]`.
    pub(crate) fn sets(&self, d: usize) -> Result<Vec<Array2<f64>>, SsgpError> {
        if !self.given.is_empty() {
            return Ok(self.given.clone());
        }
        at_least_one("points", self.points)?;
        at_least_one("draws", self.draws)?;
        let draw = |k: usize| {
            let seed = self.seed.wrapping_add(k as u64);
            draw_frequencies(self.spectrum, self.sampling, self.points, d, seed)
        };
        Ok((0..self.draws).map(draw).collect())
    }
}

/// Where fits begin, and how many are carried on.
///
/// Every draw is combined with every mean; each pair gets `screening_cycles`, then the best start of
/// the best `keep` draws runs to convergence. One pair alone is not screened.
///
/// | option | default | range |
/// | --- | --- | --- |
/// | `means` | 0.5, 2, 4, 8 for one column, else 0.5, 1, 1.5: for inputs in [−1, 1] | not empty, not 0 |
/// | `variance` | 0.05: a wide start is drawn to the mode λ = 0 | > 0 |
/// | `screening_cycles` | 20 | any |
/// | `keep` | 1; more make a mixture weighted by exp(bound) | ≥ 1 |
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Starts {
    /// Starting means of every λ; none for the default.
    pub means: Option<Vec<f64>>,
    /// Starting variance of every λ.
    pub variance: f64,
    /// Cycles of each pair before the choice.
    pub screening_cycles: usize,
    /// How many draws are carried on.
    pub keep: usize,
}

impl Default for Starts {
    fn default() -> Self {
        Self { means: None, variance: 0.05, screening_cycles: 20, keep: 1 }
    }
}

impl Starts {
    /// The single start of the paper, μ = ½ and Σ = ½ I.
    #[must_use]
    pub fn paper() -> Self {
        Self { means: Some(vec![0.5]), variance: 0.5, ..Self::default() }
    }

    /// `count` means for `d` columns, or as many as usual: 0.5, 2, 4, 8, 16 … for one column, 0.5, 1,
    /// 1.5, 2 … for more; usually 4 and 3.
    #[must_use]
    pub fn usual_means(d: usize, count: Option<usize>) -> Vec<f64> {
        let doubled = |k: usize| if k == 0 { 0.5 } else { (k as f64).exp2() };
        let evenly = |k: usize| 0.5 * (k + 1) as f64;
        match d {
            1 => (0..count.unwrap_or(4)).map(doubled).collect(),
            _ => (0..count.unwrap_or(3)).map(evenly).collect(),
        }
    }

    fn means(&self, d: usize) -> Vec<f64> {
        self.means.clone().unwrap_or_else(|| Self::usual_means(d, None))
    }

    fn check(&self, d: usize) -> Result<(), SsgpError> {
        let wrong = |option, found, accepted| Err(SsgpError::Option { option, found, accepted });
        at_least_one("keep", self.keep)?;
        at_least_one("means", self.means(d).len())?;
        if !(self.variance.is_finite() && self.variance > 0.0) {
            return wrong("variance", self.variance, "a positive finite number");
        }
        match self.means(d).iter().find(|mean| !mean.is_normal()) {
            Some(&mean) => wrong("means", mean, "finite numbers other than 0, which is stationary"),
            None => Ok(()),
        }
    }
}

fn at_least_one(option: &'static str, found: usize) -> Result<(), SsgpError> {
    if found > 0 {
        return Ok(());
    }
    Err(SsgpError::Option { option, found: 0.0, accepted: "a whole number of at least 1" })
}

/// What became of a start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StartReport {
    /// Which draw of spectral points, from 0.
    pub draw: usize,
    /// The starting mean.
    pub mean: f64,
    /// The lower bound reached; none if the start could not be evaluated.
    pub bound: Option<f64>,
    /// Cycles spent.
    pub cycles: usize,
}

/// A start that was screened, with what is needed to go on from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ScreenedStart {
    /// What became of it.
    pub report: StartReport,
    /// q where its cycles ended; none if it could not be evaluated.
    pub factors: Option<Factors>,
}

/// A run carried to its end: its draw's number and spectral points.
pub(crate) struct Finished {
    pub(crate) draw: usize,
    pub(crate) frequencies: Array2<f64>,
    pub(crate) run: Run,
    pub(crate) noise_variance: f64,
    pub(crate) training_mean: ndarray::Array1<f64>,
}

/// Data and options of all runs.
pub(crate) struct Candidates<'a> {
    pub(crate) x: &'a ArrayRef2<f64>,
    pub(crate) y: &'a ArrayRef1<f64>,
    pub(crate) priors: &'a Priors,
    pub(crate) sets: &'a [Array2<f64>],
    pub(crate) starts: &'a Starts,
    pub(crate) fit: &'a FitOptions,
    /// Starts that were screened before, in order.
    pub(crate) done: &'a [ScreenedStart],
}

impl ScreenedStart {
    fn failed(draw: usize, mean: f64) -> Self {
        Self { report: StartReport { draw, mean, bound: None, cycles: 0 }, factors: None }
    }

    /// Whether it may stand for the start of a draw at a mean.
    fn is_of(&self, draw: usize, mean: f64) -> bool {
        let same = self.report.mean.to_bits() == mean.to_bits();
        self.report.draw == draw && same && self.factors.is_some()
    }
}

/// A start that was screened, or is to run at once.
struct Screened {
    draw: usize,
    start: Start,
    bound: f64,
}

impl Candidates<'_> {
    /// Screens every start and runs the best of the best draws, in order of their bounds.
    pub(crate) fn run(
        &self,
        observer: &mut dyn Observer,
    ) -> Result<(Vec<Finished>, Vec<StartReport>), SsgpError> {
        self.starts.check(self.x.ncols())?;
        let problems: Result<Vec<_>, _> = self.sets.iter().map(|set| self.problem(set)).collect();
        let problems = problems?;
        let (screened, reports) = self.screen(&problems, observer)?;
        let chosen = best_of_each_draw(screened, self.starts.keep);
        let (mut finished, mut failure) = (Vec::new(), None);
        for (index, candidate) in chosen.into_iter().enumerate() {
            observer.run(reports.len() + index, reports.len() + self.starts.keep);
            let problem = &problems[candidate.draw];
            let run = problem.run(&candidate.start, self.fit, observer);
            match run.and_then(|run| self.finish(problem, candidate.draw, run)) {
                Ok(run) => finished.push(run),
                Err(error) => failure = Some(error),
            }
        }
        if let Some(error) = failure.filter(|_| finished.is_empty()) {
            return Err(error);
        }
        finished.sort_by(|a, b| b.run.bound.total_cmp(&a.run.bound));
        Ok((finished, reports))
    }

    fn problem(&self, set: &Array2<f64>) -> Result<SparseSpectrum, SsgpError> {
        SparseSpectrum::new(self.x, self.y, set, self.priors)
    }

    fn screen(
        &self,
        problems: &[SparseSpectrum],
        observer: &mut dyn Observer,
    ) -> Result<(Vec<Screened>, Vec<StartReport>), SsgpError> {
        let means = self.starts.means(self.x.ncols());
        let pairs: Vec<(usize, f64)> = (0..problems.len())
            .flat_map(|draw| means.iter().map(move |&mean| (draw, mean)))
            .collect();
        let start = |mean: f64| Start::Isotropic { mean, variance: self.starts.variance };
        if let [(draw, mean)] = pairs[..] {
            let alone = Screened { draw, start: start(mean), bound: 0.0 };
            return Ok((vec![alone], Vec::new()));
        }
        let (mut screened, mut reports, mut failure) = (Vec::new(), Vec::new(), None);
        for (index, &(draw, mean)) in pairs.iter().enumerate() {
            observer.run(index, pairs.len() + self.starts.keep);
            let earlier = self.done.get(index).cloned().filter(|done| done.is_of(draw, mean));
            let (found, stop) = match earlier {
                Some(earlier) => (Ok(earlier), false),
                None => self.screen_one(&problems[draw], draw, (mean, start(mean)), observer),
            };
            let found = found.unwrap_or_else(|error| {
                failure = Some(error);
                ScreenedStart::failed(draw, mean)
            });
            reports.push(found.report.clone());
            if !stop {
                observer.screened(&found);
            }
            if let ScreenedStart { report, factors: Some(factors) } = found {
                let bound = report.bound.unwrap_or(f64::NEG_INFINITY);
                screened.push(Screened { draw, start: Start::Factors(Box::new(factors)), bound });
            }
            if stop {
                break;
            }
        }
        match failure {
            Some(error) if screened.is_empty() => Err(error),
            _ => Ok((screened, reports)),
        }
    }

    /// A few cycles from one start, and whether the observer asked to stop.
    fn screen_one(
        &self,
        problem: &SparseSpectrum,
        draw: usize,
        (mean, start): (f64, Start),
        observer: &mut dyn Observer,
    ) -> (Result<ScreenedStart, SsgpError>, bool) {
        let options = FitOptions { max_cycles: self.starts.screening_cycles, ..*self.fit };
        match problem.run(&start, &options, observer) {
            Ok(run) => {
                let report = StartReport { draw, mean, bound: Some(run.bound), cycles: run.cycles };
                let found = ScreenedStart { report, factors: Some(run.factors) };
                (Ok(found), run.status == Status::Interrupted)
            }
            Err(error) => (Err(error), false),
        }
    }

    fn finish(
        &self,
        problem: &SparseSpectrum,
        draw: usize,
        run: Run,
    ) -> Result<Finished, SsgpError> {
        let noise_variance = problem.gamma(run.factors.c_gamma)?.square;
        let features = problem.means(&run.factors.lambda)?;
        let training_mean = crate::gaussian::times(&features, &run.factors.alpha.mean);
        let frequencies = self.sets[draw].clone();
        Ok(Finished { draw, frequencies, run, noise_variance, training_mean })
    }
}

/// The best start of each draw, the best draws first, at most `keep`; the first of equals.
fn best_of_each_draw(mut screened: Vec<Screened>, keep: usize) -> Vec<Screened> {
    screened.sort_by(|a, b| b.bound.total_cmp(&a.bound));
    let mut chosen: Vec<Screened> = Vec::new();
    for candidate in screened {
        if chosen.len() < keep && chosen.iter().all(|other| other.draw != candidate.draw) {
            chosen.push(candidate);
        }
    }
    chosen
}
