//! Bounds by inducing points and their gradients, on the rows that other packages are given too.

use std::error::Error;

use cglb::{Cglb, CglbSettings, SearchPrecision, cold_start};
use gp_core::Hyperparameters;
use ndarray::s;
use sparse_gp::{SgprSettings, elbo_gradient};

use crate::clock::median_seconds;
use crate::inputs::Rows;
use crate::{Dtype, Figures, Method};

/// The value with its gradient in hyperparameters and inducing points, which are the first `m` rows;
/// of CGLB from v = 0, conjugate gradients to 1 nat included.
pub(crate) fn objective_gradient(
    method: Method,
    hyper: &Hyperparameters,
    rows: &Rows,
    m: usize,
) -> Result<Figures, Box<dyn Error>> {
    let Rows { x, y, name } = rows;
    let z = x.slice(s![..m.min(x.nrows()), ..]);
    let (sgpr, cglb) = (SgprSettings::default(), CglbSettings::default());
    let (seconds, value) = match method {
        Method::Sgpr => {
            let call = || elbo_gradient(hyper, &z, x, y, &sgpr);
            (median_seconds(call), call()?.value)
        }
        _ => {
            let call = || cold_start(hyper, &z, x, y, &cglb);
            (median_seconds(call), call()?.0.value)
        }
    };
    Ok(Figures { seconds, value: Some(value), data: name, ..Figures::default() })
}

/// The model of CGLB at these hyperparameters, conjugate gradients to 0.001 nats included, which search with products
/// of this type.
pub(crate) fn condition(
    hyper: &Hyperparameters,
    rows: &Rows,
    m: usize,
    dtype: Dtype,
) -> Result<Figures, Box<dyn Error>> {
    let Rows { x, y, name } = rows;
    let z = x.slice(s![..m.min(x.nrows()), ..]);
    let single = dtype == Dtype::F32;
    let search = if single { SearchPrecision::Single } else { SearchPrecision::Double };
    let settings = CglbSettings { search, ..CglbSettings::default() };
    let call = || Cglb::condition(hyper, &z, x, y, &settings);
    let (seconds, value) = (median_seconds(call), call()?.evidence().lower);
    Ok(Figures { seconds, value: Some(value), data: name, ..Figures::default() })
}
