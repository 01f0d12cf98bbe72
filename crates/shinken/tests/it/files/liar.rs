//! A runtime that lies about files.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::os::unix::fs::PermissionsExt as _;

use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::{Value, json};
use shinken::{Client, ClientError, Options, Transfer};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};

use super::names;

/// Of `abc`.
const SHA256: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/// A runtime that answers every list with these entries, and every `get` with a file of three bytes.
async fn liar(entries: Value) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(serve(stream, entries.clone()));
        }
    });
    address
}

async fn serve(stream: TcpStream, entries: Value) {
    let mut is_files = false;
    #[expect(clippy::result_large_err, reason = "the library's own types")]
    let note = |request: &Request, response: Response| -> Result<Response, ErrorResponse> {
        is_files = request.uri().path() == "/files";
        Ok(response)
    };
    let mut socket = tokio_tungstenite::accept_hdr_async(stream, note).await.unwrap();
    let welcome = match is_files {
        true => json!({"type": "files_welcome", "v": 0, "max_chunk_bytes": 1 << 20}),
        false => json!({"type": "welcome", "v": 0,
            "server": {"name": "liar", "version": "1", "platform": "linux", "extensions": ["files"]},
            "capabilities": {"schema_version": 0, "verbs": [], "targets": [], "observation_types": []}}),
    };
    let mut greeted = false;
    while let Some(Ok(message)) = socket.next().await {
        let Message::Text(text) = message else {
            continue;
        };
        let answers = match std::mem::replace(&mut greeted, true) {
            false => vec![Message::text(welcome.to_string())],
            true => answers(&serde_json::from_str(&text).unwrap(), &entries),
        };
        for answer in answers {
            socket.send(answer).await.unwrap();
        }
    }
}

fn answers(request: &Value, entries: &Value) -> Vec<Message> {
    let id = &request["id"];
    if request["type"] == "list" {
        return vec![
            Message::text(json!({"type": "entries", "id": id, "entries": entries}).to_string()),
            Message::text(json!({"type": "done", "id": id}).to_string()),
        ];
    }
    let entry = json!({"path": "x", "kind": "file", "size": 3, "mode": 0o4755, "mtime_ms": 0});
    let header = json!({"type": "chunk", "id": id, "offset": 0, "sha256": SHA256, "last": true}).to_string();
    let mut chunk = u32::try_from(header.len()).unwrap().to_le_bytes().to_vec();
    chunk.extend_from_slice(header.as_bytes());
    chunk.extend_from_slice(b"abc");
    vec![
        Message::text(json!({"type": "found", "id": id, "entry": entry, "offset": 0}).to_string()),
        Message::Binary(chunk.into()),
        Message::text(json!({"type": "done", "id": id, "size": 3, "sha256": SHA256}).to_string()),
    ]
}

fn entry(path: &str, kind: &str) -> Value {
    json!({"path": path, "kind": kind, "size": 3, "mode": 0o4755, "mtime_ms": 0})
}

fn link(path: &str, target: &str) -> Value {
    let mut link = entry(path, "link");
    link["target"] = target.into();
    link
}

#[tokio::test]
async fn nothing_is_written_outside_of_the_folder_that_was_named() {
    let file = |path: &str| entry(path, "file");
    for entries in [
        json!([file("../evil")]),
        json!([file("a/../../evil")]),
        json!([file("/tmp/evil")]),
        json!([file("a\u{0}b")]),
        json!([file("")]),
        json!([entry("../evil", "folder")]),
        json!([link("a", "../outside"), file("a/evil")]),
        json!([link("a", "/")]),
    ] {
        let address = liar(entries.clone()).await;
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("outside")).unwrap();
        let client = Client::connect(&address, None, Options::default()).await.unwrap();
        let refused = client
            .files()
            .get_dir("/x", folder.path().join("into"), Transfer::default())
            .await;
        assert!(
            matches!(
                refused,
                Err(ClientError::File { .. } | ClientError::Protocol { .. })
            ),
            "{entries}: {refused:?}"
        );
        assert_eq!(names(folder.path()), ["outside"], "{entries}");
        assert!(names(&folder.path().join("outside")).is_empty(), "{entries}");
    }
}

#[tokio::test]
async fn permissions_give_nobody_elses_rights() {
    let address = liar(json!([entry("a", "file"), entry("b", "folder")])).await;
    let folder = tempfile::tempdir().unwrap();
    let client = Client::connect(&address, None, Options::default()).await.unwrap();
    client
        .files()
        .get_dir("/x", folder.path(), Transfer::default())
        .await
        .unwrap();
    for name in ["a", "b"] {
        let metadata = std::fs::metadata(folder.path().join(name)).unwrap();
        assert_eq!(metadata.permissions().mode() & 0o7777, 0o755, "{name}");
    }
}
