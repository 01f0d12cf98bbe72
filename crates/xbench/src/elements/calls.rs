//! Counting the calls on the accessibility bus.

use std::io::{BufRead as _, BufReader};
use std::process::{ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use anyhow::Context as _;
use testbed::App;

use super::stage::{PATIENCE, Stage};

/// Marks the end of what is counted, on the bus itself.
const END: &str = "EndOfCounting";

/// A monitor of the bus.
pub(super) struct Calls {
    _monitor: App,
    bus: String,
    lines: Receiver<String>,
}

impl Calls {
    /// Watches from now on.
    pub(super) fn watch(stage: &Stage, bus: &str) -> anyhow::Result<Self> {
        // It keeps back what it has to say to a pipe, otherwise.
        let mut command = stage.command("stdbuf");
        command
            .args(["-oL", "dbus-monitor"])
            .args(["--address", bus, "--profile", "type='method_call'"])
            .stdout(Stdio::piped());
        let mut monitor = App::spawn(&mut command);
        let output = monitor
            .child()
            .stdout
            .take()
            .context("no way out of dbus-monitor")?;
        let lines = read(output)?;
        let calls = Self {
            _monitor: monitor,
            bus: bus.to_owned(),
            lines,
        };
        // It watches when it sees a mark.
        loop {
            calls.mark()?;
            if calls
                .lines
                .recv_timeout(std::time::Duration::from_millis(100))
                .is_ok_and(|line| line.contains(END))
            {
                break;
            }
        }
        while calls
            .lines
            .recv_timeout(std::time::Duration::from_millis(200))
            .is_ok()
        {}
        Ok(calls)
    }

    /// How many calls there were.
    pub(super) fn end(self) -> anyhow::Result<usize> {
        self.mark()?;
        let mut count = 0;
        loop {
            let line = self
                .lines
                .recv_timeout(PATIENCE)
                .context("dbus-monitor is silent")?;
            if line.contains(END) {
                return Ok(count);
            }
            // What connecting says to the bus itself, the mark's sender included, reads nothing.
            let is_call = line.starts_with("mc\t") && !line.contains("org.freedesktop.DBus\t");
            count += usize::from(is_call);
        }
    }

    fn mark(&self) -> anyhow::Result<()> {
        Command::new("dbus-send")
            .arg(format!("--bus={}", self.bus))
            .args(["--dest=org.a11y.atspi.Registry", "/org/a11y/atspi/registry"])
            .arg(format!("org.a11y.atspi.Registry.{END}"))
            .status()
            .context("dbus-send does not start")?;
        Ok(())
    }
}

fn read(output: ChildStdout) -> anyhow::Result<Receiver<String>> {
    let (sender, lines) = channel();
    thread::Builder::new()
        .name("dbus-monitor".to_owned())
        .spawn(move || {
            for line in BufReader::new(output).lines() {
                let Ok(line) = line else { return };
                if sender.send(line).is_err() {
                    return;
                }
            }
        })?;
    Ok(lines)
}
