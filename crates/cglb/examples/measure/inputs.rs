//! Rows to measure on.

use std::error::Error;
use std::path::PathBuf;

use datasets::{CsvOptions, Roles, Source, design, read_csv};
use ndarray::{Array1, Array2, ArrayView1, Axis, s};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Inputs, a target and where they come from.
pub(crate) struct Rows {
    pub(crate) x: Array2<f64>,
    pub(crate) y: Array2<f64>,
    pub(crate) name: &'static str,
}

/// Uniform numbers of mean 0 and variance 1.
pub(crate) fn random(rows: usize, columns: usize, seed: u64) -> Array2<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    Array2::from_shape_simple_fn((rows, columns), || 12.0_f64.sqrt() * (rng.random::<f64>() - 0.5))
}

/// The first `n` rows of the set `protein` in `TAUT_DATA_DIR`, standardised; without the variable, made-up ones.
pub(crate) fn rows(n: usize, d: usize) -> Result<Rows, Box<dyn Error>> {
    match std::env::var_os("TAUT_DATA_DIR").map(PathBuf::from) {
        Some(folder) => protein(&folder.join("protein/data.csv.gz"), n),
        None => Ok(synthetic(n, d)),
    }
}

fn protein(file: &std::path::Path, n: usize) -> Result<Rows, Box<dyn Error>> {
    let table = read_csv(Source::path(file), &CsvOptions::default())?;
    let design = design(&table, &Roles::target("log1p_RMSD"))?;
    let first =
        |all: &Array2<f64>| standardised(all.slice(s![..n.min(all.nrows()), ..]).to_owned());
    Ok(Rows { x: first(&design.x), y: first(&design.y), name: "protein" })
}

fn synthetic(n: usize, d: usize) -> Rows {
    let (x, noise) = (random(n, d, 1), random(n, 1, 2));
    let wave = |row: ArrayView1<'_, f64>| (2.0 * row[0]).sin();
    let y = Array1::from_iter(x.outer_iter().map(wave)).insert_axis(Axis(1)) + 0.2 * noise;
    Rows { x, y: standardised(y), name: "synthetic" }
}

/// Every column with mean 0 and variance 1.
fn standardised(mut matrix: Array2<f64>) -> Array2<f64> {
    for mut column in matrix.columns_mut() {
        let (mean, spread) = (column.mean().unwrap_or(0.0), column.std(0.0));
        column.mapv_inplace(|value| (value - mean) / spread);
    }
    matrix
}
