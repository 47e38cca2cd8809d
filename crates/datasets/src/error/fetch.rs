//! Why a public data set cannot be had.

/// What is wrong with a download, or with a file that stands in for it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FetchProblem {
    /// No address gives a file that could be checked.
    NoAddress {
        /// Why not.
        reason: &'static str,
    },
    /// The system names no folder for caches.
    NoCache,
    /// Nothing answers, or not with HTTP.
    NoAnswer {
        /// The address.
        url: String,
        /// What was said.
        problem: String,
    },
    /// The server has no such file, or does not give it.
    Refused {
        /// The address.
        url: String,
        /// The HTTP status.
        status: u16,
    },
    /// The connection ended before the file did. What arrived is kept.
    Cut {
        /// The address.
        url: String,
        /// Bytes there are.
        received: u64,
        /// Bytes of the file, if the server said.
        expected: Option<u64>,
    },
    /// The file is not the one that is known by this name.
    WrongHash {
        /// The file, or the address it came from.
        file: String,
        /// SHA-256 of the right text.
        expected: &'static str,
        /// That of the text found.
        found: String,
    },
    /// Another process is downloading it.
    Busy {
        /// The unfinished file.
        file: String,
    },
}

impl FetchProblem {
    pub(super) fn cause(&self) -> String {
        match self {
            Self::NoAddress { reason } => format!("cannot be downloaded ({reason})"),
            Self::NoCache => "has no place to go: this system names no cache folder".into(),
            Self::NoAnswer { url, problem } => format!("cannot be had from {url}: {problem}"),
            Self::Refused { url, status } => {
                format!("cannot be had from {url}: the server answers with status {status}")
            }
            Self::Cut { url, received, expected } => {
                let whole = expected.map_or(String::new(), |bytes| format!(" of {bytes}"));
                format!("arrived in part from {url}: {received}{whole} bytes")
            }
            Self::WrongHash { file, expected, found } => {
                format!("is not in {file}: the SHA-256 of its text is {found}, expected {expected}")
            }
            Self::Busy { file } => format!("is being downloaded by another process, to {file}"),
        }
    }

    pub(super) fn remedy(&self) -> &'static str {
        match self {
            Self::NoAddress { .. } => {
                "put its table into the folder TAUT_DATA_DIR names, as NAME/data.csv"
            }
            Self::NoCache => "name a folder in TAUT_CACHE_DIR",
            Self::NoAnswer { .. } => "check the connection, or give another address with --url",
            Self::Refused { .. } => "give another address with --url",
            Self::Cut { .. } => "run the command again to go on",
            Self::WrongHash { .. } => {
                "remove the file if it is yours, or give another address with --url"
            }
            Self::Busy { .. } => "wait for it to end",
        }
    }
}
