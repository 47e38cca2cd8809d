//! Model files: versioned JSON, written whole or not at all.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write};
use std::path::Path;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::GpError;
use crate::whole_file::WholeFile;

/// What every file starts with.
#[derive(Debug, Serialize, Deserialize)]
struct Envelope<T> {
    format: String,
    version: u32,
    written_by: String,
    content: T,
}

/// The part of an [`Envelope`] that is readable whatever its version.
#[derive(Debug, Deserialize)]
struct Header {
    format: String,
    version: u32,
}

/// A kind of file: what it is called and which version of it this build writes and reads.
///
/// ```
/// use gp_core::Format;
///
/// const NUMBERS: Format = Format { name: "numbers", version: 1 };
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("numbers.json");
/// NUMBERS.write(&path, &vec![0.1, 1.0 / 3.0])?;
/// assert_eq!(NUMBERS.read::<Vec<f64>>(&path)?, [0.1, 1.0 / 3.0]);
///
/// let other = Format { name: "letters", version: 1 };
/// assert!(other.read::<Vec<f64>>(&path).is_err());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Format {
    /// Such as "taut-model".
    pub name: &'static str,
    /// Raised whenever older readers would misread the content.
    pub version: u32,
}

impl Format {
    /// Writes `content` to `path` through a temporary file beside it, so that a failed write
    /// leaves what was there before. Numbers are written with all their digits. Returns the size
    /// in bytes.
    ///
    /// # Errors
    /// [`GpError::Io`].
    pub fn write<T: Serialize>(self, path: &Path, content: &T) -> Result<u64, GpError> {
        let io = |source| GpError::Io { action: "write", path: path.to_owned(), source };
        let written_by = concat!("taut ", env!("CARGO_PKG_VERSION")).to_owned();
        let Self { name, version } = self;
        let envelope = Envelope { format: name.to_owned(), version, written_by, content };
        let mut whole = WholeFile::begin(path)?;
        let mut writer = BufWriter::new(whole.file());
        serde_json::to_writer(&mut writer, &envelope).map_err(|error| io(error.into()))?;
        writer.write_all(b"\n").and_then(|()| writer.flush()).map_err(io)?;
        drop(writer);
        whole.commit()
    }

    /// Reads what [`write`](Self::write) wrote; numbers come back bit for bit.
    ///
    /// # Errors
    /// [`GpError::Io`]; [`GpError::BadFile`] for a file that was cut off, is of another kind, or
    /// was written by a newer version.
    pub fn read<T: DeserializeOwned>(self, path: &Path) -> Result<T, GpError> {
        let bad = |problem: String| GpError::BadFile { path: path.to_owned(), problem };
        let io = |source| GpError::Io { action: "read", path: path.to_owned(), source };
        let text = std::io::read_to_string(BufReader::new(File::open(path).map_err(io)?));
        let text = match text {
            Err(error) if error.kind() == std::io::ErrorKind::InvalidData => {
                return Err(bad(self.another("it is not text")));
            }
            other => other.map_err(io)?,
        };
        let header = serde_json::from_str(&text);
        let Header { format, version } =
            header.map_err(|error| bad(self.explain(&error, &text)))?;
        if format != self.name {
            return Err(bad(self.another(&format!("it is a {format} file"))));
        }
        if version != self.version {
            return Err(bad(format!(
                "has version {version} of the {format} format, this program reads version {}: use the program that wrote it, or fit again",
                self.version
            )));
        }
        let envelope: Envelope<T> =
            serde_json::from_str(&text).map_err(|error| bad(self.explain(&error, &text)))?;
        Ok(envelope.content)
    }

    fn explain(self, error: &serde_json::Error, text: &str) -> String {
        if ends_too_early(error, text) {
            let name = self.name;
            format!("ends too early ({error}): the {name} file was cut off, write it again")
        } else {
            self.another(&error.to_string())
        }
    }

    fn another(self, found: &str) -> String {
        let name = self.name;
        format!("is not a {name} file ({found}): give one that this program wrote")
    }
}

/// Whether reading failed where the text ends: inside a number that is no error of its own.
fn ends_too_early(error: &serde_json::Error, text: &str) -> bool {
    let last = text.lines().enumerate().last();
    let at_end =
        |(index, line): (usize, &str)| error.line() > index && error.column() >= line.len();
    error.is_eof() || (text.starts_with('{') && last.is_some_and(at_end))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMAT: Format = Format { name: "taut-model", version: 1 };

    fn refusal(text: &str) -> String {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("model.json");
        std::fs::write(&path, text).expect("writable");
        FORMAT.read::<Vec<f64>>(&path).expect_err("refused").to_string()
    }

    #[test]
    fn numbers_come_back_bit_for_bit() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("model.json");
        let numbers = vec![0.1, -0.0, 1e-310, std::f64::consts::PI, 1.0 / 3.0, 4.9e-324];
        let size = FORMAT.write(&path, &numbers).expect("writable");
        assert_eq!(size, std::fs::metadata(&path).expect("exists").len());
        let back: Vec<f64> = FORMAT.read(&path).expect("readable");
        let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&back), bits(&numbers));
    }

    #[test]
    fn other_files_are_refused_with_a_reason() {
        let good = r#"{"format":"taut-model","version":1,"written_by":"x","content":[1.0]}"#;
        assert!(refusal(&good[..50]).contains("cut off"));
        assert!(refusal("").contains("cut off"));
        assert!(refusal(&good.replace(":1,", ":2,")).contains("version 2"));
        assert!(refusal(&good.replace("taut-model", "taut-checkpoint")).contains("checkpoint"));
        assert!(refusal("a,b\n1,2\n").contains("not a taut-model file"));
        assert!(refusal(&good.replace("[1.0]", "\"text\"")).contains("not a taut-model file"));
    }

    #[test]
    fn an_unwritable_path_is_named() {
        let path = Path::new("no/such/folder/model.json");
        let error = FORMAT.write(path, &1.0).expect_err("no folder").to_string();
        assert!(error.starts_with("cannot write no/such/folder/model.json"));
    }
}
