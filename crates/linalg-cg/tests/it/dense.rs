//! Products and eigenvalues against naive references.

use linalg_cg::{
    Cholesky, LinalgError, gram, matmul, matmul_nt, matmul_tn, symmetric_eigen,
    symmetric_eigenvalues,
};
use ndarray::{Array2, array, s};

use crate::gather;
use crate::support::{SIZES, assert_same_bits, distance, naive_product, random, scattered, spd};

/// Rounding of an inner product of `k` standard normals.
fn rounding(k: usize) -> f64 {
    1e-15 * (10.0 + k as f64)
}

#[test]
fn products_agree_with_the_naive_ones() {
    for &m in &SIZES {
        for (k, n) in [(0, 3), (1, 1), (3, 257), (300, 7), (257, 600)] {
            let (a, b) = (random(m, k, 1), random(k, n, 2));
            let expected = naive_product(&a, &b);
            assert!(distance(&matmul(&a, &b), &expected) <= rounding(k), "{m} {k} {n}");
            let (at, bt) = (a.t().to_owned(), b.t().to_owned());
            assert!(distance(&matmul_tn(&at, &b), &expected) <= rounding(k), "{m} {k} {n}");
            assert!(distance(&matmul_nt(&a, &bt), &expected) <= rounding(k), "{m} {k} {n}");
        }
    }
}

#[test]
fn a_long_inner_dimension_is_split_without_loss() {
    let (a, b) = (random(5, 20_000, 3), random(20_000, 3, 4));
    assert!(distance(&matmul(&a, &b), &naive_product(&a, &b)) <= 1e-10);
    // Entries near 20 000: the naive sum itself is off by some 1e-10.
    assert!(distance(&gram(&a), &naive_product(&a, &a.t())) <= 1e-9);
}

/// Sizes at which the tiles of products and solves change.
#[test]
fn large_shapes_agree_too() {
    for (m, n) in [(2100, 2000), (2100, 4100), (4100, 300)] {
        let (a, b) = (random(m, 3, 12), random(3, n, 13));
        assert!(distance(&matmul(&a, &b), &naive_product(&a, &b)) <= rounding(3));
    }
    let a = random(2700, 3, 14);
    let product = gram(&a);
    assert_eq!(product, product.t());
    assert!(distance(&product, &naive_product(&a, &a.t())) <= rounding(3));
    let factor = Cholesky::factor(spd(30, 0.5, 15)).unwrap();
    for columns in [1, 64, 1000, 2000, 4000, 8200] {
        let b = random(30, columns, 16);
        let rebuilt = naive_product(factor.lower(), &factor.solve_lower(&b));
        assert!(distance(&rebuilt, &b) <= 1e-13);
    }
}

#[test]
fn products_read_any_strides() {
    let (a, b) = (random(70, 40, 5), random(40, 50, 6));
    let expected = matmul(&a, &b);
    let (wide_a, wide_b) = (scattered(&a), scattered(&b));
    assert_eq!(matmul(&gather!(wide_a), &gather!(wide_b)), expected);
    assert_eq!(matmul(&a.slice(s![..;1, ..]), &gather!(wide_b)), expected);
    assert_eq!(gram(&gather!(wide_a)), gram(&a));
    let column_major = a.t().as_standard_layout().into_owned();
    assert!(distance(&matmul(&column_major.t(), &b), &expected) <= rounding(40));
    let broadcast = array![[1.0], [2.0]];
    let repeated = broadcast.broadcast((2, 3)).unwrap();
    assert_eq!(matmul(&repeated, &Array2::ones((3, 1))), array![[3.0], [6.0]]);
    assert_eq!(matmul(&a.slice(s![3..4, ..;3]), &b.slice(s![..14, 2..3])).dim(), (1, 1));
}

#[test]
fn gram_is_symmetric_to_the_bit() {
    for &n in &SIZES {
        let a = random(n, 30, 7);
        let product = gram(&a);
        assert_eq!(product, product.t());
        assert!(distance(&product, &naive_product(&a, &a.t())) <= rounding(30));
    }
}

#[test]
fn products_have_the_same_bits_on_any_pool() {
    let (a, b) = (random(520, 9000, 8), random(9000, 300, 9));
    assert_same_bits(|| matmul(&a, &b).into_raw_vec_and_offset().0);
    assert_same_bits(|| matmul_tn(&b, &a.t()).into_raw_vec_and_offset().0);
    assert_same_bits(|| gram(&a).into_raw_vec_and_offset().0);
}

#[test]
fn eigenvectors_rebuild_the_matrix() {
    for &n in &SIZES[..6] {
        let a = spd(n, 0.1, 10);
        let (values, vectors) = symmetric_eigen(&a).unwrap();
        let rebuilt = naive_product(&(&vectors * &values), &vectors.t());
        assert!(distance(&rebuilt, &a) <= 1e-12);
        assert!(distance(&naive_product(&vectors.t(), &vectors), &Array2::eye(n)) <= 1e-12);
        assert!(values.windows(2).into_iter().all(|pair| pair[0] <= pair[1]));
        let alone = symmetric_eigenvalues(&a).unwrap();
        assert!(alone.iter().zip(&values).all(|(x, y)| (x - y).abs() <= 1e-13 * (1.0 + y)));
    }
}

#[test]
fn eigen_reads_strides_and_refuses_bad_input() {
    let a = spd(20, 0.1, 11);
    let wide = scattered(&a);
    assert_eq!(symmetric_eigenvalues(&gather!(wide)), symmetric_eigenvalues(&a));
    let error = symmetric_eigenvalues(&Array2::zeros((2, 3))).unwrap_err();
    assert_eq!(error, LinalgError::NotSquare { argument: "a", rows: 2, columns: 3 });
    let bad = array![[1.0, 0.0], [f64::INFINITY, 1.0]];
    let error = symmetric_eigen(&bad).unwrap_err();
    assert!(matches!(error, LinalgError::NonFinite { argument: "a", row: 1, column: 0, .. }));
}
