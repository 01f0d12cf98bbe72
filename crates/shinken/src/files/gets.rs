//! Gets files from the desktop, many without waiting for each.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;

use aci::NonEmptyString;
use aci::error_code::ErrorCode;
use aci::files::{
    ACK_BYTES, ArtifactGet, Cancel, Chunk, Done, Failed, FileAck, Found, Get, REQUESTS_AHEAD, Reply, Request,
    WINDOW_BYTES, natural,
};
use bytes::Bytes;
use transfer::{Attributes, Inside, Sink, Tree};

use super::drive::Work;
use super::link::{Link, Said, Stop};
use super::report::Report;
use super::{Transfer, Transferred};
use crate::error::ClientError;

/// How often a file is asked for again because its bytes arrived otherwise than they were sent.
const REPAIRS: u32 = 8;

/// Where a file is to be.
#[derive(Debug, Clone)]
pub(super) enum Into {
    /// Beneath a folder.
    Tree(Arc<Tree>, Inside),
    /// At a path of this side.
    Path(PathBuf),
    /// In memory, with at most so many bytes.
    Memory(usize),
}

/// One file to get.
#[derive(Debug)]
pub(super) struct Job {
    /// Its path, or the hash of an artifact.
    remote: String,
    is_artifact: bool,
    into: Into,
    /// What progress calls it.
    shown: String,
    /// How many bytes are expected.
    size: u64,
    /// What has come of it.
    sink: Option<Sink>,
    attributes: Attributes,
    told: u64,
    repairs: u32,
}

/// Files to get, in order.
#[derive(Debug)]
pub(super) struct Gets {
    jobs: VecDeque<Job>,
    /// What was asked for; the first is the one that comes.
    flight: VecDeque<(u64, Job)>,
    report: Report,
    /// Whether the number of files and bytes was known from the begin.
    counted: bool,
    last: Option<Transferred>,
    bytes: Vec<u8>,
}

/// What came.
#[derive(Debug)]
pub(super) struct Received {
    /// The last file.
    pub(super) last: Transferred,
    /// Its bytes, where they were to be in memory.
    pub(super) bytes: Bytes,
    /// How many bytes all have.
    pub(super) all: u64,
}

impl Job {
    pub(super) fn new(remote: String, into: Into, shown: String, size: u64) -> Self {
        Self {
            remote,
            is_artifact: false,
            into,
            shown,
            size,
            sink: None,
            attributes: Attributes::default(),
            told: 0,
            repairs: 0,
        }
    }

    /// Where its chunks go.
    fn sink(&mut self) -> Result<&mut Sink, Stop> {
        if self.sink.is_none() {
            let sink = match &self.into {
                Into::Memory(limit) => Sink::memory(self.shown.clone(), *limit),
                Into::Tree(tree, path) => tree.create_file(path, true)?,
                Into::Path(path) => {
                    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
                        std::fs::create_dir_all(folder).map_err(|error| {
                            transfer::TransferError::of_io(
                                "make the folder",
                                &folder.display().to_string(),
                                &error,
                            )
                        })?;
                    }
                    let (tree, name) = super::puts::beside(path)?;
                    tree.create_file(&name, false)?
                }
            };
            self.sink = Some(sink);
        }
        self.sink
            .as_mut()
            .ok_or_else(|| Stop::Failed(ClientError::protocol("a chunk came before its file")))
    }

    fn request(&self, id: u64) -> Result<Request, ClientError> {
        let had = self.sink.as_ref().filter(|sink| sink.offset() > 0);
        let offset = had.map(|sink| natural(sink.offset()));
        let prefix = had.map(Sink::sha256);
        let id = natural(id);
        Ok(match self.is_artifact {
            true => ArtifactGet {
                id,
                sha256: self.remote.clone(),
                offset,
                prefix_sha256: prefix,
            }
            .into(),
            false => Get {
                id,
                path: NonEmptyString::new(self.remote.clone())
                    .ok_or_else(|| ClientError::invalid("the path on the desktop is empty"))?,
                offset,
                sha256: prefix,
            }
            .into(),
        })
    }
}

impl Gets {
    pub(super) fn new(jobs: VecDeque<Job>, options: Transfer) -> Self {
        let mut report = Report::new(options);
        for job in &jobs {
            report.expect(job.size);
        }
        Self {
            jobs,
            flight: VecDeque::new(),
            report,
            counted: true,
            last: None,
            bytes: Vec::new(),
        }
    }

    fn one(job: Job, options: Transfer) -> Self {
        Self {
            jobs: VecDeque::from([job]),
            counted: false,
            ..Self::new(VecDeque::new(), options)
        }
    }

    pub(super) fn file(remote: String, local: PathBuf, options: Transfer) -> Self {
        Self::one(Job::new(remote.clone(), Into::Path(local), remote, 0), options)
    }

    pub(super) fn bytes(remote: String, limit: usize, options: Transfer) -> Self {
        Self::one(Job::new(remote.clone(), Into::Memory(limit), remote, 0), options)
    }

    pub(super) fn artifact(sha256: String, local: PathBuf, options: Transfer) -> Self {
        let mut job = Job::new(sha256.clone(), Into::Path(local), sha256, 0);
        job.is_artifact = true;
        Self::one(job, options)
    }

    fn said(&mut self, said: Said, link: &mut Link) -> Result<(), Stop> {
        match said {
            Said::Chunk(chunk) => self.chunk(&chunk, link),
            Said::Reply(Reply::Found(found)) => self.found(found),
            Said::Reply(Reply::Done(done)) => self.done(&done),
            Said::Reply(Reply::Failed(failed)) => self.failed(failed),
            Said::Reply(_) => Err(ClientError::protocol("an answer to another question came").into()),
        }
    }

    /// The file that comes, where it has this number. Answers to others are of those that were asked for anew.
    fn current(&mut self, id: u64) -> Option<&mut Job> {
        self.flight
            .front_mut()
            .filter(|(first, _)| *first == id)
            .map(|(_, job)| job)
    }

    fn found(&mut self, found: Found) -> Result<(), Stop> {
        let mode = self.report.options().mode;
        let counted = self.counted;
        let Some(job) = self.current(found.id.to_u64()) else {
            return Ok(());
        };
        let is_new = job.sink.is_none();
        job.attributes = Attributes {
            mode: Some(mode.unwrap_or(found.entry.mode.to_u32())),
            mtime_ms: Some(found.entry.mtime_ms.get()),
        };
        if job.is_artifact {
            job.attributes = Attributes { mode, mtime_ms: None };
        }
        job.told = found.offset.to_u64();
        let size = found.entry.size.to_u64();
        if let Into::Memory(limit) = &job.into
            && size > *limit as u64
        {
            return Err(ClientError::File {
                code: ErrorCode::QuotaExceeded,
                detail: format!(
                    "{} has {size} bytes, more than the {limit} that were asked for",
                    job.shown
                ),
            }
            .into());
        }
        if is_new && !counted {
            job.size = size;
            self.report.expect(size);
        }
        Ok(())
    }

    fn chunk(&mut self, chunk: &Chunk, link: &mut Link) -> Result<(), Stop> {
        let id = chunk.header.id.to_u64();
        let Some(job) = self.current(id) else {
            return Ok(());
        };
        let offset = chunk.header.offset.to_u64();
        let taken = job.sink()?.take(offset, &chunk.payload, &chunk.header.sha256);
        match taken {
            Ok(()) => {}
            Err(error) if error.code() == ErrorCode::ChecksumMismatch && job.repairs < REPAIRS => {
                job.repairs += 1;
                // What came before is good, so it is asked for from there.
                link.send(Cancel { id: natural(id) })?;
                if let Some((_, job)) = self.flight.pop_front() {
                    self.jobs.push_front(job);
                }
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        }
        let end = offset + chunk.payload.len() as u64;
        let tell = !chunk.header.last && (end < job.told || end - job.told >= ACK_BYTES);
        if tell {
            job.told = end;
        }
        let shown = job.shown.clone();
        if tell {
            link.send(FileAck {
                id: natural(id),
                offset: natural(end),
            })?;
        }
        self.report.moved(&shown, end);
        Ok(())
    }

    fn done(&mut self, done: &Done) -> Result<(), Stop> {
        if self.current(done.id.to_u64()).is_none() {
            return Ok(());
        }
        let Some((_, mut job)) = self.flight.pop_front() else {
            return Ok(());
        };
        let attributes = job.attributes;
        job.sink()?;
        let Some(sink) = job.sink.take() else {
            return Ok(());
        };
        let said = done.size.map(|size| size.to_u64()).zip(done.sha256.clone());
        let is_right =
            said == Some((sink.offset(), sink.sha256())) && (!job.is_artifact || sink.sha256() == job.remote);
        if !is_right {
            return Err(ClientError::File {
                code: ErrorCode::ChecksumMismatch,
                detail: format!(
                    "{} came with {} bytes of the SHA-256 {}, and is another one there",
                    job.shown,
                    sink.offset(),
                    sink.sha256()
                ),
            }
            .into());
        }
        let (whole, bytes) = sink.finish_with_bytes(attributes)?;
        self.report.finished(&job.shown, job.size, whole.size);
        self.bytes = bytes;
        self.last = Some(Transferred {
            size: whole.size,
            sha256: whole.sha256,
        });
        Ok(())
    }

    fn failed(&mut self, failed: Failed) -> Result<(), Stop> {
        match self.current(failed.id.to_u64()) {
            Some(_) => Err(ClientError::refused(Some(failed.error)).into()),
            None => Ok(()),
        }
    }

    /// What was asked for and has not come.
    fn expected(&self) -> u64 {
        self.flight.iter().map(|(_, job)| job.size).sum()
    }
}

impl Work for Gets {
    type Output = Received;

    fn run(&mut self, link: &mut Link) -> Result<Received, Stop> {
        // What a lost channel has not brought is asked for again, in the order in which it was.
        while let Some((_, job)) = self.flight.pop_back() {
            self.jobs.push_front(job);
        }
        loop {
            while self.flight.len() < REQUESTS_AHEAD
                && self.expected() < WINDOW_BYTES
                && let Some(job) = self.jobs.pop_front()
            {
                let id = link.number();
                let request = job.request(id)?;
                self.flight.push_back((id, job));
                link.send(request)?;
            }
            if self.flight.is_empty() {
                break;
            }
            let said = link.hear()?;
            self.said(said, link)?;
        }
        Ok(Received {
            last: self.last.clone().unwrap_or(Transferred {
                size: 0,
                sha256: String::new(),
            }),
            bytes: std::mem::take(&mut self.bytes).into(),
            all: self.report.bytes(),
        })
    }

    fn steps(&self) -> u64 {
        self.report.steps()
    }
}
