//! Which side of the truth a bound lies on.

use std::fmt;

/// The side of the bounded quantity on which a bound lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Never above the quantity.
    Lower,
    /// Never below the quantity.
    Upper,
}

impl Side {
    /// By how much `bound` lies on the wrong side of `exact`; not positive when it is right.
    ///
    /// ```
    /// # use bounds::Side;
    /// assert_eq!(Side::Upper.excess(3.0, 2.0), -1.0);
    /// assert_eq!(Side::Lower.excess(3.0, 2.0), 1.0);
    /// ```
    #[must_use]
    pub fn excess(self, bound: f64, exact: f64) -> f64 {
        match self {
            Self::Lower => bound - exact,
            Self::Upper => exact - bound,
        }
    }

    /// Whether `a` is tighter than `b` on this side.
    #[must_use]
    pub fn is_tighter(self, a: f64, b: f64) -> bool {
        match self {
            Self::Lower => a > b,
            Self::Upper => a < b,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Lower => "lower",
            Self::Upper => "upper",
        })
    }
}
