//! What the clipboard's owner gives out, and how a failure to read it is answered.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};
use testbed::{App, XServer, eventually};

use crate::client::Client;
use crate::daemon::{Daemon, PATIENCE};

/// An xclip that has these bytes of this type on the clipboard and nothing else.
fn owner(server: &XServer, kind: &str, bytes: &[u8]) -> App {
    let mut command = server.command("xclip");
    command.args(["-i", "-quiet", "-selection", "clipboard", "-t", kind]);
    let mut app = App::spawn(command.stdin(Stdio::piped()));
    app.child().stdin.take().unwrap().write_all(bytes).unwrap();
    app
}

/// The answer to clipboard_get once the owner has the clipboard; before that it is empty.
fn reading(client: &mut Client) -> Value {
    eventually("the owner of the clipboard", PATIENCE, || {
        let answer = client.call(json!({"verb": "clipboard_get"}));
        (answer["value"]["text"] != "").then_some(answer)
    })
}

#[test]
fn a_clipboard_that_cannot_be_read_is_a_result_too() {
    for (kind, bytes, said) in [
        ("image/png", &b"\x89PNG\r\n\x1a\n"[..], "picture"),
        ("UTF8_STRING", b"\xff\xfe", "UTF-8"),
    ] {
        let server = XServer::start(320, 240);
        let _owner = owner(&server, kind, bytes);
        let daemon = Daemon::start_on(server, &[]);
        let mut client = daemon.client();
        let result = reading(&mut client);
        assert_eq!(
            (&result["type"], &result["ok"]),
            (&json!("result"), &json!(false)),
            "{result}"
        );
        let error = result["error"].as_str().unwrap();
        assert!(
            error.starts_with("unsupported: ") && error.contains(said),
            "{error}"
        );
        // The session goes on.
        assert_eq!(
            client.call(json!({"verb": "clipboard_set", "text": "ours"}))["ok"],
            true
        );
        let result = client.call(json!({"verb": "clipboard_get"}));
        assert_eq!(result["value"], json!({"text": "ours"}), "{result}");
    }
}

#[test]
fn what_is_refused_before_it_begins_is_an_ack() {
    let daemon = Daemon::start();
    let mut client = daemon.client();
    client.invalid(json!({"verb": "clipboard_get", "nonsense": 1}));
}
