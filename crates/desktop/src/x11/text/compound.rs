//! COMPOUND_TEXT, the ISO 2022 of X (Compound Text Encoding, version 1.1), as far as it needs no tables.
//!
//! Programs that write it today put UTF-8 or Latin-1 into it; characters of other sets become U+FFFD, one each.

const ESCAPE: u8 = 0x1b;
/// Introduces control sequences, of which the standard has only the ones for the writing direction.
const CONTROL: u8 = 0x9b;

/// What one half of the byte range stands for at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Set {
    Ascii,
    Latin1Right,
    /// Another set, with this many bytes a character.
    Other(usize),
}

/// Reads all of it; what cannot be read becomes U+FFFD.
pub(super) fn decode(mut bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    let (mut left, mut right) = (Set::Ascii, Set::Latin1Right);
    while let Some((&byte, rest)) = bytes.split_first() {
        if byte == ESCAPE {
            bytes = escape(rest, &mut left, &mut right, &mut text);
        } else if byte == CONTROL {
            let end = rest.iter().position(|byte| (0x40..0x7f).contains(byte));
            bytes = end.map_or(&[], |end| &rest[end + 1..]);
        } else if byte < 0x20 || (0x80..0xa0).contains(&byte) {
            text.push(char::from(byte));
            bytes = rest;
        } else {
            let set = if byte < 0x80 { left } else { right };
            bytes = character(bytes, set, &mut text);
        }
    }
    text
}

/// Takes one character off the front.
fn character<'b>(bytes: &'b [u8], set: Set, text: &mut String) -> &'b [u8] {
    let width = match set {
        Set::Ascii | Set::Latin1Right => 1,
        Set::Other(width) => width,
    };
    let (taken, rest) = bytes.split_at(width.min(bytes.len()));
    match (set, taken) {
        (Set::Ascii, [byte]) => text.push(char::from(byte & 0x7f)),
        (Set::Latin1Right, [byte]) => text.push(char::from(byte | 0x80)),
        _ => text.push(char::REPLACEMENT_CHARACTER),
    }
    rest
}

/// Takes what follows an escape off the front, and does what it says.
fn escape<'b>(bytes: &'b [u8], left: &mut Set, right: &mut Set, text: &mut String) -> &'b [u8] {
    match bytes {
        // UTF-8 until the way back.
        [b'%', b'G', rest @ ..] => {
            let end = find(rest, b"\x1b%@");
            text.push_str(&String::from_utf8_lossy(&rest[..end.unwrap_or(rest.len())]));
            end.map_or(&[], |end| &rest[end + 3..])
        }
        [b'%', b'@', rest @ ..] => rest,
        // A segment in an encoding that it names itself, with its length.
        [b'%', b'/', b'0'..=b'4', high, low, rest @ ..] => {
            let length = usize::from(high & 0x7f) * 128 + usize::from(low & 0x7f);
            text.push(char::REPLACEMENT_CHARACTER);
            &rest[length.min(rest.len())..]
        }
        [b'$', b'(', _, rest @ ..] => {
            *left = Set::Other(2);
            rest
        }
        [b'$', b')', _, rest @ ..] => {
            *right = Set::Other(2);
            rest
        }
        [b'(', name, rest @ ..] => {
            *left = if *name == b'B' { Set::Ascii } else { Set::Other(1) };
            rest
        }
        [b')' | b'-', name, rest @ ..] => {
            let latin1 = bytes.starts_with(b"-A");
            *right = if latin1 { Set::Latin1Right } else { Set::Other(1) };
            // A set of 94 characters named for the right half may be ASCII too.
            if bytes.first() == Some(&b')') && *name == b'B' {
                *right = Set::Ascii;
            }
            rest
        }
        [_, rest @ ..] => rest,
        [] => bytes,
    }
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn rows() {
        let rows: [(&[u8], &str); 10] = [
            (b"", ""),
            (b"plain", "plain"),
            (b"caf\xe9", "café"),
            (b"\x1b%Gcaf\xc3\xa9 \xe6\x97\xa5\x1b%@ end", "café 日 end"),
            (b"\x1b%Gcaf\xc3\xa9", "café"),
            (b"\x1b-A\xe9", "é"),
            (b"a\x1b$(BF|K\\\x1b(Bz", "a\u{fffd}\u{fffd}z"),
            (b"\x1b-B\xe1\x1b-A\xe1", "\u{fffd}á"),
            (b"\x9b2Jx\x9b]y", "xy"),
            (b"\x1b%/1\x80\x83abcx\x1b", "\u{fffd}x"),
        ];
        for (bytes, wanted) in rows {
            assert_eq!(decode(bytes), wanted, "{bytes:?}");
        }
    }

    #[test]
    fn any_bytes_are_read_to_the_end() {
        let mut seed = 1_u32;
        for length in 0..400 {
            let bytes: Vec<u8> = (0..length)
                .map(|_| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    b"\x1b%G$()-AB/1@\x9b\x80\xe9x"[seed as usize >> 8 & 15]
                })
                .collect();
            assert!(decode(&bytes).chars().count() <= bytes.len());
        }
    }
}
