//! Numbers in memory, aligned for vectors.

/// Numbers in a vector.
pub const LANES: usize = 8;

/// Eight numbers in memory, on a cache line of their own.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C, align(64))]
pub struct Pack(pub [f64; LANES]);

/// A block of 8 × 8 numbers, a [`Pack`] for each row.
pub type Square = [Pack; LANES];

impl Pack {
    /// Eight zeros.
    pub const ZERO: Self = Self([0.0; LANES]);

    /// Eight numbers from a function of their index.
    pub fn from_fn(value: impl FnMut(usize) -> f64) -> Self {
        Self(std::array::from_fn(value))
    }

    /// The sum, in an order that lets vector instructions do it.
    #[inline(always)]
    #[must_use]
    pub fn sum(&self) -> f64 {
        let [a, b, c, d, e, f, g, h] = self.0;
        ((a + e) + (c + g)) + ((b + f) + (d + h))
    }
}
