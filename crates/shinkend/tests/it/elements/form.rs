//! One form in every toolkit, and in a page: its controls are used by id, and what the program then holds is read.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use serde_json::{Value, json};
use testbed::{App, eventually};

use super::stage::{Desktop, PYTHON, done, element, program, refused, target};
use crate::agent::LastSeen;
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
        Self::start_scaled(toolkit, "1")
    }

    /// The form on a desktop where all is drawn so many times as large.
    fn start_scaled(toolkit: &'static str, scale: &str) -> Self {
        let desktop = Desktop::start_sized(1280, 1000);
        let app = if toolkit == "chromium" {
            let profile = format!("--user-data-dir={}", desktop.daemon.path("profile").display());
            let page = format!("file://{}", program("form.html"));
            let scaled = format!("--force-device-scale-factor={scale}");
            let options = [
                "--no-sandbox",
                "--no-first-run",
                "--disable-gpu",
                "--window-size=600,480",
                &scaled,
            ];
            desktop.app("chromium", &[&options[..], &[&profile, &page]].concat())
        } else {
            let model = desktop.daemon.path("model.json");
            let variable = if toolkit == "qt6" {
                "QT_SCALE_FACTOR"
            } else {
                "GDK_SCALE"
            };
            let scaled = format!("{variable}={scale}");
            let form = program("form.py");
            desktop.app("env", &[&scaled, PYTHON, &form, toolkit, model.to_str().unwrap()])
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
        let mut last = LastSeen(String::new());
        eventually(&format!("{roles:?} {name:?}"), PATIENCE, || {
            let seen = self.client.call(json!({"verb": "observe"}));
            last.0 = seen["tree_text"]
                .as_str()
                .map_or_else(|| seen.to_string(), str::to_owned);
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

    fn set(&mut self, reference: &str, text: &str) {
        done(
            &mut self.client,
            json!({"verb": "set_value", "target": target(reference), "text": text}),
        );
    }

    fn refuses(&mut self, reference: &str, text: &str, code: &str) -> String {
        let set = json!({"verb": "set_value", "target": target(reference), "text": text});
        refused(&mut self.client, set, code)
    }

    /// Buttons below, above and in between, each out of sight when it is clicked.
    fn scrolls(&mut self) {
        for name in ["choice 59", "choice 0", "choice 30", "choice 31"] {
            self.click(name);
        }
        assert_eq!(self.model()["presses"], 4, "each was pressed once");
    }
}

const TEXTS: &[&str] = &["text", "entry"];

impl Form {
    /// Each field gets a value, and the program has it.
    fn takes_values(&mut self) {
        let web = self.toolkit == "chromium";
        let field = |name: &'static str| if web { name.to_lowercase() } else { name.to_owned() };
        let name = self.find(TEXTS, "Name");
        for text in ["Grüße ☕", "second", ""] {
            self.set(&name, text);
            self.holds(&field("Name"), &json!(text));
        }
        let secret = self.find(&["password-text"], "Secret");
        self.set(&secret, "swordfish");
        self.holds(
            &field("Secret"),
            &json!(if web { "hsifdrows" } else { "swordfish" }),
        );
        let seen = self.client.call(json!({"verb": "observe"}));
        assert_eq!(element(&seen, &secret)["value"], Value::Null);
        let text = seen["elements"].to_string() + seen["tree_text"].as_str().unwrap();
        assert!(!text.contains("swordfish"), "{text}");
        let text = self.find(TEXTS, "Text");
        self.set(&text, "one\ntwo");
        self.holds(&field("Text"), &json!("one\ntwo"));
        let number = self.find(&["spin-button"], "Number");
        self.set(&number, "42");
        self.holds(&field("Number"), &if web { json!("42") } else { json!(42.0) });
        self.refuses(&number, "many", "invalid_action");
        let agree = self.find(&["check-box"], "Agree");
        for on in [true, false, false, true] {
            self.set(&agree, &on.to_string());
            self.holds(&field("Agree"), &json!(on));
        }
        self.refuses(&agree, "maybe", "invalid_action");
        let fixed = self.find(TEXTS, "Fixed");
        self.refuses(&fixed, "other", "unsupported");
        let never = self.find(&["button", "push-button"], "Never");
        let invoke = json!({"verb": "invoke_action", "target": target(&never)});
        let error = refused(&mut self.client, invoke, "unsupported");
        assert!(error.contains("disabled"), "{error}");
        let long = "x".repeat(3 << 20);
        self.refuses(&text, &long, "invalid_action");
        let model = self.model();
        if !web {
            assert_eq!(
                (&model["Fixed"], &model["Text"]),
                (&json!("fixed"), &json!("one\ntwo"))
            );
        }
        assert_eq!(model["presses"], 0, "{model}");
    }

    /// What can be chosen by its name is, and what cannot says so and changes nothing.
    fn chooses(&mut self, can: bool) {
        let key = if self.toolkit == "chromium" {
            "color"
        } else {
            "Color"
        };
        // Qt calls a box by what is chosen.
        let name = if self.toolkit == "qt6" { "Red" } else { "Color" };
        let combo = self.find(&["combo-box"], name);
        if can {
            self.set(&combo, "Blue");
            self.holds(key, &json!("Blue"));
            let error = self.refuses(&combo, "Purple", "unsupported");
            assert!(error.contains("Red, Green, Blue"), "{error}");
        } else {
            self.refuses(&combo, "Blue", "unsupported");
            assert_ne!(self.model()[key], "Blue");
            self.chooses_by_clicks();
        }
    }

    fn chooses_by_clicks(&mut self) {
        let name = if self.toolkit == "qt6" { "Red" } else { "Color" };
        let combo = self.find(&["combo-box"], name);
        done(
            &mut self.client,
            json!({"verb": "click", "target": target(&combo)}),
        );
        let item = self.find(&["label", "list-item", "menu-item"], "Blue");
        done(
            &mut self.client,
            json!({"verb": "click", "target": target(&item)}),
        );
        self.holds("Color", &json!("Blue"));
    }

    /// Small controls are hit where they are drawn, also when all is drawn larger than the program believes.
    fn is_hit(&mut self) {
        let agree = self.find(&["check-box"], "Agree");
        done(
            &mut self.client,
            json!({"verb": "click", "target": target(&agree)}),
        );
        let key = if self.toolkit == "chromium" {
            "agree"
        } else {
            "Agree"
        };
        self.holds(key, &json!(true));
        self.click("choice 1");
        self.click("choice 40");
        if self.toolkit != "chromium" {
            self.chooses_by_clicks();
        }
    }

    /// An action without a name never changes a text.
    fn keeps_its_lines(&mut self) {
        let text = self.find(TEXTS, "Text");
        let invoke = json!({"verb": "invoke_action", "target": target(&text)});
        let error = refused(&mut self.client, invoke, "unsupported");
        if self.toolkit == "gtk4" {
            assert!(
                error.contains("selection.delete"),
                "it lists what there is: {error}"
            );
        }
        assert_eq!(self.model()["Text"], "first line\nsecond line\nthird line");
    }
}

#[test]
fn gtk3_takes_values() {
    let mut form = Form::start("gtk3");
    form.keeps_its_lines();
    form.takes_values();
    form.chooses(true);
}

#[test]
fn gtk4_takes_values() {
    let mut form = Form::start("gtk4");
    form.keeps_its_lines();
    form.takes_values();
    form.chooses(false);
}

#[test]
fn qt6_takes_values() {
    let mut form = Form::start("qt6");
    form.takes_values();
    form.chooses(false);
}

#[test]
fn a_page_takes_values() {
    let mut form = Form::start("chromium");
    form.takes_values();
    form.chooses(true);
    let note = form.find(&["text", "entry", "section"], "Note");
    form.set(&note, "another note");
    form.holds("note", &json!("another note"));
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

#[test]
fn gtk3_is_hit_where_it_is_drawn_twice_as_large() {
    Form::start_scaled("gtk3", "2").is_hit();
}

#[test]
fn gtk4_is_hit_where_it_is_drawn_twice_as_large() {
    Form::start_scaled("gtk4", "2").is_hit();
}

#[test]
fn qt6_is_hit_where_it_is_drawn_larger() {
    for scale in ["1.5", "2"] {
        Form::start_scaled("qt6", scale).is_hit();
    }
}

#[test]
fn a_page_is_hit_where_it_is_drawn_twice_as_large() {
    let mut form = Form::start_scaled("chromium", "2");
    form.is_hit();
    // The window around the page counts in other pixels than the page.
    let reload = form.find(&["button"], "Reload");
    done(
        &mut form.client,
        json!({"verb": "click", "target": target(&reload)}),
    );
    form.holds("pressed", &json!(null));
}

/// GTK names the menu of a combo box twice: as a child of the box, and of the window that it is drawn in.
#[test]
fn what_two_name_as_their_child_stays_one_control() {
    let mut form = Form::start("gtk3");
    let combo = form.find(&["combo-box"], "Color");
    let click = json!({"verb": "click", "target": target(&combo)});
    done(&mut form.client, click);
    let ids = |form: &mut Form| ["Red", "Green", "Blue"].map(|name| form.find(&["menu-item"], name));
    let first = ids(&mut form);
    for _ in 0..5 {
        for item in &first {
            // All of the menu is drawn anew, and told of.
            done(&mut form.client, json!({"verb": "move", "target": target(item)}));
            form.client.call(json!({"verb": "observe", "settle_ms": 50}));
        }
        assert_eq!(ids(&mut form), first);
    }
}
