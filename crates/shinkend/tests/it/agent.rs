//! An agent as tests play it: it sees a desktop's controls and uses them by their ids.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};
use testbed::{App, eventually};

use crate::client::Client;
use crate::daemon::PATIENCE;
use crate::elements::stage::{Desktop, target};

/// How long nothing may change until a program counts as ready for the next step.
const QUIET_MS: u32 = 300;

/// A desktop, and an agent's connection with it.
pub(crate) struct Agent {
    pub(crate) desktop: Desktop,
    client: Client,
}

/// A control as it was seen.
#[derive(Debug, Clone)]
pub(crate) struct Control(Value);

impl Control {
    fn text(&self, field: &str) -> &str {
        self.0[field].as_str().unwrap_or_default()
    }

    pub(crate) fn id(&self) -> &str {
        self.text("ref")
    }

    pub(crate) fn name(&self) -> &str {
        self.text("name")
    }

    pub(crate) fn role(&self) -> &str {
        self.text("role")
    }

    pub(crate) fn value(&self) -> &str {
        self.text("value")
    }

    pub(crate) fn is(&self, state: &str) -> bool {
        let states = self.0["states"].as_array();
        states.is_some_and(|states| states.iter().any(|own| own == state))
    }

    /// All that is said of it but its id.
    pub(crate) fn without_id(&self) -> Value {
        let mut facts = self.0.clone();
        facts.as_object_mut().unwrap().remove("ref");
        facts
    }
}

impl Agent {
    pub(crate) fn start() -> Self {
        let desktop = Desktop::start();
        let client = desktop.daemon.client();
        Self { desktop, client }
    }

    pub(crate) fn app(&self, program: &str, arguments: &[&str]) -> App {
        self.desktop.app(program, arguments)
    }

    /// Starts the daemon anew, and forgets all that was seen.
    pub(crate) fn start_again(&mut self) {
        self.desktop.daemon.kill();
        self.desktop.daemon.start_again(&[]);
        self.client = self.desktop.daemon.client();
    }

    /// The controls that are there now.
    pub(crate) fn look(&mut self) -> Vec<Control> {
        self.observe(&json!({"verb": "observe"})).0
    }

    /// The controls that are there when nothing has changed for a while.
    pub(crate) fn look_at_rest(&mut self) -> Vec<Control> {
        self.look_at_rest_for(QUIET_MS)
    }

    /// The controls that are there when nothing has changed for so many milliseconds.
    pub(crate) fn look_at_rest_for(&mut self, quiet: u32) -> Vec<Control> {
        self.observe(&json!({"verb": "observe", "settle_ms": quiet})).0
    }

    fn observe(&mut self, action: &Value) -> (Vec<Control>, String) {
        let seen = self.client.call(action.clone());
        let controls = seen["elements"].as_array().cloned().unwrap_or_default();
        // What was refused is told where something is awaited in vain.
        let text = seen["tree_text"]
            .as_str()
            .map_or_else(|| seen.to_string(), str::to_owned);
        (controls.into_iter().map(Control).collect(), text)
    }

    /// Looks until there is a control of this role and name.
    pub(crate) fn find(&mut self, role: &str, name: &str) -> Control {
        self.find_where(&format!("{role} {name:?}"), |control| {
            control.role() == role && control.name() == name
        })
    }

    /// Looks until there is a control for which this is true.
    pub(crate) fn find_where(&mut self, what: &str, is: impl Fn(&Control) -> bool) -> Control {
        self.until(what, |controls| {
            controls.iter().find(|control| is(control)).cloned()
        })
    }

    /// Looks until there is no control of this role and name.
    pub(crate) fn find_none(&mut self, role: &str, name: &str) {
        self.until(&format!("no {role} {name:?}"), |controls| {
            let is = |control: &Control| control.role() == role && control.name() == name;
            (!controls.iter().any(is)).then_some(())
        });
    }

    /// Looks until what is seen says something.
    pub(crate) fn until<T>(&mut self, what: &str, mut says: impl FnMut(&[Control]) -> Option<T>) -> T {
        let mut last = LastSeen(String::new());
        eventually(what, PATIENCE, || {
            let (controls, text) = self.observe(&json!({"verb": "observe"}));
            last.0 = text;
            says(&controls)
        })
    }

    pub(crate) fn click(&mut self, control: &Control) {
        self.done(json!({"verb": "click", "target": target(control.id())}));
    }

    pub(crate) fn double_click(&mut self, control: &Control) {
        self.done(json!({"verb": "double_click", "target": target(control.id())}));
    }

    /// Finds a control and clicks it.
    pub(crate) fn press(&mut self, role: &str, name: &str) {
        let control = self.find(role, name);
        self.click(&control);
    }

    /// Finds the control for which this is true, and clicks it.
    pub(crate) fn press_where(&mut self, what: &str, is: impl Fn(&Control) -> bool) {
        let control = self.find_where(what, is);
        self.click(&control);
    }

    /// Clicks, and gives the error where that was refused.
    pub(crate) fn try_click(&mut self, control: &Control) -> Result<(), String> {
        let ack = self
            .client
            .call(json!({"verb": "click", "target": target(control.id())}));
        match ack["error"].as_str() {
            Some(error) => Err(error.to_owned()),
            None => Ok(()),
        }
    }

    pub(crate) fn set_value(&mut self, control: &Control, text: &str) {
        self.done(json!({"verb": "set_value", "target": target(control.id()), "text": text}));
    }

    /// Types over all that a field holds, which has the focus.
    pub(crate) fn type_over(&mut self, text: &str) {
        self.key("ctrl+a");
        self.type_text(text);
    }

    pub(crate) fn type_text(&mut self, text: &str) {
        self.done(json!({"verb": "type_text", "text": text}));
    }

    pub(crate) fn key(&mut self, keys: &str) {
        self.done(json!({"verb": "key", "keys": keys}));
    }

    /// Waits until a window has this title.
    pub(crate) fn window(&mut self, title: &str) {
        eventually(&format!("a window {title:?}"), PATIENCE, || {
            let windows = self.client.query("list_windows");
            let is = |window: &Value| window["title"] == title;
            windows.as_array()?.iter().any(is).then_some(())
        });
    }

    fn done(&mut self, action: Value) {
        let ack = self.client.call(action.clone());
        if ack["ok"] != true {
            let _seen = LastSeen(self.observe(&json!({"verb": "observe"})).1);
            assert_eq!(ack["ok"], true, "{action}: {ack}");
        }
    }
}

/// What was seen last, shown when the test has failed.
pub(crate) struct LastSeen(pub(crate) String);

impl Drop for LastSeen {
    #[expect(clippy::print_stderr, reason = "it belongs to the failed test's output")]
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("seen last:\n{}", self.0);
        }
    }
}

/// Waits until a program has ended by itself, and gives its exit code.
pub(crate) fn exit_code(app: &mut App) -> Option<i32> {
    eventually("the program to end", PATIENCE, || app.exited()).code()
}

/// Waits until a file holds this text, whatever the program put at its end.
pub(crate) fn saved(path: &Path, text: &str) {
    eventually(&format!("{} to hold {text:?}", path.display()), PATIENCE, || {
        let held = std::fs::read_to_string(path).ok()?;
        (held.trim_end() == text.trim_end()).then_some(())
    });
}

/// A program that prints what happens to it.
pub(crate) struct Printing {
    pub(crate) app: App,
    lines: Receiver<String>,
}

impl Printing {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut app = App::spawn(command.stdout(Stdio::piped()));
        let stdout = app.child().stdout.take().unwrap();
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        Self { app, lines }
    }

    /// The next line that it prints.
    pub(crate) fn line(&self) -> String {
        self.line_within(PATIENCE).unwrap()
    }

    /// The same, where it prints one soon.
    pub(crate) fn line_within(&self, time: Duration) -> Option<String> {
        self.lines.recv_timeout(time).ok()
    }
}

/// How long the tests that take as long as they are told to take are to take.
pub(crate) fn long(variable: &str, default: Duration) -> Duration {
    let seconds = std::env::var(variable).ok().and_then(|text| text.parse().ok());
    seconds.map_or(default, Duration::from_secs)
}
