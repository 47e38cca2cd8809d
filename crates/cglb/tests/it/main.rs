//! The error type: all that this crate holds yet.

#![allow(missing_docs)]

use proptest::prelude::*;

use cglb::CglbError;

#[test]
fn the_message_names_the_argument_and_what_is_accepted() {
    let error = CglbError::CgTolerance { found: -1.0 };
    let expected = "`cg_tolerance` is -1 nats, accepted are finite values above 0: 1 is usual in training, 1e-3 in prediction";
    assert_eq!(error.to_string(), expected);
}

proptest! {
    #[test]
    fn the_message_is_one_line_and_names_the_values(found in proptest::num::f64::ANY) {
        let message = CglbError::CgTolerance { found }.to_string();
        prop_assert_eq!(message.lines().count(), 1);
        prop_assert!(message.contains(&format!("{found}")), "{message}");
    }
}
