//! Rust source with everything blanked out that is not code.

/// What the reader is inside of.
enum Inside {
    Code,
    LineComment,
    /// With the depth, since block comments nest.
    BlockComment(usize),
    /// With the number of `#` that must follow the closing quote, or none when backslashes escape.
    Text(Option<usize>),
}

/// The same lines, with comments and the insides of string and character literals replaced by spaces.
pub(crate) fn only(source: &str) -> String {
    let letters: Vec<char> = source.chars().collect();
    let mut blanked = String::with_capacity(source.len());
    let mut inside = Inside::Code;
    let mut at = 0;
    while at < letters.len() {
        let (next, length, kept) = step(&inside, &letters, at);
        for &letter in &letters[at..at + length] {
            blanked.push(if kept || letter == '\n' { letter } else { ' ' });
        }
        at += length;
        if let Some(next) = next {
            inside = next;
        }
    }
    blanked
}

/// What the letters at `at` are: the state they lead to, how many they are, and whether they are code.
fn step(inside: &Inside, letters: &[char], at: usize) -> (Option<Inside>, usize, bool) {
    let rest = &letters[at..];
    match inside {
        Inside::Code => step_in_code(letters, at),
        Inside::LineComment if rest[0] == '\n' => (Some(Inside::Code), 1, true),
        Inside::LineComment => (None, 1, false),
        Inside::BlockComment(depth) => match rest {
            ['*', '/', ..] if *depth == 1 => (Some(Inside::Code), 2, false),
            ['*', '/', ..] => (Some(Inside::BlockComment(depth - 1)), 2, false),
            ['/', '*', ..] => (Some(Inside::BlockComment(depth + 1)), 2, false),
            _ => (None, 1, false),
        },
        Inside::Text(None) if rest[0] == '\\' => (None, rest.len().min(2), false),
        Inside::Text(None) if rest[0] == '"' => (Some(Inside::Code), 1, true),
        Inside::Text(Some(hashes)) if rest[0] == '"' && hashes_after(rest) >= *hashes => {
            (Some(Inside::Code), 1 + hashes, true)
        }
        Inside::Text(_) => (None, 1, false),
    }
}

fn step_in_code(letters: &[char], at: usize) -> (Option<Inside>, usize, bool) {
    let rest = &letters[at..];
    let in_a_word = at > 0 && (letters[at - 1].is_alphanumeric() || letters[at - 1] == '_');
    match rest {
        ['/', '/', ..] => (Some(Inside::LineComment), 2, false),
        ['/', '*', ..] => (Some(Inside::BlockComment(1)), 2, false),
        ['"', ..] => (Some(Inside::Text(None)), 1, true),
        ['b' | 'c', 'r', '"' | '#', ..] if !in_a_word => raw_text(rest, 2),
        ['r', '"' | '#', ..] if !in_a_word => raw_text(rest, 1),
        ['\'', '\\', ..] => {
            let end = rest.iter().skip(3).position(|&letter| letter == '\'');
            (None, end.map_or(rest.len(), |end| end + 4), false)
        }
        ['\'', _, '\'', ..] => (None, 3, false),
        _ => (None, 1, true),
    }
}

/// A raw string, or a raw identifier such as `r#type`.
fn raw_text(rest: &[char], prefix: usize) -> (Option<Inside>, usize, bool) {
    let hashes = hashes_after(&rest[prefix - 1..]);
    if rest.get(prefix + hashes) == Some(&'"') {
        (Some(Inside::Text(Some(hashes))), prefix + hashes + 1, true)
    } else {
        (None, prefix, true)
    }
}

/// How many `#` follow the first letter.
fn hashes_after(letters: &[char]) -> usize {
    letters[1..].iter().take_while(|&&letter| letter == '#').count()
}

/// Where `word` stands in a line of code as a whole word.
pub(crate) fn has_word(line: &str, word: &str) -> bool {
    let part = |letter: char| letter.is_alphanumeric() || letter == '_';
    line.match_indices(word)
        .any(|(at, _)| !line[..at].ends_with(part) && !line[at + word.len()..].starts_with(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blanked_and_code_is_kept() {
        for (source, expected) in [
            ("a // b\nc", "a     \nc"),
            ("a /* b /* c */ d */ e", "a                   e"),
            (r#"f("x // y", g)"#, r#"f("      ", g)"#),
            (r#""a\"b" c"#, r#""    " c"#),
            (r##"r#"a "b" c"# d"##, r##"r#"       "# d"##),
            (r#"br"a\" b"#, r#"br"  " b"#),
            ("r#type x", "r#type x"),
            ("'\"' a '\\'' b &'a str", "    a      b &'a str"),
            ("'\\u{1F600}' a", "            a"),
            ("for\"x\"", "for\" \""),
        ] {
            assert_eq!(only(source), expected, "{source}");
        }
    }

    #[test]
    fn a_word_is_whole() {
        assert!(has_word("unsafe { }", "unsafe"));
        assert!(!has_word("unsafe_code", "unsafe"));
        assert!(!has_word("an_unsafe", "unsafe"));
        assert!(has_word("an_unsafe unsafe", "unsafe"));
    }
}
