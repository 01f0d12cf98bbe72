//! `shinken exec`: runs a program on the desktop and passes on what it writes.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::bail;
use shinken::aci::exec::{Channel, ExecExit};
use shinken::{Exec as Program, ExecEvent};

use crate::input;
use crate::output;
use crate::session::Session;
use crate::wrong_usage::wrong_usage;

/// Runs a program on the desktop. Its output comes as it is written; its exit code is passed on, 124 when its time was over
/// and 128 plus the number of the signal that ended it.
#[derive(Debug, clap::Args)]
pub(crate) struct Exec {
    /// How many seconds it may take; the daemon's own limit if none is given.
    #[arg(long, value_name = "S")]
    timeout: Option<f64>,
    /// The folder that it begins in; the daemon's own, the home folder, if none is given.
    #[arg(long)]
    cwd: Option<String>,
    /// A variable for its environment. May be given several times.
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    env: Vec<(String, String)>,
    /// Pass on standard input. It is read to its end first, and may have 16 MiB.
    #[arg(long)]
    stdin: bool,
    /// The program and its arguments.
    #[arg(last = true, required = true)]
    argv: Vec<String>,
    #[command(flatten)]
    session: Session,
}

impl Exec {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let mut program = Program::argv(self.argv);
        if let Some(seconds) = self.timeout {
            match Duration::try_from_secs_f64(seconds) {
                Ok(timeout) if timeout >= Duration::from_millis(1) => program = program.timeout(timeout),
                _ => return wrong_usage("the timeout must be at least 0.001 seconds"),
            }
        }
        if let Some(cwd) = self.cwd {
            program = program.cwd(cwd);
        }
        for (name, value) in self.env {
            program = program.env(name, value);
        }
        if self.stdin {
            program = program.stdin(input::text()?);
        }
        self.session.run(async |client| {
            let mut stream = client.exec_stream(program).await?;
            while let Some(event) = stream.next().await {
                match event? {
                    ExecEvent::Output {
                        channel: Channel::Stdout,
                        bytes,
                        ..
                    } => output::bytes(&bytes)?,
                    ExecEvent::Output {
                        channel: Channel::Stderr,
                        bytes,
                        ..
                    } => output::error_bytes(&bytes)?,
                    ExecEvent::Exit(exit) => return passed_on(&exit, self.timeout),
                }
            }
            bail!("the program's output ended without its exit")
        })
    }
}

fn passed_on(exit: &ExecExit, timeout: Option<f64>) -> anyhow::Result<ExitCode> {
    if let Some(error) = &exit.error {
        bail!("{error}");
    }
    if exit.truncated {
        output::complain("shinken: the output was longer than the daemon sends; the rest is missing");
    }
    if exit.timed_out {
        let time = match timeout {
            Some(seconds) => format!("its {seconds} s"),
            None => "the daemon's limit; --timeout S gives it more".to_owned(),
        };
        output::complain(&format!("shinken: the program was killed after {time}"));
        return Ok(ExitCode::from(124));
    }
    let code = match (exit.exit_code, exit.signal.flatten()) {
        (Some(code), _) => code.get(),
        (None, Some(signal)) => 128 + signal.get(),
        (None, None) => 1,
    };
    Ok(ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX)))
}

fn variable(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("give NAME=VALUE".to_owned()),
    }
}
