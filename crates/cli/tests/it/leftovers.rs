//! What is left when everything is killed at one blow, and who may remove it.

use testbed::{XServer, eventually};

use crate::stage::{Desktop, PATIENCE, Stage};

/// Kills every process of the stage at one blow: stopped first, so that none sees another die and cleans up.
fn kill_everything(stage: &Stage) {
    use rustix::process::{Signal, kill_process};
    for signal in [Signal::STOP, Signal::KILL] {
        for (pid, _) in stage.processes() {
            // It may have died with its parent already.
            kill_process(pid, signal).ok();
        }
    }
    eventually("all to die", PATIENCE, || {
        stage.processes().is_empty().then_some(())
    });
}

fn killed_desktop(stage: &Stage, name: &str) -> Desktop {
    let desktop = stage.detached(&["--name", name]);
    kill_everything(stage);
    assert!(
        stage.runtime().join(name).exists(),
        "this test is about leftovers"
    );
    desktop
}

#[test]
fn gc_removes_them() {
    let stage = Stage::new();
    let desktop = killed_desktop(&stage, "dead");
    assert!(!stage.done(&["ps"]).contains("dead"));
    let said = stage.done(&["gc"]);
    assert!(said.contains("dead"), "{said}");
    stage.assert_empty([&desktop]);
    let said = stage.done(&["gc"]);
    assert!(!said.contains("dead"), "{said}");
}

#[test]
fn the_same_name_can_start_again_at_once() {
    let stage = Stage::new();
    let dead = killed_desktop(&stage, "phoenix");
    let risen = stage.detached(&["--name", "phoenix"]);
    assert!(risen.is_well());
    stage.done(&["down", "phoenix"]);
    stage.assert_empty([&dead, &risen]);
}

#[test]
fn another_server_that_has_the_number_now_is_left_alone() {
    let stage = Stage::new();
    let desktop = killed_desktop(&stage, "dead");
    let mut foreign = XServer::start(320, 240);
    let number = foreign.display()[1..].to_owned();
    let pid = foreign.app().id().to_string();
    let socket = format!("/tmp/.X11-unix/X{number}");
    let note = stage.runtime().join("dead/display");
    let real = std::fs::read_to_string(&note).unwrap();
    let dead_server = real.split_whitespace().nth(1).unwrap();
    // The number was taken over by a server that lives; then even the process id was.
    for server in [dead_server, &pid] {
        std::fs::create_dir_all(stage.runtime().join("dead")).unwrap();
        std::fs::write(&note, format!("{number} {server}\n")).unwrap();
        std::fs::write(stage.runtime().join("dead/lock"), "").unwrap();
        let said = stage.done(&["gc"]);
        assert!(said.contains("dead"), "{said}");
        assert!(std::os::unix::net::UnixStream::connect(&socket).is_ok());
    }
    assert!(foreign.app().exited().is_none());
    // What was really this desktop's is swept by its true note.
    std::fs::create_dir_all(stage.runtime().join("dead")).unwrap();
    std::fs::write(&note, real).unwrap();
    std::fs::write(stage.runtime().join("dead/lock"), "").unwrap();
    stage.done(&["gc"]);
    stage.assert_empty([&desktop]);
}

#[test]
fn processes_that_left_their_session_are_found_by_their_mark() {
    let stage = Stage::new();
    let desktop = stage.detached(&["--name", "dead"]);
    let pid = stage.process("openbox").as_raw_nonzero();
    let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap();
    let mark = String::from_utf8_lossy(&environment)
        .split('\0')
        .find_map(|entry| entry.strip_prefix("SHINKEN_SANDBOX=").map(str::to_owned))
        .expect("the window manager carries the mark");
    kill_everything(&stage);
    let mut lost = std::process::Command::new("setsid")
        .args(["sleep", "600"])
        .env("SHINKEN_SANDBOX", mark)
        .spawn()
        .unwrap();
    stage.done(&["gc"]);
    eventually("the lost process to be killed", PATIENCE, || {
        lost.try_wait().unwrap()
    });
    stage.assert_empty([&desktop]);
}

#[test]
fn a_stale_lock_of_a_dead_server_stops_nobody() {
    let stage = Stage::new();
    let first = killed_desktop(&stage, "first");
    // The lock of the first is stale now; servers go past it or take it over.
    let second = stage.detached(&["--name", "second"]);
    assert!(second.is_well());
    stage.done(&["gc"]);
    assert!(second.is_well(), "also where it has the number of the first");
    stage.done(&["down", "second"]);
    stage.assert_empty([&first, &second]);
}
