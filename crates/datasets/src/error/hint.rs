//! What a cell that is not a number may have been meant as.

use std::fmt;

/// A guess at why a cell is not a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Hint {
    /// `3,14`: a comma before the decimals.
    DecimalComma,
    /// `1,234.5`: commas between the thousands.
    ThousandsSeparator,
    /// `1_000`: underscores between digits.
    Underscore,
    /// `N/A`, `-` and the like: a missing-value mark that is not in the list.
    MissingMark,
    /// `true`, `no` and the like.
    Boolean,
    /// `2024-05-31`: a date or time.
    Date,
    /// `−5` with a typographic minus sign.
    MinusSign,
    /// `12 kg`, `5%`, `$3`: a number with something around it.
    Unit,
    /// Every cell of the column is text: these are categories.
    Categories,
}

impl Hint {
    /// The guess for one cell, `None` for text that resembles nothing known.
    pub(crate) fn guess(text: &str) -> Option<Self> {
        let lower = text.to_ascii_lowercase();
        if matches!(
            lower.as_str(),
            "n/a" | "#n/a" | "none" | "nil" | "missing" | "-" | "--" | "." | "na" | "null"
        ) {
            return Some(Self::MissingMark);
        }
        if matches!(lower.as_str(), "true" | "false" | "yes" | "no") {
            return Some(Self::Boolean);
        }
        if text.starts_with('−') && is_number(&text.replacen('−', "-", 1)) {
            return Some(Self::MinusSign);
        }
        Self::guess_from_digits(text)
    }

    fn guess_from_digits(text: &str) -> Option<Self> {
        if text.contains(',') {
            return guess_comma(text);
        }
        if text.contains('_') && is_number(&text.replace('_', "")) {
            return Some(Self::Underscore);
        }
        if looks_like_date(text) {
            return Some(Self::Date);
        }
        let inner = text.trim_matches(|c: char| !c.is_ascii_digit());
        (inner.len() < text.len() && is_number(inner)).then_some(Self::Unit)
    }
}

fn guess_comma(text: &str) -> Option<Hint> {
    let groups: Vec<&str> = text.split(',').collect();
    let thousands = groups.len() > 1
        && groups[1..]
            .iter()
            .all(|group| group.split('.').next().is_some_and(|digits| digits.len() == 3))
        && is_number(&text.replace(',', ""));
    if thousands {
        return Some(Hint::ThousandsSeparator);
    }
    let decimal = groups.len() == 2 && is_number(&text.replace('.', "").replace(',', "."));
    decimal.then_some(Hint::DecimalComma)
}

fn is_number(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit()) && text.parse::<f64>().is_ok()
}

/// Two or more groups of digits joined by `-`, `/` or `:` at places where a number has none.
fn looks_like_date(text: &str) -> bool {
    let separators = text.bytes().skip(1).filter(|byte| matches!(byte, b'-' | b'/' | b':')).count();
    let allowed = |byte: u8| byte.is_ascii_digit() || b"-/:. TZ+".contains(&byte);
    separators >= 1 && text.bytes().all(allowed) && text.as_bytes()[0].is_ascii_digit()
}

impl fmt::Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::DecimalComma => "write decimals with a point, not a comma",
            Self::ThousandsSeparator => "write numbers without commas between the thousands",
            Self::Underscore => "write numbers without underscores",
            Self::MissingMark => "if it marks a missing value, leave the cell empty or name the mark as a missing token",
            Self::Boolean => "write 0 and 1, or make the column one-hot",
            Self::Date => "turn dates and times into a number first, such as days since the first one",
            Self::MinusSign => "write the minus sign as `-`",
            Self::Unit => "leave units and signs out of the cells",
            Self::Categories => "make the column one-hot, or drop it",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Hint;

    #[test]
    fn guesses() {
        let cases = [
            ("3,14", Some(Hint::DecimalComma)),
            ("1.234,5", Some(Hint::DecimalComma)),
            ("1,234.5", Some(Hint::ThousandsSeparator)),
            ("12,345,678", Some(Hint::ThousandsSeparator)),
            ("1_000", Some(Hint::Underscore)),
            ("N/A", Some(Hint::MissingMark)),
            ("-", Some(Hint::MissingMark)),
            ("TRUE", Some(Hint::Boolean)),
            ("2024-05-31", Some(Hint::Date)),
            ("12:30", Some(Hint::Date)),
            ("−5", Some(Hint::MinusSign)),
            ("12 kg", Some(Hint::Unit)),
            ("$3", Some(Hint::Unit)),
            ("5%", Some(Hint::Unit)),
            ("red", None),
            ("a,b", None),
            ("é", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(Hint::guess(text), expected, "{text}");
        }
    }
}
