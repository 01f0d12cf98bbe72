//! A bound on what a peer may send before it is welcomed.
//!
//! The WebSocket library takes one size for the largest message and keeps it for the whole connection. A peer that has not
//! shown a token must not make us hold a message of that size, so its bytes are counted below the WebSocket.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Stands for a gate that lets everything through.
const OPEN: usize = usize::MAX;

/// Says how many bytes may still be read; clones are the same gate.
#[derive(Debug, Clone)]
pub(crate) struct Gate(Arc<AtomicUsize>);

impl Gate {
    /// Lets everything through from now on.
    pub(super) fn open(&self) {
        self.0.store(OPEN, Ordering::Relaxed);
    }

    /// Whether all that may be read has been read.
    pub(super) fn is_spent(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }
}

/// A stream behind a gate. Beyond the gate's bytes reading fails; writing is never held up.
#[derive(Debug)]
pub(crate) struct Gated<S> {
    stream: S,
    gate: Gate,
}

impl<S> Gated<S> {
    /// Lets so many bytes through at first.
    pub(crate) fn new(stream: S, bytes: usize) -> Self {
        Self {
            stream,
            gate: Gate(Arc::new(AtomicUsize::new(bytes))),
        }
    }

    pub(super) fn gate(&self) -> Gate {
        self.gate.clone()
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Gated<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let left = self.gate.0.load(Ordering::Relaxed);
        if left == OPEN {
            return Pin::new(&mut self.stream).poll_read(context, buffer);
        }
        if left == 0 {
            return Poll::Ready(Err(io::Error::other("too much came before the welcome")));
        }
        let room = buffer.remaining().min(left);
        let mut part = ReadBuf::new(buffer.initialize_unfilled_to(room));
        ready!(Pin::new(&mut self.stream).poll_read(context, &mut part))?;
        let read = part.filled().len();
        buffer.advance(read);
        // Nobody opens it meanwhile: whoever reads and whoever opens are one task.
        self.gate.0.store(left - read, Ordering::Relaxed);
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Gated<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[tokio::test]
    async fn what_the_gate_lets_through_is_read_and_no_byte_more_until_it_opens() {
        let (mut peer, stream) = tokio::io::duplex(64);
        peer.write_all(b"0123456789").await.unwrap();
        let mut gated = Gated::new(stream, 7);
        let gate = gated.gate();
        let mut read = [0; 5];
        gated.read_exact(&mut read).await.unwrap();
        assert_eq!((&read, gate.is_spent()), (b"01234", false));
        let mut rest = [0; 64];
        assert_eq!(gated.read(&mut rest).await.unwrap(), 2);
        assert_eq!((&rest[..2], gate.is_spent()), (&b"56"[..], true));
        gated.read(&mut rest).await.unwrap_err();
        gated.write_all(b"goodbye").await.unwrap();
        peer.read_exact(&mut rest[..7]).await.unwrap();
        assert_eq!(&rest[..7], b"goodbye");
        gate.open();
        assert_eq!(gated.read(&mut rest).await.unwrap(), 3);
        assert_eq!(&rest[..3], b"789");
    }
}
