//! Chords such as `ctrl+shift+t`, in the grammar of xdotool, as symbols of X11. No display server is needed here.

mod names;

use crate::DesktopError;

/// More keys than anybody has fingers.
const MOST_KEYS: usize = 10;

/// More bytes than ten keys have in their names. Looking for a near name takes time with the length of the wrong one.
const LONGEST: usize = 512;

/// The symbols of a chord in the order in which they are pressed; at least one.
///
/// # Errors
/// `Invalid` for an empty or dangling chord, and for a key that nobody knows.
pub fn parse(chord: &str) -> Result<Vec<u32>, DesktopError> {
    let invalid = |text: String| Err(DesktopError::Invalid(text));
    if chord.is_empty() {
        return invalid("an empty chord presses nothing; name a key, such as Return or ctrl+s".to_owned());
    }
    if chord.len() > LONGEST {
        let length = chord.len();
        return invalid(format!(
            "a chord of {length} bytes is none, {LONGEST} are the most; type_text types texts"
        ));
    }
    let mut symbols = Vec::new();
    let mut rest = Some(chord);
    while let Some(text) = rest {
        let (name, after) = split(text);
        if name.is_empty() {
            let hint = "a key is missing beside a +; write plus for the key itself";
            return invalid(format!("{chord:?} is not a chord: {hint}"));
        }
        if let Some(control) = lone_control(name) {
            return invalid(no_key(control));
        }
        let Some(symbol) = names::symbol(name) else {
            return invalid(unknown(chord, name));
        };
        symbols.push(symbol);
        if symbols.len() > MOST_KEYS {
            return invalid(format!("a chord has at most {MOST_KEYS} keys"));
        }
        rest = after;
    }
    Ok(symbols)
}

/// The first name of a chord, and what follows its plus where it has one.
fn split(text: &str) -> (&str, Option<&str>) {
    let end = if text == "+" || text.starts_with("++") {
        // The key `+` itself may be written as it is: `+`, `ctrl++`.
        1
    } else {
        code_point(text).unwrap_or_else(|| text.find('+').unwrap_or(text.len()))
    };
    let (name, after) = text.split_at(end);
    (name, after.strip_prefix('+'))
}

/// How long the name `U+20AC` is, which is one although it has a plus.
fn code_point(text: &str) -> Option<usize> {
    let after = text.strip_prefix(['u', 'U'])?.strip_prefix('+')?;
    let digits = after.split('+').next()?;
    let is_code = (4..=6).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_code.then_some(2 + digits.len())
}

/// The control character that a name is nothing but.
fn lone_control(name: &str) -> Option<char> {
    let mut characters = name.chars();
    let control = characters.next().filter(|character| character.is_control())?;
    characters.next().is_none().then_some(control)
}

/// What to write instead of a control character, which stands on no key.
fn no_key(control: char) -> String {
    let instead = match control {
        '\n' | '\r' => "Return",
        '\t' => "Tab",
        '\u{8}' => "BackSpace",
        '\u{1b}' => "Escape",
        '\u{7f}' => "Delete",
        _ => "a name of X11 keysyms such as Return or F5",
    };
    format!(
        "the control character {} is no key; use {instead}",
        control.escape_unicode()
    )
}

fn unknown(chord: &str, name: &str) -> String {
    if chord.contains(char::is_whitespace) {
        return format!("{chord:?} is not one chord; send several chords one after another");
    }
    let plus = chord.replace('-', "+");
    if plus != chord && parse(&plus).is_ok() {
        return format!("no key is called {name:?}; did you mean {plus}?");
    }
    match names::nearest(name) {
        Some(near) => format!("no key is called {name:?}; did you mean {near}?"),
        None => {
            format!("no key is called {name:?}; use names of X11 keysyms such as Return, Page_Down, F5 or a")
        }
    }
}

#[cfg(test)]
mod tests {
    use xkeysym::key;

    use super::*;

    #[track_caller]
    fn check(chord: &str, expect: &[u32]) {
        assert_eq!(parse(chord).as_deref(), Ok(expect), "{chord}");
    }

    #[test]
    fn a_chord_in_the_grammar_of_others_is_said_in_this_one() {
        for (chord, meant) in [("ctrl-a", "ctrl+a?"), ("ctrl-shift-t", "ctrl+shift+t?")] {
            let refused = parse(chord).unwrap_err().to_string();
            assert!(refused.ends_with(meant), "{refused}");
        }
    }

    #[test]
    fn chords_are_taken_apart() {
        check("Return", &[key::Return]);
        check("ctrl+shift+t", &[key::Control_L, key::Shift_L, key::t]);
        check("ctrl++", &[key::Control_L, key::plus]);
        check("ctrl+plus", &[key::Control_L, key::plus]);
        check("+", &[key::plus]);
        check("ctrl+-", &[key::Control_L, key::minus]);
        check("ctrl+space", &[key::Control_L, key::space]);
        check("Control_L+a", &[key::Control_L, key::a]);
        check("ctrl+U+20AC", &[key::Control_L, key::EuroSign]);
        check("U+1F600", &[0x0101_f600]);
        check("u+a", &[key::u, key::a]);
    }

    #[test]
    fn what_is_no_chord_is_refused() {
        let long = ["a"; 11].join("+");
        for chord in [
            "",
            "ctrl+",
            "+a",
            "ctrl+++",
            "ctrl+nosuchkey",
            "ctrl+a ctrl+c",
            "ctrl + a",
            &long,
            "\n\n",
        ] {
            let refused = parse(chord);
            assert!(
                matches!(refused, Err(DesktopError::Invalid(_))),
                "{chord:?}: {refused:?}"
            );
        }
    }

    #[test]
    fn a_control_character_is_no_key() {
        for (chord, said) in [
            ("\n", "Return"),
            ("\r", "Return"),
            ("\t", "Tab"),
            ("\u{1b}", "Escape"),
            ("\u{7}", r"\u{7} is no key"),
            ("ctrl+\u{7}", r"\u{7} is no key"),
            ("\u{9b}", r"\u{9b} is no key"),
            ("\0", r"\u{0} is no key"),
        ] {
            let refused = parse(chord);
            let Err(DesktopError::Invalid(text)) = refused else {
                panic!("{chord:?}: {refused:?}")
            };
            assert!(text.contains(said), "{chord:?}: {text}");
        }
        for chord in ["U+0007", "u0007", "ctrl+U+009B"] {
            let refused = parse(chord);
            assert!(
                matches!(refused, Err(DesktopError::Invalid(_))),
                "{chord:?}: {refused:?}"
            );
        }
    }

    #[test]
    fn a_long_text_is_refused_without_looking_for_its_name() {
        let Err(DesktopError::Invalid(text)) = parse(&"a".repeat(1 << 24)) else {
            panic!("accepted")
        };
        assert!(text.len() < 200, "{text}");
    }

    #[test]
    fn a_near_name_is_offered() {
        let Err(DesktopError::Invalid(text)) = parse("ctrl+Retrun") else {
            panic!("accepted")
        };
        assert!(text.contains("Return"), "{text}");
    }
}
