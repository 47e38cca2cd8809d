//! Draws from a posterior.

use crate::support::bits;
use gp_core::{GpError, Posterior, Prediction};
use ndarray::{Array1, Array2, ArrayRef2, Axis, array, s};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

/// Mean x, covariance of rank one: f(x) = x + z x.
struct Line;

impl Posterior for Line {
    fn predict_mean(&self, x_new: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError> {
        Ok(x_new.to_owned())
    }

    fn predict(&self, x_new: &ArrayRef2<f64>) -> Result<Prediction, GpError> {
        let var_latent: Array1<f64> = x_new.column(0).mapv(|x| x * x);
        let var_y = &var_latent + 0.1;
        Ok(Prediction { mean: x_new.to_owned(), var_latent, var_y })
    }

    fn covariance(&self, x_new: &ArrayRef2<f64>) -> Result<Array2<f64>, GpError> {
        let n = x_new.nrows();
        Ok(Array2::from_shape_fn((n, n), |(i, j)| x_new[[i, 0]] * x_new[[j, 0]]))
    }
}

fn draw(seed: u64) -> ndarray::Array3<f64> {
    let at = array![[1.0], [-2.0], [0.0], [0.5]];
    Line.sample(&at, 50, &mut ChaCha8Rng::seed_from_u64(seed)).unwrap()
}

#[test]
fn a_seed_gives_the_same_draws() {
    assert_eq!(bits(&draw(7)), bits(&draw(7)));
    assert_ne!(draw(7), draw(8));
    assert_eq!(draw(7).dim(), (50, 4, 1));
}

#[test]
fn a_singular_covariance_gives_functions_of_its_rank() {
    for draw in draw(3).axis_iter(Axis(0)) {
        let z = draw[[0, 0]] - 1.0;
        for (x, f) in [1.0, -2.0, 0.0, 0.5].iter().zip(draw.column(0)) {
            assert!((f - (x + z * x)).abs() < 1e-7, "{f} at {x}");
        }
    }
}

#[test]
fn draws_have_the_spread_of_the_covariance() {
    let at = array![[2.0]];
    let draws = Line.sample(&at, 20_000, &mut ChaCha8Rng::seed_from_u64(1)).unwrap();
    let draws = draws.slice(s![.., 0, 0]);
    assert!((draws.mean().unwrap() - 2.0).abs() < 5.0 * 2.0 / 20_000.0_f64.sqrt());
    assert!((draws.std(0.0) - 2.0).abs() < 5.0 * 2.0 / 40_000.0_f64.sqrt());
}

#[test]
fn no_draws_and_no_rows_are_possible() {
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    assert_eq!(Line.sample(&array![[1.0]], 0, &mut rng).unwrap().dim(), (0, 1, 1));
    assert_eq!(Line.sample(&Array2::zeros((0, 1)), 3, &mut rng).unwrap().dim(), (3, 0, 1));
}
