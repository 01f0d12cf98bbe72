//! From a line to a WebSocket, beside tungstenite and by hand.

use futures_util::{SinkExt as _, StreamExt as _};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::{HeaderMap, StatusCode};
use tokio_tungstenite::tungstenite::{Error, Message};
use websocket::Refused;

#[tokio::test]
async fn both_sides_are_understood_by_tungstenite() {
    // It takes a peer that sends byte by byte for an attack.
    for line in [100, 1 << 16] {
        let (near, far) = duplex(line);
        let serving = tokio::spawn(async move { tokio_tungstenite::accept_async(far).await });
        let request = "ws://localhost/aci".into_client_request().unwrap();
        let (mut ours, _) = websocket::connect(near, request, 100).await.unwrap();
        let mut theirs = serving.await.unwrap().unwrap();
        theirs.send(Message::text("welcome")).await.unwrap();
        assert_eq!(ours.next().await.unwrap().unwrap(), Message::text("welcome"));

        let (near, far) = duplex(line);
        let serving = tokio::spawn(websocket::accept(far, 100, |request| {
            assert_eq!(request.uri().path(), "/aci");
            let mut more = HeaderMap::new();
            more.insert("x-more", 7.into());
            Ok(more)
        }));
        let (mut theirs, answer) = tokio_tungstenite::client_async("ws://localhost/aci", near)
            .await
            .unwrap();
        assert_eq!(answer.headers()["x-more"], "7");
        let mut ours = serving.await.unwrap().unwrap();
        theirs.send(Message::text("hello")).await.unwrap();
        assert_eq!(ours.next().await.unwrap().unwrap(), Message::text("hello"));
    }
}

#[tokio::test]
async fn a_peer_that_speaks_at_once_is_heard() {
    let (near, mut far) = duplex(1 << 16);
    let serving = tokio::spawn(websocket::accept(near, 100, |_| Ok(HeaderMap::new())));
    let request = "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                   Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    let hello = b"\x81\x85\0\0\0\0hello";
    far.write_all(&[request.as_bytes(), hello].concat())
        .await
        .unwrap();
    let mut ours = serving.await.unwrap().unwrap();
    assert_eq!(ours.next().await.unwrap().unwrap(), Message::text("hello"));
}

#[tokio::test]
async fn who_is_turned_away_is_told_why() {
    let refused = Refused {
        status: StatusCode::FORBIDDEN,
        reason: "not from there",
    };
    let (near, far) = duplex(1 << 16);
    let serving = tokio::spawn(websocket::accept(far, 100, move |_| Err(refused)));
    let request = "ws://localhost/".into_client_request().unwrap();
    let error = websocket::connect(near, request, 100).await.unwrap_err();
    let Error::Http(response) = error else {
        unreachable!("{error}")
    };
    assert_eq!(response.status(), StatusCode::FORBIDDEN);
    assert_eq!(response.body().as_deref(), Some(&b"not from there"[..]));
    assert!(serving.await.unwrap().is_err());

    for (request, status) in [
        ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", Some("426")),
        ("POST / HTTP/1.1\r\nHost: x\r\n\r\n", None),
        ("not HTTP at all\r\n\r\n", None),
    ] {
        let (mut near, far) = duplex(1 << 16);
        let serving = tokio::spawn(websocket::accept(far, 100, |_| Ok(HeaderMap::new())));
        near.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        near.read_to_string(&mut answer).await.unwrap();
        assert_eq!(answer.split(' ').nth(1), status, "{request}: {answer}");
        assert!(serving.await.unwrap().is_err());
    }

    let (mut near, far) = duplex(1 << 20);
    near.write_all(&vec![b'x'; 100_000]).await.unwrap();
    let endless = websocket::accept(far, 100, |_| Ok(HeaderMap::new())).await;
    assert!(matches!(endless, Err(Error::Capacity(_))), "{endless:?}");
}

#[tokio::test]
async fn an_answer_that_is_none_to_this_key_is_refused() {
    let (near, mut far) = duplex(1 << 16);
    let request = "ws://localhost/".into_client_request().unwrap();
    far.write_all(
        b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
          Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n",
    )
    .await
    .unwrap();
    let outcome = websocket::connect(near, request, 100).await;
    assert!(matches!(outcome, Err(Error::Protocol(_))), "{outcome:?}");
}
