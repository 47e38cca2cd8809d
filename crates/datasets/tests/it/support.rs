//! Short forms used by every module.

use std::io::Write;

use datasets::{CsvOptions, DataError, Design, Missing, Roles, Source, Table, design, read_csv};
use flate2::{Compression, write::GzEncoder};

pub(crate) fn try_read(text: &str) -> Result<Table, DataError> {
    try_read_bytes(text.as_bytes())
}

pub(crate) fn try_read_bytes(bytes: &[u8]) -> Result<Table, DataError> {
    read_csv(Source::reader("t.csv", std::io::Cursor::new(bytes.to_vec())), &CsvOptions::default())
}

pub(crate) fn read(text: &str) -> Table {
    try_read(text).unwrap()
}

/// Everything but `y` as features.
pub(crate) fn try_design(text: &str) -> Result<Design, DataError> {
    design(&read(text), &Roles::target("y"))
}

pub(crate) fn dropping(target: &str) -> Roles {
    Roles { missing: Missing::DropRows, ..Roles::target(target) }
}

pub(crate) fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

pub(crate) fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Asserts the variant and that the message names everything listed.
#[macro_export]
macro_rules! assert_error {
    ($result:expr, $pattern:pat $(if $guard:expr)?, $($part:expr),* $(,)?) => {{
        let error = $result.err().expect("an error was expected");
        let message = error.to_string();
        assert!(matches!(&error, $pattern $(if $guard)?), "{error:?}");
        $(assert!(message.contains($part), "{message:?} lacks {:?}", $part);)*
        assert!(!message.ends_with('.') && !message.contains('\n'), "{message:?}");
    }};
}
