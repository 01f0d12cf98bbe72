//! The beginning of what a program writes, as text.

/// Output up to a limit.
#[derive(Debug)]
pub(crate) struct Text {
    limit: usize,
    bytes: Vec<u8>,
    truncated: bool,
}

impl Text {
    /// Nothing yet, and at most so many bytes.
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            bytes: Vec::new(),
            truncated: false,
        }
    }

    /// Keeps what there is room for.
    pub(crate) fn take(&mut self, bytes: &[u8]) {
        let room = self.limit - self.bytes.len();
        self.truncated |= bytes.len() > room;
        self.bytes.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }

    /// Whether there was more than is kept.
    pub(crate) fn is_truncated(&self) -> bool {
        self.truncated
    }

    /// The text; a character that the limit has cut in two is left out, other bytes that are not UTF-8 become U+FFFD.
    pub(crate) fn finish(self) -> String {
        let Self {
            mut bytes, truncated, ..
        } = self;
        if truncated {
            let last = last_character(&bytes);
            // No length of the error means that more bytes could have made a character of it.
            if std::str::from_utf8(&bytes[last..]).is_err_and(|error| error.error_len().is_none()) {
                bytes.truncate(last);
            }
        }
        match String::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        }
    }
}

/// Where the last character of UTF-8 begins, whole or not.
fn last_character(bytes: &[u8]) -> usize {
    let continues = |byte: &&u8| **byte & 0b1100_0000 == 0b1000_0000;
    let following = bytes.iter().rev().take(3).take_while(continues).count();
    bytes.len().saturating_sub(following + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_anywhere_in_a_character_leaves_it_out_and_nothing_else() {
        for text in ["ab", "aé", "a☕", "☕☕", "a🚀", "🚀🚀"] {
            for cut in 0..=text.len() {
                let mut kept = Text::new(cut);
                kept.take(text.as_bytes());
                kept.truncated = true;
                let whole = (0..=cut).rev().find(|&end| text.is_char_boundary(end)).unwrap();
                assert_eq!(kept.finish(), text[..whole], "{text} cut at {cut}");
            }
        }
        let mut broken = Text::new(5);
        broken.take(b"a\xff\x80\x80\x80and more");
        assert_eq!(broken.finish(), "a\u{fffd}\u{fffd}\u{fffd}\u{fffd}");
    }
}
