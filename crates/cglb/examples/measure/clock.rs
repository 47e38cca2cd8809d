//! Time and memory.

use std::hint::black_box;
use std::time::Instant;

/// Calls that are timed: at least so many, and more of what takes little time.
const CALLS: std::ops::RangeInclusive<usize> = 3..=25;
/// Seconds after which the fewest calls are enough.
const ENOUGH: f64 = 0.5;

/// Median seconds of a call, after one that is not counted.
pub(crate) fn median_seconds<T>(mut work: impl FnMut() -> T) -> f64 {
    median_seconds_of(|| (), |()| work())
}

/// Median seconds of `work` on what `prepare` makes, which is not timed.
pub(crate) fn median_seconds_of<S, T>(
    mut prepare: impl FnMut() -> S,
    mut work: impl FnMut(S) -> T,
) -> f64 {
    black_box(work(prepare()));
    let (mut times, mut total) = (Vec::new(), 0.0);
    while times.len() < *CALLS.start() || (times.len() < *CALLS.end() && total < ENOUGH) {
        let input = prepare();
        let start = Instant::now();
        black_box(work(black_box(input)));
        times.push(start.elapsed().as_secs_f64());
        total += times[times.len() - 1];
    }
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The largest resident memory this process has had, where the system tells.
pub(crate) fn peak_rss_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|kilobytes| 1024 * kilobytes)
}
