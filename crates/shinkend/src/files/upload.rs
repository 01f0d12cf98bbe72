//! `put`: a file that comes from a client.

use std::sync::Arc;

use aci::error_code::ErrorCode;
use aci::files::{ACK_BYTES, Done, FileAck, Put, Ready, Reply, natural};
use transfer::{Attributes, Sink, TransferError, Whole};

use super::quota::Charge;
use super::worker::{Stop, Worker};

/// What has come of a file, and what it takes of the quota.
#[derive(Debug)]
pub(super) struct Upload {
    pub(super) sink: Sink,
    pub(super) charge: Charge,
    /// As the client has named its place.
    pub(super) path: String,
}

impl Worker {
    pub(super) fn put(&mut self, put: Put) -> Result<Reply, Stop> {
        let files = Arc::clone(&self.files);
        let id = put.id.to_u64();
        self.check_size(put.size.to_u64())?;
        let (tree, path) = files.scopes.find(put.path.as_str())?;
        let begin = || -> Result<Upload, TransferError> {
            let mut charge = files.quota.begin();
            charge.reach(put.size.to_u64())?;
            Ok(Upload {
                sink: tree.create_file(&path, put.parents == Some(true))?,
                charge,
                path: put.path.as_str().to_owned(),
            })
        };
        let (turn, mut upload) = match &put.key {
            None => (None, begin()?),
            Some(key) => {
                let (turn, kept) = files.partials.begin(key.as_str(), &self.replaced, true);
                let kept = kept.filter(|upload| upload.path == put.path.as_str());
                let upload = kept.map_or_else(begin, Ok)?;
                self.say_ready(id, &upload.sink)?;
                (Some(turn), upload)
            }
        };
        match self.receive(id, &mut upload) {
            Ok(()) => {}
            Err(stop) => {
                // What has come is good where only the connection or a chunk was not.
                let goes_on = match &stop {
                    Stop::Gone => true,
                    Stop::Failed(error) => error.code() == ErrorCode::ChecksumMismatch,
                    Stop::Cancelled => false,
                };
                if let Some(turn) = turn.filter(|_| goes_on) {
                    turn.keep(upload);
                }
                return Err(stop);
            }
        }
        let whole = upload.sink.finish(Attributes {
            mode: put.mode.map(|mode| mode.to_u32()),
            mtime_ms: put.mtime_ms.map(|millis| millis.get()),
        })?;
        upload.charge.keep();
        Ok(is_whole(id, whole, None))
    }

    /// Says from where an upload goes on.
    pub(super) fn say_ready(&self, id: u64, sink: &Sink) -> Result<(), Stop> {
        self.say(
            Ready {
                id: natural(id),
                offset: natural(sink.offset()),
                sha256: sink.sha256(),
            }
            .into(),
        )
    }

    /// Takes chunks up to the last one.
    pub(super) fn receive(&mut self, id: u64, upload: &mut Upload) -> Result<(), Stop> {
        let mut told = upload.sink.offset();
        loop {
            let chunk = self.next_chunk(id)?;
            let offset = chunk.header.offset.to_u64();
            let end = offset.saturating_add(chunk.payload.len() as u64);
            self.check_size(end)?;
            upload.charge.reach(end)?;
            upload.sink.take(offset, &chunk.payload, &chunk.header.sha256)?;
            if chunk.header.last {
                return Ok(());
            }
            if end < told || end - told >= ACK_BYTES {
                told = end;
                self.say(
                    FileAck {
                        id: natural(id),
                        offset: natural(told),
                    }
                    .into(),
                )?;
            }
        }
    }

    fn check_size(&self, bytes: u64) -> Result<(), TransferError> {
        match self.files.file_bytes {
            Some(limit) if bytes > limit => Err(TransferError::new(
                ErrorCode::QuotaExceeded,
                format!("a file may have {limit} bytes here; start shinkend with a larger --max-file-bytes"),
            )),
            _ => Ok(()),
        }
    }
}

/// That a file is there.
pub(super) fn is_whole(id: u64, whole: Whole, already: Option<bool>) -> Reply {
    Done {
        id: natural(id),
        size: Some(natural(whole.size)),
        sha256: Some(whole.sha256),
        already,
    }
    .into()
}
