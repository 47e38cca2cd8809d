//! `taut predict`.

use datasets::{DataError, Input, Table, TableChunks};
use gp_core::GpError;
use gp_core::metrics::normal_half_width;
use ndarray::{Array2, Array3, Axis, concatenate};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use taut::{
    Certifier, Model, PredictionBoundOptions, PredictionBounds, TablePrediction, check_predictions,
};

use super::args::PredictArgs;
use super::chunks::{CHUNK, Pass, open};
use super::failure::Failure;
use super::machine;
use super::output::{CsvFile, check_apart, write_csv};
use super::remedy::Purpose;

/// Rows predicted at a time where each takes solves with all training rows.
const CERTIFIED_CHUNK: usize = 256;
/// What is written of each target, and what a certificate adds.
const PREDICTED: [&str; 5] = ["mean", "var_latent", "var_y", "lower", "upper"];
const CERTIFIED: [&str; 3] = ["mean_error_bound", "var_latent_lower", "var_latent_upper"];
/// Joint draws need a covariance of all rows.
const MAX_SAMPLED_ROWS: usize = 10_000;
/// 400 MB of them.
const MAX_SAMPLED_NUMBERS: usize = 50_000_000;

pub(crate) fn run(args: &PredictArgs) -> Result<(), Failure> {
    machine::use_threads(args.common.threads)?;
    let model = Model::load(&args.model)?;
    if !args.mean_only {
        check_memory(args, &model)?;
    }
    if let Some(path) = &args.out {
        check_apart(&[&args.model, &args.data], &[path])?;
    }
    write_csv(args.out.as_deref(), |writer| write(args, &model, writer))
}

/// A variance needs a factor of the method's covariance matrix, a mean does not.
fn check_memory(args: &PredictArgs, model: &Model) -> Result<(), Failure> {
    let variances = ("variances", model.prediction_bytes(), "use --mean-only");
    let certificate = ("certificates", model.certifier_bytes(), "leave --certify out");
    let needs = std::iter::once(variances).chain(args.certify.then_some(certificate));
    let budget = machine::memory_budget(None);
    match needs.into_iter().find(|(_, needed, _)| *needed > budget) {
        None => Ok(()),
        Some((what, needed, instead)) => Err(Failure::new(
            format!(
                "{what} need {:.2} GB of memory, more than this machine has",
                needed as f64 / 1e9
            ),
            format!("{instead}, or use a machine with more memory"),
        )),
    }
}

fn write(args: &PredictArgs, model: &Model, mut writer: CsvFile) -> Result<(), Failure> {
    let usual = if args.certify { CERTIFIED_CHUNK } else { CHUNK };
    let rows = model.rows_at_a_time().map_or(usual, |few| few.min(usual));
    let mut chunks = open(&args.data, rows)?;
    if args.keep {
        chunks = chunks.keep_cells();
    }
    let kept = if args.keep { chunks.column_names().to_vec() } else { Vec::new() };
    let header = header(args, model);
    check_names(&kept, &header)?;
    let names: Vec<&str> = kept.iter().chain(&header).map(String::as_str).collect();
    if let Some(count) = args.samples {
        write_samples(args, model, chunks, count, &names, &mut writer)?;
    } else {
        write_chunks(args, model, chunks, &names, &mut writer)?;
    }
    Ok(writer.finish()?)
}

/// Copied columns and predictions must be told apart.
pub(crate) fn check_names(kept: &[String], header: &[String]) -> Result<(), Failure> {
    match kept.iter().find(|name| header.contains(name)) {
        Some(name) => Err(Failure::new(
            format!("the table has a column `{name}`, which is also the name of a prediction"),
            "rename the column, or predict without --keep",
        )),
        None => Ok(()),
    }
}

/// `mean,var_latent,var_y,lower,upper`, with the target's name behind each when there are several.
fn header(args: &PredictArgs, model: &Model) -> Vec<String> {
    let predicted = if args.mean_only { &PREDICTED[..1] } else { &PREDICTED[..] };
    let certified = if args.certify { &CERTIFIED[..] } else { &[] };
    let mut names: Vec<String> =
        predicted.iter().chain(certified).map(|name| (*name).to_owned()).collect();
    names.extend((1..=args.samples.unwrap_or(0)).map(|draw| format!("sample_{draw}")));
    let targets = model.encoder().target_names();
    if targets.len() == 1 {
        return names;
    }
    let per_target =
        |target: &String| names.iter().map(|name| format!("{name}_{target}")).collect::<Vec<_>>();
    targets.iter().flat_map(per_target).collect()
}

/// The names are written once there is something to write below them.
fn write_chunks(
    args: &PredictArgs,
    model: &Model,
    chunks: TableChunks,
    names: &[&str],
    writer: &mut CsvFile,
) -> Result<(), Failure> {
    let mut pass = Pass::new(args.common.quiet)?;
    let certifier = certifier(args, model)?;
    let mut rows = 0;
    pass.each(chunks, "predicted", |chunk| {
        let x = encode(model, &chunk.table)?;
        let numbers = predict(args, model, certifier.as_ref(), &x, rows)?;
        if rows == 0 {
            writer.write_text(names.iter().copied())?;
        }
        write_rows(args, chunk, &numbers, writer)?;
        rows += x.nrows();
        Ok(true)
    })?;
    Ok(())
}

fn certifier<'m>(args: &PredictArgs, model: &'m Model) -> Result<Option<Certifier<'m>>, Failure> {
    let defaults = PredictionBoundOptions::default();
    let options = PredictionBoundOptions { tolerance: args.certify_tolerance, ..defaults };
    Ok(args.certify.then(|| model.certifier(&options)).transpose()?)
}

/// The inputs of a table; where a column is missing, with what the model wants.
fn encode(model: &Model, table: &Table) -> Result<Array2<f64>, Failure> {
    let encoder = model.encoder();
    encoder.encode(table).map_err(|error| match error {
        DataError::MissingColumn { .. } => {
            let wanted: Vec<&str> = encoder.inputs().iter().map(Input::column).collect();
            let (found, needed) = (table.columns().len(), wanted.len());
            Failure::new(
                format!("{}; it has {found} columns, the model needs {needed}", error.cause()),
                format!("give the columns {}, in any order", wanted.join(", ")),
            )
        }
        other => Purpose::Predict.failure(other),
    })
}

fn write_rows(
    args: &PredictArgs,
    chunk: &datasets::Chunk,
    numbers: &Array2<f64>,
    writer: &mut CsvFile,
) -> Result<(), Failure> {
    if args.keep {
        for (cells, numbers) in chunk.rows().zip(numbers.outer_iter()) {
            writer.write_row(cells, &numbers.to_vec())?;
        }
    } else {
        for numbers in numbers.outer_iter() {
            writer.write_row([], &numbers.to_vec())?;
        }
    }
    Ok(())
}

/// One row of numbers per row of `x`, in the order of the header without samples; `before` rows of
/// the table came before.
fn predict(
    args: &PredictArgs,
    model: &Model,
    certifier: Option<&Certifier<'_>>,
    x: &Array2<f64>,
    before: usize,
) -> Result<Array2<f64>, Failure> {
    let in_table = |error| match error {
        GpError::PredictionNotFinite { row } => GpError::PredictionNotFinite { row: before + row },
        other => other,
    };
    if args.mean_only {
        return Ok(model.predict_mean(x).map_err(in_table)?);
    }
    let numbers = with_interval(args, &model.predict(x).map_err(in_table)?);
    check_predictions(&numbers).map_err(in_table)?;
    match certifier {
        None => Ok(numbers),
        Some(certifier) => Ok(with_bounds(&numbers, &certifier.certify(x).map_err(in_table)?)),
    }
}

/// The five numbers of each target.
fn with_interval(args: &PredictArgs, prediction: &TablePrediction) -> Array2<f64> {
    let half_width = normal_half_width(args.interval);
    let (rows, targets) = prediction.mean.dim();
    Array2::from_shape_fn((rows, 5 * targets), |(row, column)| {
        let at = [row, column / 5];
        let (mean, deviation) = (prediction.mean[at], prediction.var_y[at].sqrt());
        match column % 5 {
            0 => mean,
            1 => prediction.var_latent[at],
            2 => prediction.var_y[at],
            3 => mean - half_width * deviation,
            _ => mean + half_width * deviation,
        }
    })
}

/// Each target's numbers followed by its three bounds.
fn with_bounds(numbers: &Array2<f64>, bounds: &PredictionBounds) -> Array2<f64> {
    let (rows, targets) = bounds.mean_error.dim();
    let (predicted, width) = (PREDICTED.len(), PREDICTED.len() + CERTIFIED.len());
    Array2::from_shape_fn((rows, width * targets), |(row, column)| {
        let (target, place) = (column / width, column % width);
        match place.checked_sub(predicted) {
            None => numbers[[row, predicted * target + place]],
            Some(0) => bounds.mean_error[[row, target]],
            Some(1) => bounds.var_latent_lower[[row, target]],
            Some(_) => bounds.var_latent_upper[[row, target]],
        }
    })
}

/// Draws need a covariance among all rows, and are all held until they are written.
fn check_samples(rows: usize, numbers: usize) -> Result<(), Failure> {
    let cause = if rows > MAX_SAMPLED_ROWS {
        format!(
            "joint draws at more than {MAX_SAMPLED_ROWS} rows need too large a covariance matrix"
        )
    } else if numbers > MAX_SAMPLED_NUMBERS {
        format!("so many rows and draws give more than {MAX_SAMPLED_NUMBERS} numbers")
    } else {
        return Ok(());
    };
    Err(Failure::new(cause, "give fewer rows or draws, or predict without --samples"))
}

fn write_samples(
    args: &PredictArgs,
    model: &Model,
    chunks: TableChunks,
    count: usize,
    names: &[&str],
    writer: &mut CsvFile,
) -> Result<(), Failure> {
    let mut parts = Vec::new();
    let mut inputs = Vec::new();
    let mut rows = 0;
    for chunk in chunks {
        let chunk = chunk?;
        rows += chunk.table.n_rows();
        check_samples(rows, rows * count * model.encoder().target_names().len())?;
        inputs.push(encode(model, &chunk.table)?);
        parts.push(chunk);
    }
    let views: Vec<_> = inputs.iter().map(|part| part.view()).collect();
    let x = concatenate(Axis(0), &views)
        .map_err(|error| Failure::new(error.to_string(), "report this as a fault"))?;
    let draws = model.sample(&x, count, &mut ChaCha8Rng::seed_from_u64(args.seed))?;
    let numbers = beside(&predict(args, model, None, &x, 0)?, &draws);
    writer.write_text(names.iter().copied())?;
    let mut first = 0;
    for chunk in &parts {
        let last = first + chunk.table.n_rows();
        let part = numbers.slice(ndarray::s![first..last, ..]).to_owned();
        write_rows(args, chunk, &part, writer)?;
        first = last;
    }
    Ok(())
}

/// Each target's five numbers followed by its draws.
fn beside(numbers: &Array2<f64>, draws: &Array3<f64>) -> Array2<f64> {
    let (count, rows, targets) = draws.dim();
    let width = 5 + count;
    Array2::from_shape_fn((rows, width * targets), |(row, column)| {
        let (target, place) = (column / width, column % width);
        if place < 5 { numbers[[row, 5 * target + place]] } else { draws[[place - 5, row, target]] }
    })
}
