//! The tree is kept by what applications tell and by what is redrawn; here it is held against one that is read anew.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use serde_json::{Value, json};
use testbed::eventually;

use super::stage::{Desktop, PYTHON, program};
use crate::client::Client;
use crate::daemon::PATIENCE;

/// So often the program changes something, and so often in a second.
const CHANGES: &str = "150";
const RATE: &str = "60";

/// What an observation says of each control, without its id.
fn controls(seen: &Value) -> Vec<Value> {
    let elements = seen["elements"].as_array().unwrap().iter();
    elements
        .map(|element| {
            let mut element = element.clone();
            element.as_object_mut().unwrap().remove("ref");
            element
        })
        .collect()
}

fn observe(client: &mut Client) -> Value {
    client.call(json!({"verb": "observe", "settle_ms": 300}))
}

/// Watches a program that changes its controls at random; at last, what was kept is what is there.
fn kept_is_what_is_there(toolkit: &str, seed: &str) {
    let mut desktop = Desktop::start();
    let mut client = desktop.daemon.client();
    let _app = desktop.app(PYTHON, &[&program("churn.py"), toolkit, seed, CHANGES, RATE]);
    let mut looks = 0;
    eventually("the last change", PATIENCE, || {
        let seen = client.call(json!({"verb": "observe", "diff": true}));
        looks += u32::from(seen["node_count"].as_u64().unwrap_or(0) > 10);
        let text = seen["tree_text"].as_str().unwrap_or_default().to_owned();
        text.contains("window:\"finished\"").then_some(())
    });
    // Otherwise it was read when all was over.
    assert!(looks > 3, "{looks} looks");
    let kept = observe(&mut client);
    let again = observe(&mut client);
    assert_eq!(controls(&kept), controls(&again));
    desktop.daemon.kill();
    desktop.daemon.start_again(&[]);
    let anew = observe(&mut desktop.daemon.client());
    let (kept, anew) = (controls(&again), controls(&anew));
    assert!(kept.len() > 20, "{kept:?}");
    for (kept, anew) in kept.iter().zip(&anew) {
        assert_eq!(kept, anew, "kept and anew");
    }
    assert_eq!(kept.len(), anew.len());
}

#[test]
fn of_gtk_3() {
    kept_is_what_is_there("gtk3", "1");
}

#[test]
fn of_gtk_4() {
    kept_is_what_is_there("gtk4", "2");
}

#[test]
fn of_qt_6() {
    kept_is_what_is_there("qt6", "3");
}
