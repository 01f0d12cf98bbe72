//! A program uses a real desktop as an agent would: starts an editor, writes a document, saves it through the editor's own
//! dialog and checks the bytes. What it did is written to `demo/` as one page with a picture of every step.
//!
//! `cargo xtask demo` builds everything and runs this. The only argument is the folder to write to.
#![expect(clippy::print_stdout, reason = "this program talks to a person")]

mod painted;
mod recording;
mod report;
mod script;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use sandbox::process::Process;
use sandbox::provider::{Options as Desktop, Provider as _};
use shinken::{Cast, Client, Exec, Options, Shot};

use recording::Recording;
use script::Script;

fn main() -> anyhow::Result<ExitCode> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| "demo".to_owned()));
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    println!("starting a desktop …");
    let begun = std::time::Instant::now();
    let desktop = Process.start(&Desktop::default())?;
    let started = begun.elapsed();
    let outcome = runtime.block_on(demonstrate(&desktop, started, &folder));
    desktop.end()?;
    outcome
}

async fn demonstrate(
    desktop: &sandbox::process::Sandbox,
    started: std::time::Duration,
    folder: &std::path::Path,
) -> anyhow::Result<ExitCode> {
    let state = desktop.state();
    let token = desktop.token()?;
    println!(
        "desktop {} is at {} after {:.0} ms",
        state.id,
        state.address,
        started.as_secs_f64() * 1e3
    );
    let client = Client::connect(&state.address, Some(&token), Options::default()).await?;
    // As a person would have it; the X server's own black hides what has not been painted.
    client.exec(Exec::argv(["xsetroot", "-solid", "#3b5b7a"])).await?;
    // A session of its own, as a person who watches would have.
    let watcher = Client::connect(&state.address, Some(&token), Options::default()).await?;
    let cast = watcher
        .start_screencast(Cast::new(Shot::screen()).fps(15.0).delta(true))
        .await?;
    let recording = Recording::start(cast);

    let mut script = Script::new(client, folder.to_owned()).await?;
    script.passed(
        "start the desktop and its daemon",
        started,
        format!("display {}, {}", state.display, state.address),
    );
    script.run().await?;

    let recording = recording.finish().await?;
    report::prepare(folder)?;
    recording
        .write(&folder.join("recording.png"), &script.unsettled, script.cover())
        .context("cannot write the recording")?;
    report::write(folder, &script, &recording)?;
    report::print(&recording, folder);
    Ok(if script.is_well() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
