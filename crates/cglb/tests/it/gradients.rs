//! Gradients against central differences, for every kernel and every bound.

use crate::support::{points, targets, wave};
use bounds::LogDetBound;
use cglb::{Bound, CglbGradient, CglbSettings, Jitter, cglb_gradient};
use gp_core::Hyperparameters;
use kernels::{Kernel, Matern52, Mean, catalogue};
use ndarray::{Array2, Axis, concatenate};

struct Setup {
    hyper: Hyperparameters,
    x: Array2<f64>,
    y: Array2<f64>,
    v: Array2<f64>,
    settings: CglbSettings,
}

impl Setup {
    fn new(kernel: Box<dyn Kernel>, settings: CglbSettings) -> Self {
        let mean = Mean::Linear { weights: vec![0.3, -0.2], intercept: 0.1 };
        let x = points(25, 2, 0);
        let y = concatenate![Axis(1), targets(&x), x.mapv(f64::cos)];
        let v = Array2::from_shape_fn(y.dim(), |(i, p)| wave(i + 50, p));
        Self { hyper: Hyperparameters { kernel, noise_variance: 0.2, mean }, x, y, v, settings }
    }

    fn bound(&self, hyper: &Hyperparameters, z: &Array2<f64>) -> CglbGradient {
        cglb_gradient(hyper, z, &self.x, &self.y, &self.v, &self.settings).unwrap()
    }

    fn check(&self, z: &Array2<f64>) {
        let found = self.bound(&self.hyper, z);
        let mut all = found.hyper.log_kernel.clone();
        all.push(found.hyper.log_noise_variance);
        let n_log = all.len();
        all.extend(&found.hyper.mean);
        let named = self.hyper.named_values();
        let values: Vec<f64> = named.iter().map(|(_, value)| *value).collect();
        for (p, slope) in all.iter().enumerate() {
            self.compare(&named[p].0, *slope, |h| {
                let mut moved = values.clone();
                moved[p] = if p < n_log { moved[p] * h.exp() } else { moved[p] + h };
                self.bound(&self.hyper.with_values(&moved).unwrap(), z).value
            });
        }
        for (index, slope) in found.z.unwrap().indexed_iter() {
            self.compare(&format!("z{index:?}"), *slope, |h| {
                let mut moved = z.clone();
                moved[index] += h;
                self.bound(&self.hyper, &moved).value
            });
        }
    }

    fn compare(&self, name: &str, found: f64, at: impl Fn(f64) -> f64) {
        let h = 1e-5;
        let slope = (at(h) - at(-h)) / (2.0 * h);
        let error = (found - slope).abs() / (1.0 + slope.abs() + 1e-3 * at(0.0).abs());
        let (kernel, bound) = (self.hyper.kernel.name(), self.settings.bound.name());
        assert!(error < 1e-6, "{kernel} {bound} {name}: {found} instead of {slope}");
    }
}

#[test]
fn every_kernel_every_parameter_every_point() {
    for kernel in catalogue(2).unwrap() {
        for jitter in [Jitter::Relative(1e-3), Jitter::Absolute(1e-3)] {
            let settings = CglbSettings { jitter, ..CglbSettings::default() };
            Setup::new(kernel.clone(), settings).check(&points(4, 2, 900));
        }
    }
}

#[test]
fn every_bound_of_the_catalogue() {
    for name in Bound::names() {
        let bound = Bound::named(name).unwrap();
        let jitter = Jitter::Absolute(1e-3);
        // All predecessors as neighbours: moving lengthscales then leaves them as they are.
        let settings = CglbSettings { bound, jitter, neighbours: 24, ..CglbSettings::default() };
        let kernel = Box::new(Matern52::new(vec![0.9, 1.4], 1.3).unwrap());
        Setup::new(kernel, settings).check(&points(4, 2, 900));
    }
}
