//! Options of whatever takes a picture.

use shinken::Shot;
use shinken::aci::target::Scope;

/// What a picture shows and how it is encoded.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(crate) struct ShotOptions {
    /// What to show: screen, active_window or window:ID.
    #[arg(long, default_value = "screen", value_parser = scope)]
    scope: Scope,
    /// The codec.
    #[arg(long, default_value = "png", value_enum)]
    format: Codec,
    /// JPEG's quality, 1 to 100.
    #[arg(long, default_value_t = 80, value_parser = clap::value_parser!(u8).range(1..=100))]
    quality: u8,
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
    /// The picture that is asked for.
    pub(crate) fn shot(&self) -> Shot {
        let shot = Shot::screen().scope(self.scope);
        let shot = match self.format {
            Codec::Png => shot.png(),
            Codec::Jpeg => shot.jpeg(self.quality),
        };
        match self.max_long_edge {
            Some(edge) => shot.max_long_edge(edge),
            None => shot,
        }
    }
}

fn scope(word: &str) -> Result<Scope, String> {
    Scope::from_word(word).ok_or_else(|| "give screen, active_window or window:ID".to_owned())
}
