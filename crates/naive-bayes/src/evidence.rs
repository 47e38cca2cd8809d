//! The log marginal likelihood under conjugate priors, in closed form.

use crate::special::{ln_beta, ln_rising};
use crate::statistics::{Ones, Tally};
use crate::{EvidencePriors, Kind, Label, Model, NaiveBayesError, NormalInverseGamma};

/// How well a feature is explained with and without the classes, in nats.
#[derive(Debug, Clone, PartialEq)]
pub struct FeatureEvidence {
    /// The feature.
    pub name: String,
    /// Its kind.
    pub kind: Kind,
    /// log m(x_j in class c), by class: the class has parameters of its own.
    pub per_class: Vec<f64>,
    /// log m(x_j): all rows share their parameters.
    pub shared: f64,
    /// The prior that was used for a Gaussian feature.
    pub gaussian_prior: Option<NormalInverseGamma>,
}

impl FeatureEvidence {
    /// D_j = Σ_c log m(x_j in class c).
    #[must_use]
    pub fn dependent(&self) -> f64 {
        self.per_class.iter().sum()
    }

    /// log BF_j = D_j − log m(x_j): positive when the classes help to explain the feature.
    ///
    /// It judges the joint model, not accuracy, and a wide prior always favours "the classes do not help" (Lindley's paradox).
    #[must_use]
    pub fn log_bayes_factor(&self) -> f64 {
        self.dependent() - self.shared
    }

    /// Posterior probability that the feature depends on the class: the logistic function of log BF + log prior odds.
    #[must_use]
    pub fn inclusion_probability(&self, log_prior_odds: f64) -> f64 {
        1.0 / (1.0 + (-self.log_bayes_factor() - log_prior_odds).exp())
    }
}

/// The evidence of a model, taken apart.
///
/// ```text
/// log m(y, X | the features in S depend on the class) = log m(y) + Σ_{j ∈ S} D_j + Σ_{j ∉ S} H_j,   H_j = log m(x_j)
///
/// Beta–Bernoulli     log B(a + k, b + n − k) − log B(a, b)
/// Dirichlet          log Γ(A) − log Γ(A + n) + Σ_k [log Γ(a_k + n_k) − log Γ(a_k)],  A = Σ a_k
/// Gamma–Poisson      a log b − log Γ(a) + log Γ(a + S) − (a + S) log(b + n) − Σ log x!
/// normal–inverse-γ   log Γ(a_n) − log Γ(a0) + a0 log b0 − a_n log b_n + ½ log(k0/k_n) − (n/2) log 2π
/// ```
///
/// Multinomial coefficients, the same under every hypothesis, are left out. Sources: Murphy (2007), eq. 95; Bernardo & Smith (1994), appendix
/// A.2.
#[derive(Debug, Clone, PartialEq)]
pub struct Evidence {
    /// The classes, sorted.
    pub classes: Vec<Label>,
    /// log m(y): of the class labels.
    pub labels: f64,
    /// Every feature, in the model's order.
    pub features: Vec<FeatureEvidence>,
}

impl Evidence {
    pub(crate) fn new(model: &Model, priors: &EvidencePriors) -> Result<Self, NaiveBayesError> {
        priors.check()?;
        let present = model.classes.present();
        if present.is_empty() {
            return Err(NaiveBayesError::NoClasses);
        }
        let alphas = Alphas { each: priors.class, listed: &priors.class_of };
        let label = |class: usize| &model.classes.labels()[class];
        let weights =
            present.iter().map(|&class| (model.classes.weights[class], alphas.of(label(class))));
        let features = model.features.iter().filter(|(_, kind, at)| !model.is_empty(*kind, *at));
        Ok(Self {
            classes: present.iter().map(|&class| label(class).clone()).collect(),
            labels: dirichlet(weights, 0.0),
            features: features
                .map(|(name, kind, at)| of_feature(model, priors, &present, name, kind, at))
                .collect(),
        })
    }

    /// The evidence with every feature depending on the class.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.total_where(|_| true)
    }

    /// The evidence with the features chosen depending on the class and all others not.
    pub fn total_where(&self, mut chosen: impl FnMut(&FeatureEvidence) -> bool) -> f64 {
        let term = |feature: &FeatureEvidence| {
            if chosen(feature) { feature.dependent() } else { feature.shared }
        };
        self.labels + self.features.iter().map(term).sum::<f64>()
    }

    /// The feature of that name.
    #[must_use]
    pub fn feature(&self, name: &str) -> Option<&FeatureEvidence> {
        self.features.iter().find(|feature| feature.name == name)
    }
}

fn of_feature(
    model: &Model,
    priors: &EvidencePriors,
    present: &[usize],
    name: &str,
    kind: Kind,
    at: usize,
) -> FeatureEvidence {
    let mut gaussian_prior = None;
    let listed = priors.level_of.get(name).map_or(&[][..], Vec::as_slice);
    let alphas = Alphas { each: priors.level, listed };
    let (per_class, shared) = match kind {
        Kind::Bernoulli => {
            let value = |cell: &Ones| beta(cell, priors.beta);
            let per_class = present.iter().map(|&class| value(model.bernoulli.get(class, at)));
            (per_class.collect(), value(&model.bernoulli.pooled(at)))
        }
        Kind::Tag => of_tag(model, priors, present, at),
        Kind::Gaussian => {
            let pooled = model.gaussian.pooled(at);
            let given = priors.gaussian_of.get(name).copied();
            let prior = given.unwrap_or_else(|| priors.gaussian.of(&pooled));
            gaussian_prior = Some(prior);
            let per_class =
                present.iter().map(|&class| prior.ln_evidence(model.gaussian.get(class, at)));
            (per_class.collect(), prior.ln_evidence(&pooled))
        }
        Kind::Count => {
            let value = |cell| priors.count.ln_evidence(cell);
            let per_class = present.iter().map(|&class| value(model.counts.get(class, at)));
            (per_class.collect(), value(&model.counts.pooled(at)))
        }
        Kind::Categorical => of_tally(&model.categorical[at], present, &alphas),
        Kind::Multinomial => of_tally(&model.multinomial[at], present, &alphas),
    };
    FeatureEvidence { name: name.to_owned(), kind, per_class, shared, gaussian_prior }
}

fn beta(cell: &Ones, (a, b): (f64, f64)) -> f64 {
    ln_beta(a + cell.ones, b + (cell.n - cell.ones).max(0.0)) - ln_beta(a, b)
}

/// A tag was there or not in every row of a class.
fn of_tag(model: &Model, priors: &EvidencePriors, present: &[usize], at: usize) -> (Vec<f64>, f64) {
    let cell = |class: usize| Ones {
        ones: model.tags.get(class, at).ones,
        n: model.classes.weights[class],
    };
    let per_class = present.iter().map(|&class| beta(&cell(class), priors.beta)).collect();
    let pooled = Ones { ones: model.tags.pooled(at).ones, n: model.total_weight() };
    (per_class, beta(&pooled, priors.beta))
}

fn of_tally(tally: &Tally, present: &[usize], alphas: &Alphas<'_>) -> (Vec<f64>, f64) {
    let kept = tally.kept();
    let (each, others) = alphas.of_tally(tally);
    let value = |count: &dyn Fn(usize) -> f64| {
        dirichlet(kept.iter().map(|&at| (count(at), each[at])), others)
    };
    let per_class = present.iter().map(|&class| value(&|at| tally.get(class, at))).collect();
    (per_class, value(&|at| tally.column_total(at)))
}

/// Pseudo-counts of a Dirichlet.
struct Alphas<'p> {
    /// Of labels that are not listed.
    each: f64,
    listed: &'p [(Label, f64)],
}

impl Alphas<'_> {
    fn of(&self, label: &Label) -> f64 {
        let listed = self.listed.iter().find(|(other, _)| other == label);
        listed.map_or(self.each, |(_, alpha)| *alpha)
    }

    /// Of every place of a tally, and in total of what is listed and has no place that counts.
    fn of_tally(&self, tally: &Tally) -> (Vec<f64>, f64) {
        let mut each = vec![self.each; tally.width()];
        let mut others = 0.0;
        for (label, alpha) in self.listed {
            match tally.place(label).filter(|&at| tally.keeps(at)) {
                Some(at) => each[at] = *alpha,
                None => others += alpha,
            }
        }
        (each, others)
    }
}

/// The Dirichlet evidence of counts with their pseudo-counts; `others` is the pseudo-count of everything that was not seen.
fn dirichlet(cells: impl Iterator<Item = (f64, f64)>, others: f64) -> f64 {
    let (mut seen, mut total, mut all) = (0.0, 0.0, others);
    for (count, alpha) in cells {
        seen += if count > 0.0 { ln_rising(alpha, count) } else { 0.0 };
        total += count;
        all += alpha;
    }
    seen - ln_rising(all, total)
}
