//! Pass 2: the gradient of the expected log-likelihood in q(λ).

use std::ops::Range;

use kernels::simd::{Lanes, Pack, Simd, Task};
use ndarray::{Array1, Array2, ArrayRef1};

use super::features::{Features, Lambda};
use super::kept::{Kept, Recalled, Shard};
use super::pair::{Angles, Beside, Pair, TILE, tile, tile_mut};
use super::product::row_times;
use super::{shards, signed_pairs};
use crate::points::Points;

/// What pass 2 is about: rows, their targets in packs, and what pass 1 kept at the same q(λ), if it was made there.
pub(crate) struct Target<'a> {
    pub(crate) points: &'a Points,
    pub(crate) y: &'a [Pack],
    pub(crate) kept: &'a Kept,
}

/// The gradient of y'E(Z)μ_α − ½⟨E(Z'Z), M⟩ in the mean `[D]` and the covariance `[D, D]` of q(λ).
///
/// `weights` μ_α `[2M]`, `moment` M `[2M, 2M]`. With
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
    Target { points, y, kept }: Target<'_>,
    weights: &ArrayRef1<f64>,
    moment: &Array2<f64>,
) -> (Array1<f64>, Array2<f64>) {
    let d = lambda.d;
    let coefficients = signed_pairs(moment);
    let weights: Vec<f64> = weights.to_vec();
    let sums = shards(points.groups()).reduce(
        |groups| {
            let (coefficients, weights) = (&coefficients[..], &weights[..]);
            let kept = kept.recalled(groups.start);
            Simd::detect().run(Gradient { lambda, points, y, kept, weights, coefficients, groups })
        },
        |mut sum, part| {
            sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
            sum
        },
    );
    let sums = sums.unwrap_or_else(|| vec![0.0; d + d * d]);
    let mean = sums[..d].iter().copied().collect();
    let lower = |j: usize, k: usize| sums[d + j.max(k) * d + j.min(k)];
    (mean, Array2::from_shape_fn((d, d), |(j, k)| lower(j, k)))
}

struct Gradient<'a> {
    lambda: &'a Lambda,
    points: &'a Points,
    y: &'a [Pack],
    kept: Option<&'a Shard>,
    weights: &'a [f64],
    coefficients: &'a [[f64; 4]],
    groups: Range<usize>,
}

impl Task for Gradient<'_> {
    /// d/dμ, then d/dΣ row by row (lower triangle).
    type Output = Vec<f64>;

    #[inline(always)]
    fn run<V: Lanes>(self) -> Vec<f64> {
        let d = self.lambda.d;
        let mut scratch = Scratch::new(self.lambda);
        let mut features = Features::new(self.lambda, 1);
        let mut sums = vec![Pack::ZERO; d + d * d];
        for group in self.groups.clone() {
            let y = &self.y[group];
            if let Some(shard) = self.kept {
                let (m, index) = (self.lambda.m, group - self.groups.start);
                features.recall(&shard.means[index * m..(index + 1) * m]);
                let recalled = Recalled::new(shard, index, self.groups.len(), m);
                scratch.group::<V, true, true>(&self, Group { features: &features, recalled }, y);
            } else {
                features.fill::<V>(self.lambda, self.points, group..group + 1);
                let only = Group { features: &features, recalled: Recalled::default() };
                if features.near {
                    scratch.group::<V, true, false>(&self, only, y);
                } else {
                    scratch.group::<V, false, false>(&self, only, y);
                }
            }
            scratch.add_to::<V>(self.points.group(group), &mut sums);
        }
        sums.iter().map(Pack::sum).collect()
    }
}

/// A group's features, and the exponentials of its pairs if pass 1 kept them.
#[derive(Clone, Copy)]
struct Group<'a> {
    features: &'a Features,
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
            return Beside::recalled(self.features, (first, l, 0), self.recalled.row(first, l));
        }
        Beside::new::<NEARBY>(self.features, (first, l, 0))
    }
}

/// What one group of points leaves behind before the products.
struct Scratch {
    /// K_rl of a tile of r, for l > r, and half of K_rr: `[M][TILE]`.
    k: Vec<[Pack; TILE]>,
    /// Row sums of V and of W⁻ + W⁺, `[M]`; complete for a tile once it is done.
    sums: Vec<[Pack; 2]>,
    /// u, `[M]`.
    u: Vec<Pack>,
    /// The half H of diag k + ¼ K = H + H' times S, transposed: `[D, M]`; a row of it.
    half: Vec<Pack>,
    row: Vec<Pack>,
    /// S'u `[D]`.
    linear: Vec<Pack>,
    /// (HS)'S `[D, D]`.
    square: Vec<Pack>,
}

impl Scratch {
    fn new(lambda: &Lambda) -> Self {
        let (m, d) = (lambda.m, lambda.d);
        let room = |length: usize| vec![Pack::ZERO; length];
        Self {
            k: vec![[Pack::ZERO; TILE]; m],
            sums: vec![[Pack::ZERO; 2]; m],
            u: room(m),
            half: room(d * m),
            row: room(d),
            linear: room(d),
            square: room(d * d),
        }
    }

    /// S'u and (HS)'S.
    #[inline(always)]
    fn group<V: Lanes, const NEARBY: bool, const RECALLED: bool>(
        &mut self,
        pass: &Gradient<'_>,
        group: Group<'_>,
        y: &Pack,
    ) {
        let (m, d) = (group.features.m, group.features.d);
        self.sums.fill([Pack::ZERO; 2]);
        for first in (0..m).step_by(TILE) {
            self.tile::<V, NEARBY, RECALLED>(group, pass.coefficients, first);
            for r in first..m.min(first + TILE) {
                self.finish_row::<V>(pass, group.features, V::load(y), (r, r - first));
            }
        }
        let frequencies = &pass.lambda.frequencies;
        row_times::<V>(self.u.iter(), frequencies, &mut self.linear);
        for j in 0..d {
            let square = &mut self.square[j * d..(j + 1) * d];
            row_times::<V>(self.half[j * m..(j + 1) * m].iter(), frequencies, square);
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
            let terms = Terms::<V>::new(row.pair::<NEARBY>(i), coefficients[i]);
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
        let pair = group.beside::<V, 1, NEARBY, RECALLED>(r, r).pair::<NEARBY>(0);
        let terms = Terms::<V>::new(pair, coefficients[r * group.features.m + r]);
        terms.minus.mul(V::splat(0.5)).store(&mut self.k[r][i]);
        let [v, w] = &mut self.sums[r];
        V::load(v).add(terms.even).store(v);
        V::load(w).add(terms.plus).store(w);
    }

    /// u_r, and row r of HS: ½ k_r s_r + ¼ (½ K_rr s_r + Σ_{l>r} K_rl s_l).
    #[inline(always)]
    fn finish_row<V: Lanes>(
        &mut self,
        pass: &Gradient<'_>,
        features: &Features,
        y: V,
        (r, i): (usize, usize),
    ) {
        let (m, d) = (features.m, features.d);
        let (a, b) = (V::splat(pass.weights[r]), V::splat(pass.weights[m + r]));
        let ([cos, sin], [v, w]) = (&features.mean[r], &self.sums[r]);
        let (cos, sin, v, w) = (V::load(cos), V::load(sin), V::load(v), V::load(w));
        let slope = b.mul(cos).sub(a.mul(sin));
        let value = a.mul(cos).add(b.mul(sin));
        y.mul(slope).sub(v.mul(V::splat(0.5))).store(&mut self.u[r]);
        let half_k = w.mul(V::splat(0.125)).sub(y.mul(value).mul(V::splat(0.25)));
        let k = self.k[r..m].iter().map(|k| &k[i]);
        row_times::<V>(k, &pass.lambda.frequencies[r * d..], &mut self.row);
        for (j, (row, s)) in self.row.iter().zip(pass.lambda.frequency(r)).enumerate() {
            let own = half_k.mul(V::splat(*s));
            V::load(row).mul_add(V::splat(0.25), own).store(&mut self.half[j * m + r]);
        }
    }

    /// x ∘ S'u and xx' ∘ S'(H + H')S.
    #[inline(always)]
    fn add_to<V: Lanes>(&self, x: &[Pack], sums: &mut [Pack]) {
        let d = x.len();
        let (mean, covariance) = sums.split_at_mut(d);
        for j in 0..d {
            let own = V::load(&x[j]);
            own.mul_add(V::load(&self.linear[j]), V::load(&mean[j])).store(&mut mean[j]);
            for (k, other) in x[..=j].iter().enumerate() {
                let (at, mirrored) = (j * d + k, k * d + j);
                let both = V::load(&self.square[at]).add(V::load(&self.square[mirrored]));
                let product = own.mul(V::load(other));
                product.mul_add(both, V::load(&covariance[at])).store(&mut covariance[at]);
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
    fn new((pair, angles): (Pair<V>, Angles<V>), coefficients: [f64; 4]) -> Self {
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
