//! Rows of inputs as inner loops read them.

use std::sync::Arc;

use ndarray::{ArrayRef2, ArrayView1};

use crate::simd::{LANES, Pack, Simd};
use crate::stationary::FAR;

/// What a kernel is prepared for: the rows on both sides of a kernel matrix.
#[derive(Debug, Clone, Copy)]
pub struct Inputs<'a> {
    x: &'a ArrayRef2<f64>,
    x2: Option<&'a ArrayRef2<f64>>,
    scaled: bool,
    simd: Simd,
}

impl<'a> Inputs<'a> {
    /// Rows `x [A, D]` against rows `x2 [B, D]`.
    #[must_use]
    pub fn pair(x: &'a ArrayRef2<f64>, x2: &'a ArrayRef2<f64>, simd: Simd) -> Self {
        Self { x, x2: Some(x2), scaled: false, simd }
    }

    /// Rows `x [N, D]` against themselves.
    #[must_use]
    pub fn square(x: &'a ArrayRef2<f64>, simd: Simd) -> Self {
        Self { x, x2: None, scaled: false, simd }
    }

    /// Lets a kernel scale the coordinates once instead of their differences each time. An entry
    /// then depends on all rows, in its last digits.
    #[must_use]
    pub fn scaled_once(mut self) -> Self {
        self.scaled = true;
        self
    }

    /// Rows of the first side.
    #[must_use]
    pub fn x(&self) -> &'a ArrayRef2<f64> {
        self.x
    }

    /// Rows of the second side, which may be the first.
    #[must_use]
    pub fn x2(&self) -> &'a ArrayRef2<f64> {
        self.x2.unwrap_or(self.x)
    }

    /// The instructions to use.
    #[must_use]
    pub fn simd(&self) -> Simd {
        self.simd
    }

    /// The same with other rows in place of each side's.
    pub(crate) fn with_rows<'b>(
        &self,
        x: &'b ArrayRef2<f64>,
        x2: &'b ArrayRef2<f64>,
    ) -> Inputs<'b> {
        let x2 = self.x2.map(|_| x2);
        Inputs { x, x2, scaled: self.scaled, simd: self.simd }
    }

    /// Both sides packed as they are.
    pub(crate) fn pack(&self) -> Sides {
        self.pack_with(|_, value| value)
    }

    /// Both sides with `value(column, entry)` in place of each entry.
    fn pack_with(&self, value: impl Fn(usize, f64) -> f64) -> Sides {
        let rows = Arc::new(Points::new(self.x, &value));
        let columns = match self.x2 {
            Some(x2) => Arc::new(Points::new(x2, &value)),
            None => Arc::clone(&rows),
        };
        Sides { rows, columns }
    }

    /// Both sides relative to the middle of each column and times its scale, if scaling once was
    /// asked for and they are near each other: squared distances then stay below [`FAR`], and
    /// differences err by at most 2⁻⁴².
    pub(crate) fn pack_scaled(&self, scales: &[f64]) -> Option<Sides> {
        let length = |((low, high), scale): ((f64, f64), &f64)| (high - low).max(0.0) * scale;
        let sides = self.ranges(scales.len()).zip(scales).map(length);
        let diagonal: f64 = sides.map(|side| side.powi(2)).sum();
        (self.scaled && diagonal <= FAR).then(|| self.pack_relative(scales))
    }

    /// The same however far they are apart.
    pub(crate) fn pack_relative(&self, scales: &[f64]) -> Sides {
        let middle = |(low, high): (f64, f64)| 0.5_f64.mul_add(high - low, low);
        let middles: Vec<f64> = self.ranges(scales.len()).map(middle).collect();
        self.pack_with(|column, value| (value - middles[column]) * scales[column])
    }

    /// The least and the greatest entry of each of the first `d` columns, over both sides.
    fn ranges(&self, d: usize) -> impl Iterator<Item = (f64, f64)> {
        (0..d).map(|column| range(self.x.column(column), self.x2().column(column)))
    }
}

/// Both sides of a kernel matrix, packed; the same points twice where they are equal.
#[derive(Debug)]
pub(crate) struct Sides {
    pub(crate) rows: Arc<Points>,
    pub(crate) columns: Arc<Points>,
}

/// Points in groups of eight, each a pack for every coordinate. The last group is filled up with
/// copies of the last point: their values are as harmless as its own.
#[derive(Debug)]
pub(crate) struct Points {
    d: usize,
    packs: Vec<Pack>,
}

impl Points {
    fn new(x: &ArrayRef2<f64>, value: impl Fn(usize, f64) -> f64) -> Self {
        let (n, d) = x.dim();
        let mut packs = Vec::with_capacity(groups(n) * d);
        for group in 0..groups(n) {
            let row = |lane: usize| (group * LANES + lane).min(n - 1);
            let pack = |column| Pack::from_fn(|lane| value(column, x[[row(lane), column]]));
            packs.extend((0..d).map(pack));
        }
        Self { d, packs }
    }

    /// The coordinates of group `index`, a pack each.
    #[inline(always)]
    pub(crate) fn group(&self, index: usize) -> &[Pack] {
        &self.packs[index * self.d..(index + 1) * self.d]
    }
}

/// Groups of eight that hold `n` points.
pub(crate) fn groups(n: usize) -> usize {
    n.div_ceil(LANES)
}

fn range(a: ArrayView1<'_, f64>, b: ArrayView1<'_, f64>) -> (f64, f64) {
    let widen = |(low, high): (f64, f64), &value: &f64| (value.min(low), value.max(high));
    a.iter().chain(b).fold((f64::INFINITY, f64::NEG_INFINITY), widen)
}
