//! Mean functions.

use kernels::{KernelError, Mean};
use ndarray::{Array1, array};

use crate::support::{assert_close, random, random_vec};

fn means() -> [Mean; 3] {
    let linear = Mean::Linear { weights: vec![0.5, -2.0], intercept: 0.25 };
    [Mean::Zero, Mean::Constant(-1.5), linear]
}

fn parameters(mean: &Mean) -> Vec<f64> {
    mean.parameters().into_iter().map(|parameter| parameter.value).collect()
}

#[test]
fn values_follow_the_formula() {
    let x = array![[1.0, 2.0], [0.0, 0.0], [-4.0, 0.5]];
    let [zero, constant, linear] = means().map(|mean| mean.value(&x));
    assert_eq!(zero, array![0.0, 0.0, 0.0]);
    assert_eq!(constant, array![-1.5, -1.5, -1.5]);
    assert_eq!(linear, array![-3.25, 0.25, -2.75]);
}

#[test]
fn parameters_are_named_and_come_back() {
    let names = means().map(|mean| {
        let names = mean.parameters().into_iter().map(|parameter| parameter.name);
        names.collect::<Vec<_>>().join(" ")
    });
    assert_eq!(names, ["", "mean", "mean.weights[0] mean.weights[1] mean.intercept"]);
    for mut mean in means() {
        let values: Vec<f64> = parameters(&mean).iter().map(|value| value - 3.0).collect();
        mean.set_parameters(&values).unwrap();
        assert_eq!(parameters(&mean), values);
    }
}

#[test]
fn gradients_match_differences() {
    let (x, w) = (random(7, 2, 1), random_vec(7, 2));
    let weighted = |mean: &Mean| (mean.value(&x) * &w).sum();
    for mean in means() {
        let values = parameters(&mean);
        let mut grad = vec![5.0; values.len()];
        mean.accumulate_gradient(&x, &w, &mut grad);
        for (index, found) in grad.iter().enumerate() {
            let moved = |step: f64| {
                let (mut mean, mut values) = (mean.clone(), values.clone());
                values[index] += step;
                mean.set_parameters(&values).unwrap();
                weighted(&mean)
            };
            assert_close(
                [&(found - 5.0)],
                [&((moved(1.0) - moved(-1.0)) / 2.0)],
                1e-12,
                mean.name(),
            );
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_and_nothing_changes() {
    for mut mean in means() {
        let (before, n) = (mean.clone(), mean.parameters().len());
        let owner = mean.name();
        let refused = mean.set_parameters(&vec![1.0; n + 1]);
        assert_eq!(refused, Err(KernelError::ParameterCount { owner, expected: n, found: n + 1 }));
        for index in 0..n {
            let mut values = vec![1.0; n];
            values[index] = f64::NAN;
            let refused = mean.set_parameters(&values);
            assert!(matches!(refused, Err(KernelError::NotFinite { name, .. })
                if name == before.parameters()[index].name));
        }
        assert_eq!(mean, before);
    }
}

#[test]
fn only_a_linear_mean_asks_for_columns() {
    let [zero, constant, linear] = means();
    assert_eq!((zero.check_columns(9), constant.check_columns(9)), (Ok(()), Ok(())));
    assert_eq!(linear.check_columns(2), Ok(()));
    assert_eq!(linear.check_columns(1), Err(KernelError::MeanWeights { found: 2, columns: 1 }));
}

#[test]
fn no_rows_have_no_values() {
    for mean in means() {
        assert_eq!(mean.value(&ndarray::Array2::zeros((0, 2))), Array1::<f64>::zeros(0));
    }
}
