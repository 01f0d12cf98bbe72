//! The screencast as an animated picture (APNG), of which each frame is the part that changed.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use shinken::{CastFrame, ClientError, Rect, Screencast};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A rest longer than this is shown as this.
const LONGEST_REST: Duration = Duration::from_secs(2);

/// A recording that goes on.
#[derive(Debug)]
pub(crate) struct Recording {
    stop: oneshot::Sender<()>,
    task: JoinHandle<Result<Recorded, ClientError>>,
}

/// A recording that is over.
#[derive(Debug, Default)]
pub(crate) struct Recorded {
    parts: Vec<Part>,
    size: (u32, u32),
    /// Bytes of the codec that travelled.
    pub(crate) bytes: usize,
    /// How many of the frames were whole pictures.
    pub(crate) whole: usize,
    pub(crate) dropped: u64,
}

/// The part of a frame that changed.
#[derive(Debug)]
struct Part {
    at: Instant,
    place: Rect,
    rgb: Vec<u8>,
}

impl Recording {
    pub(crate) fn start(mut cast: Screencast) -> Self {
        let (stop, mut stopped) = oneshot::channel();
        let task = tokio::spawn(async move {
            let mut recorded = Recorded::default();
            loop {
                tokio::select! {
                    _ = &mut stopped => break,
                    frame = cast.next() => match frame {
                        Some(frame) => recorded.add(&frame?),
                        None => break,
                    },
                }
            }
            cast.stop().await?;
            Ok(recorded)
        });
        Self { stop, task }
    }

    /// Ends it, once the last change has arrived.
    pub(crate) async fn finish(self) -> anyhow::Result<Recorded> {
        tokio::time::sleep(Duration::from_millis(300)).await;
        // A recording that has ended by itself says why below.
        self.stop.send(()).ok();
        Ok(self.task.await.context("the recording broke")??)
    }
}

impl Recorded {
    /// How many frames there are.
    pub(crate) fn frames(&self) -> usize {
        self.parts.len()
    }

    fn add(&mut self, frame: &CastFrame) {
        let picture = &frame.picture;
        self.size = (picture.width(), picture.height());
        self.bytes += frame.encoded_bytes;
        self.whole += usize::from(frame.keyframe);
        self.dropped += frame.dropped;
        // The first frame of an APNG is the whole picture.
        let whole = Rect {
            x: 0,
            y: 0,
            w: picture.width(),
            h: picture.height(),
        };
        let place = if self.parts.is_empty() {
            whole
        } else {
            bounds(&frame.changed).unwrap_or(whole)
        };
        let stride = picture.width() as usize * 3;
        let (left, width) = (place.x as usize * 3, place.w as usize * 3);
        let rows = picture
            .rgb()
            .chunks_exact(stride)
            .skip(place.y as usize)
            .take(place.h as usize);
        let rgb = rows.flat_map(|row| &row[left..left + width]).copied().collect();
        self.parts.push(Part {
            at: Instant::now(),
            place,
            rgb,
        });
    }

    /// Writes it as an animated PNG.
    pub(crate) fn write(&self, path: &Path) -> anyhow::Result<()> {
        let file = std::io::BufWriter::new(std::fs::File::create(path)?);
        let mut encoder = png::Encoder::new(file, self.size.0, self.size.1);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_animated(u32::try_from(self.parts.len())?, 0)?;
        let mut writer = encoder.write_header()?;
        for (index, part) in self.parts.iter().enumerate() {
            let rest = match self.parts.get(index + 1) {
                Some(next) => next.at.duration_since(part.at).min(LONGEST_REST),
                None => LONGEST_REST,
            };
            writer.set_frame_delay(u16::try_from(rest.as_millis())?, 1000)?;
            if index > 0 {
                // Each of the two is checked against the other as it was for the frame before.
                writer.reset_frame_position()?;
                writer.set_frame_dimension(part.place.w, part.place.h)?;
                writer.set_frame_position(part.place.x, part.place.y)?;
            }
            writer.write_image_data(&part.rgb)?;
        }
        writer.finish()?;
        Ok(())
    }
}

/// The smallest rectangle around all.
fn bounds(rects: &[Rect]) -> Option<Rect> {
    let left = rects.iter().map(|rect| rect.x).min()?;
    let top = rects.iter().map(|rect| rect.y).min()?;
    let right = rects.iter().map(|rect| rect.x + rect.w).max()?;
    let bottom = rects.iter().map(|rect| rect.y + rect.h).max()?;
    Some(Rect {
        x: left,
        y: top,
        w: right - left,
        h: bottom - top,
    })
}
