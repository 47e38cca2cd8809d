//! Line numbers of rows, stored where they jump.

/// Line of each row: one entry for every run of rows on consecutive lines.
#[derive(Debug, Clone, Default)]
pub(super) struct Lines {
    /// (first row of the run, its line), ascending.
    runs: Vec<(usize, u64)>,
    next: u64,
}

impl Lines {
    /// Adds the next row.
    pub(super) fn push(&mut self, row: usize, line: u64) {
        if self.runs.is_empty() || line != self.next {
            self.runs.push((row, line));
        }
        self.next = line + 1;
    }

    /// 0 in tables whose rows stand on no line.
    pub(super) fn line(&self, row: usize) -> u64 {
        let after = self.runs.partition_point(|&(first, _)| first <= row);
        let Some((first, line)) = after.checked_sub(1).map(|run| self.runs[run]) else { return 0 };
        line + (row - first) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::Lines;

    #[test]
    fn jumps_are_kept() {
        let mut lines = Lines::default();
        let given = [2, 3, 5, 6, 10];
        given.iter().enumerate().for_each(|(row, &line)| lines.push(row, line));
        assert_eq!((0..5).map(|row| lines.line(row)).collect::<Vec<_>>(), given);
        assert_eq!(lines.runs.len(), 3);
    }
}
