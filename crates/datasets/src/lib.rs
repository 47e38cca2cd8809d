#![doc = include_str!("../README.md")]

#[cfg(feature = "parquet")]
mod columnar;
mod describe;
mod design;
mod encoder;
mod error;
#[cfg(feature = "fetch")]
pub mod fetch;
pub mod generators;
mod notice;
pub mod public;
mod random;
mod read;
mod roles;
pub mod samples;
mod screen;
mod source;
mod split;
mod table;
mod tables;
mod write;

pub use describe::{ColumnSummary, Description, LevelCount, describe};
pub use design::{Design, design};
pub use encoder::{Encoder, Input, MAX_LEVELS};
pub use error::{DataError, FetchProblem, FileFormat, Hint, Place, listed};
pub use notice::Notice;
pub use read::{Chunk, CsvChunks, CsvOptions, read_csv};
pub use roles::{Missing, Role, Roles};
pub use screen::{Dropped, DroppedRow};
pub use source::Source;
pub use split::{Split, TestSize, k_fold, split};
pub use table::{Cell, Column, ColumnKind, Table};
pub use tables::{TableChunks, read_table};
pub use write::CsvWriter;
