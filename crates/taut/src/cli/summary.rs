//! The few lines a person reads after a fit.

use std::path::Path;

use gp_core::MeanSpec;
use kernels::{KernelSpec, StationarySpec};
use taut::Fitted;

use super::fit::test_line;
use super::report::Report;

/// Prints the summary on standard output.
pub(crate) fn print(report: &Report, fitted: &Fitted, out: &Path, size: u64) {
    let params = &report.params;
    println!(
        "{} Gaussian process on {} rows, {} inputs: {}",
        report.method, report.n_train, report.d, report.kernel
    );
    let noise_share = params.noise_variance;
    println!(
        "  noise variance {noise_share:.4e}, mean {}, in {} units",
        mean_text(&params.mean),
        report.units.name()
    );
    if let (Some(lower), Some(upper), Some(exact)) =
        (report.lml.lower, report.lml.upper, report.lml.exact)
    {
        println!(
            "  log marginal likelihood {exact:.4} nats (certified within {:.1e} for rounding)",
            0.5 * (upper - lower)
        );
    }
    if let Some(trained) = &fitted.trained {
        println!(
            "  trained in {:.1} s, {} steps, {} evaluations ({:?})",
            trained.seconds, trained.iterations, trained.evaluations, trained.stop_reason
        );
    }
    if let Some(loo) = &report.loo {
        println!("  leave-one-out: RMSE {:.4}, NLPD {:.4}", loo.rmse, loo.nlpd);
    }
    if let Some(test) = &report.test {
        println!("  {}", test_line(test));
    }
    report.warnings.iter().for_each(|warning| println!("  warning: {warning}"));
    println!("  model: {} ({})", out.display(), size_text(size));
}

fn size_text(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
}

fn mean_text(mean: &MeanSpec) -> String {
    match mean {
        MeanSpec::Zero => "zero".to_owned(),
        MeanSpec::Constant(value) => format!("{value:.4}"),
        MeanSpec::Linear { intercept, .. } => format!("linear (intercept {intercept:.4})"),
    }
}

/// A kernel in the form of the command line, without its numbers.
pub(crate) fn kernel_text(kernel: &KernelSpec) -> String {
    match kernel {
        KernelSpec::SquaredExponential(StationarySpec { active_dims, .. }) => leaf("se", active_dims),
        KernelSpec::Matern12(StationarySpec { active_dims, .. }) => leaf("matern12", active_dims),
        KernelSpec::Matern32(StationarySpec { active_dims, .. }) => leaf("matern32", active_dims),
        KernelSpec::Matern52(StationarySpec { active_dims, .. }) => leaf("matern52", active_dims),
        KernelSpec::RationalQuadratic { active_dims, .. } => leaf("rq", active_dims),
        KernelSpec::Periodic { active_dims, .. } => leaf("periodic", active_dims),
        KernelSpec::Linear { active_dims, .. } => leaf("linear", active_dims),
        KernelSpec::Constant { .. } => "constant".to_owned(),
        KernelSpec::White { .. } => "white".to_owned(),
        KernelSpec::Sum { terms } => terms.iter().map(kernel_text).collect::<Vec<_>>().join(" + "),
        KernelSpec::Product { terms } => {
            let factor = |term: &KernelSpec| match term {
                KernelSpec::Sum { .. } => format!("({})", kernel_text(term)),
                _ => kernel_text(term),
            };
            terms.iter().map(factor).collect::<Vec<_>>().join(" * ")
        }
    }
}

fn leaf(name: &str, active_dims: &Option<Vec<usize>>) -> String {
    match active_dims {
        Some(dims) => {
            let dims: Vec<String> = dims.iter().map(ToString::to_string).collect();
            format!("{name}[{}]", dims.join(","))
        }
        None => name.to_owned(),
    }
}
