//! Choosing rows at random, reproducibly.

use rand::SeedableRng;
use rand::seq::index::sample;
use rand_chacha::ChaCha8Rng;

/// `count` distinct rows of `n`, in ascending order, drawn by `seed`; all rows when `count ≥ n`.
///
/// ```
/// assert_eq!(gp_core::random_rows(3, 5, 1), [0, 1, 2]);
/// assert_eq!(gp_core::random_rows(100, 5, 1), gp_core::random_rows(100, 5, 1));
/// ```
#[must_use]
pub fn random_rows(n: usize, count: usize, seed: u64) -> Vec<usize> {
    if count >= n {
        return (0..n).collect();
    }
    let mut rows = sample(&mut ChaCha8Rng::seed_from_u64(seed), n, count).into_vec();
    rows.sort_unstable();
    rows
}
