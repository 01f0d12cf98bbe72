//! What many sessions of the client crate cost the process that holds them, against the stand-in, which has room for thousands.
//!
//! Each number of sessions is held by a fresh process, so that nothing of an earlier one is counted. That process has a runtime of
//! two threads, connects all sessions at the same time, and has used one session beforehand, so that what is counted is what
//! sessions hold and not the code that they use.

use std::io::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context as _;
use futures_util::future::try_join_all;
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use serde_json::{Value, json};
use shinken::{Client, FrameCache, Options, Shot};
use testbed::{Standin, TOKEN};

use crate::process::{memory_mib, threads};
use crate::report::{Report, share};

/// How many sessions a process holds in its turn.
pub(crate) const COUNTS: [usize; 3] = [64, 1024, 4000];
/// The threads of the runtime, beside the one that waits for it.
const THREADS: usize = 2;
/// How many pictures may come at the same time; each has megabytes while it is drawn and none afterwards.
const AT_ONCE: usize = 32;

/// What the numbers of one process are called; with their units.
const NUMBERS: [(&str, &str); 9] = [
    (RESTING, "KiB"),
    (AFTER_A_PICTURE, "KiB"),
    ("stand-in memory, each", "KiB"),
    ("threads beside the main one", ""),
    ("all connected at once after", "ms"),
    ("all asking at once p50", "us"),
    ("all asking at once p99", "us"),
    (SENT, ""),
    ("payload of these pictures", "KiB"),
];
const RESTING: &str = "memory at rest, each";
const AFTER_A_PICTURE: &str = "memory after a picture, each";
const SENT: &str = "pictures sent with one cache";

/// The numbers of so many sessions that have a promise, and what it is.
pub(crate) fn promised() -> impl Iterator<Item = (String, f64)> {
    let promises = [
        (RESTING, 40.0),
        (AFTER_A_PICTURE, 40.0),
        ("threads beside the main one", THREADS as f64),
        (SENT, 1.0),
    ];
    COUNTS
        .into_iter()
        .flat_map(move |count| promises.map(|(what, limit)| (name(count, what), limit)))
}

fn name(count: usize, what: &str) -> String {
    format!("{count} stand-in sessions: {what}")
}

/// Holds each of these numbers of sessions, one process after the other.
pub(crate) fn measure(standin: &Path, report: &mut Report) -> anyhow::Result<()> {
    for count in COUNTS {
        report.progress(&format!("{count} sessions of a stand-in"));
        let standin = Standin::start(standin, &[]);
        let before = memory_mib(standin.app.id())?;
        let output = Command::new(std::env::current_exe()?)
            .args(["--hold", &count.to_string(), "--hold-at", standin.address()])
            .args(["--hold-pid", &standin.app.id().to_string()])
            .stderr(std::process::Stdio::inherit())
            .output()?;
        anyhow::ensure!(output.status.success(), "{count} sessions could not be held");
        let numbers: Value = serde_json::from_slice(&output.stdout)?;
        for (what, unit) in NUMBERS {
            let value = match what {
                "stand-in memory, each" => {
                    let most = numbers["stand-in memory"].as_f64().unwrap_or_default();
                    (most - before) * 1024.0 / count as f64
                }
                other => numbers[other].as_f64().context("the process did not tell all")?,
            };
            report.number(name(count, what), unit, value);
        }
    }
    Ok(())
}

/// Holds so many sessions in this process, and prints what that costs.
pub(crate) fn print(address: &str, count: usize, standin: Option<u32>) -> anyhow::Result<()> {
    let numbers = hold(address, count, standin)?;
    writeln!(std::io::stdout(), "{numbers}")?;
    Ok(())
}

fn hold(address: &str, count: usize, standin: Option<u32>) -> anyhow::Result<Value> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(THREADS)
        .enable_all()
        .build()?;
    let first = connect(address, Options::default());
    runtime.block_on(async {
        let client = first.await?;
        client.screenshot(Shot::screen()).await?;
        client.ping().await?;
        client.close().await;
        anyhow::Ok(())
    })?;
    let own = memory_mib(std::process::id())?;
    let each = |now: f64| (now - own) * 1024.0 / count as f64;
    runtime.block_on(async {
        let start = Instant::now();
        let clients = try_join_all((0..count).map(|_| connect(address, Options::default()))).await?;
        let connected = start.elapsed();
        let mut times = Vec::new();
        for time in try_join_all(clients.iter().map(Client::ping)).await? {
            times.push(time.as_secs_f64() * 1e6);
        }
        times.sort_by(f64::total_cmp);
        let resting = memory_mib(std::process::id())?;
        let threads = threads(std::process::id())?;
        stream::iter(&clients)
            .map(async |client| client.screenshot(Shot::screen()).await.map(drop))
            .buffer_unordered(AT_ONCE)
            .try_collect::<()>()
            .await?;
        let after_a_picture = memory_mib(std::process::id())?;
        let standin = standin.map_or(Ok(0.0), memory_mib)?;
        let (sent, payload) = with_one_cache(address, clients).await?;
        anyhow::Ok(json!({
            RESTING: each(resting),
            AFTER_A_PICTURE: each(after_a_picture),
            "stand-in memory": standin,
            "threads beside the main one": threads - 1,
            "all connected at once after": connected.as_secs_f64() * 1e3,
            "all asking at once p50": share(&times, 0.5),
            "all asking at once p99": share(&times, 0.99),
            SENT: sent,
            "payload of these pictures": payload,
        }))
    })
}

/// How many pictures come, and how many KiB they have, where as many sessions share a cache, one has looked and all others look
/// at the same time.
async fn with_one_cache(address: &str, before: Vec<Client>) -> anyhow::Result<(u64, f64)> {
    let count = before.len();
    drop(before);
    let cache = Arc::new(FrameCache::new(64 << 20));
    let options = Options {
        frame_cache: Some(Arc::clone(&cache)),
        ..Options::default()
    };
    let clients = try_join_all((0..count).map(|_| connect(address, options.clone()))).await?;
    if let Some(first) = clients.first() {
        first.screenshot(Shot::screen()).await?;
    }
    let looking = clients
        .iter()
        .skip(1)
        .map(async |client| client.screenshot(Shot::screen()).await);
    let pictures = try_join_all(looking).await?;
    let sent = cache.stats().misses;
    let size = pictures.first().map_or(0, |picture| picture.bytes.len());
    Ok((sent, sent as f64 * size as f64 / 1024.0))
}

async fn connect(address: &str, options: Options) -> anyhow::Result<Client> {
    Ok(Client::connect(address, Some(TOKEN), options).await?)
}
