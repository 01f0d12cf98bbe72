//! The order of a session's calls.

use std::time::Duration;

use serde_json::{Value, json};

use crate::client::exec;
use crate::daemon::Daemon;

#[test]
fn calls_are_answered_in_the_order_in_which_they_were_sent() {
    let daemon = Daemon::start();
    let mut client = daemon.client();
    let mut sent = Vec::new();
    for n in 0..20 {
        sent.push(client.act(match n % 4 {
            0 => json!({"verb": "move", "target": {"kind": "point_px", "x": n, "y": n}}),
            1 => json!({"verb": "wait", "ms": 5}),
            2 => json!({"verb": "screenshot", "max_long_edge": 32}),
            _ => json!({"verb": "clipboard_get"}),
        }));
    }
    let answered: Vec<String> = (0..20)
        .map(|_| {
            let answer = client.text();
            let name = if answer["type"] == "observation" {
                &answer["cause"]
            } else {
                &answer["call_id"]
            };
            name.as_str().unwrap_or_default().to_owned()
        })
        .collect();
    assert_eq!(answered, sent);
}

#[test]
fn a_ping_does_not_wait_behind_a_call_and_a_program_runs_beside() {
    let daemon = Daemon::start();
    let mut client = daemon.client();
    let program = client.act(exec(json!({"argv": ["sleep", "1"]})));
    let wait = client.act(json!({"verb": "wait", "ms": 400}));
    client.send(&json!({"type": "ping", "t": 1}));
    let kinds: Vec<Value> = (0..3)
        .map(|_| {
            let answer = client.text();
            answer.get("call_id").unwrap_or(&answer["type"]).clone()
        })
        .collect();
    assert_eq!(kinds, [json!("pong"), json!(wait), json!(program)]);
    assert!(client.silent_for(Duration::from_millis(100)));
}

#[test]
fn a_disconnect_in_the_middle_of_a_wait_ends_it() {
    let daemon = Daemon::start_with(&["--max-connections", "1"]);
    let mut client = daemon.client();
    client.act(json!({"verb": "wait", "ms": 60_000}));
    drop(client);
    testbed::eventually(
        "the place of the client that left",
        crate::daemon::PATIENCE,
        || crate::client::Client::upgrade(daemon.address(), "/aci", None).ok(),
    );
}
