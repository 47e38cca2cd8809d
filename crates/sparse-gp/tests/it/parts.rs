//! A model put together again from its parts.

use crate::support::{bits, condition, leaf, points, targets};
use gp_core::{GpError, Params, Posterior, Units};
use ndarray::Array2;
use sparse_gp::{Evidence, Sgpr, SgprParts};

fn through_json<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

fn model() -> Sgpr {
    let x = points(300, 2, 0);
    condition(&leaf("matern52", &[0.7, 1.1], 0.03), &points(25, 2, 500), &x, &targets(&x))
}

#[test]
fn predictions_keep_their_bits_through_json() {
    let (model, at) = (model(), points(40, 2, 900));
    let parts = model.parts();
    let params = through_json(&Params::new(&parts.hyper, Units::Standardised));
    let again = Sgpr::from_parts(SgprParts {
        hyper: params.build(2).unwrap(),
        z: through_json(&parts.z),
        jitter: through_json(&parts.jitter),
        b: through_json(&parts.b),
        coefficients: through_json(&parts.coefficients),
        evidence: through_json::<Evidence>(&parts.evidence),
    })
    .unwrap();
    let [a, b] = [&model, &again].map(|model| model.predict(&at).unwrap());
    assert_eq!(bits(&a.mean), bits(&b.mean));
    assert_eq!(bits(&a.var_latent), bits(&b.var_latent));
    assert_eq!(model.evidence(), again.evidence());
}

#[test]
fn parts_that_do_not_fit_are_refused_by_name() {
    let parts = || model().parts().clone();
    let refused = |parts: SgprParts| Sgpr::from_parts(parts).unwrap_err();
    for (error, name) in [
        (refused(SgprParts { b: Array2::eye(24), ..parts() }), "b"),
        (refused(SgprParts { coefficients: Array2::zeros((24, 1)), ..parts() }), "coefficients"),
        (refused(SgprParts { coefficients: Array2::zeros((25, 2)), ..parts() }), "coefficients"),
    ] {
        let GpError::ShapeMismatch { argument, .. } = error else { panic!("{error}") };
        assert_eq!(argument, name);
    }
    let nan = Array2::from_elem((25, 1), f64::NAN);
    assert!(matches!(
        refused(SgprParts { coefficients: nan, ..parts() }),
        GpError::NotFinite { .. }
    ));
    assert!(matches!(refused(SgprParts { b: -Array2::eye(25), ..parts() }), GpError::Linalg(_)));
    assert!(matches!(refused(SgprParts { jitter: -1.0, ..parts() }), GpError::Bound(_)));
}
