//! `shinken watch`: the screencast.

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use shinken::{Cast, CastFrame, Client};

use crate::app_options::AppOptions;
use crate::session::Session;
use crate::shot_options::ShotOptions;

/// Follows the desktop's screencast with a line that tells its rate, and saves its pictures where asked to. Ctrl-C ends it.
#[derive(Debug, clap::Args)]
pub(crate) struct Watch {
    /// Save every picture as a PNG in this folder, which is made where it is missing.
    #[arg(long, value_name = "FOLDER")]
    save: Option<PathBuf>,
    /// Draw the boxes of an application's controls over every picture, each with the number of its id, and save the tree with it
    /// as a text.
    #[arg(long, requires = "save", conflicts_with = "full")]
    elements: bool,
    #[command(flatten)]
    app: AppOptions,
    /// Pictures a second at most, 0.1 to 30.
    #[arg(long, default_value_t = 10.0, value_parser = rate)]
    fps: f64,
    /// Have whole pictures sent instead of the tiles that changed.
    #[arg(long)]
    full: bool,
    /// End after so many pictures.
    #[arg(long, value_name = "N")]
    frames: Option<u64>,
    /// End after so many seconds.
    #[arg(long, value_name = "S")]
    seconds: Option<u64>,
    #[command(flatten)]
    options: ShotOptions,
    #[command(flatten)]
    session: Session,
}

/// What has come so far.
#[derive(Debug)]
struct Tally {
    begun: Instant,
    frames: u64,
    bytes: usize,
    dropped: u64,
}

impl Watch {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        if let Some(folder) = &self.save {
            // Only the folder itself: a path that leads nowhere is more likely a slip.
            match std::fs::create_dir(folder) {
                Err(_) if folder.is_dir() => {}
                made => made.with_context(|| format!("cannot make the folder {}", folder.display()))?,
            }
        }
        let shot = self.options.shot(None)?;
        self.session.run(async |client| {
            let cast = Cast::new(shot).fps(self.fps).delta(!self.full);
            let mut cast = client.start_screencast(cast).await?;
            let mut tally = Tally {
                begun: Instant::now(),
                frames: 0,
                bytes: 0,
                dropped: 0,
            };
            let terminal = std::io::stderr().is_terminal();
            let mut beat = tokio::time::interval(Duration::from_secs(1));
            while self.frames.is_none_or(|frames| tally.frames < frames)
                && self
                    .seconds
                    .is_none_or(|seconds| tally.begun.elapsed() < Duration::from_secs(seconds))
            {
                tokio::select! {
                    interrupted = tokio::signal::ctrl_c() => {
                        interrupted?;
                        break;
                    }
                    frame = cast.next() => {
                        let Some(frame) = frame else { break };
                        match frame {
                            Ok(frame) => self.take(client, &frame, &mut tally).await?,
                            Err(error) => {
                                // What has come is told before the complaint.
                                tally.show(terminal, true);
                                return Err(error.into());
                            }
                        }
                    }
                    // A resting screen sends nothing, which the line is to show.
                    _ = beat.tick() => tally.show(terminal, false),
                }
            }
            cast.stop().await?;
            tally.show(terminal, true);
            Ok(ExitCode::SUCCESS)
        })
    }

    async fn take(&self, client: &Client, frame: &CastFrame, tally: &mut Tally) -> anyhow::Result<()> {
        tally.frames += 1;
        tally.bytes += frame.encoded_bytes;
        tally.dropped += frame.dropped;
        let Some(folder) = &self.save else { return Ok(()) };
        let file = folder.join(format!("{:06}.png", frame.seq));
        if !self.elements {
            return write(&file, &frame.picture.to_png()?);
        }
        // The boxes must be of the picture's moment, so both are asked for together.
        let view = client
            .observe(self.app.look().marks(self.options.shot(None)?))
            .await?;
        let picture = view.picture.context("the daemon answered without a picture")?;
        let tree = view.tree.context("the daemon answered without a tree")?;
        write(&file, &picture.decode()?.to_png()?)?;
        write(
            &file.with_extension("txt"),
            tree.tree_text.unwrap_or_default().as_bytes(),
        )
    }
}

fn write(file: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    std::fs::write(file, bytes).with_context(|| format!("cannot write {}", file.display()))
}

impl Tally {
    /// Writes the line anew; where nobody sees it change, only the last one.
    fn show(&self, terminal: bool, last: bool) {
        if !terminal && !last {
            return;
        }
        let seconds = self.begun.elapsed().as_secs_f64();
        let pictures = if self.frames == 1 { "picture" } else { "pictures" };
        let text = format!(
            "{} {pictures} in {seconds:.1} s ({:.1} a second), {:.1} KiB ({:.1} KiB a second), {} left out",
            self.frames,
            self.frames as f64 / seconds.max(0.001),
            self.bytes as f64 / 1024.0,
            self.bytes as f64 / 1024.0 / seconds.max(0.001),
            self.dropped
        );
        // A terminal that has gone is no reason to stop.
        let mut stderr = std::io::stderr().lock();
        match (terminal, last) {
            (true, false) => write!(stderr, "\r{text:<100}").ok(),
            (true, true) => writeln!(stderr, "\r{text:<100}").ok(),
            (false, _) => writeln!(stderr, "{text}").ok(),
        };
    }
}

fn rate(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(fps) if (0.1..=30.0).contains(&fps) => Ok(fps),
        _ => Err("give 0.1 to 30 pictures a second".to_owned()),
    }
}
