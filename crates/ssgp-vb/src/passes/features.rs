//! Sines, cosines and their expectations for blocks of points.

use std::f64::consts::{FRAC_1_PI, LOG2_E};
use std::ops::Range;

use kernels::simd::{LANES, Lanes, Pack};
use linalg_cg::Cholesky;
use ndarray::{ArrayRef1, ArrayRef2};

use super::grow;
use super::pair::{FAR, NEAR};
use super::product::weighted_rows;
use crate::points::Points;

/// q(λ) and the spectral points, as the passes read them.
#[derive(Debug)]
pub(crate) struct Lambda {
    pub(crate) m: usize,
    pub(crate) d: usize,
    /// Spectral points `[M, D]`, row by row.
    pub(crate) frequencies: Vec<f64>,
    /// What inputs are multiplied by to give g and the angle of every spectral point, see [`projection`].
    projection: Vec<f64>,
}

impl Lambda {
    /// From the factor of Σ.
    pub(crate) fn new(
        frequencies: &ArrayRef2<f64>,
        mean: &ArrayRef1<f64>,
        factor: &Cholesky,
    ) -> Self {
        let (m, d) = frequencies.dim();
        let frequencies: Vec<f64> = frequencies.iter().copied().collect();
        let projection = projection(&frequencies, mean, factor);
        Self { m, d, frequencies, projection }
    }

    /// For each coordinate k of g the numbers `[D − k, M]` by which inputs from k on are multiplied.
    fn roots(&self) -> impl Iterator<Item = &[f64]> {
        let mut rest = &self.projection[..];
        (0..self.d).map(move |k| {
            let (root, later) = rest.split_at((self.d - k) * self.m);
            rest = later;
            root
        })
    }

    /// The numbers `[D, M]` by which inputs are multiplied for the angles.
    fn angles(&self) -> &[f64] {
        &self.projection[self.projection.len() - self.d * self.m..]
    }
}

/// What turns inputs x into g and angles of all spectral points, t = s_r ∘ x not being formed:
///
/// ```text
/// g_rk = Σ_{j ≥ k} x_j s_rj L_jk √log₂e,   angle_r = Σ_j x_j s_rj μ_j
/// ```
///
/// For k = 0, …, D − 1 the factors of x_k, …, x_{D−1}, each `[M]`, then those of the angles `[D, M]`: L has nothing
/// above its diagonal, and exponents are of two.
fn projection(frequencies: &[f64], mean: &ArrayRef1<f64>, factor: &Cholesky) -> Vec<f64> {
    let (d, lower) = (mean.len(), factor.lower());
    let scale = LOG2_E.sqrt();
    let mut factors = Vec::with_capacity(frequencies.len() * (d + 3) / 2);
    let mut add = |j: usize, factor: f64| {
        factors.extend(frequencies.chunks_exact(d).map(|row| row[j] * factor));
    };
    for k in 0..d {
        (k..d).for_each(|j| add(j, scale * lower[[j, k]]));
    }
    mean.iter().enumerate().for_each(|(j, mean)| add(j, *mean));
    factors
}

/// What a pass needs of each spectral point r and group b of a block: entry b M + r.
///
/// ```text
/// t = s_r ∘ x,  g = Lᵀt √log₂e,  half = ½ gᵀg,  w = 2^(−half) = exp(−½ tᵀΣt),  angle = tᵀμ
/// ```
#[derive(Debug, Default)]
pub(super) struct Features {
    pub(super) m: usize,
    pub(super) d: usize,
    pub(super) groups: usize,
    /// Coordinate k of (r, b) is at (b D + k) M + r.
    pub(super) g: Vec<Pack>,
    pub(super) half: Vec<Pack>,
    pub(super) weight: Vec<Pack>,
    /// Whether no `half` is above [`NEAR`](super::pair::NEAR).
    pub(super) near: bool,
    /// cos and sin, unless `near`.
    pub(super) circle: Vec<[Pack; 2]>,
    /// E cos and E sin.
    pub(super) mean: Vec<[Pack; 2]>,
    angle: Vec<Pack>,
}

impl Features {
    /// Room for blocks of `groups` groups.
    pub(super) fn new(lambda: &Lambda, groups: usize) -> Self {
        let mut features = Self::default();
        features.fit(lambda, groups);
        features
    }

    /// Makes room for blocks of `groups` groups where there is less.
    pub(super) fn fit(&mut self, lambda: &Lambda, groups: usize) {
        let (m, d) = (lambda.m, lambda.d);
        (self.m, self.d) = (m, d);
        grow(&mut self.g, m * groups * d, Pack::ZERO);
        for room in [&mut self.half, &mut self.weight, &mut self.angle] {
            grow(room, m * groups, Pack::ZERO);
        }
        for room in [&mut self.circle, &mut self.mean] {
            grow(room, m * groups, [Pack::ZERO; 2]);
        }
    }

    /// Where (r, b) is.
    #[inline(always)]
    pub(super) fn at(&self, r: usize, b: usize) -> usize {
        b * self.m + r
    }

    /// The coordinates of g at group b, all spectral points `[M]` of each.
    #[inline(always)]
    pub(super) fn coordinates(&self, b: usize) -> impl Iterator<Item = &[Pack]> {
        self.g[b * self.d * self.m..(b + 1) * self.d * self.m].chunks_exact(self.m)
    }

    /// Fills in the groups of `range`, which are at most as many as there is room for.
    #[inline(always)]
    pub(super) fn fill<V: Lanes>(&mut self, lambda: &Lambda, points: &Points, range: Range<usize>) {
        self.groups = range.len();
        for (b, group) in range.clone().enumerate() {
            self.project::<V>(lambda, b, points.group(group));
        }
        let count = self.groups * self.m;
        // Loops of their own: each step waits long for itself, and not for the one before.
        let mut largest = V::splat(0.0);
        for b in 0..self.groups {
            for r in 0..self.m {
                largest = largest.max(self.square::<V>(r, b));
            }
        }
        let mut halves = Pack::ZERO;
        largest.store(&mut halves);
        self.near = halves.0.iter().all(|half| *half <= NEAR);
        for at in 0..count {
            let weight = V::load(&self.half[at]).min(V::splat(FAR)).exp2_neg();
            weight.store(&mut self.weight[at]);
        }
        for at in 0..count {
            self.turn::<V>(at);
        }
        self.mask(points, range.end);
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

    /// g and the angles of a group.
    #[inline(always)]
    fn project<V: Lanes>(&mut self, lambda: &Lambda, b: usize, x: &[Pack]) {
        let (d, m) = (self.d, self.m);
        let rows = self.g[b * d * m..(b + 1) * d * m].chunks_exact_mut(m);
        for (k, (row, root)) in rows.zip(lambda.roots()).enumerate() {
            weighted_rows::<V, _, _>(x[k..].iter(), root, row);
        }
        let angles = &mut self.angle[b * m..(b + 1) * m];
        weighted_rows::<V, _, _>(x.iter(), lambda.angles(), angles);
    }

    /// Half of g'g.
    #[inline(always)]
    fn square<V: Lanes>(&mut self, r: usize, b: usize) -> V {
        let mut square = V::splat(0.0);
        for g in self.coordinates(b) {
            let g = V::load(&g[r]);
            square = g.mul_add(g, square);
        }
        let (half, at) = (square.mul(V::splat(0.5)), self.at(r, b));
        half.store(&mut self.half[at]);
        half
    }

    /// Expectations of cosine and sine of the angle; these themselves where weights are kept apart.
    #[inline(always)]
    fn turn<V: Lanes>(&mut self, at: usize) {
        let weight = V::load(&self.weight[at]);
        let (sin, cos) = sin_cos(V::load(&self.angle[at]));
        let [mean_cos, mean_sin] = &mut self.mean[at];
        weight.mul(cos).store(mean_cos);
        weight.mul(sin).store(mean_sin);
        if !self.near {
            let [circle_cos, circle_sin] = &mut self.circle[at];
            cos.store(circle_cos);
            sin.store(circle_sin);
        }
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
