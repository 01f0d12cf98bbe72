//! From a pixel in a delivered picture to a pixel of the screen.
//!
//! A picture may show a part of the screen and be scaled down; its [`CoordinateSpace`] says both, so that nobody has to
//! infer a scale from dimensions (ACI specification, section 3).

use serde_json::{Value, json};

use crate::target::Target;
use crate::wire::{Fault, Integer, Number, Positive, Wire, wire_object};

wire_object! {
    /// A rectangle in pixels of the whole screen.
    #[derive(Copy, Eq)]
    pub struct CoordinateRect: Closed {
        /// Left edge; negative for a window that is partly off the screen.
        "x" x: required Integer,
        /// Top edge.
        "y" y: required Integer,
        /// Width.
        "w" w: required Positive,
        /// Height.
        "h" h: required Positive,
    }
}

wire_object! {
    /// Width and height in pixels.
    #[derive(Copy, Eq)]
    pub struct CoordinateSize: Closed {
        /// Width.
        "w" w: required Positive,
        /// Height.
        "h" h: required Positive,
    }
}

/// Device pixels per logical point: a number above zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PixelRatio(f64);

impl PixelRatio {
    /// One device pixel per point, which is what X11 has.
    pub const ONE: Self = Self(1.0);

    /// The ratio, where it is finite and above zero.
    pub fn new(ratio: f64) -> Option<Self> {
        (ratio.is_finite() && ratio > 0.0).then_some(Self(ratio))
    }

    /// The number itself.
    pub fn get(self) -> f64 {
        self.0
    }
}

impl Wire for PixelRatio {
    fn decode(value: Value) -> Result<Self, Fault> {
        let number: Number = Number::decode(value)?;
        Self::new(number.get()).ok_or_else(|| Fault::new("expected a number above zero"))
    }

    fn encode(self) -> Value {
        Number::<{ i64::MIN }>::new(self.0).map_or(Value::Null, Number::encode)
    }

    fn schema() -> Value {
        json!({"type": "number", "exclusiveMinimum": 0})
    }
}

wire_object! {
    /// How the pixels of a delivered picture lie on the screen.
    #[derive(Copy)]
    pub struct CoordinateSpace: Closed {
        fixed "origin" = "top-left";
        /// Width of the whole screen, the space of `point_px`.
        "w" w: required Positive,
        /// Height of the whole screen.
        "h" h: required Positive,
        /// Device pixels per logical point; everything here is in device pixels.
        "dpr" dpr: required PixelRatio,
        /// What the picture shows, before scaling.
        "source_rect" source_rect: required CoordinateRect,
        /// The size of the picture, after scaling.
        "delivered" delivered: required CoordinateSize,
    }
}

/// Why a point of a picture cannot be placed on the screen.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum MappingError {
    /// The picture does not say how it lies on the screen.
    #[error(
        "the observation carries no display descriptor, so its pixels cannot be placed on the screen; take a new screenshot"
    )]
    NoDescriptor,
    /// The point is not in the picture.
    #[error("the point ({x}, {y}) is outside of the delivered picture of {w}x{h} pixels")]
    OutsideOfPicture {
        /// Across.
        x: f64,
        /// Down.
        y: f64,
        /// The picture's width.
        w: i64,
        /// The picture's height.
        h: i64,
    },
    /// The share is not from 0 to 1.
    #[error("the normalized point ({x}, {y}) is outside of 0 to 1")]
    OutsideOfUnit {
        /// Across.
        x: f64,
        /// Down.
        y: f64,
    },
}

impl CoordinateSpace {
    /// The pixel of the screen under the pixel (`x`, `y`) of the delivered picture:
    /// `origin + floor(p · source / delivered)` on each axis.
    ///
    /// # Errors
    /// [`MappingError::OutsideOfPicture`].
    pub fn pixel_to_screen(&self, x: f64, y: f64) -> Result<(i64, i64), MappingError> {
        let (w, h) = (self.delivered.w.get(), self.delivered.h.get());
        let source = self.source_rect;
        let across = scaled(x, source.w.get(), w);
        let down = scaled(y, source.h.get(), h);
        let (Some(across), Some(down)) = (across, down) else {
            return Err(MappingError::OutsideOfPicture { x, y, w, h });
        };
        Ok((
            source.x.get().saturating_add(across),
            source.y.get().saturating_add(down),
        ))
    }

    /// The pixel of the screen at a share of the picture: 0 is its first pixel, 1 its last.
    ///
    /// # Errors
    /// [`MappingError::OutsideOfUnit`].
    pub fn share_to_screen(&self, x: f64, y: f64) -> Result<(i64, i64), MappingError> {
        if !(0.0..=1.0).contains(&x) || !(0.0..=1.0).contains(&y) {
            return Err(MappingError::OutsideOfUnit { x, y });
        }
        let source = self.source_rect;
        let origin = |start: Integer, share: f64, size: Positive| {
            start.get().saturating_add(share_of(share, size.get()))
        };
        Ok((origin(source.x, x, source.w), origin(source.y, y, source.h)))
    }

    /// The target of an action at a pixel of the delivered picture that this descriptor came with.
    ///
    /// # Errors
    /// [`MappingError::NoDescriptor`] where the observation had none: a click is never guessed.
    pub fn target(descriptor: Option<&Self>, x: f64, y: f64) -> Result<Target, MappingError> {
        let (x, y) = descriptor
            .ok_or(MappingError::NoDescriptor)?
            .pixel_to_screen(x, y)?;
        // Both came out of an i64, so they are finite.
        Target::px(x as f64, y as f64).ok_or(MappingError::NoDescriptor)
    }
}

/// The pixel at a share of `size` pixels: 0 is the first, 1 the last, the nearest one in between.
pub fn share_of(share: f64, size: i64) -> i64 {
    ((share * (size.saturating_sub(1)) as f64).round() as i64).clamp(0, size.saturating_sub(1).max(0))
}

/// `floor(p · source / delivered)` without rounding on the way; `None` where `p` is not in `0..delivered`.
///
/// With floats, the quotient of large sizes may round up to the next pixel. A float is a whole number of some
/// `1 / 2^shift`, so the same can be said with whole numbers.
fn scaled(p: f64, source: i64, delivered: i64) -> Option<i64> {
    // The comparison also sorts out what is not a number; beyond 2^63 nothing is inside.
    if !(0.0..9.3e18).contains(&p) || p.floor() as i128 >= i128::from(delivered) {
        return None;
    }
    let (mut whole, mut shift) = (p, 0_u32);
    while whole.fract() != 0.0 && shift < 126 {
        whole *= 2.0;
        shift += 1;
    }
    // `whole` has at most 63 bits, and 53 where `p` had a fraction; so the product has room. A divisor without room is
    // larger than the product, and a `p` that needs more than 126 doublings is far below one pixel: both give 0.
    let above = (whole.floor() as i128) * i128::from(source);
    let below = i128::from(delivered).checked_mul(1_i128 << shift);
    let pixels = below.map_or(0, |below| above / below);
    // Less than `source`, because `p` is less than `delivered`.
    i64::try_from(pixels).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(source: (i64, i64, i64, i64), delivered: (i64, i64)) -> CoordinateSpace {
        let positive = |value| Positive::new(value).unwrap();
        CoordinateSpace {
            w: positive(1920),
            h: positive(1080),
            dpr: PixelRatio::ONE,
            source_rect: CoordinateRect {
                x: Integer::clamped(source.0),
                y: Integer::clamped(source.1),
                w: positive(source.2),
                h: positive(source.3),
            },
            delivered: CoordinateSize {
                w: positive(delivered.0),
                h: positive(delivered.1),
            },
        }
    }

    #[test]
    fn a_scaled_window_maps_by_its_own_descriptor() {
        let space = space((320, 180, 800, 600), (400, 300));
        for (point, screen) in [
            ((0.0, 0.0), (320, 180)),
            ((200.0, 150.0), (720, 480)),
            ((399.0, 299.0), (1118, 778)),
        ] {
            assert_eq!(space.pixel_to_screen(point.0, point.1).unwrap(), screen);
        }
        assert_eq!(space.share_to_screen(1.0, 1.0).unwrap(), (1119, 779));
        assert_eq!(space.share_to_screen(0.0, 0.0).unwrap(), (320, 180));
    }

    #[test]
    fn a_window_off_the_screen_keeps_its_negative_origin() {
        assert_eq!(
            space((-300, 10, 600, 400), (600, 400))
                .pixel_to_screen(0.0, 0.0)
                .unwrap(),
            (-300, 10)
        );
    }

    #[test]
    fn outside_is_an_error_and_never_clamped() {
        let space = space((0, 0, 1920, 1080), (800, 450));
        for (x, y) in [
            (800.0, 0.0),
            (0.0, 450.0),
            (-0.5, 0.0),
            (f64::NAN, 0.0),
            (0.0, f64::INFINITY),
        ] {
            assert!(space.pixel_to_screen(x, y).is_err(), "{x},{y}");
        }
        assert!(space.share_to_screen(1.01, 0.0).is_err());
        assert_eq!(
            CoordinateSpace::target(None, 1.0, 1.0),
            Err(MappingError::NoDescriptor)
        );
    }
}
