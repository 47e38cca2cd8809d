//! "Did you mean": the name closest to a misspelt one.

/// The candidate with the fewest edits, letter case aside, when that is at most a third of the name's length (one in short names, none in a single letter).
pub(crate) fn nearest<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let wanted = name.trim().to_lowercase();
    let length = wanted.chars().count();
    // Every name of one letter is one edit away from every other.
    let allowed = (length / 3).max(1).min(length.saturating_sub(1));
    let distances =
        candidates.iter().map(|candidate| (edits(&wanted, &candidate.to_lowercase()), *candidate));
    distances
        .filter(|&(distance, _)| distance <= allowed)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, found)| found)
}

/// Levenshtein distance: insertions, deletions and replacements of one character.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, other) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::{edits, nearest};

    #[test]
    fn distances() {
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("", "abc"), 3);
        assert_eq!(edits("same", "same"), 0);
    }

    #[test]
    fn suggestions() {
        let names = ["latitude", "longitude", "y"];
        assert_eq!(nearest("Latitud", &names), Some("latitude"));
        assert_eq!(nearest("Y", &names), Some("y"));
        assert_eq!(nearest("pressure", &names), None);
        assert_eq!(nearest("x", &names), None);
        assert_eq!(nearest("", &[]), None);
    }
}
