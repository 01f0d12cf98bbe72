//! Listeners, HTTP, and the way up to a WebSocket.

mod http;
mod listener;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use aci::extension::{Extensions, Grant};
use anyhow::Context as _;
use desktop::DesktopError;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::config::{Config, Limits, Listen};
use crate::desk::Desk;
use crate::elements::Elements;
use crate::files::Files;
use crate::guard::Guard;
use crate::places::Places;
use crate::run::Runner;
use crate::screencast::Streams;
use crate::token::Token;
pub(crate) use listener::Access;
use listener::Listener;

/// How many pipes of background processes are read on at a time.
const DRAINS: usize = 128;
/// How many sockets that are not WebSockets yet are held for each client that may be connected,
const SOCKETS_PER_CLIENT: usize = 2;
/// and how many beside, where only few clients may be.
const MORE_SOCKETS: usize = 16;

/// What all connections share.
#[derive(Debug)]
pub(crate) struct Daemon {
    pub(crate) desk: Desk,
    /// The accessibility tree, where it is offered.
    pub(crate) elements: Option<Elements>,
    /// The files channel, where it is offered.
    pub(crate) files: Option<Arc<Files>>,
    /// What is offered beyond the contract.
    pub(crate) extensions: Extensions,
    pub(crate) limits: Limits,
    pub(crate) token: Option<Token>,
    pub(crate) allowed_origins: Vec<String>,
    pub(crate) display: String,
    pub(crate) guard: Guard,
    /// Of sockets that are not WebSockets yet. None is ever settled: one that becomes a WebSocket leaves.
    pub(crate) sockets: Places,
    /// Of WebSockets; the welcomed ones are settled.
    pub(crate) clients: Places,
    pub(crate) screencasts: Arc<Semaphore>,
    pub(crate) execs: Arc<Semaphore>,
    /// Pipes that are read on for what programs have left in the background.
    pub(crate) drains: Semaphore,
    /// The program that `run` is done by.
    pub(crate) python: PathBuf,
    /// Who does it, where it was granted.
    pub(crate) runner: Option<Runner>,
    pub(crate) streams: Streams,
    pub(crate) next_session: AtomicU64,
    pub(crate) next_exec: AtomicU64,
    /// Cancelled when the daemon is told to end.
    pub(crate) shutdown: CancellationToken,
    /// Every task that belongs to a connection.
    pub(crate) tasks: TaskTracker,
}

/// Serves until a signal says to end.
pub(crate) async fn serve(config: Config) -> anyhow::Result<()> {
    let guard = Guard::start()?;
    let display = config.display.clone();
    let clipboard_bytes = config.limits.clipboard_bytes;
    let desk = tokio::task::spawn_blocking(move || Desk::open(&display, clipboard_bytes))
        .await?
        .map_err(|error| match error {
            // It need not have been there before.
            DesktopError::Gone(why) => anyhow::Error::msg(why),
            other => other.into(),
        })
        .with_context(|| format!("cannot use the display {}", config.display))?;
    let elements = match config.structured_observation {
        true => Some(Elements::start()?),
        false => None,
    };
    let (runner, cells) = match config.grants.contains(&Grant::Run) {
        true => Some(Runner::new(config.limits.runs)).unzip(),
        false => (None, None),
    };
    let files = config.files.map(Files::new).transpose()?.map(Arc::new);
    let daemon = Arc::new(Daemon {
        extensions: Extensions::offered(elements.is_some(), files.is_some(), &config.grants),
        elements,
        files,
        desk,
        sockets: Places::new(
            (config.limits.connections.saturating_mul(SOCKETS_PER_CLIENT)).saturating_add(MORE_SOCKETS),
        ),
        clients: Places::new(config.limits.connections),
        screencasts: Arc::new(Semaphore::new(config.limits.screencasts)),
        execs: Arc::new(Semaphore::new(config.limits.execs)),
        drains: Semaphore::new(DRAINS),
        limits: config.limits,
        token: config.token,
        allowed_origins: config.allowed_origins,
        display: config.display,
        guard,
        python: config.python,
        runner,
        streams: Streams::default(),
        next_session: AtomicU64::new(1),
        next_exec: AtomicU64::new(1),
        shutdown: CancellationToken::new(),
        tasks: TaskTracker::new(),
    });
    let mut listeners = Vec::new();
    for listen in &config.listen {
        listeners.push(Listener::bind(listen).await?);
    }
    let addresses: Vec<String> = listeners
        .iter()
        .map(|listener| listener.address().to_owned())
        .collect();
    if let Some(path) = &config.addr_file {
        write_whole(path, &(addresses.join("\n") + "\n"))?;
    }
    tracing::info!(
        "serving display {} at {}",
        daemon.display,
        addresses.join(" and ")
    );
    for listener in listeners {
        daemon.tasks.spawn(listener.accept(Arc::clone(&daemon)));
    }
    daemon.tasks.spawn(watch_desktop(Arc::clone(&daemon)));
    if let Some(cells) = cells {
        daemon.tasks.spawn(cells.work(Arc::clone(&daemon)));
    }
    wait_for_end().await?;
    tracing::info!("ending");
    daemon.shutdown.cancel();
    daemon.tasks.close();
    // Sessions say goodbye and release what they hold; one that hangs is not waited for.
    tokio::time::timeout(std::time::Duration::from_secs(3), daemon.tasks.wait())
        .await
        .ok();
    if let Some(files) = &daemon.files {
        files.end();
    }
    if let Some(path) = &config.addr_file {
        // It may have been removed by whoever asked for it.
        std::fs::remove_file(path).ok();
    }
    for listen in &config.listen {
        if let Listen::Unix(path) = listen {
            std::fs::remove_file(path).ok();
        }
    }
    daemon.guard.mark().kill_all(std::time::Duration::from_secs(2));
    Ok(())
}

/// Looks at the desktop now and then, so that `/healthz` is true and events do not pile up while nobody asks.
async fn watch_desktop(daemon: Arc<Daemon>) {
    let mut ticks = tokio::time::interval(std::time::Duration::from_secs(2));
    loop {
        tokio::select! {
            () = daemon.shutdown.cancelled() => return,
            _ = ticks.tick() => {}
        }
        // Reading what has arrived is all that is wanted; a desktop that is gone is noted by the call itself.
        daemon
            .desk
            .may_have_changed(desktop::backend::Region::Screen, None)
            .await
            .ok();
    }
}

/// Writes a file so that nobody ever sees half of it.
fn write_whole(path: &Path, text: &str) -> anyhow::Result<()> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(".partial");
    std::fs::write(&partial, text)
        .and_then(|()| std::fs::rename(&partial, path))
        .with_context(|| format!("cannot write the address file {}", path.display()))
}

async fn wait_for_end() -> anyhow::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}
