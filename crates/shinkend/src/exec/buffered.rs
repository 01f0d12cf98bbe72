//! The form that answers once, with all output.

use aci::Wire as _;
use aci::exec::{Channel, ExecResult};
use aci::message::ResultMsg;
use tokio_util::sync::CancellationToken;

use super::pipes::{self, Piece};
use super::{Order, Taker, hand_over};
use crate::outbox::Closed;
use crate::session::Session;

/// Runs the program and sends its result.
pub(crate) async fn buffered(session: Session, order: Order) {
    let daemon = session.daemon();
    let (call_id, _beside, program) = order.start(daemon);
    let mut program = match program {
        Ok(program) => program,
        Err(error) => {
            session
                .outbox()
                .send(ResultMsg::failed(call_id, &error))
                .await
                .ok();
            return;
        }
    };
    let exited = CancellationToken::new();
    let pieces = pipes::read(daemon, &mut program, &exited);
    let mut kept = Kept {
        limit: daemon.limits.exec_buffer_bytes,
        stdout: Text::default(),
        stderr: Text::default(),
    };
    let (end, ()) = tokio::join!(program.live(session.over(), exited), hand_over(pieces, &mut kept));
    daemon.desk.touch();
    let Kept { stdout, stderr, .. } = kept;
    let (stdout_truncated, stderr_truncated) = (stdout.truncated, stderr.truncated);
    let result = ExecResult {
        exit_code: end.exit_code(),
        signal: Some(end.signal()),
        timed_out: end.timed_out,
        stdout: stdout.finish(),
        stderr: stderr.finish(),
        stdout_truncated,
        stderr_truncated,
        duration_ms: end.duration_ms(),
    };
    // A client that is gone needs no answer.
    session
        .outbox()
        .send(ResultMsg::value(call_id, result.encode()))
        .await
        .ok();
}

/// What is kept of both channels.
#[derive(Debug)]
struct Kept {
    limit: usize,
    stdout: Text,
    stderr: Text,
}

#[derive(Debug, Default)]
struct Text {
    bytes: Vec<u8>,
    truncated: bool,
}

impl Taker for Kept {
    async fn take(&mut self, piece: Piece) -> Result<(), Closed> {
        let text = match piece.channel {
            Channel::Stdout => &mut self.stdout,
            Channel::Stderr => &mut self.stderr,
        };
        let room = self.limit - text.bytes.len();
        text.truncated |= piece.bytes.len() > room;
        text.bytes
            .extend_from_slice(&piece.bytes[..piece.bytes.len().min(room)]);
        Ok(())
    }
}

impl Text {
    /// The text; a character that the limit has cut in two is left out, other bytes that are not UTF-8 become U+FFFD.
    fn finish(self) -> String {
        let Self { mut bytes, truncated } = self;
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
                let kept = Text {
                    bytes: text.as_bytes()[..cut].to_vec(),
                    truncated: true,
                };
                let whole = (0..=cut).rev().find(|&end| text.is_char_boundary(end)).unwrap();
                assert_eq!(kept.finish(), text[..whole], "{text} cut at {cut}");
            }
        }
        let broken = Text {
            bytes: b"a\xff\x80\x80\x80".to_vec(),
            truncated: true,
        };
        assert_eq!(broken.finish(), "a\u{fffd}\u{fffd}\u{fffd}\u{fffd}");
    }
}
