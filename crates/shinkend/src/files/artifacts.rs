//! The store of artifacts: files under the SHA-256 of their bytes.

use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use aci::error_code::ErrorCode;
use aci::files::{Artifact, ArtifactGet, ArtifactPut, EntryKind, Reply};
use transfer::{Attributes, Following, Inside, Running, Source, TransferError, Tree, Whole};

use super::quota::Quota;
use super::upload::{Upload, is_whole};
use super::worker::{Stop, Worker};
use crate::guard::{Guard, OWN_FOLDER};

/// What follows the hash in the name of the file that holds an artifact's name.
const NAME: &str = ".name";
/// The longest name that is kept.
const NAME_BYTES: usize = 255;

/// The store; its folder is made when it is first used.
#[derive(Debug)]
pub(super) struct Artifacts {
    /// Where it was told to be.
    told: Option<PathBuf>,
    quota: Quota,
    store: Mutex<Option<Arc<Store>>>,
}

#[derive(Debug)]
struct Store {
    folder: PathBuf,
    tree: Tree,
}

impl Artifacts {
    pub(super) fn new(told: Option<PathBuf>, quota_bytes: u64) -> Self {
        Self {
            told,
            quota: Quota::new(Some(quota_bytes), "--artifacts-quota-bytes"),
            store: Mutex::default(),
        }
    }

    /// Makes the folder where it is not there yet.
    pub(super) fn prepare(&self, guard: &Guard) -> Result<(), TransferError> {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        if store.is_some() {
            return Ok(());
        }
        let folder = match &self.told {
            Some(folder) => folder.clone(),
            None => std::env::temp_dir().join(format!("{OWN_FOLDER}{:016x}", crate::guard::random())),
        };
        let failed = |error: &std::io::Error| {
            TransferError::of_io("make the folder", &folder.display().to_string(), error)
        };
        let made = std::fs::DirBuilder::new()
            .mode(0o700)
            .recursive(self.told.is_some())
            .create(&folder);
        made.map_err(|error| failed(&error))?;
        if self.told.is_none() {
            guard.remove_afterwards(&folder).map_err(|error| failed(&error))?;
        }
        let opened = Store::open(&folder)?;
        self.quota
            .set(opened.all()?.iter().map(|artifact| artifact.size.to_u64()).sum());
        *store = Some(Arc::new(opened));
        Ok(())
    }

    fn store(&self) -> Result<Arc<Store>, TransferError> {
        let store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        store
            .clone()
            .ok_or_else(|| TransferError::new(ErrorCode::FileFailed, "the store of artifacts is not there"))
    }

    pub(super) fn list(&self) -> Result<Vec<Artifact>, TransferError> {
        self.store()?.all()
    }

    pub(super) fn remove(&self, sha256: &str) -> Result<(), TransferError> {
        let store = self.store()?;
        let (path, size) = store.find(sha256)?;
        store.tree.remove_file(&path)?;
        self.quota.give_back(size);
        // It may have no name.
        store
            .tree
            .remove_file(&Inside::new(&format!("{sha256}{NAME}"))?)
            .ok();
        Ok(())
    }

    /// Removes the folder where it is the daemon's own.
    pub(super) fn end(&self) {
        let mut store = self.store.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = store.take().filter(|_| self.told.is_none()) {
            // The guard tries again.
            std::fs::remove_dir_all(&store.folder).ok();
        }
    }
}

impl Store {
    fn open(folder: &Path) -> Result<Self, TransferError> {
        let shown = folder.display().to_string();
        let private = std::fs::Permissions::from_mode(0o700);
        std::fs::set_permissions(folder, private)
            .map_err(|error| TransferError::of_io("use the folder", &shown, &error))?;
        Ok(Self {
            folder: folder.to_owned(),
            tree: Tree::open(folder, Following::Nothing)?,
        })
    }

    /// The file of a hash, and its size.
    fn find(&self, sha256: &str) -> Result<(Inside, u64), TransferError> {
        let path = Inside::new(checked(sha256)?)?;
        let entry = self.tree.entry(&path).map_err(|error| match error.code() {
            ErrorCode::FileNotFound => {
                TransferError::new(ErrorCode::FileNotFound, format!("there is no artifact {sha256}"))
            }
            _ => error,
        })?;
        Ok((path, entry.size.to_u64()))
    }

    fn all(&self) -> Result<Vec<Artifact>, TransferError> {
        let mut found = Vec::new();
        transfer::list(&self.tree, &Inside::default(), false, &mut |entries| {
            let artifacts = entries
                .into_iter()
                .filter(|entry| entry.kind == EntryKind::File && checked(&entry.path).is_ok());
            found.extend(artifacts.map(|entry| Artifact {
                name: self.name(&entry.path),
                size: entry.size,
                sha256: entry.path,
            }));
            true
        })?;
        Ok(found)
    }

    fn name(&self, sha256: &str) -> String {
        let mut name =
            std::fs::read_to_string(self.folder.join(format!("{sha256}{NAME}"))).unwrap_or_default();
        name.truncate(NAME_BYTES);
        name
    }

    /// Keeps the name of an artifact.
    fn set_name(&self, sha256: &str, name: &str) -> Result<(), TransferError> {
        let mut sink = self
            .tree
            .create_file(&Inside::new(&format!("{sha256}{NAME}"))?, false)?;
        let mut hash = Running::default();
        hash.update(name.as_bytes());
        sink.take(0, name.as_bytes(), &hash.sha256())?;
        sink.finish(Attributes::default()).map(|_| ())
    }
}

fn checked(sha256: &str) -> Result<&str, TransferError> {
    match aci::files::check_sha256(sha256) {
        Ok(()) => Ok(sha256),
        Err(fault) => Err(TransferError::new(ErrorCode::InvalidAction, fault.to_string())),
    }
}

impl Worker {
    pub(super) fn artifact_put(&mut self, put: ArtifactPut) -> Result<Reply, Stop> {
        let files = Arc::clone(&self.files);
        let id = put.id.to_u64();
        let sha256 = checked(&put.sha256)?.to_owned();
        let name = put.name.unwrap_or_default();
        if name.len() > NAME_BYTES {
            let detail = format!("the name of an artifact has at most {NAME_BYTES} bytes");
            return Err(TransferError::new(ErrorCode::InvalidAction, detail).into());
        }
        let store = files.artifacts.store()?;
        if let Ok((_, size)) = store.find(&sha256) {
            return Ok(is_whole(id, Whole { size, sha256 }, Some(true)));
        }
        let path = Inside::new(&sha256)?;
        let begin = || -> Result<Upload, TransferError> {
            let mut charge = files.artifacts.quota.begin();
            charge.reach(put.size.to_u64())?;
            let sink = store.tree.create_file(&path, false)?;
            Ok(Upload {
                sink,
                charge,
                path: sha256.clone(),
            })
        };
        // Two clients may put the same; neither is to break the other's connection.
        let (turn, kept) = files
            .partials
            .begin(&format!("artifact {sha256}"), &self.replaced, false);
        let mut upload = kept.map_or_else(begin, Ok)?;
        self.say_ready(id, &upload.sink)?;
        if let Err(stop) = self.receive(id, &mut upload) {
            if matches!(stop, Stop::Gone) {
                turn.keep(upload);
            }
            return Err(stop);
        }
        if upload.sink.sha256() != sha256 {
            return Err(TransferError::new(
                ErrorCode::ChecksumMismatch,
                format!(
                    "the bytes have the SHA-256 {}, not {sha256}; hash the file again",
                    upload.sink.sha256()
                ),
            )
            .into());
        }
        if !name.is_empty() {
            store.set_name(&sha256, &name)?;
        }
        let was_there = store.find(&sha256).is_ok();
        let whole = upload.sink.finish(Attributes {
            mode: Some(0o600),
            mtime_ms: None,
        })?;
        if !was_there {
            upload.charge.keep();
        }
        Ok(is_whole(id, whole, Some(false)))
    }

    pub(super) fn artifact_get(&mut self, get: ArtifactGet) -> Result<Reply, Stop> {
        let store = self.files.artifacts.store()?;
        let (path, _) = store.find(&get.sha256)?;
        let (file, entry) = store.tree.open_file(&path)?;
        let source = Source::file(file, &entry, format!("the artifact {}", get.sha256));
        let had = get.offset.map(|offset| offset.to_u64()).zip(get.prefix_sha256);
        self.send_file(get.id.to_u64(), source, entry, had)
    }
}
