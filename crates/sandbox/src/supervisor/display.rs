//! The X server: a free display, and a file that lets only the sandbox in.

use std::fs::File;
use std::io::Read as _;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{FdFlags, fcntl_setfd};

use crate::SandboxError;

/// The pipe through which the server says which display it has.
#[derive(Debug)]
pub(super) struct Number {
    reader: OwnedFd,
    writer: OwnedFd,
}

impl Number {
    pub(super) fn pipe() -> Result<Self, SandboxError> {
        let doing = || SandboxError::io("cannot make a pipe for the X server");
        let (reader, writer) = rustix::pipe::pipe().map_err(|error| doing()(error.into()))?;
        // The write end goes to the server under its own number; the read end stays here.
        fcntl_setfd(&reader, FdFlags::CLOEXEC).map_err(|error| doing()(error.into()))?;
        Ok(Self { reader, writer })
    }

    /// Has the server's command choose a free display and say which.
    pub(super) fn pass_to(&self, command: &mut Command) {
        command.arg("-displayfd").arg(self.writer.as_raw_fd().to_string());
    }

    /// The number, once the server has started.
    pub(super) fn read(self, deadline: Instant) -> Result<u32, SandboxError> {
        let Self { reader, writer } = self;
        drop(writer);
        let mut text = String::new();
        let mut pipe = File::from(reader);
        while !text.ends_with('\n') {
            let left = deadline.saturating_duration_since(Instant::now());
            let timeout = rustix::event::Timespec::try_from(left.max(Duration::from_millis(1))).ok();
            let ready = poll(&mut [PollFd::new(&pipe, PollFlags::IN)], timeout.as_ref());
            let mut buffer = [0; 16];
            match ready {
                Err(rustix::io::Errno::INTR) => {}
                Ok(1..) => match pipe.read(&mut buffer) {
                    Ok(length) if length > 0 => text.push_str(&String::from_utf8_lossy(&buffer[..length])),
                    _ => return Err(SandboxError::NotStarted("the X server ended at once".to_owned())),
                },
                _ => {
                    return Err(SandboxError::NotStarted(
                        "the X server did not come up in time".to_owned(),
                    ));
                }
            }
        }
        text.trim()
            .parse()
            .map_err(|_| SandboxError::NotStarted(format!("the X server said {text:?} for its display")))
    }
}

/// Writes a file of the kind that Xauth reads, with one secret for every display of every host.
pub(super) fn write_authority(path: &Path, secret: &[u8; 16]) -> Result<(), SandboxError> {
    use std::io::Write as _;
    use std::os::unix::fs::OpenOptionsExt as _;
    /// FamilyWild of Xauth(3): the entry is for any host.
    const ANY_HOST: u16 = 0xffff;
    let mut entry = ANY_HOST.to_be_bytes().to_vec();
    // Address and display: empty, which means any.
    let fields: [&[u8]; 4] = [b"", b"", b"MIT-MAGIC-COOKIE-1", secret];
    for field in fields {
        // Each has a dozen bytes or two.
        entry.extend((field.len() as u16).to_be_bytes());
        entry.extend(field);
    }
    let file = File::options()
        .create_new(true)
        .write(true)
        .mode(0o600)
        .open(path);
    file.and_then(|mut file| file.write_all(&entry))
        .map_err(SandboxError::io("cannot write the X authority file"))
}
