//! What the first bytes say: format, byte-order mark, separator.

use std::io::{self, Cursor, Read};

use crate::FileFormat;

type Reader = Box<dyn Read + Send>;

/// The first bytes of a Parquet file.
pub(super) const PARQUET: &[u8] = b"PAR1";

/// Most bytes looked at to find the end of the header.
pub(super) const LONGEST_HEAD: usize = 1 << 20;

/// Reads up to `count` bytes and gives them back in front of the rest.
pub(super) fn peek(mut reader: Reader, count: usize) -> io::Result<(Vec<u8>, Reader)> {
    let mut head = Vec::with_capacity(count);
    reader.by_ref().take(count as u64).read_to_end(&mut head)?;
    Ok((head.clone(), Box::new(Cursor::new(head).chain(reader))))
}

/// Reads on until the first line that holds more than white space is complete.
pub(super) fn peek_line(mut reader: Reader) -> io::Result<(Vec<u8>, Reader)> {
    let mut head = Vec::new();
    while head.len() < LONGEST_HEAD && first_line(&head).is_none() {
        let before = head.len();
        reader.by_ref().take(4096).read_to_end(&mut head)?;
        if head.len() == before {
            break;
        }
    }
    Ok((head.clone(), Box::new(Cursor::new(head).chain(reader))))
}

/// Drops a UTF-8 byte-order mark.
pub(super) fn skip_mark(mut reader: Reader, start: &[u8]) -> io::Result<Reader> {
    if start.starts_with(&[0xef, 0xbb, 0xbf]) {
        reader.read_exact(&mut [0; 3])?;
    }
    Ok(reader)
}

/// The format that the first eight bytes announce, where it is not text.
pub(super) fn format_of(start: &[u8]) -> Option<FileFormat> {
    let marks: [(&[u8], FileFormat); 9] = [
        (&[0xff, 0xfe], FileFormat::Utf16),
        (&[0xfe, 0xff], FileFormat::Utf16),
        (PARQUET, FileFormat::Parquet),
        (b"PK\x03\x04", FileFormat::Zip),
        (b"BZh", FileFormat::OtherCompression),
        (b"\xfd7zXZ", FileFormat::OtherCompression),
        (b"\x28\xb5\x2f\xfd", FileFormat::OtherCompression),
        (b"\x1f\x8b", FileFormat::OtherCompression),
        (b"\x93NUMPY", FileFormat::Npy),
    ];
    marks.iter().find(|(mark, _)| start.starts_with(mark)).map(|&(_, format)| format)
}

/// A zero byte in the header: UTF-16 without a mark when every second byte is one, else something binary.
pub(super) fn format_of_head(head: &[u8]) -> Option<FileFormat> {
    let line = first_line(head).unwrap_or(head);
    let zeros =
        |offset: usize| line.iter().skip(offset).step_by(2).filter(|&&byte| byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    if even + odd == 0 {
        return None;
    }
    let half = line.len() / 2;
    let one_sided = (even * 2 > half && odd == 0) || (odd * 2 > half && even == 0);
    Some(if one_sided { FileFormat::Utf16 } else { FileFormat::Binary })
}

/// The separator of a header: of comma, semicolon and tab the one that occurs most outside quotes, in this order when equal.
pub(crate) fn separator(head: &[u8]) -> u8 {
    let mut counts = [(b',', 0_usize), (b';', 0), (b'\t', 0)];
    let mut quoted = false;
    for &byte in first_line(head).unwrap_or(head) {
        quoted ^= byte == b'"';
        if let Some((_, count)) =
            counts.iter_mut().find(|(separator, _)| *separator == byte && !quoted)
        {
            *count += 1;
        }
    }
    let most = counts.iter().map(|&(_, count)| count).max().unwrap_or(0);
    counts.iter().find(|&&(_, count)| count == most).map_or(b',', |&(separator, _)| separator)
}

/// The first line that is not blank, `None` while it is incomplete; line breaks inside quotes do not end it.
fn first_line(head: &[u8]) -> Option<&[u8]> {
    let start = head.iter().position(|byte| !byte.is_ascii_whitespace() || *byte == b'\t')?;
    let mut quoted = false;
    let end = head[start..].iter().position(|&byte| {
        quoted ^= byte == b'"';
        byte == b'\n' && !quoted
    })?;
    Some(&head[start..start + end])
}

#[cfg(test)]
mod tests {
    use super::{FileFormat, first_line, format_of_head, separator};

    #[test]
    fn separators() {
        for (head, expected) in [
            ("a,b\n", b','),
            ("a;b;c\n1,5;2;3\n", b';'),
            ("a\tb\n", b'\t'),
            ("\"x, in m\";y\n", b';'),
            ("a\n1;2\n", b','),
            ("a,b;c\n", b','),
            ("", b','),
        ] {
            assert_eq!(separator(head.as_bytes()), expected, "{head:?}");
        }
    }

    #[test]
    fn first_lines() {
        assert_eq!(first_line(b"\n \na,\"b\nc\"\nd"), Some(&b"a,\"b\nc\""[..]));
        assert_eq!(first_line(b"a,b"), None);
        assert_eq!(first_line(b"\n\n"), None);
    }

    #[test]
    fn zero_bytes() {
        assert_eq!(format_of_head(b"a\0,\0b\0"), Some(FileFormat::Utf16));
        assert_eq!(format_of_head(b"\0a\0,\0b"), Some(FileFormat::Utf16));
        assert_eq!(format_of_head(b"a\0\0\0b,cdefgh"), Some(FileFormat::Binary));
        assert_eq!(format_of_head(b"a,b"), None);
    }
}
