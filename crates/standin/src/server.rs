//! The listener and what all sessions share.

use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use desktop::backend::Size;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpSocket, UnixSocket, UnixStream, lookup_host};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::Semaphore;

use crate::config::{Arguments, Listen};
use crate::connection;
use crate::newcomers::Newcomers;
use crate::picture::Painter;
use crate::token::Token;

/// How many connections may wait to be accepted, as far as the system allows. A fleet connects at once, and who finds no room
/// waits for a second until TCP tries again.
const BACKLOG: u32 = 4096;

/// What all sessions share.
#[derive(Debug)]
pub(crate) struct Standin {
    pub(crate) size: Size,
    pub(crate) token: Option<Token>,
    pub(crate) painter: Painter,
    /// Welcomed clients.
    pub(crate) places: Semaphore,
    pub(crate) newcomers: Newcomers,
    pub(crate) handshake: Duration,
    pub(crate) idle: Duration,
}

/// Serves until a signal says to end.
pub(crate) async fn serve(arguments: Arguments) -> anyhow::Result<()> {
    let token = Token::load(arguments.token_file.as_deref())?;
    if token.is_none() && matches!(arguments.listen, Listen::Tcp(_)) {
        bail!(
            "a TCP listener needs a token: give --token-file FILE or SHINKEND_TOKEN, or listen at unix:PATH"
        );
    }
    allow_many_files()?;
    let shared = Arc::new(Standin {
        size: arguments.size,
        token,
        painter: Painter::new(),
        places: Semaphore::new(usize::try_from(arguments.max_connections)?),
        newcomers: Newcomers::default(),
        handshake: Duration::from_millis(arguments.handshake_timeout_ms),
        idle: Duration::from_millis(arguments.idle_timeout_ms),
    });
    let (mut terminate, mut interrupt) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
    let serving = async {
        match arguments.listen {
            Listen::Tcp(address) => {
                let listener = bind(&address)
                    .await
                    .with_context(|| format!("cannot listen at {address}"))?;
                tell(
                    &listener.local_addr()?.to_string(),
                    arguments.addr_file.as_deref(),
                )?;
                accept(&shared, async || {
                    let (stream, _) = listener.accept().await?;
                    // Answers are small and must not wait for more.
                    stream.set_nodelay(true)?;
                    Ok(stream)
                })
                .await
            }
            Listen::Unix(path) => {
                remove_stale(&path).await?;
                let socket = UnixSocket::new_stream()?;
                let bound = socket.bind(&path).and_then(|()| socket.listen(BACKLOG));
                let listener = bound.with_context(|| format!("cannot listen at {}", path.display()))?;
                std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600))?;
                tell(
                    &format!("unix:{}", path.display()),
                    arguments.addr_file.as_deref(),
                )?;
                accept(&shared, async || Ok(listener.accept().await?.0)).await
            }
        }
    };
    tokio::select! {
        ended = serving => ended,
        _ = terminate.recv() => Ok(()),
        _ = interrupt.recv() => Ok(()),
    }
}

/// Binds the first of a name's addresses that can be.
async fn bind(address: &str) -> std::io::Result<TcpListener> {
    let mut failed = None;
    for place in lookup_host(address).await? {
        let socket = if place.is_ipv4() {
            TcpSocket::new_v4()?
        } else {
            TcpSocket::new_v6()?
        };
        socket.set_reuseaddr(true)?;
        match socket.bind(place) {
            Ok(()) => return socket.listen(BACKLOG),
            Err(error) => failed = Some(error),
        }
    }
    Err(failed.unwrap_or_else(|| std::io::ErrorKind::NotFound.into()))
}

/// Says where clients can connect.
fn tell(address: &str, file: Option<&Path>) -> anyhow::Result<()> {
    tracing::info!("listening at {address}");
    let Some(file) = file else { return Ok(()) };
    // Moved there whole, so that nobody reads a half.
    let mut part = file.as_os_str().to_owned();
    part.push(".part");
    std::fs::write(&part, format!("{address}\n"))
        .and_then(|()| std::fs::rename(&part, file))
        .with_context(|| format!("cannot write the address to {}", file.display()))
}

async fn accept<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(
    shared: &Arc<Standin>,
    next: impl AsyncFn() -> std::io::Result<S>,
) -> anyhow::Result<()> {
    for number in 0_u64.. {
        match next().await {
            Ok(stream) => {
                let task = tokio::spawn(connection::run(Arc::clone(shared), stream, number));
                shared.newcomers.enter(number, task.abort_handle());
            }
            Err(error) => {
                // Out of descriptors, most likely: wait instead of spinning.
                tracing::warn!("cannot accept a connection: {error}");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
    Ok(())
}

/// Removes a socket file whose process is gone; a live one, and any other file, is left alone.
async fn remove_stale(path: &Path) -> anyhow::Result<()> {
    let Ok(metadata) = std::fs::symlink_metadata(path) else {
        return Ok(());
    };
    if !metadata.file_type().is_socket() || UnixStream::connect(path).await.is_ok() {
        bail!("{} is in use; choose another path", path.display());
    }
    std::fs::remove_file(path).with_context(|| format!("cannot remove the old socket {}", path.display()))
}

/// Lets this process open as many files as it may: a session is one.
fn allow_many_files() -> anyhow::Result<()> {
    let limit = getrlimit(Resource::Nofile);
    let most = Rlimit {
        current: limit.maximum,
        ..limit
    };
    setrlimit(Resource::Nofile, most).context("cannot raise the limit of open files")
}
