//! `taut classify predict`.

use datasets::Chunk;
use naive_bayes::{Predictor, first_largest};
use ndarray::Array2;
use taut::Classifier;

use super::args::ClassifyPredictArgs;
use super::update::absent;
use crate::cli::chunks::{CHUNK, Pass, open};
use crate::cli::failure::Failure;
use crate::cli::machine;
use crate::cli::output::{CsvFile, check_apart, write_csv};
use crate::cli::predict::check_names;

pub(super) fn run(args: &ClassifyPredictArgs) -> Result<(), Failure> {
    machine::use_threads(args.common.threads)?;
    let mut classifier = Classifier::load(&args.model)?;
    classifier.set_options(args.predicting.applied_to(classifier.options())?);
    if let Some(path) = &args.out {
        check_apart(&[&args.model, &args.data], &[path])?;
    }
    write_csv(args.out.as_deref(), |writer| write(args, &classifier, writer))
}

fn write(
    args: &ClassifyPredictArgs,
    classifier: &Classifier,
    mut writer: CsvFile,
) -> Result<(), Failure> {
    let predictor = classifier.predictor()?;
    let mut chunks = open(&args.data, CHUNK)?;
    if args.keep {
        chunks = chunks.keep_cells();
    }
    let kept = if args.keep { chunks.column_names().to_vec() } else { Vec::new() };
    let header = header(&predictor, args.log);
    check_names(&kept, &header)?;
    let names: Vec<String> = kept.into_iter().chain(header).collect();
    let labels: Vec<String> = predictor.classes().iter().map(ToString::to_string).collect();
    let mut pass = Pass::new(args.common.quiet)?;
    absent(classifier, chunks.column_names()).iter().for_each(|note| pass.note(note));
    let mut begun = false;
    pass.each(chunks, "predicted", |chunk| {
        let numbers = predicted(args, classifier, &predictor, chunk)?;
        if !std::mem::replace(&mut begun, true) {
            writer.write_text(names.iter().map(String::as_str))?;
        }
        write_chunk(args, chunk, &numbers, &labels, &mut writer)?;
        Ok(true)
    })?;
    Ok(writer.finish()?)
}

/// `predicted`, and a probability for each class.
fn header(predictor: &Predictor, log: bool) -> Vec<String> {
    let start = if log { "log_p" } else { "p" };
    let names = predictor.classes().iter().map(|class| format!("{start}_{class}"));
    std::iter::once("predicted".to_owned()).chain(names).collect()
}

fn predicted(
    args: &ClassifyPredictArgs,
    classifier: &Classifier,
    predictor: &Predictor,
    chunk: &Chunk,
) -> Result<Array2<f64>, Failure> {
    let batch = classifier.batch(&chunk.table)?;
    let found = if args.log { predictor.log_proba(&batch) } else { predictor.proba(&batch) };
    Ok(found.map_err(|error| classifier.located(&chunk.table, error))?)
}

fn write_chunk(
    args: &ClassifyPredictArgs,
    chunk: &Chunk,
    numbers: &Array2<f64>,
    labels: &[String],
    writer: &mut CsvFile,
) -> Result<(), Failure> {
    let mut kept = chunk.rows();
    for row in numbers.rows() {
        let row = row.to_slice().unwrap_or_default();
        let label = labels[first_largest(row)].as_str();
        if args.keep {
            let cells = kept.next().into_iter().flatten();
            writer.write_row(cells.chain([label]), row)?;
        } else {
            writer.write_row([label], row)?;
        }
    }
    Ok(())
}
