//! One of each kernel, for tests and benches that hold for all.

use crate::{
    ActiveDims, Constant, Kernel, KernelError, Linear, Matern12, Matern32, Matern52, Periodic,
    Product, RationalQuadratic, SquaredExponential, Sum, White,
};

/// Every kernel of this crate on inputs of `d` columns, with different values for each parameter,
/// and composites that nest them. A new kernel is listed here, and the tests apply to it.
///
/// # Errors
/// [`KernelError`] for `d` = 0.
pub fn catalogue(d: usize) -> Result<Vec<Box<dyn Kernel>>, KernelError> {
    let ard = |start: f64| (0..d).map(|i| start + 0.4 * i as f64).collect::<Vec<_>>();
    let one = |value: f64| vec![value];
    let se = SquaredExponential::new(ard(0.8), 1.3)?;
    let periodic = Periodic::new(ard(0.9), 0.7, 2.3)?;
    let linear = Linear::new(ard(0.3))?;
    let constant = Constant::new(0.6)?;
    let white = White::new(0.05)?;
    let last = ActiveDims::new(Matern32::new(one(0.7), 0.8)?, vec![d.saturating_sub(1)])?;
    Ok(vec![
        Box::new(se.clone()),
        Box::new(Matern12::new(ard(0.7), 0.9)?),
        Box::new(Matern32::new(ard(0.6), 1.1)?),
        Box::new(Matern52::new(ard(1.0), 1.2)?),
        Box::new(RationalQuadratic::new(ard(0.8), 1.4, 0.8)?),
        Box::new(periodic.clone()),
        Box::new(linear.clone()),
        Box::new(constant.clone()),
        Box::new(white.clone()),
        Box::new(Matern52::new(one(0.9), 0.5)?),
        Box::new(last.clone()),
        Box::new(Sum::new(vec![Box::new(se.clone()), Box::new(white), Box::new(linear.clone())])?),
        Box::new(Product::new(vec![Box::new(se), Box::new(periodic), Box::new(last)])?),
        Box::new(Product::new(vec![
            Box::new(Matern12::new(one(1.5), 0.9)?),
            Box::new(Sum::new(vec![Box::new(linear), Box::new(constant)])?),
        ])?),
    ])
}
