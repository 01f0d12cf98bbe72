//! The plain walk: what programs do that read the accessibility tree anew for each look.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{ChildStdin, ChildStdout, Stdio};
use std::time::Duration;

use anyhow::{Context as _, ensure};
use testbed::App;

use super::stage::Stage;

const WALK: &str = include_str!("../../programs/walk.py");

/// A process that walks when it is told to.
pub(super) struct Walker {
    _program: App,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Walker {
    /// Starts it; it has not looked at anything yet.
    pub(super) fn start(stage: &Stage, process: u32) -> anyhow::Result<Self> {
        let script = stage.folder().join("walk.py");
        std::fs::write(&script, WALK)?;
        let mut command = stage.command("/usr/bin/python3");
        command.arg(script).arg(process.to_string());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut program = App::spawn(&mut command);
        let orders = program.child().stdin.take().context("no way in")?;
        let answers = program.child().stdout.take().context("no way out")?;
        Ok(Self {
            _program: program,
            orders,
            answers: BufReader::new(answers),
        })
    }

    /// Walks once; how long that took there.
    pub(super) fn walk(&mut self) -> anyhow::Result<Duration> {
        self.orders.write_all(b"\n")?;
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        let mut words = line.split_whitespace();
        let seconds: f64 = words
            .next()
            .context("the walk ended; is python3-pyatspi installed?")?
            .parse()?;
        let count: usize = words.next().context("no count")?.parse()?;
        ensure!(count > 10, "the walk saw {count} controls");
        Ok(Duration::from_secs_f64(seconds))
    }
}
