//! Values of a column as cells of a table.

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType, FixedLenByteArray};
use parquet::errors::ParquetError;

use super::decode::{Decode, date_text, time_text, timestamp_text};
use crate::table::TableBuilder;

/// Why a column cannot be read on.
pub(super) enum Fault {
    /// The file contradicts itself.
    Parquet(ParquetError),
    /// The value of this row, among those that are read, is not UTF-8.
    NotText(usize),
}

impl From<ParquetError> for Fault {
    fn from(error: ParquetError) -> Self {
        Self::Parquet(error)
    }
}

/// Adds the next `n` cells to a column of the table.
pub(super) fn push(
    builder: &mut TableBuilder,
    index: usize,
    reader: &mut ColumnReader,
    decode: Decode,
    n: usize,
) -> Result<(), Fault> {
    let mut column = Sink { builder, index, decode };
    match reader {
        ColumnReader::BoolColumnReader(reader) => each(reader, n, |_, value| {
            column.number(value.map(|&v| f64::from(u8::from(v))));
            Ok(())
        }),
        ColumnReader::Int32ColumnReader(reader) => each(reader, n, |_, value| {
            column.whole(value.map(|&v| Whole::from(v)));
            Ok(())
        }),
        ColumnReader::Int64ColumnReader(reader) => each(reader, n, |_, value| {
            column.whole(value.map(|&v| Whole::from(v)));
            Ok(())
        }),
        ColumnReader::Int96ColumnReader(reader) => each(reader, n, |_, value| {
            column.whole(value.map(|v| Whole::from(v.to_nanos())));
            Ok(())
        }),
        ColumnReader::FloatColumnReader(reader) => each(reader, n, |_, value| {
            column.number(value.map(|&v| f64::from(v)));
            Ok(())
        }),
        ColumnReader::DoubleColumnReader(reader) => each(reader, n, |_, value| {
            column.number(value.copied());
            Ok(())
        }),
        ColumnReader::ByteArrayColumnReader(reader) => {
            each(reader, n, |row, value: Option<&ByteArray>| {
                column.bytes(value.map(ByteArray::data)).ok_or(Fault::NotText(row))
            })
        }
        ColumnReader::FixedLenByteArrayColumnReader(reader) => {
            each(reader, n, |row, value: Option<&FixedLenByteArray>| {
                column.bytes(value.map(|v| v.data())).ok_or(Fault::NotText(row))
            })
        }
    }
}

/// Reads `n` values, `None` where there is none, and hands them on.
fn each<T: DataType>(
    reader: &mut ColumnReaderImpl<T>,
    n: usize,
    mut take: impl FnMut(usize, Option<&T::T>) -> Result<(), Fault>,
) -> Result<(), Fault> {
    let (mut present, mut values) = (Vec::new(), Vec::new());
    let (records, found, _) = reader.read_records(n, Some(&mut present), None, &mut values)?;
    if records != n || found != values.len() {
        let what = format!("a column has {records} values where {n} are due");
        return Err(ParquetError::General(what).into());
    }
    if present.is_empty() {
        // A column that is never empty has no levels.
        return values.iter().enumerate().try_for_each(|(row, value)| take(row, Some(value)));
    }
    let mut values = values.iter();
    for (row, level) in present.iter().enumerate() {
        take(row, if *level > 0 { values.next() } else { None })?;
    }
    Ok(())
}

/// A whole number as its bits may be meant.
#[derive(Clone, Copy)]
struct Whole {
    signed: i64,
    unsigned: u64,
}

impl From<i32> for Whole {
    fn from(value: i32) -> Self {
        Self { signed: i64::from(value), unsigned: u64::from(value as u32) }
    }
}

impl From<i64> for Whole {
    fn from(value: i64) -> Self {
        Self { signed: value, unsigned: value as u64 }
    }
}

/// A column of the table that is filled.
struct Sink<'s> {
    builder: &'s mut TableBuilder,
    index: usize,
    decode: Decode,
}

impl Sink<'_> {
    fn number(&mut self, value: Option<f64>) {
        self.builder.push_value(self.index, value);
    }

    fn whole(&mut self, value: Option<Whole>) {
        let Some(Whole { signed, unsigned }) = value else { return self.number(None) };
        match self.decode {
            Decode::Unsigned => self.number(Some(unsigned as f64)),
            Decode::Scaled(scale) => self.number(Some(scaled(signed as f64, scale))),
            Decode::Date => self.text(&date_text(signed)),
            Decode::Time(per_second) => self.text(&time_text(signed, per_second)),
            Decode::Timestamp(per_second) => self.text(&timestamp_text(signed, per_second)),
            _ => self.number(Some(signed as f64)),
        }
    }

    /// `None` for text that is not UTF-8.
    fn bytes(&mut self, value: Option<&[u8]>) -> Option<()> {
        let Some(bytes) = value else {
            self.number(None);
            return Some(());
        };
        match self.decode {
            Decode::Scaled(scale) => self.number(Some(scaled(big_endian(bytes), scale))),
            Decode::Half => self.number(Some(half(bytes))),
            _ => self.text(std::str::from_utf8(bytes).ok()?),
        }
        Some(())
    }

    /// Texts are read as those of CSV are.
    fn text(&mut self, text: &str) {
        self.builder.push_text(self.index, text);
    }
}

/// value · 10^−scale, rounded once where 10^scale is exact.
fn scaled(value: f64, scale: i32) -> f64 {
    value / 10_f64.powi(scale)
}

/// A signed number of any length, its first byte the highest.
fn big_endian(bytes: &[u8]) -> f64 {
    let negative = bytes.first().is_some_and(|first| first & 0x80 != 0);
    let flip = if negative { 0xff } else { 0 };
    let magnitude = bytes.iter().fold(0.0, |sum, byte| sum * 256.0 + f64::from(byte ^ flip));
    if negative { -(magnitude + 1.0) } else { magnitude }
}

/// A number of 16 bits: sign, 5 bits of exponent, 10 of fraction.
fn half(bytes: &[u8]) -> f64 {
    let bits = bytes.first_chunk::<2>().map_or(0, |bytes| u16::from_le_bytes(*bytes));
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1f), f64::from(bits & 0x3ff));
    let magnitude = match exponent {
        0 => fraction * 2_f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2_f64.powi(exponent - 25),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::{big_endian, half, scaled};

    #[test]
    fn numbers_in_bytes() {
        assert_eq!(big_endian(&[0xff, 0xff]).to_bits(), (-1.0_f64).to_bits());
        assert_eq!(big_endian(&[0x01, 0x00]).to_bits(), 256.0_f64.to_bits());
        assert_eq!(scaled(12_345.0, 2).to_bits(), 123.45_f64.to_bits());
        for (bits, value) in
            [(0x3c00_u16, 1.0), (0xc000, -2.0), (0x7bff, 65504.0), (1, 2_f64.powi(-24))]
        {
            assert_eq!(half(&bits.to_le_bytes()).to_bits(), f64::to_bits(value));
        }
        assert!(half(&0x7e00_u16.to_le_bytes()).is_nan());
    }
}
