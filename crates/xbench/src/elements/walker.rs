//! The plain walk: what programs do that read the accessibility tree anew for each look.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;
use std::{fs, thread};

use anyhow::{Context as _, ensure};
use testbed::App;

use super::stage::Stage;

const WALK: &str = include_str!("../../programs/walk.py");
/// How long a walk may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// A process that walks when it is told to.
pub(super) struct Walker {
    _program: App,
    orders: ChildStdin,
    answers: Receiver<String>,
}

impl Walker {
    /// Starts it; it has not looked at anything yet.
    pub(super) fn start(stage: &Stage, process: u32) -> anyhow::Result<Self> {
        let script = stage.folder().join("walk.py");
        fs::write(&script, WALK)?;
        let mut command = stage.command("/usr/bin/python3");
        command.arg(script).arg(process.to_string());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut program = App::spawn(&mut command);
        let orders = program.child().stdin.take().context("no way in")?;
        let answers = program.child().stdout.take().context("no way out")?;
        let walker = Self {
            _program: program,
            orders,
            answers: lines(answers)?,
        };
        walker.line().context("pyatspi does not start")?;
        Ok(walker)
    }

    /// Walks once; how long that took there.
    pub(super) fn walk(&mut self) -> anyhow::Result<Duration> {
        self.orders.write_all(b"\n")?;
        let line = self.line().context("the walk does not end")?;
        let mut words = line.split_whitespace();
        let seconds: f64 = words.next().context("no time")?.parse()?;
        let count: usize = words.next().context("no count")?.parse()?;
        ensure!(count > 10, "the walk saw {count} controls");
        Ok(Duration::from_secs_f64(seconds))
    }

    fn line(&self) -> anyhow::Result<String> {
        let line = self.answers.recv_timeout(PATIENCE);
        line.context("the walk printed nothing; is python3-pyatspi installed?")
    }
}

/// The lines that a program prints. They end when it does.
fn lines(output: ChildStdout) -> anyhow::Result<Receiver<String>> {
    let (sender, lines) = sync_channel(16);
    thread::Builder::new().name("walk".to_owned()).spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    })?;
    Ok(lines)
}
