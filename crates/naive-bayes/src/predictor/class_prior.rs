//! Probabilities of the classes before a row is seen.

use crate::{ClassPrior, Label, Model, NaiveBayesError, error::option};

/// log p(c) for the classes at the positions `present`.
pub(super) fn log_prior(
    model: &Model,
    present: &[usize],
    prior: &ClassPrior,
) -> Result<Vec<f64>, NaiveBayesError> {
    if present.is_empty() {
        return Err(NaiveBayesError::NoClasses);
    }
    let weights: Vec<f64> = present.iter().map(|&class| model.classes.weights[class]).collect();
    let (total, classes) = (weights.iter().sum::<f64>(), weights.len() as f64);
    let values = match prior {
        ClassPrior::Learned => shares(&weights, 0.0),
        ClassPrior::Laplace(a) => {
            option("prior", *a, a.is_finite() && *a >= 0.0, "finite numbers of 0 or more")?;
            shares(&weights, *a)
        }
        ClassPrior::Uniform => vec![classes.recip(); weights.len()],
        ClassPrior::Given(values) => {
            let labels = present.iter().map(|&class| &model.classes.labels()[class]);
            given(&labels.collect::<Vec<_>>(), values)?
        }
    };
    // Only declared classes, and a prior that rests on their rows.
    let nothing_learned = total == 0.0 && values.iter().any(|value| value.is_nan());
    match values.iter().all(|value| *value == 0.0) || nothing_learned {
        true => Err(NaiveBayesError::NoCandidate),
        false => Ok(values.iter().map(|value| value.ln()).collect()),
    }
}

fn shares(weights: &[f64], a: f64) -> Vec<f64> {
    let total = weights.iter().sum::<f64>() + a * weights.len() as f64;
    weights.iter().map(|weight| (weight + a) / total).collect()
}

fn given(classes: &[&Label], values: &[(Label, f64)]) -> Result<Vec<f64>, NaiveBayesError> {
    let named = |class: &Label| values.iter().filter(|(label, _)| label == class).count();
    let all = classes.iter().copied().chain(values.iter().map(|(label, _)| label));
    for class in all {
        let found = named(class);
        if found != 1 || !classes.contains(&class) {
            return Err(NaiveBayesError::PriorClass { class: class.clone(), found });
        }
    }
    if let Some((class, found)) =
        values.iter().find(|(_, value)| !(value.is_finite() && *value >= 0.0))
    {
        return Err(NaiveBayesError::PriorValue { class: class.clone(), found: *found });
    }
    let sum: f64 = values.iter().map(|(_, value)| value).sum();
    if (sum - 1.0).abs() > 1e-9 {
        return Err(NaiveBayesError::PriorSum { sum });
    }
    let value = |class: &&Label| {
        values.iter().find(|(label, _)| label == *class).map_or(0.0, |(_, value)| *value)
    };
    Ok(classes.iter().map(value).collect())
}
