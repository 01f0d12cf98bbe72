//! The files channel, as it is on the wire.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::client::{Client, Incoming, hello};
use crate::daemon::{Daemon, PATIENCE, TOKEN};

/// Of `abc`.
const SHA256: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

/// A channel that was welcomed.
fn channel(daemon: &Daemon) -> Client {
    let mut client = Client::upgrade(daemon.address(), "/files", None).unwrap();
    client.send(&hello(Some(TOKEN), true));
    let welcome = client.text();
    assert_eq!(welcome["type"], "files_welcome", "{welcome}");
    client
}

/// The error of an answer.
fn error(reply: &Value) -> &str {
    assert_eq!(reply["type"], "failed", "{reply}");
    reply["error"].as_str().unwrap()
}

fn chunk(header: &Value, payload: &[u8]) -> Message {
    let header = header.to_string();
    let mut message = u32::try_from(header.len()).unwrap().to_le_bytes().to_vec();
    message.extend_from_slice(header.as_bytes());
    message.extend_from_slice(payload);
    Message::Binary(message.into())
}

#[test]
fn who_may_not_use_the_desktop_may_not_use_its_files() {
    let daemon = Daemon::start();
    let mut client = Client::upgrade(daemon.address(), "/files", None).unwrap();
    client.send(&hello(Some("another token"), true));
    let (code, reason) = client.closed();
    assert_eq!(code, 1008);
    assert!(reason.starts_with("unauthorized"), "{reason}");
    let origin = Client::upgrade(daemon.address(), "/files", Some("https://example.org"));
    assert_eq!(origin.unwrap_err(), 403);
    let without = Daemon::start_with(&["--no-files"]);
    assert_eq!(
        Client::upgrade(without.address(), "/files", None).unwrap_err(),
        404
    );
    let mut client = Client::upgrade(without.address(), "/aci", None).unwrap();
    client.send(&hello(Some(TOKEN), false));
    let welcome = client.text();
    let listed = welcome["server"]["extensions"].as_array().unwrap();
    assert!(!listed.contains(&json!("files")), "{welcome}");
}

#[test]
fn what_makes_no_sense_is_told_and_the_channel_goes_on() {
    let daemon = Daemon::start();
    let mut client = channel(&daemon);
    for wrong in [
        json!({"type": "put", "id": 1, "path": "", "size": 1}),
        json!({"type": "fly", "id": 2}),
        json!({"type": "get", "id": 3, "path": "a", "mood": 1}),
        json!({"type": "get", "id": 4, "path": "a\u{0}b"}),
        json!({"type": "artifact_get", "id": 5, "sha256": "../x"}),
    ] {
        client.send(&wrong);
        let reply = client.text();
        assert_eq!(reply["id"], wrong["id"]);
        assert!(error(&reply).starts_with("invalid_action: "), "{reply}");
    }
    // A chunk whose hash is another, and one that belongs elsewhere; what follows of a failed upload is passed over.
    let path = daemon.path("x");
    let path = path.to_str().unwrap();
    for (id, offset) in [(6, 0), (7, 5)] {
        client.send(&json!({"type": "put", "id": id, "path": path, "size": 3}));
        let header =
            json!({"type": "chunk", "id": id, "offset": offset, "sha256": "0".repeat(64), "last": false});
        client.raw(chunk(&header, b"abc"));
        client.raw(chunk(&header, b"abc"));
        let reply = client.text();
        assert!(error(&reply).starts_with("checksum_mismatch: "), "{reply}");
    }
    client.send(&json!({"type": "put", "id": 8, "path": path, "size": 3}));
    client.send(&json!({"type": "cancel", "id": 8}));
    error(&client.text());
    assert!(!daemon.path("x").exists());
    client.send(&json!({"type": "put", "id": 9, "path": path, "size": 3}));
    let header = json!({"type": "chunk", "id": 9, "offset": 0, "sha256": SHA256, "last": true});
    client.raw(chunk(&header, b"abc"));
    let reply = client.text();
    assert_eq!(
        (&reply["type"], &reply["sha256"]),
        (&json!("done"), &json!(SHA256))
    );
    assert_eq!(std::fs::read(daemon.path("x")).unwrap(), b"abc");
    client.raw(Message::Binary(vec![1, 0, 0, 0, b'{'].into()));
    assert_eq!(client.closed().0, 1003);
}

#[test]
fn a_client_that_says_nothing_of_what_it_got_is_sent_no_more_than_the_window() {
    let daemon = Daemon::start();
    let file = daemon.path("large");
    std::fs::File::create(&file).unwrap().set_len(512 << 20).unwrap();
    let memory = || {
        let status = std::fs::read_to_string(format!("/proc/{}/status", daemon.app.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
    };
    let before = memory();
    let mut client = channel(&daemon);
    client.send(&json!({"type": "get", "id": 1, "path": file.to_str().unwrap()}));
    assert!(matches!(client.next(), Incoming::Text(found) if found["type"] == "found"));
    let mut received = 0;
    while received < 8 << 20 {
        match client.next() {
            Incoming::Binary(_, payload) => received += payload.len(),
            other => panic!("{other:?}"),
        }
    }
    let mut other = daemon.client();
    for _ in 0..20 {
        other.send(&json!({"type": "ping"}));
        assert_eq!(other.text()["type"], "pong");
    }
    assert!(memory() < before + (64 << 10), "{before} {}", memory());
    // Its word lets the daemon go on, from where it has waited.
    client.send(&json!({"type": "ack", "id": 1, "offset": 1 << 20}));
    match client.next() {
        Incoming::Binary(header, _) => assert_eq!(header["offset"], 8 << 20),
        other => panic!("{other:?}"),
    }
    drop(client);
    testbed::eventually("the daemon to let go of the file", PATIENCE, || {
        let open = std::fs::read_dir(format!("/proc/{}/fd", daemon.app.id())).unwrap();
        let held = open
            .filter_map(|entry| std::fs::read_link(entry.unwrap().path()).ok())
            .any(|path| path == file);
        (!held).then_some(())
    });
}
