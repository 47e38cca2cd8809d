//! Gradients of the LML against differences, for every kernel, mean and number of targets.

use crate::support::{close, condition, lml, points, targets};
use gp_core::Hyperparameters;
use kernels::{Mean, catalogue};
use ndarray::{Array2, Axis, concatenate};

/// Slope at 0 from four values, to fourth order.
fn slope(f: impl Fn(f64) -> f64) -> f64 {
    let h = 1e-3;
    (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h)
}

/// Differences in the order of `named_values`: in log θ for kernel and noise, plain for the mean.
fn differences(hyper: &Hyperparameters, x: &Array2<f64>, y: &Array2<f64>) -> Vec<f64> {
    let named = hyper.named_values();
    let moved = |index: usize, step: f64| {
        let mut values: Vec<f64> = named.iter().map(|(_, value)| *value).collect();
        if named[index].0.starts_with("mean") {
            values[index] += step;
        } else {
            values[index] *= step.exp();
        }
        lml(&hyper.with_values(&values).unwrap(), x, y)
    };
    (0..named.len()).map(|index| slope(|step| moved(index, step))).collect()
}

#[test]
fn every_kernel_mean_and_number_of_targets() {
    let x = points(18, 2, 0);
    let one = targets(&x);
    let two = concatenate![Axis(1), one, points(18, 1, 300)];
    let linear = Mean::Linear { weights: vec![0.4, -0.3], intercept: 0.2 };
    for (index, kernel) in catalogue(2).unwrap().into_iter().enumerate() {
        for mean in [Mean::Zero, Mean::Constant(0.3), linear.clone()] {
            let hyper = Hyperparameters { kernel: kernel.clone(), noise_variance: 0.07, mean };
            for y in [&one, &two] {
                let (value, gradient) = condition(&hyper, &x, y).lml_gradient().unwrap();
                close("value", value, lml(&hyper, &x, y), 1e-12);
                let mut flat = gradient.log_kernel;
                flat.push(gradient.log_noise_variance);
                flat.extend(gradient.mean);
                let expected = differences(&hyper, &x, y);
                for ((name, _), (a, b)) in
                    hyper.named_values().iter().zip(flat.iter().zip(expected))
                {
                    close(&format!("{} {index} {name}", kernel.name()), *a, b, 1e-6);
                }
            }
        }
    }
}
