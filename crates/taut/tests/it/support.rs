//! A folder to work in, and the program run in it.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// An empty folder that commands run in.
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// With the tables most tests use: `t.csv` (a, b, y, z), 30 rows, and `new.csv` (b, note, a).
    pub(crate) fn with_tables() -> Self {
        let place = Self::new();
        place.write("t.csv", &table(30));
        place.write("new.csv", "b,note,a\n0.5,first,1\n1.5,second,-0.25\n9,far,40\n");
        place
    }

    /// With a model `m.taut` of `y` from `a` and `b` besides.
    pub(crate) fn with_model() -> Self {
        let place = Self::with_tables();
        place.taut("fit t.csv --target y --drop z --starts 1 --out m.taut").ok();
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let name = |entry: std::fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        let entries = std::fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> = entries.map(|entry| name(entry.unwrap())).collect();
        names.sort();
        names
    }

    /// The program with these arguments, not yet started.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("taut"));
        command.args(arguments).current_dir(self.0.path()).stdin(Stdio::null());
        command
    }

    /// Runs the program; arguments are separated by spaces, without quoting.
    pub(crate) fn taut(&self, arguments: &str) -> Run {
        self.taut_args(&arguments.split_whitespace().collect::<Vec<_>>())
    }

    pub(crate) fn taut_args(&self, arguments: &[&str]) -> Run {
        let before = self.names();
        let output = self.command(arguments).output().unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Run {
            command: arguments.join(" "),
            code: output.status.code(),
            out: text(output.stdout),
            err: text(output.stderr),
            left: self.names().into_iter().filter(|name| !before.contains(name)).collect(),
        }
    }

    /// Runs `fit … --report r.json` and returns the report.
    pub(crate) fn fit(&self, arguments: &str) -> Value {
        self.taut(&format!("fit {arguments} --report r.json")).ok();
        self.json("r.json")
    }
}

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Run {
    command: String,
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
    /// Files that were not there before.
    left: Vec<String>,
}

impl Run {
    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        assert_eq!(self.code, Some(0), "{self:#?}");
        self
    }

    #[track_caller]
    pub(crate) fn code_is(&self, code: i32) {
        assert_eq!(self.code, Some(code), "{self:#?}");
    }

    /// A refusal: its exit code, one line of cause and one of remedy that hold these words, nothing
    /// on standard output, no new file.
    #[track_caller]
    pub(crate) fn refused(self, code: i32, cause: &str, remedy: &str) -> Self {
        assert_eq!(self.code, Some(code), "{self:#?}");
        // Progress on rows begins with their number.
        let told = |line: &&str| {
            !line.starts_with("note: ") && !line.starts_with(|first: char| first.is_ascii_digit())
        };
        let lines: Vec<&str> = self.err.lines().filter(told).collect();
        let [error, help] = lines[..] else { panic!("two lines: {self:#?}") };
        let (error, help) = (error.strip_prefix("error: "), help.strip_prefix("help: "));
        assert!(error.is_some_and(|error| error.contains(cause)), "{self:#?}");
        assert!(help.is_some_and(|help| help.contains(remedy) && help.len() > 5), "{self:#?}");
        assert_eq!(self.out, "", "{}", self.command);
        assert_eq!(self.left, Vec::<String>::new(), "{}", self.command);
        self
    }
}

/// Starts the program, and presses Ctrl-C once training is under way.
#[cfg(unix)]
pub(crate) fn interrupt_after_a_few_steps(place: &Place, arguments: &str) -> std::process::Output {
    use std::io::Read;

    let mut command = place.command(&arguments.split(' ').collect::<Vec<_>>());
    let mut child = command.stderr(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    // The first line of progress says that training is under way.
    let mut stderr = child.stderr.take().unwrap();
    let mut seen = [0; 5];
    stderr.read_exact(&mut seen).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(250));
    let killed = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let mut rest = Vec::new();
    stderr.read_to_end(&mut rest).unwrap();
    let mut output = child.wait_with_output().unwrap();
    output.stderr = rest;
    output
}

/// `a,b,y,z` with `rows` rows of a smooth function and a little noise, the same every time.
pub(crate) fn table(rows: usize) -> String {
    let mut text = "a,b,y,z\n".to_owned();
    for i in 1..=rows {
        let [a, b, noise] = [0.618_034, 0.754_878, 0.414_214].map(|step| (i as f64 * step).fract());
        let (a, b) = (4.0 * a - 2.0, 3.0 * b);
        let y = (1.5 * a).sin() + 0.4 * b + 0.2 * (noise - 0.5);
        let z = a * b - 0.3 * (1.0 - noise);
        text.push_str(&format!("{a},{b},{y},{z}\n"));
    }
    text
}

/// The numbers of a CSV text, row by row, without its header.
pub(crate) fn numbers(csv: &str) -> Vec<Vec<f64>> {
    let row = |line: &str| line.split(',').map(|cell| cell.parse().unwrap()).collect();
    csv.lines().skip(1).map(row).collect()
}

#[track_caller]
pub(crate) fn close(found: f64, expected: f64, tolerance: f64) {
    let error = (found - expected).abs() / expected.abs().max(1.0);
    assert!(error <= tolerance, "{found} is not {expected} within {tolerance}");
}

/// The number at a path such as `/lml/exact`.
#[track_caller]
pub(crate) fn at(report: &Value, path: &str) -> f64 {
    report.pointer(path).and_then(Value::as_f64).unwrap_or_else(|| panic!("{path} in {report:#}"))
}
