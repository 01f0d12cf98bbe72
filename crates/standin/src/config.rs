//! Command line.

use std::path::PathBuf;

use desktop::backend::Size;

/// Speaks ACI v0 without any desktop: every session has a small form of its own, drawn when it is looked at.
#[derive(Debug, clap::Parser)]
#[command(name = "shinken-standin", version, about)]
pub(crate) struct Arguments {
    /// Where to listen: HOST:PORT (port 0 picks a free one) or unix:PATH.
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:7350", value_parser = place)]
    pub(crate) listen: Listen,
    /// A file that holds the token clients must send. The token may come in SHINKEND_TOKEN instead, never as an argument.
    #[arg(long, value_name = "FILE")]
    pub(crate) token_file: Option<PathBuf>,
    /// Writes the bound address to this file, once clients can connect.
    #[arg(long, value_name = "FILE")]
    pub(crate) addr_file: Option<PathBuf>,
    /// The size of every session's screen.
    #[arg(long, value_name = "WxH", default_value = "1280x800", value_parser = size)]
    pub(crate) size: Size,
    /// Sessions at a time.
    #[arg(long, value_name = "N", default_value_t = 8192, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) max_connections: u32,
    /// Time from the connection to a valid hello.
    #[arg(long, value_name = "MS", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) handshake_timeout_ms: u64,
    /// Time without a message from a client until it is disconnected.
    #[arg(long, value_name = "MS", default_value_t = 900_000, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) idle_timeout_ms: u64,
}

/// A place to listen at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Listen {
    /// A TCP address, `HOST:PORT`.
    Tcp(String),
    /// A socket file.
    Unix(PathBuf),
}

fn place(text: &str) -> Result<Listen, String> {
    let port = |text: &str| text.rsplit_once(':')?.1.parse::<u16>().ok();
    match text.strip_prefix("unix:") {
        Some(path) if !path.is_empty() => Ok(Listen::Unix(path.into())),
        None if port(text).is_some() => Ok(Listen::Tcp(text.to_owned())),
        _ => Err("give HOST:PORT, such as 127.0.0.1:7350, or unix:PATH".to_owned()),
    }
}

fn size(text: &str) -> Result<Size, String> {
    let edges = text.split_once('x').and_then(|(w, h)| {
        let size = Size {
            w: w.parse().ok()?,
            h: h.parse().ok()?,
        };
        ((640..=3840).contains(&size.w) && (480..=2160).contains(&size.h)).then_some(size)
    });
    edges.ok_or_else(|| "give WIDTHxHEIGHT, from 640x480 to 3840x2160".to_owned())
}
