//! Sums of rows with factors, of which either are packs and the others numbers.

use kernels::simd::{Lanes, Pack};

use super::pair::tile;

/// What a vector is made from. (A closure would not be compiled with the vectors' instructions.)
pub(super) trait Entry {
    fn vector<V: Lanes>(&self) -> V;
}

impl Entry for Pack {
    #[inline(always)]
    fn vector<V: Lanes>(&self) -> V {
        V::load(self)
    }
}

/// The same in every lane.
impl Entry for f64 {
    #[inline(always)]
    fn vector<V: Lanes>(&self) -> V {
        V::splat(*self)
    }
}

/// `out` = Σ_l `factors`_l a_l, a_l being the rows of `table`, which is as wide as `out`: as many columns
/// at a time as registers hold.
#[inline(always)]
pub(super) fn weighted_rows<'a, V: Lanes, F: Entry + 'a, T: Entry>(
    factors: impl Iterator<Item = &'a F> + Clone,
    table: &'a [T],
    out: &mut [Pack],
) {
    let d = out.len();
    let mut first = 0;
    while first < d {
        let width = if d - first > 10 { 8 } else { d - first };
        let (target, factors) = (&mut out[first..first + width], factors.clone());
        let from = table.chunks_exact(d).map(|own| &own[first..first + width]);
        match width {
            1 => columns::<V, F, T, 1>(factors, from, target),
            2 => columns::<V, F, T, 2>(factors, from, target),
            3 => columns::<V, F, T, 3>(factors, from, target),
            4 => columns::<V, F, T, 4>(factors, from, target),
            5 => columns::<V, F, T, 5>(factors, from, target),
            6 => columns::<V, F, T, 6>(factors, from, target),
            7 => columns::<V, F, T, 7>(factors, from, target),
            8 => columns::<V, F, T, 8>(factors, from, target),
            9 => columns::<V, F, T, 9>(factors, from, target),
            _ => columns::<V, F, T, 10>(factors, from, target),
        }
        first += width;
    }
}

#[inline(always)]
fn columns<'a, V: Lanes, F: Entry + 'a, T: Entry + 'a, const J: usize>(
    factors: impl Iterator<Item = &'a F>,
    from: impl Iterator<Item = &'a [T]>,
    out: &mut [Pack],
) {
    let mut sums = [V::splat(0.0); J];
    for (factor, own) in factors.zip(from) {
        let (factor, own) = (factor.vector::<V>(), tile::<_, J>(own, 0));
        for j in 0..J {
            sums[j] = factor.mul_add(own[j].vector(), sums[j]);
        }
    }
    for (out, sum) in out.iter_mut().zip(sums) {
        sum.store(out);
    }
}
