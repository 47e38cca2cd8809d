//! A fitted model with everything between a table and a prediction in the table's units.

use std::path::Path;

use datasets::Encoder;
use gp_core::{
    Format, GpError, Hyperparameters, Params, Posterior, Standardiser, Units, check_finite,
};
use ndarray::{Array2, Array3, ArrayRef1, ArrayRef2, Axis};
use rand::Rng;
use serde::{Deserialize, Serialize};

use crate::method::{Conditioned, Part, Rows};
use crate::{Method, SpectralReport, Surrogates};

/// Model files: see [`Model::save`].
const FORMAT: Format = Format { name: "taut-model", version: 2 };

/// Predictions in the targets' own units, one column per target.
#[derive(Debug, Clone, PartialEq)]
pub struct TablePrediction {
    /// Posterior mean `[T, P]`.
    pub mean: Array2<f64>,
    /// Variance of the latent function `[T, P]`.
    pub var_latent: Array2<f64>,
    /// Variance of an observation `[T, P]`.
    pub var_y: Array2<f64>,
}

/// A Gaussian process fitted to a table.
///
/// Keeps how columns were encoded and scaled, so that it predicts from tables in their own units.
#[derive(Debug)]
pub struct Model {
    pub(crate) gp: Box<dyn Conditioned>,
    pub(crate) rows: Rows,
    pub(crate) encoder: Encoder,
    pub(crate) x_scaling: Standardiser,
    pub(crate) y_scaling: Standardiser,
    pub(crate) units: Units,
    pub(crate) surrogates: Surrogates,
}

/// What a model file holds.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Content {
    method: Part,
    params: Params,
    encoder: Encoder,
    x_scaling: Standardiser,
    y_scaling: Standardiser,
    surrogates: Surrogates,
    x: Array2<f64>,
    y: Array2<f64>,
}

impl Model {
    /// How it was fitted.
    #[must_use]
    pub fn method(&self) -> Method {
        self.gp.method()
    }

    /// The Gaussian process conditioned on the training rows, in the scale of
    /// [`units`](Self::units).
    #[must_use]
    pub fn posterior(&self) -> &dyn Posterior {
        &*self.gp
    }

    /// Training inputs `[N, D]`, scaled.
    #[must_use]
    pub fn x(&self) -> &Array2<f64> {
        &self.rows.x
    }

    /// Training targets `[N, P]`, scaled.
    #[must_use]
    pub fn y(&self) -> &Array2<f64> {
        &self.rows.y
    }

    /// y − m(X) `[N, P]`, scaled.
    #[must_use]
    pub fn residual(&self) -> Array2<f64> {
        self.hyperparameters().residual(self.x(), self.y())
    }

    /// Inducing points `[M, D]`, scaled, of methods that have them.
    #[must_use]
    pub fn inducing_points(&self) -> Option<&Array2<f64>> {
        self.gp.inducing_points()
    }

    /// The auxiliary vectors v ≈ K⁻¹(y − m(X)) `[N, P]` of methods that keep them.
    #[must_use]
    pub fn auxiliary(&self) -> Option<&Array2<f64>> {
        self.gp.auxiliary()
    }

    /// The bound on the log-determinant that was trained, of methods that have a choice.
    #[must_use]
    pub fn bound(&self) -> Option<&str> {
        self.gp.bound()
    }

    /// Neighbours each row is conditioned on, where training used them.
    #[must_use]
    pub fn neighbours(&self) -> Option<usize> {
        self.gp.uses_neighbours().then_some(self.surrogates.neighbours)
    }

    /// What a model of spectral points says of itself; none for others.
    #[must_use]
    pub fn spectral(&self) -> Option<SpectralReport> {
        self.gp.spectral()
    }

    /// What the hyperparameters are of models whose posterior has none, or a law of them: bounds on
    /// the log marginal likelihood hold for the exact Gaussian process at these hyperparameters.
    #[must_use]
    pub fn note(&self) -> Option<&'static str> {
        self.gp.note()
    }

    /// How many rows to predict at a time, where a row takes long enough to watch.
    #[must_use]
    pub fn rows_at_a_time(&self) -> Option<usize> {
        self.gp.rows_at_a_time()
    }

    /// The quantity training maximises, without priors: the log marginal likelihood itself, or the
    /// lower bound of the method.
    ///
    /// # Errors
    /// [`GpError::Bound`] when a covariance matrix cannot be factorised.
    pub fn objective(&self) -> Result<f64, GpError> {
        self.gp.objective()
    }

    /// Bytes that variances need beside what the model holds.
    #[must_use]
    pub fn prediction_bytes(&self) -> u64 {
        self.gp.prediction_bytes()
    }

    /// The hyperparameters, in the scale of [`units`](Self::units).
    #[must_use]
    pub fn hyperparameters(&self) -> &Hyperparameters {
        self.gp.hyperparameters()
    }

    /// The scale the model was fitted in.
    #[must_use]
    pub fn units(&self) -> Units {
        self.units
    }

    /// How a table becomes inputs.
    #[must_use]
    pub fn encoder(&self) -> &Encoder {
        &self.encoder
    }

    /// How inputs are scaled.
    #[must_use]
    pub fn x_scaling(&self) -> &Standardiser {
        &self.x_scaling
    }

    /// How targets are scaled.
    #[must_use]
    pub fn y_scaling(&self) -> &Standardiser {
        &self.y_scaling
    }

    /// Sizes of the surrogates behind its bounds.
    #[must_use]
    pub fn surrogates(&self) -> Surrogates {
        self.surrogates
    }

    /// The hyperparameters as they are written in files.
    #[must_use]
    pub fn params(&self) -> Params {
        Params::new(self.hyperparameters(), self.units)
    }

    /// What is added to a log marginal likelihood in the model's scale to have it in the targets'
    /// own units: −N Σ_p log s_p.
    #[must_use]
    pub fn original_offset(&self) -> f64 {
        let logs: f64 = self.y_scaling.scale().iter().map(|s| s.ln()).sum();
        // Subtracted from zero, so that no scaling gives 0 and not −0.
        0.0 - self.rows.x.nrows() as f64 * logs
    }

    /// Posterior mean `[T, P]` at inputs `x` `[T, D]`, both in the table's units; costs no variance.
    ///
    /// # Errors
    /// [`GpError::ShapeMismatch`] for another number of columns, [`GpError::NotFinite`],
    /// [`GpError::PredictionNotFinite`] where the model's numbers overflow.
    pub fn predict_mean(&self, x: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError> {
        let mean = self.y_scaling.undo(&self.gp.predict_mean(&self.x_scaling.apply(x)?)?)?;
        check_predictions(&mean)?;
        Ok(mean)
    }

    /// Posterior mean and variances at inputs `x` `[T, D]`, all in the table's units.
    ///
    /// # Errors
    /// As [`predict_mean`](Self::predict_mean), and failures of the factorisation.
    pub fn predict(&self, x: &ArrayRef2<f64>) -> Result<TablePrediction, GpError> {
        let scaled = self.gp.predict(&self.x_scaling.apply(x)?)?;
        let prediction = TablePrediction {
            mean: self.y_scaling.undo(&scaled.mean)?,
            var_latent: self.per_target(&scaled.var_latent),
            var_y: self.per_target(&scaled.var_y),
        };
        check_predictions(&prediction.mean)?;
        check_predictions(&prediction.var_y)?;
        Ok(prediction)
    }

    /// `count` joint draws `[count, T, P]` of the latent function at inputs `x` `[T, D]`, in the
    /// table's units; costs T³.
    ///
    /// # Errors
    /// As [`predict`](Self::predict).
    pub fn sample(
        &self,
        x: &ArrayRef2<f64>,
        count: usize,
        rng: &mut dyn Rng,
    ) -> Result<Array3<f64>, GpError> {
        let mut draws = self.gp.sample(&self.x_scaling.apply(x)?, count, rng)?;
        for mut draw in draws.axis_iter_mut(Axis(0)) {
            let original = self.y_scaling.undo(&draw)?;
            check_predictions(&original)?;
            draw.assign(&original);
        }
        Ok(draws)
    }

    /// A variance in the model's scale, in each target's own units squared.
    pub(crate) fn per_target(&self, variance: &ArrayRef1<f64>) -> Array2<f64> {
        let scale = self.y_scaling.scale();
        Array2::from_shape_fn((variance.len(), scale.len()), |(t, p)| {
            variance[t] * scale[p] * scale[p]
        })
    }

    /// Writes the model to `path`, whole or not at all; returns the size in bytes.
    ///
    /// The file is JSON with all digits of the scaled training rows, the hyperparameters and what the
    /// method needs beside them, so that a model read back predicts the same bits.
    ///
    /// # Errors
    /// [`GpError::Io`].
    pub fn save(&self, path: &Path) -> Result<u64, GpError> {
        let content = Content {
            method: self.gp.part(),
            params: self.params(),
            encoder: self.encoder.clone(),
            x_scaling: self.x_scaling.clone(),
            y_scaling: self.y_scaling.clone(),
            surrogates: self.surrogates,
            x: self.rows.x.clone(),
            y: self.rows.y.clone(),
        };
        FORMAT.write(path, &content)
    }

    /// Reads what [`save`](Self::save) wrote.
    ///
    /// # Errors
    /// [`GpError::Io`]; [`GpError::BadFile`] for files that were cut off, of another kind or
    /// version, or whose parts do not fit together.
    pub fn load(path: &Path) -> Result<Self, GpError> {
        let content: Content = FORMAT.read(path)?;
        Self::assemble(content).map_err(|error| GpError::BadFile {
            path: path.to_owned(),
            problem: format!("does not hold together ({error}): write it again"),
        })
    }

    fn assemble(content: Content) -> Result<Self, GpError> {
        let columns = |argument, expected: usize, found: usize| {
            let mismatch = GpError::ShapeMismatch { argument, unit: "columns", expected, found };
            if expected == found { Ok(()) } else { Err(mismatch) }
        };
        columns("x_scaling", content.x.ncols(), content.x_scaling.n_columns())?;
        columns("encoder", content.x.ncols(), content.encoder.n_features())?;
        columns("y_scaling", content.y.ncols(), content.y_scaling.n_columns())?;
        content.y_scaling.check_squares("y_scaling")?;
        columns("target names", content.y.ncols(), content.encoder.target_names().len())?;
        let hyper = content.params.build(content.x.ncols())?;
        let rows = Rows { x: content.x, y: content.y };
        check_rows(&rows)?;
        Ok(Self {
            gp: content.method.restore(hyper, &rows)?,
            rows,
            encoder: content.encoder,
            x_scaling: content.x_scaling,
            y_scaling: content.y_scaling,
            units: content.params.units,
            surrogates: content.surrogates,
        })
    }
}

/// As many targets as inputs, all of them numbers.
fn check_rows(rows: &Rows) -> Result<(), GpError> {
    check_finite(&rows.x, "x")?;
    check_finite(&rows.y, "y")?;
    let (expected, found) = (rows.x.nrows(), rows.y.nrows());
    if expected == found {
        return Ok(());
    }
    Err(GpError::ShapeMismatch { argument: "y", unit: "rows", expected, found })
}

/// Refuses predictions `[T, ·]` of which one overflowed.
///
/// # Errors
/// [`GpError::PredictionNotFinite`], with the first row that did.
pub fn check_predictions(numbers: &ArrayRef2<f64>) -> Result<(), GpError> {
    let finite = |row: ndarray::ArrayView1<'_, f64>| row.iter().all(|value| value.is_finite());
    match numbers.outer_iter().position(|row| !finite(row)) {
        Some(row) => Err(GpError::PredictionNotFinite { row: row + 1 }),
        None => Ok(()),
    }
}
