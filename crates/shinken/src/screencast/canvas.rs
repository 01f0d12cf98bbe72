//! What was sent of a frame, and the picture that it is laid over.

use std::collections::HashSet;
use std::sync::Arc;

use aci::frame::{Frame, Header};
use aci::geometry::CoordinateSpace;
use aci::observation::Observation;
use aci::welcome::ImageFormat;
use aci::{Natural, Positive};
use bytes::Bytes;

use crate::error::ClientError;
use crate::picture::{Picture, Rect};
use crate::routes::from_base64;

/// More tiles than any screen has; a peer that sends more is not to be kept.
const MOST_TILES: usize = 1 << 17;

/// One frame as it was sent, or several that were put together.
#[derive(Debug, Clone)]
pub(crate) struct Update {
    stream: String,
    seq: u64,
    display: Option<CoordinateSpace>,
    whole: Option<Bytes>,
    /// Over the whole picture, in this order.
    tiles: Vec<(Rect, Bytes)>,
    encoded_bytes: usize,
    /// Whether it is as it was sent, its parts being views of one message.
    one_message: bool,
}

impl Update {
    pub(crate) fn from_frame(frame: &Frame) -> Result<Self, ClientError> {
        let Header::Observation(header) = frame.header() else {
            return Err(ClientError::protocol(
                "a program's output is no frame of a screencast",
            ));
        };
        let tiles = header.tiles.iter().flat_map(|tiles| tiles.as_slice());
        Ok(Self::new(
            header.stream.clone(),
            header.seq,
            header.display,
            header.image.map(|image| frame.slice(image.off, image.len)),
            tiles
                .map(|tile| {
                    (
                        rect(tile.x, tile.y, tile.w, tile.h),
                        frame.slice(tile.off, tile.len),
                    )
                })
                .collect(),
        ))
    }

    pub(crate) fn from_observation(observation: &Observation) -> Result<Self, ClientError> {
        let image = observation.image.as_ref();
        let tiles = observation.tiles.iter().flat_map(|tiles| tiles.as_slice());
        Ok(Self::new(
            observation.stream.clone(),
            observation.seq,
            observation.display,
            image.map(|image| from_base64(&image.data_b64)).transpose()?,
            tiles
                .map(|tile| Ok((rect(tile.x, tile.y, tile.w, tile.h), from_base64(&tile.data_b64)?)))
                .collect::<Result<_, ClientError>>()?,
        ))
    }

    fn new(
        stream: Option<String>,
        seq: Option<Natural>,
        display: Option<CoordinateSpace>,
        whole: Option<Bytes>,
        tiles: Vec<(Rect, Bytes)>,
    ) -> Self {
        let encoded_bytes = whole
            .iter()
            .chain(tiles.iter().map(|(_, bytes)| bytes))
            .map(Bytes::len)
            .sum();
        Self {
            // The parser has seen to it that a frame of a stream has both.
            stream: stream.unwrap_or_default(),
            seq: seq.unwrap_or_default().to_u64(),
            display,
            whole,
            tiles,
            encoded_bytes,
            one_message: true,
        }
    }

    /// The encoded bytes that it keeps in memory.
    pub(super) fn kept(&self) -> usize {
        let parts = self.whole.iter().chain(self.tiles.iter().map(|(_, bytes)| bytes));
        parts.map(Bytes::len).sum()
    }

    /// Whether nothing was put together for it.
    pub(super) fn is_one_message(&self) -> bool {
        self.one_message
    }

    /// Gives the tiles memory of their own. As views, the last one left of a message would keep all of the message.
    fn detach(&mut self) {
        for (_, bytes) in &mut self.tiles {
            *bytes = Bytes::copy_from_slice(bytes);
        }
    }

    /// Lays a newer update over this one.
    pub(super) fn merge(&mut self, mut newer: Self) -> Result<(), ClientError> {
        let encoded_bytes = self.encoded_bytes + newer.encoded_bytes;
        if newer.whole.is_some() {
            *self = newer;
        } else {
            if self.one_message {
                self.detach();
            }
            if newer.one_message {
                newer.detach();
            }
            self.one_message = false;
            let hidden: HashSet<Rect> = newer.tiles.iter().map(|(rect, _)| *rect).collect();
            self.tiles.retain(|(rect, _)| !hidden.contains(rect));
            self.tiles.extend(newer.tiles);
            self.stream = newer.stream;
            self.seq = newer.seq;
            self.display = newer.display;
        }
        self.encoded_bytes = encoded_bytes;
        if self.tiles.len() > MOST_TILES {
            return Err(ClientError::protocol(
                "a screencast sends more tiles than a screen has",
            ));
        }
        Ok(())
    }
}

fn rect(x: Natural, y: Natural, w: Positive, h: Positive) -> Rect {
    Rect {
        x: x.to_u32(),
        y: y.to_u32(),
        w: w.to_u32(),
        h: h.to_u32(),
    }
}

/// The picture so far.
#[derive(Debug, Default)]
pub(super) struct Canvas(Option<Arc<Picture>>);

/// A picture with an update laid over it.
#[derive(Debug)]
pub(super) struct Composed {
    pub(super) stream: String,
    pub(super) seq: u64,
    pub(super) keyframe: bool,
    pub(super) changed: Vec<Rect>,
    pub(super) picture: Arc<Picture>,
    pub(super) display: Option<CoordinateSpace>,
    pub(super) encoded_bytes: usize,
}

impl Canvas {
    /// Decodes an update and lays it over the picture. It takes its time, so it runs on a blocking thread.
    pub(super) fn apply(&mut self, update: Update) -> Result<Composed, ClientError> {
        let Update {
            stream,
            seq,
            display,
            whole,
            tiles,
            encoded_bytes,
            one_message: _,
        } = update;
        let keyframe = whole.is_some();
        let mut changed = Vec::new();
        if let Some(bytes) = whole {
            let picture = decode(&bytes)?;
            changed.push(Rect {
                x: 0,
                y: 0,
                w: picture.width(),
                h: picture.height(),
            });
            self.0 = Some(Arc::new(picture));
        }
        let picture = self.0.as_mut().ok_or_else(|| {
            ClientError::protocol("a screencast began with tiles; there is no picture that they belong to")
        })?;
        if !tiles.is_empty() {
            // A copy is made only where the reader still holds the last picture.
            let canvas = Arc::make_mut(picture);
            for (at, bytes) in tiles {
                let tile = decode(&bytes)?;
                if (tile.width(), tile.height()) != (at.w, at.h) {
                    return Err(ClientError::protocol("a tile has another size than was said"));
                }
                canvas.put(&tile, at.x, at.y)?;
                if !keyframe {
                    changed.push(at);
                }
            }
        }
        Ok(Composed {
            stream,
            seq,
            keyframe,
            changed,
            picture: Arc::clone(picture),
            display,
            encoded_bytes,
        })
    }
}

/// Tiles do not name their codec, but both codecs begin with bytes of their own.
fn decode(bytes: &[u8]) -> Result<Picture, ClientError> {
    let format = if bytes.starts_with(&[0xff, 0xd8]) {
        ImageFormat::Jpeg
    } else {
        ImageFormat::Png
    };
    Picture::decode(bytes, format)
}

#[cfg(test)]
mod tests {
    use super::super::CastQueue;
    use super::*;

    fn png(w: u32, h: u32, shade: u8) -> Bytes {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, w, h);
        encoder.set_color(png::ColorType::Rgb);
        let mut writer = encoder.write_header().unwrap();
        writer
            .write_image_data(&vec![shade; (w * h * 3) as usize])
            .unwrap();
        drop(writer);
        bytes.into()
    }

    fn update(seq: u64, whole: Option<Bytes>, tiles: &[(u32, u32, u8)]) -> Update {
        let tiles = tiles
            .iter()
            .map(|&(x, y, shade)| (Rect { x, y, w: 2, h: 2 }, png(2, 2, shade)))
            .collect();
        Update::new(Some("s".to_owned()), Natural::new(seq as i64), None, whole, tiles)
    }

    /// Ten frames, of which every one changes what the one before it changed and something more.
    fn frames() -> Vec<Update> {
        let mut frames = vec![update(0, Some(png(8, 8, 0)), &[])];
        frames.extend((1..10_u8).map(|n| {
            let column = u32::from(n % 4) * 2;
            update(n.into(), None, &[(column, 0, n), (0, 6, 100 + n)])
        }));
        frames
    }

    fn last_picture(updates: impl IntoIterator<Item = Update>) -> Composed {
        let mut canvas = Canvas::default();
        updates
            .into_iter()
            .map(|update| canvas.apply(update).unwrap())
            .last()
            .unwrap()
    }

    #[tokio::test]
    async fn a_slow_reader_ends_with_the_same_picture() {
        let all = last_picture(frames());
        for capacity in [1, 2, 3, 20] {
            let queue = CastQueue::new(capacity, usize::MAX);
            frames().into_iter().for_each(|update| queue.push(update));
            queue.replaced();
            let mut kept = Vec::new();
            while let Some(update) = queue.pop().await.unwrap() {
                kept.push(update);
            }
            assert_eq!(kept.len(), capacity.min(10));
            let composed = last_picture(kept);
            assert_eq!((composed.seq, &composed.picture), (9, &all.picture), "{capacity}");
        }
        assert_eq!(all.picture.pixel(2, 0), Some([9; 3]));
        assert_eq!(all.picture.pixel(0, 7), Some([109; 3]));
        assert_eq!(all.picture.pixel(7, 7), Some([0; 3]));
    }

    #[tokio::test]
    async fn too_many_bytes_are_put_together_and_end_the_stream_where_that_does_not_help() {
        let all = frames();
        let together: usize = all.iter().map(Update::kept).sum();
        let mut once = all[0].clone();
        all[1..]
            .iter()
            .for_each(|update| once.merge(update.clone()).unwrap());
        let enough = CastQueue::new(20, once.kept());
        assert!(once.kept() < together);
        frames().into_iter().for_each(|update| enough.push(update));
        enough.replaced();
        let mut last = None;
        while let Some(update) = enough.pop().await.unwrap() {
            last = Some(update);
        }
        assert_eq!(last.unwrap().seq, 9);

        let little = CastQueue::new(20, once.kept() - 1);
        frames().into_iter().for_each(|update| little.push(update));
        while let Ok(update) = little.pop().await {
            assert!(update.unwrap().seq <= 9);
        }
        assert!(matches!(little.pop().await, Err(ClientError::Behind { .. })));

        // Whole pictures take the place of older ones, whatever their size.
        let whole = CastQueue::new(20, 1);
        for seq in 0..10 {
            whole.push(update(seq, Some(png(8, 8, 0)), &[]));
        }
        assert_eq!(whole.pop().await.unwrap().unwrap().seq, 9);
    }

    #[test]
    fn tiles_need_a_picture_and_their_size() {
        assert!(Canvas::default().apply(update(0, None, &[(0, 0, 1)])).is_err());
        let mut canvas = Canvas::default();
        canvas.apply(update(0, Some(png(8, 8, 0)), &[])).unwrap();
        assert!(canvas.apply(update(1, None, &[(7, 7, 1)])).is_err());
        let mut wrong = update(1, None, &[(0, 0, 1)]);
        wrong.tiles[0].0.w = 3;
        assert!(canvas.apply(wrong).is_err());
    }

    #[test]
    fn a_picture_that_the_reader_holds_does_not_change_under_it() {
        let mut canvas = Canvas::default();
        let first = canvas.apply(update(0, Some(png(8, 8, 0)), &[])).unwrap();
        let second = canvas.apply(update(1, None, &[(0, 0, 7)])).unwrap();
        assert_eq!(first.picture.pixel(0, 0), Some([0; 3]));
        assert_eq!(second.picture.pixel(0, 0), Some([7; 3]));
        assert_eq!(
            second.changed,
            [Rect {
                x: 0,
                y: 0,
                w: 2,
                h: 2
            }]
        );
    }
}
