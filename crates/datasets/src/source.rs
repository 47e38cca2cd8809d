//! Where a table comes from, opened so that what is read is plain UTF-8 text with LF line ends.

mod line_ends;
mod sniff;

use std::{
    fmt,
    fs::File,
    io::{self, BufReader, Cursor, Read},
    path::{Path, PathBuf},
};

use flate2::bufread::MultiGzDecoder;

#[cfg(feature = "parquet")]
use crate::columnar::Input;
use crate::error::DataError;
use line_ends::LineEnds;
#[cfg(feature = "parquet")]
use sniff::PARQUET;
pub(crate) use sniff::separator;

/// A table's origin: a file, standard input or any reader.
///
/// Gzip is recognised by its first bytes whatever the name. A byte-order mark is skipped, and CRLF and CR line ends are read as LF.
///
/// ```
/// let table = datasets::read_csv(datasets::Source::text("memory", "x,y\n1,2\n"), &Default::default())?;
/// assert_eq!(table.column_names(), ["x", "y"]);
/// # Ok::<(), datasets::DataError>(())
/// ```
pub struct Source {
    name: String,
    origin: Origin,
}

enum Origin {
    Path(PathBuf),
    Stdin,
    Reader(Box<dyn Read + Send>),
}

impl Origin {
    fn reader(self, name: &str) -> Result<Box<dyn Read + Send>, DataError> {
        Ok(match self {
            Self::Path(path) => Box::new(open_file(name, &path)?),
            Self::Stdin => Box::new(io::stdin()),
            Self::Reader(reader) => reader,
        })
    }
}

impl Source {
    /// A file, plain or gzip; its path as given is the name in messages.
    pub fn path(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref();
        Self { name: path.display().to_string(), origin: Origin::Path(path.to_owned()) }
    }

    /// Standard input, plain or gzip.
    #[must_use]
    pub fn stdin() -> Self {
        Self { name: "standard input".into(), origin: Origin::Stdin }
    }

    /// `-` is standard input, anything else a path: the rule of the command line.
    pub fn argument(argument: impl AsRef<Path>) -> Self {
        if argument.as_ref() == Path::new("-") { Self::stdin() } else { Self::path(argument) }
    }

    /// Anything that can be read; `name` stands in messages.
    pub fn reader(name: impl Into<String>, reader: impl Read + Send + 'static) -> Self {
        Self { name: name.into(), origin: Origin::Reader(Box::new(reader)) }
    }

    /// Text in memory; `name` stands in messages.
    pub fn text(name: impl Into<String>, text: &str) -> Self {
        Self::reader(name, Cursor::new(text.as_bytes().to_vec()))
    }

    /// The name that stands in messages.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Looks at the first bytes: text, or a Parquet file.
    #[cfg(feature = "parquet")]
    pub(crate) fn recognise(self) -> Result<Recognised, DataError> {
        let Self { name, origin } = self;
        let raw: Box<dyn Read + Send> = match origin {
            Origin::Path(path) => {
                let file = open_file(&name, &path)?;
                if file.metadata().is_ok_and(|found| found.is_file()) {
                    return recognise_file(name, &path, file);
                }
                Box::new(file)
            }
            other => other.reader(&name)?,
        };
        let failed = |source| unreadable(&name, source);
        let (head, mut reader) = sniff::peek(raw, PARQUET.len()).map_err(failed)?;
        if head != PARQUET {
            return Ok(Recognised::Text(Self { name, origin: Origin::Reader(reader) }));
        }
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).map_err(failed)?;
        Ok(Recognised::Parquet(name, Input::Memory(bytes.into())))
    }

    /// Opens the source and looks at its beginning.
    pub(crate) fn open(self) -> Result<Opened, DataError> {
        let Self { name, origin } = self;
        let raw = origin.reader(&name)?;
        let (head, reader) = sniff::peek(raw, 2).map_err(|source| unreadable(&name, source))?;
        let (gzip, plain): (bool, Box<dyn Read + Send>) = if head == [0x1f, 0x8b] {
            (true, Box::new(MultiGzDecoder::new(BufReader::new(reader))))
        } else {
            (false, reader)
        };
        Opened::new(name, plain, gzip)
    }
}

/// What a source holds.
#[cfg(feature = "parquet")]
pub(crate) enum Recognised {
    /// Text, or what the CSV reader will refuse.
    Text(Source),
    /// A Parquet file and its name.
    Parquet(String, Input),
}

#[cfg(feature = "parquet")]
fn recognise_file(name: String, path: &Path, mut file: File) -> Result<Recognised, DataError> {
    let mut head = Vec::new();
    let read = file.by_ref().take(PARQUET.len() as u64).read_to_end(&mut head);
    read.map_err(|source| unreadable(&name, source))?;
    let named = path.extension().is_some_and(|ending| {
        ending.eq_ignore_ascii_case("parquet") || ending.eq_ignore_ascii_case("pq")
    });
    match head.as_slice() {
        PARQUET => Ok(Recognised::Parquet(name, Input::File(file))),
        [] if named => Err(DataError::Empty { file: name }),
        _ if named => Err(DataError::NotParquet { file: name }),
        _ => Ok(Recognised::Text(Source { name, origin: Origin::Path(path.to_owned()) })),
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Text ready for the CSV parser.
pub(crate) struct Opened {
    pub(crate) name: String,
    /// Beginning of the text: its first line that is not blank, unless that is longer than a mebibyte.
    pub(crate) head: Vec<u8>,
    pub(crate) reader: Box<dyn Read + Send>,
    /// Whether gzip stands between the file and the reader.
    pub(crate) gzip: bool,
}

impl Opened {
    fn new(name: String, plain: Box<dyn Read + Send>, gzip: bool) -> Result<Self, DataError> {
        let failed = |source| read_error(&name, gzip, 0, source);
        let (start, reader) = sniff::peek(plain, 8).map_err(failed)?;
        if let Some(format) = sniff::format_of(&start) {
            return Err(DataError::NotCsv { file: name, format });
        }
        let reader = sniff::skip_mark(reader, &start).map_err(failed)?;
        let (head, reader) = sniff::peek_line(Box::new(LineEnds::new(reader))).map_err(failed)?;
        if let Some(format) = sniff::format_of_head(&head) {
            return Err(DataError::NotCsv { file: name, format });
        }
        Ok(Self { name, head, reader, gzip })
    }
}

fn open_file(name: &str, path: &Path) -> Result<File, DataError> {
    let file = File::open(path).map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => DataError::NotFound { file: name.to_owned() },
        io::ErrorKind::IsADirectory => DataError::Directory { file: name.to_owned() },
        _ => unreadable(name, source),
    })?;
    let metadata = file.metadata().map_err(|source| unreadable(name, source))?;
    if metadata.is_dir() {
        return Err(DataError::Directory { file: name.to_owned() });
    }
    Ok(file)
}

fn unreadable(name: &str, source: io::Error) -> DataError {
    DataError::Unreadable { file: name.to_owned(), source }
}

/// The typed form of a failed read after `rows` complete rows.
pub(crate) fn read_error(name: &str, gzip: bool, rows: u64, source: io::Error) -> DataError {
    let file = name.to_owned();
    match source.kind() {
        io::ErrorKind::UnexpectedEof if gzip => DataError::TruncatedGzip { file, rows },
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData if gzip => {
            DataError::CorruptGzip { file, rows, source }
        }
        io::ErrorKind::IsADirectory => DataError::Directory { file },
        _ => DataError::Unreadable { file, source },
    }
}
