//! The values of a one-hot column.

use std::collections::BTreeMap;

use crate::{Cell, DataError, MAX_LEVELS, Table, error::shown, table::number_text};

/// A level's place in the order: numbers by value, then text by bytes.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    Number(u64),
    Text(String),
}

/// The name of a cell's level: numbers by value, so that `1.0` is `1`.
pub(super) fn label(cell: Cell<'_>) -> String {
    match cell {
        Cell::Number(value) => number_text(value + 0.0),
        word => word.text().into_owned(),
    }
}

fn order(cell: Cell<'_>) -> Order {
    match cell {
        Cell::Number(value) => Order::Number(ascending_bits(value + 0.0)),
        word => Order::Text(word.text().into_owned()),
    }
}

/// Bits that order as the numbers do.
fn ascending_bits(value: f64) -> u64 {
    let bits = value.to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

/// The levels among the rows kept, in order.
pub(super) fn levels_of(
    table: &Table,
    position: usize,
    kept: &[usize],
) -> Result<Vec<String>, DataError> {
    let column = &table.columns()[position];
    let mut levels = BTreeMap::new();
    for &row in kept {
        let cell = column.cell(row);
        levels.entry(order(cell)).or_insert_with(|| label(cell));
    }
    if levels.len() > MAX_LEVELS {
        return Err(DataError::TooManyLevels {
            file: table.name().to_owned(),
            column: shown(column.name()),
            levels: levels.len(),
            most: MAX_LEVELS,
        });
    }
    Ok(levels.into_values().collect())
}

#[cfg(test)]
mod tests {
    use super::ascending_bits;

    #[test]
    fn bits_ascend_with_the_numbers() {
        let numbers = [-1e300, -2.0, -1e-300, 0.0, 1e-300, 1.5, 2.0, 1e300];
        assert!(numbers.windows(2).all(|pair| ascending_bits(pair[0]) < ascending_bits(pair[1])));
    }
}
