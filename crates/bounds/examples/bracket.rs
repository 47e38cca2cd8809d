//! How tight is the bracket on the evidence as conjugate gradients run longer?
#![allow(clippy::print_stdout)] // An example speaks to a person.

use bounds::{Problem, exact::Exact, lml_bracket, solve_auxiliary};
use kernels::Matern32;
use linalg_cg::CgOptions;
use ndarray::{Array2, s};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let x = Array2::from_shape_fn((800, 2), |(i, j)| {
        6.0 * (i as f64 * [0.754_877_7, 0.569_840_3][j]).fract()
    });
    let y = Array2::from_shape_fn((800, 1), |(i, _)| x[[i, 0]].sin() + (1.7 * x[[i, 1]]).cos());
    let z = x.slice(s![..200, ..]).to_owned();
    let kernel = Matern32::new(vec![1.0, 1.0], 1.0)?;
    let problem =
        Problem::new(&kernel, &x, 1e-3)?.with_inducing_points(&z, 1e-6)?.with_neighbours(30);

    for steps in [0, 5, 10, 20] {
        let options = CgOptions::default().max_iters(steps);
        let solution = solve_auxiliary(&problem, &y, 1e-3, None, &options)?;
        let bracket = lml_bracket(&problem, &y, &solution.v)?;
        println!(
            "{:>3} steps: {:9.2} <= LML <= {:9.2}   (slack: quadratic {:8.2}, log-determinant {:6.2})",
            solution.reports[0].steps,
            bracket.lower,
            bracket.upper,
            bracket.slack.quad,
            bracket.slack.logdet
        );
    }
    println!("    exact: {:9.2}", Exact::new(&problem)?.lml(&y)?);
    Ok(())
}
