//! Measures the daemon end to end, in one run beside what it is compared with: an empty WebSocket round trip, the same
//! work done by hand in this process, and the programs that people drive a desktop with today.
//!
//! [`scene`] makes the desktop, [`rounds`] runs what [`cases`] lists, [`stretch`], [`delta`], [`sessions`] and [`fleet`] measure what
//! is not a single call, and [`budget`] says which of the promises of the architecture hold.

mod budget;
mod cases;
mod coverage;
mod delta;
mod echo;
mod elements;
mod files;
mod fleet;
mod guesses;
mod input;
mod process;
mod report;
mod rounds;
mod scene;
mod sessions;
mod socket;
mod stretch;

use std::path::{Path, PathBuf};

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
    /// The stand-in to measure the client's sessions against; the one beside this program if none is given.
    #[arg(long, value_name = "FILE")]
    standin: Option<PathBuf>,
    /// Only this part.
    #[arg(long, value_enum)]
    only: Option<Part>,
    /// How many client sessions to hold at a time.
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [1, 10, 100, 1000, 4000])]
    sessions: Vec<usize>,
    /// The toolkits whose windows are looked at.
    #[arg(long, value_name = "NAME", value_delimiter = ',', default_values = elements::TOOLKITS)]
    toolkits: Vec<String>,
    /// How many controls those windows have.
    #[arg(long, value_name = "N", value_delimiter = ',', default_values_t = [50, 500, 5000])]
    controls: Vec<usize>,
    /// With --only marks: keeps each picture with its marks drawn in this folder.
    #[arg(long, value_name = "FOLDER", requires = "only")]
    keep: Option<PathBuf>,
    /// Internal: answers every WebSocket message by itself, and prints where; what is done by hand is done on this display.
    #[arg(long, hide = true, value_name = "DISPLAY")]
    echo: Option<String>,
    /// Internal: holds so many sessions of a stand-in, and prints what that costs.
    #[arg(long, hide = true, value_name = "N", requires = "hold_at")]
    hold: Option<usize>,
    /// Internal: the address of that stand-in.
    #[arg(long, hide = true, value_name = "ADDRESS")]
    hold_at: Option<String>,
    /// Internal: its process.
    #[arg(long, hide = true, value_name = "PID")]
    hold_pid: Option<u32>,
}

/// What can be measured by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    /// Input, pictures, streams and sessions.
    Desktop,
    /// What sessions cost the process that holds them.
    Fleet,
    /// The accessibility tree.
    Elements,
    /// How many controls of each toolkit can be named and used.
    Coverage,
    /// Files and folders.
    Files,
    /// How good the regions are that are guessed from pixels, on programs that can tell.
    Marks,
}

fn main() -> anyhow::Result<()> {
    let arguments = Arguments::parse();
    if let Some(display) = arguments.echo {
        return echo::serve(&display);
    }
    if let (Some(count), Some(address)) = (arguments.hold, arguments.hold_at) {
        process::allow_many_files()?;
        return fleet::print(&address, count, arguments.hold_pid);
    }
    let daemon = program(arguments.shinkend, "shinkend", "shinkend")?;
    if arguments.only == Some(Part::Marks) {
        return guesses::measure(daemon, arguments.keep.as_deref());
    }
    let effort = if arguments.quick {
        Effort::QUICK
    } else {
        Effort::FULL
    };
    process::allow_many_files()?;
    let mut report = Report::new(arguments.quick);
    if arguments.only.is_none_or(|part| part == Part::Desktop) {
        desktop(&daemon, &arguments.sessions, effort, &mut report)?;
    }
    if arguments.only.is_none_or(|part| part == Part::Fleet) {
        let standin = program(arguments.standin, "shinken-standin", "standin")?;
        fleet::measure(&standin, &mut report)?;
    }
    if arguments.only.is_none_or(|part| part == Part::Elements) {
        for toolkit in &arguments.toolkits {
            for &count in &arguments.controls {
                // One that cannot be measured hides nothing of the others.
                if let Err(error) = elements::measure(&daemon, toolkit, count, effort, &mut report) {
                    report.failures.push(format!("{error:#.600}"));
                }
            }
        }
    }
    if arguments.only.is_none_or(|part| part == Part::Coverage) {
        coverage::measure(&daemon, &mut report)?;
    }
    if arguments.only.is_none_or(|part| part == Part::Files) {
        files::measure(&daemon, effort, &mut report)?;
    }
    budget::judge(&mut report);
    report.print();
    report.write(&arguments.out)
}

/// A program that is measured: the one that was named, or the one beside this one.
fn program(named: Option<PathBuf>, file: &str, package: &str) -> anyhow::Result<PathBuf> {
    let program = match named {
        Some(path) => path,
        None => std::env::current_exe()
            .context("cannot tell where this program is")?
            .with_file_name(file),
    };
    anyhow::ensure!(
        program.exists(),
        "there is no {}; build it with `cargo build --release -p {package}`",
        program.display()
    );
    Ok(program)
}

/// Everything of the desktop but the accessibility tree.
fn desktop(daemon: &Path, sessions: &[usize], effort: Effort, report: &mut Report) -> anyhow::Result<()> {
    let most = sessions.iter().copied().max().unwrap_or(1);
    let scene = Scene::start(daemon, most)?;
    report.number("daemon memory after start", "MiB", scene.daemon_memory()?);

    report.progress("input, answers and pictures of a plain desktop");
    cases::on_a_plain_desktop(&scene, effort, report)?;
    report.progress("a program that is typed into, as a delta stream");
    delta::measure(&scene, effort, report)?;
    report.progress("the daemon at rest");
    stretch::at_rest(&scene, effort, report)?;
    report.progress("pictures of a screen full of text");
    cases::on_dense_text(&scene, effort, report)?;

    report.progress("many sessions");
    sessions::measure(&scene, sessions, effort, report)?;
    report.number("daemon memory at the end", "MiB", scene.daemon_memory()?);
    Ok(())
}
