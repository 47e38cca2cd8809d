//! The written form of kernels and means.

use kernels::{
    ActiveDims, Kernel, KernelSpec, Matern32, Mean, SquaredExponential, Sum, White, catalogue,
};
use proptest::prelude::*;

use crate::support::{DIMENSIONS, bits, kernel, parameters, perturbed_catalogue, random};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn a_kernel_survives_json_to_the_bit(seed in any::<u64>()) {
        for d in DIMENSIONS {
            let x = random(5, d, seed);
            for kernel in perturbed_catalogue(d, seed) {
                let json = serde_json::to_string(&kernel.spec()).unwrap();
                let spec: KernelSpec = serde_json::from_str(&json).unwrap();
                prop_assert_eq!(&spec, &kernel.spec());
                let back = spec.build().unwrap();
                prop_assert_eq!(parameters(back.as_ref()), parameters(kernel.as_ref()));
                prop_assert_eq!(bits(&back.block(&x, &x)), bits(&kernel.block(&x, &x)));
                prop_assert_eq!(back.white_variance(), kernel.white_variance());
            }
        }
    }
}

#[test]
fn a_kernel_keeps_its_name() {
    let names = catalogue(2).unwrap().iter().map(|kernel| kernel.name()).collect::<Vec<_>>();
    let leaves =
        ["se", "matern12", "matern32", "matern52", "rq", "periodic", "linear", "constant", "white"];
    assert_eq!(names[..9], leaves);
    for kernel in catalogue(2).unwrap() {
        let json = serde_json::to_value(kernel.spec()).unwrap();
        assert_eq!(json["type"], kernel.name());
    }
}

#[test]
fn long_names_are_understood() {
    for name in ["se", "squared_exponential", "squared-exponential", "rbf"] {
        let json = format!(r#"{{"type": "{name}", "lengthscales": [1.0], "variance": 1.0}}"#);
        assert_eq!(kernel(&json).name(), "se");
    }
    for name in ["rq", "rational_quadratic", "rational-quadratic"] {
        let json = format!(
            r#"{{"type": "{name}", "lengthscales": [1.0], "variance": 1.0, "alpha": 2.0}}"#
        );
        assert_eq!(kernel(&json).name(), "rq");
    }
}

#[test]
fn what_a_kernel_does_not_have_is_refused() {
    for json in [
        r#"{"type": "se", "lengthscales": [1.0], "variance": 1.0, "period": 2.0}"#,
        r#"{"type": "se", "lengthscale": [1.0], "variance": 1.0}"#,
        r#"{"type": "se", "lengthscales": [1.0]}"#,
        r#"{"type": "constant", "variance": 1.0, "active_dims": [0]}"#,
        r#"{"type": "sum", "terms": [], "variance": 1.0}"#,
        r#"{"type": "cubic", "variance": 1.0}"#,
        r#"{"lengthscales": [1.0], "variance": 1.0}"#,
    ] {
        assert!(serde_json::from_str::<KernelSpec>(json).is_err(), "{json}");
    }
}

/// Columns picked around a composite, or around picked columns, are written where they belong.
#[test]
fn nested_active_columns_survive_json() {
    let leaf = ActiveDims::new(Matern32::new(vec![0.7], 0.8).unwrap(), vec![1]).unwrap();
    let nested = ActiveDims::new(leaf.clone(), vec![0, 2]).unwrap();
    let terms: Vec<Box<dyn Kernel>> = vec![
        Box::new(SquaredExponential::new(vec![0.5, 1.5], 1.2).unwrap()),
        Box::new(leaf),
        Box::new(White::new(0.3).unwrap()),
    ];
    let sum = ActiveDims::new(Sum::new(terms).unwrap(), vec![2, 1]).unwrap();
    let x = random(6, 3, 1);
    for kernel in [&nested as &dyn Kernel, &sum] {
        let back = kernel.spec().build().unwrap();
        assert_eq!(bits(&back.block(&x, &x)), bits(&kernel.block(&x, &x)), "{kernel:?}");
        assert_eq!(back.white_variance(), kernel.white_variance(), "{kernel:?}");
    }
    assert_eq!(sum.white_variance(), 0.3);
}

#[test]
fn a_mean_survives_json() {
    let linear = Mean::Linear { weights: vec![0.1, -2.0 / 3.0], intercept: 1e-3 };
    for (mean, text) in [
        (Mean::Zero, r#""zero""#),
        (Mean::Constant(-0.1), r#"{"constant":-0.1}"#),
        (linear, r#"{"linear":{"weights":[0.1,-0.6666666666666666],"intercept":0.001}}"#),
    ] {
        assert_eq!(serde_json::to_string(&mean).unwrap(), text);
        assert_eq!(serde_json::from_str::<Mean>(text).unwrap(), mean);
    }
}
