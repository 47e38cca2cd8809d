//! Names, order and checks of hyperparameters: case 5.

use crate::support::{model, models, values};
use gp_core::{GpError, Hyperparameters};
use kernels::{Mean, Sum, White};

#[test]
fn names_are_those_of_parameter_files() {
    let names: Vec<String> = model().named_values().into_iter().map(|(name, _)| name).collect();
    let expected = [
        "kernel.lengthscales[0]",
        "kernel.lengthscales[1]",
        "kernel.variance",
        "noise_variance",
        "mean",
    ];
    assert_eq!(names, expected);
    let linear = Mean::Linear { weights: vec![1.0, 2.0], intercept: 3.0 };
    let named = Hyperparameters { mean: linear, ..model() }.named_values();
    assert_eq!(
        named[4..].iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
        ["mean.weights[0]", "mean.weights[1]", "mean.intercept"]
    );
}

#[test]
fn values_can_be_replaced_in_order() {
    for hyper in models() {
        let changed: Vec<f64> = values(&hyper).iter().map(|value| 1.25 * value).collect();
        assert_eq!(values(&hyper.with_values(&changed).unwrap()), changed);
    }
}

#[test]
fn another_number_of_values_is_refused() {
    let error = model().with_values(&[1.0; 4]).unwrap_err();
    assert!(error.to_string().starts_with("`values` has 4 values, expected 5"), "{error}");
}

#[test]
fn values_out_of_range_are_refused_by_name() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = model().with_values(&[bad, 1.0, 1.0, 1.0, 0.0]).unwrap_err().to_string();
        assert!(error.contains("lengthscales[0]"), "{error}");
        let error = Hyperparameters { noise_variance: bad, ..model() }.check(2).unwrap_err();
        assert!(matches!(&error, GpError::BadParameter { name, .. } if name == "noise_variance"));
        assert!(error.to_string().contains("greater than 0"), "{error}");
    }
    assert!(Hyperparameters { noise_variance: 1e-300, ..model() }.check(2).is_ok());
}

#[test]
fn kernels_and_means_must_fit_the_columns() {
    assert!(model().check(3).unwrap_err().to_string().contains("3 columns"));
    let mean = Mean::Linear { weights: vec![1.0], intercept: 0.0 };
    let error = Hyperparameters { mean, ..model() }.check(2).unwrap_err().to_string();
    assert!(error.contains("mean.weights"), "{error}");
}

#[test]
fn white_kernels_count_as_noise() {
    let white = Box::new(White::new(0.25).unwrap());
    let kernel = Box::new(Sum::new(vec![model().kernel, white]).unwrap());
    let hyper = Hyperparameters { kernel, ..model() };
    assert_eq!(hyper.total_noise_variance(), 0.1 + 0.25);
    assert_eq!(model().total_noise_variance(), 0.1);
}
