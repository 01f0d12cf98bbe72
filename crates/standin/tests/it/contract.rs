//! What it says against the contract's own schema, and what it refuses.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::peers::Peer;
use crate::stage::start;

/// The contract's schema; `None`, said on the output, where it is not there.
fn schema() -> Option<Value> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let beside = ["../shared/seeds", "../../shared/seeds"].map(|path| root.join(path));
    let folders =
        std::env::var_os("SHINKEN_SEEDS").map_or(beside.to_vec(), |folder| vec![PathBuf::from(folder)]);
    let text = folders
        .iter()
        .find_map(|folder| std::fs::read_to_string(folder.join("aci.schema.json")).ok());
    if text.is_none() {
        println!("SKIP: no aci.schema.json in ../shared/seeds or SHINKEN_SEEDS");
    }
    text.and_then(|text| serde_json::from_str(&text).ok())
}

/// Whether a message is what the contract calls by this name.
fn check(schema: Option<&Value>, name: &str, message: &Value) {
    let Some(schema) = schema else { return };
    let part = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$ref": format!("#/$defs/{name}"),
        "$defs": schema["$defs"],
    });
    let validator = jsonschema::validator_for(&part).expect("the contract's schema is one");
    let errors: Vec<String> = validator
        .iter_errors(message)
        .map(|error| error.to_string())
        .collect();
    assert!(errors.is_empty(), "{name}: {errors:?}: {message}");
}

#[test]
fn whatever_it_says_is_of_the_contract() {
    let schema = schema();
    let standin = start(&[]);
    let (mut peer, welcome) = Peer::welcomed(&standin);
    check(schema.as_ref(), "Welcome", &welcome);
    assert_eq!(welcome["server"]["name"], "shinken-standin");
    for question in ["platform", "screen_size", "ready", "list_windows"] {
        let answer = peer.ask(&json!({"type": "query", "call_id": "q", "q": question}));
        check(schema.as_ref(), "Result", &answer);
        assert_eq!(answer["ok"], true, "{answer}");
    }
    for (action, name) in [
        (json!({"verb": "observe"}), "ObservationMsg"),
        (json!({"verb": "observe", "diff": true}), "ObservationMsg"),
        (json!({"verb": "screenshot", "format": "jpeg"}), "ObservationMsg"),
        (json!({"verb": "clipboard_get"}), "Result"),
        (json!({"verb": "wait", "ms": 1}), "Ack"),
    ] {
        let answer = peer.act(&action);
        check(schema.as_ref(), name, &answer);
    }
    let picture = peer.act(&json!({"verb": "screenshot"}));
    let known = json!({"verb": "screenshot", "if_none_match": picture["frame_hash"]});
    let known = peer.act(&known);
    check(schema.as_ref(), "ObservationMsg", &known);
    assert_eq!(known["not_modified"], true);
    let after = json!({"verb": "type_text", "text": "a", "observe": {"max_long_edge": 100}});
    assert_eq!(peer.act(&after)["type"], "ack");
    let seen = peer.read();
    check(schema.as_ref(), "ObservationMsg", &seen);
    assert_eq!(seen["cause"], "c");
}

#[test]
fn what_it_does_not_offer_is_refused_by_its_code() {
    let standin = start(&[]);
    let (mut peer, welcome) = Peer::welcomed(&standin);
    let offered = welcome["capabilities"]["verbs"].as_array().expect("a list");
    for (action, code) in [
        (json!({"verb": "exec", "argv": ["true"]}), "unsupported"),
        (json!({"verb": "launch_app", "app": "xterm"}), "unsupported"),
        (json!({"verb": "start_screencast"}), "unsupported"),
        (json!({"verb": "stop_screencast"}), "unsupported"),
        (
            json!({"verb": "observe", "include": ["screenshot"]}),
            "unsupported",
        ),
        (json!({"verb": "fly"}), "invalid_action"),
        (json!({"verb": "click"}), "invalid_action"),
        (json!({"verb": "wait", "ms": 60_001}), "invalid_action"),
        (json!({"verb": "type_text", "text": "\u{7}"}), "invalid_action"),
        (
            json!({"verb": "click", "target": {"kind": "element_ref", "ref": "e1"}}),
            "stale_element_ref",
        ),
        (
            json!({"verb": "screenshot", "scope": "window:7"}),
            "window_not_found",
        ),
    ] {
        let answer = peer.act(&action);
        let error = answer["error"].as_str().unwrap_or_default();
        assert!(error.starts_with(&format!("{code}: ")), "{action}: {answer}");
        assert_eq!((&answer["ok"], &answer["call_id"]), (&json!(false), &json!("c")));
        assert!(
            code != "unsupported" || action.get("include").is_some() || !offered.contains(&action["verb"])
        );
    }
    let apps = peer.ask(&json!({"type": "query", "call_id": "c", "q": "apps"}));
    assert!(
        apps["error"]
            .as_str()
            .is_some_and(|error| error.starts_with("unsupported: ")),
        "{apps}"
    );
    for (text, said) in [
        ("no JSON", "not JSON"),
        (r#"{"type":"pong"}"#, ""),
        (
            r#"{"type":"hello","v":0,"client":{"name":"n","version":"1"}}"#,
            "already",
        ),
        (r#"{"type":"ack","call_id":"c","ok":true}"#, "come from a client"),
    ] {
        peer.send_text(text);
        if !said.is_empty() {
            let answer = peer.read();
            assert!(
                answer["error"].as_str().is_some_and(|error| error.contains(said)),
                "{answer}"
            );
        }
    }
}

#[test]
fn calls_wait_for_each_other_and_pings_for_nobody() {
    let standin = start(&[]);
    let (mut peer, _) = Peer::welcomed(&standin);
    let action = |call: &str, action: Value| json!({"type": "action", "call_id": call, "action": action});
    peer.send(&action("wait", json!({"verb": "wait", "ms": 300})));
    for number in 0..100 {
        peer.send(&action(&number.to_string(), json!({"verb": "key", "keys": "a"})));
        if number == 10 {
            peer.send(&json!({"type": "ping", "t": 7}));
        }
    }
    assert_eq!(peer.read(), json!({"type": "pong", "t": 7}));
    assert_eq!(peer.read()["call_id"], "wait");
    for number in 0..100 {
        assert_eq!(peer.read()["call_id"], number.to_string());
    }
}
