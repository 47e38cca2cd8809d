//! Other packages on the same work in the same run, by the programs beside the data.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Output};

use serde_json::{Value, json};

use super::plan::Size;
use super::progress;

/// A Python that has the peers, and the program it runs.
#[derive(Debug, PartialEq)]
pub(super) struct Peers {
    python: OsString,
    script: PathBuf,
    data: PathBuf,
}

/// One measurement of one peer.
#[derive(Debug, Clone, Copy)]
struct Peer {
    name: &'static str,
    op: &'static str,
    n: usize,
    /// Inducing points.
    m: Option<usize>,
    columns: Option<usize>,
}

const PEERS: [Peer; 9] = [
    Peer::product("keops", 1),
    Peer::product("keops", 11),
    Peer::product("torch-chunked", 1),
    Peer::product("torch-chunked", 11),
    Peer::objective("gpytorch-exact", "objective_gradient", 5_000, None),
    Peer::objective("numpy-exact", "objective", 5_000, None),
    Peer::objective("gpflow-sgpr", "objective_gradient", 10_000, Some(512)),
    Peer::objective("gpytorch-sgpr", "objective_gradient", 10_000, Some(512)),
    Peer::objective("gpflow-cglb", "objective_gradient", 10_000, Some(512)),
];
/// Rows of a smoke test.
const QUICK_ROWS: usize = 500;
const THREADS: usize = 2;

impl Peers {
    /// From `TAUT_PEERS_PYTHON` and `TAUT_DATA_DIR`, or why not.
    pub(super) fn find() -> Result<Self, String> {
        let peers =
            Self::new(std::env::var_os("TAUT_PEERS_PYTHON"), std::env::var_os("TAUT_DATA_DIR"))?;
        match peers.script.is_file() {
            true => Ok(peers),
            false => Err(format!("{} is not there", peers.script.display())),
        }
    }

    fn new(python: Option<OsString>, data: Option<OsString>) -> Result<Self, String> {
        let python = python.ok_or("TAUT_PEERS_PYTHON is not set to a Python that has them")?;
        let data = data.ok_or("TAUT_DATA_DIR is not set, beside which their programs lie")?;
        let data = PathBuf::from(data);
        Ok(Self { python, script: data.join("../peers/peers_bench.py"), data })
    }

    /// A row for each measurement, one that failed included.
    pub(super) fn measure(&self, size: Size) -> Vec<Value> {
        let measured = PEERS.iter().enumerate().map(|(index, peer)| {
            let n = if size == Size::Quick { QUICK_ROWS } else { peer.n };
            let m = peer.m.map(|m| m.min(n / 10));
            let peer = Peer { n, m, ..*peer };
            let columns =
                peer.columns.map_or(String::new(), |columns| format!(" columns={columns}"));
            let label = format!("{} {} n={n}{columns}", peer.name, peer.op);
            progress(index + 1, PEERS.len(), &label);
            peer.row(&self.figures(&peer))
        });
        measured.collect()
    }

    fn figures(&self, peer: &Peer) -> Result<Value, String> {
        let mut command = Command::new(&self.python);
        command.arg(&self.script).args(peer.arguments());
        command.env("UCI_DIR", &self.data).env("BENCH_THREADS", THREADS.to_string());
        let output = command.output();
        read(&output.map_err(|error| format!("{}: {error}", self.python.display()))?)
    }
}

impl Peer {
    const fn product(name: &'static str, columns: usize) -> Self {
        Self { name, op: "product", n: 20_000, m: None, columns: Some(columns) }
    }

    const fn objective(name: &'static str, op: &'static str, n: usize, m: Option<usize>) -> Self {
        Self { name, op, n, m, columns: None }
    }

    fn arguments(&self) -> Vec<String> {
        let task = if self.op == "product" { "matvec" } else { "objgrad" };
        let fixed = ["--peer", self.name, "--task", task, "--dataset", "protein", "--n"];
        let mut arguments: Vec<String> = fixed.map(str::to_owned).to_vec();
        arguments.push(self.n.to_string());
        arguments
            .extend(self.columns.into_iter().flat_map(|c| ["--cols".to_owned(), c.to_string()]));
        arguments.extend(self.m.into_iter().flat_map(|m| ["--m".to_owned(), m.to_string()]));
        arguments
    }

    /// What is behind the package's name, of objectives.
    fn method(&self) -> Option<&'static str> {
        let method = self.name.split_once('-').map(|(_, method)| method);
        method.filter(|_| self.columns.is_none())
    }

    fn row(&self, found: &Result<Value, String>) -> Value {
        let figures = found.as_ref().unwrap_or(&Value::Null);
        let n = figures["n"].as_u64().unwrap_or(self.n as u64);
        let entries = self.columns.map(|_| n as f64 * n as f64);
        let per_entry = figures["seconds"].as_f64().zip(entries);
        let per_entry =
            per_entry.map(|(seconds, entries)| seconds * 1e9 * THREADS as f64 / entries);
        let mut row = json!({
            "op": self.op, "kernel": "matern32", "method": self.method(), "n": n,
            "d": figures["d"], "m": self.m, "columns": self.columns, "threads": THREADS, "dtype": "f64",
            "seconds": figures["seconds"], "ns_per_entry_core": per_entry, "floor_fraction": null,
            "peak_rss_bytes": figures["peak_rss_mb"].as_u64().map(|megabytes| megabytes << 20),
            "value": figures["value"], "data": "protein", "peer": self.name,
        });
        if let Err(reason) = found {
            row["failed"] = json!(reason);
        }
        row
    }
}

/// The figures, which are the last line; of what failed, the last words.
fn read(output: &Output) -> Result<Value, String> {
    let (out, errors) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let figures = out.lines().rev().find_map(|line| serde_json::from_str::<Value>(line).ok());
    let last_words = || {
        let line = errors.lines().map(str::trim).rfind(|line| !line.is_empty());
        line.map_or_else(|| format!("no figures, {}", output.status), str::to_owned)
    };
    let figures = figures.filter(Value::is_object).ok_or_else(last_words)?;
    match figures["failed"].as_str() {
        Some(reason) => Err(reason.to_owned()),
        None => Ok(figures),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some(text: &str) -> Option<OsString> {
        Some(OsString::from(text))
    }

    #[test]
    fn without_a_python_or_data_there_are_no_peers() {
        assert!(Peers::new(None, some("data")).is_err_and(|why| why.contains("TAUT_PEERS_PYTHON")));
        assert!(Peers::new(some("python3"), None).is_err_and(|why| why.contains("TAUT_DATA_DIR")));
        let peers = Peers::new(some("python3"), some("shared/data")).expect("both");
        assert!(peers.script.ends_with("peers/peers_bench.py"));
    }

    #[test]
    fn a_python_that_is_not_there_gives_rows_that_say_so() {
        let peers = Peers::new(some("no-such-python-anywhere"), some(".")).expect("both");
        let rows = peers.measure(Size::Quick);
        assert_eq!(rows.len(), PEERS.len());
        let says_so =
            |row: &Value| row["failed"].as_str().is_some_and(|why| why.contains("no-such-python"));
        assert!(rows.iter().all(says_so), "{rows:?}");
    }

    #[test]
    fn figures_become_a_row() {
        let figures = json!({"n": 1000, "d": 9, "seconds": 0.5, "value": 2.0, "peak_rss_mb": 3});
        let row = PEERS[1].row(&Ok(figures));
        assert_eq!((&row["ns_per_entry_core"], &row["columns"]), (&json!(1000.0), &json!(11)));
        assert_eq!((&row["peer"], &row["peak_rss_bytes"]), (&json!("keops"), &json!(3 << 20)));
        assert!(row.get("failed").is_none());
    }

    #[cfg(unix)]
    #[test]
    fn the_last_words_of_a_failure_are_kept() {
        use std::os::unix::process::ExitStatusExt;
        let output = |stdout: &str, stderr: &str| Output {
            status: std::process::ExitStatus::from_raw(256),
            stdout: stdout.into(),
            stderr: stderr.into(),
        };
        assert_eq!(read(&output("", "Traceback\nno torch\n\n")), Err("no torch".to_owned()));
        assert_eq!(read(&output("{\"failed\": \"memory\"}\n", "")), Err("memory".to_owned()));
        assert_eq!(read(&output("compiling\n{\"n\": 1}\n", "")), Ok(json!({"n": 1})));
        assert!(read(&output("", "")).is_err_and(|why| why.contains("exit status")));
    }
}
