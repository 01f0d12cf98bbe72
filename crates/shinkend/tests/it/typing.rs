//! Text that is typed into a real program.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use serde_json::json;
use testbed::eventually;

use crate::client::Client;
use crate::daemon::{Daemon, PATIENCE};

/// An xterm that writes the lines it is given to a file.
fn terminal(daemon: &Daemon, client: &mut Client) -> std::path::PathBuf {
    let file = daemon.path("typed");
    let line = format!("stty -echo; touch {0}; exec cat > {0}", file.display());
    let args = json!(["-T", "typing-test", "-u8", "-e", "sh", "-c", line]);
    let ack = client.call(json!({"verb": "launch_app", "app": "xterm", "args": args}));
    assert_eq!(ack["ok"], true, "{ack}");
    eventually("the terminal", PATIENCE, || {
        let windows = client.query("list_windows");
        let shown = windows
            .as_array()
            .unwrap()
            .iter()
            .any(|window| window["title"] == "typing-test");
        (shown && file.exists()).then_some(())
    });
    let ack = client.call(json!({"verb": "activate_window", "app": "Typing-Test"}));
    assert_eq!(ack["ok"], true, "{ack}");
    file
}

#[test]
fn typed_text_arrives_exactly() {
    let daemon = Daemon::start();
    let mut client = daemon.client();
    let file = terminal(&daemon, &mut client);
    let text = "Grüße, wörld! €5 ☕ 日本 {[~|\\\\]}\n\tend\n";
    assert_eq!(
        client.call(json!({"verb": "type_text", "text": text}))["ok"],
        true
    );
    eventually("the text", PATIENCE, || {
        (std::fs::read_to_string(&file).unwrap() == text).then_some(())
    });
}

#[test]
fn the_rest_of_a_text_is_not_typed_when_its_client_is_gone() {
    let daemon = Daemon::start();
    let mut client = daemon.client();
    let file = terminal(&daemon, &mut client);
    let text = "0123456789abcdef\n".repeat(500);
    client.act(json!({"verb": "type_text", "text": text}));
    eventually("the first lines", PATIENCE, || {
        (std::fs::metadata(&file).unwrap().len() > 0).then_some(())
    });
    drop(client);
    // The next client has the keyboard long before all would have been typed, and nothing of the old text follows.
    let mut client = daemon.client();
    assert_eq!(
        client.call(json!({"verb": "type_text", "text": "\nend\n"}))["ok"],
        true
    );
    eventually("the end", PATIENCE, || {
        std::fs::read_to_string(&file)
            .unwrap()
            .ends_with("\nend\n")
            .then_some(())
    });
    assert!(std::fs::read_to_string(&file).unwrap().len() < text.len());
}

#[test]
fn a_control_character_is_no_key() {
    let daemon = Daemon::start();
    let mut client = daemon.client();
    for keys in ["\u{7}", "\n", "ctrl+\u{1b}", "U+0007"] {
        let ack = client.call(json!({"verb": "key", "keys": keys}));
        assert_eq!(ack["ok"], false, "{keys:?}");
        let error = ack["error"].as_str().unwrap();
        assert!(error.starts_with("invalid_action: "), "{keys:?}: {error}");
    }
}
