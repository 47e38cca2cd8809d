//! Case 28: a million rows predicted in bounded memory.

use std::io::{BufRead, BufReader, BufWriter, Write};

use crate::support::Place;

const ROWS: usize = 1_000_000;

fn query(row: usize) -> f64 {
    (row as f64 * 0.618_034).fract() * 5.0
}

#[test]
fn a_million_rows_do_not_need_memory() {
    let place = Place::new();
    place.write("five.csv", "x,y\n0,1\n1,3\n2,2\n3,5\n4,4\n");
    place.taut("fit five.csv --target y --starts 1").ok();
    let mut many = BufWriter::new(std::fs::File::create(place.path("many.csv")).unwrap());
    writeln!(many, "x").unwrap();
    (0..ROWS).for_each(|row| writeln!(many, "{}", query(row)).unwrap());
    many.into_inner().unwrap();
    place.taut("predict five.taut many.csv --out out.csv --quiet").ok();
    assert_peak_below(500_000_000);
    // Rows of different blocks equal those predicted by themselves.
    let picked = [0, 1, 8_191, 8_192, 500_000, ROWS - 1];
    let few: String = picked.iter().map(|&row| format!("{}\n", query(row))).collect();
    place.write("few.csv", &format!("x\n{few}"));
    let few = place.taut("predict five.taut few.csv").ok().out;
    let out = BufReader::new(std::fs::File::open(place.path("out.csv")).unwrap());
    let mut count = 0;
    let mut expected = few.lines().skip(1);
    for (row, line) in out.lines().skip(1).enumerate() {
        if picked.contains(&row) {
            assert_eq!(expected.next(), Some(line.unwrap().as_str()), "row {row}");
        }
        count += 1;
    }
    assert_eq!(count, ROWS);
}

/// The largest of all processes this test binary has started.
#[cfg(unix)]
fn assert_peak_below(bytes: i64) {
    use nix::sys::resource::{UsageWho, getrusage};
    let unit = if cfg!(target_vendor = "apple") { 1 } else { 1024 };
    let peak = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap().max_rss() * unit;
    assert!(peak < bytes, "{peak} bytes");
}

#[cfg(not(unix))]
fn assert_peak_below(_bytes: i64) {}
