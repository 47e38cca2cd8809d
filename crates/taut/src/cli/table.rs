//! Tables as the commands take them.

use std::path::{Path, PathBuf};

use datasets::{
    CsvOptions, Design, Missing, Notice, Roles, Source, Table, TestSize, design, read_table, split,
};
use gp_core::WholeFile;
use taut::select_rows;

use super::args::FitArgs;
use super::failure::Failure;
use super::output::csv_writer;
use super::remedy::Purpose;

/// Training rows and, if any, test rows, in the table's units.
pub(crate) struct Tables {
    pub(crate) train: Design,
    pub(crate) test: Option<Design>,
    /// The table both were split from, if they were.
    whole: Option<Table>,
}

pub(crate) fn read(path: &Path) -> Result<Table, Failure> {
    Ok(read_table(Source::argument(path), &CsvOptions::default())?)
}

fn roles(args: &FitArgs) -> Roles {
    Roles {
        targets: args.target.clone(),
        features: args.features.clone(),
        drop: args.drop.clone(),
        one_hot: args.one_hot.clone(),
        missing: missing(args),
    }
}

fn missing(args: &FitArgs) -> Missing {
    if args.drop_missing { Missing::DropRows } else { Missing::Refuse }
}

/// Reads the table, encodes it and sets the test rows aside.
pub(crate) fn prepare(args: &FitArgs) -> Result<Tables, Failure> {
    let table = read(&args.data)?;
    let all =
        design(&table, &roles(args)).map_err(|error| Purpose::Fit(&args.target).failure(error))?;
    if let Some(path) = &args.test {
        let test = all.encoder.design(&read(path)?, missing(args));
        let test = test.map_err(|error| Purpose::Test.failure(error))?;
        return Ok(Tables { train: all, test: Some(test), whole: None });
    }
    let Some(fraction) = args.test_fraction else {
        return Ok(Tables { train: all, test: None, whole: None });
    };
    let split = split(all.x.nrows(), TestSize::Fraction(fraction), args.seed)?;
    let test = Some(select_rows(&all, &split.test));
    Ok(Tables { train: select_rows(&all, &split.train), test, whole: Some(table) })
}

/// Where the two parts of a split table go.
pub(crate) fn split_places(folder: &Path) -> [PathBuf; 2] {
    ["train.csv", "test.csv"].map(|name| folder.join(name))
}

impl Tables {
    /// What a person should know of the tables; constant columns are left to the fit, which knows
    /// the training rows.
    pub(crate) fn notices(&self) -> Vec<String> {
        let telling = |notice: &&Notice| !matches!(notice, Notice::ConstantColumn { .. });
        let train = self.train.notices.iter().filter(telling).map(ToString::to_string);
        // The two parts of one table share its notices.
        let other = self.test.iter().filter(|_| self.whole.is_none());
        let test = other.flat_map(|test| test.notices.iter().filter(telling));
        train.chain(test.map(|notice| format!("test table: {notice}"))).collect()
    }

    /// Writes the two parts of the table as `train.csv` and `test.csv`.
    pub(crate) fn write_split(&self, folder: &Path) -> Result<(), Failure> {
        let (Some(whole), Some(test)) = (&self.whole, &self.test) else { return Ok(()) };
        std::fs::create_dir_all(folder).map_err(|error| Failure::cannot_write(folder, &error))?;
        for (place, part) in split_places(folder).iter().zip([&self.train, test]) {
            let file = WholeFile::begin(place)?;
            let mut writer = csv_writer(&file, place)?;
            writer.write_table(whole, part.kept_rows.iter().copied())?;
            writer.finish()?;
            file.commit()?;
        }
        Ok(())
    }
}
