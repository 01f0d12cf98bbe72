//! Text as X properties hold it.

use x11rb::protocol::xproto::{Atom, AtomEnum};

use super::atoms::Atoms;

mod compound;

/// Why a property cannot be read as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NotText {
    /// Its type is none that text comes in.
    Kind,
    /// Its bytes claim to be UTF-8 and are not.
    Encoding,
}

/// Reads text of one of the types that titles and selections come in.
pub(super) fn decode(atoms: &Atoms, kind: Atom, bytes: Vec<u8>) -> Result<String, NotText> {
    if kind == Atom::from(AtomEnum::STRING) {
        return Ok(from_latin1(&bytes));
    }
    if kind == atoms.COMPOUND_TEXT {
        return Ok(compound::decode(&bytes));
    }
    let utf8 = [
        atoms.UTF8_STRING,
        atoms.TEXT,
        atoms.TEXT_PLAIN,
        atoms.TEXT_PLAIN_UTF8,
    ];
    if utf8.contains(&kind) {
        return String::from_utf8(bytes).map_err(|_| NotText::Encoding);
    }
    Err(NotText::Kind)
}

/// STRING is Latin-1 (ICCCM, 2.7.1), whose bytes are the first 256 characters of Unicode.
pub(super) fn from_latin1(bytes: &[u8]) -> String {
    bytes.iter().copied().map(char::from).collect()
}

/// The same text as Latin-1, where each of its characters is in it.
pub(super) fn to_latin1(text: &str) -> Option<Vec<u8>> {
    text.chars().map(|char| u8::try_from(char).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latin1_is_kept_both_ways() {
        let all: Vec<u8> = (0..=255).collect();
        let text = from_latin1(&all);
        assert_eq!(text.chars().count(), 256);
        assert!(text.ends_with('ÿ'));
        assert_eq!(to_latin1(&text), Some(all));
    }

    #[test]
    fn what_is_not_in_latin1_is_refused() {
        assert_eq!(to_latin1("caf\u{e9}"), Some(b"caf\xe9".to_vec()));
        assert_eq!(to_latin1("5 €"), None);
        assert_eq!(to_latin1("日本"), None);
    }
}
