//! Are all the features useful?

use naive_bayes::{Direction, Evidence, EvidencePriors, Model, Training, select};

use crate::films::Films;
use crate::{Result, heading};

pub(crate) fn show(films: &Films) -> Result<()> {
    heading("Which features depend on the rating: log Bayes factors, in nats");
    let (all, rated) = (evidence(films)?, evidence(&films.rated())?);
    println!("{:<12} {:>10} {:>18}", "", "all films", "rated films only");
    let mut features: Vec<_> = all.features.iter().collect();
    features.sort_by(|a, b| b.log_bayes_factor().total_cmp(&a.log_bayes_factor()));
    for feature in features {
        let other = rated.feature(&feature.name).map_or(f64::NAN, |other| other.log_bayes_factor());
        println!("{:<12} {:>10.1} {other:>18.1}", feature.name, feature.log_bayes_factor());
    }
    println!(
        "The year leads only because films without a rating, mostly old ones, count as not R."
    );
    let prior = all.feature("Year").and_then(|year| year.gaussian_prior).ok_or("no year")?;
    println!(
        "Gaussian priors are scaled by the data: for the year m0 = {:.1}, k0 = {}, a0 = {}, b0 = {:.1}.",
        prior.m0, prior.k0, prior.a0, prior.b0
    );
    for direction in [Direction::Forward, Direction::Backward] {
        let path = select(&all, direction);
        println!(
            "{direction:?}: {} steps from {:.1} to {:.1} nats, {} of {} features",
            path.steps.len(),
            path.start,
            path.log_evidence,
            path.selected.len(),
            all.features.len(),
        );
    }
    Ok(())
}

fn evidence(films: &Films) -> Result<Evidence> {
    let (batch, classes) = (films.batch(|deaths| deaths)?, films.classes());
    let mut model = Model::default();
    model.observe(&Training::new(&batch, &classes)?)?;
    Ok(model.evidence(&EvidencePriors::default())?)
}
