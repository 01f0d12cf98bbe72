//! The socket: a stream and a sink of messages.

use std::hash::{BuildHasher as _, RandomState};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker, ready};

use bytes::{BufMut as _, Bytes};
use futures_util::task::AtomicWaker;
use futures_util::{Sink, Stream};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_tungstenite::tungstenite::error::ProtocolError;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role, frame::coding::CloseCode};
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_util::io::poll_read_buf;

use crate::assembly::Assembly;
use crate::head::{self, Head, Opcode};

/// What is read at a time, on the stack, where no larger payload is under way.
const SCRATCH: usize = 4 * 1024;
/// With so much to write, what was queued is written before more is taken.
const FULL: usize = 64 * 1024;

/// A WebSocket over any transport, of whose messages none has more than so many bytes.
///
/// Pings are answered by themselves, with the newest pong where the peer takes none; a close frame is answered, too, and ends the
/// stream of messages. Both halves may be used by different tasks, as `split` of `futures_util` gives them.
///
/// A write that is given up half way is gone on with by the next one, so that no half of a message is left on the line.
#[derive(Debug)]
pub struct WebSocket<S> {
    stream: S,
    assembly: Assembly,
    /// What was read already and lies behind the message that was given out last.
    ahead: Vec<u8>,
    out: Vec<u8>,
    /// How much of `out` has been written.
    written: usize,
    pong: Option<Bytes>,
    masks: Option<Masks>,
    wakers: Arc<Wakers>,
    write_waker: Waker,
    close_sent: bool,
    over: bool,
}

/// Who waits for room on the line. Reading writes pongs, and a socket wakes only one task for writing.
#[derive(Debug, Default)]
struct Wakers {
    reader: AtomicWaker,
    writer: AtomicWaker,
}

impl Wake for Wakers {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.writer.wake();
        self.reader.wake();
    }
}

/// Masks that nobody can foretell (RFC 6455, section 10.3): a keyed hash of a counter, the key of which is random.
#[derive(Debug, Default)]
struct Masks {
    key: RandomState,
    count: u64,
}

impl Masks {
    fn next(&mut self) -> [u8; 4] {
        self.count += 1;
        let [a, b, c, d, ..] = self.key.hash_one(self.count).to_le_bytes();
        [a, b, c, d]
    }
}

impl<S> WebSocket<S> {
    /// A socket whose upgrade is over; `ahead` has come after it already.
    pub fn new(stream: S, role: Role, max_message_bytes: usize, ahead: Vec<u8>) -> Self {
        let wakers = Arc::new(Wakers::default());
        Self {
            stream,
            assembly: Assembly::new(role, max_message_bytes),
            ahead,
            out: Vec::new(),
            written: 0,
            pong: None,
            masks: matches!(role, Role::Client).then(Masks::default),
            write_waker: Waker::from(Arc::clone(&wakers)),
            wakers,
            close_sent: false,
            over: false,
        }
    }

    /// From the next frame on messages may have so many bytes.
    pub fn set_max_message_bytes(&mut self, bytes: usize) {
        self.assembly.set_limit(bytes);
    }

    /// What it runs over.
    pub fn get_mut(&mut self) -> &mut S {
        &mut self.stream
    }

    fn queue(&mut self, opcode: Opcode, payload: &[u8]) {
        let mask = self.masks.as_mut().map(Masks::next);
        let head = Head {
            is_last: true,
            opcode,
            mask,
            length: u64::try_from(payload.len()).unwrap_or(u64::MAX),
        };
        self.out.reserve_exact(payload.len() + head::LONGEST);
        head.write(&mut self.out);
        let from = self.out.len();
        self.out.extend_from_slice(payload);
        if let Some(mask) = mask {
            head::mask(&mut self.out[from..], mask);
        }
    }

    fn queue_close(&mut self, frame: Option<&CloseFrame>) {
        let mut payload = Vec::new();
        if let Some(frame) = frame {
            payload.extend_from_slice(&u16::from(frame.code).to_be_bytes());
            payload.extend_from_slice(frame.reason.as_bytes());
        }
        self.queue(Opcode::Close, &payload);
        self.close_sent = true;
    }

    /// How many bytes it holds beside itself.
    #[cfg(test)]
    fn held(&self) -> usize {
        self.ahead.capacity() + self.out.capacity() + self.assembly.held()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> WebSocket<S> {
    /// Writes all there is to write.
    fn poll_out(&mut self) -> Poll<Result<(), Error>> {
        let waker = self.write_waker.clone();
        let mut cx = Context::from_waker(&waker);
        if let Some(pong) = self.pong.take().filter(|_| !self.close_sent) {
            self.queue(Opcode::Pong, &pong);
        }
        while let Some(rest) = self.out.get(self.written..).filter(|rest| !rest.is_empty()) {
            let wrote = ready!(Pin::new(&mut self.stream).poll_write(&mut cx, rest))?;
            if wrote == 0 {
                return Poll::Ready(Err(Error::Io(std::io::ErrorKind::WriteZero.into())));
            }
            self.written += wrote;
        }
        (self.out, self.written) = (Vec::new(), 0);
        Pin::new(&mut self.stream).poll_flush(&mut cx).map_err(Error::Io)
    }

    /// Writes what reading has given to write, as far as there is room.
    fn answer(&mut self, cx: &Context<'_>) {
        self.wakers.reader.register(cx.waker());
        // Of a line that is broken the next read tells.
        let _ = self.poll_out();
    }

    /// The next message as it comes, or `None` at the end of the line.
    fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Message>, Error>> {
        if !self.ahead.is_empty() {
            let ahead = std::mem::take(&mut self.ahead);
            let mut rest = ahead.as_slice();
            let message = self.assembly.take(&mut rest)?;
            self.ahead = rest.to_vec();
            if message.is_some() {
                return Poll::Ready(Ok(message));
            }
        }
        loop {
            let message = match self.assembly.room() {
                Some((buffer, left)) if left > SCRATCH => {
                    let mut room = buffer.limit(left);
                    let read = ready!(poll_read_buf(Pin::new(&mut self.stream), cx, &mut room))?;
                    if read == 0 {
                        return Poll::Ready(Ok(None));
                    }
                    self.assembly.received(read);
                    self.assembly.finish()?
                }
                _ => {
                    let mut scratch = [0; SCRATCH];
                    let mut read = ReadBuf::new(&mut scratch);
                    ready!(Pin::new(&mut self.stream).poll_read(cx, &mut read))?;
                    let mut rest = read.filled();
                    if rest.is_empty() {
                        return Poll::Ready(Ok(None));
                    }
                    let message = self.assembly.take(&mut rest)?;
                    self.ahead = rest.to_vec();
                    message
                }
            };
            if message.is_some() {
                return Poll::Ready(Ok(message));
            }
        }
    }

    /// Answers what a WebSocket answers by itself.
    fn came(&mut self, message: &Message, cx: &Context<'_>) {
        match message {
            Message::Ping(payload) => self.pong = Some(payload.clone()),
            Message::Close(frame) => {
                self.over = true;
                if self.close_sent {
                    return;
                }
                let echo = frame.clone().map(|frame| CloseFrame {
                    code: if frame.code.is_allowed() {
                        frame.code
                    } else {
                        CloseCode::Protocol
                    },
                    ..frame
                });
                self.queue_close(echo.as_ref());
            }
            _ => return,
        }
        self.answer(cx);
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Stream for WebSocket<S> {
    type Item = Result<Message, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let socket = &mut *self;
        if socket.over {
            return Poll::Ready(None);
        }
        if !socket.out.is_empty() || socket.pong.is_some() {
            socket.answer(cx);
        }
        let message = ready!(socket.poll_message(cx));
        Poll::Ready(match message {
            Ok(Some(message)) => {
                socket.came(&message, cx);
                Some(Ok(message))
            }
            Ok(None) => {
                socket.over = true;
                let broke_off = Error::Protocol(ProtocolError::ResetWithoutClosingHandshake);
                (!socket.close_sent).then_some(Err(broke_off))
            }
            Err(error) => {
                socket.over = true;
                Some(Err(error))
            }
        })
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Sink<Message> for WebSocket<S> {
    type Error = Error;

    fn poll_ready(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        if self.out.len() - self.written < FULL {
            return Poll::Ready(Ok(()));
        }
        self.wakers.writer.register(cx.waker());
        self.poll_out()
    }

    fn start_send(mut self: Pin<&mut Self>, message: Message) -> Result<(), Error> {
        if self.close_sent {
            return Err(ProtocolError::SendAfterClosing.into());
        }
        match message {
            Message::Text(text) => self.queue(Opcode::Text, text.as_bytes()),
            Message::Binary(bytes) => self.queue(Opcode::Binary, &bytes),
            Message::Ping(bytes) => self.queue(Opcode::Ping, &bytes),
            Message::Pong(bytes) => self.queue(Opcode::Pong, &bytes),
            Message::Close(frame) => self.queue_close(frame.as_ref()),
            // Frames are made here and nowhere else.
            Message::Frame(_) => {
                let unknown =
                    std::io::Error::new(std::io::ErrorKind::Unsupported, "a raw frame cannot be sent");
                return Err(Error::Io(unknown));
            }
        }
        Ok(())
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.wakers.writer.register(cx.waker());
        self.poll_out()
    }

    fn poll_close(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        if !self.close_sent {
            self.queue_close(None);
        }
        self.poll_flush(cx)
    }
}

#[cfg(test)]
mod tests {
    use futures_util::{SinkExt as _, StreamExt as _};
    use tokio::io::{AsyncWriteExt as _, duplex};

    use super::*;

    #[tokio::test]
    async fn at_rest_it_holds_nothing() {
        let (near, far) = duplex(1 << 20);
        let mut ours = WebSocket::new(near, Role::Client, 1 << 20, Vec::new());
        let mut theirs = WebSocket::new(far, Role::Server, 1 << 20, Vec::new());
        for size in [10, 5_000, 200_000] {
            let payload = Bytes::from(vec![7; size]);
            theirs.send(Message::Binary(payload.clone())).await.unwrap();
            theirs.send(Message::Ping(payload.slice(..10))).await.unwrap();
            let Some(Ok(Message::Binary(came))) = ours.next().await else {
                panic!("nothing came")
            };
            // It can be given away without a copy, so it has exactly its size.
            assert_eq!((came.len(), Vec::from(came).capacity()), (size, size));
            assert!(ours.next().await.unwrap().unwrap().is_ping());
            ours.send(Message::Binary(payload)).await.unwrap();
            assert!(theirs.next().await.unwrap().unwrap().is_pong());
            assert_eq!(theirs.next().await.unwrap().unwrap().len(), size);
            assert_eq!((ours.held(), theirs.held()), (0, 0), "after {size}");
        }
        assert!(size_of_val(&ours) <= 512, "{}", size_of_val(&ours));
    }

    #[tokio::test]
    async fn several_messages_in_one_piece_are_kept_until_they_are_read() {
        let (near, mut far) = duplex(1 << 16);
        let mut socket = WebSocket::new(near, Role::Client, 100, b"\x81\x01a\x81".to_vec());
        far.write_all(b"\x01b\x81\x01c").await.unwrap();
        for text in ["a", "b", "c"] {
            assert_eq!(socket.next().await.unwrap().unwrap(), Message::text(text));
        }
        assert_eq!(socket.held(), 0);
    }
}
