//! What this machine has, and what the process took of it.

use bounds::exact::bytes_needed;
use sysinfo::{MemoryRefreshKind, System};
use taut::{Method, Surrogates};

use super::args::FitArgs;
use super::failure::Failure;

/// Part of the machine's memory that is used unless told otherwise.
const SHARE: f64 = 0.8;

/// Sets the number of worker threads for the whole process.
pub(crate) fn use_threads(threads: Option<usize>) -> Result<(), Failure> {
    let Some(threads) = threads else { return Ok(()) };
    rayon::ThreadPoolBuilder::new().num_threads(threads).build_global().map_err(|error| {
        Failure::new(
            format!("cannot start {threads} threads: {error}"),
            "choose fewer with --threads",
        )
    })
}

/// The memory budget in bytes: that asked for in GB, or most of what the machine (or the control
/// group the process runs in) has.
pub(crate) fn memory_budget(gigabytes: Option<f64>) -> u64 {
    match gigabytes {
        Some(gigabytes) => (gigabytes * 1e9) as u64,
        None => (SHARE * memory() as f64) as u64,
    }
}

/// Refuses an exact fit of `n` rows that this machine cannot hold, whatever budget is asked for.
pub(crate) fn check_memory(args: &FitArgs, method: Method, n: usize) -> Result<(), Failure> {
    if method != Method::Exact {
        return Ok(());
    }
    let (needed, has) = (bytes_needed(n, !args.no_train), memory());
    let Some(asked) = args.memory.filter(|_| needed > has) else { return Ok(()) };
    if needed as f64 > asked * 1e9 {
        // The budget alone refuses it.
        return Ok(());
    }
    Err(Failure::new(
        format!(
            "an exact Gaussian process on {n} rows needs {:.2} GB of memory, this machine has {:.2} GB, less than the {asked} GB of --memory",
            needed as f64 / 1e9,
            has as f64 / 1e9
        ),
        "use --method cglb --inducing 512, fewer rows, or a machine with more memory",
    ))
}

/// Refuses surrogates of `n` rows whose factors this machine cannot hold: those of the selection
/// of inducing points and of the bounds themselves, M×N each, and k numbers per row.
pub(crate) fn check_surrogates(n: usize, surrogates: Surrogates) -> Result<(), Failure> {
    let per_row = 2.0 * surrogates.inducing.min(n) as f64 + surrogates.neighbours.min(n) as f64;
    let (needed, has) = (8.0 * per_row * n as f64, memory() as f64);
    if needed <= has {
        return Ok(());
    }
    Err(Failure::new(
        format!(
            "{} inducing points and {} neighbours of {n} rows need {:.2} GB of memory, this machine has {:.2} GB",
            surrogates.inducing,
            surrogates.neighbours,
            needed / 1e9,
            has / 1e9
        ),
        "give fewer with --inducing or --neighbours",
    ))
}

/// Bytes this machine, or the control group the process runs in, has.
fn memory() -> u64 {
    let mut system = System::new();
    system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
    let group = system.cgroup_limits().map_or(u64::MAX, |limits| limits.total_memory);
    system.total_memory().min(group)
}

/// The most memory the process held at any time, in bytes, where the system tells.
#[cfg(unix)]
pub(crate) fn peak_rss_bytes() -> Option<u64> {
    use nix::sys::resource::{UsageWho, getrusage};
    let usage = getrusage(UsageWho::RUSAGE_SELF).ok()?;
    // Kilobytes everywhere but on Apple's systems.
    let unit = if cfg!(target_vendor = "apple") { 1 } else { 1024 };
    u64::try_from(usage.max_rss()).ok().map(|rss| rss * unit)
}

#[cfg(not(unix))]
pub(crate) fn peak_rss_bytes() -> Option<u64> {
    None
}
