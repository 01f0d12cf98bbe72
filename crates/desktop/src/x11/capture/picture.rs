//! One region's pixels over time: the present ones, their hash and number, and smaller versions of them.

use std::sync::Arc;

use super::history::History;
use super::pixels::{Piece, bring_in};
use crate::DesktopError;
use crate::backend::{Rect, Size};
use crate::image::{Frame, FrameHash, Scaler, scaled_part, scaled_size};

/// Smaller versions kept of one picture: as many sizes as clients usually ask for at one time.
const VERSIONS_KEPT: usize = 4;

/// Gives out generation numbers, which rise over all pictures, so that no two different ones ever share a number.
#[derive(Debug, Default)]
pub(super) struct Generations(u64);

impl Generations {
    fn next(&mut self) -> u64 {
        self.0 += 1;
        self.0
    }
}

/// The pixels of one region as they were last read.
#[derive(Debug)]
pub(super) struct Picture {
    frame: Arc<Frame>,
    /// Computed when it is first asked for.
    hash: Option<FrameHash>,
    history: History,
    versions: Vec<Version>,
}

/// A smaller version.
#[derive(Debug)]
struct Version {
    size: Size,
    generation: u64,
    frame: Arc<Frame>,
    hash: FrameHash,
}

impl Picture {
    /// A picture of this size, all black until pieces are brought in.
    ///
    /// # Errors
    /// `CaptureFailed` where the size has no area.
    pub(super) fn new(size: Size, generations: &mut Generations) -> Result<Self, DesktopError> {
        let bytes = size.w as usize * size.h as usize * 3;
        let frame = Frame::new(size, vec![0; bytes]).ok_or_else(|| {
            DesktopError::CaptureFailed(format!(
                "there is nothing to see: it is {} by {} pixels",
                size.w, size.h
            ))
        })?;
        Ok(Self {
            frame: Arc::new(frame),
            hash: None,
            history: History::new(generations.next()),
            versions: Vec::new(),
        })
    }

    /// The size before scaling.
    pub(super) fn size(&self) -> Size {
        self.frame.size()
    }

    /// The number of the present pixels.
    pub(super) fn generation(&self) -> u64 {
        self.history.generation()
    }

    /// Brings fresh pixels in. The generation rises once if any of them differs from what was there.
    pub(super) fn bring_in(&mut self, pieces: &[Piece<'_>], generations: &mut Generations) {
        let changed: Vec<Rect> = pieces
            .iter()
            .filter_map(|piece| bring_in(&mut self.frame, piece))
            .collect();
        if !changed.is_empty() {
            self.history.record(generations.next(), changed);
            self.hash = None;
        }
    }

    /// Gives the present pixels a new number and forgets how they came to be.
    pub(super) fn renumber(&mut self, generations: &mut Generations) {
        let (old, new) = (self.generation(), generations.next());
        self.history = History::new(new);
        for version in self
            .versions
            .iter_mut()
            .filter(|version| version.generation == old)
        {
            version.generation = new;
        }
    }

    /// The present pixels in this size, if they need not be computed.
    pub(super) fn kept(&self, max_long_edge: Option<u32>) -> Option<(Arc<Frame>, FrameHash)> {
        let size = self.delivered_size(max_long_edge);
        if size == self.size() {
            return self.hash.map(|hash| (Arc::clone(&self.frame), hash));
        }
        self.versions
            .iter()
            .find(|version| version.size == size && version.generation == self.generation())
            .map(|version| (Arc::clone(&version.frame), version.hash))
    }

    /// The present pixels in this size, computed where they are not there yet.
    pub(super) fn deliver(
        &mut self,
        max_long_edge: Option<u32>,
        scaler: &mut Scaler,
    ) -> Result<(Arc<Frame>, FrameHash), DesktopError> {
        if let Some(kept) = self.kept(max_long_edge) {
            return Ok(kept);
        }
        let size = self.delivered_size(max_long_edge);
        if size == self.size() {
            let hash = self.frame.hash();
            self.hash = Some(hash);
            return Ok((Arc::clone(&self.frame), hash));
        }
        let frame = scaler.scale(&self.frame, size.w.max(size.h)).ok_or_else(|| {
            DesktopError::CaptureFailed("the picture cannot be scaled; ask for it unscaled".to_owned())
        })?;
        let (hash, frame) = (frame.hash(), Arc::new(frame));
        self.keep(Version {
            size,
            generation: self.generation(),
            frame: Arc::clone(&frame),
            hash,
        });
        Ok((frame, hash))
    }

    /// The parts that can differ from generation `since`, in pixels of the delivered size.
    pub(super) fn dirty_since(&self, since: u64, max_long_edge: Option<u32>) -> Option<Vec<Rect>> {
        let (from, to) = (self.size(), self.delivered_size(max_long_edge));
        let dirty = self.history.since(since)?;
        Some(
            dirty
                .into_iter()
                .map(|part| scaled_part(part, from, to))
                .collect(),
        )
    }

    fn delivered_size(&self, max_long_edge: Option<u32>) -> Size {
        max_long_edge.map_or(self.size(), |limit| scaled_size(self.size(), limit))
    }

    /// Puts a version where one of its size was, or last, and lets the oldest go.
    fn keep(&mut self, version: Version) {
        self.versions.retain(|kept| kept.size != version.size);
        if self.versions.len() == VERSIONS_KEPT {
            self.versions.remove(0);
        }
        self.versions.push(version);
    }
}
