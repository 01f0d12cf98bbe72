//! What is too much, too long or too late.

use serde_json::json;
use testbed::eventually;
use tokio_tungstenite::tungstenite::Message;

use crate::client::Client;
use crate::daemon::{Daemon, PATIENCE};

#[test]
fn whoever_says_nothing_is_disconnected() {
    let daemon = Daemon::start_with(&["--handshake-timeout-ms", "300", "--idle-timeout-ms", "600"]);
    let mut silent = Client::upgrade(daemon.address(), "/aci", None).unwrap();
    assert_eq!(silent.closed(), (1008, "no hello came in time".to_owned()));
    let mut idle = daemon.client();
    // A program that runs counts as activity.
    let value = idle.exec(json!({"argv": ["sleep", "1.5"]}));
    assert_eq!(value["exit_code"], 0);
    let (code, reason) = idle.closed();
    assert_eq!(code, 1008);
    assert!(reason.starts_with("idle"), "{reason}");
}

#[test]
fn a_connection_has_a_longest_life() {
    let daemon = Daemon::start_with(&["--max-lifetime-ms", "500"]);
    let (code, reason) = daemon.client().closed();
    assert_eq!(code, 1008);
    assert!(reason.contains("longest life"), "{reason}");
}

#[test]
fn no_more_clients_than_allowed_and_a_place_is_free_again() {
    let daemon = Daemon::start_with(&["--max-connections", "2"]);
    let first = daemon.client();
    let _second = daemon.client();
    assert_eq!(Client::upgrade(daemon.address(), "/aci", None).unwrap_err(), 503);
    drop(first);
    eventually("a free place", PATIENCE, || {
        Client::upgrade(daemon.address(), "/aci", None).ok()
    });
}

#[test]
fn an_oversize_or_binary_message_ends_the_connection_with_a_reason() {
    let daemon = Daemon::start_with(&["--max-message-bytes", "4096"]);
    let mut client = daemon.client();
    client.raw(Message::Text("x".repeat(5000).into()));
    let (code, reason) = client.closed();
    assert_eq!(code, 1009);
    assert!(reason.contains("4096"), "{reason}");
    let mut client = daemon.client();
    client.raw(Message::Binary(vec![0; 16].into()));
    assert_eq!(client.closed().0, 1003);
    daemon.client();
}

#[test]
fn the_reason_arrives_also_where_the_client_is_still_writing() {
    let daemon = Daemon::start_with(&["--max-message-bytes", "4096"]);
    for _ in 0..20 {
        let mut client = daemon.client();
        // Writing does not fail, which most clients would tell instead of the reason.
        client.raw(Message::Text("x".repeat(8 << 20).into()));
        assert_eq!(client.closed().0, 1009);
        let mut client = daemon.client();
        client.raw(Message::Binary(vec![0; 16].into()));
        for _ in 0..100 {
            client.raw(Message::Text("x".repeat(4000).into()));
        }
        assert_eq!(client.closed().0, 1003);
    }
}

#[test]
fn long_texts_and_waits_are_refused() {
    let daemon = Daemon::start_with(&["--max-type-chars", "10", "--max-clipboard-bytes", "10"]);
    let mut client = daemon.client();
    let ack = client.call(json!({"verb": "type_text", "text": "0123456789é"}));
    assert!(
        ack["error"].as_str().unwrap().starts_with("invalid_action: "),
        "{ack}"
    );
    let ack = client.call(json!({"verb": "wait", "ms": 3_600_000}));
    assert!(
        ack["error"].as_str().unwrap().starts_with("invalid_action: "),
        "{ack}"
    );
    let ack = client.call(json!({"verb": "clipboard_set", "text": "01234567890"}));
    assert!(
        ack["error"]
            .as_str()
            .unwrap()
            .starts_with("clipboard_too_large: "),
        "{ack}"
    );
}
