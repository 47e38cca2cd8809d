//! Training and test rows by seed.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::{DataError, random::permutation};

/// Rows for training and rows for testing: both ascending, no row in both, together all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// Rows to fit, from 0.
    pub train: Vec<usize>,
    /// Rows to test, from 0.
    pub test: Vec<usize>,
}

/// How many rows are held out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TestSize {
    /// A fraction strictly between 0 and 1: round(fraction · n), but at least 1 and at most n − 1.
    Fraction(f64),
    /// A number from 1 to n − 1.
    Count(usize),
}

/// Holds out random rows of `n`; the same seed gives the same rows on every machine.
///
/// A permutation by Fisher–Yates from ChaCha8 seeded with `seed`; its first rows are the test rows.
///
/// # Errors
/// [`DataError::BadSplit`] when either side would be empty.
///
/// ```
/// use datasets::{TestSize, split};
///
/// let halves = split(10, TestSize::Fraction(0.3), 1)?;
/// assert_eq!((halves.train.len(), halves.test.len()), (7, 3));
/// # Ok::<(), datasets::DataError>(())
/// ```
pub fn split(n: usize, size: TestSize, seed: u64) -> Result<Split, DataError> {
    let n_test = n_test(n, size)?;
    let order = permutation(&mut ChaCha8Rng::seed_from_u64(seed), n);
    Ok(separate(&order, 0, n_test))
}

/// `k` splits in which every row is tested once; the test sets differ in size by at most one row.
///
/// # Errors
/// [`DataError::BadSplit`] unless 2 ≤ k ≤ n.
pub fn k_fold(n: usize, k: usize, seed: u64) -> Result<Vec<Split>, DataError> {
    if k < 2 || k > n {
        let asked = format!("a split into {k} folds");
        return Err(DataError::BadSplit {
            rows: n,
            asked,
            accepted: "from 2 folds to one for each row",
        });
    }
    let order = permutation(&mut ChaCha8Rng::seed_from_u64(seed), n);
    // Products in 128 bits: n·k may pass 64.
    let bound = |fold: usize| (n as u128 * fold as u128 / k as u128) as usize;
    Ok((0..k).map(|fold| separate(&order, bound(fold), bound(fold + 1))).collect())
}

fn n_test(n: usize, size: TestSize) -> Result<usize, DataError> {
    let refuse = |asked: String, accepted| Err(DataError::BadSplit { rows: n, asked, accepted });
    match size {
        TestSize::Fraction(fraction) if !(fraction > 0.0 && fraction < 1.0) => {
            refuse(format!("a test fraction of {fraction}"), "a number strictly between 0 and 1")
        }
        TestSize::Fraction(fraction) if n < 2 => {
            refuse(format!("a test fraction of {fraction}"), "at least 2 rows, one for each side")
        }
        TestSize::Fraction(fraction) => {
            Ok(((fraction * n as f64).round() as usize).clamp(1, n - 1))
        }
        TestSize::Count(count) if count == 0 || count >= n => {
            refuse(format!("a test set of {count}"), "at least one row on each side")
        }
        TestSize::Count(count) => Ok(count),
    }
}

/// Rows order[start..end] for testing, the others for training.
fn separate(order: &[usize], start: usize, end: usize) -> Split {
    let mut test = order[start..end].to_vec();
    let mut train = [&order[..start], &order[end..]].concat();
    test.sort_unstable();
    train.sort_unstable();
    Split { train, test }
}
