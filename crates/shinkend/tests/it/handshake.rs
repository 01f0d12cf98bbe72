//! Who gets in, and how.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;

use serde_json::json;
use testbed::{App, XServer, eventually};
use tokio_tungstenite::tungstenite::Message;

use crate::client::{Client, hello};
use crate::daemon::{Daemon, PATIENCE, TOKEN, address, command};

fn get(address: &str, path: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    text
}

#[test]
fn the_welcome_says_what_this_daemon_does() {
    let daemon = Daemon::start();
    for path in ["/", "/aci"] {
        let mut client = Client::upgrade(daemon.address(), path, None).unwrap();
        client.send(&hello(Some(TOKEN), false));
        let welcome = client.text();
        assert_eq!(welcome["v"], 0);
        assert_eq!(welcome["server"]["platform"], "linux");
        let capabilities = &welcome["capabilities"];
        let verbs: Vec<&str> = capabilities["verbs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|v| v.as_str().unwrap())
            .collect();
        assert_eq!(verbs.len(), 22);
        assert_eq!(
            capabilities["targets"],
            json!(["point_px", "point_norm", "element_ref"])
        );
        for able in [
            "binary_frames",
            "frame_dedup",
            "observe_after_act",
            "structured_observation",
        ] {
            assert_eq!(capabilities[able], true, "{able}");
        }
        assert_eq!(client.query("platform"), json!({"platform": "linux"}));
        assert_eq!(client.query("ready"), json!({"ready": true}));
        assert_eq!(client.query("screen_size"), json!({"w": 640, "h": 480}));
        assert_eq!(client.query("list_windows"), json!([]));
    }
}

#[test]
fn what_the_welcome_leaves_out_is_refused() {
    let daemon = Daemon::start_with(&["--no-structured-observation"]);
    let mut client = Client::upgrade(daemon.address(), "/aci", None).unwrap();
    client.send(&hello(Some(TOKEN), false));
    let welcome = client.text();
    let capabilities = &welcome["capabilities"];
    assert_eq!(capabilities["structured_observation"], false);
    assert_eq!(capabilities["targets"], json!(["point_px", "point_norm"]));
    let verbs = capabilities["verbs"].as_array().unwrap();
    assert_eq!(verbs.len(), 19);
    let target = json!({"kind": "element_ref", "ref": "e1"});
    for absent in [
        json!({"verb": "observe"}),
        json!({"verb": "invoke_action", "target": target}),
        json!({"verb": "set_value", "target": target, "text": "x"}),
        json!({"verb": "click", "target": target}),
    ] {
        assert!(absent["verb"] == "click" || !verbs.contains(&absent["verb"]));
        let ack = client.call(absent);
        assert!(
            ack["error"].as_str().unwrap().starts_with("unsupported: "),
            "{ack}"
        );
    }
}

#[test]
fn nothing_is_done_without_the_token() {
    let daemon = Daemon::start();
    for first in [
        hello(None, false),
        hello(Some("wrong"), false),
        hello(Some(""), false),
        hello(Some(&TOKEN[1..]), false),
        json!({"type": "ping"}),
        json!({"type": "query", "call_id": "q", "q": "platform"}),
        json!({"type": "action", "call_id": "a", "action": {"verb": "exec", "shell": "true"}}),
    ] {
        let mut client = Client::upgrade(daemon.address(), "/aci", None).unwrap();
        client.send(&first);
        let (code, reason) = client.closed();
        assert_eq!(code, 1008, "{first}");
        assert!(reason.starts_with("unauthorized: "), "{first}: {reason}");
    }
    for broken in [
        Message::Text("{".into()),
        Message::Binary(vec![1, 2, 3].into()),
        Message::Text("x".repeat(100_000).into()),
    ] {
        let mut client = Client::upgrade(daemon.address(), "/aci", None).unwrap();
        client.raw(broken);
        assert!([1008, 1009].contains(&client.closed().0));
    }
}

#[test]
fn a_browser_page_gets_in_only_where_it_is_named() {
    let daemon = Daemon::start_with(&["--allow-origin", "http://panel.example"]);
    assert_eq!(
        Client::upgrade(daemon.address(), "/aci", Some("http://evil.example")).unwrap_err(),
        403
    );
    assert_eq!(
        Client::upgrade(daemon.address(), "/aci", Some("null")).unwrap_err(),
        403
    );
    Client::upgrade(daemon.address(), "/aci", Some("http://panel.example")).unwrap();
}

#[test]
fn plain_http_gets_plain_answers() {
    let mut daemon = Daemon::start();
    assert!(get(daemon.address(), "/healthz").starts_with("HTTP/1.1 200 "));
    assert!(get(daemon.address(), "/elsewhere").starts_with("HTTP/1.1 404 "));
    assert!(get(daemon.address(), "/aci").starts_with("HTTP/1.1 426 "));
    daemon.server.app().signal(rustix::process::Signal::KILL);
    eventually("the health to be red", PATIENCE, || {
        get(daemon.address(), "/healthz")
            .starts_with("HTTP/1.1 503 ")
            .then_some(())
    });
}

#[test]
fn a_second_hello_and_a_servers_message_are_refused_but_do_not_end_it() {
    let daemon = Daemon::start();
    let mut client = daemon.client();
    for message in [
        hello(Some(TOKEN), false),
        json!({"type": "ack", "call_id": "x", "ok": true}),
    ] {
        client.send(&message);
        let result = client.text();
        assert_eq!(
            (&result["type"], &result["ok"]),
            (&json!("result"), &json!(false))
        );
        assert!(
            result["error"].as_str().unwrap().starts_with("invalid_action: "),
            "{result}"
        );
    }
    client.raw(Message::Text("not json".into()));
    assert_eq!(client.text()["ok"], false);
    client.send(&json!({"type": "pong"}));
    client.send(&json!({"type": "ping"}));
    assert_eq!(client.text(), json!({"type": "pong"}));
}

#[test]
fn the_token_from_the_environment_is_nowhere_to_be_seen() {
    let server = XServer::start(320, 240);
    let folder = tempfile::tempdir().unwrap();
    let mut app = App::spawn(
        command(&server, folder.path())
            .args(["--listen", "127.0.0.1:0"])
            .env("SHINKEND_TOKEN", TOKEN),
    );
    let address = address(&mut app, folder.path());
    let mut client = Client::welcomed(&address, TOKEN, false);
    for file in ["environ", "cmdline"] {
        let bytes = std::fs::read(format!("/proc/{}/{file}", app.id())).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains(TOKEN), "{file}");
    }
    let environment = client.shell("env; cat /proc/$PPID/environ");
    assert!(!environment["stdout"].as_str().unwrap().contains(TOKEN));
}

#[test]
fn tcp_needs_a_token_and_a_socket_file_has_its_permissions() {
    let server = XServer::start(320, 240);
    let folder = tempfile::tempdir().unwrap();
    let mut app = App::spawn(command(&server, folder.path()).args(["--listen", "127.0.0.1:0"]));
    let status = eventually("the daemon to refuse", PATIENCE, || app.exited());
    assert!(!status.success());

    let path = folder.path().join("socket");
    let mut app = App::spawn(
        command(&server, folder.path())
            .arg("--listen")
            .arg(format!("unix:{}", path.display())),
    );
    assert_eq!(
        address(&mut app, folder.path()),
        format!("unix:{}", path.display())
    );
    assert_eq!(
        std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let stream = UnixStream::connect(&path).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let (mut socket, _) = tokio_tungstenite::tungstenite::client("ws://localhost/aci", stream).unwrap();
    socket
        .send(Message::Text(hello(None, false).to_string().into()))
        .unwrap();
    assert!(socket.read().unwrap().to_text().unwrap().contains("welcome"));

    // A second daemon does not take the socket of one that lives; the first one's end takes the file along.
    let other = tempfile::tempdir().unwrap();
    let mut second = App::spawn(
        command(&server, other.path())
            .arg("--listen")
            .arg(format!("unix:{}", path.display())),
    );
    assert!(!eventually("the second to refuse", PATIENCE, || second.exited()).success());
    app.signal(rustix::process::Signal::TERM);
    eventually("the first to end", PATIENCE, || app.exited());
    assert!(!path.exists());
    assert!(!folder.path().join("addresses").exists());
}
