//! The data sets, from `TAUT_DATA_DIR`.

use std::fs;
use std::io::Read;
use std::path::PathBuf;

use ndarray::{Array1, Array2, Axis, s};

use crate::Failure;

/// Training and test rows.
pub(crate) struct Split {
    pub(crate) x: Array2<f64>,
    pub(crate) y: Array1<f64>,
    pub(crate) x_new: Array2<f64>,
    pub(crate) y_new: Array1<f64>,
}

/// The set of this name, by the split files it comes with or, for rainfall, by time.
pub(crate) fn split(set: &str, split: usize) -> Result<Split, Failure> {
    if set == "rainfall_runoff" {
        return rainfall();
    }
    let table = table(&format!("{set}/data.csv"))?;
    let mask = self::table(&format!("{set}/test_mask.csv"))?;
    let rows = |test: bool| -> Vec<usize> {
        (0..table.nrows()).filter(|&row| (mask[[row, split]] > 0.5) == test).collect()
    };
    let d = table.ncols() - 1;
    let part = |test: bool| {
        let chosen = table.select(Axis(0), &rows(test));
        (chosen.slice(s![.., ..d]).to_owned(), chosen.column(d).to_owned())
    };
    let ((x, y), (x_new, y_new)) = (part(false), part(true));
    Ok(Split { x, y, x_new, y_new })
}

/// Daily runoff of one catchment from rainfall of up to 30 days before: log(1 + mm). 1500 days of
/// the first 25 years train, 400 of the last 9 test.
fn rainfall() -> Result<Split, Failure> {
    let table = table("rainfall_runoff/data.csv.gz")?;
    let (rain, evaporation, warmest, runoff) =
        (table.column(3), table.column(4), table.column(7), table.column(10));
    let sum =
        |day: usize, from: usize, to: usize| (from..=to).map(|lag| rain[day - lag]).sum::<f64>();
    let inputs = |day: usize| {
        let mean = |of: &ndarray::ArrayView1<'_, f64>, days: usize| {
            (0..days).map(|lag| of[day - lag]).sum::<f64>() / days as f64
        };
        [
            sum(day, 0, 0).ln_1p(),
            sum(day, 1, 1).ln_1p(),
            sum(day, 2, 4).ln_1p(),
            sum(day, 5, 14).ln_1p(),
            sum(day, 15, 29).ln_1p(),
            mean(&evaporation, 30),
            mean(&warmest, 7),
        ]
    };
    let part = |from: usize, to: usize, count: usize| {
        let days: Vec<usize> = (0..count).map(|i| from + i * (to - from) / count).collect();
        let x = Array2::from_shape_fn((count, 7), |(i, j)| inputs(days[i])[j]);
        (x, days.iter().map(|&day| runoff[day].ln_1p()).collect::<Array1<f64>>())
    };
    let middle = 25 * 365;
    let ((x, y), (x_new, y_new)) = (part(30, middle, 1500), part(middle + 30, table.nrows(), 400));
    Ok(Split { x, y, x_new, y_new })
}

/// A CSV file of numbers under a header.
fn table(name: &str) -> Result<Array2<f64>, Failure> {
    let folder = std::env::var_os("TAUT_DATA_DIR").ok_or("TAUT_DATA_DIR is not set")?;
    let bytes = fs::read(PathBuf::from(folder).join(name))?;
    let mut text = String::new();
    if name.ends_with(".gz") {
        flate2::read::GzDecoder::new(&bytes[..]).read_to_string(&mut text)?;
    } else {
        text = String::from_utf8(bytes)?;
    }
    let number = |cell: &str| cell.trim().parse::<f64>();
    let rows: Result<Vec<Vec<f64>>, _> =
        text.lines().skip(1).map(|line| line.split(',').map(number).collect()).collect();
    let rows = rows?;
    let columns = rows.first().map_or(0, Vec::len);
    Ok(Array2::from_shape_vec((rows.len(), columns), rows.concat())?)
}
