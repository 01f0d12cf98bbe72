//! Many sessions of the client crate at a time, all in one thread.

use std::time::{Duration, Instant};

use anyhow::Context as _;
use futures_util::StreamExt as _;
use futures_util::stream::{self, FuturesUnordered};
use shinken::{Client, Options};

use crate::process::memory_mib;
use crate::report::{Report, share};
use crate::rounds::Effort;
use crate::scene::Scene;

/// Connections that are made at a time.
const AT_ONCE: usize = 32;
/// How often every session asks.
const ASKS: usize = 5;

/// Holds each of these numbers of sessions, one number after the other.
pub(crate) fn measure(
    scene: &Scene,
    counts: &[usize],
    effort: Effort,
    report: &mut Report,
) -> anyhow::Result<()> {
    let mut most = 0;
    for &count in counts {
        report.progress(&format!("{count} sessions"));
        hold(scene, count, effort, report).with_context(|| format!("{count} sessions could not be held"))?;
        most = most.max(count);
    }
    report.number("sessions held in one thread", "", most as f64);
    Ok(())
}

fn hold(scene: &Scene, count: usize, effort: Effort, report: &mut Report) -> anyhow::Result<()> {
    // One thread for all of them, which is the point.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let own = memory_mib(std::process::id())?;
    let daemon = scene.daemon_memory()?;
    runtime.block_on(async {
        let start = Instant::now();
        let clients = connect(scene, count).await?;
        let connected = start.elapsed();
        let mut alone = ask_one_by_one(&clients, effort.calls.max(count.min(1000))).await?;
        let mut together = ask_together(&clients).await?;
        alone.sort_by(f64::total_cmp);
        together.sort_by(f64::total_cmp);

        let mut number =
            |what: &str, unit, value| report.number(format!("{count} sessions: {what}"), unit, value);
        number("all connected after", "ms", connected.as_secs_f64() * 1e3);
        number("round trip p50", "us", share(&alone, 0.5));
        number("round trip p99", "us", share(&alone, 0.99));
        number("all asking at once p50", "us", share(&together, 0.5));
        number("all asking at once p99", "us", share(&together, 0.99));
        let each = 1024.0 / count as f64;
        number(
            "client memory each",
            "KiB",
            (memory_mib(std::process::id())? - own) * each,
        );
        number(
            "daemon memory each",
            "KiB",
            (scene.daemon_memory()? - daemon) * each,
        );
        number("daemon memory", "MiB", scene.daemon_memory()?);
        for client in &clients {
            client.close().await;
        }
        anyhow::Ok(())
    })
}

async fn connect(scene: &Scene, count: usize) -> anyhow::Result<Vec<Client>> {
    let (address, token) = scene.address();
    let address = format!("ws://{address}/aci");
    let connecting = (0..count).map(|_| Client::connect(&address, Some(token), Options::default()));
    let mut clients = Vec::with_capacity(count);
    let mut connections = stream::iter(connecting).buffer_unordered(AT_ONCE);
    while let Some(client) = connections.next().await {
        clients.push(client?);
    }
    Ok(clients)
}

/// One session after another, while all others are open and silent.
async fn ask_one_by_one(clients: &[Client], asks: usize) -> anyhow::Result<Vec<f64>> {
    let mut times = Vec::with_capacity(asks);
    for client in clients.iter().cycle().take(asks) {
        times.push(micros(client.ping().await?));
    }
    Ok(times)
}

/// Every session at the same time, several times.
async fn ask_together(clients: &[Client]) -> anyhow::Result<Vec<f64>> {
    let mut times = Vec::with_capacity(clients.len() * ASKS);
    for _ in 0..ASKS {
        let mut asking: FuturesUnordered<_> = clients.iter().map(Client::ping).collect();
        while let Some(time) = asking.next().await {
            times.push(micros(time?));
        }
    }
    Ok(times)
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
