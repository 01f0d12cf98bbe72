//! Looking at windows of 50, 500 and 5,000 controls, beside a plain walk through the same tree.

mod calls;
mod stage;
mod walker;

use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use crate::process;
use crate::report::{Report, Series};
use crate::rounds::Effort;
use crate::socket::{Incoming, Socket};
use calls::Calls;
use stage::Stage;
use walker::Walker;

/// The toolkits whose windows are measured.
const TOOLKITS: &[&str] = &["gtk3", "gtk4", "qt6", "chromium"];
/// How many controls a window has.
const COUNTS: &[usize] = &[50, 500, 5_000];
/// The quiet time that is asked for where settling is measured.
const QUIET: Duration = Duration::from_millis(50);
/// How long a window may take to come to rest.
const RESTING: Duration = Duration::from_secs(60);

/// The promise of the architecture, and of what was asked for: after one change, on 500 controls.
pub(crate) const PROMISED: Duration = Duration::from_millis(10);
pub(crate) const TIMES_FASTER: f64 = 20.0;

/// The name of a series.
pub(crate) fn name(what: &str, toolkit: &str, count: usize) -> String {
    format!("{what}, {toolkit} {count}")
}

/// The windows of which something is promised.
pub(crate) fn promised() -> impl Iterator<Item = (&'static str, usize)> {
    TOOLKITS.iter().map(|toolkit| (*toolkit, 500))
}

/// Measures all windows.
pub(crate) fn measure(program: &std::path::Path, effort: Effort, report: &mut Report) -> anyhow::Result<()> {
    let rounds = effort.rounds.min(3);
    for toolkit in TOOLKITS {
        for &count in COUNTS {
            report.progress(&format!("a window of {count} controls, {toolkit}"));
            let stage = Stage::start(program, toolkit, count)?;
            Window::new(stage, toolkit, count)?
                .measure(rounds, effort.rest / 2, report)
                .with_context(|| format!("a window of {count} controls, {toolkit}"))?;
        }
    }
    Ok(())
}

/// A window under measurement.
struct Window {
    stage: Stage,
    toolkit: &'static str,
    count: usize,
    session: Socket,
    /// How often the name was changed.
    renamed: u32,
}

impl Window {
    fn new(stage: Stage, toolkit: &'static str, count: usize) -> anyhow::Result<Self> {
        let session = stage.session()?;
        let mut window = Self {
            stage,
            toolkit,
            count,
            session,
            renamed: 0,
        };
        window.wait_for_all()?;
        Ok(window)
    }

    fn measure(mut self, rounds: usize, rest: Duration, report: &mut Report) -> anyhow::Result<()> {
        let bus = self.stage.accessibility_bus()?;
        let process = self.stage.process();
        let mut times: Vec<(&str, Vec<Duration>)> = Vec::new();
        let mut add =
            |what: &'static str, time: Duration| match times.iter_mut().find(|(known, _)| *known == what) {
                Some((_, all)) => all.push(time),
                None => times.push((what, vec![time])),
            };
        for _ in 0..rounds {
            self.stage.restart_daemon();
            self.session = self.stage.session()?;
            add("first observe", self.observe(&json!({}))?.0);
            let mut walker = Walker::start(&self.stage, process)?;
            add("pyatspi, first walk", walker.walk()?);
            for _ in 0..3 {
                add("pyatspi, walk again", walker.walk()?);
            }
            for _ in 0..5 {
                self.rename()?;
                let (time, seen) = self.observe(&json!({"diff": true}))?;
                self.is_told(&seen)?;
                add("observe after one change", time);
                add("observe after none", self.observe(&json!({"diff": true}))?.0);
                let settled = json!({"diff": true, "settle_ms": QUIET.as_millis()});
                add(
                    "settle beyond 50 ms",
                    self.observe(&settled)?.0.saturating_sub(QUIET),
                );
            }
        }
        for (what, all) in times {
            let mut series = Series::new(name(what, self.toolkit, self.count));
            let each = all.len() / rounds;
            all.chunks(each.max(1)).for_each(|round| series.add_round(round));
            report.series(series);
        }
        self.count_calls(&bus, process, report)?;
        self.weigh(report)?;
        self.rest(rest, report)
    }

    /// Messages on the accessibility bus for a look, and for a walk.
    fn count_calls(&mut self, bus: &str, process: u32, report: &mut Report) -> anyhow::Result<()> {
        let mut walker = Walker::start(&self.stage, process)?;
        self.stage.restart_daemon();
        self.session = self.stage.session()?;
        let mut tell = |window: &Self, what: &str, calls: usize| {
            let name = name(&format!("D-Bus calls, {what}"), window.toolkit, window.count);
            report.number(name, "", calls as f64);
        };
        let calls = Calls::watch(&self.stage, bus)?;
        self.observe(&json!({}))?;
        tell(self, "first observe", calls.end()?);
        self.rename()?;
        let calls = Calls::watch(&self.stage, bus)?;
        self.observe(&json!({"diff": true}))?;
        tell(self, "observe after one change", calls.end()?);
        let calls = Calls::watch(&self.stage, bus)?;
        self.observe(&json!({"diff": true}))?;
        tell(self, "observe after none", calls.end()?);
        let calls = Calls::watch(&self.stage, bus)?;
        walker.walk()?;
        tell(self, "pyatspi, first walk", calls.end()?);
        Ok(())
    }

    /// How many bytes a look sends.
    fn weigh(&mut self, report: &mut Report) -> anyhow::Result<()> {
        let mut tell = |what: &str, bytes: usize| {
            report.number(name(what, self.toolkit, self.count), "KiB", bytes as f64 / 1024.0);
        };
        let (_, incoming) = self.session.act(&json!({"verb": "observe"}))?;
        let (value, length) = match &incoming {
            Incoming::Text(value, length) | Incoming::Binary(value, length) => (value, *length),
        };
        let text = |value: &Value| value["tree_text"].as_str().map_or(0, str::len);
        tell("whole message", length);
        tell("text of the tree", text(value));
        let nodes = value["node_count"].as_f64().unwrap_or_default();
        let screenshot = json!({"verb": "screenshot", "format": "png"});
        let (_, picture) = self.session.act(&screenshot)?;
        let (Incoming::Text(_, length) | Incoming::Binary(_, length)) = picture;
        tell("screenshot png", length);
        report.number(name("controls in the text", self.toolkit, self.count), "", nodes);
        self.rename()?;
        let (_, seen) = self.observe(&json!({"diff": true}))?;
        let bytes = text(&seen) as f64 / 1024.0;
        report.number(name("text of the change", self.toolkit, self.count), "KiB", bytes);
        Ok(())
    }

    /// What a kept tree costs while nothing happens.
    fn rest(&mut self, rest: Duration, report: &mut Report) -> anyhow::Result<()> {
        let daemon = self.stage.daemon();
        let before = process::processor_seconds(daemon)?;
        std::thread::sleep(rest);
        let used = process::processor_seconds(daemon)? - before;
        report.number(
            name("processor at rest", self.toolkit, self.count),
            "% of a core",
            used / rest.as_secs_f64() * 100.0,
        );
        let memory = process::memory_mib(daemon)?;
        report.number(name("daemon memory", self.toolkit, self.count), "MiB", memory);
        Ok(())
    }

    /// Looks; the time until the answer, and the observation.
    fn observe(&mut self, fields: &Value) -> anyhow::Result<(Duration, Value)> {
        let mut action = fields.clone();
        action["verb"] = "observe".into();
        let (time, seen) = self.session.act(&action)?;
        Ok((time, seen.value().clone()))
    }

    /// Waits until a look shows the window with the last of its controls, or as many as one shows.
    fn wait_for_all(&mut self) -> anyhow::Result<()> {
        let deadline = Instant::now() + RESTING;
        let mut before = 0;
        loop {
            let looked = self.observe(&json!({"settle_ms": 500}));
            let seen = looked.map(|(_, seen)| seen).unwrap_or_default();
            let text = seen["tree_text"].as_str().unwrap_or_default();
            let count = seen["node_count"].as_u64().unwrap_or_default();
            if text.contains("\"rename\"") && count > 10 && count == before {
                return Ok(());
            }
            before = count;
            ensure!(Instant::now() < deadline, "the window is not whole: {text}");
        }
    }

    /// Has the program rename its label, and waits until the screen shows it.
    fn rename(&mut self) -> anyhow::Result<()> {
        let (_, seen) = self.observe(&json!({}))?;
        let elements = seen["elements"].as_array().context("no elements")?;
        let button = elements
            .iter()
            .find(|element| element["name"] == "rename")
            .context("no button")?;
        let target = json!({"kind": "element_ref", "ref": button["ref"]});
        // By its action, so that the pointer over it and the focus do not change, too.
        let before = self.stage.picture(&mut self.session)?;
        self.session
            .act(&json!({"verb": "invoke_action", "target": target}))?;
        self.renamed += 1;
        let deadline = Instant::now() + RESTING;
        let mut last = before.clone();
        loop {
            std::thread::sleep(Duration::from_millis(100));
            let now = self.stage.picture(&mut self.session)?;
            if now == last && now != before {
                return Ok(());
            }
            last = now;
            ensure!(Instant::now() < deadline, "nothing was renamed on the screen");
        }
    }

    /// That the observation tells of the present name.
    fn is_told(&self, seen: &Value) -> anyhow::Result<()> {
        let text = seen["tree_text"].as_str().unwrap_or_default();
        let name = format!("\"name {}\"", self.renamed);
        ensure!(text.contains(&name), "{name} is not told: {text}");
        Ok(())
    }
}
