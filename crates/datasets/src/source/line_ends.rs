//! CRLF and CR line ends read as LF, so that line numbers can be counted.

use std::io::{self, Read};

/// Turns CRLF and CR into LF and ends the text with LF.
///
/// The CSV parser ends a record at CR and meets the LF with the next one, which would put its line numbers off by one.
/// Inside quoted cells the line breaks change too.
pub(super) struct LineEnds<R> {
    inner: R,
    /// The byte before was CR, already passed on as LF.
    after_return: bool,
    /// The last byte passed on; LF at the start, so that empty text stays empty.
    last: u8,
}

impl<R: Read> LineEnds<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, after_return: false, last: b'\n' }
    }

    /// Rewrites `bytes` in place and returns how many are left.
    fn rewrite(&mut self, bytes: &mut [u8]) -> usize {
        if !self.after_return && !bytes.contains(&b'\r') {
            return bytes.len();
        }
        let mut kept = 0;
        for position in 0..bytes.len() {
            let byte = bytes[position];
            let second_half = byte == b'\n' && self.after_return;
            self.after_return = byte == b'\r';
            if !second_half {
                bytes[kept] = if byte == b'\r' { b'\n' } else { byte };
                kept += 1;
            }
        }
        kept
    }
}

impl<R: Read> Read for LineEnds<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        loop {
            let count = self.inner.read(buffer)?;
            if count == 0 {
                let open = self.last != b'\n';
                self.last = b'\n';
                buffer[0] = b'\n';
                return Ok(usize::from(open));
            }
            let kept = self.rewrite(&mut buffer[..count]);
            if kept > 0 {
                self.last = buffer[kept - 1];
                return Ok(kept);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::io::{Cursor, Read};

    use super::LineEnds;

    /// One byte a call: every pair is torn apart.
    struct Drip(Cursor<Vec<u8>>);

    impl Read for Drip {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            self.0.read(&mut buffer[..1])
        }
    }

    #[test]
    fn all_line_ends_become_lf_however_the_bytes_arrive() {
        for (text, expected) in [
            ("a\r\nb\rc\nd", "a\nb\nc\nd\n"),
            ("\r\n\r\r\n", "\n\n\n"),
            ("", ""),
            ("a\n", "a\n"),
            ("\r", "\n"),
        ] {
            let (mut whole, mut dripped) = (String::new(), String::new());
            LineEnds::new(text.as_bytes()).read_to_string(&mut whole).unwrap();
            LineEnds::new(Drip(Cursor::new(text.into()))).read_to_string(&mut dripped).unwrap();
            assert_eq!((whole.as_str(), dripped.as_str()), (expected, expected), "{text:?}");
        }
    }
}
