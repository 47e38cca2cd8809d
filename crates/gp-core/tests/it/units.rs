//! Hyperparameters between two scales of the data.

use crate::support::close;
use gp_core::{GpError, MeanSpec, Params, Scales, Standardiser, Units};
use kernels::{KernelSpec, catalogue};
use ndarray::{Array2, array};

fn standardiser(rows: [[f64; 2]; 2]) -> Standardiser {
    Standardiser::fit(&Array2::from(rows.to_vec()), "x").unwrap()
}

/// Means 3, −20 and scales 2, 10; a target of mean 100 and scale 50.
fn measured() -> (Standardiser, Standardiser) {
    let y = Standardiser::fit(&array![[50.0], [150.0]], "y").unwrap();
    (standardiser([[1.0, -10.0], [5.0, -30.0]]), y)
}

/// Both columns centred, scales 2 and 10.
fn centred() -> (Standardiser, Standardiser) {
    (standardiser([[-2.0, 10.0], [2.0, -10.0]]), measured().1)
}

fn params(kernel: KernelSpec, mean: MeanSpec) -> Params {
    Params { kernel, noise_variance: 0.3, mean, units: Units::Standardised }
}

fn parse(kernel: serde_json::Value) -> KernelSpec {
    serde_json::from_value(kernel).unwrap()
}

fn means() -> [MeanSpec; 3] {
    let linear = MeanSpec::Linear { weights: vec![0.5, -1.5], intercept: 2.0 };
    [MeanSpec::Zero, MeanSpec::Constant(-0.4), linear]
}

/// Whether the two say the same about a few rows.
fn check_equal(what: &str, a: &Params, b: &Params) {
    let x = array![[0.3, -0.2], [1.5, 0.4], [-0.7, -1.1], [0.0, 0.0]];
    let [a, b] = [a, b].map(|params| params.build(2).unwrap());
    let [p, q] = [&a, &b].map(|hyper| hyper.kernel.block(&x, &x));
    p.iter().zip(&q).for_each(|(p, q)| close(what, *p, *q, 1e-12));
    let [p, q] = [&a, &b].map(|hyper| hyper.mean.value(&x));
    p.iter().zip(&q).for_each(|(p, q)| close(what, *p, *q, 1e-12));
    close(what, a.total_noise_variance(), b.total_noise_variance(), 1e-12);
}

#[test]
fn there_and_back_is_the_identity() {
    let mut converted = 0;
    for (x, y) in [measured(), centred()] {
        let scales = Scales { x: &x, y: &y };
        for kernel in catalogue(2).unwrap() {
            for mean in means() {
                let standardised = params(kernel.spec(), mean);
                let Ok(original) = scales.convert(&standardised, Units::Original) else { continue };
                assert_eq!(original.units, Units::Original);
                let back = scales.convert(&original, Units::Standardised).unwrap();
                check_equal(kernel.name(), &back, &standardised);
                converted += 1;
            }
        }
    }
    // Of 14 kernels, those with a period over two columns never convert, those with a linear part
    // on centred columns only.
    assert_eq!(converted, 3 * (9 + 12));
}

#[test]
fn values_by_hand() {
    let (x, y) = measured();
    let scales = Scales { x: &x, y: &y };
    let spec =
        parse(serde_json::json!({"type": "matern32", "lengthscales": [0.5, 3.0], "variance": 2.0}));
    let linear = MeanSpec::Linear { weights: vec![0.2, -0.1], intercept: 0.4 };
    let found = scales.convert(&params(spec, linear), Units::Original).unwrap();
    let expected = parse(
        serde_json::json!({"type": "matern32", "lengthscales": [1.0, 30.0], "variance": 5000.0}),
    );
    assert_eq!((found.kernel, found.noise_variance), (expected, 750.0));
    // 100 + 50 (0.4 + 0.2 (x₀ − 3)/2 − 0.1 (x₁ + 20)/10)
    let MeanSpec::Linear { weights, intercept } = found.mean else { panic!("{:?}", found.mean) };
    for (found, expected) in weights.iter().chain([&intercept]).zip([5.0, -0.5, 95.0]) {
        close("mean", *found, expected, 1e-14);
    }
}

#[test]
fn a_zero_mean_of_standardised_targets_is_their_average() {
    let (x, y) = measured();
    let scales = Scales { x: &x, y: &y };
    let zero =
        params(parse(serde_json::json!({"type": "constant", "variance": 1.0})), MeanSpec::Zero);
    let original = scales.convert(&zero, Units::Original).unwrap();
    assert_eq!(original.mean, MeanSpec::Constant(100.0));
    let zero = Params { units: Units::Original, ..zero };
    let standardised = scales.convert(&zero, Units::Standardised).unwrap();
    assert_eq!(standardised.mean, MeanSpec::Constant(-2.0));
}

#[test]
fn a_product_carries_the_gain_once() {
    let (x, y) = measured();
    let scales = Scales { x: &x, y: &y };
    let leaf = serde_json::json!({"type": "se", "lengthscales": [1.0, 1.0], "variance": 3.0});
    let sum =
        serde_json::json!({"type": "sum", "terms": [leaf, {"type": "constant", "variance": 2.0}]});
    let product = parse(serde_json::json!({"type": "product", "terms": [sum, leaf]}));
    let original = scales.convert(&params(product, MeanSpec::Zero), Units::Original).unwrap();
    let kernel = original.kernel.build().unwrap();
    // (3 + 2) · 3 · 50²
    close("variance", kernel.diag(&array![[7.0, 8.0]])[0], 37_500.0, 1e-14);
}

#[test]
fn one_lengthscale_becomes_one_for_each_column_where_it_must() {
    let (x, y) = measured();
    let shared = || {
        params(
            parse(serde_json::json!({"type": "se", "lengthscales": [0.5], "variance": 1.0})),
            MeanSpec::Zero,
        )
    };
    let lengthscales = |x: &Standardiser| {
        let found = Scales { x, y: &y }.convert(&shared(), Units::Original).unwrap();
        serde_json::to_value(found.kernel).unwrap()["lengthscales"].clone()
    };
    assert_eq!(lengthscales(&x), serde_json::json!([1.0, 5.0]));
    let alike = standardiser([[0.0, 1.0], [4.0, 5.0]]);
    assert_eq!(lengthscales(&alike), serde_json::json!([1.0]));
}

#[test]
fn what_has_no_counterpart_is_refused_with_the_reason() {
    let (x, y) = measured();
    let refusal = |kernel: serde_json::Value, y: &Standardiser| {
        let params = params(parse(kernel), MeanSpec::Zero);
        let error = Scales { x: &x, y }.convert(&params, Units::Original).unwrap_err();
        assert!(matches!(error, GpError::Units { units: "original", .. }));
        error.to_string()
    };
    let linear = serde_json::json!({"type": "linear", "variances": [1.0]});
    assert!(refusal(linear.clone(), &y).contains("goes through the origin"));
    let nested =
        serde_json::json!({"type": "sum", "terms": [{"type": "product", "terms": [linear]}]});
    assert!(refusal(nested, &y).contains("goes through the origin"));
    let periodic = serde_json::json!({"type": "periodic", "lengthscales": [1.0], "variance": 1.0, "period": 2.0});
    assert!(refusal(periodic, &y).contains("one period"));
    let leaf = serde_json::json!({"type": "se", "lengthscales": [1.0], "variance": 1.0});
    let two = Standardiser::fit(&array![[0.0, 0.0], [1.0, 2.0]], "y").unwrap();
    assert!(refusal(leaf, &two).contains("different scales"));
}

#[test]
fn a_period_converts_with_its_column() {
    let (x, y) = measured();
    let periodic =
        parse(serde_json::json!({"type": "periodic", "lengthscales": [0.7], "variance": 1.0,
        "period": 2.0, "active_dims": [1]}));
    let found = Scales { x: &x, y: &y }.convert(&params(periodic, MeanSpec::Zero), Units::Original);
    let found = serde_json::to_value(found.unwrap().kernel).unwrap();
    assert_eq!(
        (&found["period"], &found["lengthscales"]),
        (&20.0.into(), &serde_json::json!([0.7]))
    );
}

#[test]
fn the_same_units_are_left_alone() {
    let (x, y) = measured();
    let linear =
        params(parse(serde_json::json!({"type": "linear", "variances": [1.0]})), MeanSpec::Zero);
    let found = Scales { x: &x, y: &y }.convert(&linear, Units::Standardised).unwrap();
    assert_eq!(found, linear);
}

/// A conversion neither stretches a list that is too short nor cuts one that is too long.
#[test]
fn parameters_that_do_not_fit_the_columns_are_refused_in_either_direction() {
    let (x, y) = centred();
    let scales = Scales { x: &x, y: &y };
    let leaf = |n: usize| {
        parse(serde_json::json!({"type": "se", "lengthscales": vec![1.0; n], "variance": 1.0}))
    };
    let mean = |n: usize| MeanSpec::Linear { weights: vec![0.5; n], intercept: 0.0 };
    let few_columns = parse(serde_json::json!(
        {"type": "se", "lengthscales": [1.0, 1.0], "variance": 1.0, "active_dims": [1]}
    ));
    let misfits = [
        params(leaf(3), MeanSpec::Zero),
        params(leaf(2), mean(1)),
        params(leaf(2), mean(3)),
        params(few_columns, MeanSpec::Zero),
    ];
    for misfit in misfits {
        for (from, to) in
            [(Units::Standardised, Units::Original), (Units::Original, Units::Standardised)]
        {
            let given = Params { units: from, ..misfit.clone() };
            assert!(scales.convert(&given, to).is_err(), "{given:?}");
        }
    }
}
