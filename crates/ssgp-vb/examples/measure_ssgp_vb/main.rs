//! Measurements of `ssgp-vb` for `cargo xtask bench ssgp-vb`: takes one JSON object that says what,
//! prints one with what was found.
//!
//! ```sh
//! cargo run --release -p ssgp-vb --example measure_ssgp_vb -- '{"op": "scores", "set": "autompg", "split": 0, "method": "global", "m": 25}'
//! ```
#![allow(clippy::print_stdout)]

mod data;
mod scores;
mod speed;

use std::error::Error;

use serde_json::Value;

/// What went wrong, for people.
type Failure = Box<dyn Error + Send + Sync>;

fn main() -> Result<(), Failure> {
    let text = std::env::args().nth(1).ok_or("give one JSON object with an `op`")?;
    let spec: Value = serde_json::from_str(&text)?;
    let found = match spec["op"].as_str() {
        Some("scores") => scores::scores(&spec)?,
        Some("cycles") => scores::cycles(&spec)?,
        Some("cycle") => speed::cycle(&spec)?,
        Some("threads") => speed::threads(&spec)?,
        _ => return Err("`op` is one of scores, cycles, cycle, threads".into()),
    };
    println!("{found}");
    Ok(())
}
