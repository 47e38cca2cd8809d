//! Products of a row of packs with a matrix of numbers.

use kernels::simd::{Lanes, Pack};

use super::pair::tile;

/// `out` = Σ_l `row`_l a_l, a_l being the rows of `matrix`, which is as wide as `out`: as many columns at
/// a time as registers hold.
#[inline(always)]
pub(super) fn row_times<'a, V: Lanes>(
    row: impl Iterator<Item = &'a Pack> + Clone,
    matrix: &'a [f64],
    out: &mut [Pack],
) {
    let d = out.len();
    let mut first = 0;
    while first < d {
        let width = if d - first > 10 { 8 } else { d - first };
        let (target, row) = (&mut out[first..first + width], row.clone());
        let from = matrix.chunks_exact(d).map(|own| &own[first..first + width]);
        match width {
            1 => columns::<V, 1>(row, from, target),
            2 => columns::<V, 2>(row, from, target),
            3 => columns::<V, 3>(row, from, target),
            4 => columns::<V, 4>(row, from, target),
            5 => columns::<V, 5>(row, from, target),
            6 => columns::<V, 6>(row, from, target),
            7 => columns::<V, 7>(row, from, target),
            8 => columns::<V, 8>(row, from, target),
            9 => columns::<V, 9>(row, from, target),
            _ => columns::<V, 10>(row, from, target),
        }
        first += width;
    }
}

#[inline(always)]
fn columns<'a, V: Lanes, const J: usize>(
    row: impl Iterator<Item = &'a Pack>,
    from: impl Iterator<Item = &'a [f64]>,
    out: &mut [Pack],
) {
    let mut sums = [V::splat(0.0); J];
    for (k, own) in row.zip(from) {
        let (k, own) = (V::load(k), tile::<_, J>(own, 0));
        for j in 0..J {
            sums[j] = k.mul_add(V::splat(own[j]), sums[j]);
        }
    }
    for (out, sum) in out.iter_mut().zip(sums) {
        sum.store(out);
    }
}
