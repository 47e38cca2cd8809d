//! Observations of a test function as CSV: `cargo run --release -p datasets --example generate -- robot-arm 1000000 0.02 > arm.csv`.
//!
//! Arguments: the function, rows, the standard deviation of the noise. The seed is always 0.
#![allow(clippy::print_stderr)]

use std::error::Error;
use std::io::{BufWriter, Write, stdout};

use datasets::generators::{catalogue, sample};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [name, rows, noise] = &args[..] else {
        let names: Vec<&str> = catalogue().iter().map(|function| function.name()).collect();
        eprintln!("usage: generate FUNCTION ROWS NOISE_STD; functions: {}", names.join(", "));
        return Err("three arguments are wanted".into());
    };
    let found = catalogue().into_iter().find(|function| function.name() == name);
    let function = found.ok_or_else(|| format!("there is no function `{name}`"))?;
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let data = sample(function.as_ref(), rows.parse()?, noise.parse()?, &mut rng)?;
    let mut out = BufWriter::new(stdout().lock());
    let heads: Vec<String> = (1..=data.x.ncols()).map(|column| format!("x{column}")).collect();
    writeln!(out, "{},y", heads.join(","))?;
    for (row, y) in data.x.rows().into_iter().zip(&data.y) {
        row.iter().try_for_each(|value| write!(out, "{value},"))?;
        writeln!(out, "{y}")?;
    }
    Ok(out.flush()?)
}
