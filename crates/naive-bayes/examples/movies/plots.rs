//! The pictures, as SVG.

use std::ops::Range;
use std::path::Path;

use naive_bayes::evaluation::{Calibration, Outcome, RocPoint};
use plotters::coord::Shift;
use plotters::prelude::*;

use crate::Result;
use crate::films::Films;

type Chart<'a> = ChartContext<'a, SVGBackend<'a>, Cartesian2d<RangedX, RangedX>>;
type RangedX = plotters::coord::types::RangedCoordf64;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

const SIZE: (u32, u32) = (800, 500);

/// What a picture shows.
struct Frame<'f> {
    title: &'f str,
    x: (&'f str, Range<f64>),
    y: (&'f str, Range<f64>),
}

/// A picture with axes, handed to `draw`.
fn picture(
    path: &Path,
    frame: &Frame<'_>,
    draw: impl FnOnce(&mut Chart<'_>) -> Result<()>,
) -> Result<()> {
    let area: Area<'_> = SVGBackend::new(path, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let mut builder = ChartBuilder::on(&area);
    builder.caption(frame.title, ("sans-serif", 20)).margin(12);
    builder.x_label_area_size(40).y_label_area_size(60);
    let mut chart = builder.build_cartesian_2d(frame.x.1.clone(), frame.y.1.clone())?;
    chart.configure_mesh().x_desc(frame.x.0).y_desc(frame.y.0).light_line_style(WHITE).draw()?;
    draw(&mut chart)?;
    Ok(area.present()?)
}

fn points(chart: &mut Chart<'_>, points: impl IntoIterator<Item = (f64, f64)>) -> Result<()> {
    chart.draw_series(points.into_iter().map(|point| Cross::new(point, 4, RED)))?;
    Ok(())
}

fn line(
    chart: &mut Chart<'_>,
    points: impl IntoIterator<Item = (f64, f64)>,
    colour: RGBColor,
) -> Result<()> {
    chart.draw_series(LineSeries::new(points, colour.stroke_width(2)))?;
    Ok(())
}

/// Deaths against years, linear and logarithmic, and their histogram.
pub(crate) fn deaths(films: &Films, folder: &Path) -> Result<()> {
    let all: Vec<(f64, f64)> = films.films.iter().map(|film| (film.year, film.deaths)).collect();
    let x = || ("year", 1945.0..2015.0);
    let frame = Frame { title: "Film deaths against year", x: x(), y: ("deaths", 0.0..900.0) };
    picture(&folder.join("deaths.svg"), &frame, |chart| points(chart, all.iter().copied()))?;
    let shown = all.iter().filter(|(_, deaths)| *deaths > 0.0);
    let logged: Vec<(f64, f64)> = shown.map(|(year, deaths)| (*year, deaths.log10())).collect();
    let title = format!(
        "Film deaths against year, {} films without deaths left out",
        all.len() - logged.len()
    );
    let frame = Frame { title: &title, x: x(), y: ("log10 deaths", 0.0..3.0) };
    picture(&folder.join("deaths-log.svg"), &frame, |chart| points(chart, logged))?;
    let most = all.iter().map(|(_, deaths)| *deaths).fold(1.0, f64::max);
    let mut bins = [0.0; 20];
    all.iter().for_each(|(_, deaths)| bins[((deaths / most * 20.0) as usize).min(19)] += 1.0);
    let frame = Frame {
        title: "Histogram of film deaths",
        x: ("deaths", 0.0..most),
        y: ("films", 0.0..280.0),
    };
    picture(&folder.join("histogram.svg"), &frame, |chart| {
        let bar = |(bin, films): (usize, &f64)| {
            let edge = |bin: usize| bin as f64 / 20.0 * most;
            Rectangle::new([(edge(bin), 0.0), (edge(bin + 1), *films)], BLUE.mix(0.5).filled())
        };
        chart.draw_series(bins.iter().enumerate().map(bar))?;
        Ok(())
    })
}

/// P(> 40 | year) with its interval: year, ratio, low, high.
pub(crate) fn by_year(rows: &[(f64, f64, f64, f64)], folder: &Path) -> Result<()> {
    let title = "P(more than 40 deaths | year), with 95 % intervals under a uniform prior";
    let frame = Frame { title, x: ("year", 1945.0..2015.0), y: ("probability", 0.0..1.0) };
    picture(&folder.join("by-year.svg"), &frame, |chart| {
        let bar = |&(year, _, low, high): &(f64, f64, f64, f64)| {
            PathElement::new(vec![(year, low), (year, high)], BLUE.mix(0.5))
        };
        chart.draw_series(rows.iter().map(bar))?;
        points(chart, rows.iter().map(|row| (row.0, row.1)))
    })
}

pub(crate) fn roc(curve: &[RocPoint], folder: &Path) -> Result<()> {
    let frame = Frame {
        title: "Receiver operating characteristic",
        x: ("false positive rate", 0.0..1.0),
        y: ("true positive rate", 0.0..1.0),
    };
    picture(&folder.join("roc.svg"), &frame, |chart| {
        line(chart, [(0.0, 0.0), (1.0, 1.0)], RGBColor(160, 160, 160))?;
        let curve = curve.iter().map(|point| (point.false_positive_rate, point.true_positive_rate));
        line(chart, curve, BLUE)
    })
}

pub(crate) fn sweep(outcomes: &[Outcome], folder: &Path) -> Result<()> {
    let most = outcomes.iter().map(|o| o.false_positives.max(o.false_negatives)).max().unwrap_or(1);
    let frame = Frame {
        title: "False positives (blue) and false negatives (red) by threshold",
        x: ("threshold of the log odds", -12.0..12.0),
        y: ("films", 0.0..most as f64),
    };
    picture(&folder.join("thresholds.svg"), &frame, |chart| {
        let shown = || outcomes.iter().filter(|outcome| outcome.threshold.abs() <= 12.0);
        line(chart, shown().map(|o| (o.threshold, o.false_positives as f64)), BLUE)?;
        line(chart, shown().map(|o| (o.threshold, o.false_negatives as f64)), RED)
    })
}

pub(crate) fn reliability(table: &Calibration, folder: &Path) -> Result<()> {
    let frame = Frame {
        title: "What was said against what was so",
        x: ("mean predicted probability", 0.0..1.0),
        y: ("share rated R", 0.0..1.0),
    };
    let found = table.bins.iter().filter_map(|bin| bin.mean_score.zip(bin.fraction_positive));
    let found: Vec<(f64, f64)> = found.collect();
    picture(&folder.join("reliability.svg"), &frame, |chart| {
        line(chart, [(0.0, 0.0), (1.0, 1.0)], RGBColor(160, 160, 160))?;
        line(chart, found.iter().copied(), BLUE)?;
        points(chart, found)
    })
}
