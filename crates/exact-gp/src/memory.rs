//! What an exact Gaussian process needs of memory, said before it is taken.

use bounds::exact::bytes_needed;
use gp_core::GpError;

/// Refuses when the N×N matrices would not fit the budget.
pub(crate) fn check_budget(n: usize, training: bool, budget: Option<u64>) -> Result<(), GpError> {
    let needed = bytes_needed(n, training);
    match budget {
        Some(budget) if needed > budget => Err(GpError::MemoryBudget {
            n,
            needed: gigabytes(needed),
            budget: gigabytes(budget),
            affordable: affordable(training, budget),
        }),
        _ => Ok(()),
    }
}

/// The largest n that fits.
fn affordable(training: bool, budget: u64) -> usize {
    let (mut fits, mut too_many) = (0, 1 << 26);
    while too_many - fits > 1 {
        let middle = (fits + too_many) / 2;
        if bytes_needed(middle, training) <= budget {
            fits = middle;
        } else {
            too_many = middle;
        }
    }
    fits
}

fn gigabytes(bytes: u64) -> String {
    format!("{:.2} GB", bytes as f64 / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_says_how_many_rows_would_fit() {
        let error = check_budget(50_000, true, Some(1_000_000_000)).expect_err("too large");
        let GpError::MemoryBudget { affordable, .. } = error else { panic!("{error}") };
        assert!(bytes_needed(affordable, true) <= 1_000_000_000);
        assert!(bytes_needed(affordable + 1, true) > 1_000_000_000);
        assert!(check_budget(affordable, true, Some(1_000_000_000)).is_ok());
        assert!(check_budget(50_000, true, None).is_ok());
    }
}
