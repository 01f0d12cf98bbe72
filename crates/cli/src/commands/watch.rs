//! `shinken watch`: the screencast.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use shinken::{Cast, CastFrame};

use crate::session::Session;
use crate::shot_options::ShotOptions;

/// Follows the desktop's screencast with a line that tells its rate, and saves its pictures where asked to. Ctrl-C ends it.
#[derive(Debug, clap::Args)]
pub(crate) struct Watch {
    /// Save every picture as a PNG in this folder.
    #[arg(long, value_name = "FOLDER")]
    save: Option<PathBuf>,
    /// Pictures a second at most, 0.1 to 30.
    #[arg(long, default_value_t = 10.0)]
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
            std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        }
        self.session.run(async |client| {
            let cast = Cast::new(self.options.shot()).fps(self.fps).delta(!self.full);
            let mut cast = client.start_screencast(cast).await?;
            let mut tally = Tally {
                begun: Instant::now(),
                frames: 0,
                bytes: 0,
                dropped: 0,
            };
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
                        self.take(&frame?, &mut tally)?;
                    }
                    // A resting screen sends nothing, which the line is to show.
                    _ = beat.tick() => tally.show(),
                }
            }
            cast.stop().await?;
            tally.show();
            writeln!(std::io::stderr()).ok();
            Ok(ExitCode::SUCCESS)
        })
    }

    fn take(&self, frame: &CastFrame, tally: &mut Tally) -> anyhow::Result<()> {
        tally.frames += 1;
        tally.bytes += frame.encoded_bytes;
        tally.dropped += frame.dropped;
        if let Some(folder) = &self.save {
            let file = folder.join(format!("{:06}.png", frame.seq));
            std::fs::write(&file, frame.picture.to_png()?)
                .with_context(|| format!("cannot write {}", file.display()))?;
        }
        Ok(())
    }
}

impl Tally {
    /// Writes the line anew.
    fn show(&self) {
        let seconds = self.begun.elapsed().as_secs_f64();
        let text = format!(
            "{} pictures in {seconds:.1} s ({:.1} a second), {:.1} KiB ({:.1} KiB a second), {} left out",
            self.frames,
            self.frames as f64 / seconds.max(0.001),
            self.bytes as f64 / 1024.0,
            self.bytes as f64 / 1024.0 / seconds.max(0.001),
            self.dropped
        );
        // A terminal that has gone is no reason to stop.
        write!(std::io::stderr(), "\r{text:<100}").ok();
    }
}
