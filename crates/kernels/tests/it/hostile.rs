//! Values out of range, lists of the wrong length: typed errors, never a panic.

use kernels::{
    ActiveDims, Constant, Kernel, KernelError, KernelSpec, Linear, Matern12, Matern32, Matern52,
    Mean, Periodic, Product, RationalQuadratic, SquaredExponential, Sum, White, catalogue,
};
use proptest::prelude::*;

use crate::support::parameters;

const BAD: [f64; 6] = [0.0, -1.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

fn refuses(result: Result<impl Kernel, KernelError>, parameter: &str) {
    match result {
        Err(KernelError::BadParameter { name, .. }) => assert_eq!(name, parameter),
        other => panic!("expected `{parameter}` to be refused, got {other:?}"),
    }
}

#[test]
fn constructors_refuse_what_is_not_positive_and_finite() {
    for bad in BAD {
        refuses(SquaredExponential::new(vec![1.0, bad], 1.0), "lengthscales[1]");
        refuses(Matern12::new(vec![bad], 1.0), "lengthscales[0]");
        refuses(Matern32::new(vec![1.0], bad), "variance");
        refuses(Matern52::new(vec![1.0], bad), "variance");
        refuses(RationalQuadratic::new(vec![1.0], 1.0, bad), "alpha");
        refuses(Periodic::new(vec![1.0], 1.0, bad), "period");
        refuses(Periodic::new(vec![1.0], bad, 1.0), "variance");
        refuses(Linear::new(vec![1.0, 2.0, bad]), "variances[2]");
        refuses(Constant::new(bad), "variance");
        refuses(White::new(bad), "variance");
    }
}

#[test]
fn every_parameter_of_every_kernel_is_checked_and_named() {
    for kernel in catalogue(2).unwrap() {
        for (index, parameter) in kernel.parameters().into_iter().enumerate() {
            for bad in BAD {
                let mut values = parameters(kernel.as_ref());
                values[index] = bad;
                let mut changed = kernel.clone_box();
                match changed.set_parameters(&values) {
                    Err(KernelError::BadParameter { name, value }) => {
                        assert_eq!(name, parameter.name);
                        assert_eq!(value.to_bits(), bad.to_bits());
                    }
                    other => panic!("{kernel:?}: {other:?}"),
                }
                assert_eq!(parameters(changed.as_ref()), parameters(kernel.as_ref()));
            }
        }
    }
}

#[test]
fn another_number_of_values_is_refused() {
    for kernel in catalogue(2).unwrap() {
        let expected = kernel.parameters().len();
        for found in [0, expected - 1, expected + 1] {
            if found == expected {
                continue;
            }
            let refused = kernel.clone_box().set_parameters(&vec![1.0; found]);
            let owner = kernel.name();
            assert_eq!(refused, Err(KernelError::ParameterCount { owner, expected, found }));
        }
    }
}

#[test]
fn the_columns_of_the_inputs_are_checked() {
    let named =
        |kernel: &dyn Kernel, columns: usize, name: &str| match kernel.check_columns(columns) {
            Err(KernelError::Columns { name: found, .. }) => assert_eq!(found, name),
            other => panic!("{kernel:?}: {other:?}"),
        };
    named(&SquaredExponential::new(vec![1.0, 2.0], 1.0).unwrap(), 3, "lengthscales");
    named(&Periodic::new(vec![1.0, 2.0], 1.0, 1.0).unwrap(), 3, "lengthscales");
    named(&Linear::new(vec![1.0, 2.0]).unwrap(), 1, "variances");
    let shared = SquaredExponential::new(vec![1.0], 1.0).unwrap();
    assert_eq!(shared.check_columns(9), Ok(()));
    let active = ActiveDims::new(shared.clone(), vec![0, 3]).unwrap();
    assert_eq!(active.check_columns(4), Ok(()));
    let beyond = KernelError::ActiveDim { dim: 3, columns: 2, last: 1 };
    assert_eq!(active.check_columns(2), Err(beyond.clone()));
    let sum = Sum::new(vec![Box::new(shared), Box::new(active)]).unwrap();
    assert_eq!(sum.check_columns(2), Err(beyond));
}

#[test]
fn empty_lists_are_refused() {
    let empty = |name| Some(KernelError::Empty { name });
    assert_eq!(SquaredExponential::new(vec![], 1.0).err(), empty("lengthscales"));
    assert_eq!(Periodic::new(vec![], 1.0, 1.0).err(), empty("lengthscales"));
    assert_eq!(Linear::new(vec![]).err(), empty("variances"));
    assert_eq!(Sum::new(vec![]).err(), empty("terms"));
    assert_eq!(Product::new(vec![]).err(), empty("terms"));
    assert!(catalogue(0).is_err());
}

#[test]
fn active_columns_are_named_once_each() {
    let kernel = SquaredExponential::new(vec![1.0], 1.0).unwrap();
    for dims in [vec![], vec![1, 1], vec![0, 2, 0]] {
        let refused = ActiveDims::new(kernel.clone(), dims.clone()).err();
        assert_eq!(refused, Some(KernelError::ActiveDims { dims }));
    }
    let two = SquaredExponential::new(vec![1.0, 2.0], 1.0).unwrap();
    assert!(matches!(ActiveDims::new(two, vec![0, 1, 2]), Err(KernelError::Columns { .. })));
}

/// Case 44: white noise times anything is zero between different rows.
#[test]
fn white_noise_in_a_product_is_refused_wherever_it_hides() {
    let white = || Box::new(White::new(0.1).unwrap()) as Box<dyn Kernel>;
    let constant = || Box::new(Constant::new(0.1).unwrap()) as Box<dyn Kernel>;
    let sum = || Box::new(Sum::new(vec![constant(), white()]).unwrap()) as Box<dyn Kernel>;
    let picked = Box::new(ActiveDims::new(White::new(0.1).unwrap(), vec![0]).unwrap());
    for hidden in [white(), sum(), picked] {
        let refused = Product::new(vec![constant(), hidden]).err();
        assert_eq!(refused, Some(KernelError::WhiteInProduct));
    }
    let json = r#"{"type": "product", "terms": [{"type": "constant", "variance": 1.0},
                  {"type": "sum", "terms": [{"type": "white", "variance": 1.0}]}]}"#;
    let spec: KernelSpec = serde_json::from_str(json).unwrap();
    assert_eq!(spec.build().err(), Some(KernelError::WhiteInProduct));
}

#[test]
fn messages_name_what_was_found_and_what_is_accepted() {
    let bad = SquaredExponential::new(vec![1.0, -2.0], 1.0).unwrap_err().to_string();
    assert_eq!(bad, "parameter `lengthscales[1]` is -2: it must be finite and greater than 0");
    let count = Mean::Zero.set_parameters(&[1.0]).unwrap_err().to_string();
    assert_eq!(count, "`zero` has 0 parameters, 1 values were given: give one for each");
    let weights = Mean::Linear { weights: vec![1.0], intercept: 0.0 };
    assert_eq!(
        weights.check_columns(3).unwrap_err().to_string(),
        "`mean.weights` has 1 values, the inputs have 3 columns: give one for each"
    );
}

fn numbers() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(any::<f64>(), 0..4)
}

fn columns() -> impl Strategy<Value = Option<Vec<usize>>> {
    prop::option::of(prop::collection::vec(0_usize..4, 0..4))
}

/// Any specification, sensible or not.
fn specs() -> impl Strategy<Value = KernelSpec> {
    let leaf = prop_oneof![
        (numbers(), any::<f64>(), any::<f64>(), columns()).prop_map(
            |(lengthscales, variance, alpha, active_dims)| KernelSpec::RationalQuadratic {
                lengthscales,
                variance,
                alpha,
                active_dims
            }
        ),
        (numbers(), any::<f64>(), any::<f64>(), columns()).prop_map(
            |(lengthscales, variance, period, active_dims)| KernelSpec::Periodic {
                lengthscales,
                variance,
                period,
                active_dims
            }
        ),
        (numbers(), columns())
            .prop_map(|(variances, active_dims)| KernelSpec::Linear { variances, active_dims }),
        any::<f64>().prop_map(|variance| KernelSpec::White { variance }),
        any::<f64>().prop_map(|variance| KernelSpec::Constant { variance }),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let terms = prop::collection::vec(inner, 0..3);
        prop_oneof![
            terms.clone().prop_map(|terms| KernelSpec::Sum { terms }),
            terms.prop_map(|terms| KernelSpec::Product { terms }),
        ]
    })
}

proptest! {
    #[test]
    fn no_specification_makes_a_panic(spec in specs(), d in 0_usize..5) {
        if let Ok(kernel) = spec.build() && kernel.check_columns(d).is_ok() {
            let x = crate::support::random(3, d, 1);
            prop_assert_eq!(kernel.block(&x, &x).dim(), (3, 3));
            prop_assert_eq!(kernel.spec(), spec);
        }
    }
}
