//! The real sets that tables are made of, in the folder `TAUT_DATA_DIR` names.

use std::path::{Path, PathBuf};

use super::names;
use crate::task::Failure;

/// A set: its folder in `TAUT_DATA_DIR`, its target, its rows.
#[derive(Debug)]
pub(super) struct Set {
    pub(super) name: &'static str,
    pub(super) target: &'static str,
    pub(super) rows: usize,
}

pub(super) const SETS: [Set; 5] = [
    Set { name: "protein", target: "log1p_RMSD", rows: 45_730 },
    Set { name: "pol", target: "y", rows: 15_000 },
    Set { name: "elevators", target: "log_goal", rows: 16_599 },
    Set { name: "bike", target: "log_cnt", rows: 17_379 },
    Set { name: "kin40k", target: "y", rows: 40_000 },
];

impl Set {
    /// Its table.
    pub(super) fn file(&self, data: &Path) -> PathBuf {
        data.join(self.name).join("data.csv.gz")
    }

    /// The part of its rows that tests where so many train.
    pub(super) fn left_out(&self, training: usize) -> String {
        ((self.rows - training) as f64 / self.rows as f64).to_string()
    }
}

/// The sets of these names; without names, all.
pub(super) fn chosen(names: &[String]) -> Result<Vec<&'static Set>, Failure> {
    names::check(names, SETS.iter().map(|set| set.name), "set")?;
    Ok(SETS.iter().filter(|set| names::wanted(names, set.name)).collect())
}

/// The folder that `TAUT_DATA_DIR` names.
pub(super) fn folder() -> Result<PathBuf, Failure> {
    std::env::var_os("TAUT_DATA_DIR").map(PathBuf::from).ok_or_else(|| {
        Failure::run(
            "TAUT_DATA_DIR is not set",
            "set it to a folder with NAME/data.csv.gz for each set",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_set_is_refused_with_those_there_are() {
        let failure = chosen(&["iris".to_owned()]).expect_err("not among the sets");
        assert!(matches!(failure, Failure::Usage(cause) if cause.contains("protein, pol")));
        assert_eq!(chosen(&[]).ok().map(|sets| sets.len()), Some(5));
    }
}
