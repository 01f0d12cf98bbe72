//! What is given to the command on its standard input.

use std::io::{self, Read};

use anyhow::Context as _;

use crate::wrong_usage::wrong_usage;

/// The most that is read: what one message to a daemon holds by default.
const MOST: u64 = 16 << 20;

/// Reads standard input to its end, as a text that goes into one message.
pub(crate) fn text() -> anyhow::Result<String> {
    text_of(io::stdin().lock(), MOST)
}

fn text_of(input: impl Read, most: u64) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    input
        .take(most + 1)
        .read_to_end(&mut bytes)
        .context("cannot read standard input")?;
    if bytes.len() as u64 > most {
        return wrong_usage(format!(
            "standard input has more than the {most} bytes that can be sent at a time; send less"
        ));
    }
    String::from_utf8(bytes).or_else(|_| wrong_usage("standard input is not UTF-8 text"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_so_much_is_read() {
        assert_eq!(text_of(&b"four"[..], 4).unwrap(), "four");
        let endless = io::repeat(b'y');
        let refused = text_of(endless, 4).unwrap_err().to_string();
        assert!(refused.contains("more than the 4 bytes"), "{refused}");
        assert!(text_of(&b"\xff"[..], 4).is_err());
    }
}
