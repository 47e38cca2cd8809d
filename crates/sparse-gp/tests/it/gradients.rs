//! Gradients against central differences, for every kernel.

use crate::support::{points, targets};
use gp_core::{HyperGradient, Hyperparameters};
use kernels::{Mean, catalogue};
use ndarray::{Array2, Axis, concatenate};
use sparse_gp::{ElboGradient, Jitter, SgprSettings, elbo_gradient};

struct Setup {
    hyper: Hyperparameters,
    x: Array2<f64>,
    y: Array2<f64>,
    settings: SgprSettings,
}

impl Setup {
    fn elbo(&self, hyper: &Hyperparameters, z: &Array2<f64>) -> ElboGradient {
        elbo_gradient(hyper, z, &self.x, &self.y, &self.settings).unwrap()
    }

    fn check(&self, z: &Array2<f64>) {
        let elbo = self.elbo(&self.hyper, z);
        self.check_hyper(z, &elbo.hyper);
        self.check_z(z, &elbo.z);
    }

    fn check_hyper(&self, z: &Array2<f64>, gradient: &HyperGradient) {
        let named = self.hyper.named_values();
        let mut all = gradient.log_kernel.clone();
        all.push(gradient.log_noise_variance);
        let n_log = all.len();
        all.extend(&gradient.mean);
        let values: Vec<f64> = named.iter().map(|(_, value)| *value).collect();
        let at = |p: usize, h: f64| {
            let mut moved = values.clone();
            moved[p] = if p < n_log { moved[p] * h.exp() } else { moved[p] + h };
            self.elbo(&self.hyper.with_values(&moved).unwrap(), z).value
        };
        for (p, found) in all.iter().enumerate() {
            self.compare(&named[p].0, *found, |h| at(p, h));
        }
    }

    fn check_z(&self, z: &Array2<f64>, gradient: &Array2<f64>) {
        for (index, found) in gradient.indexed_iter() {
            let at = |h: f64| {
                let mut moved = z.clone();
                moved[index] += h;
                self.elbo(&self.hyper, &moved).value
            };
            self.compare(&format!("z{index:?}"), *found, at);
        }
    }

    fn compare(&self, name: &str, found: f64, at: impl Fn(f64) -> f64) {
        let h = 1e-5;
        let slope = (at(h) - at(-h)) / (2.0 * h);
        let error = (found - slope).abs() / (1.0 + slope.abs() + 1e-3 * at(0.0).abs());
        let kernel = self.hyper.kernel.name();
        assert!(error < 1e-6, "{kernel} {name}: {found} instead of {slope}");
    }
}

#[test]
fn every_kernel_every_parameter_every_point() {
    for kernel in catalogue(2).unwrap() {
        let mean = Mean::Linear { weights: vec![0.3, -0.2], intercept: 0.1 };
        let hyper = Hyperparameters { kernel, noise_variance: 0.2, mean };
        let x = points(25, 2, 0);
        let y = concatenate![Axis(1), targets(&x), x.mapv(f64::cos)];
        for jitter in [Jitter::Relative(1e-3), Jitter::Absolute(1e-3)] {
            let settings = SgprSettings { jitter, low_memory: false };
            let hyper = hyper.clone();
            Setup { hyper, x: x.clone(), y: y.clone(), settings }.check(&points(4, 2, 900));
        }
    }
}
