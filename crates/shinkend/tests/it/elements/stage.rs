//! A desktop whose controls are used by id.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::process::Command;

use serde_json::{Value, json};
use testbed::{App, XServer, eventually};

use crate::client::Client;
use crate::daemon::{Daemon, PATIENCE};

/// Debian's own: another one first on the path need not have the toolkits.
pub(crate) const PYTHON: &str = "/usr/bin/python3";

/// The path of a program that the tests have of their own.
pub(crate) fn program(name: &str) -> String {
    format!("{}/tests/programs/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A desktop with an accessibility bus, a window manager, and a daemon that offers the tree.
pub(crate) struct Desktop {
    pub(crate) daemon: Daemon,
    _manager: App,
}

impl Desktop {
    pub(crate) fn start() -> Self {
        Self::start_sized(800, 600)
    }

    pub(crate) fn start_sized(w: u32, h: u32) -> Self {
        let server = XServer::start(w, h).with_session();
        let manager = server.window_manager();
        Self {
            daemon: Daemon::start_on(server, &[]),
            _manager: manager,
        }
    }

    /// Starts a program that shows nothing but what this test is about.
    pub(crate) fn app(&self, program: &str, arguments: &[&str]) -> App {
        App::spawn(self.command(program).args(arguments))
    }

    /// The command of such a program.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = self.daemon.server.command(program);
        command
            .env("HOME", self.daemon.folder())
            .env("GSETTINGS_BACKEND", "memory");
        command
    }
}

pub(crate) fn target(reference: &str) -> Value {
    json!({"kind": "element_ref", "ref": reference})
}

/// Looks again and again until a control is there; gives the observation and the control's id.
pub(crate) fn find(client: &mut Client, role: &str, name: &str) -> (Value, String) {
    let what = format!("{role} {name:?}");
    eventually(&what, PATIENCE, || {
        let seen = client.call(json!({"verb": "observe"}));
        let element = seen["elements"].as_array()?.iter().find(|element| {
            element["role"] == role && element["name"].as_str().unwrap_or_default() == name
        })?;
        let reference = element["ref"].as_str()?.to_owned();
        Some((seen.clone(), reference))
    })
}

pub(crate) fn element<'a>(seen: &'a Value, reference: &str) -> &'a Value {
    let elements = seen["elements"].as_array().unwrap();
    elements
        .iter()
        .find(|element| element["ref"] == reference)
        .unwrap()
}

pub(crate) fn done(client: &mut Client, action: Value) {
    let ack = client.call(action.clone());
    assert_eq!(ack["ok"], true, "{action}: {ack}");
}

pub(crate) fn refused(client: &mut Client, action: Value, code: &str) -> String {
    let ack = client.call(action.clone());
    let error = ack["error"].as_str().unwrap_or_default().to_owned();
    assert!(error.starts_with(&format!("{code}: ")), "{action}: {ack}");
    error
}
