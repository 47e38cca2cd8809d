//! Times one computation and prints the figures as a JSON line: `cargo xtask bench kernels` starts it once for each of its
//! rows, so that peaks of memory are the row's own.
//!
//! ```sh
//! cargo run --release -p cglb --example measure -- '{"op": "product", "kernel": "matern32", "n": 20000, "d": 9, "columns": 1, "threads": 2}'
//! ```
#![allow(clippy::print_stdout)]

mod clock;
mod floor;
mod inputs;
mod objectives;
mod products;
mod sparse;

use std::error::Error;

use serde::{Deserialize, Serialize};

/// What to measure. Fields that an operation has no use for may be left out.
#[derive(Debug, Deserialize)]
struct Spec {
    op: Op,
    #[serde(default)]
    kernel: Kind,
    /// Of objectives.
    method: Option<Method>,
    /// Data rows.
    n: usize,
    /// Input columns.
    d: usize,
    /// Inducing points or new rows.
    m: Option<usize>,
    /// Right-hand sides.
    columns: Option<usize>,
    threads: usize,
    /// Single precision is what conjugate gradients may search with.
    #[serde(default)]
    dtype: Dtype,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Dtype {
    #[default]
    F64,
    F32,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Op {
    /// K V.
    Product,
    /// K V with the tiles of K kept in memory.
    StoredProduct,
    /// Σ_c u_cᵀ (∂K/∂log θ) v_c.
    Gradient,
    /// K(X*, X) V.
    CrossProduct,
    /// K_uf.
    KUf,
    /// The gradient of Σ W ∘ K_uf in θ and in Z.
    KUfGradient,
    /// The factor of K, which is there already.
    Cholesky,
    /// The exact log marginal likelihood.
    Objective,
    /// The objective of a method with its gradient.
    ObjectiveGradient,
    /// A model at given hyperparameters.
    Condition,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Method {
    #[default]
    Exact,
    Sgpr,
    Cglb,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Se,
    #[default]
    Matern32,
    Matern52,
    /// Matérn-3/2 and squared exponential, both of all columns.
    Sum,
}

/// The figures of one row.
#[derive(Debug, Default, Serialize)]
struct Figures {
    /// Median of one call.
    seconds: f64,
    /// Kernel entries a call works through.
    entries: Option<f64>,
    /// The arithmetic of one entry on one core, in ns.
    floor_ns: Option<f64>,
    /// A log marginal likelihood, nats.
    value: Option<f64>,
    /// Where the rows come from.
    data: &'static str,
    /// The largest resident memory of this process.
    peak_rss_bytes: Option<u64>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let text =
        std::env::args().nth(1).ok_or("the argument is missing: what to measure, as JSON")?;
    let spec: Spec = serde_json::from_str(&text)?;
    rayon::ThreadPoolBuilder::new().num_threads(spec.threads).build_global()?;
    let mut figures = match spec.op {
        Op::Cholesky | Op::Objective | Op::ObjectiveGradient | Op::Condition => {
            objectives::measure(&spec)?
        }
        _ => products::measure(&spec)?,
    };
    figures.peak_rss_bytes = clock::peak_rss_bytes();
    println!("{}", serde_json::to_string(&figures)?);
    Ok(())
}
