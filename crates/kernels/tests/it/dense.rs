//! Misuse of the dense helpers: shapes are the calling code's.

use kernels::{
    KernelOperator, SquaredExponential, contract_gradient, contract_gradients,
    contract_input_gradient, contract_symmetric_gradient, cross_product,
};
use linalg_cg::LinearOperator;
use ndarray::Array2;

fn kernel() -> SquaredExponential {
    SquaredExponential::new(vec![1.0, 2.0], 1.0).unwrap()
}

fn zeros(rows: usize, columns: usize) -> Array2<f64> {
    Array2::zeros((rows, columns))
}

#[test]
#[should_panic(expected = "the kernel does not fit 3 columns")]
fn an_operator_over_columns_that_do_not_fit() {
    let _ = KernelOperator::new(&kernel(), &zeros(4, 3), 0.1);
}

#[test]
#[should_panic(expected = "5 rows times an operator of order 4")]
fn a_product_with_too_many_rows() {
    let _ = KernelOperator::new(&kernel(), &zeros(4, 2), 0.1).apply(&zeros(5, 1));
}

#[test]
#[should_panic(expected = "u is (4, 2), v is (4, 1)")]
fn a_gradient_product_of_blocks_that_differ() {
    let x = zeros(4, 2);
    let _ = KernelOperator::new(&kernel(), &x, 0.1).gradient_product(&zeros(4, 2), &zeros(4, 1));
}

#[test]
#[should_panic(expected = "3 rows of v for 4")]
fn a_cross_product_with_too_few_rows() {
    let _ = cross_product(&kernel(), &zeros(2, 2), &zeros(4, 2), &zeros(3, 1));
}

#[test]
fn weights_of_another_shape() {
    let (kernel, x) = (kernel(), zeros(4, 2));
    let refused = |work: &dyn Fn()| {
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).is_err());
    };
    refused(&|| drop(contract_gradient(&kernel, &x, &x, &zeros(4, 3))));
    refused(&|| drop(contract_symmetric_gradient(&kernel, &x, &zeros(4, 3))));
    refused(&|| drop(contract_gradients(&kernel, &x, &x, &zeros(4, 3))));
    refused(&|| drop(contract_input_gradient(&kernel, &x, &x, &zeros(3, 4))));
}

#[test]
fn an_operator_says_what_it_is_made_of() {
    let (kernel, x) = (kernel(), zeros(4, 2));
    let operator = KernelOperator::new(&kernel, &x, 0.1);
    assert_eq!((operator.n(), operator.diagonal_shift()), (4, 0.1));
    assert_eq!(operator.x(), &x);
    assert_eq!(operator.kernel().name(), "se");
}
