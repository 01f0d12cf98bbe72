//! What a session has seen last, to guess which picture the screen still shows.

use std::collections::HashMap;

use crate::screenshot::Shot;

/// How many kinds of picture one session remembers.
const KINDS: usize = 16;

/// The hashes of a session's last pictures.
#[derive(Debug, Default)]
pub(crate) struct LastSeen {
    hashes: HashMap<Shot, String>,
}

impl LastSeen {
    /// The session does something. What it saw before is a worse guess from here on than what others, who may have done the
    /// same, have seen since.
    pub(crate) fn acted(&mut self) {
        self.hashes.clear();
    }

    /// The session has seen a picture.
    pub(crate) fn saw(&mut self, shot: Shot, hash: String) {
        if self.hashes.len() >= KINDS && !self.hashes.contains_key(&shot) {
            self.hashes.clear();
        }
        self.hashes.insert(shot, hash);
    }

    /// The hash of its last picture of this kind.
    pub(crate) fn hash(&self, shot: Shot) -> Option<&str> {
        self.hashes.get(&shot).map(String::as_str)
    }
}
