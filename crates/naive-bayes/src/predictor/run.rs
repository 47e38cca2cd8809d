//! Rows through the tables: shards in parallel, blocks in turn, nothing allocated for a row.

use std::ops::Range;

use rayon::prelude::*;

use super::Predictor;
use super::binary::LocalBinary;
use super::categorical::LocalCategorical;
use super::counts::LocalCounts;
use super::gaussian::LocalGaussian;
use super::joint::{Joint, Mode, Row};
use super::multinomial::LocalMultinomial;
use crate::batch::Columns;
use crate::statistics::BadCell;
use crate::{Batch, Kind, NaiveBayesError, UnseenLevel, shards};

/// The columns of a batch that are used, with the tables cut to fit them.
struct Plan<'b> {
    mode: Mode,
    bernoulli: (Columns<'b>, LocalBinary),
    tags: (Columns<'b>, LocalBinary),
    gaussian: (Columns<'b>, LocalGaussian),
    counts: (Columns<'b>, LocalCounts),
    categorical: Vec<(&'b str, LocalCategorical<'b>)>,
    multinomial: Vec<(&'b str, LocalMultinomial<'b>)>,
}

impl Predictor {
    /// Hands each row's joint values to `finish` with its `width` places in `out`.
    pub(super) fn run<T: Send>(
        &self,
        batch: &Batch<'_>,
        mode: Mode,
        width: usize,
        out: &mut [T],
        finish: impl Fn(Row<'_>, &mut [T]) + Sync,
    ) -> Result<(), NaiveBayesError> {
        let plan = self.plan(batch, mode)?;
        let length = shards::rows_per_shard(batch.n_rows());
        let shard = |(index, out): (usize, &mut [T])| {
            let start = index * length;
            self.run_shard(&plan, start..start + out.len() / width, |row, values| {
                finish(values, &mut out[(row - start) * width..][..width]);
            })
        };
        let results = out.par_chunks_mut(length * width).enumerate().with_max_len(1).map(shard);
        let results: Vec<_> = results.collect();
        results.into_iter().collect()
    }

    /// The joint values of single rows, as [`explain`](Predictor::explain) needs them.
    pub(super) fn run_shard_of(
        &self,
        batch: &Batch<'_>,
        mode: Mode,
        rows: Range<usize>,
        each: impl FnMut(usize, Row<'_>),
    ) -> Result<(), NaiveBayesError> {
        self.run_shard(&self.plan(batch, mode)?, rows, each)
    }

    fn run_shard(
        &self,
        plan: &Plan<'_>,
        rows: Range<usize>,
        mut each: impl FnMut(usize, Row<'_>),
    ) -> Result<(), NaiveBayesError> {
        let mut joint = Joint::new(self.classes.len(), plan.mode, shards::BLOCK);
        let mut scratch = Vec::new();
        for rows in shards::blocks(rows) {
            joint.start(rows.len(), &self.log_prior);
            plan.add(&mut joint, rows.clone(), &mut scratch, self.unseen)?;
            joint.finish(|row, values| each(rows.start + row, values));
        }
        Ok(())
    }

    fn plan<'b>(&'b self, batch: &'b Batch<'_>, mode: Mode) -> Result<Plan<'b>, NaiveBayesError> {
        for (name, found) in batch.features() {
            if let Some(&(known, _)) = self.features.get(name).filter(|(known, _)| *known != found)
            {
                return Err(NaiveBayesError::KindMismatch { name: name.to_owned(), known, found });
            }
        }
        let columns = |kind| {
            let columns = batch.columns(kind, |name| self.uses(name));
            let places = columns.names().iter().map(|name| self.features[*name].1).collect();
            (columns, places)
        };
        let (bernoulli, bernoulli_at): (_, Vec<usize>) = columns(Kind::Bernoulli);
        let (tags, tags_at): (_, Vec<usize>) = columns(Kind::Tag);
        let (gaussian, gaussian_at): (_, Vec<usize>) = columns(Kind::Gaussian);
        let (counts, counts_at): (_, Vec<usize>) = columns(Kind::Count);
        Ok(Plan {
            mode,
            bernoulli: (bernoulli, self.bernoulli.of_cells(mode, &bernoulli_at)),
            tags: (tags, self.tags.of_tags(mode, &tags_at, &self.absent_tags(&tags_at))),
            gaussian: (gaussian, self.gaussian.local(&gaussian_at)),
            counts: (counts, self.counts.local(&counts_at)),
            categorical: self.plan_levels(batch),
            multinomial: self.plan_documents(batch)?,
        })
    }

    /// Tags of the model that the batch does not have: they are absent, which says something.
    fn absent_tags(&self, present: &[usize]) -> Vec<usize> {
        let places = self.features.values().filter(|(kind, _)| *kind == Kind::Tag);
        let mut absent: Vec<usize> =
            places.map(|(_, at)| *at).filter(|at| !present.contains(at)).collect();
        absent.sort_unstable();
        absent
    }

    fn plan_levels<'b>(&'b self, batch: &'b Batch<'_>) -> Vec<(&'b str, LocalCategorical<'b>)> {
        let known = batch.all_levels().filter(|(name, _)| self.uses(name));
        known
            .map(|(name, levels)| (name, self.categorical[self.features[name].1].local(levels)))
            .collect()
    }

    fn plan_documents<'b>(
        &'b self,
        batch: &'b Batch<'_>,
    ) -> Result<Vec<(&'b str, LocalMultinomial<'b>)>, NaiveBayesError> {
        let mut plans = Vec::new();
        for (name, documents) in batch.all_documents().filter(|(name, _)| self.uses(name)) {
            let table = &self.multinomial[self.features[name].1];
            if table.is_named() != documents.names().is_some() {
                return Err(NaiveBayesError::TermNames { name: name.to_owned() });
            }
            plans.push((name, table.local(documents)));
        }
        Ok(plans)
    }
}

impl Plan<'_> {
    fn add(
        &self,
        joint: &mut Joint,
        rows: Range<usize>,
        cells: &mut Vec<f64>,
        unseen: UnseenLevel,
    ) -> Result<(), NaiveBayesError> {
        let n = rows.len();
        let refuse = |columns: &Columns<'_>, kind, BadCell { row, column, found }| {
            let feature = columns.names()[column].to_owned();
            NaiveBayesError::Cell { feature, row: rows.start + row, found, kind }
        };
        for ((columns, table), kind) in
            [(&self.bernoulli, Kind::Bernoulli), (&self.tags, Kind::Tag)]
        {
            let block = columns.block(rows.clone(), cells);
            table.add(joint, block, n).map_err(|bad| refuse(columns, kind, bad))?;
        }
        let (columns, table) = &self.counts;
        let block = columns.block(rows.clone(), cells);
        table.add(joint, block, n).map_err(|bad| refuse(columns, Kind::Count, bad))?;
        for (feature, table) in &self.categorical {
            table.add(joint, rows.clone(), unseen).map_err(|(row, level)| {
                NaiveBayesError::UnseenLevel { feature: (*feature).to_owned(), row, level }
            })?;
        }
        self.multinomial.iter().for_each(|(_, table)| table.add(joint, rows.clone()));
        // Last, because rows far from every mean are shifted.
        let (columns, table) = &self.gaussian;
        let block = columns.block(rows.clone(), cells);
        table.add(joint, block, n).map_err(|bad| refuse(columns, Kind::Gaussian, bad))
    }
}
