//! The error type: all that this crate holds yet.

#![allow(missing_docs)]

use proptest::prelude::*;

use ssgp_vb::SsgpError;

#[test]
fn the_message_names_the_argument_and_what_is_accepted() {
    let error = SsgpError::Neighbourhood { found: 0, n: 7 };
    let expected = "`neighbourhood` is 0 rows, accepted are 1 to 7, the number of training rows: choose a number in between";
    assert_eq!(error.to_string(), expected);
}

proptest! {
    #[test]
    fn the_message_is_one_line_and_names_the_values(found in 0_usize..1_000_000, n in 1_usize..1_000_000) {
        let message = SsgpError::Neighbourhood { found, n }.to_string();
        prop_assert_eq!(message.lines().count(), 1);
        prop_assert!(message.contains(&format!("{found}")), "{message}");
        prop_assert!(message.contains(&format!("{n}")), "{message}");
    }
}
