//! Expectations over q(λ), point by point: the passes that cost the time.
//!
//! Eight points stand side by side in the lanes of a vector; a pass walks over the pairs r ≤ l of
//! spectral points. Nothing of size N M² is in memory but the exponentials of small fits (`kept.rs`): a pass
//! keeps the features of a block of points and sums.

mod covariance;
mod features;
mod gradient;
mod kept;
mod pair;
mod product;
mod quadratic;

use std::ops::Range;

use linalg_cg::Shards;
use ndarray::Array2;

pub(crate) use covariance::{Sums, covariance_sum};
pub(crate) use features::Lambda;
pub(crate) use gradient::{Target, lambda_gradient};
pub(crate) use kept::Kept;
pub(crate) use quadratic::{joint_covariance, means, variances};

/// Fewest groups of eight points worth a shard of their own.
const MIN_GROUPS: usize = 16;
/// And fewest pairs of spectral points of them, some 30 µs: a shard has partial sums to clear and to add.
const MIN_PAIRS: usize = 2000;
/// Most shards: what bounds the memory of partial sums.
const MAX_SHARDS: usize = 32;

/// A partition of groups that depends on their number and that of spectral points, `m`, alone.
fn shards(groups: usize, m: usize) -> Shards {
    let worth_it = MIN_PAIRS.div_ceil((m * (m + 1) / 2).max(1)).max(MIN_GROUPS);
    Shards::of_length(groups, groups.div_ceil(MAX_SHARDS).max(worth_it))
}

/// `range` in blocks of at most `length`.
fn blocks(range: Range<usize>, length: usize) -> impl Iterator<Item = Range<usize>> {
    let end = range.end;
    range.step_by(length).map(move |first| first..(first + length).min(end))
}

/// Makes `room` at least `length` long; memory that is there already stays as it is.
fn grow<T: Clone>(room: &mut Vec<T>, length: usize, value: T) {
    if room.len() < length {
        room.resize(length, value);
    }
}

/// A second moment M `[2M, 2M]` of the weights, taken apart by spectral points: for (r, l) the
/// entries cos–cos, sin–sin, cos_r–sin_l and sin_r–cos_l.
fn quarters(moment: &Array2<f64>) -> Vec<[f64; 4]> {
    let m = moment.nrows() / 2;
    let entry = |r: usize, l: usize| {
        [moment[[r, l]], moment[[m + r, m + l]], moment[[r, m + l]], moment[[m + r, l]]]
    };
    (0..m * m).map(|index| entry(index / m, index % m)).collect()
}

/// P⁻ = Mcc + Mss, P⁺ = Mcc − Mss, Q⁺ = Mcs + Msc, Q⁻ = Msc − Mcs of each pair r ≤ l, at l M + r:
/// neighbours in r stand side by side.
fn signed_pairs(moment: &Array2<f64>) -> Vec<[f64; 4]> {
    let m = moment.nrows() / 2;
    let mut pairs = vec![[0.0; 4]; m * m];
    for r in 0..m {
        let (cos, sin) = (moment.row(r), moment.row(m + r));
        for l in r..m {
            let (cc, ss, cs, sc) = (cos[l], sin[m + l], cos[m + l], sin[l]);
            pairs[l * m + r] = [cc + ss, cc - ss, cs + sc, sc - cs];
        }
    }
    pairs
}
