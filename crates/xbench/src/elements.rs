//! Looking at windows of 50, 500 and 5,000 controls, beside a plain walk through the same tree.

mod calls;
pub(crate) mod screen;
pub(crate) mod stage;
mod walker;

use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};

use crate::process;
use crate::report::{Report, Series};
use crate::rounds::Effort;
use crate::socket::{Incoming, Socket};
use calls::Calls;
use screen::{Bounds, Screen};
use stage::Stage;
use walker::Walker;

const GRID: &str = include_str!("../programs/grid.py");
const PAGE: &str = include_str!("../programs/grid.html");

/// The toolkits whose windows are measured.
pub(crate) const TOOLKITS: [&str; 4] = ["gtk3", "gtk4", "qt6", "chromium"];
/// The quiet time that is asked for where settling is measured.
const QUIET: Duration = Duration::from_millis(50);
/// How long a window may take to come to rest.
const RESTING: Duration = Duration::from_secs(60);

/// How long a program may take to rename a label.
const RENAMING: Duration = Duration::from_secs(15);

/// More controls than this are walked through less often, since that takes seconds.
const FEW: usize = 100;
/// More than this hardly ever, since that takes half a minute.
const MANY: usize = 1_000;

/// What is timed of every window.
const WHAT: [&str; 6] = [
    "first observe",
    "observe after one change",
    "observe after none",
    "settle beyond 50 ms",
    "pyatspi, first walk",
    "pyatspi, walk again",
];
/// How often a window is changed in a round.
const CHANGES: usize = 5;

/// The promise of the architecture, and of what was asked for: after one change, on 500 controls.
pub(crate) const PROMISED: Duration = Duration::from_millis(10);
pub(crate) const TIMES_FASTER: f64 = 20.0;

/// The name of a series.
pub(crate) fn name(what: &str, toolkit: &str, count: usize) -> String {
    format!("{what}, {toolkit} {count}")
}

/// The windows of which something is promised.
pub(crate) fn promised() -> impl Iterator<Item = (&'static str, usize)> {
    TOOLKITS.into_iter().map(|toolkit| (toolkit, 500))
}

/// Measures one window.
pub(crate) fn measure(
    program: &std::path::Path,
    toolkit: &str,
    count: usize,
    effort: Effort,
    report: &mut Report,
) -> anyhow::Result<()> {
    report.progress(&format!("a window of {count} controls, {toolkit}"));
    Stage::start(program, |server, folder| {
        let number = count.to_string();
        if toolkit == "chromium" {
            stage::browser(server, folder, PAGE, &number)
        } else {
            stage::script(server, folder, GRID, &[toolkit, &number])
        }
    })
    .and_then(|stage| Window::new(stage, toolkit, count)?.measure(effort, report))
    .with_context(|| format!("a window of {count} controls, {toolkit}"))
}

/// A window under measurement.
struct Window {
    stage: Stage,
    toolkit: String,
    count: usize,
    session: Socket,
    screen: Screen,
    /// How often the name was changed.
    renamed: u32,
}

impl Window {
    fn new(stage: Stage, toolkit: &str, count: usize) -> anyhow::Result<Self> {
        let session = stage.session()?;
        let mut window = Self {
            screen: Screen::open(stage.display())?,
            stage,
            toolkit: toolkit.to_owned(),
            count,
            session,
            renamed: 0,
        };
        window.wait_for_all()?;
        Ok(window)
    }

    fn measure(mut self, effort: Effort, report: &mut Report) -> anyhow::Result<()> {
        self.time(effort, report)?;
        let (bus, process) = (self.stage.accessibility_bus()?, self.stage.process());
        self.count_calls(&bus, process, report)?;
        self.weigh(report)?;
        // The largest tree costs the most to keep.
        if self.count > MANY {
            self.rest(effort.rest / 2, report)?;
        }
        Ok(())
    }

    /// Looks, and walks beside it.
    fn time(&mut self, effort: Effort, report: &mut Report) -> anyhow::Result<()> {
        let rounds = if self.count > MANY {
            1
        } else {
            effort.rounds.min(3)
        };
        let walks = if self.count > MANY {
            0
        } else if self.count > FEW {
            1
        } else {
            3
        };
        let mut times: Vec<Series> = WHAT
            .iter()
            .map(|what| Series::new(name(what, &self.toolkit, self.count)))
            .collect();
        for _ in 0..rounds {
            let round = self.round(walks)?;
            for (series, times) in times.iter_mut().zip(round) {
                series.add_round(&times);
            }
        }
        let measured = times.into_iter().filter(|series| !series.is_empty());
        measured.for_each(|series| report.series(series));
        Ok(())
    }

    /// The times of one round, in the order of [`WHAT`].
    fn round(&mut self, walks: usize) -> anyhow::Result<[Vec<Duration>; WHAT.len()]> {
        self.stage.restart_daemon();
        self.session = self.stage.session()?;
        let first = self.observe(&json!({}))?.0;
        let (mut changed, mut unchanged, mut settled) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..CHANGES {
            self.rename()?;
            let (time, seen) = self.observe(&json!({"diff": true}))?;
            self.is_told(&seen)?;
            changed.push(time);
            unchanged.push(self.observe(&json!({"diff": true}))?.0);
            let quiet = json!({"diff": true, "settle_ms": QUIET.as_millis()});
            settled.push(self.observe(&quiet)?.0.saturating_sub(QUIET));
        }
        let mut walker = Walker::start(&self.stage, self.stage.process())?;
        let first_walk = walker.walk()?;
        let again: anyhow::Result<_> = (0..walks).map(|_| walker.walk()).collect();
        Ok([vec![first], changed, unchanged, settled, vec![first_walk], again?])
    }

    /// Messages on the accessibility bus for a look, and for a walk.
    fn count_calls(&mut self, bus: &str, process: u32, report: &mut Report) -> anyhow::Result<()> {
        let mut walker = Walker::start(&self.stage, process)?;
        self.stage.restart_daemon();
        self.session = self.stage.session()?;
        let calls = Calls::watch(bus)?;
        let mut tell = |window: &Self, what: &str| {
            let name = name(&format!("D-Bus calls, {what}"), &window.toolkit, window.count);
            calls.take().map(|calls| report.number(name, "", calls as f64))
        };
        self.observe(&json!({}))?;
        tell(self, "first observe")?;
        // What finding the button asks, and what the daemon asks when the event of the change comes, are not left out.
        self.rename()?;
        self.observe(&json!({"diff": true}))?;
        tell(self, "one change and observe")?;
        self.observe(&json!({"diff": true}))?;
        tell(self, "observe after none")?;
        if self.count <= MANY {
            // Of GTK 3 libatspi asks on a connection of their own, which the bus sees nothing of.
            walker.walk()?;
            tell(self, "pyatspi, first walk")?;
            walker.walk()?;
            tell(self, "pyatspi, walk again")?;
        }
        Ok(())
    }

    /// How many bytes a look sends.
    fn weigh(&mut self, report: &mut Report) -> anyhow::Result<()> {
        let mut tell = |what: &str, bytes: usize| {
            report.number(
                name(what, &self.toolkit, self.count),
                "KiB",
                bytes as f64 / 1024.0,
            );
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
        report.number(name("controls in the text", &self.toolkit, self.count), "", nodes);
        self.rename()?;
        let (_, seen) = self.observe(&json!({"diff": true}))?;
        let bytes = text(&seen) as f64 / 1024.0;
        report.number(
            name("text of the change", &self.toolkit, self.count),
            "KiB",
            bytes,
        );
        Ok(())
    }

    /// What a kept tree costs while nothing happens.
    fn rest(&mut self, rest: Duration, report: &mut Report) -> anyhow::Result<()> {
        let daemon = self.stage.daemon();
        let before = process::processor_seconds(daemon)?;
        std::thread::sleep(rest);
        let used = process::processor_seconds(daemon)? - before;
        report.number(
            name("processor at rest", &self.toolkit, self.count),
            "% of a core",
            used / rest.as_secs_f64() * 100.0,
        );
        let memory = process::memory_mib(daemon)?;
        report.number(name("daemon memory", &self.toolkit, self.count), "MiB", memory);
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
            if text.contains("\"rename\"") && count >= self.count as u64 * 9 / 10 && count == before {
                return Ok(());
            }
            before = count;
            ensure!(
                Instant::now() < deadline,
                "the window is not whole, {count} controls: {text:.500}"
            );
        }
    }

    /// Has the program rename its label, and waits until the screen shows it.
    fn rename(&mut self) -> anyhow::Result<()> {
        let (_, seen) = self.observe(&json!({}))?;
        let elements = seen["elements"].as_array().context("no elements")?;
        let named = |name: &str| {
            let mut elements = elements.iter();
            elements
                .find(|element| element["name"] == name)
                .with_context(|| format!("nothing is named {name}"))
        };
        let label = named(&format!("name {}", self.renamed))?;
        let bounds = Bounds::of(label).with_context(|| format!("no box: {label}"))?;
        let target = json!({"kind": "element_ref", "ref": named("rename")?["ref"]});
        let before = self.screen.part(bounds)?;
        self.session.act(&json!({"verb": "click", "target": target}))?;
        self.renamed += 1;
        let deadline = Instant::now() + RENAMING;
        while self.screen.part(bounds)? == before {
            ensure!(
                Instant::now() < deadline,
                "nothing was renamed on the screen: {label}"
            );
            std::thread::sleep(Duration::from_millis(10));
        }
        // The button is drawn as it was, too.
        std::thread::sleep(Duration::from_millis(150));
        Ok(())
    }

    /// That the observation tells of the present name.
    fn is_told(&self, seen: &Value) -> anyhow::Result<()> {
        let text = seen["tree_text"].as_str().unwrap_or_default();
        let name = format!("\"name {}\"", self.renamed);
        ensure!(text.contains(&name), "{name} is not told: {text}");
        Ok(())
    }
}
