//! What the values of a Parquet column stand for.

use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type};
use parquet::schema::types::ColumnDescriptor;

/// How a value becomes a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Decode {
    /// The number it is; of truth values 1 or 0.
    Number,
    /// A whole number without a sign.
    Unsigned,
    /// A whole number of 10^−scale.
    Scaled(i32),
    /// A number of 16 bits.
    Half,
    /// Text in UTF-8.
    Text,
    /// Days since 1970, as text: 1970-01-01.
    Date,
    /// Parts of a second since midnight, as text: 00:00:00.
    Time(i64),
    /// Parts of a second since 1970, as text: 1970-01-01T00:00:00.
    Timestamp(i64),
}

impl Decode {
    /// `None` for types that no cell can hold.
    pub(super) fn of(column: &ColumnDescriptor) -> Option<Self> {
        let annotated = match column.logical_type_ref() {
            Some(logical) => Self::logical(logical),
            None => Self::converted(column),
        };
        match (column.physical_type(), annotated?) {
            (Type::INT96, _) => Some(Self::Timestamp(1_000_000_000)),
            (Type::BYTE_ARRAY, Self::Number) => Some(Self::Text),
            (Type::FIXED_LEN_BYTE_ARRAY, found) => {
                matches!(found, Self::Scaled(_) | Self::Half).then_some(found)
            }
            (Type::BYTE_ARRAY, found) => {
                matches!(found, Self::Scaled(_) | Self::Text).then_some(found)
            }
            (Type::BOOLEAN | Type::FLOAT | Type::DOUBLE, _) => Some(Self::Number),
            (Type::INT32 | Type::INT64, found) => {
                (!matches!(found, Self::Text | Self::Half)).then_some(found)
            }
        }
    }

    fn logical(logical: &LogicalType) -> Option<Self> {
        Some(match logical {
            LogicalType::String | LogicalType::Enum | LogicalType::Json => Self::Text,
            LogicalType::Decimal(decimal) => Self::Scaled(decimal.scale),
            LogicalType::Date => Self::Date,
            LogicalType::Time(time) => Self::Time(per_second(&time.unit)),
            LogicalType::Timestamp(time) => Self::Timestamp(per_second(&time.unit)),
            LogicalType::Integer(integer) if !integer.is_signed => Self::Unsigned,
            LogicalType::Integer(_) | LogicalType::Unknown => Self::Number,
            LogicalType::Float16 => Self::Half,
            _ => return None,
        })
    }

    /// What older writers say.
    fn converted(column: &ColumnDescriptor) -> Option<Self> {
        Some(match column.converted_type() {
            ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON => Self::Text,
            ConvertedType::DECIMAL => Self::Scaled(column.type_scale()),
            ConvertedType::DATE => Self::Date,
            ConvertedType::TIME_MILLIS => Self::Time(1_000),
            ConvertedType::TIME_MICROS => Self::Time(1_000_000),
            ConvertedType::TIMESTAMP_MILLIS => Self::Timestamp(1_000),
            ConvertedType::TIMESTAMP_MICROS => Self::Timestamp(1_000_000),
            ConvertedType::UINT_8
            | ConvertedType::UINT_16
            | ConvertedType::UINT_32
            | ConvertedType::UINT_64 => Self::Unsigned,
            ConvertedType::NONE
            | ConvertedType::INT_8
            | ConvertedType::INT_16
            | ConvertedType::INT_32
            | ConvertedType::INT_64 => Self::Number,
            _ => return None,
        })
    }
}

fn per_second(unit: &TimeUnit) -> i64 {
    match unit {
        TimeUnit::MILLIS => 1_000,
        TimeUnit::MICROS => 1_000_000,
        TimeUnit::NANOS => 1_000_000_000,
    }
}

/// A column's type, for messages.
pub(super) fn type_text(column: &ColumnDescriptor) -> String {
    let physical = column.physical_type();
    match column.logical_type_ref() {
        Some(logical) => format!("values of type {logical:?} ({physical})"),
        None => format!("values of type {physical} ({})", column.converted_type()),
    }
}

/// A whole number of parts of a second since midnight, as text.
pub(super) fn time_text(parts: i64, per_second: i64) -> String {
    let (seconds, rest) = (parts.div_euclid(per_second), parts.rem_euclid(per_second));
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    let digits = per_second.ilog10() as usize;
    let fraction = if rest == 0 { String::new() } else { format!(".{rest:0digits$}") };
    format!("{hour:02}:{minute:02}:{second:02}{fraction}")
}

/// Days since 1970, as text.
///
/// Source: Hinnant, *chrono-Compatible Low-Level Date Algorithms* (2013), `civil_from_days`.
pub(super) fn date_text(days: i64) -> String {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// Parts of a second since 1970, as text.
pub(super) fn timestamp_text(parts: i64, per_second: i64) -> String {
    let day = 86_400 * per_second;
    let time = time_text(parts.rem_euclid(day), per_second);
    format!("{}T{time}", date_text(parts.div_euclid(day)))
}

#[cfg(test)]
mod tests {
    use super::{date_text, time_text, timestamp_text};

    #[test]
    fn dates_and_times() {
        for (days, text) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (11_016, "2000-02-29"),
            (20_787, "2026-11-30"),
            (-719_468, "0000-03-01"),
        ] {
            assert_eq!(date_text(days), text);
        }
        assert_eq!(time_text(3_723_004, 1000), "01:02:03.004");
        assert_eq!(timestamp_text(-1, 1_000_000), "1969-12-31T23:59:59.999999");
        assert_eq!(timestamp_text(86_400_000, 1000), "1970-01-02T00:00:00");
    }
}
