//! A model put together again from its parts.

use crate::support::{bits, condition, leaf, points, targets};
use cglb::{Cglb, CglbParts, Evidence, SgprParts};
use gp_core::{GpError, Params, Posterior, Units};
use ndarray::Array2;

fn through_json<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

fn model() -> Cglb {
    let x = points(300, 2, 0);
    condition(&leaf("matern52", &[0.7, 1.1], 0.03), &points(25, 2, 500), &x, &targets(&x))
}

#[test]
fn predictions_keep_their_bits_through_json() {
    let (model, at) = (model(), points(40, 2, 900));
    let parts = model.parts();
    let correction = &parts.correction;
    let params = through_json(&Params::new(&correction.hyper, Units::Standardised));
    let again = Cglb::from_parts(CglbParts {
        correction: SgprParts {
            hyper: params.build(2).unwrap(),
            z: through_json(&correction.z),
            jitter: through_json(&correction.jitter),
            b: through_json(&correction.b),
            coefficients: through_json(&correction.coefficients),
            evidence: through_json(&correction.evidence),
        },
        x: through_json(&parts.x),
        y: through_json(&parts.y),
        v: through_json(&parts.v),
        residual: through_json(&parts.residual),
        evidence: through_json::<Evidence>(&parts.evidence),
        variance: through_json(&parts.variance),
    })
    .unwrap();
    let [a, b] = [&model, &again].map(|model| model.predict(&at).unwrap());
    assert_eq!(bits(&a.mean), bits(&b.mean));
    assert_eq!(bits(&a.var_latent), bits(&b.var_latent));
    assert_eq!(model.evidence(), again.evidence());
}

#[test]
fn its_problem_gives_the_same_bounds() {
    let model = model();
    let problem = model.problem().unwrap();
    let bracket = bounds::lml_bracket(&problem, &model.centred(), model.v()).unwrap();
    assert!(bracket.lower <= model.evidence().upper && model.evidence().lower <= bracket.upper);
    assert!((bracket.upper - model.evidence().upper).abs() < 1e-6);
}

#[test]
fn parts_that_do_not_fit_are_refused_by_name() {
    let refused = |change: fn(&mut CglbParts)| {
        let mut parts = model().parts();
        change(&mut parts);
        Cglb::from_parts(parts).unwrap_err()
    };
    for (error, name) in [
        (refused(|parts| parts.v = Array2::zeros((299, 1))), "v"),
        (refused(|parts| parts.residual = Array2::zeros((300, 2))), "residual"),
        (refused(|parts| parts.correction.coefficients = Array2::zeros((25, 2))), "coefficients"),
        (refused(|parts| parts.correction.z = Array2::zeros((25, 3))), "inducing_points"),
        (refused(|parts| parts.y = Array2::zeros((10, 1))), "y"),
    ] {
        let GpError::ShapeMismatch { argument, .. } = error else { panic!("{error}") };
        assert_eq!(argument, name);
    }
    let error = refused(|parts| parts.v.fill(f64::NAN));
    assert!(matches!(error, GpError::NotFinite { .. }));
}
