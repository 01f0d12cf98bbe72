//! The known word that a wrong one was probably meant to be.

/// Words longer than this are not compared; no word of the protocol comes near it.
const LONGEST: usize = 48;

/// The word nearest to `wrong`, where one is near enough to be worth a question.
///
/// Case and the kind of separator do not count. Next to a few wrong letters, a word counts as near that is a part of
/// the wrong one, or the other way round: `type` for `type_text`, `left_click` for `click`.
pub(crate) fn nearest<'a>(wrong: &str, words: &[&'a str]) -> Option<&'a str> {
    if wrong.len() > LONGEST {
        return None;
    }
    let wrong = letters(wrong);
    let near = |word: &str| {
        let word = letters(word);
        let steps = distance(&wrong, &word);
        let longer = wrong.len().max(word.len());
        if steps < longer && steps <= 1.max(wrong.len().min(word.len()) / 3) {
            Some(steps)
        } else if wrong.len().min(word.len()) >= 4 && (contains(&wrong, &word) || contains(&word, &wrong)) {
            Some(LONGEST + wrong.len().abs_diff(word.len()))
        } else {
            None
        }
    };
    let ranked = words
        .iter()
        .filter_map(|word| near(word).map(|rank| (rank, *word)));
    ranked.min_by_key(|(rank, _)| *rank).map(|(_, word)| word)
}

/// ` did you mean "click"?`, or nothing.
pub(crate) fn question(wrong: &str, words: &[&str]) -> String {
    nearest(wrong, words).map_or_else(String::new, |word| format!(" did you mean {word:?}?"))
}

fn letters(word: &str) -> Vec<char> {
    let kept = word.chars().filter(|letter| letter.is_alphanumeric());
    kept.flat_map(char::to_lowercase).collect()
}

fn contains(long: &[char], short: &[char]) -> bool {
    long.windows(short.len().max(1)).any(|part| part == short)
}

/// How many letters must be put in, taken out, changed or swapped with their neighbour.
fn distance(from: &[char], to: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=to.len()).collect();
    for (i, letter) in from.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, other) in to.iter().enumerate() {
            let changed = last[j] + usize::from(letter != other);
            let mut best = changed.min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *letter == to[j - 1] && from[i - 1] == *other {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_find_their_word() {
        let words = [
            "click",
            "double_click",
            "type_text",
            "key",
            "move",
            "mouse_down",
            "x",
            "y",
        ];
        for (wrong, meant) in [
            ("clik", Some("click")),
            ("lcick", Some("click")),
            ("doubleClick", Some("double_click")),
            ("double-click", Some("double_click")),
            ("type", Some("type_text")),
            ("left_click", Some("click")),
            ("keys", Some("key")),
            ("X", Some("x")),
            ("fly", None),
            ("", None),
            ("mouse_up_and_away", None),
        ] {
            assert_eq!(nearest(wrong, &words), meant, "{wrong}");
        }
        assert_eq!(nearest(&"click".repeat(100_000), &words), None);
    }
}
