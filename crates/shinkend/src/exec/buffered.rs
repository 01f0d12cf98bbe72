//! The form that answers once, with all output.

use aci::Wire as _;
use aci::exec::{Channel, ExecResult};
use aci::message::ResultMsg;
use tokio_util::sync::CancellationToken;

use super::pipes::{self, Piece};
use super::text::Text;
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
    let limit = daemon.limits.exec_buffer_bytes;
    let mut kept = Kept {
        stdout: Text::new(limit),
        stderr: Text::new(limit),
    };
    let (end, ()) = tokio::join!(program.live(session.over(), exited), hand_over(pieces, &mut kept));
    daemon.desk.touch();
    let Kept { stdout, stderr } = kept;
    let (stdout_truncated, stderr_truncated) = (stdout.is_truncated(), stderr.is_truncated());
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
    stdout: Text,
    stderr: Text,
}

impl Taker for Kept {
    async fn take(&mut self, piece: Piece) -> Result<(), Closed> {
        match piece.channel {
            Channel::Stdout => self.stdout.take(&piece.bytes),
            Channel::Stderr => self.stderr.take(&piece.bytes),
        }
        Ok(())
    }
}
