//! A cable that counts, can be cut, and can damage a byte.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

/// No byte is to be damaged.
const NONE: usize = usize::MAX;

/// Forwards TCP connections.
#[derive(Debug)]
pub(crate) struct Cable {
    address: String,
    ways: Arc<Ways>,
    task: JoinHandle<()>,
}

#[derive(Debug)]
struct Ways {
    link: Mutex<CancellationToken>,
    cuts: AtomicUsize,
    there: Way,
    back: Way,
    damaged: AtomicBool,
}

/// One direction.
#[derive(Debug)]
struct Way {
    bytes: AtomicUsize,
    /// How many bytes pass until one is damaged.
    damage_in: AtomicUsize,
}

impl Default for Way {
    fn default() -> Self {
        Self {
            bytes: AtomicUsize::new(0),
            damage_in: AtomicUsize::new(NONE),
        }
    }
}

impl Way {
    /// Counts bytes that pass, and damages one of them where it is due.
    fn pass(&self, bytes: &mut [u8]) -> bool {
        self.bytes.fetch_add(bytes.len(), Ordering::Relaxed);
        let due = self.damage_in.load(Ordering::Relaxed);
        if due == NONE {
            return false;
        }
        if let Some(byte) = bytes.get_mut(due) {
            *byte ^= 0x40;
            self.damage_in.store(NONE, Ordering::Relaxed);
            return true;
        }
        self.damage_in.store(due - bytes.len(), Ordering::Relaxed);
        false
    }
}

impl Cable {
    /// A cable to the daemon at `to`.
    pub(crate) async fn start(to: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let ways = Arc::new(Ways {
            link: Mutex::default(),
            cuts: AtomicUsize::new(0),
            there: Way::default(),
            back: Way::default(),
            damaged: AtomicBool::new(false),
        });
        let (to, shared) = (to.to_owned(), Arc::clone(&ways));
        let task = tokio::spawn(async move {
            while let Ok((near, _)) = listener.accept().await {
                let link = shared.link.lock().unwrap().clone();
                let Ok(far) = TcpStream::connect(&to).await else {
                    continue;
                };
                let ((near_in, near_out), (far_in, far_out)) = (near.into_split(), far.into_split());
                tokio::spawn(forward(near_in, far_out, link.clone(), Arc::clone(&shared), true));
                tokio::spawn(forward(far_in, near_out, link, Arc::clone(&shared), false));
            }
        });
        Self { address, ways, task }
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }

    /// Closes the connections that there are; later ones work.
    pub(crate) fn cut(&self) {
        self.ways.cuts.fetch_add(1, Ordering::Relaxed);
        std::mem::take(&mut *self.ways.link.lock().unwrap()).cancel();
    }

    pub(crate) fn cuts(&self) -> usize {
        self.ways.cuts.load(Ordering::Relaxed)
    }

    pub(crate) fn bytes_there(&self) -> usize {
        self.ways.there.bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn bytes_back(&self) -> usize {
        self.ways.back.bytes.load(Ordering::Relaxed)
    }

    /// Damages the byte that passes after so many.
    pub(crate) fn damage_to_daemon(&self, after: usize) {
        self.ways.there.damage_in.store(after, Ordering::Relaxed);
    }

    pub(crate) fn damage_from_daemon(&self, after: usize) {
        self.ways.back.damage_in.store(after, Ordering::Relaxed);
    }

    /// Whether a byte was damaged since this was last asked.
    pub(crate) fn has_damaged(&self) -> bool {
        self.ways.damaged.swap(false, Ordering::Relaxed)
    }
}

impl Drop for Cable {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn forward(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    link: CancellationToken,
    ways: Arc<Ways>,
    is_there: bool,
) {
    let copying = async {
        let mut bytes = vec![0; 64 * 1024];
        loop {
            match from.read(&mut bytes).await {
                Ok(read) if read > 0 => {
                    let way = if is_there { &ways.there } else { &ways.back };
                    if way.pass(&mut bytes[..read]) {
                        ways.damaged.store(true, Ordering::Relaxed);
                    }
                    to.write_all(&bytes[..read]).await?;
                }
                _ => return to.shutdown().await,
            }
        }
    };
    tokio::select! {
        biased;
        () = link.cancelled() => {}
        // An end on one side is handed on to the other.
        _ = copying => {}
    }
}
