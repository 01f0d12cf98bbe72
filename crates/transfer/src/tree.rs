//! A folder beneath which paths are looked up by the kernel.

use std::fs::File;
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::Path;

use aci::error_code::ErrorCode;
use aci::files::{Entry, EntryKind, natural};
use rustix::fs::{self, AtFlags, CWD, FileType, Mode, OFlags, ResolveFlags, Stat};
use rustix::io::Errno;

use crate::sink::Attributes;
use crate::{Inside, Sink, TransferError};

/// Permissions of a folder of which nothing is said.
const FOLDER_MODE: u32 = 0o755;
/// What of permissions is kept: nothing that gives another user's rights.
const PERMISSIONS: u32 = 0o777;

/// Which symbolic links are followed on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Following {
    /// All but those of `/proc` that stand for what a process has open.
    Anywhere,
    /// Those that stay beneath the folder.
    Beneath,
    /// None.
    Nothing,
}

/// A folder.
#[derive(Debug)]
pub struct Tree {
    root: OwnedFd,
    shown: String,
    resolve: ResolveFlags,
}

impl Tree {
    /// The folder at a path of this machine.
    ///
    /// # Errors
    /// It is none.
    pub fn open(path: &Path, following: Following) -> Result<Self, TransferError> {
        let shown = path.display().to_string();
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = fs::openat(CWD, path, flags, Mode::empty())
            .map_err(|errno| TransferError::of_errno("open the folder", &shown, errno))?;
        let resolve = ResolveFlags::NO_MAGICLINKS
            | match following {
                Following::Anywhere => ResolveFlags::empty(),
                Following::Beneath => ResolveFlags::BENEATH,
                Following::Nothing => ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS,
            };
        Ok(Self { root, shown, resolve })
    }

    /// A path of it as a person knows it.
    pub fn shown(&self, path: &Inside) -> String {
        match path.is_root() {
            true => self.shown.clone(),
            false => format!("{}/{path}", self.shown.trim_end_matches('/')),
        }
    }

    fn open_at(&self, path: &Inside, flags: OFlags) -> Result<OwnedFd, Errno> {
        let name = if path.is_root() { "." } else { path.as_str() };
        // The kernel gives up with EAGAIN where something on the way was moved meanwhile.
        for _ in 0..64 {
            match fs::openat2(
                &self.root,
                name,
                flags | OFlags::CLOEXEC,
                Mode::empty(),
                self.resolve,
            ) {
                Err(Errno::AGAIN) => {}
                // Some sandboxes' kernels have no such call; what may lead anywhere does not need it.
                Err(Errno::NOSYS) if self.resolve == ResolveFlags::NO_MAGICLINKS => {
                    return fs::openat(&self.root, name, flags | OFlags::CLOEXEC, Mode::empty());
                }
                opened => return opened,
            }
        }
        Err(Errno::AGAIN)
    }

    /// A folder beneath it, for what is looked up in there.
    pub(crate) fn folder(&self, path: &Inside, flags: OFlags) -> Result<OwnedFd, TransferError> {
        self.open_at(path, flags | OFlags::DIRECTORY)
            .map_err(|errno| self.error("open the folder", path, errno))
    }

    pub(crate) fn error(&self, doing: &str, path: &Inside, errno: Errno) -> TransferError {
        TransferError::of_errno(doing, &self.shown(path), errno)
    }

    /// Opens a file for reading. Pipes, devices and the like are not touched.
    ///
    /// # Errors
    /// There is none, or it is something else than a file.
    pub fn open_file(&self, path: &Inside) -> Result<(File, Entry), TransferError> {
        let failed = |errno| self.error("read", path, errno);
        let seen = self.open_at(path, OFlags::PATH).map_err(failed)?;
        self.only_file(path, &fs::fstat(&seen).map_err(failed)?)?;
        // What stands there may be another now, so that it is looked at again; a pipe does not hold us with NONBLOCK.
        let file = self
            .open_at(path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY)
            .map_err(failed)?;
        let stat = fs::fstat(&file).map_err(failed)?;
        self.only_file(path, &stat)?;
        Ok((file.into(), entry(path.to_string(), &stat, None)))
    }

    fn only_file(&self, path: &Inside, stat: &Stat) -> Result<(), TransferError> {
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Ok(()),
            FileType::Directory => Err(TransferError::failed(format!(
                "{} is a folder, not a file; transfer it as a folder",
                self.shown(path)
            ))),
            _ => Err(TransferError::denied(format!(
                "{} is neither a file nor a folder, so it is not transferred",
                self.shown(path)
            ))),
        }
    }

    /// What is at a path; a symbolic link at its end is not followed.
    ///
    /// # Errors
    /// There is nothing.
    pub fn entry(&self, path: &Inside) -> Result<Entry, TransferError> {
        let failed = |errno| self.error("look at", path, errno);
        let Some((folder, name)) = path.split() else {
            let stat = fs::fstat(&self.root).map_err(failed)?;
            return Ok(entry(".".to_owned(), &stat, None));
        };
        let folder = self.folder(&folder, OFlags::PATH)?;
        let stat = fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW).map_err(failed)?;
        let target = match FileType::from_raw_mode(stat.st_mode) {
            FileType::Symlink => fs::readlinkat(&folder, name, Vec::new())
                .ok()
                .and_then(|target| target.into_string().ok()),
            _ => None,
        };
        Ok(entry(path.to_string(), &stat, target))
    }

    /// Whether a path is a folder, also by a symbolic link.
    pub fn is_folder(&self, path: &Inside) -> bool {
        self.open_at(path, OFlags::PATH | OFlags::DIRECTORY).is_ok()
    }

    /// Makes a folder; one that is there is as good, and keeps its permissions.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn make_folder(&self, path: &Inside, mode: Option<u32>, parents: bool) -> Result<(), TransferError> {
        if self.is_folder(path) {
            return Ok(());
        }
        let Some((above, name)) = path.split() else {
            return Ok(());
        };
        let above = match self.folder(&above, OFlags::PATH) {
            Err(error) if parents && error.code() == ErrorCode::FileNotFound => {
                for step in above.steps() {
                    self.make_folder(&step, None, false)?;
                }
                self.folder(&above, OFlags::PATH)?
            }
            opened => opened?,
        };
        let mode = mode.unwrap_or(FOLDER_MODE) & PERMISSIONS;
        match fs::mkdirat(&above, name, Mode::from_raw_mode(mode)) {
            Ok(()) => Ok(()),
            // Somebody else has made it just now, or it is none; then this says what it is.
            Err(Errno::EXIST) => self.folder(path, OFlags::PATH).map(|_| ()),
            Err(errno) => Err(self.error("make the folder", path, errno)),
        }
    }

    /// Makes a symbolic link in the place of what is there, where that is a link or a file.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn make_link(&self, path: &Inside, target: &str) -> Result<(), TransferError> {
        let failed = |errno| self.error("make the link", path, errno);
        let (folder, name) = path
            .split()
            .ok_or_else(|| TransferError::invalid("the folder itself cannot become a link"))?;
        let folder = self.folder(&folder, OFlags::PATH)?;
        match fs::symlinkat(target, &folder, name) {
            Err(Errno::EXIST) => {
                let temporary = crate::unfinished::name();
                fs::symlinkat(target, &folder, &temporary).map_err(failed)?;
                fs::renameat(&folder, &temporary, &folder, name).map_err(|errno| {
                    // The first error is the one to tell.
                    fs::unlinkat(&folder, &temporary, AtFlags::empty()).ok();
                    failed(errno)
                })
            }
            made => made.map_err(failed),
        }
    }

    /// Begins to write a file. It is seen under its name once [`Sink::finish`] was called.
    ///
    /// # Errors
    /// Nothing can be written there, or something is there that is no file.
    pub fn create_file(&self, path: &Inside, parents: bool) -> Result<Sink, TransferError> {
        let (above, name) = path
            .split()
            .ok_or_else(|| TransferError::failed(format!("{} is a folder; name a file", self.shown(path))))?;
        if parents && !self.is_folder(&above) {
            self.make_folder(&above, None, true)?;
        }
        let folder = self.folder(&above, OFlags::PATH)?;
        let mode = match fs::statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Symlink => None,
            Ok(stat) => {
                self.only_file(path, &stat)?;
                Some(stat.st_mode & PERMISSIONS)
            }
            Err(Errno::NOENT) => None,
            Err(errno) => return Err(self.error("write", path, errno)),
        };
        Sink::create(
            folder,
            name,
            self.shown(path),
            Attributes { mode, mtime_ms: None },
        )
    }

    /// Takes away a file.
    ///
    /// # Errors
    /// There is none, or it may not be taken away.
    pub fn remove_file(&self, path: &Inside) -> Result<(), TransferError> {
        fs::unlinkat(self.root.as_fd(), path.as_str(), AtFlags::empty())
            .map_err(|errno| self.error("remove", path, errno))
    }
}

/// An entry of what the system says.
pub(crate) fn entry(path: String, stat: &Stat, target: Option<String>) -> Entry {
    let kind = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => EntryKind::File,
        FileType::Directory => EntryKind::Folder,
        FileType::Symlink => EntryKind::Link,
        _ => EntryKind::Other,
    };
    let size = match kind {
        EntryKind::File => u64::try_from(stat.st_size).unwrap_or(0),
        _ => 0,
    };
    let millis = i128::from(stat.st_mtime) * 1000 + i128::from(stat.st_mtime_nsec) / 1_000_000;
    Entry {
        path,
        kind,
        size: natural(size),
        mode: natural(u64::from(stat.st_mode & PERMISSIONS)),
        mtime_ms: aci::Integer::clamped(millis),
        target,
    }
}
