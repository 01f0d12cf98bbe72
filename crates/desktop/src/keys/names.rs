//! The names of keys.

use std::collections::HashMap;
use std::sync::OnceLock;

use xkeysym::{Keysym, key};

/// What people and programs call keys, beside the names of X11; in lower case.
const ALIASES: &[(&str, u32)] = &[
    ("alt", key::Alt_L),
    ("altgr", key::ISO_Level3_Shift),
    ("apps", key::Menu),
    ("arrowdown", key::Down),
    ("arrowleft", key::Left),
    ("arrowright", key::Right),
    ("arrowup", key::Up),
    ("back", key::BackSpace),
    ("backspace", key::BackSpace),
    ("bksp", key::BackSpace),
    ("caps", key::Caps_Lock),
    ("capslock", key::Caps_Lock),
    ("cmd", key::Super_L),
    ("command", key::Super_L),
    ("control", key::Control_L),
    ("ctl", key::Control_L),
    ("ctrl", key::Control_L),
    ("del", key::Delete),
    ("enter", key::Return),
    ("esc", key::Escape),
    ("ins", key::Insert),
    ("linefeed", key::Linefeed),
    ("meta", key::Super_L),
    ("next", key::Next),
    ("numlock", key::Num_Lock),
    ("opt", key::Alt_L),
    ("option", key::Alt_L),
    ("page_down", key::Next),
    ("page_up", key::Prior),
    ("pagedown", key::Next),
    ("pageup", key::Prior),
    ("pgdn", key::Next),
    ("pgdown", key::Next),
    ("pgup", key::Prior),
    ("prior", key::Prior),
    ("printscreen", key::Print),
    ("prtsc", key::Print),
    ("quoteleft", key::grave),
    ("quoteright", key::apostrophe),
    ("scrolllock", key::Scroll_Lock),
    ("shift", key::Shift_L),
    ("spacebar", key::space),
    ("super", key::Super_L),
    ("win", key::Super_L),
    ("windows", key::Super_L),
];

/// Where X11 has named symbols.
const NAMED: [std::ops::RangeInclusive<u32>; 8] = [
    0x0020..=0x00ff,
    0x01a1..=0x14ff,
    0x20a0..=0x20ac,
    0xfd00..=0xffff,
    0x0100_0100..=0x0100_28ff,
    0x1000_fe00..=0x1000_ffff,
    0x1005_ff00..=0x1005_ffff,
    0x1008_fe00..=0x1008_ffff,
];

struct Names {
    exact: HashMap<String, u32>,
    /// By the name in lower case; of several that differ in case only, the one that came first.
    lower: HashMap<String, u32>,
}

fn names() -> &'static Names {
    static NAMES: OnceLock<Names> = OnceLock::new();
    NAMES.get_or_init(|| {
        let mut exact = HashMap::new();
        let mut lower = HashMap::new();
        for symbol in NAMED.into_iter().flatten() {
            let Some(name) = Keysym::new(symbol).name() else {
                continue;
            };
            let name = name.replacen("XK_", "", 1);
            lower.entry(name.to_lowercase()).or_insert(symbol);
            exact.entry(name).or_insert(symbol);
        }
        for (name, symbol) in [
            ("Page_Up", key::Prior),
            ("Page_Down", key::Next),
            ("KP_Page_Up", key::KP_Prior),
            ("KP_Page_Down", key::KP_Next),
        ] {
            exact.insert(name.to_owned(), symbol);
            lower.insert(name.to_lowercase(), symbol);
        }
        Names { exact, lower }
    })
}

/// The symbol of a key's name: a single character, a name of X11, one of the usual aliases in any case, `U+20AC` or
/// `U20AC`.
pub(super) fn symbol(name: &str) -> Option<u32> {
    let mut characters = name.chars();
    if let (Some(character), None) = (characters.next(), characters.next()) {
        let usual = Keysym::from_char(character).raw();
        return (usual != key::NoSymbol).then_some(usual);
    }
    let names = names();
    if let Some(&symbol) = names.exact.get(name) {
        return Some(symbol);
    }
    let lower = name.to_lowercase();
    alias(&lower)
        .or_else(|| code_point(&lower))
        .or_else(|| names.lower.get(&lower).copied())
}

fn alias(lower: &str) -> Option<u32> {
    ALIASES
        .iter()
        .find(|(name, _)| *name == lower)
        .map(|&(_, symbol)| symbol)
}

fn code_point(lower: &str) -> Option<u32> {
    let digits = lower.strip_prefix('u')?;
    let digits = digits.strip_prefix('+').unwrap_or(digits);
    if !(4..=6).contains(&digits.len()) || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let character =
        char::from_u32(u32::from_str_radix(digits, 16).ok()?).filter(|character| !character.is_control())?;
    let usual = Keysym::from_char(character).raw();
    (usual != key::NoSymbol).then_some(usual)
}

/// The known name that looks most like this one, if any looks much like it.
pub(super) fn nearest(name: &str) -> Option<String> {
    let lower = name.to_lowercase();
    let names = names();
    let known = ALIASES
        .iter()
        .map(|&(name, _)| name)
        .chain(names.exact.keys().map(String::as_str));
    known
        .filter(|known| known.len() > 1)
        .map(|known| (distance(&lower, &known.to_lowercase()), known.len(), known))
        .min()
        .filter(|&(distance, _, _)| distance <= lower.chars().count().div_ceil(3).min(4))
        .map(|(_, _, known)| known.to_owned())
}

/// How many characters must be put in, taken out or replaced to turn one name into the other.
fn distance(from: &str, to: &str) -> usize {
    let to: Vec<char> = to.chars().collect();
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (done, character) in from.chars().enumerate() {
        let mut diagonal = done;
        row[0] = done + 1;
        for (at, &other) in to.iter().enumerate() {
            let replaced = diagonal + usize::from(character != other);
            diagonal = row[at + 1];
            row[at + 1] = replaced.min(diagonal + 1).min(row[at] + 1);
        }
    }
    row[to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expect: u32) {
        assert_eq!(symbol(name), Some(expect), "{name}");
    }

    #[test]
    fn names_and_aliases_are_known() {
        for name in ["enter", "Enter", "Return", "return", "RETURN"] {
            check(name, key::Return);
        }
        for name in ["PageDown", "page_down", "Page_Down", "pgdn", "Next"] {
            check(name, key::Next);
        }
        for name in ["super", "meta", "cmd", "Win", "Super_L"] {
            check(name, key::Super_L);
        }
        check("Meta_L", key::Meta_L);
        check("esc", key::Escape);
        check("F12", key::F12);
        check("f1", key::F1);
        check("KP_1", key::KP_1);
        check("XF86AudioPlay", 0x1008_ff14);
        check("plus", key::plus);
        check("+", key::plus);
        check(" ", key::space);
        check("a", key::a);
        check("A", key::A);
        check("Adiaeresis", key::Adiaeresis);
        check("adiaeresis", key::adiaeresis);
        check("€", key::EuroSign);
        check("U20AC", key::EuroSign);
        check("U+1F600", 0x0101_f600);
    }

    #[test]
    fn unknown_names_are_answered_with_a_near_one() {
        for (wrong, right) in [
            ("Retrun", "Return"),
            ("contrl", "control"),
            ("F99", "F9"),
            ("escpae", "escape"),
        ] {
            assert_eq!(symbol(wrong), None, "{wrong}");
            let near = nearest(wrong).unwrap_or_default();
            assert!(
                near.to_lowercase().starts_with(&right.to_lowercase()[..1]) && symbol(&near).is_some(),
                "{wrong}: {near}"
            );
        }
        assert_eq!(nearest("xyzzyplughxyzzy"), None);
        assert_eq!(symbol("UD800"), None);
        assert_eq!(symbol("\u{7}\u{7}"), None);
    }
}
