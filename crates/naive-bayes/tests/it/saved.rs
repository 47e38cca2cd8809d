//! Models as files.

use naive_bayes::{EvidencePriors, Model};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::strategies::{agree, data, opinion};

fn read(value: Value) -> Result<Model, String> {
    serde_json::from_value(value).map_err(|error| error.to_string())
}

proptest! {
    #[test]
    fn a_saved_model_goes_on_bit_for_bit(one in data(1..20), other in data(1..20), questions in data(1..4)) {
        let text = serde_json::to_string(&one.model()).unwrap();
        let mut back: Model = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(&serde_json::to_string(&back).unwrap(), &text);
        let mut original = one.model();
        for model in [&mut back, &mut original] {
            model.merge(&other.model()).unwrap();
        }
        agree(&back, &original, &questions, 0.0)?;
        prop_assert_eq!(opinion(&back, &questions), opinion(&original, &questions));
        let evidence = |model: &Model| model.evidence(&EvidencePriors::default()).unwrap();
        prop_assert_eq!(evidence(&back), evidence(&original));
    }

    #[test]
    fn a_damaged_file_never_panics(one in data(1..9), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let mut text = serde_json::to_vec(&one.model()).unwrap();
        let at = at.index(text.len());
        text[at] = byte;
        if let Ok(model) = serde_json::from_slice::<Model>(&text) {
            let _ = model.predictor(&Default::default());
            let _ = model.evidence(&EvidencePriors::default());
        }
    }
}

fn sample() -> Value {
    json!({
        "format": "taut-naive-bayes", "version": 1,
        "classes": [{"label": 0, "weight": 2.0, "declared": false}],
        "features": [{"name": "x", "kind": "bernoulli", "cells": [{"ones": 1.0, "n": 2.0}]}],
    })
}

#[test]
fn the_form_is_stable() {
    let model = read(sample()).unwrap();
    assert_eq!(serde_json::to_value(&model).unwrap(), sample());
}

#[test]
fn other_versions_and_contradictions_are_refused() {
    let change = |pointer: &str, value: Value| {
        let mut saved = sample();
        *saved.pointer_mut(pointer).unwrap() = value;
        read(saved).unwrap_err()
    };
    assert!(change("/version", json!(2)).contains("version 2"));
    assert!(change("/format", json!("other")).contains("`other`"));
    assert!(change("/classes/0/weight", json!(-1.0)).contains("class `0`"));
    assert!(change("/classes", json!([])).contains("damaged"));
    assert!(change("/features/0/cells", json!([])).contains("damaged"));
    assert!(change("/features/0/cells/0/ones", json!(3.0)).contains("damaged"));
    let twice = json!([sample()["features"][0], sample()["features"][0]]);
    assert!(change("/features", twice).contains("twice"));
    let levels = json!([{"name": "c", "kind": "categorical", "labels": ["a", "a"], "width": 2, "counts": [[1.0, 1.0]]}]);
    assert!(change("/features", levels).contains("`c`"));
    let long = json!([{"name": "m", "kind": "multinomial", "labels": null, "width": 1, "counts": [[1.0, 1.0]]}]);
    assert!(change("/features", long).contains("`m`"));
}
