//! A picture of a set: bracket and own value, test error, test density, against seconds of training.

use std::fmt::Display;
use std::ops::Range;
use std::path::Path;

use plotters::coord::Shift;
use plotters::prelude::*;
use serde_json::Value;

use crate::task::{Failure, TaskResult};

const SIZE: (u32, u32) = (1200, 420);
/// One for each method, in the order they come.
const COLOURS: [RGBColor; 6] = [
    RGBColor(31, 119, 180),
    RGBColor(214, 39, 40),
    RGBColor(44, 160, 44),
    RGBColor(148, 103, 189),
    RGBColor(140, 86, 75),
    RGBColor(90, 90, 90),
];

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// The looks of one method, in time.
struct Trace<'a> {
    method: &'a str,
    colour: RGBColor,
    rows: Vec<&'a Value>,
}

/// A panel: its title and the keys drawn, the last as a line, those before as thin ones.
struct Panel(&'static str, &'static [&'static str]);

const PANELS: [Panel; 3] = [
    Panel("LML, nats: bracket thin, own value thick", &["lower", "upper", "own"]),
    Panel("test RMSE", &["rmse"]),
    Panel("test NLPD", &["nlpd"]),
];

/// Draws the rows of a set to `path`.
pub(super) fn draw(set: &str, rows: &[&Value], path: &Path) -> TaskResult {
    let traces = traces(rows);
    let area: Area<'_> = SVGBackend::new(path, SIZE).into_drawing_area();
    let failed = |error: &dyn Display| Failure::io(path, &error);
    area.fill(&WHITE).map_err(|error| failed(&error))?;
    let area = area.titled(set, ("sans-serif", 20)).map_err(|error| failed(&error))?;
    for (panel, part) in PANELS.iter().zip(area.split_evenly((1, PANELS.len()))) {
        chart(panel, &part, &traces).map_err(|error| failed(&error))?;
    }
    area.present().map_err(|error| failed(&error))
}

fn traces<'a>(rows: &[&'a Value]) -> Vec<Trace<'a>> {
    let mut traces: Vec<Trace<'a>> = Vec::new();
    for row in rows {
        let method = row["method"].as_str().unwrap_or_default();
        match traces.iter_mut().find(|trace| trace.method == method) {
            Some(trace) => trace.rows.push(row),
            None => {
                let colour = COLOURS[traces.len() % COLOURS.len()];
                traces.push(Trace { method, colour, rows: vec![row] });
            }
        }
    }
    traces
}

fn points(trace: &Trace<'_>, key: &str) -> Vec<(f64, f64)> {
    let point = |row: &&Value| Some((row["seconds"].as_f64()?.max(1e-2), row[key].as_f64()?));
    trace.rows.iter().filter_map(point).collect()
}

fn chart(
    Panel(title, keys): &Panel,
    area: &Area<'_>,
    traces: &[Trace<'_>],
) -> Result<(), Box<dyn std::error::Error>> {
    let all =
        || traces.iter().flat_map(|trace| keys.iter().flat_map(move |key| points(trace, key)));
    let (Some(x), Some(y)) = (range(all().map(|p| p.0)), range(all().map(|p| p.1))) else {
        return Ok(());
    };
    let mut builder = ChartBuilder::on(area);
    builder.caption(title, ("sans-serif", 14)).margin(8);
    builder.x_label_area_size(36).y_label_area_size(64);
    let mut chart = builder.build_cartesian_2d(x.log_scale(), y)?;
    chart.configure_mesh().x_desc("seconds of training").light_line_style(WHITE).draw()?;
    for trace in traces {
        for (index, key) in keys.iter().enumerate() {
            let last = index + 1 == keys.len();
            let found = points(trace, key);
            let dots = found.iter().map(|point| Circle::new(*point, 2, trace.colour.filled()));
            chart.draw_series(dots)?;
            let style = trace.colour.stroke_width(if last { 2 } else { 1 });
            let line = chart.draw_series(LineSeries::new(found, style))?;
            if last {
                let colour = trace.colour;
                line.label(trace.method).legend(move |(x, y)| {
                    PathElement::new(vec![(x, y), (x + 14, y)], colour.stroke_width(2))
                });
            }
        }
    }
    // Scores fall with time and leave the corner free; brackets do not.
    if keys.len() == 1 {
        let mut labels = chart.configure_series_labels();
        labels.position(SeriesLabelPosition::UpperRight);
        labels.border_style(BLACK).background_style(WHITE.mix(0.8)).draw()?;
    }
    Ok(())
}

/// From the least to the largest, with room around; none for no numbers.
fn range(values: impl Iterator<Item = f64>) -> Option<Range<f64>> {
    let ends = values.map(|value| (value, value));
    let (least, most) = ends.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
    let room = (0.05 * (most - least)).max(1e-3 * most.abs()).max(1e-6);
    let positive = least > 0.0;
    Some(if positive { (least - room).max(0.9 * least) } else { least - room }..most + room)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_picture_has_a_line_for_each_method() {
        let row = |method: &str, seconds: f64| {
            json!({"method": method, "seconds": seconds, "lower": -9.0, "upper": -1.0,
                   "own": -5.0 + seconds, "rmse": 1.0 / seconds, "nlpd": null})
        };
        let rows = [row("sgpr-512", 1.0), row("sgpr-512", 2.0), row("iterative", 1.5)];
        let path = std::env::temp_dir().join(format!("taut-figure-{}.svg", std::process::id()));
        draw("pol", &rows.iter().collect::<Vec<_>>(), &path).expect("can be drawn");
        let text = std::fs::read_to_string(&path).expect("was written");
        let _ = std::fs::remove_file(&path);
        for word in ["sgpr-512", "iterative", "seconds of training", "test RMSE", "#D62728"] {
            assert!(text.contains(word), "{word}");
        }
    }
}
