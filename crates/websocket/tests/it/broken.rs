//! What a peer may send that is no WebSocket, or too much of one.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use futures_util::StreamExt as _;
use tokio::io::{AsyncWriteExt as _, duplex};
use tokio_tungstenite::tungstenite::error::{CapacityError, ProtocolError};
use tokio_tungstenite::tungstenite::protocol::Role;
use tokio_tungstenite::tungstenite::{Error, Message};
use websocket::WebSocket;

const LIMIT: usize = 1000;

/// Everything that comes of these bytes, whether they come in one piece or one by one.
async fn read(role: Role, bytes: &[u8]) -> Vec<Result<Message, String>> {
    let mut outcomes = Vec::new();
    for line in [1 << 16, 1] {
        let (near, mut far) = duplex(line);
        let bytes = bytes.to_vec();
        let writing = tokio::spawn(async move {
            far.write_all(&bytes).await.ok();
            // Its own goodbye has room, and then the line ends.
            far.shutdown().await.ok();
            far
        });
        let socket = WebSocket::new(near, role, LIMIT, Vec::new());
        let all: Vec<_> = socket
            .map(|message| message.map_err(|error| name(&error)))
            .collect()
            .await;
        writing.await.unwrap();
        outcomes.push(all);
    }
    assert_eq!(outcomes[0], outcomes[1], "in one piece, and one by one");
    outcomes.remove(0)
}

fn name(error: &Error) -> String {
    match error {
        Error::Protocol(error) => format!("{error:?}"),
        Error::Capacity(CapacityError::MessageTooLong { size, .. }) => format!("{size} bytes"),
        Error::Utf8(_) => "UTF-8".to_owned(),
        other => other.to_string(),
    }
}

#[tokio::test]
async fn broken_frames_are_told_by_what_is_wrong_with_them() {
    let frames: [(&[u8], &str); 12] = [
        (b"\x81\x81\0\0\0\0\xff", "UTF-8"),
        (b"\x81\x05hello", "UnmaskedFrameFromClient"),
        (b"\x83\x80abcd", "InvalidOpcode(3)"),
        (b"\x8b\x80abcd", "InvalidOpcode(11)"),
        (b"\xc1\x80abcd", "NonZeroReservedBits"),
        (b"\x01\x80abcd\x01\x80abcd", "ExpectedFragment(Text)"),
        (b"\x01\x80abcd\x82\x80abcd", "ExpectedFragment(Binary)"),
        (b"\x80\x80abcd", "UnexpectedContinueFrame"),
        (b"\x09\x80abcd", "FragmentedControlFrame"),
        (b"\x89\xfe\0\x7eabcd", "ControlFrameTooBig"),
        (b"\x88\x81\0\0\0\0\x03", "InvalidCloseSequence"),
        (b"\x88\x83\0\0\0\0\x03\xe8\xff", "UTF-8"),
    ];
    for (frame, wrong) in frames {
        assert_eq!(
            read(Role::Server, frame).await,
            [Err(wrong.to_owned())],
            "{frame:?}"
        );
    }
    let masked = read(Role::Client, b"\x81\x81\0\0\0\0x").await;
    assert_eq!(
        masked,
        [Err(format!("{:?}", ProtocolError::MaskedFrameFromServer))]
    );
    let broken_off = [Err(format!("{:?}", ProtocolError::ResetWithoutClosingHandshake))];
    for bytes in [&b""[..], b"\x81", b"\x81\x05hell", b"\x01\x05hello"] {
        assert_eq!(read(Role::Client, bytes).await, broken_off, "{bytes:?}");
    }
}

#[tokio::test]
async fn a_message_has_a_bound_whole_or_in_parts() {
    let frame = |first: u8, size: u16| {
        let mut bytes = vec![first, 126];
        bytes.extend(size.to_be_bytes());
        bytes.extend(vec![b'x'; usize::from(size)]);
        bytes
    };
    let whole = read(Role::Client, &[frame(0x81, 1000), vec![0x88, 0]].concat()).await;
    assert_eq!(whole[0], Ok(Message::text("x".repeat(1000))));
    let too_long = [Err("1001 bytes".to_owned())];
    assert_eq!(read(Role::Client, &frame(0x81, 1001)).await, too_long);
    let parts = [frame(0x01, 600), frame(0x80, 401)].concat();
    assert_eq!(read(Role::Client, &parts).await, too_long);
    // The length alone is enough to tell.
    let huge = read(Role::Client, b"\x82\x7f\xff\xff\xff\xff\xff\xff\xff\xff").await;
    assert_eq!(huge, [Err(format!("{} bytes", usize::MAX))]);
}

#[tokio::test]
async fn parts_are_one_message_and_what_stands_between_them_is_not() {
    // Grüße, cut within a letter, with a ping and a pong between the parts.
    let bytes = b"\x01\x03Gr\xc3\x89\x01p\x00\x00\x8a\x01q\x80\x04\xbc\xc3\x9fe\x88\x05\x03\xe8end";
    let all = read(Role::Client, bytes).await;
    let [ping, pong, text, close] = all.as_slice() else {
        unreachable!("{all:?}")
    };
    assert_eq!(ping, &Ok(Message::Ping("p".into())));
    assert_eq!(pong, &Ok(Message::Pong("q".into())));
    assert_eq!(text, &Ok(Message::text("Grüße")));
    assert!(matches!(close, Ok(Message::Close(Some(frame))) if frame.reason == "end"));
}
