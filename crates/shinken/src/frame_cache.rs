//! Pictures that several sessions share.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};

use crate::screenshot::{Screenshot, Shot};

/// How many kinds of picture are remembered with their last frame.
const KINDS: usize = 256;

/// A store of pictures by their hash, bounded in bytes; what was used longest ago goes first.
///
/// Sessions that share one are spared pictures that any of them has seen: a fleet of equal desktops that does equal steps
/// receives each picture once. The runtime decides by the pixels, so a picture is never stale.
#[derive(Debug)]
pub struct FrameCache {
    limit: usize,
    store: Mutex<Store>,
}

/// Equal pixels under another codec or quality are other bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Key {
    hash: String,
    coding: Shot,
}

#[derive(Debug, Default)]
struct Store {
    pictures: HashMap<Key, (Screenshot, u64)>,
    /// By their last use.
    order: BTreeMap<u64, Key>,
    /// The hash of the last picture of each kind.
    last: HashMap<Shot, (String, u64)>,
    clock: u64,
    bytes: usize,
    hits: u64,
    misses: u64,
}

/// How a cache has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CacheStats {
    /// Pictures in it.
    pub pictures: usize,
    /// Their bytes.
    pub bytes: usize,
    /// Answers without pixels.
    pub hits: u64,
    /// Pictures that had to be sent.
    pub misses: u64,
}

impl FrameCache {
    /// An empty store of at most so many bytes of pictures.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            store: Mutex::default(),
        }
    }

    /// How it has done so far.
    pub fn stats(&self) -> CacheStats {
        self.with(|store| CacheStats {
            pictures: store.pictures.len(),
            bytes: store.bytes,
            hits: store.hits,
            misses: store.misses,
        })
    }

    /// The picture with this hash, or else the last one of its kind that any session has seen.
    pub(crate) fn candidate(&self, shot: Shot, hash: Option<&str>) -> Option<Screenshot> {
        self.with(|store| {
            let hash = match hash {
                Some(hash) => hash.to_owned(),
                None => store.last.get(&shot)?.0.clone(),
            };
            store.take(Key {
                hash,
                coding: shot.coding(),
            })
        })
    }

    /// Counts an answer without pixels, and makes its picture the last of its kind.
    pub(crate) fn hit(&self, shot: Shot, hash: &str) {
        self.with(|store| {
            store.hits += 1;
            store.note_last(shot, hash);
        });
    }

    /// Keeps a picture that was sent.
    pub(crate) fn keep(&self, shot: Shot, picture: &Screenshot) {
        let Some(hash) = &picture.frame_hash else { return };
        self.with(|store| {
            store.misses += 1;
            if picture.bytes.len() > self.limit {
                return;
            }
            store.note_last(shot, hash);
            let key = Key {
                hash: hash.clone(),
                coding: shot.coding(),
            };
            if store.take(key.clone()).is_none() {
                store.clock += 1;
                store.bytes += picture.bytes.len();
                store.order.insert(store.clock, key.clone());
                store.pictures.insert(key, (picture.clone(), store.clock));
            }
            while store.bytes > self.limit
                && let Some((_, oldest)) = store.order.pop_first()
            {
                if let Some((gone, _)) = store.pictures.remove(&oldest) {
                    store.bytes -= gone.bytes.len();
                }
            }
        });
    }

    fn with<T>(&self, work: impl FnOnce(&mut Store) -> T) -> T {
        work(&mut self.store.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Store {
    /// The picture, which becomes the one used last.
    fn take(&mut self, key: Key) -> Option<Screenshot> {
        let (picture, used) = self.pictures.get_mut(&key)?;
        self.clock += 1;
        self.order.remove(used);
        *used = self.clock;
        self.order.insert(self.clock, key);
        Some(picture.clone())
    }

    fn note_last(&mut self, shot: Shot, hash: &str) {
        self.clock += 1;
        self.last.insert(shot, (hash.to_owned(), self.clock));
        if self.last.len() > KINDS
            && let Some(oldest) = self
                .last
                .iter()
                .min_by_key(|(_, (_, used))| *used)
                .map(|(shot, _)| *shot)
        {
            self.last.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aci::welcome::ImageFormat;
    use bytes::Bytes;

    fn picture(hash: &str, size: usize) -> Screenshot {
        Screenshot {
            bytes: Bytes::from(vec![0; size]),
            format: ImageFormat::Png,
            w: 1,
            h: 1,
            scope: None,
            display: None,
            frame_hash: Some(hash.to_owned()),
            pointer: None,
            from_cache: false,
        }
    }

    #[test]
    fn what_was_used_longest_ago_goes_first() {
        let cache = FrameCache::new(100);
        let shot = Shot::screen();
        cache.keep(shot, &picture("a", 40));
        cache.keep(shot, &picture("b", 40));
        assert!(cache.candidate(shot, Some("a")).is_some());
        cache.keep(shot, &picture("c", 40));
        assert!(cache.candidate(shot, Some("b")).is_none());
        assert!(cache.candidate(shot, Some("a")).is_some());
        assert_eq!(cache.stats().bytes, 80);
        cache.keep(shot, &picture("too large", 101));
        assert_eq!(cache.stats().pictures, 2);
    }

    #[test]
    fn another_codec_is_another_picture_and_another_scope_is_not() {
        let cache = FrameCache::new(1000);
        cache.keep(Shot::screen(), &picture("a", 10));
        assert!(cache.candidate(Shot::screen().jpeg(80), Some("a")).is_none());
        assert!(cache.candidate(Shot::window(7), Some("a")).is_some());
        assert!(cache.candidate(Shot::window(7), None).is_none());
        assert!(cache.candidate(Shot::screen(), None).is_some());
    }

    #[test]
    fn kinds_are_bounded() {
        let cache = FrameCache::new(1000);
        for id in 0..1000 {
            cache.keep(Shot::window(id), &picture("a", 10));
        }
        assert_eq!(cache.with(|store| store.last.len()), KINDS);
        assert!(cache.candidate(Shot::window(999), None).is_some());
    }
}
