//! Counting the calls on the accessibility bus, as a monitor of the bus sees them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use futures_util::StreamExt as _;
use tokio::runtime::{Builder, Runtime};
use zbus::message::Type;
use zbus::{Connection, MessageStream};

/// The bus's own name; what is asked of the bus itself reads no control.
const BUS: &str = "org.freedesktop.DBus";
/// How long connecting may take.
const PATIENCE: Duration = Duration::from_secs(10);
/// Calls have come to an end after this long without one.
const QUIET: Duration = Duration::from_millis(250);
/// How long calls may take to come to an end.
const ENDLESS: Duration = Duration::from_secs(30);

/// A monitor of the bus. It counts for as long as it lives.
pub(super) struct Calls {
    count: Arc<AtomicUsize>,
    _runtime: Runtime,
}

impl Calls {
    /// Watches from now on.
    pub(super) fn watch(bus: &str) -> anyhow::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        let messages = runtime
            .block_on(async { tokio::time::timeout(PATIENCE, monitor(bus)).await })
            .context("the accessibility bus does not answer")??;
        let count = Arc::new(AtomicUsize::new(0));
        runtime.spawn(count_calls(messages, Arc::clone(&count)));
        Ok(Self {
            count,
            _runtime: runtime,
        })
    }

    /// How many calls there have been since the last time, once no more come.
    pub(super) fn take(&self) -> anyhow::Result<usize> {
        let deadline = Instant::now() + ENDLESS;
        let mut before = self.count.load(Ordering::Relaxed);
        loop {
            std::thread::sleep(QUIET);
            let now = self.count.load(Ordering::Relaxed);
            if now == before {
                return Ok(self.count.swap(0, Ordering::Relaxed));
            }
            before = now;
            ensure!(Instant::now() < deadline, "calls come without an end");
        }
    }
}

/// A connection that is shown every call, and all its messages.
async fn monitor(bus: &str) -> anyhow::Result<MessageStream> {
    let connection = zbus::connection::Builder::address(bus)?.build().await?;
    let messages = MessageStream::from(&connection);
    become_monitor(&connection).await?;
    Ok(messages)
}

async fn become_monitor(connection: &Connection) -> anyhow::Result<()> {
    let rules = ["type='method_call'"].as_slice();
    connection
        .call_method(
            Some(BUS),
            "/org/freedesktop/DBus",
            Some("org.freedesktop.DBus.Monitoring"),
            "BecomeMonitor",
            &(rules, 0_u32),
        )
        .await
        .context("the accessibility bus lets nobody monitor it")?;
    Ok(())
}

async fn count_calls(mut messages: MessageStream, count: Arc<AtomicUsize>) {
    while let Some(Ok(message)) = messages.next().await {
        let header = message.header();
        let to_the_bus = header.destination().is_some_and(|name| name.as_str() == BUS);
        if header.message_type() == Type::MethodCall && !to_the_bus {
            count.fetch_add(1, Ordering::Relaxed);
        }
    }
}
