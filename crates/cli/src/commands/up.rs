//! `shinken up`.

use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context as _, bail};
use sandbox::process::{Process, Sandbox};
use sandbox::provider::{Options, Provider as _};
use shinken::aci::extension::Grant;

use crate::output::line;

/// Starts an X server, a window manager, a session bus with the accessibility bus, and the daemon; then stays until Ctrl-C, or
/// returns with --detach.
#[derive(Debug, clap::Args)]
pub(crate) struct Up {
    /// Width and height of the screen in pixels.
    #[arg(long, value_name = "WxH", default_value = "1280x800", value_parser = size)]
    size: (u16, u16),
    /// Its name; a short random one if none is given.
    #[arg(long)]
    name: Option<String>,
    /// Return once the desktop can be used, and leave it running.
    #[arg(long)]
    detach: bool,
    /// Print its state as JSON.
    #[arg(long)]
    json: bool,
    /// Print the token too.
    #[arg(long)]
    show_token: bool,
    /// How long it may take to start, in seconds.
    #[arg(long, value_name = "S", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=600))]
    within: u64,
    /// Offer what is off unless granted: `run`, Python code in an interpreter that keeps its state. May be given several times.
    #[arg(long, value_name = "WHAT", value_parser = grant)]
    grant: Vec<Grant>,
    /// More arguments for the daemon, after `--`; `shinkend --help` lists them.
    #[arg(last = true, value_name = "DAEMON ARGUMENTS")]
    daemon: Vec<String>,
}

impl Up {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let asked = Arc::new(AtomicBool::new(false));
        for signal in [
            signal_hook::consts::SIGINT,
            signal_hook::consts::SIGTERM,
            signal_hook::consts::SIGHUP,
        ] {
            signal_hook::flag::register(signal, Arc::clone(&asked)).context("cannot listen for signals")?;
        }
        let options = Options {
            size: self.size,
            name: self.name.clone(),
            detach: self.detach,
            within: Duration::from_secs(self.within),
            grants: self.grant.clone(),
            daemon_arguments: self.daemon.clone(),
            programs: None,
        };
        let mut sandbox = Process.start(&options)?;
        if let Err(error) = self.tell(&sandbox) {
            // A desktop that nobody was told of would be left to run unseen.
            sandbox.end()?;
            return Err(error);
        }
        if self.detach {
            return Ok(ExitCode::SUCCESS);
        }
        if !self.json {
            line("Ctrl-C ends it.")?;
        }
        while !asked.load(Ordering::Relaxed) {
            if let Some(why) = sandbox.wait(Duration::from_millis(200)) {
                if asked.load(Ordering::Relaxed) || why == "it was asked to end" {
                    return Ok(ExitCode::SUCCESS);
                }
                bail!("the desktop is over: {why}");
            }
        }
        sandbox.end()?;
        Ok(ExitCode::SUCCESS)
    }

    fn tell(&self, sandbox: &Sandbox) -> anyhow::Result<()> {
        let state = sandbox.state();
        let token = if self.show_token {
            Some(sandbox.token()?)
        } else {
            None
        };
        if self.json {
            let mut json = serde_json::to_value(state)?;
            if let Some(token) = token {
                json["token"] = token.into();
            }
            line(&json.to_string())?;
            return Ok(());
        }
        line(&format!(
            "desktop     {} ({}x{})",
            state.id, state.width, state.height
        ))?;
        line(&format!("address     {}", state.address))?;
        line(&format!("token file  {}", state.token_file.display()))?;
        if let Some(token) = token {
            line(&format!("token       {token}"))?;
        }
        line(&format!(
            "X display   DISPLAY={} XAUTHORITY={}",
            state.display,
            state.xauthority.display()
        ))?;
        Ok(())
    }
}

fn grant(text: &str) -> Result<Grant, String> {
    let words: Vec<&str> = Grant::ALL.iter().map(|grant| grant.as_str()).collect();
    Grant::from_word(text).ok_or_else(|| format!("what can be granted: {}", words.join(", ")))
}

fn size(text: &str) -> Result<(u16, u16), String> {
    let parsed = text
        .split_once('x')
        .and_then(|(w, h)| Some((w.parse().ok()?, h.parse().ok()?)));
    match parsed {
        Some((w, h)) if (64..=16384).contains(&w) && (64..=16384).contains(&h) => Ok((w, h)),
        _ => Err("give width and height from 64 to 16384 pixels, such as 1280x800".to_owned()),
    }
}
