//! The error type: all that this crate holds yet.

#![allow(missing_docs)]

use proptest::prelude::*;

use iterative_gp::IterativeGpError;

#[test]
fn the_message_names_the_argument_and_what_is_accepted() {
    let error = IterativeGpError::CgTolerance { found: 2.5 };
    let expected = "`cg_tolerance` is 2.5, accepted are values above 0 and below 1: 0.01 is usual";
    assert_eq!(error.to_string(), expected);
}

proptest! {
    #[test]
    fn the_message_is_one_line_and_names_the_values(found in proptest::num::f64::ANY) {
        let message = IterativeGpError::CgTolerance { found }.to_string();
        prop_assert_eq!(message.lines().count(), 1);
        prop_assert!(message.contains(&format!("{found}")), "{message}");
    }
}
