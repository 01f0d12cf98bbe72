//! Options of whatever takes a picture.

use std::path::Path;

use shinken::Shot;
use shinken::aci::target::Scope;

use crate::wrong_usage::wrong_usage;

/// JPEG's quality where none is given.
const QUALITY: u8 = 80;

/// What a picture shows and how it is encoded.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct ShotOptions {
    /// What to show: screen, active_window or window:ID.
    #[arg(long, default_value = "screen", value_parser = scope)]
    scope: Scope,
    /// The codec; what the file's name says, or png, if none is given.
    #[arg(long, value_enum)]
    format: Option<Codec>,
    /// JPEG's quality, 1 to 100; 80 if none is given.
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..=100))]
    quality: Option<u8>,
    /// Scale down so that the longer edge has at most so many pixels.
    #[arg(long, value_name = "PIXELS", value_parser = clap::value_parser!(u32).range(1..))]
    max_long_edge: Option<u32>,
}

/// The codecs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Codec {
    Png,
    Jpeg,
}

impl ShotOptions {
    /// The picture that is asked for, with the codec that a file's name says where no other is asked for.
    pub(crate) fn shot(&self, file: Option<&Path>) -> anyhow::Result<Shot> {
        let shot = Shot::screen().scope(self.scope);
        let format = match (self.format, file) {
            (Some(format), _) => format,
            (None, Some(file)) => Codec::of(file)?,
            (None, None) => Codec::Png,
        };
        let shot = match (format, self.quality) {
            (Codec::Jpeg, quality) => shot.jpeg(quality.unwrap_or(QUALITY)),
            (Codec::Png, None) => shot.png(),
            (Codec::Png, Some(_)) => {
                return wrong_usage("a PNG has no quality; --quality goes with --format jpeg");
            }
        };
        Ok(match self.max_long_edge {
            Some(edge) => shot.max_long_edge(edge),
            None => shot,
        })
    }
}

impl Codec {
    /// The one that a file's name ends with.
    fn of(file: &Path) -> anyhow::Result<Self> {
        let ending = file
            .extension()
            .unwrap_or_default()
            .to_string_lossy()
            .to_lowercase();
        match ending.as_str() {
            "jpg" | "jpeg" => Ok(Self::Jpeg),
            "png" | "" => Ok(Self::Png),
            other => wrong_usage(format!(
                "pictures are .png or .jpg, not .{other}; --format says which whatever the name"
            )),
        }
    }
}

fn scope(word: &str) -> Result<Scope, String> {
    Scope::from_word(word).ok_or_else(|| "give screen, active_window or window:ID".to_owned())
}
