//! What happens when something is killed in the middle of its work.

use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::json;
use testbed::{XServer, eventually};

use crate::client::{Client, exec, hello};
use crate::daemon::{Daemon, PATIENCE, TOKEN};

/// Keeps every part of the daemon at work; the call_ids whose answers are still to come.
fn busy(client: &mut Client) -> Vec<String> {
    client.call(json!({"verb": "start_screencast", "fps": 30, "delta": true}));
    let mut calls = Vec::new();
    for n in 0..10 {
        let at = json!({"kind": "point_px", "x": n, "y": n});
        calls.push(client.act(json!({"verb": "click", "target": at, "observe": {}})));
        calls.push(client.act(json!({"verb": "screenshot"})));
        calls.push(client.act(json!({"verb": "clipboard_get"})));
    }
    calls
}

#[test]
fn without_the_display_server_every_call_ends_with_desktop_gone() {
    let mut daemon = Daemon::start();
    let mut client = daemon.client();
    let calls = busy(&mut client);
    daemon.server.app().signal(Signal::KILL);
    for call in calls {
        // Some were answered before the end; all are answered.
        client.about(&call);
    }
    for action in [
        json!({"verb": "screenshot"}),
        json!({"verb": "key", "keys": "a"}),
        json!({"verb": "click", "target": {"kind": "point_norm", "x": 0.5, "y": 0.5}}),
        json!({"verb": "type_text", "text": "é"}),
        json!({"verb": "clipboard_get"}),
        json!({"verb": "clipboard_set", "text": "x"}),
        json!({"verb": "activate_window", "window_id": 1}),
        json!({"verb": "start_screencast"}),
    ] {
        let answer = client.call(action.clone());
        let error = answer["error"].as_str().unwrap_or_default();
        assert!(error.starts_with("desktop_gone: "), "{action}: {answer}");
    }
    // What needs no desktop goes on.
    assert_eq!(client.shell("echo hi")["stdout"], "hi\n");
    daemon.app.signal(Signal::TERM);
    assert!(eventually("the daemon to end", PATIENCE, || daemon.app.exited()).success());
}

#[test]
fn a_display_server_that_stands_still_does_not_hold_a_call_for_ever() {
    let mut daemon = Daemon::start();
    let mut client = daemon.client();
    daemon.server.app().signal(Signal::STOP);
    for action in [
        json!({"verb": "screenshot"}),
        json!({"verb": "type_text", "text": "é"}),
        json!({"verb": "clipboard_get"}),
    ] {
        let answer = client.call(action);
        assert_eq!(answer["ok"], false, "{answer}");
    }
    client.send(&json!({"type": "ping"}));
    client.text();
}

#[test]
fn a_display_server_that_stands_still_holds_up_nobody_else() {
    let mut daemon = Daemon::start();
    let (mut client, mut other) = (daemon.client(), daemon.client());
    client.call(json!({"verb": "screenshot"}));
    daemon.server.app().signal(Signal::STOP);
    let looking = client.act(json!({"verb": "screenshot"}));
    let start = Instant::now();
    // Longer than the daemon's own looks at the desktop are apart.
    while start.elapsed() < Duration::from_secs(9) {
        let asked = Instant::now();
        other.send(&json!({"type": "ping"}));
        other.text();
        assert!(asked.elapsed() < Duration::from_secs(2), "{:?}", asked.elapsed());
        std::thread::sleep(Duration::from_millis(100));
    }
    // It may be the picture that was kept.
    client.about(&looking);
}

#[test]
fn a_client_that_is_cut_off_leaves_nothing_behind() {
    let daemon = Daemon::start_with(&[
        "--max-connections",
        "2",
        "--max-screencasts",
        "1",
        "--max-execs",
        "1",
    ]);
    for _ in 0..5 {
        let mut client = eventually("a free place", PATIENCE, || {
            let mut client = Client::upgrade(daemon.address(), "/aci", None).ok()?;
            client.send(&hello(Some(TOKEN), false));
            (client.text()["type"] == "welcome").then_some(client)
        });
        client.act(exec(json!({"argv": ["sleep", "300"]})));
        busy(&mut client);
        let down = json!({"kind": "point_px", "x": 5, "y": 5});
        client.act(json!({"verb": "mouse_down", "target": down}));
        drop(client);
    }
    eventually("all places to be free", PATIENCE, || {
        let mut client = Client::upgrade(daemon.address(), "/aci", None).ok()?;
        client.send(&hello(Some(TOKEN), false));
        client.text();
        let cast = client.call(json!({"verb": "start_screencast"}))["ok"] == true;
        let program = client.call(exec(json!({"argv": ["true"]})))["type"] == "result";
        (cast && program).then_some(())
    });
}

#[test]
fn a_killed_daemon_takes_its_helpers_along_and_another_can_take_the_display() {
    let mut daemon = Daemon::start();
    let mut client = daemon.client();
    busy(&mut client);
    let line = format!("{}", daemon.app.id());
    daemon.app.signal(Signal::KILL);
    eventually("the daemon's end", PATIENCE, || daemon.app.exited());
    client.closed();
    eventually("the guard's end", PATIENCE, || {
        let guards = crate::daemon::processes(|arguments, _| {
            arguments.get(1) == Some(&"--guard")
                && arguments
                    .get(2)
                    .is_some_and(|mark| mark.starts_with(&format!("{line}-")))
        });
        guards.is_empty().then_some(())
    });
    let next = Daemon::start_on(daemon.into_server(), &[]);
    next.client().call(json!({"verb": "screenshot"}));
}

#[test]
fn many_daemons_run_side_by_side() {
    let daemons: Vec<Daemon> = (0..3)
        .map(|_| Daemon::start_on(XServer::start(320, 240), &[]))
        .collect();
    let mut displays: Vec<_> = daemons
        .iter()
        .map(|daemon| {
            daemon.client().shell("echo $DISPLAY")["stdout"]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        })
        .collect();
    displays.sort();
    displays.dedup();
    assert_eq!(displays.len(), 3);
}
