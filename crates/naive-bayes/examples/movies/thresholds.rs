//! How low must the threshold be so that no film is called safe that is not?

use naive_bayes::evaluation::Ranking;

use crate::films::Films;
use crate::{Result, classifier, heading};

pub(crate) fn show(films: &Films) -> Result<()> {
    heading("A threshold without false negatives");
    let batch = films.batch(|deaths| deaths)?;
    let predictor = classifier::fit(&batch, &films.classes())?;
    let odds = predictor.log_odds(&batch)?.to_vec();
    let ranking = Ranking::new(&odds, &films.is_r())?;
    let safe = ranking.no_misses().ok_or("no film is rated R")?;
    let hardest = odds.iter().position(|odds| odds.to_bits() == safe.lowest_positive.to_bits());
    let title = hardest.map_or("", |row| films.films[row].title.as_str());
    println!(
        "Log odds below {:.3}, that is P(R) = {:.1e}, set by {title}.",
        safe.lowest_positive,
        1.0 / (1.0 + (-safe.lowest_positive).exp()),
    );
    let outcome = safe.outcome;
    let harmless = outcome.false_positives + outcome.true_negatives;
    println!(
        "It costs {} of {harmless} films that are not R: this classifier cannot make the list safe.",
        outcome.false_positives
    );
    println!("And it was chosen on the films it judges. For new ones, from held-out R films:");
    for target in [0.05, 0.1, 0.25] {
        let threshold = ranking.threshold_for_miss_rate(target).ok_or("too few films")?;
        let outcome = ranking.at(threshold);
        println!(
            "  missing at most {:.0} %: threshold {threshold:.2}, {} false positives",
            100.0 * target,
            outcome.false_positives
        );
    }
    Ok(())
}
