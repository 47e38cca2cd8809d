//! The error type: all that this crate holds yet.

#![allow(missing_docs)]

use proptest::prelude::*;

use naive_bayes::NaiveBayesError;

#[test]
fn the_message_names_the_argument_and_what_is_accepted() {
    let error = NaiveBayesError::Alpha { found: -0.5 };
    let expected = "`alpha` is -0.5, accepted are finite values of 0 or more: 1 is Laplace's rule";
    assert_eq!(error.to_string(), expected);
}

proptest! {
    #[test]
    fn the_message_is_one_line_and_names_the_values(found in proptest::num::f64::ANY) {
        let message = NaiveBayesError::Alpha { found }.to_string();
        prop_assert_eq!(message.lines().count(), 1);
        prop_assert!(message.contains(&format!("{found}")), "{message}");
    }
}
