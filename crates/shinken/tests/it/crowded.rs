//! A listener with more clients before it than can wait there.

use std::time::Duration;

use futures_util::future::try_join_all;
use futures_util::{SinkExt as _, StreamExt as _};
use shinken::{Client, Options};
use tokio::net::UnixSocket;
use tokio_tungstenite::tungstenite::Message;

const WELCOME: &str = r#"{"type":"welcome","v":0,"server":{"name":"n","version":"1","platform":"linux"},
    "capabilities":{"schema_version":0,"verbs":[],"targets":[],"observation_types":[]}}"#;

#[tokio::test]
async fn clients_wait_for_room_at_a_socket_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let socket = UnixSocket::new_stream().unwrap();
    socket.bind(&path).unwrap();
    let listener = socket.listen(1).unwrap();
    let serving = tokio::spawn(async move {
        let mut sockets = Vec::new();
        for _ in 0..20 {
            // Nobody is taken until the others have found it full.
            tokio::time::sleep(Duration::from_millis(20)).await;
            let (stream, _) = listener.accept().await.unwrap();
            let mut socket = tokio_tungstenite::accept_async(stream).await.unwrap();
            socket.next().await.unwrap().unwrap();
            socket.send(Message::text(WELCOME)).await.unwrap();
            sockets.push(socket);
        }
        sockets
    });
    let address = format!("unix:{}", path.display());
    let connecting = (0..20).map(|_| Client::connect(&address, None, Options::default()));
    let clients = try_join_all(connecting).await.unwrap();
    assert!(clients.iter().all(|client| client.ended().is_none()));
    serving.await.unwrap();
}
