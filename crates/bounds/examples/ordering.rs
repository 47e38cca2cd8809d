//! What ordering, neighbours, factors and gradients cost: `ordering N D K [BLOCK]`.
#![allow(clippy::print_stdout)] // An example speaks to a person.

use bounds::surrogate::{maximin_order, nearest_predecessors};
use bounds::{Problem, VecchiaFactors, VecchiaStructure, log_det_catalogue};
use kernels::{Kernel, Matern32};
use ndarray::Array2;
use std::sync::Arc;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<usize>());
    let mut next = |default: usize| numbers.next().unwrap_or(Ok(default));
    let (n, d, k, block) = (next(30_000)?, next(9)?, next(30)?, next(0)?);
    // A low-discrepancy sequence: points without pattern and without a generator.
    let root = (1..60).fold(1.5f64, |g, _| (1.0 + g).powf(1.0 / (d as f64 + 1.0)));
    let x = Array2::from_shape_fn((n, d), |(i, j)| {
        ((i + 1) as f64 * root.powi(-(j as i32 + 1))).fract() * 4.0
    });
    let kernel = Matern32::new(vec![1.0; d], 1.0)?;
    let embedded = kernel.embed(&x);
    println!("n = {n}, d = {d}, k = {k}, block = {block}");
    let structure = if block > 0 {
        timed("structure", || VecchiaStructure::nearest_blocks(&embedded, block, k))
    } else {
        let order = timed("maximin order", || maximin_order(&embedded));
        let parents = timed("nearest predecessors", || nearest_predecessors(&embedded, &order, k));
        VecchiaStructure::new(order, parents)?
    };
    let structure = Arc::new(structure);
    let factors =
        timed("factors", || VecchiaFactors::new(&kernel, &x, 0.05, Arc::clone(&structure)));
    println!("{:>24} {:.3}", "log-determinant", factors.log_det());
    drop(factors);
    let problem = Problem::new(&kernel, &x, 0.05)?.with_shared_structure(structure)?;
    problem.vecchia()?;
    let bounds = log_det_catalogue();
    if let Some(bound) = bounds.iter().find(|bound| bound.name() == "vecchia")
        && let Some(differentiable) = bound.differentiable()
    {
        timed("gradient", || differentiable.gradient(&problem))?;
    }
    let r = Array2::from_elem((n, 1), 1.0);
    let surrogate = problem.surrogate(bounds::SurrogateKind::Vecchia)?;
    timed("solve", || linalg_cg::Preconditioner::solve(surrogate, &r));
    Ok(())
}

fn timed<T>(what: &str, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    println!("{what:>24} {:8.3} s", start.elapsed().as_secs_f64());
    result
}
