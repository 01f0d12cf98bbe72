//! Measures the daemon end to end, in one run beside what it is compared with: an empty WebSocket round trip, the same
//! work done by hand in this process, and the programs that people drive a desktop with today.
//!
//! [`scene`] makes the desktop, [`rounds`] runs what [`cases`] lists, [`stretch`], [`delta`] and [`sessions`] measure what
//! is not a single call, and [`budget`] says which of the promises of the architecture hold.

mod budget;
mod cases;
mod delta;
mod echo;
mod guesses;
mod input;
mod process;
mod report;
mod rounds;
mod scene;
mod sessions;
mod socket;
mod stretch;

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Parser as _;

use report::Report;
use rounds::Effort;
use scene::Scene;

/// Measures shinkend end to end.
#[derive(Debug, clap::Parser)]
#[command(name = "xbench", version)]
struct Arguments {
    /// Fewer repetitions: shows that everything runs, and measures badly.
    #[arg(long)]
    quick: bool,
    /// Where the results go.
    #[arg(long, value_name = "FILE", default_value = "bench/results.json")]
    out: PathBuf,
    /// The daemon to measure; the one beside this program if none is given.
    #[arg(long, value_name = "FILE")]
    shinkend: Option<PathBuf>,
    /// How many client sessions to hold at a time.
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [1, 10, 100, 1000, 4000])]
    sessions: Vec<usize>,
    /// Only measures how good the regions are that are guessed from pixels, on programs that can tell.
    #[arg(long)]
    marks: bool,
    /// With --marks: keeps each picture with its marks drawn in this folder.
    #[arg(long, value_name = "FOLDER", requires = "marks")]
    keep: Option<PathBuf>,
    /// Internal: answers every WebSocket message by itself, and prints where; what is done by hand is done on this display.
    #[arg(long, hide = true, value_name = "DISPLAY")]
    echo: Option<String>,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    if let Some(display) = arguments.echo {
        return echo::serve(&display);
    }
    let daemon = match arguments.shinkend {
        Some(path) => path,
        None => std::env::current_exe()
            .context("cannot tell where this program is")?
            .with_file_name("shinkend"),
    };
    anyhow::ensure!(
        daemon.exists(),
        "there is no {}; build it with `cargo build --release -p shinkend`",
        daemon.display()
    );
    if arguments.marks {
        return guesses::measure(daemon, arguments.keep.as_deref());
    }
    let effort = if arguments.quick {
        Effort::QUICK
    } else {
        Effort::FULL
    };
    process::allow_many_files()?;
    let most = arguments.sessions.iter().copied().max().unwrap_or(1);
    let scene = Scene::start(&daemon, most)?;
    let mut report = Report::new(arguments.quick);
    report.number("daemon memory after start", "MiB", scene.daemon_memory()?);

    report.progress("input, answers and pictures of a plain desktop");
    cases::on_a_plain_desktop(&scene, effort, &mut report)?;
    report.progress("a program that is typed into, as a delta stream");
    delta::measure(&scene, effort, &mut report)?;
    report.progress("the daemon at rest");
    stretch::at_rest(&scene, effort, &mut report)?;
    report.progress("pictures of a screen full of text");
    cases::on_dense_text(&scene, effort, &mut report)?;

    report.progress("many sessions");
    sessions::measure(&scene, &arguments.sessions, effort, &mut report)?;
    report.number("daemon memory at the end", "MiB", scene.daemon_memory()?);
    budget::judge(&mut report);
    report.print();
    report.write(&arguments.out)
}
