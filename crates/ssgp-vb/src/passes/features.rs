//! Sines, cosines and their expectations for blocks of points.

use std::f64::consts::{FRAC_1_PI, LOG2_E};
use std::ops::Range;

use kernels::simd::{LANES, Lanes, Pack};
use linalg_cg::Cholesky;
use ndarray::{ArrayRef1, ArrayRef2};

use super::pair::{FAR, NEAR};
use super::product::row_times;
use crate::points::Points;

/// q(λ) and the spectral points, as the passes read them.
#[derive(Debug)]
pub(crate) struct Lambda {
    pub(crate) m: usize,
    pub(crate) d: usize,
    /// Spectral points `[M, D]`, row by row.
    pub(crate) frequencies: Vec<f64>,
    /// √log₂e · L with Σ = LLᵀ, and μ for its last column, row by row: exponents are of two.
    root_and_mean: Vec<f64>,
}

impl Lambda {
    /// From the factor of Σ.
    pub(crate) fn new(
        frequencies: &ArrayRef2<f64>,
        mean: &ArrayRef1<f64>,
        factor: &Cholesky,
    ) -> Self {
        let (m, d) = frequencies.dim();
        let scale = LOG2_E.sqrt();
        let mut root_and_mean = Vec::with_capacity(d * (d + 1));
        for (row, mean) in factor.lower().outer_iter().zip(mean) {
            root_and_mean.extend(row.iter().map(|value| scale * value));
            root_and_mean.push(*mean);
        }
        Self { m, d, frequencies: frequencies.iter().copied().collect(), root_and_mean }
    }

    pub(crate) fn frequency(&self, r: usize) -> &[f64] {
        &self.frequencies[r * self.d..(r + 1) * self.d]
    }
}

/// What a pass needs of each spectral point r and group b of a block: entry b M + r.
///
/// ```text
/// t = s_r ∘ x,  g = Lᵀt √log₂e,  half = ½ gᵀg,  w = 2^(−half) = exp(−½ tᵀΣt),  angle = tᵀμ
/// ```
pub(super) struct Features {
    pub(super) m: usize,
    pub(super) d: usize,
    pub(super) groups: usize,
    pub(super) g: Vec<Pack>,
    pub(super) half: Vec<Pack>,
    pub(super) weight: Vec<Pack>,
    /// Whether no `half` is above [`NEAR`](super::pair::NEAR).
    pub(super) near: bool,
    /// cos and sin.
    pub(super) circle: Vec<[Pack; 2]>,
    /// E cos and E sin.
    pub(super) mean: Vec<[Pack; 2]>,
    /// t `[D]`, and its products with the root and the mean `[D + 1]`, of one (r, b) at a time.
    t: Vec<Pack>,
    products: Vec<Pack>,
}

impl Features {
    /// Room for blocks of `groups` groups.
    pub(super) fn new(lambda: &Lambda, groups: usize) -> Self {
        let (m, d) = (lambda.m, lambda.d);
        let room = || vec![Pack::ZERO; m * groups];
        Self {
            m,
            d,
            groups,
            g: vec![Pack::ZERO; m * groups * d],
            half: room(),
            weight: room(),
            near: true,
            circle: vec![[Pack::ZERO; 2]; m * groups],
            mean: vec![[Pack::ZERO; 2]; m * groups],
            t: vec![Pack::ZERO; d],
            products: vec![Pack::ZERO; d + 1],
        }
    }

    /// Where (r, b) is.
    #[inline(always)]
    pub(super) fn at(&self, r: usize, b: usize) -> usize {
        b * self.m + r
    }

    /// g of (r, b).
    #[inline(always)]
    pub(super) fn g(&self, r: usize, b: usize) -> &[Pack] {
        let first = self.at(r, b) * self.d;
        &self.g[first..first + self.d]
    }

    /// Fills in the groups of `range`, which are at most as many as there is room for.
    #[inline(always)]
    pub(super) fn fill<V: Lanes>(&mut self, lambda: &Lambda, points: &Points, range: Range<usize>) {
        self.groups = range.len();
        let mut largest = V::splat(0.0);
        for (b, group) in range.clone().enumerate() {
            for r in 0..self.m {
                let half = self.project::<V>(lambda, r, b, points.group(group));
                largest = largest.max(half);
            }
        }
        // A loop of its own: each step waits long for itself, and not for the one before.
        for at in 0..self.groups * self.m {
            self.turn::<V>(at);
        }
        self.mask(points, range.end);
        let mut halves = Pack::ZERO;
        largest.store(&mut halves);
        self.near = halves.0.iter().all(|half| *half <= NEAR);
    }

    /// Makes the means of rows that only fill up the last group zero.
    #[inline(always)]
    fn mask(&mut self, points: &Points, end: usize) {
        let last = (self.groups - 1) * self.m;
        for lane in LANES - (end * LANES).saturating_sub(points.n)..LANES {
            for mean in self.mean[last..last + self.m].as_flattened_mut() {
                mean.0[lane] = 0.0;
            }
        }
    }

    /// Takes the means of one group over; nothing else is filled in.
    #[inline(always)]
    pub(super) fn recall(&mut self, means: &[[Pack; 2]]) {
        self.groups = 1;
        self.mean.copy_from_slice(means);
    }

    /// g, half and the angle, which stands in for its cosine until [`turn`](Self::turn).
    #[inline(always)]
    fn project<V: Lanes>(&mut self, lambda: &Lambda, r: usize, b: usize, x: &[Pack]) -> V {
        let (d, at) = (self.d, self.at(r, b));
        for ((t, x), s) in self.t.iter_mut().zip(x).zip(lambda.frequency(r)) {
            V::load(x).mul(V::splat(*s)).store(t);
        }
        row_times::<V>(self.t.iter(), &lambda.root_and_mean, &mut self.products);
        let mut square = V::splat(0.0);
        for (g, product) in self.g[at * d..(at + 1) * d].iter_mut().zip(&self.products) {
            let product = V::load(product);
            product.store(g);
            square = product.mul_add(product, square);
        }
        let half = square.mul(V::splat(0.5));
        half.store(&mut self.half[at]);
        self.circle[at][0] = self.products[d];
        half
    }

    #[inline(always)]
    fn turn<V: Lanes>(&mut self, at: usize) {
        let ([circle_cos, circle_sin], [mean_cos, mean_sin]) =
            (&mut self.circle[at], &mut self.mean[at]);
        let weight = V::load(&self.half[at]).min(V::splat(FAR)).exp2_neg();
        let (sin, cos) = sin_cos(V::load(circle_cos));
        weight.store(&mut self.weight[at]);
        cos.store(circle_cos);
        sin.store(circle_sin);
        weight.mul(cos).store(mean_cos);
        weight.mul(sin).store(mean_sin);
    }
}

/// sin and cos for |angle| up to 2⁵⁰, by halves of the turn's fraction h: sin 2πh = 2 sin πh cos πh,
/// cos 2πh = 1 − 2 sin² πh. Absolute errors of a few 10⁻¹⁶, beside those of the angle itself.
#[inline(always)]
fn sin_cos<V: Lanes>(angle: V) -> (V, V) {
    let turn = angle.mul(V::splat(0.5 * FRAC_1_PI)).fraction();
    let sin = turn.sin_pi();
    let cos = V::splat(0.5).sub(turn.abs()).sin_pi();
    let twice = sin.add(sin);
    (twice.mul(cos), V::splat(1.0).sub(twice.mul(sin)))
}
