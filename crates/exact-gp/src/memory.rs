//! What an exact Gaussian process needs of memory, said before it is taken.

use bounds::exact::bytes_needed;
use gp_core::GpError;

/// Refuses when the N×N matrices would not fit the budget.
pub(crate) fn check_budget(n: usize, training: bool, budget: Option<u64>) -> Result<(), GpError> {
    let needed = bytes_needed(n, training);
    match budget {
        Some(budget) if needed > budget => Err(GpError::MemoryBudget {
            n,
            needed: in_words(needed),
            budget: in_words(budget),
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

/// In the largest unit that leaves a number of at least 1.
fn in_words(bytes: u64) -> String {
    let number = bytes as f64;
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.2} kB", number / 1e3),
        1_000_000..1_000_000_000 => format!("{:.2} MB", number / 1e6),
        _ => format!("{:.2} GB", number / 1e9),
    }
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

    #[test]
    fn small_amounts_are_not_rounded_to_nothing() {
        let words = [0, 999, 10_000, 2_345_678, 80_000_000_000].map(in_words);
        assert_eq!(words, ["0 bytes", "999 bytes", "10.00 kB", "2.35 MB", "80.00 GB"]);
    }
}
