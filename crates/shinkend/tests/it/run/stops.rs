//! Cells that are interrupted.

use serde_json::{Value, json};
use testbed::eventually;

use super::{Granted, cell, fine, result, run};
use crate::client::Client;
use crate::daemon::PATIENCE;

/// Runs code whose time is over soon.
fn timed(client: &mut Client, code: &str) -> Value {
    let call = client.act(json!({"verb": "run", "code": code, "timeout_ms": 300}));
    result(client, &call)
}

/// Holds that a cell was interrupted by its time and the interpreter has kept its state.
#[track_caller]
fn stopped(client: &mut Client, code: &str) -> Value {
    let result = timed(client, code);
    assert_eq!(
        (&result["timed_out"], &result["interrupted"]),
        (&json!(true), &json!(true)),
        "{result}"
    );
    assert_eq!(result["state_lost"], false, "{result}");
    assert_eq!(fine(client, "kept")["value"], "5");
    result
}

#[test]
fn a_cell_whose_time_is_over_is_interrupted_and_the_state_kept() {
    let daemon = Granted::start();
    let mut client = daemon.client();
    fine(
        &mut client,
        "import asyncio, os, socket, subprocess, threading, time\nkept = 5",
    );
    for code in [
        "while True: pass",
        "time.sleep(600)",
        "threading.Event().wait()",
        "a, b = socket.socketpair()\na.recv(1)",
        "subprocess.run(['sleep', '600'])",
        "await asyncio.sleep(600)",
        "asyncio.run(asyncio.sleep(600))",
    ] {
        let result = stopped(&mut client, code);
        assert_eq!(result["error"]["ename"], "KeyboardInterrupt", "{code}: {result}");
        let text = result["error"]["traceback"].as_str().unwrap_or_default();
        assert!(
            text.ends_with("KeyboardInterrupt\n") && !text.contains("kernel"),
            "{text}"
        );
    }
    let left = stopped(
        &mut client,
        "try:\n  await asyncio.sleep(600)\nfinally:\n  print('left')",
    );
    assert_eq!(left["output"], "left\n");
    // Its shell is interrupted, and os.system returns.
    stopped(&mut client, "os.system('sleep 600')");
    // A cell that is in time is not.
    let result = timed(&mut client, "1");
    assert_eq!(
        (&result["timed_out"], &result["interrupted"]),
        (&json!(false), &json!(false))
    );
}

#[test]
fn what_an_earlier_cell_has_started_is_not_interrupted() {
    let daemon = Granted::start();
    let mut client = daemon.client();
    fine(
        &mut client,
        "import subprocess, time\nchild = subprocess.Popen(['sleep', '600'])\nkept = 5",
    );
    fine(&mut client, "time.sleep(0.03)");
    stopped(&mut client, "subprocess.Popen(['sleep', '600']).wait()");
    assert_eq!(fine(&mut client, "child.poll()").get("value"), None);
    fine(&mut client, "child.kill(); code = child.wait()");
}

#[test]
fn a_cell_that_does_not_stop_is_killed_and_told() {
    let daemon = Granted::start();
    let (mut client, mut other) = (daemon.client(), daemon.client());
    fine(&mut client, "kept = 5");
    fine(&mut other, "kept");
    let code =
        "import time\nprint('begun')\nwhile True:\n  try: time.sleep(600)\n  except BaseException: pass";
    let lost = timed(&mut client, code);
    assert_eq!(
        (&lost["timed_out"], &lost["state_lost"]),
        (&json!(true), &json!(true)),
        "{lost}"
    );
    assert_eq!((&lost["signal"], lost.get("exit_code")), (&json!(9), None));
    assert_eq!(lost["output"], "begun\n");
    let fresh = fine(&mut client, "'kept' in globals()");
    assert_eq!(
        (&fresh["value"], &fresh["restarted"]),
        (&json!("False"), &json!(true))
    );
    assert_eq!(fresh["execution_count"], 1);
    assert_eq!(fine(&mut client, "1")["restarted"], false);
    // The other session has had no part in it, and is told, too.
    assert_eq!(fine(&mut other, "1")["restarted"], true);
    assert_eq!(fine(&mut other, "1")["restarted"], false);
    assert_eq!(fine(&mut daemon.client(), "1")["restarted"], false);
}

#[test]
fn anybody_can_interrupt_and_restart() {
    let daemon = Granted::start();
    let (mut client, mut other) = (daemon.client(), daemon.client());
    fine(&mut client, "kept = 5");
    for control in ["interrupt", "restart"] {
        let started = daemon.path(control);
        let call = client.act(cell(&format!("open({started:?}, 'w').close()\nwhile True: pass")));
        let behind = client.act(cell("'kept' in globals()"));
        eventually("the cell to run", PATIENCE, || started.exists().then_some(()));
        let ack = other.call(json!({"verb": "run", "control": control}));
        assert_eq!((&ack["type"], &ack["ok"]), (&json!("ack"), &json!(true)), "{ack}");
        let stopped = result(&mut client, &call);
        assert_eq!(
            (&stopped["interrupted"], &stopped["timed_out"]),
            (&json!(true), &json!(false))
        );
        assert_eq!(stopped["state_lost"], control == "restart");
        let behind = result(&mut client, &behind);
        assert_eq!(
            behind["value"],
            if control == "restart" { "False" } else { "True" }
        );
        assert_eq!(behind["restarted"], control == "restart");
        // With nothing running it is no fault.
        let ack = other.call(json!({"verb": "run", "control": control}));
        assert_eq!(ack["ok"], true, "{ack}");
    }
    assert_eq!(fine(&mut client, "1")["restarted"], true);
}

#[test]
fn a_cell_is_interrupted_when_its_client_goes() {
    let daemon = Granted::start();
    let (mut client, mut other) = (daemon.client(), daemon.client());
    fine(&mut client, "kept = 5");
    let started = daemon.path("started");
    client.act(cell(&format!("open({started:?}, 'w').close()\nwhile True: pass")));
    client.act(cell("kept = 6"));
    eventually("the cell to run", PATIENCE, || started.exists().then_some(()));
    drop(client);
    assert_eq!(fine(&mut other, "kept")["value"], "5");
    assert_eq!(run(&mut other, "kept")["interrupted"], false);
}
