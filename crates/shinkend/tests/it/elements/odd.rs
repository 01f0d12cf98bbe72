//! Programs that are slow, empty or gone at the wrong moment.

use serde_json::json;

use super::stage::{Desktop, element, find};

const ODD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/odd.py");

#[test]
fn a_toolkit_that_is_told_late_is_asked_again() {
    let desktop = Desktop::start();
    let mut client = desktop.daemon.client();
    let _app = desktop.app("/usr/bin/python3", &[ODD, "late-toolkit"]);
    let (seen, button) = find(&mut client, "button", "button/0");
    let windows = client.query("list_windows");
    let window = windows
        .as_array()
        .unwrap()
        .iter()
        .find(|window| window["title"] == "odd")
        .unwrap();
    let at = |edge: &str| window[edge].as_i64().unwrap();
    // Within the window it is at 20, 30.
    assert_eq!(
        element(&seen, &button)["bbox"],
        json!([at("x") + 20, at("y") + 30, 80, 40])
    );
}
