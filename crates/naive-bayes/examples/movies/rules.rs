//! Counting, conditioning, and the rules of probability.

use std::path::Path;

use naive_bayes::probability::{
    Frequencies, bernoulli_nll, bernoulli_nll_curvature, bernoulli_nll_gradient, gaussian_mle,
    gaussian_nll_gradient, laplace,
};
use statrs::distribution::{Beta, ContinuousCDF};

use crate::films::{Film, Films};
use crate::{Result, heading, plots};

pub(crate) fn show(films: &Films, folder: &Path) -> Result<()> {
    outliers(films, folder)?;
    let events: Vec<_> = films.films.iter().map(|film| Some(film.deaths > 40.0)).collect();
    let years: Vec<_> = films.films.iter().map(|film| Some(film.year as i64)).collect();
    let table = Frequencies::new(&events, &years)?;
    conditioning(&table, folder)?;
    three_rules(&table);
    maximum_likelihood(&table, films);
    Ok(())
}

fn outliers(films: &Films, folder: &Path) -> Result<()> {
    heading("The films");
    let mut most: Vec<&Film> = films.films.iter().filter(|film| film.deaths > 200.0).collect();
    most.sort_by(|a, b| b.deaths.total_cmp(&a.deaths));
    println!("{} films, {} of them with more than 200 deaths:", films.films.len(), most.len());
    most.iter().for_each(|film| println!("  {:>4} {} ({})", film.deaths, film.title, film.year));
    let none = films.films.iter().filter(|film| film.deaths == 0.0).count();
    println!("On a logarithmic axis the {none} films without deaths have no place.");
    plots::deaths(films, folder)
}

fn conditioning(table: &Frequencies, folder: &Path) -> Result<()> {
    heading("Probability, and probability given the year");
    println!("P(> 40 deaths) = {}/{} = {:.6}", table.events(), table.rows(), table.probability());
    for group in [2000, 2002].into_iter().filter_map(|year| table.given(year)) {
        let (events, rows) = (group.events, group.rows);
        println!("P(> 40 | {}) = {events}/{rows} = {:.4}", group.value, group.conditional());
    }
    let few = table.groups().filter(|group| group.rows <= 5).count();
    let all = table.groups().count();
    println!(
        "Of {all} years {few} have five films or fewer: their ratios say little, as the intervals show."
    );
    let mut points = Vec::new();
    for group in table.groups() {
        // The posterior of the probability under a uniform prior.
        let ones = group.events as f64;
        let posterior = Beta::new(ones + 1.0, group.rows as f64 - ones + 1.0)?;
        let (low, high) = (posterior.inverse_cdf(0.025), posterior.inverse_cdf(0.975));
        points.push((group.value as f64, group.conditional(), low, high));
    }
    plots::by_year(&points, folder)
}

fn three_rules(table: &Frequencies) {
    heading("Joint, product, sum, Bayes");
    let Some(group) = table.given(2000) else { return };
    let (joint, given, year) = (group.joint(), group.conditional(), group.marginal());
    println!("joint:   P(> 40, 2000) = {joint:.6}");
    println!("product: P(> 40 | 2000) P(2000) = {:.6}", given * year);
    let sum: f64 = table.groups().map(|group| group.joint()).sum();
    println!(
        "sum:     Σ over years of P(> 40, year) = {sum:.6} = P(> 40) = {:.6}",
        table.probability()
    );
    let inverse = given * year / table.probability();
    println!("Bayes:   P(2000 | > 40) = {inverse:.6}, counted {:.6}", group.inverse());
    let largest = table.groups().map(|group| {
        let product = group.conditional() * group.marginal();
        let bayes = product / table.probability();
        (product - group.joint()).abs().max((bayes - group.inverse()).abs())
    });
    let largest = largest.fold((sum - table.probability()).abs(), f64::max);
    println!("largest error of the rules over all years: {largest:.1e}");
}

fn maximum_likelihood(table: &Frequencies, films: &Films) {
    heading("Maximum likelihood");
    let (ones, n, pi) = (table.events() as f64, table.rows() as f64, table.probability());
    println!(
        "Bernoulli: −log likelihood {:.4}, gradient {:.1e}, curvature {:.1} > 0 at π = {pi:.6}",
        bernoulli_nll(ones, n, pi),
        bernoulli_nll_gradient(ones, n, pi),
        bernoulli_nll_curvature(ones, n, pi),
    );
    let deaths: Vec<f64> = films.films.iter().map(|film| film.deaths).collect();
    let (mean, variance) = gaussian_mle(&deaths);
    let gradient = gaussian_nll_gradient(&deaths, mean, variance);
    println!(
        "Gaussian: mean {mean:.2}, variance {variance:.0}, gradient ({:.0e}, {:.0e})",
        gradient.0, gradient.1
    );
    let days = 1_826_213.0;
    println!(
        "Sunrise: having seen {days} of {days}, the next has probability {:.8}",
        laplace(days, days)
    );
}
