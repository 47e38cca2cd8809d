//! One column: a vector of numbers, and words where a cell is not one.

use std::collections::HashMap;

use super::Cell;

/// What a column's cells have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ColumnKind {
    /// Numbers, apart from missing and infinite cells.
    Number,
    /// Text, apart from missing cells.
    Text,
    /// Numbers and text.
    Mixed,
    /// Missing cells only.
    Empty,
}

/// A named column.
///
/// Memory: 8 bytes a cell, 4 more in columns with any cell that is not a finite number, and each different text once.
#[derive(Debug, Clone)]
pub struct Column {
    name: String,
    /// NaN where the cell is a word.
    numbers: Vec<f64>,
    /// 0 for a number, else 1 + position in `words`; empty while all cells are numbers.
    codes: Vec<u32>,
    words: Vec<Word>,
}

#[derive(Debug, Clone)]
struct Word {
    text: Box<str>,
    kind: WordKind,
    count: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WordKind {
    Missing,
    NotFinite,
    Text,
}

impl Word {
    fn cell(&self) -> Cell<'_> {
        match self.kind {
            WordKind::Missing => Cell::Missing(&self.text),
            WordKind::NotFinite => Cell::NotFinite(&self.text),
            WordKind::Text => Cell::Text(&self.text),
        }
    }
}

impl Column {
    pub(super) fn new(name: String) -> Self {
        Self { name, numbers: Vec::new(), codes: Vec::new(), words: Vec::new() }
    }

    /// Adds a cell; `known` holds where each word of this column stands.
    pub(super) fn push(&mut self, cell: Cell<'_>, known: &mut HashMap<Box<str>, usize>) {
        let (text, kind) = match cell {
            Cell::Number(value) => return self.push_number(value),
            Cell::Missing(text) => (text, WordKind::Missing),
            Cell::NotFinite(text) => (text, WordKind::NotFinite),
            Cell::Text(text) => (text, WordKind::Text),
        };
        let position = known.get(text).copied().unwrap_or_else(|| {
            known.insert(text.into(), self.words.len());
            self.new_word(text, kind)
        });
        self.push_word(position);
    }

    fn push_number(&mut self, value: f64) {
        self.numbers.push(value);
        if !self.words.is_empty() {
            self.codes.push(0);
        }
    }

    fn push_word(&mut self, position: usize) {
        self.numbers.push(f64::NAN);
        // Every word takes at least one cell, so memory ends before 32 bits do.
        self.codes.push(position as u32 + 1);
        self.words[position].count += 1;
    }

    fn new_word(&mut self, text: &str, kind: WordKind) -> usize {
        if self.words.is_empty() {
            self.codes = vec![0; self.numbers.len()];
        }
        self.words.push(Word { text: text.into(), kind, count: 0 });
        self.words.len() - 1
    }

    /// Name of the column.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of cells.
    #[must_use]
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether there are no cells.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// The cell of a row, counted from 0.
    ///
    /// # Panics
    /// When `row` is not below [`len`](Self::len).
    #[must_use]
    pub fn cell(&self, row: usize) -> Cell<'_> {
        match self.codes.get(row).copied().unwrap_or(0) {
            0 => Cell::Number(self.numbers[row]),
            code => self.words[code as usize - 1].cell(),
        }
    }

    /// The cells in order.
    pub fn cells(&self) -> impl Iterator<Item = Cell<'_>> {
        (0..self.len()).map(|row| self.cell(row))
    }

    /// The cells as numbers, NaN where a cell is not a finite number.
    #[must_use]
    pub fn numbers(&self) -> &[f64] {
        &self.numbers
    }

    /// What the cells have in common.
    #[must_use]
    pub fn kind(&self) -> ColumnKind {
        let text = self.n_text();
        let filled = self.len() - self.n_missing();
        match (filled, text) {
            (0, _) => ColumnKind::Empty,
            (_, 0) => ColumnKind::Number,
            (filled, text) if filled == text => ColumnKind::Text,
            _ => ColumnKind::Mixed,
        }
    }

    /// Number of missing cells.
    #[must_use]
    pub fn n_missing(&self) -> usize {
        self.count(WordKind::Missing)
    }

    /// Number of infinite cells and others that are no finite number though not text.
    #[must_use]
    pub fn n_not_finite(&self) -> usize {
        self.count(WordKind::NotFinite)
    }

    /// Number of text cells.
    #[must_use]
    pub fn n_text(&self) -> usize {
        self.count(WordKind::Text)
    }

    /// Whether every cell is a finite number.
    #[must_use]
    pub fn is_all_numbers(&self) -> bool {
        self.words.is_empty()
    }

    fn count(&self, kind: WordKind) -> usize {
        self.words.iter().filter(|word| word.kind == kind).map(|word| word.count).sum()
    }

    /// Different words and how often each occurs, in the order of first sight.
    pub(crate) fn words(&self) -> impl Iterator<Item = (Cell<'_>, usize)> {
        self.words.iter().map(|word| (word.cell(), word.count))
    }

    /// A key that is equal for equal cells: of numbers by value, of words by text.
    pub(crate) fn key(&self, row: usize) -> (u32, u64) {
        match self.codes.get(row).copied().unwrap_or(0) {
            0 => (0, (self.numbers[row] + 0.0).to_bits()),
            code => (code, 0),
        }
    }
}
