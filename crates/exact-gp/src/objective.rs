//! The exact log marginal likelihood as a training objective.

use bounds::Problem;
use bounds::exact::Exact;
use gp_core::{Evaluation, GpError, HyperGradient, Hyperparameters, Objective, ParameterSpace};
use ndarray::{ArrayRef2, Axis};

/// The LML of `y` `[N, P]` at inputs `x` `[N, D]`, with its gradient; costs N³.
pub(crate) struct ExactObjective<'a> {
    x: &'a ArrayRef2<f64>,
    y: &'a ArrayRef2<f64>,
    space: &'a ParameterSpace,
}

impl<'a> ExactObjective<'a> {
    pub(crate) fn new(
        x: &'a ArrayRef2<f64>,
        y: &'a ArrayRef2<f64>,
        space: &'a ParameterSpace,
    ) -> Self {
        Self { x, y, space }
    }
}

impl Objective for ExactObjective<'_> {
    fn evaluate(&mut self, u: &[f64]) -> Result<Evaluation, GpError> {
        let hyper = self.space.unpack(u)?;
        let (value, gradient) = lml_gradient(&hyper, self.x, self.y)?;
        Ok(self.space.evaluation(u, value, &gradient))
    }
}

/// LML and its gradient in every hyperparameter.
///
/// The mean enters through the residual y − m(X), so ∂LML/∂(mean) = −Σ ∂LML/∂y · ∂m.
pub(crate) fn lml_gradient(
    hyper: &Hyperparameters,
    x: &ArrayRef2<f64>,
    y: &ArrayRef2<f64>,
) -> Result<(f64, HyperGradient), GpError> {
    let problem = Problem::new(hyper.kernel.as_ref(), x, hyper.noise_variance)?;
    let evaluated = Exact::new(&problem)?.lml_gradient(&hyper.residual(x, y))?;
    let weights = evaluated.y.sum_axis(Axis(1)).mapv(|weight| -weight);
    let mut mean = vec![0.0; hyper.mean.parameters().len()];
    hyper.mean.accumulate_gradient(x, &weights, &mut mean);
    Ok((evaluated.value, HyperGradient::new(evaluated.hyper, mean)))
}
