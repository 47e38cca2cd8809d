//! From a batch to statistics by the batch's own classes and columns.

use std::ops::Range;

use super::group::Grouping;
use super::{BadCell, Cell, Counts, Group, Moments, Observe, Ones, Table, Tags};
use crate::batch::Columns;
use crate::levels::MISSING;
use crate::{Batch, Kind, Levels, NaiveBayesError, Training, shards};

/// Statistics of everything in a batch but its documents.
#[derive(Default)]
pub(crate) struct Gathered {
    /// Weight of the rows of each class.
    pub(crate) weights: Vec<f64>,
    pub(crate) bernoulli: Table<Ones>,
    pub(crate) tags: Table<Tags>,
    pub(crate) gaussian: Table<Moments>,
    pub(crate) counts: Table<Counts>,
    /// For each categorical feature, the counts of its levels in each class.
    pub(crate) levels: Vec<Vec<Vec<f64>>>,
}

/// The columns of a batch by kind.
struct Plan<'b> {
    bernoulli: Columns<'b>,
    tags: Columns<'b>,
    gaussian: Columns<'b>,
    counts: Columns<'b>,
    levels: Vec<&'b Levels>,
    n_classes: usize,
}

/// Statistics of the rows that count.
pub(crate) fn gather(training: &Training<'_>) -> Result<Gathered, NaiveBayesError> {
    training.check_classes()?;
    let batch = training.batch();
    let plan = Plan::new(batch, training.classes().labels().len());
    let shards = shards::map(batch.n_rows(), |rows| plan.observe(training, rows));
    let mut total = plan.empty();
    for shard in shards {
        total.absorb(&shard?);
    }
    Ok(total)
}

impl<'b> Plan<'b> {
    fn new(batch: &'b Batch<'b>, n_classes: usize) -> Self {
        let columns = |kind| batch.columns(kind, |_| true);
        Self {
            bernoulli: columns(Kind::Bernoulli),
            tags: columns(Kind::Tag),
            gaussian: columns(Kind::Gaussian),
            counts: columns(Kind::Count),
            levels: batch.all_levels().map(|(_, levels)| levels).collect(),
            n_classes,
        }
    }

    fn empty(&self) -> Gathered {
        let classes = self.n_classes;
        let tally = |levels: &&Levels| vec![vec![0.0; levels.labels().len()]; classes];
        Gathered {
            weights: vec![0.0; classes],
            bernoulli: Table::new(classes, self.bernoulli.width()),
            tags: Table::new(classes, self.tags.width()),
            gaussian: Table::new(classes, self.gaussian.width()),
            counts: Table::new(classes, self.counts.width()),
            levels: self.levels.iter().map(tally).collect(),
        }
    }

    /// Statistics of one shard.
    fn observe(
        &self,
        training: &Training<'_>,
        rows: Range<usize>,
    ) -> Result<Gathered, NaiveBayesError> {
        let mut found = self.empty();
        let codes = training.classes().codes();
        let mut grouping = Grouping::new(codes, training.all_weights(), self.n_classes);
        let mut bernoulli = Feeder::new(&self.bernoulli, Kind::Bernoulli);
        let mut tags = Feeder::new(&self.tags, Kind::Tag);
        let mut gaussian = Feeder::new(&self.gaussian, Kind::Gaussian);
        let mut counts = Feeder::new(&self.counts, Kind::Count);
        for rows in shards::blocks(rows) {
            let group = grouping.block(rows.clone());
            for (&class, &weight) in group.classes.iter().zip(group.totals) {
                found.weights[class] += weight;
            }
            bernoulli.feed(&mut found.bernoulli, rows.clone(), &group)?;
            tags.feed(&mut found.tags, rows.clone(), &group)?;
            gaussian.feed(&mut found.gaussian, rows.clone(), &group)?;
            counts.feed(&mut found.counts, rows.clone(), &group)?;
            for (levels, tally) in self.levels.iter().zip(&mut found.levels) {
                count_levels(&levels.codes()[rows.clone()], &group, tally);
            }
        }
        Ok(found)
    }
}

/// Hands the blocks of one kind's columns to its statistics.
struct Feeder<'p, 'b, T: Observe> {
    columns: &'p Columns<'b>,
    kind: Kind,
    cells: Vec<f64>,
    scratch: T::Scratch,
}

impl<'p, 'b, T: Observe> Feeder<'p, 'b, T> {
    fn new(columns: &'p Columns<'b>, kind: Kind) -> Self {
        Self { columns, kind, cells: Vec::new(), scratch: T::Scratch::default() }
    }

    fn feed(
        &mut self,
        table: &mut Table<T>,
        rows: Range<usize>,
        group: &Group<'_>,
    ) -> Result<(), NaiveBayesError> {
        if self.columns.is_empty() {
            return Ok(());
        }
        let block = self.columns.block(rows.clone(), &mut self.cells);
        let result = T::observe(table, block, group, &mut self.scratch);
        result.map_err(|BadCell { row, column, found }| NaiveBayesError::Cell {
            feature: self.columns.names()[column].to_owned(),
            row: rows.start + row,
            found,
            kind: self.kind,
        })
    }
}

fn count_levels(codes: &[u32], group: &Group<'_>, tally: &mut [Vec<f64>]) {
    group.each_row(|row, slot, weight| {
        if codes[row] != MISSING {
            tally[group.classes[slot]][codes[row] as usize] += weight;
        }
    });
}

impl Gathered {
    /// Whether a column of numbers has no cell that counts.
    pub(crate) fn is_empty(&self, kind: Kind, column: usize) -> bool {
        match kind {
            Kind::Bernoulli => self.bernoulli.column(column).all(Cell::is_empty),
            Kind::Tag => self.tags.column(column).all(Cell::is_empty),
            Kind::Gaussian => self.gaussian.column(column).all(Cell::is_empty),
            _ => self.counts.column(column).all(Cell::is_empty),
        }
    }

    /// Adds the next shard.
    fn absorb(&mut self, next: &Self) {
        add(&mut self.weights, &next.weights);
        let classes: Vec<usize> = (0..self.weights.len()).collect();
        let same = |width| (0..width).collect::<Vec<_>>();
        self.bernoulli.merge(&next.bernoulli, &classes, &same(next.bernoulli.width()));
        self.tags.merge(&next.tags, &classes, &same(next.tags.width()));
        self.gaussian.merge(&next.gaussian, &classes, &same(next.gaussian.width()));
        self.counts.merge(&next.counts, &classes, &same(next.counts.width()));
        for (total, next) in self.levels.iter_mut().zip(&next.levels) {
            total.iter_mut().zip(next).for_each(|(total, next)| add(total, next));
        }
    }
}

fn add(total: &mut [f64], next: &[f64]) {
    total.iter_mut().zip(next).for_each(|(total, next)| *total += next);
}
