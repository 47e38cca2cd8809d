//! A model put together again from its parts.

use crate::support::{bits, leaf, points, targets};
use gp_core::{GpError, Params, Posterior, Units};
use iterative_gp::{IterativeGp, IterativeParts, PredictionOptions, Variance};
use ndarray::Array2;

fn through_json<T: serde::Serialize + serde::de::DeserializeOwned>(value: &T) -> T {
    serde_json::from_str(&serde_json::to_string(value).unwrap()).unwrap()
}

fn model(variance: Variance) -> IterativeGp {
    let x = points(200, 2, 0);
    let options = PredictionOptions { variance, ..PredictionOptions::default() };
    let hyper = leaf("matern52", &[0.7, 1.1], 0.03);
    IterativeGp::condition(&hyper, &x, &targets(&x), &options).unwrap()
}

#[test]
fn predictions_keep_their_bits_through_json() {
    let at = points(30, 2, 900);
    for variance in [Variance::Love { rank: 60, neighbours: 10 }, Variance::Exact] {
        let model = model(variance);
        let parts = model.parts();
        let params = through_json(&Params::new(&parts.hyper, Units::Standardised));
        let again = IterativeGp::from_parts(IterativeParts {
            hyper: params.build(2).unwrap(),
            x: through_json(&parts.x),
            y: through_json(&parts.y),
            alpha: through_json(&parts.alpha),
            options: through_json(&parts.options),
            solver: through_json(&parts.solver),
        })
        .unwrap();
        let [a, b] = [&model, &again].map(|model| model.predict(&at).unwrap());
        assert_eq!(bits(&a.mean), bits(&b.mean));
        assert_eq!(bits(&a.var_latent), bits(&b.var_latent));
        assert_eq!(model.solver(), again.solver());
        let draw = |gp: &IterativeGp| gp.draw_functions(2, 1).unwrap().evaluate(&at).unwrap();
        assert_eq!(bits(&draw(&model)), bits(&draw(&again)));
    }
}

#[test]
fn parts_that_do_not_fit_are_refused_by_name() {
    let parts = || model(Variance::Exact).parts().clone();
    let refused = |parts: IterativeParts| IterativeGp::from_parts(parts).unwrap_err();
    for alpha in [Array2::zeros((199, 1)), Array2::zeros((200, 2))] {
        let error = refused(IterativeParts { alpha, ..parts() });
        assert!(matches!(error, GpError::ShapeMismatch { argument: "alpha", .. }), "{error}");
    }
    let alpha = Array2::from_elem((200, 1), f64::NAN);
    assert!(matches!(refused(IterativeParts { alpha, ..parts() }), GpError::NotFinite { .. }));
    let options = PredictionOptions { nats: 0.0, ..PredictionOptions::default() };
    assert!(matches!(refused(IterativeParts { options, ..parts() }), GpError::Linalg(_)));
}
