//! Probe vectors.

use ndarray::{Array2, Axis};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::options::ProbeKind;

/// `count` vectors of `n` numbers, side by side; each has a stream of its own.
pub(crate) fn probes(kind: ProbeKind, n: usize, count: usize, seed: u64) -> Array2<f64> {
    let mut block = Array2::zeros((n, count));
    for (stream, mut column) in block.axis_iter_mut(Axis(1)).enumerate() {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream as u64);
        column.mapv_inplace(|_: f64| number(kind, &mut rng));
    }
    block
}

fn number(kind: ProbeKind, rng: &mut impl Rng) -> f64 {
    match kind {
        ProbeKind::Gaussian => StandardNormal.sample(rng),
        ProbeKind::Rademacher if rng.random::<bool>() => 1.0,
        ProbeKind::Rademacher => -1.0,
    }
}

/// A seed for each round of a run: the steps of Adam have probes of their own.
pub(crate) fn seed_of_round(seed: u64, round: u64) -> u64 {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(u64::MAX - round);
    rng.next_u64()
}
