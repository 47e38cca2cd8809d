//! The columns of one kind, handed out in blocks of rows.

use std::ops::Range;

use ndarray::ArrayRef2;

use crate::shards::BLOCK;

/// Columns of one kind, wherever in the batch they lie.
#[derive(Default)]
pub(crate) struct Columns<'b> {
    names: Vec<&'b str>,
    sources: Vec<(&'b ArrayRef2<f64>, usize)>,
}

/// Some rows of [`Columns`]: row r is `width` numbers from `r · stride`.
#[derive(Clone, Copy)]
pub(crate) struct Block<'s> {
    data: &'s [f64],
    stride: usize,
    pub(crate) width: usize,
}

impl<'s> Block<'s> {
    #[inline(always)]
    pub(crate) fn row(&self, row: usize) -> &'s [f64] {
        &self.data[row * self.stride..][..self.width]
    }

    /// In how many pieces the first rows lie: one where there are no gaps between them.
    #[inline(always)]
    pub(crate) fn pieces(&self, rows: usize) -> usize {
        if self.stride == self.width { 1 } else { rows }
    }

    /// One of the pieces of the first rows.
    #[inline(always)]
    pub(crate) fn piece(&self, piece: usize, rows: usize) -> &'s [f64] {
        let length = if self.stride == self.width { rows * self.width } else { self.width };
        &self.data[piece * self.stride..][..length]
    }
}

impl<'b> Columns<'b> {
    pub(super) fn push(&mut self, name: &'b str, values: &'b ArrayRef2<f64>, position: usize) {
        self.names.push(name);
        self.sources.push((values, position));
    }

    pub(crate) fn width(&self) -> usize {
        self.names.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    pub(crate) fn names(&self) -> &[&'b str] {
        &self.names
    }

    /// The rows where they lie if they are beside each other, else copied together into `scratch`.
    pub(crate) fn block<'s>(&self, rows: Range<usize>, scratch: &'s mut Vec<f64>) -> Block<'s>
    where
        'b: 's,
    {
        match self.in_place() {
            Some((data, stride, offset)) => {
                Block { data: &data[rows.start * stride + offset..], stride, width: self.width() }
            }
            None => self.gather(rows, scratch),
        }
    }

    /// The whole matrix with the distance of its rows and the position of the first column, if one matrix has all columns in turn.
    fn in_place(&self) -> Option<(&'b [f64], usize, usize)> {
        let (values, first) = self.sources.first()?;
        let beside = |(index, (other, position)): (usize, &(&'b ArrayRef2<f64>, usize))| {
            other.as_ptr() == values.as_ptr() && *position == first + index
        };
        if !self.sources.iter().enumerate().all(beside) {
            return None;
        }
        Some((values.as_slice()?, values.ncols(), *first))
    }

    fn gather<'s>(&self, rows: Range<usize>, scratch: &'s mut Vec<f64>) -> Block<'s> {
        let (width, n) = (self.width(), rows.len());
        // Sized once for every block of a shard.
        scratch.resize(BLOCK.max(n) * width, 0.0);
        for (column, (values, position)) in self.sources.iter().enumerate() {
            let from = values.column(*position);
            for (row, cell) in from.iter().skip(rows.start).take(n).enumerate() {
                scratch[row * width + column] = *cell;
            }
        }
        Block { data: scratch, stride: width, width }
    }
}
