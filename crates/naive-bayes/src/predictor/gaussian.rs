//! Gaussian features, and their Student-t predictives.

use std::hint::select_unpredictable;

use super::far::{self, Far};
use super::joint::{Joint, Mode};
use crate::Smoothing;
use crate::batch::Block;
use crate::priors::{StudentT, at_least};
use crate::simd::{self, Kernel, LANES};
use crate::statistics::{BadCell, Cell, Moments, Table};

/// Squared distance in deviations beyond which classes are compared by differences instead of by values.
const FAR: f64 = 1e6;

/// The density of a feature in a class.
#[derive(Debug, Clone, Copy)]
pub(super) enum Density {
    /// No cell was seen and there is no prior.
    Unknown,
    /// Mean, variance with smoothing.
    Normal { mean: f64, variance: f64 },
    /// Predictive under a conjugate prior.
    Student(StudentT),
}

/// Densities by class and feature.
#[derive(Debug, Clone)]
pub(super) struct GaussianTable {
    densities: Vec<Vec<Density>>,
    /// What was added to each feature's variances.
    epsilon: Vec<f64>,
}

/// The table for the columns of a batch; each vector has a row of `width` for each class.
pub(super) struct LocalGaussian {
    width: usize,
    mean: Vec<f64>,
    inverse: Vec<f64>,
    constant: Vec<f64>,
    /// Sum of the constants for each class.
    constants: Vec<f64>,
    students: Vec<StudentT>,
}

impl Density {
    /// −½ log 2πv, or the like.
    pub(super) fn constant(&self) -> f64 {
        match self {
            Self::Unknown => 0.0,
            Self::Normal { variance, .. } => -0.5 * (2.0 * std::f64::consts::PI * variance).ln(),
            Self::Student(student) => student.constant,
        }
    }

    pub(super) fn ln_density(&self, x: f64) -> f64 {
        match self {
            Self::Unknown => 0.0,
            Self::Normal { mean, variance } => {
                let z = (x - mean) / variance.sqrt();
                self.constant() - 0.5 * z * z
            }
            Self::Student(student) => student.ln_density(x),
        }
    }
}

impl GaussianTable {
    /// For the classes at these positions of the table.
    pub(super) fn new(table: &Table<Moments>, classes: &[usize], smoothing: Smoothing) -> Self {
        let pooled: Vec<Moments> =
            (0..table.width()).map(|feature| table.pooled(feature)).collect();
        let epsilon = epsilon(&pooled, smoothing);
        let density = |class: usize, feature: usize| {
            let cell = table.get(class, feature);
            match smoothing {
                Smoothing::Predictive(_) if pooled[feature].is_empty() => Density::Unknown,
                Smoothing::Predictive(prior) => {
                    let prior = prior.of(&pooled[feature]);
                    Density::Student(prior.posterior(cell).predictive())
                }
                _ if cell.is_empty() => Density::Unknown,
                _ => {
                    let variance = cell.variance() + epsilon[feature];
                    let variance = at_least(variance, pooled[feature].mean);
                    Density::Normal { mean: cell.mean, variance }
                }
            }
        };
        let row = |&class: &usize| (0..table.width()).map(|at| density(class, at)).collect();
        Self { densities: classes.iter().map(row).collect(), epsilon }
    }

    /// Whether every class that can be predicted has a density for the feature.
    pub(super) fn is_known(&self, feature: usize, live: &[usize]) -> bool {
        live.iter().all(|&class| !matches!(self.densities[class][feature], Density::Unknown))
    }

    pub(super) fn density(&self, class: usize, feature: usize) -> Density {
        self.densities[class][feature]
    }

    pub(super) fn epsilon(&self, feature: usize) -> f64 {
        self.epsilon[feature]
    }

    pub(super) fn local(&self, places: &[usize]) -> LocalGaussian {
        let all = || self.densities.iter().flat_map(|row| places.iter().map(|&at| row[at]));
        let mean = |density: Density| match density {
            Density::Normal { mean, .. } => mean,
            _ => 0.0,
        };
        let inverse = |density: Density| match density {
            Density::Normal { variance, .. } => variance.sqrt().recip(),
            _ => 0.0,
        };
        let student = |density: Density| match density {
            Density::Student(student) => Some(student),
            _ => None,
        };
        let students: Option<Vec<StudentT>> = all().map(student).collect();
        let constant: Vec<f64> = all().map(|density| density.constant()).collect();
        let width = places.len();
        LocalGaussian {
            width,
            mean: all().map(mean).collect(),
            inverse: all().map(inverse).collect(),
            constants: constant.chunks(width.max(1)).map(|row| row.iter().sum()).collect(),
            constant,
            students: students.unwrap_or_default(),
        }
    }
}

/// What is added to the variances of each feature.
fn epsilon(pooled: &[Moments], smoothing: Smoothing) -> Vec<f64> {
    let seen = |cell: &Moments| if cell.is_empty() { 0.0 } else { cell.variance() };
    match smoothing {
        Smoothing::Global(factor) => {
            let largest = pooled.iter().map(seen).fold(0.0, f64::max);
            vec![factor * largest; pooled.len()]
        }
        Smoothing::PerFeature(factor) => pooled.iter().map(|cell| factor * seen(cell)).collect(),
        Smoothing::None | Smoothing::Predictive(_) => vec![0.0; pooled.len()],
    }
}

impl LocalGaussian {
    pub(super) fn add(
        &self,
        joint: &mut Joint,
        block: Block<'_>,
        rows: usize,
    ) -> Result<(), BadCell> {
        if self.width == 0 {
            return Ok(());
        }
        if self.students.is_empty() {
            simd::run(Distances { table: self, block, rows, joint: &mut *joint });
        }
        for row in 0..rows {
            if !self.students.is_empty() || !self.take_distances(joint, row) {
                self.add_cells(joint, row, block.row(row))?;
            }
        }
        Ok(())
    }

    /// Adds the distances found; false, and nothing added, when a cell is infinite or all classes are far.
    fn take_distances(&self, joint: &mut Joint, row: usize) -> bool {
        let mode = joint.mode;
        let (values, distances) = joint.values_and_scratch(row);
        let nearest = distances.iter().copied().fold(f64::INFINITY, f64::min);
        let finite = distances.iter().fold(true, |all, distance| all & distance.is_finite());
        if !finite || (nearest > FAR && mode == Mode::Relative) {
            return false;
        }
        for ((value, distance), constant) in values.iter_mut().zip(distances).zip(&self.constants) {
            *value += constant - 0.5 * *distance;
        }
        true
    }

    /// Any row: missing cells are left out, infinite ones refused.
    fn add_cells(&self, joint: &mut Joint, row: usize, cells: &[f64]) -> Result<(), BadCell> {
        if let Some(column) = cells.iter().position(|cell| cell.is_infinite()) {
            return Err(BadCell { row, column, found: cells[column] });
        }
        let mode = joint.mode;
        let values = joint.values(row);
        if !self.students.is_empty() {
            for (value, students) in values.iter_mut().zip(self.students.chunks_exact(self.width)) {
                *value += present(cells).map(|(at, x)| students[at].ln_density(x)).sum::<f64>();
            }
            return Ok(());
        }
        let far = Far { cells, mean: &self.mean, inverse: &self.inverse, width: self.width };
        let live = |values: &[f64], class: usize| values[class] > f64::NEG_INFINITY;
        let nearest = (0..values.len()).filter(|&class| live(values, class));
        let nearest = nearest.map(|class| far.distance(class)).fold(f64::INFINITY, f64::min);
        for (class, value) in values.iter_mut().enumerate() {
            let constants = &self.constant[class * self.width..];
            *value += present(cells).map(|(at, _)| constants[at]).sum::<f64>();
            if nearest <= FAR || mode == Mode::Absolute {
                *value -= 0.5 * far.distance(class);
            }
        }
        if nearest > FAR && mode == Mode::Relative {
            far::add_differences(&far, values);
        }
        Ok(())
    }
}

/// Cells that are there, with their columns.
pub(super) fn present(cells: &[f64]) -> impl Iterator<Item = (usize, f64)> {
    cells.iter().copied().enumerate().filter(|(_, cell)| !cell.is_nan())
}

/// Fills the scratch of a [`Joint`] with the squared distances of rows from the means, in deviations.
struct Distances<'k> {
    table: &'k LocalGaussian,
    block: Block<'k>,
    rows: usize,
    joint: &'k mut Joint,
}

impl Kernel for Distances<'_> {
    type Output = ();

    #[inline(always)]
    fn call(mut self) {
        self.fill::<false>();
        let missing = self.joint.scratch(self.rows).iter().fold(false, |any, d| any | d.is_nan());
        if missing {
            self.fill::<true>();
        }
    }
}

impl Distances<'_> {
    #[inline(always)]
    fn fill<const MISSING: bool>(&mut self) {
        let (width, n) = (self.table.width, self.joint.n_classes);
        let out = self.joint.scratch(self.rows);
        for class in 0..n {
            let at = class * width..(class + 1) * width;
            let (mean, inverse) = (&self.table.mean[at.clone()], &self.table.inverse[at.clone()]);
            let constant = &self.table.constant[at];
            for row in 0..self.rows {
                let cells = self.block.row(row);
                out[row * n + class] = squared_distance::<MISSING>(cells, mean, inverse, constant);
            }
        }
    }
}

/// Σ ((x_j − m_j)/s_j)² in four lanes. With `MISSING`, over the cells that are there, with the constants of the others, doubled, on top: so
/// `constants − distance/2` is what the row adds.
#[inline(always)]
fn squared_distance<const MISSING: bool>(
    cells: &[f64],
    mean: &[f64],
    inverse: &[f64],
    constant: &[f64],
) -> f64 {
    let mut lanes = [0.0; LANES];
    let (whole, rest) = cells.as_chunks::<LANES>();
    let (means, mean_rest) = mean.as_chunks::<LANES>();
    let (inverses, inverse_rest) = inverse.as_chunks::<LANES>();
    let (constants, constant_rest) = constant.as_chunks::<LANES>();
    for (((cells, mean), inverse), constant) in whole.iter().zip(means).zip(inverses).zip(constants)
    {
        lanes = std::array::from_fn(|lane| {
            let (mean, inverse) = (mean[lane], inverse[lane]);
            lanes[lane] + term::<MISSING>(cells[lane], mean, inverse, constant[lane])
        });
    }
    for (lane, cell) in rest.iter().enumerate() {
        lanes[lane] +=
            term::<MISSING>(*cell, mean_rest[lane], inverse_rest[lane], constant_rest[lane]);
    }
    (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])
}

#[inline(always)]
fn term<const MISSING: bool>(cell: f64, mean: f64, inverse: f64, constant: f64) -> f64 {
    let z = (cell - mean) * inverse;
    match MISSING {
        true => select_unpredictable(cell.is_nan(), 2.0 * constant, z * z),
        false => z * z,
    }
}
