//! Pass 2: the gradient of the expected log-likelihood in q(λ).

use std::ops::Range;

use kernels::simd::{Lanes, Pack, Simd, Task};
use ndarray::{Array1, Array2, ArrayRef1};
use rayon::prelude::*;

use super::features::{Features, Lambda};
use super::kept::{Kept, Recalled, Shard};
use super::pair::{Angles, Beside, Pair, TILE, tile, tile_mut};
use super::product::weighted_rows;
use super::{grow, shards, signed_pairs};
use crate::points::Points;

/// What pass 2 is about: rows, and their targets in packs.
pub(crate) struct Target<'a> {
    pub(crate) points: &'a Points,
    pub(crate) y: &'a [Pack],
}

/// The gradient of y'E(Z)μ_α − ½⟨E(Z'Z), M⟩ in the mean `[D]` and the covariance `[D, D]` of q(λ).
///
/// `kept` is what pass 1 kept at the same q(λ), or else no more than memory; `weights` μ_α `[2M]`,
/// `moment` M `[2M, 2M]`. With
///
/// ```text
/// W± , V, K = W⁺ − W⁻ of each point and pair, see the mathematics of the book,
/// u_r = y (B_r E sin… − A_r E sin_r) − ½ Σ_l V_rl,   k_r = −½ y (A_r E cos_r + B_r E sin_r) + ¼ Σ_l (W⁻ + W⁺)_rl
/// d/dμ = Σ_i x_i ∘ S'u_i,   d/dΣ = Σ_i x_i x_i' ∘ S'(diag k_i + ¼ K_i) S
/// ```
///
/// Costs N M(M + 1) exponentials and N M²(D + 12) multiply-adds.
pub(crate) fn lambda_gradient(
    lambda: &Lambda,
    Target { points, y }: Target<'_>,
    kept: &mut Kept,
    weights: &ArrayRef1<f64>,
    moment: &Array2<f64>,
) -> (Array1<f64>, Array2<f64>) {
    let d = lambda.d;
    let (coefficients, weights) = (&signed_pairs(moment)[..], &weights.to_vec()[..]);
    let shards = shards(points.groups(), lambda.m);
    kept.fit(shards);
    kept.shards.par_iter_mut().enumerate().with_max_len(1).for_each(|(index, shard)| {
        let groups = shards.rows(index);
        Simd::detect().run(Gradient { lambda, points, y, weights, coefficients, groups, shard });
    });
    let mut sums = vec![0.0; d + d * d];
    for shard in &kept.shards {
        sums.iter_mut().zip(&shard.scratch.gradient).for_each(|(sum, part)| *sum += part.sum());
    }
    let mean = sums[..d].iter().copied().collect();
    let lower = |j: usize, k: usize| sums[d + j.max(k) * d + j.min(k)];
    (mean, Array2::from_shape_fn((d, d), |(j, k)| lower(j, k)))
}

struct Gradient<'a> {
    lambda: &'a Lambda,
    points: &'a Points,
    y: &'a [Pack],
    weights: &'a [f64],
    coefficients: &'a [[f64; 4]],
    groups: Range<usize>,
    shard: &'a mut Shard,
}

impl Task for Gradient<'_> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes>(self) {
        let Self { lambda, points, y, weights, coefficients, groups, shard } = self;
        let Shard { means, pairs, recallable, features, scratch, .. } = shard;
        let pass = Pass { lambda, weights, coefficients };
        let (m, length) = (lambda.m, groups.len());
        scratch.fit(lambda);
        features.fit(lambda, 1);
        for (index, group) in groups.enumerate() {
            if *recallable {
                let recalled = Recalled::new(pairs, index, length, m);
                let means = &means[index * m..(index + 1) * m];
                let only = Group { features, means, recalled };
                scratch.group::<V, true, true>(&pass, only, &y[group]);
            } else {
                features.fill::<V>(lambda, points, group..group + 1);
                let only = Group { features, means: &features.mean, recalled: Recalled::default() };
                if features.near {
                    scratch.group::<V, true, false>(&pass, only, &y[group]);
                } else {
                    scratch.group::<V, false, false>(&pass, only, &y[group]);
                }
            }
            scratch.add::<V>(points.group(group));
        }
    }
}

/// What is the same for all groups.
struct Pass<'a> {
    lambda: &'a Lambda,
    weights: &'a [f64],
    coefficients: &'a [[f64; 4]],
}

/// A group's features; or if pass 1 kept them, their means `[M]` and the exponentials of pairs.
#[derive(Clone, Copy)]
struct Group<'a> {
    features: &'a Features,
    means: &'a [[Pack; 2]],
    recalled: Recalled<'a>,
}

impl<'a> Group<'a> {
    /// The `W` spectral points from `first` on beside l.
    #[inline(always)]
    fn beside<V: Lanes, const W: usize, const NEARBY: bool, const RECALLED: bool>(
        &self,
        first: usize,
        l: usize,
    ) -> Beside<'a, V, W> {
        if RECALLED {
            return Beside::recalled(self.recalled.row(first, l), self.means, (first, l));
        }
        Beside::new::<NEARBY>(self.features, (first, l, 0))
    }
}

/// What one group of points leaves behind before the products, and the sums of those.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// K_rl of a tile of r, for l > r, and half of K_rr: `[M][TILE]`.
    k: Vec<[Pack; TILE]>,
    /// Row sums of V and of W⁻ + W⁺, `[M]`; complete for a tile once it is done.
    sums: Vec<[Pack; 2]>,
    /// Rows of HS, H being the half of 4 diag k + K = H + H', and u for the last column: `[M, D + 1]`.
    rows: Vec<Pack>,
    /// S'HS, and S'u for the last column: `[D, D + 1]`.
    square: Vec<Pack>,
    /// d/dμ, then d/dΣ row by row (lower triangle): sums over groups.
    gradient: Vec<Pack>,
}

impl Scratch {
    /// Makes room where there is less; no sums yet.
    fn fit(&mut self, lambda: &Lambda) {
        let (m, d) = (lambda.m, lambda.d);
        grow(&mut self.k, m, [Pack::ZERO; TILE]);
        grow(&mut self.sums, m, [Pack::ZERO; 2]);
        grow(&mut self.rows, m * (d + 1), Pack::ZERO);
        grow(&mut self.square, d * (d + 1), Pack::ZERO);
        grow(&mut self.gradient, d + d * d, Pack::ZERO);
        self.gradient.fill(Pack::ZERO);
    }

    /// S'HS and S'u.
    #[inline(always)]
    fn group<V: Lanes, const NEARBY: bool, const RECALLED: bool>(
        &mut self,
        pass: &Pass<'_>,
        group: Group<'_>,
        y: &Pack,
    ) {
        let (m, d) = (group.features.m, group.features.d);
        self.sums.fill([Pack::ZERO; 2]);
        for first in (0..m).step_by(TILE) {
            self.tile::<V, NEARBY, RECALLED>(group, pass.coefficients, first);
            for r in first..m.min(first + TILE) {
                self.finish_row::<V>(pass, group.means, V::load(y), (r, r - first));
            }
        }
        for (j, out) in self.square.chunks_exact_mut(d + 1).enumerate() {
            let column = pass.lambda.frequencies[j..].iter().step_by(d);
            weighted_rows::<V, _, _>(column, &self.rows, out);
        }
    }

    /// K of the pairs r ≤ l of a tile of r, and what they add to the row sums.
    #[inline(always)]
    fn tile<V: Lanes, const NEARBY: bool, const RECALLED: bool>(
        &mut self,
        group: Group<'_>,
        coefficients: &[[f64; 4]],
        first: usize,
    ) {
        for l in first..group.features.m {
            match TILE.min(l - first) {
                0 => {}
                1 => self.pairs::<V, NEARBY, RECALLED, 1>(group, coefficients, first, l),
                2 => self.pairs::<V, NEARBY, RECALLED, 2>(group, coefficients, first, l),
                3 => self.pairs::<V, NEARBY, RECALLED, 3>(group, coefficients, first, l),
                _ => self.pairs::<V, NEARBY, RECALLED, TILE>(group, coefficients, first, l),
            }
            if l < first + TILE {
                self.own::<V, NEARBY, RECALLED>(group, coefficients, l, l - first);
            }
        }
    }

    /// The pairs of the `W` spectral points from `first` on with a later one, l.
    #[inline(always)]
    fn pairs<V: Lanes, const NEARBY: bool, const RECALLED: bool, const W: usize>(
        &mut self,
        group: Group<'_>,
        coefficients: &[[f64; 4]],
        first: usize,
        l: usize,
    ) {
        let coefficients = tile::<_, W>(coefficients, l * group.features.m + first);
        let (left, right) = self.sums.split_at_mut(l);
        let (left, [v_l, w_l]) = (tile_mut::<_, W>(left, first), &mut right[0]);
        let (mut v, mut w) = (V::load(v_l), V::load(w_l));
        let k = &mut self.k[l];
        let row = group.beside::<V, W, NEARBY, RECALLED>(first, l);
        for i in 0..W {
            let terms = Terms::<V>::new(&row.pairs[i], row.angles(i), coefficients[i]);
            terms.minus.store(&mut k[i]);
            let [v_r, w_r] = &mut left[i];
            V::load(v_r).add(terms.even.add(terms.odd)).store(v_r);
            V::load(w_r).add(terms.plus).store(w_r);
            v = v.add(terms.even.sub(terms.odd));
            w = w.add(terms.plus);
        }
        v.store(v_l);
        w.store(w_l);
    }

    /// The pair of a spectral point with itself, which is `i` in its tile.
    #[inline(always)]
    fn own<V: Lanes, const NEARBY: bool, const RECALLED: bool>(
        &mut self,
        group: Group<'_>,
        coefficients: &[[f64; 4]],
        r: usize,
        i: usize,
    ) {
        let row = group.beside::<V, 1, NEARBY, RECALLED>(r, r);
        let coefficients = coefficients[r * group.features.m + r];
        let terms = Terms::<V>::new(&row.pairs[0], row.angles(0), coefficients);
        terms.minus.mul(V::splat(0.5)).store(&mut self.k[r][i]);
        let [v, w] = &mut self.sums[r];
        V::load(v).add(terms.even).store(v);
        V::load(w).add(terms.plus).store(w);
    }

    /// Row r of HS, (2 k_r + ½ K_rr) s_r + Σ_{l>r} K_rl s_l, and u_r.
    #[inline(always)]
    fn finish_row<V: Lanes>(
        &mut self,
        pass: &Pass<'_>,
        means: &[[Pack; 2]],
        y: V,
        (r, i): (usize, usize),
    ) {
        let (m, d) = (pass.lambda.m, pass.lambda.d);
        let (a, b) = (V::splat(pass.weights[r]), V::splat(pass.weights[m + r]));
        let ([cos, sin], [v, w]) = (&means[r], &self.sums[r]);
        let (cos, sin, v, w) = (V::load(cos), V::load(sin), V::load(v), V::load(w));
        let slope = b.mul(cos).sub(a.mul(sin));
        let value = a.mul(cos).add(b.mul(sin));
        let own = &mut self.k[r][i];
        let twice_k = w.mul(V::splat(0.5)).sub(y.mul(value));
        V::load(own).add(twice_k).store(own);
        let (row, u) = self.rows[r * (d + 1)..(r + 1) * (d + 1)].split_at_mut(d);
        let k = self.k[r..m].iter().map(|k| &k[i]);
        weighted_rows::<V, _, _>(k, &pass.lambda.frequencies[r * d..], row);
        y.mul(slope).sub(v.mul(V::splat(0.5))).store(&mut u[0]);
    }

    /// x ∘ S'u and xx' ∘ S'(diag k + ¼ K)S.
    #[inline(always)]
    fn add<V: Lanes>(&mut self, x: &[Pack]) {
        let d = x.len();
        let (mean, covariance) = self.gradient.split_at_mut(d);
        for j in 0..d {
            let (own, square) = (V::load(&x[j]), &self.square);
            let linear = V::load(&square[j * (d + 1) + d]);
            own.mul_add(linear, V::load(&mean[j])).store(&mut mean[j]);
            let quarter = own.mul(V::splat(0.25));
            for (k, other) in x[..=j].iter().enumerate() {
                let (at, mirrored) = (j * (d + 1) + k, k * (d + 1) + j);
                let both = V::load(&square[at]).add(V::load(&square[mirrored]));
                let sum = &mut covariance[j * d + k];
                quarter.mul(V::load(other)).mul_add(both, V::load(sum)).store(sum);
            }
        }
    }
}

/// W⁻ + W⁺, W⁺ − W⁻, and V in the part that changes its sign with the order of the pair and the
/// part that does not.
struct Terms<V> {
    plus: V,
    minus: V,
    odd: V,
    even: V,
}

impl<V: Lanes> Terms<V> {
    #[inline(always)]
    fn new(pair: &Pair<V>, angles: Angles<V>, coefficients: [f64; 4]) -> Self {
        let [p_minus, p_plus, q_plus, q_minus] = coefficients.map(V::splat);
        let (minus, plus) = (pair.minus.add(pair.weight), pair.plus.add(pair.weight));
        let Angles { cos_minus, sin_minus, cos_plus, sin_plus } = angles;
        let w_minus = minus.mul(p_minus.mul_add(cos_minus, q_minus.mul(sin_minus)));
        let w_plus = plus.mul(p_plus.mul_add(cos_plus, q_plus.mul(sin_plus)));
        Self {
            plus: w_plus.add(w_minus),
            minus: w_plus.sub(w_minus),
            odd: minus.mul(q_minus.mul(cos_minus).sub(p_minus.mul(sin_minus))),
            even: plus.mul(q_plus.mul(cos_plus).sub(p_plus.mul(sin_plus))),
        }
    }
}
