//! Messages that are large, and messages that are too large.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use futures_util::{SinkExt as _, StreamExt as _};
use shinken::aci::error_code::ErrorCode;
use shinken::{Cast, Client, ClientError, Options, Shot};
use testbed::XServer;
use tokio::net::TcpListener;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, WebSocketConfig};

use crate::daemon::{Daemon, PATIENCE};
use crate::screen::Screen;

#[tokio::test]
async fn a_large_screen_of_noise_arrives_whole_or_is_refused_with_advice() {
    let daemon = Daemon::start_on(XServer::start(3840, 2160), &[]);
    let noise = Screen::open(daemon.server.display()).noise(1, 2160);
    for binary_frames in [true, false] {
        let options = Options {
            binary_frames,
            ..Options::default()
        };
        let client = daemon.client_with(options.clone()).await;
        let picture = client.screenshot(Shot::screen().png()).await.unwrap();
        assert_eq!((picture.w, picture.h), (3840, 2160));
        assert!(picture.bytes.len() > 24_000_000, "noise became smaller");
        assert!(picture.decode().unwrap().rgb() == noise, "other pixels arrived");

        // What fits nowhere is told before it is sent, so that the session goes on.
        let narrow = Options {
            max_message_bytes: 4 << 20,
            ..options
        };
        let client = daemon.client_with(narrow).await;
        let refused = client.screenshot(Shot::screen().png()).await.unwrap_err();
        assert_eq!(refused.code(), Some(ErrorCode::CaptureFailed), "{refused}");
        assert!(refused.to_string().contains("max_long_edge"), "{refused}");
        let unseen = client.move_to((1, 2)).observe(Shot::screen()).await.unwrap_err();
        assert!(matches!(unseen, ClientError::Unseen(_)), "{unseen}");
        let mut cast = client.start_screencast(Cast::new(Shot::screen())).await.unwrap();
        let ended = timeout(PATIENCE, cast.next())
            .await
            .unwrap()
            .unwrap()
            .unwrap_err();
        assert_eq!(ended.code(), Some(ErrorCode::CaptureFailed), "{ended}");
        // The advice helps.
        let smaller = client
            .screenshot(Shot::screen().jpeg(80).max_long_edge(1280))
            .await
            .unwrap();
        assert_eq!((smaller.w, smaller.h), (1280, 720));
        assert!(client.ended().is_none());
    }
}

#[tokio::test]
async fn a_request_that_the_daemon_does_not_take_is_not_sent() {
    let daemon = Daemon::start_with(&["--max-message-bytes", "20000"]);
    let client = daemon.client().await;
    for size in [20_000, 100_000, 20_000_000] {
        let big = client.clipboard_set("x".repeat(size)).await.unwrap_err();
        assert!(matches!(big, ClientError::TooBig { ended: false, .. }), "{big}");
        assert!(!big.is_fatal() && big.to_string().contains("20000"), "{big}");
    }
    client.clipboard_set("x".repeat(19_000)).await.unwrap();
    assert_eq!(client.clipboard_get().await.unwrap().len(), 19_000);
}

/// A runtime that says nothing of what it takes; what it does is up to `serve`.
async fn silent_runtime<F: Future<Output = ()> + Send + 'static>(
    config: WebSocketConfig,
    serve: impl FnOnce(tokio_tungstenite::WebSocketStream<tokio::net::TcpStream>) -> F + Send + 'static,
) -> Client {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let mut socket = tokio_tungstenite::accept_async_with_config(stream, Some(config))
            .await
            .unwrap();
        socket.next().await.unwrap().unwrap();
        let welcome = r#"{"type":"welcome","v":0,"server":{"name":"n","version":"1","platform":"linux"},
            "capabilities":{"schema_version":0,"verbs":["clipboard_set"],"targets":[],"observation_types":[]}}"#;
        socket.send(Message::text(welcome)).await.unwrap();
        serve(socket).await;
    });
    let options = Options {
        max_message_bytes: 10_000,
        ..Options::default()
    };
    Client::connect(&address, None, options).await.unwrap()
}

#[tokio::test]
async fn a_runtime_that_says_no_limits_is_told_apart_from_a_dead_one() {
    let small = WebSocketConfig::default()
        .max_message_size(Some(5_000))
        .max_frame_size(Some(5_000));
    let client = silent_runtime(small, async |mut socket| {
        assert!(socket.next().await.unwrap().is_err());
        let reason = CloseFrame {
            code: 1009.into(),
            reason: "too big".into(),
        };
        socket.send(Message::Close(Some(reason))).await.unwrap();
        std::future::pending().await
    })
    .await;
    let big = client.clipboard_set("x".repeat(6_000)).await.unwrap_err();
    assert!(matches!(big, ClientError::TooBig { ended: true, .. }), "{big}");

    let client = silent_runtime(WebSocketConfig::default(), async |mut socket| {
        socket.next().await.unwrap().unwrap();
        socket.send(Message::text("x".repeat(20_000))).await.unwrap();
        // The client says goodbye, and does not leave its peer in doubt.
        while socket.next().await.is_some_and(|message| message.is_ok()) {}
    })
    .await;
    let big = client.clipboard_set("x").await.unwrap_err();
    assert!(matches!(big, ClientError::TooBig { ended: true, .. }), "{big}");
    assert!(big.to_string().contains("max_message_bytes"), "{big}");
}
