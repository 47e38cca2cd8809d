//! Rows far from every class: squares are so large that their difference would be rounding, or infinite.

use super::gaussian::present;

/// A row with the means and inverse deviations of every class.
pub(super) struct Far<'r> {
    pub(super) cells: &'r [f64],
    pub(super) mean: &'r [f64],
    pub(super) inverse: &'r [f64],
    pub(super) width: usize,
}

impl Far<'_> {
    /// Σ z² over the cells that are there.
    pub(super) fn distance(&self, class: usize) -> f64 {
        let at = class * self.width;
        present(self.cells)
            .map(|(column, x)| ((x - self.mean[at + column]) * self.inverse[at + column]).powi(2))
            .sum()
    }

    /// Powers of two that bring the largest cell and the largest inverse deviation near 1.
    fn exponents(&self) -> (i32, i32) {
        let exponent = |largest: f64| largest.log2().ceil().clamp(-1000.0, 1000.0) as i32;
        let cells = present(self.cells).map(|(_, x)| x.abs());
        let largest = cells.chain(self.mean.iter().map(|mean| mean.abs())).fold(0.0, f64::max);
        (exponent(largest), exponent(self.inverse.iter().copied().fold(0.0, f64::max)))
    }

    /// ½ Σ (a² − b²) for a class and a reference, by (a − b)(a + b), divided by 2^(2 (cells + inverses)).
    ///
    /// Where both have the same deviation, a − b is the difference of the means and x cancels exactly.
    fn excess(&self, class: usize, reference: usize, (cells, inverses): (i32, i32)) -> f64 {
        let (small, flat) = (2.0_f64.powi(-cells), 2.0_f64.powi(-inverses));
        let term = |(column, x): (usize, f64)| {
            let (at, other) = (class * self.width + column, reference * self.width + column);
            let (s, t) = (self.inverse[at] * flat, self.inverse[other] * flat);
            let (m, n) = (self.mean[at] * small, self.mean[other] * small);
            let (a, b) = ((x * small - m) * s, (x * small - n) * t);
            let difference = if s.to_bits() == t.to_bits() { (n - m) * s } else { a - b };
            0.5 * difference * (a + b)
        };
        present(self.cells).map(term).sum()
    }
}

/// Adds to each class minus half its squared distance beyond that of the nearest class.
pub(super) fn add_differences(far: &Far<'_>, values: &mut [f64]) {
    let exponents = far.exponents();
    let live: Vec<usize> =
        (0..values.len()).filter(|&class| values[class] > f64::NEG_INFINITY).collect();
    let Some(&first) = live.first() else { return };
    let mut nearest = first;
    for &class in &live {
        if far.excess(class, nearest, exponents) < 0.0 {
            nearest = class;
        }
    }
    let scale = 2.0_f64.powi(exponents.0 + exponents.1);
    for class in live {
        // The nearest class keeps its value: 0 times an infinite scale would be none.
        if class != nearest {
            let excess = far.excess(class, nearest, exponents);
            values[class] -= if excess == 0.0 { 0.0 } else { excess * scale * scale };
        }
    }
}
