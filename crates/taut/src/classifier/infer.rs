//! What a column seems to be.

use datasets::{Cell, Column};
use naive_bayes::Kind;

use super::FeatureKind;

/// The kind that a column's cells suggest: text is categorical, only 0 and 1 (or true and false) Bernoulli, other numbers Gaussian; `None`
/// without any cell.
pub(super) fn kind_of(column: &Column) -> Option<FeatureKind> {
    if column.n_missing() == column.len() {
        return None;
    }
    if column.n_text() > 0 {
        let yes_or_no = column.cells().all(|cell| match cell {
            Cell::Text(text) => truth(text).is_some(),
            Cell::Number(value) => matches!(value, 0.0 | 1.0),
            other => matches!(other, Cell::Missing(_)),
        });
        return Some(if yes_or_no { FeatureKind::Bernoulli } else { FeatureKind::Categorical });
    }
    // A column of nothing but infinite cells is one of numbers.
    Some(match Kind::of_numbers(column.numbers().iter().copied()) {
        Some(Kind::Bernoulli) if column.n_not_finite() == 0 => FeatureKind::Bernoulli,
        _ => FeatureKind::Gaussian,
    })
}

/// Whether a text says yes or no.
pub(super) fn truth(text: &str) -> Option<f64> {
    if text.eq_ignore_ascii_case("true") {
        Some(1.0)
    } else if text.eq_ignore_ascii_case("false") {
        Some(0.0)
    } else {
        None
    }
}
