//! The forms in which our text can be had.

use std::sync::Arc;

use x11rb::protocol::xproto::{Atom, AtomEnum};

use super::owning::Owned;
use crate::x11::atoms::Atoms;
use crate::x11::text::to_latin1;

/// The clipboard in one form.
#[derive(Debug)]
pub(super) enum Converted {
    /// Bytes, which may be many.
    Text { kind: Atom, text: Payload },
    /// A few numbers of 32 bits.
    Words { kind: Atom, words: Vec<u32> },
}

/// Bytes to hand over, shared by all who ask for the same.
#[derive(Debug, Clone)]
pub(super) enum Payload {
    /// The text as it is.
    Utf8(Arc<str>),
    /// The text in another encoding.
    Encoded(Arc<[u8]>),
}

impl Payload {
    /// All of it.
    pub(super) fn bytes(&self) -> &[u8] {
        match self {
            Self::Utf8(text) => text.as_bytes(),
            Self::Encoded(bytes) => bytes,
        }
    }
}

/// What we own as `target`; `None` where it cannot be had so.
pub(super) fn convert(atoms: &Atoms, owned: &Owned, target: Atom) -> Option<Converted> {
    let string = Atom::from(AtomEnum::STRING);
    if target == atoms.TARGETS {
        let mut words = vec![
            atoms.TARGETS,
            atoms.MULTIPLE,
            atoms.TIMESTAMP,
            atoms.UTF8_STRING,
            atoms.TEXT_PLAIN_UTF8,
            atoms.TEXT_PLAIN,
            atoms.TEXT,
        ];
        if owned.latin1.is_some() {
            words.push(string);
        }
        let kind = AtomEnum::ATOM.into();
        return Some(Converted::Words { kind, words });
    }
    if target == atoms.TIMESTAMP {
        return Some(Converted::Words {
            kind: AtomEnum::INTEGER.into(),
            words: vec![owned.at],
        });
    }
    if target == string {
        let text = owned.latin1.clone()?;
        return Some(Converted::Text { kind: string, text });
    }
    // TEXT leaves the encoding to us, and says by the type which one it is (ICCCM, 2.6.2).
    let kind = if target == atoms.TEXT {
        atoms.UTF8_STRING
    } else {
        target
    };
    [atoms.UTF8_STRING, atoms.TEXT_PLAIN_UTF8, atoms.TEXT_PLAIN]
        .contains(&kind)
        .then(|| Converted::Text {
            kind,
            text: Payload::Utf8(Arc::clone(&owned.text)),
        })
}

/// A text in Latin-1, without a copy where it is ASCII, which is the same in both. `None` where it has other characters.
pub(super) fn latin1(text: &Arc<str>) -> Option<Payload> {
    if text.is_ascii() {
        return Some(Payload::Utf8(Arc::clone(text)));
    }
    to_latin1(text).map(|bytes| Payload::Encoded(bytes.into()))
}
