//! Python code in the interpreter that keeps its state.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

mod ends;
mod shows;
mod stops;

use std::ops::Deref;

use serde_json::{Value, json};

use crate::client::{Client, Incoming};
use crate::daemon::Daemon;

/// A daemon that was granted `run`, with the system's Python, which has the packages.
#[derive(Debug)]
struct Granted(Daemon);

impl Granted {
    fn start() -> Self {
        Self::start_with(&[])
    }

    fn start_with(arguments: &[&str]) -> Self {
        let granted = ["--grant", "run", "--python", "/usr/bin/python3"];
        Self(Daemon::start_with(&[&granted, arguments].concat()))
    }
}

impl Deref for Granted {
    type Target = Daemon;

    fn deref(&self) -> &Daemon {
        &self.0
    }
}

fn cell(code: &str) -> Value {
    json!({"verb": "run", "code": code})
}

/// Runs code to its end.
#[track_caller]
fn run(client: &mut Client, code: &str) -> Value {
    let call = client.act(cell(code));
    result(client, &call)
}

/// The result of a cell, which came as text.
#[track_caller]
fn result(client: &mut Client, call: &str) -> Value {
    let result = client.about(call);
    assert_eq!(
        (&result["type"], &result["ok"]),
        (&json!("result"), &json!(true)),
        "{result}"
    );
    result["value"].clone()
}

/// Runs code that must come to its end without an exception.
#[track_caller]
fn fine(client: &mut Client, code: &str) -> Value {
    let result = run(client, code);
    assert_eq!(result.get("error"), None, "{result}");
    assert_eq!(result["state_lost"], false, "{result}");
    result
}

/// The traceback of code that must raise an exception of this class.
#[track_caller]
fn raised(client: &mut Client, ename: &str, code: &str) -> String {
    let result = run(client, code);
    assert_eq!(result["error"]["ename"], ename, "{result}");
    result["error"]["traceback"].as_str().unwrap().to_owned()
}

#[test]
fn state_is_kept_and_the_last_expression_is_the_value() {
    let daemon = Granted::start();
    let mut client = daemon.client();
    let first = fine(&mut client, "a=10\nb=20\nprint(a+b)");
    assert_eq!(first["output"], "30\n");
    assert_eq!(first.get("value"), None);
    assert_eq!(
        (&first["execution_count"], &first["restarted"]),
        (&json!(1), &json!(false))
    );
    let second = fine(&mut client, "import sys\na * 2");
    assert_eq!((&second["value"], &second["output"]), (&json!("20"), &json!("")));
    assert_eq!(second["execution_count"], 2);
    assert_eq!(fine(&mut client, "None").get("value"), None);
    assert_eq!(fine(&mut client, "").get("value"), None);
    assert_eq!(fine(&mut client, "_ + 1")["value"], "21");
    assert_eq!(
        fine(&mut client, "__name__, sys.argv")["value"],
        "('__main__', [''])"
    );
    assert_eq!(fine(&mut client, "'x' * 100000")["value_truncated"], true);
    drop(client);
    // Another session, as after a connection that was lost.
    let mut client = daemon.binary_client();
    let kept = fine(&mut client, "a + b");
    assert_eq!(
        (&kept["value"], &kept["restarted"]),
        (&json!("30"), &json!(false))
    );
}

#[test]
fn what_is_not_granted_is_denied() {
    let daemon = Daemon::start();
    let mut client = Client::upgrade(daemon.address(), "/aci", None).unwrap();
    client.send(&crate::client::hello(Some(crate::daemon::TOKEN), false));
    let welcome = client.text();
    let listed = welcome["server"]["extensions"].as_array().unwrap();
    assert!(!listed.contains(&json!("run")), "{welcome}");
    assert_eq!(welcome["server"]["withheld"], json!(["run"]));
    for action in [cell("1"), json!({"verb": "run", "control": "restart"})] {
        let ack = client.call(action);
        assert_eq!((&ack["type"], &ack["ok"]), (&json!("ack"), &json!(false)));
        let error = ack["error"].as_str().unwrap();
        assert!(
            error.starts_with("denied: ") && error.contains("--grant run"),
            "{error}"
        );
    }
    let daemon = Granted::start_with(&["--no-structured-observation"]);
    let mut client = Client::upgrade(daemon.address(), "/aci", None).unwrap();
    client.send(&crate::client::hello(Some(crate::daemon::TOKEN), false));
    let welcome = client.text();
    assert_eq!(welcome["server"]["extensions"], json!(["files", "run"]));
    assert_eq!(fine(&mut client, "1")["value"], "1");
    client.invalid(json!({"verb": "run"}));
    client.invalid(json!({"verb": "run", "code": "1", "timeout_ms": 0}));
}

#[test]
fn a_traceback_is_as_python_prints_it() {
    let daemon = Granted::start();
    let mut client = daemon.client();
    fine(&mut client, "def divide(x):\n    return 1 / x\n");
    let text = raised(&mut client, "ZeroDivisionError", "print('before')\ndivide(0)");
    // Between these stand the marks below the lines, which each version draws in its own way.
    let begin =
        "Traceback (most recent call last):\n  File \"<cell 2>\", line 2, in <module>\n    divide(0)\n";
    let then = "  File \"<cell 1>\", line 2, in divide\n    return 1 / x\n";
    assert!(text.starts_with(begin) && text.contains(then), "{text}");
    assert!(text.ends_with("ZeroDivisionError: division by zero\n"), "{text}");
    assert!(!text.contains("kernel"), "{text}");
    let text = raised(&mut client, "SyntaxError", "x = = 1");
    assert!(
        text.contains("File \"<cell 3>\", line 1\n    x = = 1\n"),
        "{text}"
    );
    let text = raised(
        &mut client,
        "RuntimeError",
        "try:\n  divide(0)\nexcept Exception as e:\n  raise RuntimeError('é') from e",
    );
    assert!(
        text.contains("direct cause") && text.ends_with("RuntimeError: é\n"),
        "{text}"
    );
    assert!(!text.contains("kernel"), "{text}");
    let text = raised(&mut client, "EOFError", "input('name? ')");
    assert!(
        text.contains("no standard input") && !text.contains("kernel"),
        "{text}"
    );
    raised(&mut client, "SystemExit", "import sys; sys.exit(3)");
    raised(&mut client, "RecursionError", "def f(): f()\nf()");
    raised(
        &mut client,
        "Odd",
        "class Odd(Exception):\n  def __str__(self): raise ValueError\nraise Odd",
    );
    raised(
        &mut client,
        "ValueError",
        "class Odd:\n  def __repr__(self): raise ValueError\nOdd()",
    );
    assert_eq!(fine(&mut client, "divide(4)")["value"], "0.25");
}

#[test]
fn what_notebooks_do_works() {
    let daemon = Granted::start();
    let mut client = daemon.client();
    fine(
        &mut client,
        "import asyncio\nawait asyncio.sleep(0)\nqueue = asyncio.Queue()",
    );
    assert_eq!(
        fine(&mut client, "await queue.put(5)\nawait queue.get()")["value"],
        "5"
    );
    fine(
        &mut client,
        "from __future__ import annotations\nfrom dataclasses import dataclass\nimport pickle",
    );
    fine(&mut client, "@dataclass\nclass Point:\n  x: int");
    assert_eq!(
        fine(&mut client, "pickle.loads(pickle.dumps(Point(3)))")["value"],
        "Point(x=3)"
    );
    // Annotations are not evaluated, as an earlier cell said.
    fine(&mut client, "def f(x: Nothing): pass");
    fine(&mut client, "import multiprocessing\ndef square(x): return x * x");
    let squares = "with multiprocessing.get_context('fork').Pool(2) as pool: print(pool.map(square, [1, 2]))";
    assert_eq!(fine(&mut client, squares)["output"], "[1, 4]\n");
    assert_eq!(
        fine(&mut client, "import inspect; inspect.getsource(square)")["value"],
        "'def square(x): return x * x\\n'"
    );
    let display = fine(&mut client, "import os; os.environ['DISPLAY']");
    assert_eq!(display["value"], format!("'{}'", daemon.server.display()));
    let forked = fine(
        &mut client,
        "pid = os.fork()\nif pid: os.waitpid(pid, 0)\nprint('parent' if pid else 'child')",
    );
    assert_eq!(forked["output"], "child\nparent\n");
    assert_eq!(fine(&mut client, "6 * 7")["value"], "42");
}

#[test]
fn any_text_goes_in_and_out() {
    let daemon = Granted::start();
    let mut client = daemon.client();
    let text = fine(&mut client, "text = 'grüße ☕ 🚀'\nprint(text, '\\0')\ntext");
    assert_eq!(text["output"], "grüße ☕ 🚀 \0\n");
    assert_eq!(text["value"], "'grüße ☕ 🚀'");
    let lone = fine(
        &mut client,
        "class Lone:\n  def __repr__(self): return '\\ud800'\nprint('\\ud800')\nLone()",
    );
    assert_eq!(
        (&lone["output"], &lone["value"]),
        (&json!("\\ud800\n"), &json!("\\ud800"))
    );
    // A ValueError until Python 3.11, a SyntaxError since.
    let nul = run(&mut client, "a = 1\0");
    let text = nul["error"]["traceback"].as_str().unwrap();
    assert!(text.contains("null bytes"), "{text}");
    let bytes = fine(
        &mut client,
        "import os\n_ = os.write(1, b'\\xff\\xc3')\n_ = os.write(1, b'\\xa9')",
    );
    assert_eq!(bytes["output"], "\u{fffd}é");
    let error = raised(&mut client, "Exception", "raise Exception('\\ud800' * 2)");
    assert!(error.ends_with("Exception: \\ud800\\ud800\n"), "{error}");
}

#[test]
fn cells_of_all_sessions_are_run_one_after_another_and_hold_nothing_up() {
    let daemon = Granted::start_with(&["--max-runs", "20"]);
    let (mut one, mut other) = (daemon.client(), daemon.client());
    fine(&mut one, "import time\nseen = []");
    let gate = daemon.path("gate");
    let blocked = one.act(cell(&format!(
        "import os\nwhile not os.path.exists({gate:?}): time.sleep(0.01)"
    )));
    let calls: Vec<String> = (0..19)
        .map(|n| one.act(cell(&format!("seen.append({n})"))))
        .collect();
    let busy = one.call(cell("1"));
    assert_eq!(busy["type"], "ack");
    assert!(
        busy["error"].as_str().unwrap().starts_with("exec_busy: "),
        "{busy}"
    );
    // Everything else goes on.
    assert_eq!(one.query("ready"), json!({"ready": true}));
    assert_eq!(
        other.call(json!({"verb": "move", "target": {"kind": "point_px", "x": 5, "y": 5}}))["ok"],
        true
    );
    assert_eq!(other.shell("echo on")["stdout"], "on\n");
    std::fs::write(&gate, "").unwrap();
    result(&mut one, &blocked);
    for call in calls {
        assert_eq!(result(&mut one, &call).get("error"), None);
    }
    let seen: Vec<String> = (0..19).map(|n| n.to_string()).collect();
    assert_eq!(
        fine(&mut other, "seen")["value"],
        format!("[{}]", seen.join(", "))
    );
}

/// A result that came with bytes: the header's value, and the payload.
#[track_caller]
fn binary_result(client: &mut Client, code: &str) -> (Value, Vec<u8>) {
    let call = client.act(cell(code));
    match client.next() {
        Incoming::Binary(header, payload) => {
            assert_eq!(
                (&header["type"], &header["call_id"]),
                (&json!("result"), &json!(call))
            );
            (header["value"].clone(), payload)
        }
        other => panic!("{other:?}"),
    }
}
