//! Interpreters that end, and what is left of them.

use serde_json::{Value, json};
use testbed::eventually;

use super::{Granted, cell, fine, run};
use crate::client::Client;
use crate::daemon::{Daemon, PATIENCE, processes, running};

/// Runs code that ends the interpreter; how.
#[track_caller]
fn lost(client: &mut Client, code: &str) -> (Option<i64>, Option<i64>) {
    let result = run(client, code);
    assert_eq!(result["state_lost"], true, "{result}");
    assert_eq!(
        (&result["timed_out"], &result["interrupted"]),
        (&json!(false), &json!(false)),
        "{result}"
    );
    let fresh = fine(client, "'kept' in globals()");
    assert_eq!(
        (&fresh["value"], &fresh["restarted"]),
        (&json!("False"), &json!(true))
    );
    let how = |field: &str| result.get(field).and_then(Value::as_i64);
    (how("exit_code"), how("signal"))
}

#[test]
fn an_interpreter_that_ends_with_a_cell_is_told_and_replaced() {
    let daemon = Granted::start();
    let mut client = daemon.client();
    fine(&mut client, "kept = 5");
    assert_eq!(lost(&mut client, "import os; os._exit(3)"), (Some(3), None));
    assert_eq!(
        lost(&mut client, "import ctypes; ctypes.string_at(0)"),
        (None, Some(11))
    );
    assert_eq!(
        lost(
            &mut client,
            "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
        ),
        (None, Some(9))
    );
    // One that cuts itself off.
    let (code, signal) = lost(&mut client, "import os; os.closerange(3, 200)");
    assert!(code.is_some() != signal.is_some());
    // One that writes nonsense where the kernel speaks.
    let nonsense = "import os\nfor fd in range(3, 50):\n  try: _ = os.write(fd, b'\\x02\\0\\0\\0{}')\n  except OSError: pass";
    assert_eq!(lost(&mut client, nonsense), (None, Some(9)));
}

#[test]
fn an_interpreter_that_ends_between_cells_is_told_with_the_next() {
    let daemon = Granted::start();
    let mut client = daemon.client();
    let pid = fine(&mut client, "import os, threading, time\nos.getpid()")["value"].clone();
    fine(&mut client, "threading.Timer(0.05, os._exit, [0]).start()");
    let pid = pid.as_str().unwrap().to_owned();
    eventually("it to end", PATIENCE, || {
        (!std::path::Path::new("/proc").join(&pid).exists()).then_some(())
    });
    assert_eq!(fine(&mut client, "1")["restarted"], true);
}

#[test]
fn nothing_is_left_of_it() {
    let unique = |n: u32| format!("9{:06}{n}", std::process::id() % 1_000_000);
    let (with_cell, with_daemon) = (unique(71), unique(72));
    let daemon = Granted::start();
    let mut client = daemon.client();
    let start = |time: &str| {
        format!(
            "import os, subprocess\nchild = subprocess.Popen(['setsid', 'sleep', '{time}'])\nprint(os.getpid())"
        )
    };
    let begun = |time: &str| {
        eventually("the program to run", PATIENCE, || {
            (!running(&["sleep", time]).is_empty()).then_some(())
        });
    };
    let gone = |time: &str| {
        eventually("the program to be gone", PATIENCE, || {
            running(&["sleep", time]).is_empty().then_some(())
        });
    };
    fine(&mut client, &start(&with_cell));
    begun(&with_cell);
    run(&mut client, "os._exit(0)");
    // It ended with its interpreter.
    gone(&with_cell);
    let pid = fine(&mut client, &start(&with_daemon))["output"]
        .as_str()
        .unwrap()
        .trim()
        .to_owned();
    begun(&with_daemon);
    let pid: i32 = pid.parse().unwrap();
    let alive = || {
        processes(|line, state| state != 'Z' && line.contains(&"-u") && line.contains(&"-c")).contains(&pid)
    };
    assert!(alive());
    client.act(cell("while True: pass"));
    drop(daemon);
    gone(&with_daemon);
    eventually("the interpreter to be gone", PATIENCE, || {
        (!alive()).then_some(())
    });
}

#[test]
fn a_program_that_is_no_python_is_told() {
    for (program, word) in [
        ("no-such-python", "no program"),
        ("/bin/true", "3.9"),
        ("/bin/echo", "it said: "),
    ] {
        let daemon = Daemon::start_with(&["--grant", "run", "--python", program]);
        let mut client = daemon.client();
        let result = client.call(cell("1"));
        assert_eq!(
            (&result["type"], &result["ok"]),
            (&json!("result"), &json!(false))
        );
        let error = result["error"].as_str().unwrap();
        assert!(
            error.starts_with("exec_spawn_failed: ") && error.contains(word),
            "{error}"
        );
    }
}
