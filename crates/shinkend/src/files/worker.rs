//! The thread that does the requests of one files channel, one after another.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use aci::error_code::ErrorCode;
use aci::files::{
    ArtifactsReply, Chunk, Done, Entries, Failed, List, MakeFolder, MakeLink, REQUESTS_AHEAD, Reply, Request,
    Stat, natural,
};
use tokio::sync::mpsc::{self, error::TryRecvError};
use tokio_util::sync::CancellationToken;
use transfer::TransferError;

use super::Files;
use crate::outbox::{Outbox, Outgoing};
use crate::server::Daemon;

/// What a client has sent.
#[derive(Debug)]
pub(super) enum Incoming {
    Request(Request),
    Chunk(Chunk),
}

/// Why a request was not done to its end.
#[derive(Debug)]
pub(super) enum Stop {
    /// The client is told why; the channel goes on.
    Failed(TransferError),
    /// The client has cancelled it.
    Cancelled,
    /// The connection is over.
    Gone,
}

impl From<TransferError> for Stop {
    fn from(error: TransferError) -> Self {
        Self::Failed(error)
    }
}

/// What the worker of a channel has.
#[derive(Debug)]
pub(super) struct Worker {
    pub(super) daemon: Arc<Daemon>,
    pub(super) files: Arc<Files>,
    inbox: mpsc::Receiver<Incoming>,
    outbox: Outbox,
    /// Requests that came while another was done; at most twice as many as a client may send ahead.
    backlog: VecDeque<Request>,
    pub(super) replaced: CancellationToken,
    busy: Arc<AtomicBool>,
}

impl Worker {
    pub(super) fn new(
        (daemon, files): (Arc<Daemon>, Arc<Files>),
        (inbox, outbox): (mpsc::Receiver<Incoming>, Outbox),
        replaced: CancellationToken,
        busy: Arc<AtomicBool>,
    ) -> Self {
        Self {
            daemon,
            files,
            inbox,
            outbox,
            backlog: VecDeque::new(),
            replaced,
            busy,
        }
    }

    /// Works until the connection is over.
    pub(super) fn run(mut self) {
        while let Some(request) = self.next_request() {
            self.busy.store(true, Ordering::Relaxed);
            let id = request.id();
            let reply = match self.answer(request) {
                Ok(Some(reply)) => reply,
                Ok(None) => continue,
                Err(Stop::Failed(error)) => failed(id, &error),
                Err(Stop::Cancelled) => failed(
                    id,
                    &TransferError::new(ErrorCode::FileFailed, "cancelled by the client"),
                ),
                Err(Stop::Gone) => return,
            };
            if self.say(reply).is_err() {
                return;
            }
            self.busy.store(false, Ordering::Relaxed);
        }
    }

    fn next_request(&mut self) -> Option<Request> {
        if let Some(request) = self.backlog.pop_front() {
            return Some(request);
        }
        loop {
            match self.inbox.blocking_recv()? {
                Incoming::Request(request) => return Some(request),
                // Of an upload that has failed; its client does not know yet.
                Incoming::Chunk(_) => {}
            }
        }
    }

    /// Does a request; `None` where nothing is to be said.
    fn answer(&mut self, request: Request) -> Result<Option<Reply>, Stop> {
        let id = request.id();
        if matches!(
            request,
            Request::ArtifactPut(_)
                | Request::ArtifactGet(_)
                | Request::ArtifactList(_)
                | Request::ArtifactRemove(_)
        ) {
            self.files.artifacts.prepare(&self.daemon.guard)?;
        }
        let reply = match request {
            Request::Put(put) => self.put(put)?,
            Request::Get(get) => self.get(get)?,
            Request::Stat(stat) => self.stat(&stat)?,
            Request::List(list) => self.list(&list)?,
            Request::MakeFolder(folder) => self.make_folder(&folder)?,
            Request::MakeLink(link) => self.make_link(&link)?,
            Request::ArtifactPut(put) => self.artifact_put(put)?,
            Request::ArtifactGet(get) => self.artifact_get(get)?,
            Request::ArtifactList(_) => ArtifactsReply {
                id: natural(id),
                artifacts: self.files.artifacts.list()?,
            }
            .into(),
            Request::ArtifactRemove(remove) => {
                self.files.artifacts.remove(&remove.sha256)?;
                done(id)
            }
            // Of what is over already.
            Request::Ack(_) | Request::Cancel(_) => return Ok(None),
        };
        Ok(Some(reply))
    }

    fn stat(&mut self, stat: &Stat) -> Result<Reply, Stop> {
        let files = Arc::clone(&self.files);
        let (tree, path) = files.scopes.find(stat.path.as_str())?;
        let mut entry = tree.entry(&path)?;
        entry.path = tree.shown(&path);
        Ok(Entries {
            id: stat.id,
            entries: vec![entry],
        }
        .into())
    }

    fn list(&mut self, list: &List) -> Result<Reply, Stop> {
        let files = Arc::clone(&self.files);
        let (tree, path) = files.scopes.find(list.path.as_str())?;
        let mut said = Ok(());
        transfer::list(tree, &path, list.recursive == Some(true), &mut |entries| {
            let entries = Entries { id: list.id, entries };
            said = self.say(entries.into());
            said.is_ok()
        })?;
        said.map(|()| done(list.id.to_u64()))
    }

    fn make_folder(&self, folder: &MakeFolder) -> Result<Reply, Stop> {
        let (tree, path) = self.files.scopes.find(folder.path.as_str())?;
        let mode = folder.mode.map(|mode| mode.to_u32());
        tree.make_folder(&path, mode, folder.parents == Some(true))?;
        Ok(done(folder.id.to_u64()))
    }

    fn make_link(&self, link: &MakeLink) -> Result<Reply, Stop> {
        let (tree, path) = self.files.scopes.find(link.path.as_str())?;
        tree.make_link(&path, link.target.as_str())?;
        Ok(done(link.id.to_u64()))
    }

    /// Sends a text, and waits for room.
    pub(super) fn say(&self, reply: Reply) -> Result<(), Stop> {
        self.send(Outgoing::Text(reply.to_text().into()))
    }

    pub(super) fn send(&self, message: Outgoing) -> Result<(), Stop> {
        self.outbox.put_blocking(message).map_err(|_| Stop::Gone)
    }

    /// The next chunk of an upload. Requests that come meanwhile wait; a client sends none before the last chunk but to cancel.
    pub(super) fn next_chunk(&mut self, id: u64) -> Result<Chunk, Stop> {
        loop {
            match self.inbox.blocking_recv().ok_or(Stop::Gone)? {
                Incoming::Chunk(chunk) if chunk.header.id.to_u64() == id => return Ok(chunk),
                // Of one that has failed.
                Incoming::Chunk(_) => {}
                Incoming::Request(Request::Cancel(cancel)) if cancel.id.to_u64() == id => {
                    return Err(Stop::Cancelled);
                }
                Incoming::Request(request) => self.keep(request)?,
            }
        }
    }

    /// What the receiver of a download has told last; waits for it where `wait` says so.
    pub(super) fn next_ack(&mut self, id: u64, wait: bool) -> Result<Option<u64>, Stop> {
        loop {
            let incoming = match wait {
                true => self.inbox.blocking_recv().ok_or(Stop::Gone)?,
                false => match self.inbox.try_recv() {
                    Ok(incoming) => incoming,
                    Err(TryRecvError::Empty) => return Ok(None),
                    Err(TryRecvError::Disconnected) => return Err(Stop::Gone),
                },
            };
            match incoming {
                Incoming::Request(Request::Ack(ack)) if ack.id.to_u64() == id => {
                    return Ok(Some(ack.offset.to_u64()));
                }
                Incoming::Request(Request::Cancel(cancel)) if cancel.id.to_u64() == id => {
                    return Err(Stop::Cancelled);
                }
                Incoming::Request(request) => self.keep(request)?,
                // Of an upload that has failed.
                Incoming::Chunk(_) => {}
            }
        }
    }

    fn keep(&mut self, request: Request) -> Result<(), Stop> {
        match request {
            Request::Ack(_) => {}
            Request::Cancel(cancel) => self.backlog.retain(|waiting| waiting.id() != cancel.id.to_u64()),
            request if self.backlog.len() < 2 * REQUESTS_AHEAD => self.backlog.push_back(request),
            // The reader says so when it finds nobody to hand on to.
            _ => return Err(Stop::Gone),
        }
        Ok(())
    }
}

/// That a request was done.
pub(super) fn done(id: u64) -> Reply {
    Done {
        id: natural(id),
        size: None,
        sha256: None,
        already: None,
    }
    .into()
}

fn failed(id: u64, error: &TransferError) -> Reply {
    let error = aci::error_code::CodedError::from(error.clone());
    Failed {
        id: natural(id),
        error: error.to_string(),
    }
    .into()
}
