//! The form that sends output as it comes.

use aci::Natural;
use aci::exec::{BinaryExecOutputHeader, ExecExit, ExecOutput, PayloadRange};
use aci::frame::Header;
use base64::Engine as _;
use tokio_util::sync::CancellationToken;

use super::life::End;
use super::pipes::{self, Piece};
use super::{Order, Taker, hand_over};
use crate::outbox::Closed;
use crate::session::Session;

/// Runs the program, which has been acknowledged already, and sends its output and its end.
pub(crate) async fn streamed(session: Session, order: Order) {
    let daemon = session.daemon();
    let (call_id, _beside, program) = order.start(daemon);
    let mut program = match program {
        Ok(program) => program,
        Err(error) => {
            let mut exit = ended(call_id, End::NEVER_BEGUN, false);
            exit.error = Some(error.to_string());
            session.outbox().send(exit).await.ok();
            return;
        }
    };
    let exited = CancellationToken::new();
    let pieces = pipes::read(daemon, &mut program, &exited);
    let mut pushed = Pushed {
        session: session.clone(),
        cause: call_id,
        seq: 0,
        left: daemon.limits.exec_stream_bytes,
        truncated: false,
    };
    let (end, ()) = tokio::join!(
        program.live(session.over(), exited),
        hand_over(pieces, &mut pushed)
    );
    daemon.desk.touch();
    session
        .outbox()
        .send(ended(pushed.cause, end, pushed.truncated))
        .await
        .ok();
}

fn ended(cause: String, end: End, truncated: bool) -> ExecExit {
    ExecExit {
        cause,
        exit_code: end.exit_code(),
        signal: Some(end.signal()),
        timed_out: end.timed_out,
        duration_ms: end.duration_ms(),
        truncated,
        error: None,
    }
}

/// Output on its way to the client.
#[derive(Debug)]
struct Pushed {
    session: Session,
    cause: String,
    seq: u64,
    left: usize,
    truncated: bool,
}

impl Taker for Pushed {
    async fn take(&mut self, piece: Piece) -> Result<(), Closed> {
        let Piece { channel, mut bytes } = piece;
        if bytes.len() > self.left {
            bytes.truncate(self.left);
            self.truncated = true;
        }
        if bytes.is_empty() {
            return Ok(());
        }
        self.left -= bytes.len();
        let seq = Natural::clamped(self.seq);
        self.seq += 1;
        let cause = self.cause.clone();
        let outbox = self.session.outbox();
        if self.session.is_binary() {
            let data = PayloadRange {
                off: Natural::clamped(0),
                len: Natural::clamped(bytes.len()),
            };
            let header = BinaryExecOutputHeader {
                cause,
                seq,
                channel,
                data,
            };
            return outbox.send_binary(Header::ExecOutput(header), &[&bytes]).await;
        }
        let data_b64 = base64::engine::general_purpose::STANDARD.encode(&bytes);
        outbox
            .send(ExecOutput {
                cause,
                seq,
                channel,
                data_b64,
            })
            .await
    }
}
