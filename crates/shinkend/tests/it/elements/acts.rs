//! Acting on controls by id: only on the one that was meant.

use std::path::Path;

use rustix::process::Signal;
use serde_json::json;
use testbed::eventually;

use super::stage::{Desktop, PYTHON, done, find, program, refused, target};
use crate::daemon::PATIENCE;

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap_or_default()
}

#[test]
fn what_was_told_to_be_gone_is_not_acted_on_though_another_is_in_its_place() {
    let desktop = Desktop::start();
    let mut client = desktop.daemon.client();
    let log = desktop.daemon.path("told.txt");
    let app = desktop.app(PYTHON, &[&program("recycler.py"), log.to_str().unwrap()]);
    let (_, save) = find(&mut client, "button", "Save");
    let press = json!({"verb": "invoke_action", "target": target(&save)});
    done(&mut client, press.clone());
    app.signal(Signal::USR1);
    eventually("the other button", PATIENCE, || {
        read(&log).contains("recycled").then_some(())
    });
    // Nobody has looked since.
    for action in [press, json!({"verb": "click", "target": target(&save)})] {
        let error = refused(&mut client, action, "stale_element_ref");
        assert!(
            error.contains("button \"Save\"") && error.contains("observe again"),
            "{error}"
        );
    }
    let (_, delete) = find(&mut client, "button", "Delete");
    assert_ne!(delete, save);
    done(
        &mut client,
        json!({"verb": "invoke_action", "target": target(&delete)}),
    );
    assert_eq!(read(&log), "pressed Save\nrecycled\npressed Delete\n");
}
