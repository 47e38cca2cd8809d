//! Which runs there are.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use super::options::Options;
use crate::bench::names::{check, wanted};
use crate::bench::program::taut;
use crate::bench::sets::{SETS, Set};
use crate::task::{self, Failure};

/// 71 % of its rows repeat another, so that a random split tests on rows it has trained on.
const LEAKING: Set = Set { name: "keggundirected", target: "y", rows: 63_608 };
/// Tables that are always there, for `--quick`.
const EARTHQUAKES: Set = Set { name: "earthquakes", target: "depth", rows: 385 };
const FRIEDMAN: Set = Set { name: "friedman1", target: "y", rows: 900 };

/// A way to fit: its name in the table and what it adds to the command line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Method {
    pub(super) name: String,
    pub(super) options: Vec<String>,
    /// Whether it trains on the fixed subset alone.
    pub(super) on_subset: bool,
}

/// How large everything is.
#[derive(Debug)]
pub(super) struct Scale {
    /// Of the files of results.
    pub(super) name: &'static str,
    pub(super) sets: Vec<&'static Set>,
    /// Inducing points.
    points: [usize; 2],
    /// Rows of the fixed subset.
    pub(super) subset: usize,
    /// Splits of a set of at most, and of more than, 15 000 rows.
    splits: [usize; 2],
    /// Whether the iterative method runs with pivots alone too, as it is known elsewhere.
    pivots: bool,
    pub(super) seconds: f64,
}

/// One fit to make.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) set: &'static Set,
    pub(super) method: Method,
    pub(super) split: usize,
}

impl Scale {
    pub(super) fn of(options: &Options) -> Self {
        let seconds = options.seconds;
        if options.quick {
            return Self {
                name: "uci-quick",
                sets: vec![&EARTHQUAKES, &FRIEDMAN],
                points: [32, 64],
                subset: 200,
                splits: [3, 1],
                pivots: false,
                seconds: seconds.min(10.0),
            };
        }
        Self {
            name: "uci",
            sets: SETS.iter().chain([&LEAKING]).collect(),
            points: [512, 1024],
            subset: 2000,
            splits: [3, 1],
            pivots: true,
            seconds,
        }
    }

    /// The words that ask for this table, but for limits on time, sets and methods.
    pub(super) fn table(&self) -> &'static str {
        if self.name == "uci" { "uci" } else { "uci --quick" }
    }

    pub(super) fn methods(&self) -> Vec<Method> {
        let method = |name: String, options: &str, on_subset| {
            let options = options.split_whitespace().map(str::to_owned).collect();
            Method { name, options, on_subset }
        };
        let m = self.points[0];
        let mut all = vec![method(format!("exact-{}", self.subset), "--method exact", true)];
        for m in self.points {
            all.push(method(format!("sgpr-{m}"), &format!("--method sgpr --inducing {m}"), false));
        }
        for m in self.points {
            all.push(method(format!("cglb-{m}"), &format!("--method cglb --inducing {m}"), false));
        }
        for bound in ["vecchia", "vif"] {
            let options = format!("--method cglb --inducing {m} --bound {bound}");
            all.push(method(format!("cglb-{bound}"), &options, false));
        }
        let iterative = format!("--method iterative --inducing {m}");
        all.push(method("iterative".to_owned(), &iterative, false));
        if self.pivots {
            let options = format!("{iterative} --preconditioner nystrom");
            all.push(method("iterative-nystrom".to_owned(), &options, false));
        }
        all
    }

    /// The runs whose progress is drawn: as the paper's figures 1 and 2, with what can be added.
    pub(super) fn traced(&self, options: &Options) -> Result<Vec<Run>, Failure> {
        let m = self.points[0];
        let methods = ["sgpr", "cglb"].map(|name| format!("{name}-{m}"));
        let drawn = |run: &Run| {
            let name = run.method.name.as_str();
            methods.iter().any(|method| method == name)
                || ["cglb-vecchia", "iterative"].contains(&name)
        };
        let set = |run: &Run| ["pol", "bike", "protein", "friedman1"].contains(&run.set.name);
        let runs = self.runs(options)?;
        Ok(runs.into_iter().filter(|run| run.split == 0 && drawn(run) && set(run)).collect())
    }

    /// Every run asked for, the first split of all before the second of any.
    pub(super) fn runs(&self, options: &Options) -> Result<Vec<Run>, Failure> {
        let methods = self.methods();
        check(&options.sets, self.sets.iter().map(|set| set.name), "set")?;
        check(&options.only, methods.iter().map(|method| method.name.as_str()), "method")?;
        let mut runs = Vec::new();
        for split in 0..self.splits[0] {
            for set in self.sets.iter().filter(|set| wanted(&options.sets, set.name)) {
                let splits = self.splits[usize::from(set.rows > 15_000)].min(options.splits);
                for method in methods.iter().filter(|method| wanted(&options.only, &method.name)) {
                    if split < splits {
                        runs.push(Run { set, method: method.clone(), split });
                    }
                }
            }
        }
        Ok(runs)
    }
}

impl Run {
    pub(super) fn label(&self) -> String {
        format!("{} {} split {}", self.set.name, self.method.name, self.split)
    }

    /// Whether it is among the lines, made with the same limit.
    pub(super) fn is_among(&self, lines: &[Value], scale: &Scale) -> bool {
        lines.iter().any(|line| {
            line["set"] == self.set.name
                && line["method"] == self.method.name.as_str()
                && line["split"] == self.split
                && line["time_limit"] == scale.seconds
        })
    }

    /// The whole table: embedded, generated, or found or downloaded by `taut data fetch`.
    pub(super) fn table(&self, options: &Options, folder: &Path) -> Result<PathBuf, Failure> {
        match self.set.name {
            "earthquakes" => Ok(task::root().join("crates/datasets/data/earthquakes.csv")),
            "friedman1" => {
                let path = folder.join("friedman1.csv");
                fs::write(&path, friedman(self.set.rows))
                    .map_err(|error| Failure::io(&path, &error))?;
                Ok(path)
            }
            name => {
                let mut command: Command = taut();
                command.args(["data", "fetch", name]);
                if let Some(folder) = &options.data {
                    command.env("TAUT_DATA_DIR", folder);
                }
                Ok(PathBuf::from(task::output(&mut command)?.trim_end()))
            }
        }
    }
}

/// Friedman's first function on a lattice that fills the cube, with noise that looks random:
/// y = 10 sin(π x₁x₂) + 20 (x₃ − ½)² + 10 x₄ + 5 x₅ + e, the same every time.
fn friedman(rows: usize) -> String {
    let steps = [0.618_034, 0.754_878, 0.569_84, 0.819_173, 0.671_044];
    let mut text = "x1,x2,x3,x4,x5,y\n".to_owned();
    for row in 1..=rows {
        let x = steps.map(|step| (row as f64 * step).fract());
        let noise = [0.414_214, 0.732_051, 0.236_068].map(|step| (row as f64 * step).fract() - 0.5);
        let y = 10.0 * (std::f64::consts::PI * x[0] * x[1]).sin()
            + 20.0 * (x[2] - 0.5).powi(2)
            + 10.0 * x[3]
            + 5.0 * x[4]
            + 2.0 * noise.iter().sum::<f64>();
        let cells: Vec<String> = x.iter().chain([&y]).map(f64::to_string).collect();
        text += &format!("{}\n", cells.join(","));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn options(text: &str) -> Options {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        Options::parse(&words).expect("known options")
    }

    #[test]
    fn large_sets_are_split_once_and_runs_that_are_there_are_known() {
        let all = options("");
        let scale = Scale::of(&all);
        let runs = scale.runs(&all).expect("all are known");
        let of = |name: &str| runs.iter().filter(|run| run.set.name == name).count();
        assert_eq!((of("pol"), of("protein"), of("keggundirected")), (27, 9, 9));
        let once = options("--splits 1 --sets pol");
        assert_eq!(scale.runs(&once).expect("all are known").len(), 9);
        let run = &runs[0];
        let line = json!({"set": run.set.name, "method": run.method.name, "split": 0, "time_limit": 600.0});
        assert!(run.is_among(std::slice::from_ref(&line), &scale));
        let shorter = options("--time 60");
        assert!(!run.is_among(std::slice::from_ref(&line), &Scale::of(&shorter)));
        for wrong in ["--sets iris", "--only svgp"] {
            let wrong = options(wrong);
            assert!(matches!(Scale::of(&wrong).runs(&wrong), Err(Failure::Usage(_))));
        }
    }
}
