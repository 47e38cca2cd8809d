//! The error type says what is accepted.

use proptest::prelude::*;

use sparse_gp::SparseGpError;

#[test]
fn the_message_names_the_argument_and_what_is_accepted() {
    let error = SparseGpError::InducingPoints { found: 9, n: 5 };
    let expected = "`inducing_points` has 9 rows, accepted are 1 to 5, the number of training rows: choose a number in between";
    assert_eq!(error.to_string(), expected);
}

proptest! {
    #[test]
    fn the_message_is_one_line_and_names_the_values(found in 0_usize..1_000_000, n in 1_usize..1_000_000) {
        let message = SparseGpError::InducingPoints { found, n }.to_string();
        prop_assert_eq!(message.lines().count(), 1);
        prop_assert!(message.contains(&format!("{found}")), "{message}");
        prop_assert!(message.contains(&format!("{n}")), "{message}");
    }
}
