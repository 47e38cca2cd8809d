//! The space training moves in: cases 5 and 45.

use crate::support::{bowl, close, model, models, named, values};
use gp_core::{Floors, GpError, Hyperparameters, ParameterSpace, Prior};
use kernels::Mean;
use proptest::prelude::*;

fn space(hyper: &Hyperparameters) -> ParameterSpace {
    ParameterSpace::new(hyper, Floors::default())
}

#[test]
fn unpack_undoes_pack() {
    for hyper in models() {
        let space = space(&hyper);
        let u = space.pack(&hyper).unwrap();
        assert_eq!((u.len(), space.len()), (values(&hyper).len(), values(&hyper).len()));
        for (a, b) in values(&space.unpack(&u).unwrap()).iter().zip(values(&hyper)) {
            close(hyper.kernel.name(), *a, b, 1e-13);
        }
    }
}

#[test]
fn prefixes_fix_all_they_cover() {
    let fixed = |names: &[&str]| {
        let mut space = space(&model());
        names.iter().for_each(|name| space.fix(name).unwrap());
        space.len()
    };
    assert_eq!(fixed(&[]), 5);
    assert_eq!(fixed(&["kernel.lengthscales[1]"]), 4);
    assert_eq!(fixed(&["kernel.lengthscales"]), 3);
    assert_eq!(fixed(&["kernel", "mean"]), 1);
    assert_eq!(fixed(&["kernel", "kernel.variance", "noise_variance", "mean"]), 0);
    let mean = Mean::Linear { weights: vec![0.1, 0.2], intercept: 0.3 };
    let mut linear = space(&Hyperparameters { mean, ..model() });
    linear.fix("mean.weights").unwrap();
    assert_eq!(linear.len(), 5);
    linear.fix("mean").unwrap();
    assert_eq!(linear.len(), 4);
    assert!(!linear.is_empty());
}

#[test]
fn fixed_values_stay_to_the_bit_wherever_the_rest_goes() {
    let mut space = space(&model());
    space.fix("kernel.variance").unwrap();
    space.fix("noise_variance").unwrap();
    let moved = space.unpack(&[0.3, -2.0, 9.0]).unwrap();
    assert_eq!((named(&moved, "kernel.variance"), moved.noise_variance), (1.2, 0.1));
    assert_eq!(named(&moved, "mean"), 9.0);
    assert_ne!(named(&moved, "kernel.lengthscales[0]"), 0.5);
}

#[test]
fn unknown_names_are_refused_with_those_there_are() {
    let mut space = space(&model());
    for name in ["lengthscales", "kernel.length", "kernel.lengthscales[2]", "noise", "", "meanly"] {
        let error = space.fix(name).unwrap_err();
        assert!(matches!(error, GpError::UnknownParameter { .. }));
        let message = error.to_string();
        assert!(message.contains(&format!("`{name}`")), "{message}");
        assert!(
            message.contains("kernel.lengthscales[0], kernel.lengthscales[1], kernel.variance")
        );
        assert!(space.set_prior(name, Prior::Gamma { shape: 1.0, rate: 1.0 }).is_err());
    }
}

#[test]
fn values_at_a_floor_are_refused_by_name_and_not_moved() {
    let noise = |noise_variance| Hyperparameters { noise_variance, ..model() };
    let space = space(&model());
    for value in [1e-6, 1e-7, 0.0] {
        let message = space.pack(&noise(value)).unwrap_err().to_string();
        assert!(
            message.starts_with(&format!("parameter `noise_variance` is {value}")),
            "{message}"
        );
        assert!(message.contains("greater than 0.000001"), "{message}");
        assert!(message.contains("lower the floor, or hold"), "{message}");
    }
    assert!(space.pack(&noise(1.001e-6)).is_ok());
    let mut small = model();
    small.kernel.set_parameters(&[0.5, 1e-7, 1.0]).unwrap();
    let message = space.pack(&small).unwrap_err().to_string();
    assert!(message.starts_with("parameter `kernel.lengthscales[1]` is 0.0000001"), "{message}");
    // Held fixed it may be as small as it likes.
    let mut fixed = ParameterSpace::new(&noise(1e-12), Floors::default());
    fixed.fix("noise_variance").unwrap();
    let u = fixed.pack(&noise(1e-12)).unwrap();
    assert_eq!(fixed.unpack(&u).unwrap().noise_variance, 1e-12);
}

#[test]
fn floors_can_be_lowered() {
    let floors = Floors { noise_variance: 1e-12, kernel: 1e-9 };
    let hyper = Hyperparameters { noise_variance: 1e-10, ..model() };
    let space = ParameterSpace::new(&hyper, floors);
    let back = space.unpack(&space.pack(&hyper).unwrap()).unwrap();
    close("noise", back.noise_variance * 1e10, 1.0, 1e-12);
}

#[test]
fn no_point_of_the_space_lies_below_a_floor() {
    let space = space(&model());
    for u in [-1e300, -800.0, -40.0] {
        let hyper = space.unpack(&[u; 5]).unwrap();
        assert!(values(&hyper)[..4].iter().all(|value| *value >= 1e-6));
        assert_eq!(named(&hyper, "mean"), u);
    }
}

#[test]
fn parameters_at_their_floor_are_named() {
    let mut hyper = model();
    let mut space = space(&hyper);
    assert!(space.at_floor(&hyper).is_empty());
    hyper.noise_variance = 1.001e-6;
    hyper.kernel.set_parameters(&[0.5, 1.0000001e-6, 1.0]).unwrap();
    let found = space.at_floor(&hyper);
    assert_eq!(found.len(), 2);
    assert!(found[0].starts_with("kernel.lengthscales[1] = 1.000e-6 (floor 1e-6)"), "{found:?}");
    assert!(found[1].starts_with("noise_variance = 1.001e-6"), "{found:?}");
    // Where the user put it is not where training ended.
    space.fix("noise_variance").unwrap();
    assert_eq!(space.at_floor(&hyper).len(), 1);
}

#[test]
fn priors_that_are_no_densities_are_refused() {
    let mut space = space(&model());
    for prior in [
        Prior::LogNormal { mean: 0.0, std: 0.0 },
        Prior::LogNormal { mean: f64::NAN, std: 1.0 },
        Prior::Gamma { shape: -1.0, rate: 1.0 },
        Prior::Gamma { shape: 1.0, rate: f64::INFINITY },
        Prior::Normal { mean: 0.0, std: -1.0 },
    ] {
        assert!(!prior.is_valid());
        let message = space.set_prior("noise_variance", prior).unwrap_err().to_string();
        assert!(message.contains("noise_variance"), "{message}");
    }
    // A mean may be negative, where these have no density.
    for prior in [Prior::LogNormal { mean: 0.0, std: 1.0 }, Prior::Gamma { shape: 2.0, rate: 1.0 }]
    {
        let message = space.set_prior("mean", prior).unwrap_err().to_string();
        assert!(message.contains("mean"), "{message}");
        assert!(space.set_prior("kernel", prior).is_ok());
    }
    assert!(space.set_prior("mean", Prior::Normal { mean: 0.0, std: 1.0 }).is_ok());
}

/// Slope of the transformed objective along variable `index`, to fourth order.
fn difference(space: &ParameterSpace, u: &[f64], index: usize) -> f64 {
    let at = |step: f64| {
        let mut u = u.to_vec();
        u[index] += step;
        let (value, gradient) = bowl(&space.unpack(&u).unwrap(), 0.7, 0.2);
        space.evaluation(&u, value, &gradient).value
    };
    let h = 1e-3;
    (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn gradients_match_differences_with_priors_and_fixed_parameters(
        index in 0..42usize,
        which in 0..4usize,
        shift in prop::collection::vec(-0.5..0.5f64, 20),
    ) {
        let hyper = models().swap_remove(index);
        let mut space = space(&hyper);
        match which {
            0 => {}
            1 => space.set_prior("kernel", Prior::LogNormal { mean: 0.1, std: 0.7 }).unwrap(),
            2 => {
                space.set_prior("kernel", Prior::Normal { mean: 0.8, std: 0.9 }).unwrap();
                space.fix("noise_variance").unwrap();
            }
            _ => {
                space.set_prior("noise_variance", Prior::Gamma { shape: 2.0, rate: 3.0 }).unwrap();
                let first = hyper.named_values()[0].0.clone();
                space.fix(&first).unwrap();
            }
        }
        let mut u = space.pack(&hyper).unwrap();
        u.iter_mut().zip(&shift).for_each(|(u, shift)| *u += shift);
        let (value, gradient) = bowl(&space.unpack(&u).unwrap(), 0.7, 0.2);
        let evaluation = space.evaluation(&u, value, &gradient);
        prop_assert_eq!(evaluation.gradient.len(), u.len());
        for (index, slope) in evaluation.gradient.iter().enumerate() {
            let difference = difference(&space, &u, index);
            prop_assert!((slope - difference).abs() <= 1e-7 * (1.0 + slope.abs()), "{slope} {difference}");
        }
    }
}
