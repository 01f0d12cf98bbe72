//! Where a file lies until it is whole.
//!
//! Best is a file without a name, which is gone with whoever writes it, however that ends. Where the filesystem has none, it gets
//! a name of ours and a lock; a name whose lock is free was left by a process that was killed, and is removed when the next file
//! is begun in that folder.

use std::fs::File;
use std::hash::{BuildHasher as _, Hasher as _};
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};

use rustix::fs::{self, AtFlags, CWD, Dir, FlockOperation, Mode, OFlags};
use rustix::io::Errno;

/// How a name of ours begins and ends.
const BEGIN: &str = ".shinken-";
const END: &str = ".part";
/// How often a name is tried that somebody takes away at once.
const ATTEMPTS: usize = 8;

/// A file that is being written.
#[derive(Debug)]
pub(crate) struct Unfinished {
    folder: OwnedFd,
    file: File,
    /// The name, where it had to have one.
    name: Option<String>,
}

/// A new name of ours.
pub(crate) fn name() -> String {
    // The standard library seeds each of its hash states from the kernel.
    let random = std::collections::hash_map::RandomState::new()
        .build_hasher()
        .finish();
    format!("{BEGIN}{random:016x}{END}")
}

/// Whether it is a name of ours.
pub(crate) fn is_ours(name: &str) -> bool {
    name.strip_prefix(BEGIN)
        .and_then(|rest| rest.strip_suffix(END))
        .is_some_and(|middle| middle.len() == 16 && middle.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

impl Unfinished {
    pub(crate) fn create(folder: OwnedFd) -> Result<Self, Errno> {
        let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
        // Without /proc such a file cannot get its name later.
        let nameless = match fs::statat(CWD, "/proc/self/fd", AtFlags::empty()) {
            Ok(_) => fs::openat(&folder, ".", flags, private()),
            Err(_) => Err(Errno::OPNOTSUPP),
        };
        match nameless {
            Ok(file) => Ok(Self {
                folder,
                file: file.into(),
                name: None,
            }),
            Err(Errno::OPNOTSUPP | Errno::ISDIR | Errno::INVAL | Errno::NOENT | Errno::NOSYS) => {
                Self::create_named(folder)
            }
            Err(errno) => Err(errno),
        }
    }

    fn create_named(folder: OwnedFd) -> Result<Self, Errno> {
        sweep(folder.as_fd());
        for _ in 0..ATTEMPTS {
            let name = name();
            let flags = OFlags::CREATE | OFlags::EXCL | OFlags::WRONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
            let file = match fs::openat(&folder, &name, flags, private()) {
                Err(Errno::EXIST) => continue,
                opened => opened?,
            };
            // Before the lock is ours, somebody may take the file for one that was left.
            if fs::flock(&file, FlockOperation::NonBlockingLockExclusive).is_ok()
                && fs::fstat(&file)?.st_nlink > 0
            {
                return Ok(Self {
                    folder,
                    file: file.into(),
                    name: Some(name),
                });
            }
        }
        Err(Errno::AGAIN)
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Gives it its name, in the place of what is there.
    pub(crate) fn publish(mut self, target: &str) -> Result<(), Errno> {
        if self.name.is_none() {
            match self.link(target) {
                Err(Errno::EXIST) => {}
                linked => return linked,
            }
            // A link never replaces, so it first gets a name of ours.
            let name = name();
            self.link(&name)?;
            self.name = Some(name);
        }
        if let Some(name) = &self.name {
            fs::renameat(&self.folder, name, &self.folder, target)?;
        }
        self.name = None;
        Ok(())
    }

    fn link(&self, name: &str) -> Result<(), Errno> {
        let own = format!("/proc/self/fd/{}", self.file.as_raw_fd());
        fs::linkat(CWD, own, &self.folder, name, AtFlags::SYMLINK_FOLLOW)
    }
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        if let Some(name) = &self.name {
            // The folder may be gone with it.
            fs::unlinkat(&self.folder, name, AtFlags::empty()).ok();
        }
    }
}

fn private() -> Mode {
    Mode::RUSR | Mode::WUSR
}

/// Removes what killed processes have left in a folder. What cannot be looked at or removed stays.
fn sweep(folder: BorrowedFd<'_>) {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let Ok(mut entries) = fs::openat(folder, ".", flags, Mode::empty()).and_then(Dir::new) else {
        return;
    };
    while let Some(Ok(entry)) = entries.read() {
        let Some(name) = entry.file_name().to_str().ok().filter(|name| is_ours(name)) else {
            continue;
        };
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let left = fs::openat(folder, name, flags, Mode::empty())
            .is_ok_and(|file| fs::flock(file, FlockOperation::NonBlockingLockExclusive).is_ok());
        if left {
            fs::unlinkat(folder, name, AtFlags::empty()).ok();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn open(path: &std::path::Path) -> OwnedFd {
        fs::openat(CWD, path, OFlags::PATH | OFlags::DIRECTORY, Mode::empty()).unwrap()
    }

    #[test]
    fn a_named_one_is_locked_and_what_was_left_is_swept() {
        let folder = tempfile::tempdir().unwrap();
        let left = folder.path().join(name());
        std::fs::write(&left, "left").unwrap();
        std::fs::write(folder.path().join(".shinken-mine.part"), "not ours").unwrap();
        let first = Unfinished::create_named(open(folder.path())).unwrap();
        assert!(!left.exists());
        let second = Unfinished::create_named(open(folder.path())).unwrap();
        first.file().write_all(b"first").unwrap();
        first.publish("target").unwrap();
        drop(second);
        let mut names: Vec<_> = std::fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        assert_eq!(names, [".shinken-mine.part", "target"]);
        assert_eq!(std::fs::read(folder.path().join("target")).unwrap(), b"first");
    }

    #[test]
    fn a_nameless_one_replaces_too() {
        let folder = tempfile::tempdir().unwrap();
        for text in ["one", "two"] {
            let file = Unfinished::create(open(folder.path())).unwrap();
            file.file().write_all(text.as_bytes()).unwrap();
            file.publish("target").unwrap();
            assert_eq!(
                std::fs::read(folder.path().join("target")).unwrap(),
                text.as_bytes()
            );
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
