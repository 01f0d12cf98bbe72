//! SIGKILL of each part: nothing is left, and who can still say so says what happened.

use rustix::process::{Signal, test_kill_process};
use testbed::eventually;

use crate::stage::{PATIENCE, Stage, kill};

#[test]
fn its_command() {
    let stage = Stage::new();
    let owned = stage.up(&[]);
    owned.app.signal(Signal::KILL);
    stage.assert_empty([&owned.desktop]);
}

#[test]
fn its_supervisor() {
    let stage = Stage::new();
    let owned = stage.up(&[]);
    let desktop = owned.desktop.clone();
    kill(stage.process("__supervise-sandbox"));
    let (code, complaint) = owned.ended();
    assert_eq!(code, Some(1), "{complaint}");
    assert!(complaint.contains("supervisor"), "{complaint}");
    stage.assert_empty([&desktop]);
}

#[test]
fn the_supervisor_of_a_detached_one() {
    let stage = Stage::new();
    let desktop = stage.detached(&[]);
    kill(stage.process("__supervise-sandbox"));
    stage.assert_empty([&desktop]);
}

#[test]
fn its_x_server() {
    let stage = Stage::new();
    let owned = stage.up(&[]);
    let desktop = owned.desktop.clone();
    kill(stage.process("Xvfb"));
    let (code, complaint) = owned.ended();
    assert_eq!(code, Some(1), "{complaint}");
    assert!(
        complaint.contains("x-server") && complaint.contains("signal: 9"),
        "{complaint}"
    );
    stage.assert_empty([&desktop]);
}

#[test]
fn its_daemon() {
    let stage = Stage::new();
    let owned = stage.up(&[]);
    let desktop = owned.desktop.clone();
    kill(stage.process("shinkend --listen"));
    let (code, complaint) = owned.ended();
    assert_eq!(code, Some(1), "{complaint}");
    assert!(complaint.contains("daemon ended (signal: 9"), "{complaint}");
    // The last thing that the daemon logged.
    assert!(complaint.contains("serving display"), "{complaint}");
    stage.assert_empty([&desktop]);
}

#[test]
fn its_session_bus() {
    let stage = Stage::new();
    let owned = stage.up(&[]);
    let desktop = owned.desktop.clone();
    kill(stage.process("dbus-daemon --session"));
    let (code, complaint) = owned.ended();
    assert_eq!(code, Some(1), "{complaint}");
    assert!(complaint.contains("bus ended"), "{complaint}");
    stage.assert_empty([&desktop]);
}

#[test]
fn its_window_manager_comes_back() {
    let stage = Stage::new();
    let owned = stage.up(&[]);
    let first = stage.process("openbox");
    kill(first);
    eventually("another window manager", PATIENCE, || {
        let found = stage.processes();
        found
            .iter()
            .any(|(pid, line)| line.contains("openbox") && *pid != first)
            .then_some(())
    });
    assert!(owned.desktop.is_well());
    owned.app.signal(Signal::INT);
    let desktop = owned.desktop.clone();
    assert_eq!(owned.ended(), (Some(0), String::new()));
    stage.assert_empty([&desktop]);
}

#[test]
fn a_window_manager_that_always_ends_is_given_up() {
    let stage = Stage::new();
    let owned = stage.up(&[]);
    let desktop = owned.desktop.clone();
    let mut owned = Some(owned);
    let (code, complaint) = eventually("the desktop to give up", PATIENCE * 2, || {
        for (pid, line) in stage.processes() {
            if line.starts_with("openbox") || line.contains("/openbox") {
                // It may have ended since it was listed.
                rustix::process::kill_process(pid, Signal::KILL).ok();
            }
        }
        let ended = owned.as_mut()?.app.exited().is_some();
        ended.then(|| owned.take())?.map(crate::stage::Owned::ended)
    });
    assert_eq!(code, Some(1), "{complaint}");
    assert!(complaint.contains("window-manager"), "{complaint}");
    stage.assert_empty([&desktop]);
}

#[test]
fn its_guard_comes_back_and_still_sweeps() {
    let stage = Stage::new();
    let owned = stage.up(&[]);
    let desktop = owned.desktop.clone();
    let first = stage.process("__guard-sandbox");
    kill(first);
    eventually("another guard", PATIENCE, || {
        (test_kill_process(first).is_err() || stage.process("__guard-sandbox") != first).then_some(())
    });
    let second = stage.process("__guard-sandbox");
    assert_ne!(first, second);
    kill(stage.process("__supervise-sandbox"));
    stage.assert_empty([&desktop]);
}

#[test]
fn its_command_while_it_starts() {
    let stage = Stage::new();
    let begun = std::time::SystemTime::now();
    for part in ["__supervise-sandbox", "Xvfb", "dbus-daemon --session", "shinkend"] {
        let app = testbed::App::spawn(&mut stage.shinken(&["up", "--size", "640x480"]));
        eventually(part, PATIENCE, || {
            stage
                .processes()
                .iter()
                .any(|(_, line)| line.contains(part))
                .then_some(())
        });
        app.signal(Signal::KILL);
        stage.assert_empty([]);
    }
    no_dead_x_socket_since(begun);
}

#[test]
fn its_x_server_and_supervisor_before_the_display_has_a_number() {
    let begun = std::time::SystemTime::now();
    for wait in [0, 2, 4, 6, 8, 10, 15, 20] {
        let stage = Stage::new();
        let app = testbed::App::spawn(&mut stage.shinken(&["up", "--size", "640x480"]));
        let supervisor = stage.process("__supervise-sandbox");
        stage.process("Xvfb");
        std::thread::sleep(std::time::Duration::from_millis(wait));
        kill(supervisor);
        stage.assert_empty([]);
        drop(app);
    }
    no_dead_x_socket_since(begun);
}

/// Waits until there is no X server's socket of this age that nobody has. Other tests' are swept soon too.
fn no_dead_x_socket_since(begun: std::time::SystemTime) {
    eventually("all X sockets to be swept", PATIENCE, || {
        let entries = std::fs::read_dir("/tmp/.X11-unix").ok()?;
        let dead = entries.flatten().any(|entry| {
            let made = entry.metadata().and_then(|file| file.modified());
            made.is_ok_and(|made| made >= begun)
                && std::os::unix::net::UnixStream::connect(entry.path()).is_err()
        });
        (!dead).then_some(())
    });
}
