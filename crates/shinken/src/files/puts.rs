//! Sends files to the desktop, many without waiting for each.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use aci::error_code::ErrorCode;
use aci::files::{
    ArtifactPut, Done, Failed, MakeFolder, MakeLink, Put, REQUESTS_AHEAD, Reply, Request, WINDOW_BYTES,
    natural,
};
use aci::{Integer, NonEmptyString};
use bytes::Bytes;
use transfer::{Attributes, Following, Inside, Source, Tree};

use super::drive::Work;
use super::link::{Link, Said, Stop};
use super::report::Report;
use super::{Transfer, Transferred};
use crate::error::ClientError;

/// From which size on an upload can go on after its connection broke. It costs a smaller one more to ask than to begin again.
const RESUMED_BYTES: u64 = 1 << 20;
/// How often a file is sent again because its bytes arrived otherwise than they were sent.
const REPAIRS: u32 = 8;

/// What is to be put.
#[derive(Debug, Clone)]
pub(super) enum What {
    /// A file beneath a folder.
    File(Arc<Tree>, Inside),
    /// These bytes.
    Bytes(Bytes),
    /// A file for the store of artifacts, with its hash once that is known.
    Artifact(Arc<Tree>, Inside, Option<String>),
    /// A folder with these permissions.
    Folder(Option<u32>),
    /// A symbolic link that holds this.
    Link(String),
}

/// One thing to be put.
#[derive(Debug, Clone)]
pub(super) struct Job {
    pub(super) what: What,
    /// Where; of an artifact its name.
    pub(super) remote: String,
    /// What progress calls it.
    pub(super) shown: String,
    /// How many bytes are expected.
    pub(super) size: u64,
    repairs: u32,
}

/// Things to be put, in order.
#[derive(Debug)]
pub(super) struct Puts {
    jobs: VecDeque<Job>,
    /// What has to be looked at on this side first.
    local: Option<(PathBuf, bool)>,
    flight: BTreeMap<u64, Flight>,
    report: Report,
    key: Option<String>,
    last: Option<Transferred>,
    already: bool,
}

/// A request without its answer.
#[derive(Debug)]
struct Flight {
    job: Job,
    /// From where the daemon asks for it.
    ready: Option<(u64, String)>,
    received: u64,
    sent: u64,
    /// The hash of what was sent.
    sha256: Option<String>,
}

/// What was put.
#[derive(Debug)]
pub(super) struct Sent {
    /// The last file.
    pub(super) last: Transferred,
    /// Whether it was there already.
    pub(super) already: bool,
    /// The bytes of all.
    pub(super) bytes: u64,
}

impl Job {
    pub(super) fn new(what: What, remote: String, shown: String, size: u64) -> Self {
        Self {
            what,
            remote,
            shown,
            size,
            repairs: 0,
        }
    }

    fn is_file(&self) -> bool {
        !matches!(self.what, What::Folder(_) | What::Link(_))
    }
}

impl Puts {
    pub(super) fn new(jobs: VecDeque<Job>, options: Transfer) -> Self {
        let mut report = Report::new(options);
        for job in jobs.iter().filter(|job| job.is_file()) {
            report.expect(job.size);
        }
        Self {
            jobs,
            local: None,
            flight: BTreeMap::new(),
            key: None,
            report,
            last: None,
            already: false,
        }
    }

    pub(super) fn bytes(bytes: Bytes, remote: String, options: Transfer) -> Self {
        let size = bytes.len() as u64;
        let job = Job::new(What::Bytes(bytes), remote.clone(), remote, size);
        Self::new(VecDeque::from([job]), options)
    }

    pub(super) fn file(local: PathBuf, remote: String, options: Transfer) -> Self {
        Self {
            local: Some((local, false)),
            ..Self::one(remote, options)
        }
    }

    pub(super) fn artifact(local: PathBuf, name: String, options: Transfer) -> Self {
        Self {
            local: Some((local, true)),
            ..Self::one(name, options)
        }
    }

    /// One of which only the place is known yet.
    fn one(remote: String, options: Transfer) -> Self {
        let mut work = Self::new(VecDeque::new(), options);
        work.jobs
            .push_back(Job::new(What::Folder(None), remote, String::new(), 0));
        work
    }

    /// Looks at the file of this side.
    fn look(&mut self) -> Result<(), Stop> {
        let Some((local, is_artifact)) = self.local.take() else {
            return Ok(());
        };
        let (tree, path) = beside(&local)?;
        let (file, entry) = tree.open_file(&path)?;
        let shown = local.display().to_string();
        let what = match is_artifact {
            false => What::File(tree, path),
            true => {
                let (sha256, _) = transfer::of_file(&file, &shown)?;
                What::Artifact(tree, path, Some(sha256))
            }
        };
        if let Some(job) = self.jobs.front_mut() {
            *job = Job::new(what, std::mem::take(&mut job.remote), shown, entry.size.to_u64());
            self.report.expect(job.size);
        }
        Ok(())
    }

    /// Begins a thing, and sends all of it.
    fn start(&mut self, job: Job, link: &mut Link) -> Result<(), Stop> {
        let id = link.number();
        let opened = self.open(&job, link)?;
        let request = self.request(id, &job, opened.as_ref())?;
        let waits = matches!(&request, Request::Put(put) if put.key.is_some())
            || matches!(request, Request::ArtifactPut(_));
        let flight = Flight {
            job,
            ready: None,
            received: 0,
            sent: 0,
            sha256: None,
        };
        self.flight.insert(id, flight);
        link.send(request)?;
        let Some((mut source, _)) = opened else {
            return Ok(());
        };
        if waits {
            let (offset, sha256) = loop {
                // An artifact that is there already is answered so, and a failure has ended all.
                let Some(flight) = self.flight.get_mut(&id) else {
                    return Ok(());
                };
                match flight.ready.take() {
                    Some(ready) => break ready,
                    None => {
                        let said = link.hear()?;
                        self.said(said)?;
                    }
                }
            };
            source.go_on_from(offset, &sha256)?;
        }
        self.send(id, source, link)
    }

    /// Sends the chunks of a file.
    fn send(&mut self, id: u64, mut source: Source, link: &mut Link) -> Result<(), Stop> {
        // What the daemon has already needs no word of its own.
        if let Some(flight) = self.flight.get_mut(&id) {
            flight.received = source.offset();
        }
        while !source.has_ended() {
            while let Some(said) = link.heard()? {
                self.said(said)?;
            }
            let Some(flight) = self.flight.get_mut(&id) else {
                // It has failed, and is to be sent again.
                return Ok(());
            };
            if source.offset().saturating_sub(flight.received) >= WINDOW_BYTES {
                let said = link.hear()?;
                self.said(said)?;
                continue;
            }
            let chunk = source.next_chunk(id)?;
            flight.sent = source.offset();
            if source.has_ended() {
                flight.sha256 = Some(source.sha256());
            }
            let shown = flight.job.shown.clone();
            link.send_chunk(chunk)?;
            self.report.moved(&shown, source.offset());
        }
        Ok(())
    }

    /// The file that is to be sent, where it is one, with its permissions and time.
    fn open(&self, job: &Job, link: &Link) -> Result<Option<(Source, Attributes)>, Stop> {
        let mode = self.report.options().mode;
        let opened = match &job.what {
            What::Folder(_) | What::Link(_) => return Ok(None),
            What::Bytes(bytes) => {
                let source = Source::memory(bytes.clone(), job.shown.clone());
                (source, Attributes { mode, mtime_ms: None })
            }
            What::File(tree, path) | What::Artifact(tree, path, _) => {
                let (file, entry) = tree.open_file(path)?;
                let own = mode.unwrap_or(entry.mode.to_u32());
                let source = Source::file(file, &entry, tree.shown(path));
                let attributes = Attributes {
                    mode: Some(own),
                    mtime_ms: Some(entry.mtime_ms.get()),
                };
                (source, attributes)
            }
        };
        if let Some(limit) = link.max_file_bytes().filter(|limit| job.size > *limit) {
            return Err(Stop::Failed(ClientError::Refused {
                code: ErrorCode::QuotaExceeded,
                detail: format!(
                    "{} has {} bytes, and a file may have {limit} there; start shinkend with a larger --max-file-bytes",
                    job.shown, job.size
                ),
            }));
        }
        Ok(Some(opened))
    }

    fn request(
        &mut self,
        id: u64,
        job: &Job,
        opened: Option<&(Source, Attributes)>,
    ) -> Result<Request, Stop> {
        let id = natural(id);
        let path = || {
            NonEmptyString::new(job.remote.clone())
                .ok_or_else(|| ClientError::invalid("the path on the desktop is empty"))
        };
        Ok(match &job.what {
            What::Folder(mode) => MakeFolder {
                id,
                path: path()?,
                mode: mode.map(|mode| natural(u64::from(mode))),
                parents: Some(true),
            }
            .into(),
            What::Link(target) => MakeLink {
                id,
                path: path()?,
                target: NonEmptyString::new(target.clone())
                    .ok_or_else(|| ClientError::invalid("a symbolic link is empty"))?,
            }
            .into(),
            What::Artifact(_, _, sha256) => ArtifactPut {
                id,
                sha256: sha256.clone().unwrap_or_default(),
                size: natural(job.size),
                name: Some(job.remote.clone()).filter(|name| !name.is_empty()),
            }
            .into(),
            What::File(..) | What::Bytes(_) => {
                let attributes = opened.map_or_else(Attributes::default, |(_, attributes)| *attributes);
                Put {
                    id,
                    path: path()?,
                    size: natural(job.size),
                    mode: attributes.mode.map(|mode| natural(u64::from(mode))),
                    mtime_ms: attributes.mtime_ms.map(Integer::clamped),
                    parents: Some(true),
                    key: self.key_of(job).and_then(NonEmptyString::new),
                }
                .into()
            }
        })
    }

    /// Under which key an upload can go on.
    fn key_of(&mut self, job: &Job) -> Option<String> {
        if let Some(key) = &self.report.options().resume_key {
            return Some(key.clone());
        }
        if job.size < RESUMED_BYTES {
            return None;
        }
        let key = self.key.get_or_insert_with(random);
        Some(format!("{key} {}", job.remote))
    }

    fn said(&mut self, said: Said) -> Result<(), Stop> {
        let Said::Reply(reply) = said else {
            return Err(ClientError::protocol("a chunk came that nobody has asked for").into());
        };
        match reply {
            Reply::Ready(ready) => {
                if let Some(flight) = self.flight.get_mut(&ready.id.to_u64()) {
                    flight.ready = Some((ready.offset.to_u64(), ready.sha256));
                }
            }
            Reply::Ack(ack) => {
                if let Some(flight) = self.flight.get_mut(&ack.id.to_u64()) {
                    flight.received = flight.received.max(ack.offset.to_u64().min(flight.sent));
                }
            }
            Reply::Done(done) => self.done(&done)?,
            Reply::Failed(failed) => self.failed(failed)?,
            _ => return Err(ClientError::protocol("an answer to another question came").into()),
        }
        Ok(())
    }

    fn done(&mut self, done: &Done) -> Result<(), Stop> {
        let Some(Flight { job, sha256, .. }) = self.flight.remove(&done.id.to_u64()) else {
            return Ok(());
        };
        if !job.is_file() {
            self.report.stepped();
            return Ok(());
        }
        let whole = Transferred {
            size: done.size.map_or(0, |size| size.to_u64()),
            sha256: done.sha256.clone().unwrap_or_default(),
        };
        self.already = done.already == Some(true);
        if !self.already && sha256.as_ref() != Some(&whole.sha256) {
            return Err(ClientError::protocol(format!(
                "{} was sent with the SHA-256 {}, and the runtime has {}",
                job.shown,
                sha256.unwrap_or_default(),
                whole.sha256
            ))
            .into());
        }
        self.report.finished(&job.shown, job.size, whole.size);
        self.last = Some(whole);
        Ok(())
    }

    fn failed(&mut self, failed: Failed) -> Result<(), Stop> {
        let Some(Flight { mut job, .. }) = self.flight.remove(&failed.id.to_u64()) else {
            return Ok(());
        };
        let error = ClientError::refused(Some(failed.error));
        // The daemon has what came before, where the upload has a key.
        if error.code() == Some(ErrorCode::ChecksumMismatch) && job.repairs < REPAIRS {
            job.repairs += 1;
            self.jobs.push_front(job);
            return Ok(());
        }
        Err(error.into())
    }

    /// What is under way and not known to have arrived.
    fn unanswered(&self) -> u64 {
        self.flight
            .values()
            .map(|flight| flight.sent - flight.received.min(flight.sent))
            .sum()
    }
}

impl Work for Puts {
    type Output = Sent;

    fn run(&mut self, link: &mut Link) -> Result<Sent, Stop> {
        self.look()?;
        // What a lost channel has not answered is put again, in the order in which it was.
        for (_, flight) in std::mem::take(&mut self.flight).into_iter().rev() {
            self.jobs.push_front(flight.job);
        }
        loop {
            let has_room = self.flight.len() < REQUESTS_AHEAD && self.unanswered() < WINDOW_BYTES;
            match self.jobs.pop_front() {
                Some(job) if has_room => {
                    // Where the channel is lost in the middle, the job is in the flight.
                    self.start(job, link)?;
                    while let Some(said) = link.heard()? {
                        self.said(said)?;
                    }
                }
                None if self.flight.is_empty() => break,
                job => {
                    // It goes back to where it was.
                    if let Some(job) = job {
                        self.jobs.push_front(job);
                    }
                    let said = link.hear()?;
                    self.said(said)?;
                }
            }
        }
        Ok(Sent {
            last: self.last.clone().unwrap_or(Transferred {
                size: 0,
                sha256: String::new(),
            }),
            already: self.already,
            bytes: self.report.bytes(),
        })
    }

    fn steps(&self) -> u64 {
        self.report.steps()
    }
}

/// The folder that a file of this side lies in, and its name there.
pub(super) fn beside(local: &Path) -> Result<(Arc<Tree>, Inside), ClientError> {
    let name = local
        .file_name()
        .and_then(|name| name.to_str())
        .ok_or_else(|| ClientError::invalid(format!("{} is no name of a file in UTF-8", local.display())))?;
    let folder = match local.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    Ok((
        Arc::new(Tree::open(folder, Following::Anywhere)?),
        Inside::new(name)?,
    ))
}

/// A name that nobody else has.
fn random() -> String {
    use std::hash::{BuildHasher as _, Hasher as _};
    let half = || {
        // The standard library seeds each of its hash states from the kernel.
        std::collections::hash_map::RandomState::new()
            .build_hasher()
            .finish()
    };
    format!("{:016x}{:016x}", half(), half())
}
