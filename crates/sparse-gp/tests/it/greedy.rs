//! Greedy conditional variance against its definition.

use kernels::{Kernel, Matern32};
use ndarray::{Array2, s};
use proptest::prelude::*;

use sparse_gp::greedy_conditional_variance;

/// What is left of `residual` once row `pivot` is known: its Schur complement.
fn condition(residual: &mut Array2<f64>, pivot: usize) {
    let column = residual.column(pivot).to_owned();
    for (mut row, scale) in residual.rows_mut().into_iter().zip(&column) {
        row.scaled_add(-scale / column[pivot], &column);
    }
}

fn inputs() -> impl Strategy<Value = Array2<f64>> {
    (2_usize..12, 1_usize..3).prop_flat_map(|(n, d)| {
        let cells = prop::collection::vec(-3.0..3.0_f64, n * d);
        cells.prop_map(move |cells| Array2::from_shape_fn((n, d), |(i, j)| cells[i * d + j]))
    })
}

proptest! {
    #[test]
    fn every_pick_has_the_largest_variance_left(x in inputs(), m in 1_usize..6) {
        let kernel = Matern32::new(vec![1.3; x.ncols()], 2.0).expect("positive parameters");
        let selection = greedy_conditional_variance(&kernel, &x, m);
        let mut residual = kernel.block(&x, &x);
        for &pick in &selection.rows {
            let largest = residual.diag().fold(0.0_f64, |largest, value| largest.max(*value));
            prop_assert!(residual[[pick, pick]] >= largest - 1e-9, "row {pick} of {:?}", selection.rows);
            condition(&mut residual, pick);
        }
        let left: f64 = residual.diag().sum();
        prop_assert!((selection.residual_trace - left).abs() <= 1e-7, "{} is not {left}", selection.residual_trace);
    }

    #[test]
    fn picks_are_distinct_rows_and_the_first_ones_stay(x in inputs(), m in 1_usize..6) {
        let kernel = Matern32::new(vec![0.7; x.ncols()], 1.0).expect("positive parameters");
        let picks = greedy_conditional_variance(&kernel, &x, m).rows;
        let mut sorted = picks.clone();
        sorted.sort_unstable();
        sorted.dedup();
        prop_assert_eq!(sorted.len(), picks.len());
        prop_assert!(picks.len() <= m && picks.iter().all(|&row| row < x.nrows()));
        let more = greedy_conditional_variance(&kernel, &x, m + 3).rows;
        prop_assert!(more.starts_with(&picks));
    }
}

#[test]
fn repeated_rows_are_picked_once() {
    let x = ndarray::array![[0.0], [0.0], [2.0], [2.0]];
    let kernel = Matern32::new(vec![1.0], 1.0).expect("positive parameters");
    let selection = greedy_conditional_variance(&kernel, &x.slice(s![.., ..]), 4);
    assert_eq!(selection.rows, [0, 2]);
    assert!(selection.residual_trace.abs() < 1e-12);
}
