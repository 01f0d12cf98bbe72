//! Decoded pixels.

use std::io::Cursor;

use aci::welcome::ImageFormat;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;

use crate::error::ClientError;

/// No screen is larger; a header that says so lies, and memory is not taken for it.
const LARGEST_EDGE: usize = 32_767;
/// Nor has one more pixels than this.
const MOST_PIXELS: u64 = 256 << 20;

/// Pixels: height × width × 3 bytes, red, green, blue, from the top left, no padding.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    w: u32,
    h: u32,
    rgb: Vec<u8>,
}

/// A rectangle in pixels of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rect {
    /// Left edge.
    pub x: u32,
    /// Top edge.
    pub y: u32,
    /// Width.
    pub w: u32,
    /// Height.
    pub h: u32,
}

impl std::fmt::Debug for Picture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Picture({}x{})", self.w, self.h)
    }
}

fn broken(detail: impl ToString) -> ClientError {
    ClientError::Picture {
        detail: detail.to_string(),
    }
}

impl Picture {
    /// Decodes PNG or JPEG; transparency is dropped.
    ///
    /// # Errors
    /// [`ClientError::Picture`].
    pub fn decode(bytes: &[u8], format: ImageFormat) -> Result<Self, ClientError> {
        match format {
            ImageFormat::Png => Self::from_png(bytes),
            ImageFormat::Jpeg => Self::from_jpeg(bytes),
        }
    }

    /// The pixels, into a buffer of width × height × 3 bytes.
    ///
    /// The usual picture, a PNG of eight bits a channel without alpha, is decoded right into it.
    pub(crate) fn decode_into(
        bytes: &[u8],
        format: ImageFormat,
        size: (u32, u32),
        rgb: &mut [u8],
    ) -> Result<(), ClientError> {
        if format == ImageFormat::Png {
            let mut reader = png_reader(bytes)?;
            let info = reader.info();
            if (info.width, info.height) == size
                && reader.output_color_type() == (png::ColorType::Rgb, png::BitDepth::Eight)
                && reader.output_buffer_size() == Some(rgb.len())
            {
                reader.next_frame(rgb).map_err(broken)?;
                return Ok(());
            }
        }
        let picture = Self::decode(bytes, format)?;
        if (picture.w, picture.h) != size || picture.rgb.len() != rgb.len() {
            return Err(broken(format!(
                "it has {}x{} pixels instead of {}x{}",
                picture.w, picture.h, size.0, size.1
            )));
        }
        rgb.copy_from_slice(&picture.rgb);
        Ok(())
    }

    fn from_png(bytes: &[u8]) -> Result<Self, ClientError> {
        let mut reader = png_reader(bytes)?;
        let (w, h) = (reader.info().width, reader.info().height);
        let size = reader
            .output_buffer_size()
            .ok_or_else(|| broken("it is too large for this machine"))?;
        let mut pixels = vec![0; size];
        let info = reader.next_frame(&mut pixels).map_err(broken)?;
        pixels.truncate(info.buffer_size());
        let rgb = match info.color_type {
            png::ColorType::Rgb => pixels,
            png::ColorType::Rgba => pixels
                .chunks_exact(4)
                .flat_map(|pixel| [pixel[0], pixel[1], pixel[2]])
                .collect(),
            png::ColorType::Grayscale => pixels.iter().flat_map(|gray| [*gray; 3]).collect(),
            png::ColorType::GrayscaleAlpha => {
                pixels.chunks_exact(2).flat_map(|pixel| [pixel[0]; 3]).collect()
            }
            png::ColorType::Indexed => return Err(broken("its palette was not expanded")),
        };
        Self::checked(w, h, rgb)
    }

    fn from_jpeg(bytes: &[u8]) -> Result<Self, ClientError> {
        let options = DecoderOptions::default()
            .jpeg_set_out_colorspace(ColorSpace::RGB)
            .set_max_width(LARGEST_EDGE)
            .set_max_height(LARGEST_EDGE)
            .set_strict_mode(true);
        let mut decoder = JpegDecoder::new_with_options(Cursor::new(bytes), options);
        decoder
            .decode_headers()
            .map_err(|error| broken(format!("{error:?}")))?;
        let (w, h) = decoder.dimensions().ok_or_else(|| broken("it has no size"))?;
        check_size(w as u64, h as u64)?;
        let rgb = decoder.decode().map_err(|error| broken(format!("{error:?}")))?;
        // Both were checked to be far below the limit.
        Self::checked(w as u32, h as u32, rgb)
    }

    /// A picture of these pixels: height × width × 3 bytes, red, green, blue, from the top left.
    ///
    /// # Errors
    /// [`ClientError::Picture`] where they are not so many.
    pub fn new(w: u32, h: u32, rgb: Vec<u8>) -> Result<Self, ClientError> {
        Self::checked(w, h, rgb)
    }

    fn checked(w: u32, h: u32, rgb: Vec<u8>) -> Result<Self, ClientError> {
        if rgb.len() as u64 != u64::from(w) * u64::from(h) * 3 {
            return Err(broken(format!("{} bytes are not {w}x{h} pixels", rgb.len())));
        }
        Ok(Self { w, h, rgb })
    }

    /// Width in pixels.
    pub fn width(&self) -> u32 {
        self.w
    }

    /// Height in pixels.
    pub fn height(&self) -> u32 {
        self.h
    }

    /// The pixels: height × width × 3 bytes, red, green, blue, from the top left.
    pub fn rgb(&self) -> &[u8] {
        &self.rgb
    }

    /// The pixels, owned.
    pub fn into_rgb(self) -> Vec<u8> {
        self.rgb
    }

    /// The colour of a pixel; `None` outside.
    pub fn pixel(&self, x: u32, y: u32) -> Option<[u8; 3]> {
        if x >= self.w || y >= self.h {
            return None;
        }
        let at = (y as usize * self.w as usize + x as usize) * 3;
        self.rgb.get(at..at + 3)?.try_into().ok()
    }

    /// Encodes the pixels as PNG, fast rather than small.
    ///
    /// # Errors
    /// [`ClientError::Picture`].
    pub fn to_png(&self) -> Result<Vec<u8>, ClientError> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.w, self.h);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Fast);
        encoder
            .write_header()
            .and_then(|mut writer| writer.write_image_data(&self.rgb))
            .map_err(broken)?;
        Ok(bytes)
    }

    /// Puts `part` over this picture with its top left corner at (`x`, `y`).
    pub(crate) fn put(&mut self, part: &Self, x: u32, y: u32) -> Result<(), ClientError> {
        let fits = |at: u32, size: u32, all: u32| at.checked_add(size).is_some_and(|end| end <= all);
        if !fits(x, part.w, self.w) || !fits(y, part.h, self.h) {
            return Err(ClientError::protocol(format!(
                "a tile of {}x{} at ({x}, {y}) is not inside of a picture of {}x{}",
                part.w, part.h, self.w, self.h
            )));
        }
        let (row, part_row) = (self.w as usize * 3, part.w as usize * 3);
        let from = y as usize * row + x as usize * 3;
        for (line, pixels) in part.rgb.chunks_exact(part_row).enumerate() {
            let start = from + line * row;
            self.rgb[start..start + part_row].copy_from_slice(pixels);
        }
        Ok(())
    }
}

fn png_reader(bytes: &[u8]) -> Result<png::Reader<Cursor<&[u8]>>, ClientError> {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let reader = decoder.read_info().map_err(broken)?;
    check_size(reader.info().width.into(), reader.info().height.into())?;
    Ok(reader)
}

fn check_size(w: u64, h: u64) -> Result<(), ClientError> {
    let edge = LARGEST_EDGE as u64;
    if w == 0 || h == 0 || w > edge || h > edge || w * h > MOST_PIXELS {
        return Err(broken(format!("{w}x{h} pixels are none or too many")));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(w: u32, h: u32, colour: [u8; 3]) -> Picture {
        Picture {
            w,
            h,
            rgb: colour.repeat((w * h) as usize),
        }
    }

    #[test]
    fn png_there_and_back() {
        let mut whole = picture(7, 5, [1, 2, 3]);
        whole.put(&picture(2, 3, [200, 100, 0]), 5, 2).unwrap();
        let again = Picture::decode(&whole.to_png().unwrap(), ImageFormat::Png).unwrap();
        assert_eq!(again, whole);
        let png = whole.to_png().unwrap();
        let mut pixels = vec![0; 7 * 5 * 3];
        Picture::decode_into(&png, ImageFormat::Png, (7, 5), &mut pixels).unwrap();
        assert_eq!(pixels, whole.rgb());
        for (size, length) in [((5, 7), 105), ((7, 5), 104)] {
            let refused = Picture::decode_into(&png, ImageFormat::Png, size, &mut vec![0; length]);
            assert!(refused.is_err(), "{size:?} in {length} bytes");
        }
        assert_eq!(again.pixel(4, 2), Some([1, 2, 3]));
        assert_eq!(again.pixel(6, 4), Some([200, 100, 0]));
        assert_eq!(again.pixel(7, 0), None);
    }

    #[test]
    fn tiles_outside_are_refused() {
        let mut whole = picture(4, 4, [0; 3]);
        for (x, y) in [(3, 0), (0, 3), (u32::MAX, 0)] {
            assert!(whole.put(&picture(2, 2, [1; 3]), x, y).is_err());
        }
    }

    #[test]
    fn broken_bytes_are_an_error() {
        for format in [ImageFormat::Png, ImageFormat::Jpeg] {
            for bytes in [
                &b""[..],
                b"no picture",
                &picture(3, 3, [9; 3]).to_png().unwrap()[..40],
            ] {
                assert!(matches!(
                    Picture::decode(bytes, format),
                    Err(ClientError::Picture { .. })
                ));
            }
        }
    }
}
