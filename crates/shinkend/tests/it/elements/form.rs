//! One form in every toolkit, and in a page: its controls are used by id, and what the program then holds is read.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use serde_json::{Value, json};
use testbed::{App, eventually};

use super::stage::{Desktop, PYTHON, done, program, target};
use crate::client::Client;
use crate::daemon::PATIENCE;

/// The form, and where what it holds is read.
struct Form {
    desktop: Desktop,
    client: Client,
    toolkit: &'static str,
    _app: App,
}

impl Form {
    fn start(toolkit: &'static str) -> Self {
        let desktop = Desktop::start();
        let app = if toolkit == "chromium" {
            let profile = format!("--user-data-dir={}", desktop.daemon.path("profile").display());
            let page = format!("file://{}", program("form.html"));
            let options = [
                "--no-sandbox",
                "--no-first-run",
                "--disable-gpu",
                "--window-size=780,560",
            ];
            desktop.app("chromium", &[&options[..], &[&profile, &page]].concat())
        } else {
            let model = desktop.daemon.path("model.json");
            desktop.app(PYTHON, &[&program("form.py"), toolkit, model.to_str().unwrap()])
        };
        let client = desktop.daemon.client();
        Self {
            desktop,
            client,
            toolkit,
            _app: app,
        }
    }

    /// What the program holds.
    fn model(&mut self) -> Value {
        let text = if self.toolkit == "chromium" {
            let windows = self.client.query("list_windows");
            let title = windows[0]["title"].as_str().unwrap_or_default();
            title.strip_suffix(" - Chromium").unwrap_or(title).to_owned()
        } else {
            std::fs::read_to_string(self.desktop.daemon.path("model.json")).unwrap_or_default()
        };
        serde_json::from_str(&text).unwrap_or_default()
    }

    fn holds(&mut self, field: &str, value: &Value) {
        eventually(&format!("{field} to be {value}"), PATIENCE, || {
            (self.model()[field] == *value).then_some(())
        });
    }

    /// The id of the control of this name that has one of these roles.
    fn find(&mut self, roles: &[&str], name: &str) -> String {
        eventually(&format!("{roles:?} {name:?}"), PATIENCE, || {
            let seen = self.client.call(json!({"verb": "observe"}));
            let found = seen["elements"].as_array()?.iter().find(|element| {
                let is = |key: &str| element[key].as_str().unwrap_or_default();
                roles.contains(&is("role")) && is("name").trim() == name
            })?;
            Some(found["ref"].as_str()?.to_owned())
        })
    }

    fn click(&mut self, name: &str) {
        let button = self.find(&["button", "push-button"], name);
        done(
            &mut self.client,
            json!({"verb": "click", "target": target(&button)}),
        );
        self.holds("pressed", &json!(name));
    }

    /// Buttons below, above and in between, each out of sight when it is clicked.
    fn scrolls(&mut self) {
        for name in ["choice 59", "choice 0", "choice 30", "choice 31"] {
            self.click(name);
        }
        assert_eq!(self.model()["presses"], 4, "each was pressed once");
    }
}

#[test]
fn gtk3_scrolls_to_what_is_clicked() {
    Form::start("gtk3").scrolls();
}

#[test]
fn gtk4_scrolls_to_what_is_clicked() {
    Form::start("gtk4").scrolls();
}

#[test]
fn qt6_scrolls_to_what_is_clicked() {
    Form::start("qt6").scrolls();
}

#[test]
fn a_page_is_read_without_an_option_and_scrolls_to_what_is_clicked() {
    let mut form = Form::start("chromium");
    form.scrolls();
    for name in ["inner 29", "choice 59", "inner 0"] {
        form.click(name);
    }
}
