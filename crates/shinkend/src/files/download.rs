//! `get`: a file that goes to a client.

use std::sync::Arc;

use aci::files::{Entry, Found, Get, Reply, WINDOW_BYTES, natural};
use transfer::{Source, Whole};

use super::upload::is_whole;
use super::worker::{Stop, Worker};
use crate::outbox::Outgoing;

/// What a client has of a file already: how many bytes, and their hash.
pub(super) type Had = Option<(u64, String)>;

impl Worker {
    pub(super) fn get(&mut self, get: Get) -> Result<Reply, Stop> {
        let files = Arc::clone(&self.files);
        let (tree, path) = files.scopes.find(get.path.as_str())?;
        let (file, entry) = tree.open_file(&path)?;
        let source = Source::file(file, &entry, tree.shown(&path));
        let had = get.offset.map(|offset| offset.to_u64()).zip(get.sha256);
        self.send_file(get.id.to_u64(), source, entry, had)
    }

    /// Sends a file from where the client has it.
    pub(super) fn send_file(
        &mut self,
        id: u64,
        mut source: Source,
        entry: Entry,
        had: Had,
    ) -> Result<Reply, Stop> {
        if let Some((offset, sha256)) = had {
            source.go_on_from(offset, &sha256)?;
        }
        let mut received = source.offset();
        self.say(
            Found {
                id: natural(id),
                entry,
                offset: natural(received),
            }
            .into(),
        )?;
        while !source.has_ended() {
            let chunk = source.next_chunk(id)?;
            self.send(Outgoing::Binary(chunk))?;
            // Also where there is room, so that a client which cancels is heard.
            while let Some(offset) =
                self.next_ack(id, source.offset().saturating_sub(received) >= WINDOW_BYTES)?
            {
                received = received.max(offset.min(source.offset()));
            }
        }
        let whole = Whole {
            size: source.offset(),
            sha256: source.sha256(),
        };
        Ok(is_whole(id, whole, None))
    }
}
