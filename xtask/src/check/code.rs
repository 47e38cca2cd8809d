//! Rust source without its comments and literals, and search in what is left.

/// `source` with every comment and the content of every string and character literal turned into spaces.
/// Line breaks stay, so that line numbers do.
pub(super) fn only(source: &str) -> String {
    let mut scanner = Scanner { rest: source, code: String::with_capacity(source.len()) };
    while !scanner.rest.is_empty() {
        scanner.step();
    }
    scanner.code
}

/// Line numbers, from 1, where `needle` stands in `code` as a word of its own.
pub(super) fn lines_with(code: &str, needle: &str) -> Vec<usize> {
    let numbered = code.lines().enumerate();
    numbered.filter(|(_, line)| has_word(line, needle)).map(|(index, _)| index + 1).collect()
}

fn has_word(line: &str, needle: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(needle).any(|(start, _)| {
        let end = start + needle.len();
        let glued_before = needle.starts_with(is_word) && line[..start].ends_with(is_word);
        let glued_after = needle.ends_with(is_word) && line[end..].starts_with(is_word);
        !glued_before && !glued_after
    })
}

struct Scanner<'a> {
    rest: &'a str,
    code: String,
}

impl Scanner<'_> {
    /// Takes one token that hides text, or one character of code.
    fn step(&mut self) {
        let rest = self.rest;
        let after_word = self.code.ends_with(|c: char| c.is_alphanumeric() || c == '_');
        if rest.starts_with("//") {
            self.blank(rest.find('\n').unwrap_or(rest.len()));
        } else if rest.starts_with("/*") {
            self.blank(block_comment(rest));
        } else if let Some(length) = raw_string(rest).filter(|_| !after_word) {
            self.blank(length);
        } else if rest.starts_with('"') {
            self.blank(quoted(rest, '"'));
        } else if is_char_literal(rest) {
            self.blank(quoted(rest, '\''));
        } else {
            self.keep();
        }
    }

    fn keep(&mut self) {
        let mut chars = self.rest.chars();
        self.code.extend(chars.next());
        self.rest = chars.as_str();
    }

    fn blank(&mut self, length: usize) {
        let (hidden, rest) = self.rest.split_at(length);
        self.code.extend(hidden.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        self.rest = rest;
    }
}

/// Bytes of the comment that `rest` starts with; block comments nest.
fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0_usize, 0);
    while at < rest.len() {
        match rest.as_bytes()[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

/// Bytes of the literal that `rest` starts with, both quotes included.
fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        if c == quote && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    rest.len()
}

/// Bytes of the raw string (`r"…"`, `br#"…"#`, `c`-prefixed too) that `rest` starts with.
fn raw_string(rest: &str) -> Option<usize> {
    let body = rest.trim_start_matches(['b', 'c']).strip_prefix('r')?;
    let content = body.trim_start_matches('#');
    let hashes = body.len() - content.len();
    let end = format!("\"{}", "#".repeat(hashes));
    let open = content.strip_prefix('"')?;
    let closing = open.find(&end).map_or(open.len(), |at| at + end.len());
    Some(rest.len() - open.len() + closing)
}

/// Tells `'x'` and `'\n'` from the lifetime `'x`.
fn is_char_literal(rest: &str) -> bool {
    let mut chars = rest.chars();
    match (chars.next(), chars.next(), chars.next()) {
        (Some('\''), Some('\\'), _) => true,
        (Some('\''), Some(_), Some(third)) => third == '\'',
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blanked_and_lines_kept() {
        let source = "a(); // b()\n/* c /* d */\n e */ f(\"g \\\" h\", 'i', '\\'');\nlet r = br#\"j \" k\"#; fn l<'m>() {}\n";
        let code = only(source);
        assert_eq!(code.lines().count(), source.lines().count());
        let left: String = code.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(left, "a(); f( , , ); let r = ; fn l<'m>() {}");
    }

    #[test]
    fn words_are_found_whole() {
        assert_eq!(lines_with("eprint!()\nx\nprint!()", "print!"), [3]);
        assert!(lines_with("unsafe_code", "unsafe").is_empty());
        assert_eq!(lines_with("unsafe { x }", "unsafe"), [1]);
    }

    #[test]
    fn unfinished_literals_end_with_the_file() {
        for source in ["\"abc", "/* abc", "r#\"abc", "'\\", "// abc"] {
            assert_eq!(only(source).trim(), "", "{source}");
        }
    }

    #[test]
    fn text_outside_ascii_is_kept_apart_from_literals() {
        assert_eq!(only("σ²; \"σ\" // é"), format!("σ²;{}", " ".repeat(9)));
    }
}
