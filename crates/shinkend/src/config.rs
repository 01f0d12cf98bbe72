//! Command line and limits.

use std::path::PathBuf;
use std::time::Duration;

use aci::extension::Grant;
use anyhow::{Context as _, bail};

use crate::token::Token;

/// Serves the desktop of an X display through ACI v0.
#[derive(Debug, clap::Parser)]
#[command(name = "shinkend", version, about, disable_help_subcommand = true)]
pub(crate) struct Arguments {
    /// Where to listen: HOST:PORT (port 0 picks a free one) or unix:PATH. May be given several times.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7350", value_parser = place)]
    listen: Vec<Listen>,
    /// The X display to serve; $DISPLAY if none is given.
    #[arg(long, value_name = ":N")]
    display: Option<String>,
    /// A file that holds the token clients must send. The token may come in SHINKEND_TOKEN instead, never as an argument.
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Writes the bound addresses to this file, one a line, once clients can connect.
    #[arg(long, value_name = "FILE")]
    addr_file: Option<PathBuf>,
    /// Offers no accessibility tree: no `observe`, `invoke_action`, `set_value`, and no elements as targets.
    #[arg(long)]
    no_structured_observation: bool,
    /// Lets WebSocket upgrades from this Origin through; all others that carry one are refused. May be given several times.
    #[arg(long, value_name = "ORIGIN")]
    allow_origin: Vec<String>,
    /// Offers what is off unless granted: `run`, Python code in an interpreter that keeps its state. May be given several times.
    #[arg(long, value_name = "WHAT", value_parser = grant)]
    grant: Vec<Grant>,
    /// The Python interpreter of `run`: a name on PATH or a path. Python 3.9 or later.
    #[arg(long, default_value = "python3", value_name = "PROGRAM")]
    python: PathBuf,
    #[command(flatten)]
    files: FilesArguments,
    #[command(flatten)]
    limits: LimitArguments,
    /// Internal: watches over the programs of a daemon and ends them when it dies.
    #[arg(long, hide = true, value_name = "MARK")]
    pub(crate) guard: Option<String>,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Files")]
struct FilesArguments {
    /// Offers no files channel: nothing is uploaded or downloaded.
    #[arg(long)]
    no_files: bool,
    /// Lets clients transfer files beneath this folder only. May be given several times; without it they may use whatever the
    /// daemon's user may.
    #[arg(long, value_name = "DIR")]
    files_scope: Vec<PathBuf>,
    /// The largest file that a client may put; 0 sets no limit.
    #[arg(long, default_value_t = 0, value_name = "BYTES")]
    max_file_bytes: u64,
    /// What clients may put in all as long as the daemon lives, artifacts not counted; 0 sets no limit.
    #[arg(long, default_value_t = 0, value_name = "BYTES")]
    files_quota_bytes: u64,
    /// Where artifacts are kept; if none is given, a private folder that goes with the daemon.
    #[arg(long, value_name = "DIR")]
    artifacts_dir: Option<PathBuf>,
    /// What the artifacts may have together.
    #[arg(long, default_value_t = 4 << 30, value_name = "BYTES")]
    artifacts_quota_bytes: u64,
    /// Files channels at a time. One that has said no hello yet gives its place to a newcomer.
    #[arg(long, default_value_t = 16, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_files_channels: u32,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Limits")]
struct LimitArguments {
    /// Welcomed clients at a time. One that has said no hello yet gives its place to a newcomer.
    #[arg(long, default_value_t = 64, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_connections: u32,
    /// Screencasts at a time.
    #[arg(long, default_value_t = 8, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_screencasts: u32,
    /// Programs run by exec at a time.
    #[arg(long, default_value_t = 16, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_execs: u32,
    /// Time for a request's head, for the wait for the next one, and from the upgrade to a valid hello.
    #[arg(long, default_value_t = 10_000, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    handshake_timeout_ms: u64,
    /// Time without a message from a client until it is disconnected. One that has a program or a screencast is asked for a
    /// sign of life instead, and has the same time again to give one.
    #[arg(long, default_value_t = 900_000, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    idle_timeout_ms: u64,
    /// The longest life of a connection.
    #[arg(long, default_value_t = 14_400_000, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    max_lifetime_ms: u64,
    /// The largest message that a client may send.
    #[arg(long, default_value_t = 16 << 20, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1024..=1 << 30))]
    max_message_bytes: u64,
    /// The largest clipboard text, in bytes of UTF-8.
    #[arg(long, default_value_t = 1 << 20, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..=1 << 28))]
    max_clipboard_bytes: u64,
    /// The longest text of one type_text, in characters.
    #[arg(long, default_value_t = 10_000, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    max_type_chars: u64,
    /// Cells of run that may wait or run at a time.
    #[arg(long, default_value_t = 64, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max_runs: u32,
    /// The time that exec gives a program, and run a cell, where the call names none.
    #[arg(long, default_value_t = 60_000, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    exec_timeout_ms: u64,
    /// The longest time that a call may give a program or a cell.
    #[arg(long, default_value_t = 3_600_000, value_name = "MS", value_parser = clap::value_parser!(u64).range(1..))]
    max_exec_timeout_ms: u64,
    /// What a buffered exec keeps of each channel, and run of a cell's output.
    #[arg(long, default_value_t = 256 << 10, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..=1 << 30))]
    exec_buffer_bytes: u64,
    /// The largest piece of a streamed exec's output.
    #[arg(long, default_value_t = 64 << 10, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..=1 << 24))]
    exec_chunk_bytes: u64,
    /// What a streamed exec sends in all.
    #[arg(long, default_value_t = 8 << 20, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    exec_stream_bytes: u64,
    /// What run keeps of the pictures and other things that a cell shows.
    #[arg(long, default_value_t = 16 << 20, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..=1 << 28))]
    run_outputs_bytes: u64,
    /// The most lines of an observation's difference; one with more is told as the whole tree.
    #[arg(long, env = "SHINKEND_DIFF_BUDGET", default_value_t = 200, value_name = "N", value_parser = clap::value_parser!(u32))]
    max_diff_lines: u32,
}

/// A place to listen at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Listen {
    /// A TCP address, `HOST:PORT`.
    Tcp(String),
    /// A socket file.
    Unix(PathBuf),
}

/// Bounds on what clients may use.
#[derive(Debug, Clone)]
pub(crate) struct Limits {
    pub(crate) connections: usize,
    pub(crate) screencasts: usize,
    pub(crate) execs: usize,
    pub(crate) handshake: Duration,
    pub(crate) idle: Duration,
    pub(crate) lifetime: Duration,
    pub(crate) message_bytes: usize,
    pub(crate) clipboard_bytes: usize,
    pub(crate) type_chars: usize,
    pub(crate) exec_timeout: Duration,
    pub(crate) exec_timeout_max: Duration,
    pub(crate) exec_buffer_bytes: usize,
    pub(crate) exec_chunk_bytes: usize,
    pub(crate) exec_stream_bytes: usize,
    pub(crate) runs: usize,
    pub(crate) run_outputs_bytes: usize,
    pub(crate) diff_lines: usize,
}

/// What clients may do with files.
#[derive(Debug)]
pub(crate) struct FilesConfig {
    pub(crate) scopes: Vec<PathBuf>,
    pub(crate) file_bytes: Option<u64>,
    pub(crate) quota_bytes: Option<u64>,
    pub(crate) artifacts_dir: Option<PathBuf>,
    pub(crate) artifacts_quota_bytes: u64,
    pub(crate) channels: usize,
}

impl FilesArguments {
    fn config(self) -> Option<FilesConfig> {
        let limit = |bytes: u64| (bytes > 0).then_some(bytes);
        (!self.no_files).then(|| FilesConfig {
            scopes: self.files_scope,
            file_bytes: limit(self.max_file_bytes),
            quota_bytes: limit(self.files_quota_bytes),
            artifacts_dir: self.artifacts_dir,
            artifacts_quota_bytes: self.artifacts_quota_bytes,
            channels: usize::try_from(self.max_files_channels).unwrap_or(usize::MAX),
        })
    }
}

/// Everything that the daemon was told.
#[derive(Debug)]
pub(crate) struct Config {
    pub(crate) listen: Vec<Listen>,
    pub(crate) display: String,
    pub(crate) token: Option<Token>,
    pub(crate) addr_file: Option<PathBuf>,
    pub(crate) allowed_origins: Vec<String>,
    pub(crate) structured_observation: bool,
    pub(crate) grants: Vec<Grant>,
    pub(crate) python: PathBuf,
    /// Where files are offered.
    pub(crate) files: Option<FilesConfig>,
    pub(crate) limits: Limits,
}

impl Config {
    /// Checks what was said on the command line.
    pub(crate) fn new(arguments: Arguments, token: Option<Token>) -> anyhow::Result<Self> {
        let display = match arguments.display {
            Some(display) => display,
            None => std::env::var("DISPLAY")
                .context("name the X display with --display :N; $DISPLAY is not set")?,
        };
        let listen = arguments.listen;
        if token.is_none() && listen.iter().any(|listen| matches!(listen, Listen::Tcp(_))) {
            bail!(
                "a TCP listener needs a token: give --token-file FILE or SHINKEND_TOKEN, or listen at unix:PATH"
            );
        }
        let LimitArguments {
            max_connections,
            max_screencasts,
            max_execs,
            handshake_timeout_ms,
            idle_timeout_ms,
            max_lifetime_ms,
            max_message_bytes,
            max_clipboard_bytes,
            max_type_chars,
            exec_timeout_ms,
            max_exec_timeout_ms,
            exec_buffer_bytes,
            exec_chunk_bytes,
            exec_stream_bytes,
            max_runs,
            run_outputs_bytes,
            max_diff_lines,
        } = arguments.limits;
        let size = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX);
        let limits = Limits {
            connections: size(max_connections.into()),
            screencasts: size(max_screencasts.into()),
            execs: size(max_execs.into()),
            handshake: Duration::from_millis(handshake_timeout_ms),
            idle: Duration::from_millis(idle_timeout_ms),
            lifetime: Duration::from_millis(max_lifetime_ms),
            message_bytes: size(max_message_bytes),
            clipboard_bytes: size(max_clipboard_bytes),
            type_chars: size(max_type_chars),
            exec_timeout: Duration::from_millis(exec_timeout_ms.min(max_exec_timeout_ms)),
            exec_timeout_max: Duration::from_millis(max_exec_timeout_ms),
            exec_buffer_bytes: size(exec_buffer_bytes),
            exec_chunk_bytes: size(exec_chunk_bytes),
            exec_stream_bytes: size(exec_stream_bytes),
            runs: size(max_runs.into()),
            run_outputs_bytes: size(run_outputs_bytes),
            diff_lines: size(max_diff_lines.into()),
        };
        Ok(Self {
            listen,
            display,
            token,
            addr_file: arguments.addr_file,
            allowed_origins: arguments.allow_origin,
            structured_observation: !arguments.no_structured_observation,
            grants: arguments.grant,
            python: arguments.python,
            files: arguments.files.config(),
            limits,
        })
    }
}

fn place(text: &str) -> Result<Listen, String> {
    if let Some(path) = text.strip_prefix("unix:").filter(|path| !path.is_empty()) {
        return Ok(Listen::Unix(path.into()));
    }
    match text.rsplit_once(':') {
        Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok() => {
            Ok(Listen::Tcp(text.to_owned()))
        }
        _ => Err("give HOST:PORT, such as 127.0.0.1:7350, or unix:PATH".to_owned()),
    }
}

fn grant(text: &str) -> Result<Grant, String> {
    let words = Grant::ALL.iter().map(|grant| grant.as_str());
    Grant::from_word(text)
        .ok_or_else(|| format!("what can be granted: {}", words.collect::<Vec<_>>().join(", ")))
}
