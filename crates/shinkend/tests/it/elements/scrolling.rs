//! Scrolling one element by shares of what it shows.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::Path;

use serde_json::{Value, json};
use testbed::eventually;

use super::stage::{Desktop, PYTHON, done, program, refused, target};
use crate::client::Client;
use crate::daemon::PATIENCE;

fn model(file: &Path) -> Option<Value> {
    serde_json::from_slice(&std::fs::read(file).ok()?).ok()
}

/// How far it is scrolled, in what it shows.
fn pages(file: &Path, axis: &str) -> f64 {
    let model = model(file).unwrap();
    model[axis]["at"].as_f64().unwrap() / model[axis]["page"].as_f64().unwrap()
}

/// Waits until the program says that it is scrolled so far.
fn scrolled(file: &Path, axis: &str, wanted: f64) {
    let what = format!("{wanted} pages of {axis}");
    eventually(&what, PATIENCE, || {
        // A step of the wheel is up to a quarter of what these lists show; nearer than half of one it does not get.
        ((pages(file, axis) - wanted).abs() < 0.2).then_some(())
    });
}

fn scroll(client: &mut Client, reference: &str, pages: f64, axis: &str) -> Value {
    client.call(json!({"verb": "scroll_element", "target": target(reference), "pages": pages, "axis": axis}))
}

fn first(client: &mut Client, roles: &[&str]) -> String {
    eventually("the list", PATIENCE, || {
        let seen = client.call(json!({"verb": "observe"}));
        let mut elements = seen["elements"].as_array()?.iter();
        // One that is in sight.
        let found = elements.find(|element| {
            roles.contains(&element["role"].as_str().unwrap_or_default())
                && element["bbox"][3].as_f64() > Some(0.0)
        })?;
        Some(found["ref"].as_str()?.to_owned())
    })
}

fn a_list_is_scrolled(toolkit: &str) {
    let desktop = Desktop::start();
    let mut client = desktop.daemon.client();
    let file = desktop.daemon.path("scrolled.json");
    let _app = desktop.app(
        PYTHON,
        &[&program("scrolled.py"), toolkit, file.to_str().unwrap()],
    );
    eventually("the list", PATIENCE, || {
        let model = model(&file)?;
        (model["v"]["page"].as_f64()? > 50.0).then_some(())
    });
    let list = first(&mut client, &["list", "table", "tree-table"]);
    let ack = scroll(&mut client, &list, 2.0, "v");
    assert_eq!(ack["ok"], true, "{ack}");
    scrolled(&file, "v", 2.0);
    let ack = scroll(&mut client, &list, -0.5, "v");
    assert_eq!(ack["ok"], true, "{ack}");
    let now = pages(&file, "v");
    scrolled(&file, "v", 1.5);
    assert_eq!(pages(&file, "h"), 0.0);
    let ack = scroll(&mut client, &list, 1.0, "h");
    assert_eq!(ack["ok"], true, "{ack}");
    scrolled(&file, "h", 1.0);
    assert_eq!(pages(&file, "v"), now, "the other way it stands still");
    // An element in it scrolls it as far.
    let cell = first(&mut client, &["list-item", "table-cell", "table-row"]);
    let begin = json!({"verb": "scroll_element", "target": target(&cell), "pages": -50});
    done(&mut client, begin.clone());
    scrolled(&file, "v", 0.0);
    let error = refused(&mut client, begin, "unsupported");
    assert!(error.contains("at its end"), "{error}");
}

#[test]
fn of_gtk_3() {
    a_list_is_scrolled("gtk3");
}

#[test]
fn of_gtk_4() {
    a_list_is_scrolled("gtk4");
}

#[test]
fn of_qt_6() {
    a_list_is_scrolled("qt6");
}

#[test]
fn what_does_not_scroll_is_unsupported_and_no_way_is_invalid() {
    let desktop = Desktop::start();
    let mut client = desktop.daemon.client();
    let _app = desktop.app("zenity", &["--question", "--text=Well?"]);
    let yes = first(&mut client, &["button"]);
    let ack = scroll(&mut client, &yes, 1.0, "v");
    let error = ack["error"].as_str().unwrap_or_default();
    assert!(error.starts_with("unsupported: "), "{ack}");
    client.invalid(json!({"verb": "scroll_element", "target": target(&yes), "pages": 0}));
    client.invalid(json!({"verb": "scroll_element", "target": target(&yes)}));
    client.invalid(
        json!({"verb": "scroll_element", "target": {"kind": "point_px", "x": 1, "y": 1}, "pages": 1}),
    );
    let gone = json!({"verb": "scroll_element", "target": target("e9999"), "pages": 1});
    refused(&mut client, gone, "stale_element_ref");
}
