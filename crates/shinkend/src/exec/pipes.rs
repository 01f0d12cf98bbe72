//! Reading what a program writes.

use std::sync::Arc;
use std::time::Duration;

use aci::exec::Channel;
use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::sync::{Semaphore, mpsc};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use super::life::Program;
use crate::server::Daemon;

/// How many pieces may wait to be taken; after that the program is held up.
const AHEAD: usize = 4;
/// After the program's end its pipes may be held open by what it left in the background. They are read until they have
/// been silent for so long,
const SILENCE: Duration = Duration::from_millis(200);
/// but no longer than this in all,
const LONGEST: Duration = Duration::from_secs(2);
/// and no more than this.
const MOST: usize = 1 << 20;

/// A piece of output.
#[derive(Debug)]
pub(super) struct Piece {
    pub(super) channel: Channel,
    pub(super) bytes: Bytes,
}

/// Reads both pipes of a program until it has ended and they are silent.
pub(super) fn read(
    daemon: &Arc<Daemon>,
    program: &mut Program,
    exited: &CancellationToken,
) -> mpsc::Receiver<Piece> {
    let (sender, receiver) = mpsc::channel(AHEAD);
    if let Some((stdout, stderr)) = program.take_pipes() {
        let chunk = daemon.limits.exec_chunk_bytes;
        let reader = |channel| Reader {
            channel,
            chunk,
            sender: sender.clone(),
            exited: exited.clone(),
        };
        daemon
            .tasks
            .spawn(reader(Channel::Stdout).run(stdout, Arc::clone(daemon)));
        daemon
            .tasks
            .spawn(reader(Channel::Stderr).run(stderr, Arc::clone(daemon)));
    }
    receiver
}

#[derive(Debug)]
struct Reader {
    channel: Channel,
    chunk: usize,
    sender: mpsc::Sender<Piece>,
    exited: CancellationToken,
}

impl Reader {
    async fn run<P: AsyncRead + Unpin>(self, mut pipe: P, daemon: Arc<Daemon>) {
        let mut buffer = vec![0; self.chunk];
        let still_open = self.read_to_the_end(&mut pipe, &mut buffer).await;
        // Whoever waits for the output has it all.
        drop(self);
        if still_open {
            drain(pipe, buffer, &daemon.drains, &daemon.shutdown).await;
        }
    }

    /// Whether the pipe is still open when no more is read from it.
    async fn read_to_the_end<P: AsyncRead + Unpin>(&self, pipe: &mut P, buffer: &mut [u8]) -> bool {
        loop {
            let read = tokio::select! {
                biased;
                read = pipe.read(buffer) => read,
                () = self.exited.cancelled() => break,
            };
            if !self.pass_on(read, buffer).await {
                return false;
            }
        }
        let end = Instant::now() + LONGEST;
        let mut more = 0;
        while more < MOST {
            match timeout_at(end.min(Instant::now() + SILENCE), pipe.read(buffer)).await {
                Ok(read) => {
                    more += *read.as_ref().unwrap_or(&0);
                    if !self.pass_on(read, buffer).await {
                        return false;
                    }
                }
                Err(_) => break,
            }
        }
        true
    }

    async fn pass_on(&self, read: std::io::Result<usize>, buffer: &[u8]) -> bool {
        match read {
            Ok(length) if length > 0 => {
                let piece = Piece {
                    channel: self.channel,
                    bytes: Bytes::copy_from_slice(&buffer[..length]),
                };
                self.sender.send(piece).await.is_ok()
            }
            _ => false,
        }
    }
}

/// Goes on reading for a background process, which would be ended by SIGPIPE or stand still otherwise.
async fn drain<P: AsyncRead + Unpin>(
    mut pipe: P,
    mut buffer: Vec<u8>,
    drains: &Semaphore,
    shutdown: &CancellationToken,
) {
    // So many pipes and no more are kept open for processes that nobody waits for.
    let Ok(_place) = drains.try_acquire() else {
        return;
    };
    buffer.truncate(4096);
    buffer.shrink_to_fit();
    loop {
        tokio::select! {
            () = shutdown.cancelled() => return,
            read = pipe.read(&mut buffer) => if !matches!(read, Ok(length) if length > 0) {
                return;
            },
        }
    }
}
