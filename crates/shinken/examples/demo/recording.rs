//! The screencast as an animated picture (APNG), of which each frame is the part that changed.

use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use shinken::{CastFrame, ClientError, Picture, Rect, Screencast};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A rest longer than this is shown as this.
const LONGEST_REST: Duration = Duration::from_secs(2);

/// Typing is faster than eyes: each frame is shown for at least this.
const SHORTEST: Duration = Duration::from_millis(350);
/// Bytes of the file, so that a page shows it soon.
const LARGEST_FILE: usize = 380_000;

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
        let rgb = cut(picture.rgb(), picture.width() as usize * 3, place);
        self.parts.push(Part {
            at: Instant::now(),
            place,
            rgb,
        });
    }

    /// Writes it as an animated PNG that shows the cover where animations are not shown. What was seen while windows came
    /// and went is left out. Frames are put together until the file is small enough.
    pub(crate) fn write(
        &self,
        path: &Path,
        unsettled: &[Range<Instant>],
        cover: &Picture,
    ) -> anyhow::Result<()> {
        let mut closest = Duration::from_millis(8);
        let mut file = self.encode(&self.put_together(unsettled, closest), cover)?;
        while file.len() > LARGEST_FILE && closest < LONGEST_REST {
            closest *= 2;
            file = self.encode(&self.put_together(unsettled, closest), cover)?;
        }
        std::fs::write(path, file)?;
        Ok(())
    }

    /// The frames to show: a part that is followed too closely, or that a window was still being painted in, is shown with
    /// the next one.
    fn put_together(&self, unsettled: &[Range<Instant>], closest: Duration) -> Vec<Part> {
        let stride = self.size.0 as usize * 3;
        let mut canvas = vec![0; stride * self.size.1 as usize];
        let mut shown = Vec::new();
        let mut waiting: Option<Rect> = None;
        for (index, part) in self.parts.iter().enumerate() {
            let width = part.place.w as usize * 3;
            let left = part.place.x as usize * 3;
            let rows = canvas.chunks_exact_mut(stride).skip(part.place.y as usize);
            for (row, new) in rows.zip(part.rgb.chunks_exact(width.max(3))) {
                row[left..left + width].copy_from_slice(new);
            }
            let place = bounds(
                &[Some(part.place), waiting]
                    .into_iter()
                    .flatten()
                    .collect::<Vec<_>>(),
            )
            .unwrap_or(part.place);
            let merged = self.parts.get(index + 1).is_some_and(|next| {
                // The first frame stays: it is the whole picture.
                let same = |span: &Range<Instant>| span.contains(&part.at) && span.contains(&next.at);
                index > 0 && (next.at - part.at < closest || unsettled.iter().any(same))
            });
            if merged {
                waiting = Some(place);
                continue;
            }
            waiting = None;
            shown.push(Part {
                at: part.at,
                place,
                rgb: cut(&canvas, stride, place),
            });
        }
        shown
    }

    fn encode(&self, parts: &[Part], cover: &Picture) -> anyhow::Result<Vec<u8>> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.size.0, self.size.1);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::High);
        encoder.set_animated(u32::try_from(parts.len())?, 0)?;
        encoder.set_sep_def_img(true)?;
        let mut writer = encoder.write_header()?;
        writer.write_image_data(cover.rgb())?;
        for (index, part) in parts.iter().enumerate() {
            let rest = match parts.get(index + 1) {
                Some(next) => (next.at - part.at).clamp(SHORTEST, LONGEST_REST),
                None => LONGEST_REST,
            };
            writer.set_frame_delay(u16::try_from(rest.as_millis())?, 1000)?;
            // Each of the two is checked against the other as it was for the frame before.
            writer.reset_frame_position()?;
            writer.set_frame_dimension(part.place.w, part.place.h)?;
            writer.set_frame_position(part.place.x, part.place.y)?;
            writer.write_image_data(&part.rgb)?;
        }
        writer.finish()?;
        Ok(file)
    }
}

/// A part of a picture whose rows have so many bytes.
fn cut(rgb: &[u8], stride: usize, place: Rect) -> Vec<u8> {
    let (left, width) = (place.x as usize * 3, place.w as usize * 3);
    let rows = rgb
        .chunks_exact(stride)
        .skip(place.y as usize)
        .take(place.h as usize);
    rows.flat_map(|row| &row[left..left + width]).copied().collect()
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
