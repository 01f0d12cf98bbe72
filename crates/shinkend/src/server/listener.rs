//! TCP and Unix listeners.

use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};

use crate::config::Listen;
use crate::server::{Daemon, http};

/// A bound listener.
#[derive(Debug)]
pub(crate) struct Listener {
    address: String,
    socket: Place,
}

#[derive(Debug)]
enum Place {
    Tcp(TcpListener),
    Unix(UnixListener),
}

/// What a client has connected.
pub(crate) trait Socket: AsyncRead + AsyncWrite + Unpin + Send + Sized + 'static {
    /// The same socket, served by the runtime in which this is called.
    fn move_here(self) -> std::io::Result<Self>;
}

impl Socket for TcpStream {
    fn move_here(self) -> std::io::Result<Self> {
        Self::from_std(self.into_std()?)
    }
}

impl Socket for UnixStream {
    fn move_here(self) -> std::io::Result<Self> {
        Self::from_std(self.into_std()?)
    }
}

/// Whether clients of a listener must show the token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// Always.
    Token,
    /// The file's permissions decide; a token is asked for where the daemon has one.
    File,
}

impl Listener {
    pub(crate) async fn bind(listen: &Listen) -> anyhow::Result<Self> {
        match listen {
            Listen::Tcp(address) => {
                let socket = TcpListener::bind(address)
                    .await
                    .with_context(|| format!("cannot listen at {address}"))?;
                Ok(Self {
                    address: socket.local_addr()?.to_string(),
                    socket: Place::Tcp(socket),
                })
            }
            Listen::Unix(path) => {
                remove_stale(path).await?;
                let socket = UnixListener::bind(path)
                    .with_context(|| format!("cannot listen at {}", path.display()))?;
                std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600))?;
                Ok(Self {
                    address: format!("unix:{}", path.display()),
                    socket: Place::Unix(socket),
                })
            }
        }
    }

    /// The address with the port that was really bound.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Takes connections until the daemon ends.
    pub(crate) async fn accept(self, daemon: Arc<Daemon>) {
        loop {
            let accepted = tokio::select! {
                () = daemon.shutdown.cancelled() => return,
                accepted = self.next(&daemon) => accepted,
            };
            if let Err(error) = accepted {
                // Out of descriptors, most likely: wait instead of spinning.
                tracing::warn!("cannot accept a connection: {error}");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
            // What those that were taken have sent already is read before the next is taken; otherwise many that come at
            // once would evict a client whose request is there.
            tokio::task::yield_now().await;
        }
    }

    async fn next(&self, daemon: &Arc<Daemon>) -> std::io::Result<()> {
        match &self.socket {
            Place::Tcp(socket) => {
                let (stream, _) = socket.accept().await?;
                // Answers are small and must not wait for more.
                stream.set_nodelay(true)?;
                start(daemon, stream, Access::Token);
            }
            Place::Unix(socket) => {
                let (stream, _) = socket.accept().await?;
                start(daemon, stream, Access::File);
            }
        }
        Ok(())
    }
}

fn start<S: Socket>(daemon: &Arc<Daemon>, stream: S, access: Access) {
    // There is always one, as none of these is settled.
    let Ok(place) = daemon.sockets.enter() else {
        return;
    };
    daemon
        .tasks
        .spawn(http::serve(Arc::clone(daemon), stream, access, place));
}

/// Removes a socket file whose daemon is gone; a live one, and any other file, is left alone.
async fn remove_stale(path: &Path) -> anyhow::Result<()> {
    let Ok(metadata) = std::fs::symlink_metadata(path) else {
        return Ok(());
    };
    if !metadata.file_type().is_socket() {
        bail!(
            "{} exists and is not a socket; choose another path",
            path.display()
        );
    }
    if UnixStream::connect(path).await.is_ok() {
        bail!(
            "another daemon listens at {}; choose another path",
            path.display()
        );
    }
    std::fs::remove_file(path).with_context(|| format!("cannot remove the old socket {}", path.display()))
}
