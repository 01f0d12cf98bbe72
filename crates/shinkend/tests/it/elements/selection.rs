//! Selecting a text in an element, and putting the caret at it: shown by what is typed then.

use serde_json::{Value, json};
use testbed::eventually;

use super::stage::{Desktop, PYTHON, done, element, find, program, refused, target};
use crate::client::Client;
use crate::daemon::PATIENCE;

const TEXT: &str = "Grüße: the Q3 report,\nthe Q3 plan";

fn mark(reference: &str, mode: &str, text: &str, prefix: &str) -> Value {
    json!({"verb": "set_text_selection", "target": target(reference), "mode": mode, "text": text, "prefix": prefix})
}

fn typed(client: &mut Client, field: &str, text: &str, wanted: &str) {
    done(client, json!({"verb": "type_text", "text": text}));
    eventually(wanted, PATIENCE, || {
        let seen = client.call(json!({"verb": "observe", "settle_ms": 100}));
        (element(&seen, field)["value"].as_str()? == wanted).then_some(())
    });
}

fn selects_and_puts_the_caret(client: &mut Client, field: &str) {
    done(
        client,
        json!({"verb": "set_value", "target": target(field), "text": TEXT}),
    );
    let error = refused(client, mark(field, "select", "Q3", "the "), "invalid_action");
    assert!(error.contains("2 times") && error.contains("`suffix`"), "{error}");
    let error = refused(client, mark(field, "select", "Q4", ""), "invalid_action");
    assert!(error.contains("is not in"), "{error}");
    done(client, mark(field, "select", "Q3", "Grüße: the "));
    typed(client, field, "annual", "Grüße: the annual report,\nthe Q3 plan");
    done(client, mark(field, "caret_before", "plan", ""));
    typed(
        client,
        field,
        "new ",
        "Grüße: the annual report,\nthe Q3 new plan",
    );
    done(client, mark(field, "caret_after", "Grüße", ""));
    typed(
        client,
        field,
        " all",
        "Grüße all: the annual report,\nthe Q3 new plan",
    );
    // From one selection to another, and from there to a caret.
    done(client, mark(field, "select", "all", ""));
    done(client, mark(field, "select", "annual report,\nthe ", ""));
    done(client, mark(field, "caret_after", "plan", ""));
    typed(
        client,
        field,
        ".",
        "Grüße all: the annual report,\nthe Q3 new plan.",
    );
}

#[test]
fn in_an_editor_of_gtk() {
    let desktop = Desktop::start();
    let mut client = desktop.daemon.client();
    let _app = desktop.app("mousepad", &["--disable-server"]);
    let (_, field) = find(&mut client, "text", "");
    selects_and_puts_the_caret(&mut client, &field);
}

#[test]
fn in_an_editor_of_qt() {
    let desktop = Desktop::start();
    let mut client = desktop.daemon.client();
    let _app = desktop.app("featherpad", &["--standalone"]);
    let (_, field) = find(&mut client, "text", "");
    selects_and_puts_the_caret(&mut client, &field);
}

#[test]
fn in_a_field_that_has_not_the_focus_and_not_in_a_button() {
    for toolkit in ["gtk3", "qt6"] {
        let desktop = Desktop::start();
        let mut client = desktop.daemon.client();
        let file = desktop.daemon.path("form.json");
        let _app = desktop.app(PYTHON, &[&program("form.py"), toolkit, file.to_str().unwrap()]);
        let (_, button) = find(&mut client, "button", "choice 0");
        let (seen, _) = find(&mut client, "text", "Text");
        let field = seen["elements"].as_array().unwrap().iter();
        let mut field = field.filter(|element| element["name"] == "Text" && element["value"].is_string());
        let field = field.next().unwrap()["ref"].as_str().unwrap().to_owned();
        done(&mut client, mark(&field, "select", "second", ""));
        typed(&mut client, &field, "2nd", "first line\n2nd line\nthird line");
        let error = refused(&mut client, mark(&button, "select", "none", ""), "unsupported");
        assert!(error.contains("no text"), "{error}");
    }
}
