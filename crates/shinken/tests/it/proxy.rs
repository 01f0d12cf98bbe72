//! A cable between client and daemon that can be cut, or go dead without a word.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// Forwards TCP connections.
#[derive(Debug)]
pub(crate) struct Proxy {
    address: String,
    link: Arc<Mutex<Link>>,
    task: JoinHandle<()>,
}

/// What the connections of one time share.
#[derive(Debug, Clone, Default)]
struct Link {
    /// Nothing is forwarded any more, and both sockets stay open.
    dead: CancellationToken,
    /// Both sockets are closed.
    cut: CancellationToken,
}

impl Proxy {
    /// A proxy before the daemon at `to`.
    pub(crate) async fn start(to: &str) -> Self {
        Self::start_with(to, None).await
    }

    /// One that forwards a piece of so many bytes at most, and then rests for a while.
    pub(crate) async fn start_slow(to: &str, piece: usize, rest: Duration) -> Self {
        Self::start_with(to, Some((piece, rest))).await
    }

    async fn start_with(to: &str, pace: Option<(usize, Duration)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let link = Arc::new(Mutex::new(Link::default()));
        let (to, current) = (to.to_owned(), Arc::clone(&link));
        let task = tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let link = current.lock().unwrap().clone();
                // A daemon that is away lets go of who knocks.
                let Ok(far) = TcpStream::connect(&to).await else {
                    continue;
                };
                let ((near_in, near_out), (far_in, far_out)) = (near.into_split(), far.into_split());
                tokio::spawn(forward(near_in, far_out, link.clone(), pace));
                tokio::spawn(forward(far_in, near_out, link, pace));
            }
        });
        Self { address, link, task }
    }

    /// Where clients connect to.
    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Closes the connections that there are; later ones work.
    pub(crate) fn cut(&self) {
        std::mem::take(&mut *self.link.lock().unwrap()).cut.cancel();
    }

    /// Forwards nothing more over the connections that there are, and keeps them open; later ones work.
    pub(crate) fn go_dead(&self) {
        std::mem::take(&mut *self.link.lock().unwrap()).dead.cancel();
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn forward(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    link: Link,
    pace: Option<(usize, Duration)>,
) {
    let (piece, rest) = pace.unwrap_or((64 * 1024, Duration::ZERO));
    let copying = async {
        let mut bytes = vec![0; piece];
        loop {
            match from.read(&mut bytes).await {
                Ok(read) if read > 0 => {
                    to.write_all(&bytes[..read]).await?;
                    tokio::time::sleep(rest).await;
                }
                _ => return to.shutdown().await,
            }
        }
    };
    tokio::select! {
        biased;
        () = link.cut.cancelled() => {}
        () = link.dead.cancelled() => std::future::pending().await,
        // An end on one side is handed on to the other.
        _ = copying => {}
    }
}
