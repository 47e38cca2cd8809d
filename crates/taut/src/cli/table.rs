//! Tables as the commands take them.

use std::path::Path;

use datasets::{CsvOptions, CsvWriter, Design, Missing, Roles, Source, Table, TestSize, design, read_csv, split};
use ndarray::Axis;

use super::args::FitArgs;
use super::failure::Failure;

/// Training rows and, if any, test rows, in the table's units.
pub(crate) struct Tables {
    pub(crate) train: Design,
    pub(crate) test: Option<Design>,
}

pub(crate) fn read(path: &Path) -> Result<Table, Failure> {
    Ok(read_csv(Source::argument(path), &CsvOptions::default())?)
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
    let whole = design(&table, &roles(args))?;
    if let Some(path) = &args.test {
        let test = whole.encoder.design(&read(path)?, missing(args))?;
        return Ok(Tables { train: whole, test: Some(test) });
    }
    let Some(fraction) = args.test_fraction else { return Ok(Tables { train: whole, test: None }) };
    let split = split(whole.x.nrows(), TestSize::Fraction(fraction), args.seed)?;
    if let Some(folder) = &args.split_out {
        for (name, rows) in [("train.csv", &split.train), ("test.csv", &split.test)] {
            write_rows(&table, &whole, rows, &folder.join(name))?;
        }
    }
    let test = Some(select(&whole, &split.test));
    Ok(Tables { train: select(&whole, &split.train), test })
}

fn select(whole: &Design, rows: &[usize]) -> Design {
    Design {
        x: whole.x.select(Axis(0), rows),
        y: whole.y.select(Axis(0), rows),
        kept_rows: rows.iter().map(|&row| whole.kept_rows[row]).collect(),
        ..whole.clone()
    }
}

fn write_rows(table: &Table, whole: &Design, rows: &[usize], path: &Path) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| Failure::cannot_write(folder, &error))?;
    }
    let mut writer = CsvWriter::create(path)?;
    writer.write_table(table, rows.iter().map(|&row| whole.kept_rows[row]))?;
    Ok(writer.finish()?)
}
