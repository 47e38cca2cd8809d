//! What this machine has, and what the process took of it.

use sysinfo::{MemoryRefreshKind, System};

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
    if let Some(gigabytes) = gigabytes {
        return (gigabytes * 1e9) as u64;
    }
    let mut system = System::new();
    system.refresh_memory_specifics(MemoryRefreshKind::nothing().with_ram());
    let group = system.cgroup_limits().map_or(u64::MAX, |limits| limits.total_memory);
    (SHARE * system.total_memory().min(group) as f64) as u64
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
