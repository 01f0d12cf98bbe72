//! Pictures as they are delivered.

use aci::Positive;
use aci::Wire as _;
use aci::action::{Action, ObserveSpec, Quality};
use aci::geometry::{CoordinateSpace, MappingError};
use aci::target::{Scope, Target};
use aci::verb::Verb;
use aci::welcome::ImageFormat;
use bytes::Bytes;
use serde_json::Value;

use crate::error::ClientError;
use crate::picture::Picture;

/// A picture as the runtime encoded it. A clone shares the bytes.
#[derive(Clone, PartialEq)]
pub struct Screenshot {
    /// The codec's bytes.
    pub bytes: Bytes,
    /// The codec.
    pub format: ImageFormat,
    /// Width in pixels.
    pub w: u32,
    /// Height in pixels.
    pub h: u32,
    /// What it shows.
    pub scope: Option<Scope>,
    /// How its pixels lie on the screen.
    pub display: Option<CoordinateSpace>,
    /// Stands for its pixels, whatever the codec; read nothing into it.
    pub frame_hash: Option<String>,
    /// Where the pointer was, in pixels of the screen; it is never in the picture.
    pub pointer: Option<(i64, i64)>,
    /// Whether the bytes came from the [`crate::FrameCache`] because the runtime said that they are still right.
    pub from_cache: bool,
}

// The bytes are thousands of numbers that tell a reader nothing.
impl std::fmt::Debug for Screenshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Screenshot({})", self.to_json())
    }
}

impl Screenshot {
    /// The media type of the bytes.
    pub fn mime(&self) -> &'static str {
        match self.format {
            ImageFormat::Png => "image/png",
            ImageFormat::Jpeg => "image/jpeg",
        }
    }

    /// The pixel of the screen under the pixel (`x`, `y`) of this picture, by its own descriptor.
    ///
    /// # Errors
    /// [`ClientError::Mapping`] for a point outside of the picture, and where the picture has no descriptor: nothing is guessed.
    pub fn to_global(&self, x: f64, y: f64) -> Result<(i64, i64), ClientError> {
        let display = self.display.as_ref().ok_or(MappingError::NoDescriptor)?;
        Ok(display.pixel_to_screen(x, y)?)
    }

    /// The target of an action at the pixel (`x`, `y`) of this picture.
    ///
    /// # Errors
    /// As [`Self::to_global`].
    pub fn target(&self, x: f64, y: f64) -> Result<Target, ClientError> {
        Ok(CoordinateSpace::target(self.display.as_ref(), x, y)?)
    }

    /// The target at a share of this picture: 0 is its first pixel, 1 its last.
    ///
    /// # Errors
    /// As [`Self::to_global`].
    pub fn target_at_share(&self, x: f64, y: f64) -> Result<Target, ClientError> {
        let display = self.display.as_ref().ok_or(MappingError::NoDescriptor)?;
        let (x, y) = display.share_to_screen(x, y)?;
        Ok(Target::px(x as f64, y as f64).ok_or(MappingError::NoDescriptor)?)
    }

    /// The pixels, into a buffer of width × height × 3 bytes: rows from the top, red first.
    ///
    /// # Errors
    /// [`ClientError::Picture`]; the buffer may hold a part of the picture then.
    pub fn decode_into(&self, rgb: &mut [u8]) -> Result<(), ClientError> {
        Picture::decode_into(&self.bytes, self.format, (self.w, self.h), rgb)
    }

    /// The pixels. It takes milliseconds for a large picture, so callers with deadlines do it on a blocking thread.
    ///
    /// # Errors
    /// [`ClientError::Picture`] where the bytes are broken or not as large as was said.
    pub fn decode(&self) -> Result<Picture, ClientError> {
        let picture = Picture::decode(&self.bytes, self.format)?;
        if (picture.width(), picture.height()) != (self.w, self.h) {
            return Err(ClientError::Picture {
                detail: format!(
                    "it has {}x{} pixels instead of {}x{}",
                    picture.width(),
                    picture.height(),
                    self.w,
                    self.h
                ),
            });
        }
        Ok(picture)
    }

    /// Everything but the bytes, as an observation has it.
    pub fn to_json(&self) -> Value {
        serde_json::json!({
            "format": self.format.as_str(),
            "bytes": self.bytes.len(),
            "w": self.w,
            "h": self.h,
            "scope": self.scope.map(|scope| scope.to_string()),
            "display": self.display.map(CoordinateSpace::encode),
            "frame_hash": self.frame_hash,
            "pointer": self.pointer.map(|(x, y)| [x, y]),
            "from_cache": self.from_cache,
        })
    }
}

/// What a picture shows and how it is encoded. The default is the whole screen in its own size as PNG.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Shot {
    scope: Scope,
    format: Option<ImageFormat>,
    quality: Option<u8>,
    max_long_edge: Option<u32>,
}

impl Shot {
    /// The whole screen.
    pub fn screen() -> Self {
        Self::default()
    }

    /// The active window.
    pub fn active_window() -> Self {
        Self::default().scope(Scope::ActiveWindow)
    }

    /// The window with this id.
    pub fn window(id: u64) -> Self {
        Self::default().scope(Scope::Window(id))
    }

    /// What it shows.
    #[must_use]
    pub fn scope(self, scope: Scope) -> Self {
        Self { scope, ..self }
    }

    /// As PNG, which loses nothing.
    #[must_use]
    pub fn png(self) -> Self {
        Self {
            format: Some(ImageFormat::Png),
            quality: None,
            ..self
        }
    }

    /// As JPEG of a quality from 1 to 100; 0 and what is above count to the nearer end.
    #[must_use]
    pub fn jpeg(self, quality: u8) -> Self {
        Self {
            format: Some(ImageFormat::Jpeg),
            quality: Some(quality.clamp(1, 100)),
            ..self
        }
    }

    /// Scaled down so that its longer edge has at most so many pixels; 0 counts as 1.
    #[must_use]
    pub fn max_long_edge(self, pixels: u32) -> Self {
        Self {
            max_long_edge: Some(pixels.max(1)),
            ..self
        }
    }

    /// The same as the `observe` of an action.
    pub fn to_observe(self) -> ObserveSpec {
        ObserveSpec {
            scope: self.sent_scope(),
            format: self.format,
            quality: self.sent_quality(),
            max_long_edge: self.sent_edge(),
        }
    }

    /// What it shows.
    pub(crate) fn shows(self) -> Scope {
        self.scope
    }

    /// The codec alone, which is what the bytes of equal pixels depend on.
    pub(crate) fn coding(self) -> Self {
        Self {
            scope: Scope::Screen,
            max_long_edge: None,
            format: Some(self.format.unwrap_or(ImageFormat::Png)),
            quality: self.quality,
        }
    }

    pub(crate) fn to_action(self, verb: Verb) -> Action {
        let mut action = Action::new(verb);
        action.scope = self.sent_scope();
        action.format = self.format;
        action.quality = self.sent_quality();
        action.max_long_edge = self.sent_edge();
        action
    }

    /// The runtime's default needs no field.
    fn sent_scope(self) -> Option<Scope> {
        (self.scope != Scope::Screen).then_some(self.scope)
    }

    fn sent_quality(self) -> Option<Quality> {
        self.quality.map(Quality::clamped)
    }

    fn sent_edge(self) -> Option<Positive> {
        self.max_long_edge.map(Positive::clamped)
    }
}

impl From<ObserveSpec> for Shot {
    fn from(spec: ObserveSpec) -> Self {
        Self {
            scope: spec.scope.unwrap_or_default(),
            format: spec.format,
            quality: spec.quality.and_then(|quality| u8::try_from(quality.get()).ok()),
            max_long_edge: spec.max_long_edge.map(Positive::to_u32),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_tells_the_size_and_prints_no_pixels() {
        let screenshot = Screenshot {
            bytes: Bytes::from(vec![0xab; 5000]),
            format: ImageFormat::Png,
            w: 64,
            h: 48,
            scope: None,
            display: None,
            frame_hash: None,
            pointer: None,
            from_cache: false,
        };
        let text = format!("{screenshot:?}");
        assert!(text.contains("5000") && text.contains("64"), "{text}");
        assert!(text.len() < 300, "{text}");
    }
}
