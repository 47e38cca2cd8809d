//! Random features against the kernels they stand for.

use crate::support::{DIMENSIONS, kernel, perturbed_catalogue, random};
use kernels::{KernelError, RandomFeatures};
use ndarray::Array2;

/// Every product of features is within six standard errors of the kernel.
#[test]
fn products_of_features_have_the_kernel_as_their_mean() {
    for d in DIMENSIONS {
        let x = random(4, d, 11);
        for kernel in perturbed_catalogue(d, 3) {
            let features = RandomFeatures::draw(kernel.as_ref(), d, 20_000, 5).unwrap();
            let (phi, k) = (features.matrix(&x), kernel.block(&x, &x));
            for ((i, j), k) in k.indexed_iter() {
                let products = &phi.row(i) * &phi.row(j);
                let error = products.std(1.0) / (products.len() as f64).sqrt();
                let mean = products.mean().unwrap();
                let name = kernel.name();
                assert!((mean - k).abs() <= 6.0 * error + 1e-9, "{name}, {d} columns: {mean} {k}");
            }
        }
    }
}

#[test]
fn a_white_kernel_has_no_features_and_small_parameters_move_them_little() {
    let white = kernel(r#"{"type": "white", "variance": 3.0}"#);
    let features = RandomFeatures::draw(white.as_ref(), 1, 5, 0).unwrap();
    assert_eq!(features.matrix(&random(3, 1, 0)), Array2::<f64>::zeros((3, 5)));
    let [a, b] = [1.0, 1.0 + 1e-9].map(|lengthscale| {
        let text = format!(r#"{{"type":"matern32","lengthscales":[{lengthscale}],"variance":1}}"#);
        RandomFeatures::draw(kernel(&text).as_ref(), 1, 50, 9).unwrap().matrix(&random(6, 1, 2))
    });
    assert!((a - b).iter().all(|difference| difference.abs() < 1e-6));
}

#[test]
fn draws_are_the_product_of_features_and_weights_on_any_number_of_threads() {
    let kernel = kernel(r#"{"type": "matern52", "lengthscales": [0.7, 1.0], "variance": 1.3}"#);
    let (x, weights) = (random(700, 2, 1), random(40, 3, 2));
    let features = RandomFeatures::draw(kernel.as_ref(), 2, 40, 3).unwrap();
    let dense = features.matrix(&x).dot(&weights) / 40f64.sqrt();
    let [one, two] = [1, 2].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| features.combine(&x, &weights))
    });
    assert!((&one - &dense).iter().all(|difference| difference.abs() < 1e-12));
    assert!(one.iter().zip(&two).all(|(a, b)| a.to_bits() == b.to_bits()));
}

#[test]
fn seeds_replay_and_what_does_not_fit_is_refused() {
    let kernel = kernel(r#"{"type": "se", "lengthscales": [0.7, 1.0], "variance": 1.3}"#);
    let draw = |seed| RandomFeatures::draw(kernel.as_ref(), 2, 3, seed).unwrap();
    assert_eq!(draw(1), draw(1));
    assert_ne!(draw(1), draw(2));
    let refused = RandomFeatures::draw(kernel.as_ref(), 3, 3, 1);
    assert!(matches!(refused, Err(KernelError::Columns { .. })));
}
