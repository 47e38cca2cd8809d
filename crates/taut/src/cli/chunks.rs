//! A table from beginning to end, in bounded memory.

use std::path::Path;
use std::time::{Duration, Instant};

use datasets::{Chunk, CsvOptions, Source, TableChunks};

use super::failure::Failure;
use super::interrupt::Interrupt;
use super::progress::Display;

/// Rows read and worked on at a time, unless each takes long.
pub(crate) const CHUNK: usize = 8192;

/// Work that needs no sign of progress.
const SHORT: Duration = Duration::from_secs(1);

/// Opens a table, of which `rows` rows are read at a time, and reads the names of its columns.
pub(crate) fn open(data: &Path, rows: usize) -> Result<TableChunks, Failure> {
    Ok(TableChunks::open(Source::argument(data), &CsvOptions::default(), rows)?)
}

/// Watches for Ctrl-C and shows how far a command is.
pub(crate) struct Pass {
    interrupt: Interrupt,
    display: Display,
    began: Instant,
    rows: u64,
}

impl Pass {
    pub(crate) fn new(quiet: bool) -> Result<Self, Failure> {
        Ok(Self {
            interrupt: Interrupt::listen()?,
            display: Display::new(quiet),
            began: Instant::now(),
            rows: 0,
        })
    }

    /// A line that stays, on standard error.
    pub(crate) fn note(&self, text: &str) {
        self.display.say(&format!("note: {text}"));
    }

    /// Hands out chunk after chunk until `work` has enough; returns the number of rows.
    pub(crate) fn each(
        &mut self,
        chunks: TableChunks,
        doing: &str,
        mut work: impl FnMut(&Chunk) -> Result<bool, Failure>,
    ) -> Result<u64, Failure> {
        self.rows = 0;
        for chunk in chunks {
            if self.interrupt.asked() {
                self.display.clear();
                return Err(Failure::interrupted("nothing was kept: run the command again"));
            }
            let chunk = chunk?;
            let more = work(&chunk).inspect_err(|_| self.display.clear())?;
            self.rows += chunk.table.n_rows() as u64;
            if self.began.elapsed() >= SHORT {
                self.display.now(format!("{} rows {doing}", self.rows));
            }
            if !more {
                break;
            }
        }
        self.display.clear();
        Ok(self.rows)
    }
}
