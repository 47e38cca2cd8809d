//! From words to a model's options, classes and columns.

use datasets::listed;
use naive_bayes::{ClassPrior, Label, Options, Smoothing, Unlabelled};
use taut::{ClassifyError, FeatureKind, Schema};

use super::args::{ClassifyFitArgs, Predicting};
use crate::cli::failure::Failure;

impl Predicting {
    /// `options` with what was asked for.
    pub(super) fn applied_to(&self, options: &Options) -> Result<Options, Failure> {
        let mut options = options.clone();
        if let Some(alpha) = self.smoothing {
            options.alpha = alpha;
        }
        if let Some(part) = self.var_smoothing {
            options.smoothing = if part == 0.0 { Smoothing::None } else { Smoothing::Global(part) };
        }
        if let Some(unseen) = self.unseen {
            options.unseen = unseen.into();
        }
        if !self.priors.is_empty() {
            options.prior = prior(&self.priors)?;
        }
        Ok(options)
    }
}

fn prior(words: &[String]) -> Result<ClassPrior, Failure> {
    match words {
        [word] if word == "learned" => Ok(ClassPrior::Learned),
        [word] if word == "uniform" => Ok(ClassPrior::Uniform),
        _ => Ok(ClassPrior::Given(
            words.iter().map(|word| class_prior(word)).collect::<Result<_, _>>()?,
        )),
    }
}

fn class_prior(word: &str) -> Result<(Label, f64), Failure> {
    let pair = word.rsplit_once('=').and_then(|(class, p)| Some((class, p.parse().ok()?)));
    let (class, p) = pair.ok_or_else(|| {
        Failure::usage(
            format!("--prior {word} is not learned, uniform or CLASS=P"),
            "give --prior CLASS=P once for each class, adding up to 1",
        )
    })?;
    Ok((label(class), p))
}

/// A class as tables spell it: numbers are known by value.
pub(super) fn label(text: &str) -> Label {
    let number = text.trim().parse().ok().and_then(Label::from_number);
    number.unwrap_or_else(|| Label::from(text.trim()))
}

/// The class of that name among `classes`.
pub(super) fn position(classes: &[Label], text: &str, option: &str) -> Result<usize, Failure> {
    let wanted = label(text);
    classes.iter().position(|class| *class == wanted).ok_or_else(|| {
        let known: Vec<String> = classes.iter().map(|class| format!("`{class}`")).collect();
        Failure::usage(
            format!("the model has no class `{text}` (asked for as {option})"),
            format!("choose one of {}", known.join(", ")),
        )
    })
}

/// What happens to rows without a class.
pub(super) fn unlabelled(skip: bool) -> Unlabelled {
    if skip { Unlabelled::Skip } else { Unlabelled::Refuse }
}

/// The columns that a fit is asked for, of those a table has.
pub(super) fn schema(
    args: &ClassifyFitArgs,
    file: &str,
    names: &[String],
) -> Result<Schema, Failure> {
    let mut schema = Schema::new(column(file, names, &args.target, "the label")?);
    if let Some(weights) = &args.weights {
        let weights = column(file, names, weights, "the weights")?;
        if weights == schema.label() {
            return Err(twice(weights, "the label", "the weights"));
        }
        schema = schema.weights(weights);
    }
    for word in &args.kinds {
        let (name, kind) = declared(word)?;
        let name = column(file, names, name, "--kind")?;
        if let Some(first) = schema.column(name).and_then(|spec| spec.kind.as_ref()) {
            return Err(twice(name, &first.to_string(), &kind.to_string()));
        }
        let special =
            [(Some(schema.label()), "the label"), (schema.weight_column(), "the weights")];
        if let Some((_, role)) = special.iter().find(|(special, _)| *special == Some(name)) {
            return Err(twice(name, role, &kind.to_string()));
        }
        schema = schema.kind(name, kind);
    }
    Ok(schema)
}

fn twice(name: &str, first: &str, second: &str) -> Failure {
    let (name, first, second) = (name.to_owned(), first.to_owned(), second.to_owned());
    Failure::from(ClassifyError::Twice { name, first, second }).into_usage()
}

fn declared(word: &str) -> Result<(&str, FeatureKind), Failure> {
    let Some((name, kind)) = word.rsplit_once('=') else {
        return Err(Failure::usage(
            format!("--kind {word} is not COL=KIND"),
            "give a column's name and its kind, such as --kind age=gaussian",
        ));
    };
    Ok((name, kind.parse().map_err(|error| Failure::from(error).into_usage())?))
}

/// The column of that name or, where there is none, at that position from 1.
fn column<'n>(
    file: &str,
    names: &'n [String],
    text: &str,
    role: &'static str,
) -> Result<&'n str, Failure> {
    let named = names.iter().find(|name| *name == text.trim());
    let at = || text.trim().parse::<usize>().ok()?.checked_sub(1).and_then(|at| names.get(at));
    named.or_else(at).map(String::as_str).ok_or_else(|| {
        let available = listed(names.iter().map(String::as_str));
        Failure::new(
            format!("`{file}` has no column `{text}` (asked for as {role}); it has {available}"),
            "give a column's name, or its position from 1",
        )
    })
}
