//! Measures learning and predicting: one JSON object for each measurement.
//!
//! `cargo run --release -p naive-bayes --example measure_naive_bayes -- FOLDER [--quick]` makes the data in FOLDER if they are not there,
//! where another program can read them as plain binary numbers. `cargo xtask bench naive-bayes` does both.

#![allow(clippy::print_stdout, clippy::float_cmp)]

use std::error::Error;
use std::fs;
use std::hint::black_box;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

use datasets::{CsvChunks, CsvOptions, Source};
use naive_bayes::{Batch, Documents, Kind, Levels, Model, Options, Predictor, Training};
use ndarray::Array2;
use nix::sys::resource::{UsageWho, getrusage};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::json;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// How much there is of everything.
struct Size {
    rows: usize,
    documents: usize,
    terms: usize,
    csv_rows: usize,
    repeats: usize,
}

/// The step that only reads the numbers.
const FLOOR: &str = "floor";
const COLUMNS: usize = 20;
const TOPICS: i64 = 20;
const CHUNK: usize = 1000;
/// Numbers in a line of the cache, and lines that hold a number for each topic.
const LINE: usize = 8;
const LINES: usize = (TOPICS as usize).div_ceil(LINE);

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let quick = args.iter().any(|arg| arg == "--quick");
    let folder =
        PathBuf::from(args.first().filter(|arg| *arg != "--quick").ok_or("give a folder")?);
    let size = match quick {
        true => Size { rows: 4000, documents: 400, terms: 500, csv_rows: 2000, repeats: 1 },
        false => Size {
            rows: 1_000_000,
            documents: 100_000,
            terms: 50_000,
            csv_rows: 400_000,
            repeats: 5,
        },
    };
    fs::create_dir_all(&folder)?;
    let mut bench = Bench { repeats: size.repeats, task: "" };
    numbers(&mut bench, &folder, &size, Kind::Gaussian)?;
    numbers(&mut bench, &folder, &size, Kind::Bernoulli)?;
    documents(&mut bench, &folder, &size)?;
    csv(&mut bench, &folder, &size)
}

/// Prints one line for each step of a task.
struct Bench {
    repeats: usize,
    task: &'static str,
}

impl Bench {
    /// The fastest of several calls, by the processor time of the process and by the clock.
    fn time<T>(&self, step: &str, mut work: impl FnMut() -> Result<T>) -> Result<T> {
        let (mut cpu, mut wall) = (f64::INFINITY, f64::INFINITY);
        let mut last = None;
        for _ in 0..self.repeats {
            let (begin, start) = (processor_seconds()?, Instant::now());
            last = Some(work()?);
            wall = wall.min(start.elapsed().as_secs_f64());
            cpu = cpu.min(processor_seconds()? - begin);
        }
        let threads = rayon::current_num_threads();
        let row = json!({"task": self.task, "step": step, "threads": threads, "cpu_s": cpu, "wall_s": wall});
        println!("{row}");
        last.ok_or_else(|| "nothing was measured".into())
    }
}

fn processor_seconds() -> Result<f64> {
    let usage = getrusage(UsageWho::RUSAGE_SELF)?;
    let seconds =
        |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 * 1e-6;
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}

fn write<T, const N: usize>(
    path: &Path,
    values: impl IntoIterator<Item = T>,
    bytes: impl Fn(T) -> [u8; N],
) -> Result<()> {
    let mut file = BufWriter::new(fs::File::create(path)?);
    values.into_iter().try_for_each(|value| file.write_all(&bytes(value)))?;
    Ok(file.flush()?)
}

/// Rows of two classes that overlap.
fn make_numbers(size: &Size, kind: Kind) -> (Array2<f64>, Vec<i64>) {
    let mut rng = ChaCha8Rng::seed_from_u64(1);
    let classes: Vec<i64> = (0..size.rows).map(|_| rng.random_range(0..2)).collect();
    let x = Array2::from_shape_fn((size.rows, COLUMNS), |(row, column)| {
        let shift = classes[row] as f64 * 0.1 * (column % 4) as f64;
        let noise: f64 = (0..4).map(|_| rng.random::<f64>()).sum();
        match kind {
            Kind::Bernoulli => f64::from(u8::from(rng.random::<f64>() < 0.3 + shift)),
            _ => column as f64 + shift + noise,
        }
    });
    (x, classes)
}

fn names(kind: Kind) -> Vec<(String, Kind)> {
    (0..COLUMNS).map(|column| (format!("x{column}"), kind)).collect()
}

fn fit(batch: &Batch<'_>, classes: &Levels) -> Result<Model> {
    let mut model = Model::default();
    model.observe(&Training::new(batch, classes)?)?;
    Ok(model)
}

/// What no step can do without: every number is read once.
fn read(numbers: &[f64]) -> f64 {
    const LANES: usize = 16;
    let mut sums = [0.0; LANES];
    for numbers in numbers.as_chunks::<LANES>().0 {
        sums.iter_mut().zip(numbers).for_each(|(sum, number)| *sum += number);
    }
    sums.iter().sum()
}

fn predicted(predictor: &Predictor, batch: &Batch<'_>) -> Result<Vec<usize>> {
    Ok(predictor.predict(batch)?)
}

fn numbers(bench: &mut Bench, folder: &Path, size: &Size, kind: Kind) -> Result<()> {
    bench.task = kind.name();
    let (x, y) = make_numbers(size, kind);
    let file = |what: &str| folder.join(format!("{}-{what}.bin", kind.name()));
    write(&file("x"), x.iter(), |value: &f64| value.to_le_bytes())?;
    write(&file("y"), y.iter(), |value: &i64| value.to_le_bytes())?;
    let numbers = x.as_slice().ok_or("the rows have gaps")?;
    bench.time(FLOOR, || Ok(black_box(read(black_box(numbers)))))?;
    let columns = names(kind);
    let model = bench.time("fit", || {
        fit(&Batch::new(size.rows).matrix(&columns, &x)?, &Levels::from_integers(&y))
    })?;
    let chunked = bench.time("fit in chunks", || in_chunks(&columns, &x, &y))?;
    assert_eq!(chunked.total_weight(), model.total_weight());
    let options = Options::default();
    let batch = Batch::new(size.rows).matrix(&columns, &x)?;
    let best = bench.time("predict", || predicted(&model.predictor(&options)?, &batch))?;
    let classes: Vec<i64> = best.iter().map(|class| *class as i64).collect();
    write(&file("predicted"), classes, |value: i64| value.to_le_bytes())?;
    bench.time("predict probabilities", || Ok(model.predictor(&options)?.proba(&batch)?))?;
    let mut holes = x.clone();
    let mut rng = ChaCha8Rng::seed_from_u64(2);
    holes.iter_mut().filter(|_| rng.random::<f64>() < 0.1).for_each(|cell| *cell = f64::NAN);
    let batch = Batch::new(size.rows).matrix(&columns, &holes)?;
    let model = bench.time("fit, a tenth missing", || fit(&batch, &Levels::from_integers(&y)))?;
    bench.time("predict, a tenth missing", || predicted(&model.predictor(&options)?, &batch))?;
    Ok(())
}

fn in_chunks(columns: &[(String, Kind)], x: &Array2<f64>, y: &[i64]) -> Result<Model> {
    let mut model = Model::default();
    let rows = 10 * CHUNK;
    for (x, y) in x.axis_chunks_iter(ndarray::Axis(0), rows).zip(y.chunks(rows)) {
        let batch = Batch::new(y.len()).matrix(columns, &x)?;
        model.observe(&Training::new(&batch, &Levels::from_integers(y))?)?;
    }
    Ok(model)
}

/// A row in compressed form: terms and counts.
type Document = (Vec<u32>, Vec<f64>);

fn make_documents(size: &Size) -> (Vec<Document>, Vec<i64>) {
    let mut rng = ChaCha8Rng::seed_from_u64(3);
    let topics: Vec<i64> = (0..size.documents).map(|_| rng.random_range(0..TOPICS)).collect();
    let document = |topic: &i64| {
        let mut terms: Vec<u32> = (0..84)
            .map(|_| {
                let place = rng.random::<f64>().powi(3) * size.terms as f64;
                (place as u32 + rng.random_range(0..2) * 37 * *topic as u32) % size.terms as u32
            })
            .collect();
        terms.sort_unstable();
        let (mut found, mut counts): Document = (Vec::new(), Vec::new());
        for term in terms {
            match found.last() {
                Some(last) if *last == term => *counts.last_mut().expect("one a term") += 1.0,
                _ => {
                    found.push(term);
                    counts.push(1.0);
                }
            }
        }
        (found, counts)
    };
    (topics.iter().map(document).collect(), topics)
}

fn rows_of(documents: &[Document], terms: usize) -> Result<Documents> {
    let mut starts = vec![0];
    documents.iter().for_each(|(terms, _)| starts.push(starts[starts.len() - 1] + terms.len()));
    let all = documents.iter().flat_map(|(terms, _)| terms.iter().copied()).collect();
    let counts = documents.iter().flat_map(|(_, counts)| counts.iter().copied()).collect();
    Ok(Documents::from_rows(starts, all, counts, terms)?)
}

fn documents(bench: &mut Bench, folder: &Path, size: &Size) -> Result<()> {
    bench.task = "multinomial";
    let (rows, topics) = make_documents(size);
    let file = |what: &str| folder.join(format!("multinomial-{what}.bin"));
    write(&file("lengths"), &rows, |(terms, _)| (terms.len() as i64).to_le_bytes())?;
    write(&file("terms"), rows.iter().flat_map(|row| &row.0), |term| term.to_le_bytes())?;
    write(&file("counts"), rows.iter().flat_map(|row| &row.1), |count| count.to_le_bytes())?;
    write(&file("y"), &topics, |topic| topic.to_le_bytes())?;
    let all = rows_of(&rows, size.terms)?;
    let model = bench.time("fit", || {
        let batch = Batch::new(all.n_rows()).documents("words", &all)?;
        fit(&batch, &Levels::from_integers(&topics))
    })?;
    let chunks: Vec<Documents> =
        rows.chunks(CHUNK).map(|rows| rows_of(rows, size.terms)).collect::<Result<_>>()?;
    let chunked = bench.time("fit in chunks", || {
        let mut model = Model::default();
        for (documents, topics) in chunks.iter().zip(topics.chunks(CHUNK)) {
            let batch = Batch::new(topics.len()).documents("words", documents)?;
            model.observe(&Training::new(&batch, &Levels::from_integers(topics))?)?;
        }
        Ok(model)
    })?;
    assert_eq!(chunked.total_weight(), model.total_weight());
    let options = Options::default();
    let batch = Batch::new(all.n_rows()).documents("words", &all)?;
    let lines = (size.terms * TOPICS as usize).div_ceil(LINE) + LINES;
    let table: Vec<[f64; LINE]> = vec![[1.0; LINE]; lines];
    let flat: Document = (
        rows.iter().flat_map(|row| row.0.iter().copied()).collect(),
        rows.iter().flat_map(|row| row.1.iter().copied()).collect(),
    );
    let predictor = bench.time("make tables", || Ok(model.predictor(&options)?))?;
    bench.time("floor of predict", || Ok(black_box(touch(black_box(&flat), &table))))?;
    let best = bench.time("predict", || predicted(&predictor, &batch))?;
    let classes: Vec<i64> = best.iter().map(|class| *class as i64).collect();
    write(&file("predicted"), classes, |value: i64| value.to_le_bytes())?;
    Ok(())
}

/// What no prediction can do without: for each term of each document, a number from each line of the cache that has its classes.
fn touch((terms, counts): &Document, table: &[[f64; LINE]]) -> [f64; LINES] {
    let mut sums = [0.0; LINES];
    for (&term, &count) in terms.iter().zip(counts) {
        let first = term as usize * TOPICS as usize / LINE;
        let lines = table[first..first + LINES].iter();
        sums.iter_mut().zip(lines).for_each(|(sum, line)| *sum += count * line[0]);
    }
    sums
}

/// A table read, turned into rows and learned, chunk by chunk.
fn csv(bench: &mut Bench, folder: &Path, size: &Size) -> Result<()> {
    bench.task = "csv";
    let path = folder.join("table.csv");
    let (x, y) = make_numbers(&Size { rows: size.csv_rows, ..*size }, Kind::Gaussian);
    let mut text =
        names(Kind::Gaussian).iter().map(|(name, _)| format!("{name},")).collect::<String>();
    text += "class\n";
    for (row, class) in x.rows().into_iter().zip(&y) {
        row.iter().for_each(|value| text += &format!("{value:.6},"));
        text += &format!("{class}\n");
    }
    fs::write(&path, &text)?;
    let megabytes = text.len() as f64 * 1e-6;
    drop(text);
    let model = bench.time(&format!("read and fit {megabytes:.1} MB"), || learn(&path))?;
    assert_eq!(model.total_weight(), size.csv_rows as f64);
    Ok(())
}

fn learn(path: &Path) -> Result<Model> {
    let mut model = Model::default();
    for chunk in CsvChunks::open(Source::path(path), &CsvOptions::default(), 8192)? {
        let table = chunk?.table;
        let (class, features) = table.columns().split_last().ok_or("no columns")?;
        let mut batch = Batch::new(table.n_rows());
        for column in features {
            batch = batch.column(column.name(), Kind::Gaussian, column.numbers().to_vec())?;
        }
        let classes = Levels::from_numbers(class.numbers());
        model.observe(&Training::new(&batch, &classes)?)?;
    }
    Ok(model)
}
