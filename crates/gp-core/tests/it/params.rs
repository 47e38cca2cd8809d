//! Hyperparameters as text: case 44 among them.

use crate::support::{models, values};
use gp_core::{MeanSpec, Params, Units};
use serde_json::{Value, json};

fn parse(value: Value) -> Result<Params, serde_json::Error> {
    serde_json::from_value(value)
}

fn leaf() -> Value {
    json!({"type": "se", "lengthscales": [0.5], "variance": 1.0})
}

#[test]
fn every_model_survives_json_bit_for_bit() {
    for hyper in models() {
        let text = serde_json::to_string(&Params::new(&hyper, Units::Original)).unwrap();
        let params: Params = serde_json::from_str(&text).unwrap();
        assert_eq!(params.units, Units::Original);
        let back = params.build(2).unwrap();
        assert_eq!(values(&back), values(&hyper));
        assert_eq!(back.named_values(), hyper.named_values());
    }
}

#[test]
fn means_are_null_a_number_or_an_object() {
    let mean = |mean: Value| {
        parse(json!({"kernel": leaf(), "noise_variance": 0.1, "mean": mean})).unwrap().mean
    };
    assert_eq!(mean(Value::Null), MeanSpec::Zero);
    assert_eq!(mean(json!(-2)), MeanSpec::Constant(-2.0));
    let linear = MeanSpec::Linear { weights: vec![1.0], intercept: 0.5 };
    assert_eq!(mean(json!({"weights": [1.0], "intercept": 0.5})), linear);
    assert_eq!(serde_json::to_value(MeanSpec::Zero).unwrap(), Value::Null);
    let absent = parse(json!({"kernel": leaf(), "noise_variance": 0.1})).unwrap();
    assert_eq!((absent.mean, absent.units), (MeanSpec::Zero, Units::Standardised));
}

#[test]
fn unknown_fields_and_units_are_refused() {
    for bad in [
        json!({"kernel": leaf(), "noise_variance": 0.1, "noise_std": 0.3}),
        json!({"kernel": leaf(), "noise_variance": 0.1, "units": "metres"}),
        json!({"kernel": leaf(), "noise_variance": 0.1, "mean": {"slope": 1.0}}),
        json!({"kernel": {"type": "cubic"}, "noise_variance": 0.1}),
        json!({"kernel": leaf()}),
    ] {
        assert!(parse(bad.clone()).is_err(), "{bad}");
    }
}

#[test]
fn numbers_out_of_range_are_refused_when_built() {
    let refusal = |kernel: Value, noise: f64| {
        let params = parse(json!({"kernel": kernel, "noise_variance": noise})).unwrap();
        params.build(1).unwrap_err().to_string()
    };
    assert!(refusal(leaf(), 0.0).contains("`noise_variance` is 0"));
    let negative = json!({"type": "se", "lengthscales": [-0.5], "variance": 1.0});
    assert!(refusal(negative, 0.1).contains("lengthscales[0]"));
    let product = json!({"type": "product", "terms": [leaf(), {"type": "white", "variance": 1.0}]});
    assert!(refusal(product, 0.1).contains("white kernel stands inside a product"));
    let wide = json!({"type": "se", "lengthscales": [0.5, 1.0], "variance": 1.0});
    assert!(refusal(wide, 0.1).contains("2 values, the inputs have 1 columns"));
}

#[test]
fn units_have_names() {
    for units in [Units::Standardised, Units::Original] {
        assert_eq!(serde_json::to_value(units).unwrap(), units.name());
    }
}
