//! Running programs.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use std::time::{Duration, Instant};

use base64::Engine as _;
use serde_json::{Value, json};
use testbed::eventually;

use crate::client::{Client, Incoming, exec};
use crate::daemon::{Daemon, PATIENCE, running};

/// What a streamed program sent: the bytes of both channels, and its exit.
#[derive(Debug, Default)]
struct Streamed {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    exit: Value,
    largest: usize,
}

fn stream(client: &mut Client, mut fields: Value) -> Streamed {
    fields["stream"] = json!(true);
    let call_id = client.act(exec(fields));
    let ack = client.about(&call_id);
    assert_eq!((&ack["type"], &ack["ok"]), (&json!("ack"), &json!(true)), "{ack}");
    let mut streamed = Streamed::default();
    let mut seq = 0;
    loop {
        let (header, bytes) = match client.next() {
            Incoming::Text(message) if message["type"] == "exec_exit" => {
                assert_eq!(message["cause"], call_id.as_str());
                streamed.exit = message;
                return streamed;
            }
            Incoming::Text(message) => {
                let data = message["data_b64"].as_str().unwrap();
                let bytes = base64::engine::general_purpose::STANDARD.decode(data).unwrap();
                (message, bytes)
            }
            Incoming::Binary(header, payload) => {
                assert_eq!(
                    (&header["data"]["off"], &header["data"]["len"]),
                    (&json!(0), &json!(payload.len()))
                );
                (header, payload)
            }
            Incoming::Closed(..) => panic!("closed"),
        };
        assert_eq!(header["type"], "exec_output");
        assert_eq!(header["cause"], call_id.as_str());
        assert_eq!(header["seq"], seq);
        seq += 1;
        streamed.largest = streamed.largest.max(bytes.len());
        match header["channel"].as_str().unwrap() {
            "stdout" => streamed.stdout.extend(bytes),
            "stderr" => streamed.stderr.extend(bytes),
            other => panic!("channel {other}"),
        }
    }
}

/// A sleep that no other test has.
fn sleeper() -> String {
    static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let n = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    format!("9{:06}{n}", std::process::id() % 1_000_000)
}

fn gone(time: &str) {
    eventually("the sleep to be gone", PATIENCE, || {
        running(&["sleep", time]).is_empty().then_some(())
    });
}

#[test]
fn a_program_answers_with_its_output_its_code_and_its_time() {
    let daemon = Daemon::start();
    let mut client = daemon.client();
    let value = client.exec(json!({"argv": ["sh", "-c", "echo out; echo err >&2; exit 3"]}));
    assert_eq!(value["exit_code"], 3);
    assert_eq!(value["signal"], Value::Null);
    assert_eq!(value["timed_out"], false);
    assert_eq!(
        (&value["stdout"], &value["stderr"]),
        (&json!("out\n"), &json!("err\n"))
    );
    assert_eq!(
        (&value["stdout_truncated"], &value["stderr_truncated"]),
        (&json!(false), &json!(false))
    );
    assert!(value["duration_ms"].as_f64().unwrap() > 0.0);
    let killed = client.shell("kill -TERM $$");
    assert_eq!(
        (&killed["exit_code"], &killed["signal"]),
        (&Value::Null, &json!(15))
    );
}

#[test]
fn argv_is_not_a_shell_line_and_the_surroundings_are_as_asked() {
    let daemon = Daemon::start();
    let mut client = daemon.client();
    let folder = std::fs::canonicalize(daemon.folder()).unwrap();
    let argv = json!({"argv": ["printf", "%s|", "a b", "$HOME", "`x`", ""]});
    assert_eq!(client.exec(argv)["stdout"], "a b|$HOME|`x`||");
    let value = client.exec(json!({
        "shell": "pwd; echo $GREETING; echo $DISPLAY; cat; echo ${SHINKEND_TOKEN-none}",
        "cwd": folder.to_str().unwrap(),
        "env": {"GREETING": "hé", "SHINKEND_RUN": "mine"},
        "stdin": "from stdin ☕\n",
    }));
    let expected = format!(
        "{}\nhé\n{}\nfrom stdin ☕\nnone\n",
        folder.display(),
        daemon.server.display()
    );
    assert_eq!(value["stdout"], expected.as_str());
    // Without a text the input is empty, so that a program that reads it ends.
    assert_eq!(client.shell("cat; echo end")["stdout"], "end\n");
    // There is no terminal to ask for a password at.
    assert_ne!(client.shell("echo x > /dev/tty")["exit_code"], 0);
}

#[test]
fn a_large_input_and_a_large_output_do_not_wait_for_each_other() {
    let daemon = Daemon::start();
    let mut client = daemon.client();
    let stdin = "0123456789abcdef".repeat(20_000);
    let value = client.exec(json!({"argv": ["cat"], "stdin": stdin}));
    assert_eq!(value["exit_code"], 0);
    assert_eq!(value["stdout_truncated"], true);
    assert_eq!(value["stdout"].as_str().unwrap(), &stdin[..256 << 10]);
    // A program that does not read its input is not held up by it.
    assert_eq!(
        client.exec(json!({"argv": ["true"], "stdin": stdin}))["exit_code"],
        0
    );
}

#[test]
fn time_over_kills_the_program_and_all_that_it_started() {
    let daemon = Daemon::start();
    let mut client = daemon.client();
    let lines = [
        "echo out; sleep T; echo hi",
        "sleep T & sleep T",
        "setsid sleep T & sleep T",
        "trap '' TERM INT; echo out; while true; do sleep T; done",
    ];
    for line in lines {
        let time = sleeper();
        let begun = Instant::now();
        let value = client.exec(json!({"shell": line.replace('T', &time), "timeout_ms": 500}));
        assert!(begun.elapsed() < Duration::from_secs(20), "{line}");
        assert_eq!(
            (&value["timed_out"], &value["exit_code"]),
            (&json!(true), &Value::Null),
            "{line}"
        );
        gone(&time);
    }
    let time = sleeper();
    let streamed = stream(
        &mut client,
        json!({"shell": format!("setsid sleep {time} & echo a; sleep {time}"), "timeout_ms": 500}),
    );
    assert_eq!(
        (&streamed.exit["timed_out"], &streamed.exit["exit_code"]),
        (&json!(true), &Value::Null)
    );
    assert_eq!(streamed.stdout, b"a\n");
    gone(&time);
}

#[test]
fn what_was_written_before_the_time_was_over_is_kept() {
    let daemon = Daemon::start();
    let mut client = daemon.client();
    let fields = json!({"shell": "for i in 1 2 3; do echo $i; done; sleep 600", "timeout_ms": 1500});
    assert_eq!(client.exec(fields.clone())["stdout"], "1\n2\n3\n");
    assert_eq!(stream(&mut client, fields).stdout, b"1\n2\n3\n");
}

#[test]
fn a_background_child_that_keeps_the_pipe_does_not_hold_the_call() {
    let daemon = Daemon::start();
    let mut client = daemon.client();
    let time = sleeper();
    let line = format!("sleep {time} & echo hi");
    let begun = Instant::now();
    let value = client.shell(&line);
    assert_eq!(
        (&value["stdout"], &value["exit_code"]),
        (&json!("hi\n"), &json!(0))
    );
    let streamed = stream(&mut client, json!({"shell": line}));
    assert_eq!(
        (streamed.stdout.as_slice(), &streamed.exit["exit_code"]),
        (&b"hi\n"[..], &json!(0))
    );
    assert!(begun.elapsed() < PATIENCE);
    // It was not timed out, so what it left behind runs on, until the daemon ends.
    assert_eq!(running(&["sleep", &time]).len(), 2);
    drop(client);
    drop(daemon);
    gone(&time);
}

#[test]
fn a_background_program_that_goes_on_writing_lives() {
    let daemon = Daemon::start();
    let mut client = daemon.client();
    let file = daemon.path("beats");
    // Ended by SIGPIPE at its first line after the call, if nobody read on.
    let line = format!(
        "(while true; do echo beat; echo x >> {}; sleep 0.05; done) &",
        file.display()
    );
    assert_eq!(client.shell(&line)["exit_code"], 0);
    let beats = || std::fs::metadata(&file).map_or(0, |file| file.len());
    let at_the_end = beats();
    eventually("more beats", PATIENCE, || {
        (beats() > at_the_end + 20).then_some(())
    });
}

#[test]
fn text_is_whole_wherever_the_pieces_are_cut() {
    let daemon = Daemon::start();
    let mut client = daemon.client();
    let value = client.exec(json!({"argv": ["python3", "-c", "print('☕' * 100000, end='')"]}));
    // The limit, 262,144 bytes, is inside of a character, which is left out.
    assert_eq!(value["stdout"].as_str().unwrap(), "☕".repeat((256 << 10) / 3));
    assert_eq!(value["stdout_truncated"], true);
    assert_eq!(
        client.shell(r"printf '\342\202'; sleep 0.3; printf '\254'")["stdout"],
        "€"
    );
    assert_eq!(
        client.shell(r"printf 'a\377\376b\342\202'")["stdout"],
        "a\u{fffd}\u{fffd}b\u{fffd}"
    );
    let streamed = stream(
        &mut client,
        json!({"shell": r"printf '\342\202'; sleep 0.3; printf '\254\377\376'"}),
    );
    assert_eq!(streamed.stdout, b"\xe2\x82\xac\xff\xfe");
}

#[test]
fn a_stream_has_its_caps_and_says_so() {
    let daemon = Daemon::start();
    for mut client in [daemon.client(), daemon.binary_client()] {
        let streamed = stream(&mut client, json!({"shell": "echo out; echo err >&2; exit 7"}));
        assert_eq!(
            (streamed.stdout.as_slice(), streamed.stderr.as_slice()),
            (&b"out\n"[..], &b"err\n"[..])
        );
        assert_eq!(
            (&streamed.exit["exit_code"], &streamed.exit["truncated"]),
            (&json!(7), &json!(false))
        );
        let streamed = stream(
            &mut client,
            json!({"shell": "head -c 9000000 /dev/zero; echo over >&2"}),
        );
        assert_eq!(streamed.stdout.len() + streamed.stderr.len(), 8 << 20);
        assert!(streamed.largest <= 64 << 10);
        assert_eq!(
            (&streamed.exit["exit_code"], &streamed.exit["truncated"]),
            (&json!(0), &json!(true))
        );
    }
}

#[test]
fn what_cannot_be_started_says_why() {
    let daemon = Daemon::start();
    let mut client = daemon.client();
    for fields in [
        json!({"argv": ["no-such-program-here"]}),
        json!({"argv": ["true"], "cwd": "/no/such/folder"}),
        json!({"argv": ["/etc/passwd"]}),
    ] {
        let result = client.call(exec(fields.clone()));
        assert_eq!(
            (&result["type"], &result["ok"]),
            (&json!("result"), &json!(false)),
            "{result}"
        );
        assert!(
            result["error"]
                .as_str()
                .unwrap()
                .starts_with("exec_spawn_failed: "),
            "{result}"
        );
        let exit = stream(&mut client, fields).exit;
        assert_eq!(exit["exit_code"], Value::Null);
        assert!(
            exit["error"].as_str().unwrap().starts_with("exec_spawn_failed: "),
            "{exit}"
        );
    }
    for fields in [
        json!({"argv": ["true"], "env": {"A=B": "c"}}),
        json!({"argv": ["tr\u{0}ue"]}),
        json!({"argv": [""]}),
        json!({"argv": ["true"], "shell": "true"}),
        json!({}),
        json!({"argv": []}),
        json!({"argv": ["true"], "pty": true}),
        json!({"argv": ["true"], "timeout_ms": 0}),
    ] {
        client.invalid(exec(fields));
    }
}

#[test]
fn too_many_programs_are_refused_at_once_and_the_rest_goes_on() {
    let daemon = Daemon::start_with(&["--max-execs", "2"]);
    let mut client = daemon.client();
    let time = sleeper();
    let line = json!({"shell": format!("sleep {time}")});
    let first = client.act(exec(line.clone()));
    client.act(exec(line.clone()));
    let refused = client.call(exec(line));
    assert_eq!((&refused["type"], &refused["ok"]), (&json!("ack"), &json!(false)));
    assert!(
        refused["error"].as_str().unwrap().starts_with("exec_busy: "),
        "{refused}"
    );
    // The desktop is not held up, neither for this client nor for another.
    for client in [&mut client, &mut daemon.client()] {
        assert_eq!(client.call(json!({"verb": "screenshot"}))["type"], "observation");
        client.send(&json!({"type": "ping", "t": 5}));
        assert_eq!(client.text(), json!({"type": "pong", "t": 5}));
    }
    for pid in running(&["sleep", &time]) {
        rustix::process::kill_process(
            rustix::process::Pid::from_raw(pid).unwrap(),
            rustix::process::Signal::KILL,
        )
        .ok();
    }
    assert_eq!(client.about(&first)["ok"], true);
    eventually("a place to be free again", PATIENCE, || {
        let answer = client.call(exec(json!({"argv": ["true"]})));
        (answer["type"] == "result").then_some(())
    });
}

#[test]
fn programs_end_with_their_client_and_with_the_daemon() {
    let mut daemon = Daemon::start();
    let time = sleeper();
    let line = json!({"shell": format!("setsid sleep {time} & sleep {time}")});
    let up = || {
        eventually("the sleeps", PATIENCE, || {
            (running(&["sleep", &time]).len() == 2).then_some(())
        })
    };
    let mut client = daemon.client();
    client.act(exec(line.clone()));
    up();
    drop(client);
    gone(&time);
    for signal in [rustix::process::Signal::KILL, rustix::process::Signal::TERM] {
        let mut client = daemon.client();
        client.act(exec(line.clone()));
        client.call(json!({"verb": "launch_app", "app": "sleep", "args": [time]}));
        eventually("the sleeps", PATIENCE, || {
            (running(&["sleep", &time]).len() == 3).then_some(())
        });
        daemon.app.signal(signal);
        eventually("the daemon's end", PATIENCE, || daemon.app.exited());
        gone(&time);
        client.closed();
        daemon = Daemon::start();
    }
}
