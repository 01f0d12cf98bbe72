//! Each side talks to one of tungstenite.

use std::time::Duration;

use bytes::Bytes;
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::io::{DuplexStream, duplex};
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Role};
use websocket::WebSocket;

/// How long anything may take that should come at once.
const PATIENCE: Duration = Duration::from_secs(30);
const LIMIT: usize = 16 << 20;

/// A socket of ours in this role, and one of tungstenite on the other end of a line that holds so many bytes.
async fn pair(role: Role, line: usize) -> (WebSocket<DuplexStream>, WebSocketStream<DuplexStream>) {
    let (near, far) = duplex(line);
    let other = match role {
        Role::Client => Role::Server,
        Role::Server => Role::Client,
    };
    let theirs = WebSocketStream::from_raw_socket(far, other, None).await;
    (WebSocket::new(near, role, LIMIT, Vec::new()), theirs)
}

/// Sizes around every border, and some that are large.
fn messages() -> Vec<Message> {
    let sizes = [
        0, 1, 13, 125, 126, 127, 4094, 4095, 4096, 4097, 65_535, 65_536, 300_001,
    ];
    let mut messages = Vec::new();
    for size in sizes {
        let bytes: Vec<u8> = (0..=255).cycle().take(size).collect();
        messages.push(Message::Binary(bytes.into()));
        messages.push(Message::text("ü".repeat(size)));
    }
    messages
}

#[tokio::test]
async fn what_is_sent_arrives_both_ways() {
    for role in [Role::Client, Role::Server] {
        for line in [1, 7, 1000, 1 << 20] {
            let (ours, mut theirs) = pair(role, line).await;
            let (mut sink, mut source) = ours.split();
            let echo = tokio::spawn(async move {
                while let Some(Ok(message)) = theirs.next().await {
                    if message.is_close() {
                        continue;
                    }
                    theirs.send(message).await.unwrap();
                }
            });
            // A line of one byte takes long for the large ones.
            let messages: Vec<Message> = messages()
                .into_iter()
                .filter(|message| line > 7 || message.len() < 5000)
                .collect();
            let expected = messages.clone();
            let sending = tokio::spawn(async move {
                for message in messages {
                    sink.send(message).await.unwrap();
                }
                sink
            });
            for message in expected {
                let came = timeout(PATIENCE, source.next()).await.unwrap();
                assert!(came.unwrap().unwrap() == message, "{role:?}, a line of {line}");
            }
            let mut sink = sending.await.unwrap();
            sink.close().await.unwrap();
            let last = timeout(PATIENCE, source.next()).await.unwrap().unwrap().unwrap();
            assert!(last.is_close(), "{last:?}");
            assert!(source.next().await.is_none());
            drop((sink, source));
            timeout(PATIENCE, echo).await.unwrap().unwrap();
        }
    }
}

#[tokio::test]
async fn pings_are_answered_while_nobody_writes() {
    for role in [Role::Client, Role::Server] {
        let (mut ours, mut theirs) = pair(role, 64).await;
        let reading = tokio::spawn(async move { ours.next().await });
        let payload = Bytes::from_static(b"still there?");
        theirs.send(Message::Ping(payload.clone())).await.unwrap();
        let pong = timeout(PATIENCE, theirs.next()).await.unwrap().unwrap().unwrap();
        assert_eq!(pong, Message::Pong(payload));
        // The ping is given out, too.
        assert!(matches!(reading.await.unwrap(), Some(Ok(Message::Ping(_)))));
    }
}

#[tokio::test]
async fn a_writer_goes_on_although_the_reader_writes_pongs() {
    let (ours, theirs) = pair(Role::Client, 1000).await;
    let (mut sink, mut source) = ours.split();
    let large = Message::text("x".repeat(500_000));
    let writing = tokio::spawn(async move { sink.send(large).await.map(|()| sink) });
    // Its pongs find no room while the large message is on its way, and nobody takes that yet.
    let reading = tokio::spawn(async move {
        while let Some(Ok(message)) = source.next().await {
            assert!(message.is_ping() || message.is_close(), "{message:?}");
        }
    });
    let (mut their_sink, mut their_source) = theirs.split();
    for _ in 0..20 {
        their_sink
            .send(Message::Ping(Bytes::from_static(b"x")))
            .await
            .unwrap();
        tokio::task::yield_now().await;
    }
    let (mut texts, mut pongs) = (0, 0);
    while texts == 0 || pongs == 0 {
        match timeout(PATIENCE, their_source.next())
            .await
            .unwrap()
            .unwrap()
            .unwrap()
        {
            Message::Text(text) => {
                assert_eq!(text.len(), 500_000);
                texts += 1;
            }
            Message::Pong(_) => pongs += 1,
            other => unreachable!("{other:?}"),
        }
    }
    let _sink = timeout(PATIENCE, writing).await.unwrap().unwrap().unwrap();
    drop((their_sink, their_source));
    timeout(PATIENCE, reading).await.unwrap().unwrap();
}

#[tokio::test]
async fn a_write_that_was_given_up_is_gone_on_with() {
    let (mut ours, mut theirs) = pair(Role::Client, 100).await;
    let given_up = ours.send(Message::text("first".repeat(100)));
    assert!(timeout(Duration::from_millis(10), given_up).await.is_err());
    let next = tokio::spawn(async move { ours.send(Message::text("second")).await.map(|()| ours) });
    let first = theirs.next().await.unwrap().unwrap();
    assert_eq!(first.into_text().unwrap().len(), 500);
    assert_eq!(theirs.next().await.unwrap().unwrap(), Message::text("second"));
    next.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_goodbye_is_answered_and_ends_the_messages() {
    for role in [Role::Client, Role::Server] {
        let (mut ours, mut theirs) = pair(role, 1000).await;
        let goodbye = CloseFrame {
            code: 1008.into(),
            reason: "enough".into(),
        };
        theirs.close(Some(goodbye.clone())).await.unwrap();
        let last = ours.next().await.unwrap().unwrap();
        assert_eq!(last, Message::Close(Some(goodbye)));
        assert!(ours.next().await.is_none());
        assert!(ours.send(Message::text("late")).await.is_err());
        let echo = theirs.next().await.unwrap().unwrap();
        assert!(echo.is_close(), "{echo:?}");
    }
}
