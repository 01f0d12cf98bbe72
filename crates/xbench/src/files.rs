//! Files to a desktop and back, beside plain copies over a socket by the programs that everybody has.
//!
//! Both write to the same folder, in memory where there is room for it, so that the disk of the machine is not what is measured.

use std::fs;
use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, ensure};
use shinken::{Client, Options, Transfer};
use testbed::{Daemon, TOKEN, XServer};
use tokio::runtime::Runtime;

use crate::report::Report;
use crate::rounds::{Case, Effort, run};

/// The plain copy, and what is held against it.
pub(crate) const CAT: &str = "cat 1 GiB over a TCP socket";
pub(crate) const LARGE: [&str; 2] = ["put_file, 1 GiB", "get_file, 1 GiB"];
/// The large file.
const BYTES: u64 = 1 << 30;
/// The small ones.
const SMALL_FILES: usize = 5000;
const SMALL_BYTES: usize = 4096;
/// A folder in memory, and what has to be free there.
const IN_MEMORY: &str = "/dev/shm";
const ROOM: u64 = 4 << 30;

/// A daemon, a client and the files.
struct Stage {
    daemon: Daemon,
    runtime: Runtime,
    client: Client,
    folder: tempfile::TempDir,
}

/// Measures files.
pub(crate) fn measure(program: &Path, effort: Effort, report: &mut Report) -> anyhow::Result<()> {
    let stage = Stage::start(program)?;
    report.progress(&format!("files, in {}", stage.folder.path().display()));
    let source = stage.path("source");
    write_noise(&source)?;
    let copied = stage.path("copied");
    let large = |name, work: fn(&Stage, &Path, &Path) -> anyhow::Result<()>| {
        let (stage, source, copied) = (&stage, source.clone(), copied.clone());
        Case::new(name, 1, move || {
            fs::remove_file(&copied).ok();
            let start = Instant::now();
            work(stage, &source, &copied)?;
            let time = start.elapsed();
            ensure!(
                fs::metadata(&copied)?.len() == BYTES,
                "{name} copied something else"
            );
            Ok(time)
        })
    };
    run(
        vec![
            large(CAT, |_, from, to| cat(from, to)),
            large(LARGE[0], Stage::put),
            large(LARGE[1], Stage::get),
        ],
        effort,
        report,
    )?;
    fs::remove_file(&source)?;
    fs::remove_file(&copied)?;
    small(&stage, effort, report)
}

/// Many small files.
fn small(stage: &Stage, effort: Effort, report: &mut Report) -> anyhow::Result<()> {
    let many = stage.path("many");
    for file in 0..SMALL_FILES {
        let folder = many.join(format!("f{}", file % 50));
        fs::create_dir_all(&folder)?;
        fs::write(folder.join(format!("{file}")), vec![b'x'; SMALL_BYTES])?;
    }
    let copied = stage.path("copied");
    let case = |name, work: fn(&Stage, &Path, &Path) -> anyhow::Result<()>| {
        let (many, copied) = (many.clone(), copied.clone());
        Case::new(name, 1, move || {
            fs::remove_dir_all(&copied).ok();
            let start = Instant::now();
            work(stage, &many, &copied)?;
            let time = start.elapsed();
            ensure!(
                fs::read_dir(&copied)?.count() == 50,
                "{name} copied something else"
            );
            Ok(time)
        })
    };
    run(
        vec![
            case("tar, 5000 files of 4 KiB, over a TCP socket", |_, from, to| {
                tar(from, to)
            }),
            case("put_dir, 5000 files of 4 KiB", Stage::put_dir),
            case("get_dir, 5000 files of 4 KiB", Stage::get_dir),
        ],
        effort,
        report,
    )
}

impl Stage {
    fn start(program: &Path) -> anyhow::Result<Self> {
        let daemon = Daemon::start(program.to_owned(), XServer::start(640, 480), &[]);
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()?;
        let client = runtime.block_on(Client::connect(daemon.address(), Some(TOKEN), Options::default()))?;
        Ok(Self {
            daemon,
            runtime,
            client,
            folder: folder()?,
        })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn put(&self, from: &Path, to: &Path) -> anyhow::Result<()> {
        let files = self.client.files();
        self.runtime
            .block_on(files.put_file(from, text(to)?, Transfer::default()))?;
        Ok(())
    }

    fn get(&self, from: &Path, to: &Path) -> anyhow::Result<()> {
        let files = self.client.files();
        self.runtime
            .block_on(files.get_file(text(from)?, to, Transfer::default()))?;
        Ok(())
    }

    fn put_dir(&self, from: &Path, to: &Path) -> anyhow::Result<()> {
        let files = self.client.files();
        self.runtime
            .block_on(files.put_dir(from, text(to)?, Transfer::default()))?;
        Ok(())
    }

    fn get_dir(&self, from: &Path, to: &Path) -> anyhow::Result<()> {
        let files = self.client.files();
        self.runtime
            .block_on(files.get_dir(text(from)?, to, Transfer::default()))?;
        Ok(())
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        self.runtime.block_on(self.client.close());
        self.daemon.kill();
    }
}

fn text(path: &Path) -> anyhow::Result<&str> {
    path.to_str().context("the folder's path is not UTF-8")
}

fn folder() -> anyhow::Result<tempfile::TempDir> {
    let roomy = rustix::fs::statvfs(IN_MEMORY).is_ok_and(|stat| stat.f_bavail * stat.f_frsize >= ROOM);
    Ok(match roomy {
        true => tempfile::tempdir_in(IN_MEMORY)?,
        false => tempfile::tempdir()?,
    })
}

fn write_noise(path: &Path) -> anyhow::Result<()> {
    let mut file = fs::File::create(path)?;
    let mut piece = vec![0; 1 << 20];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..BYTES / (1 << 20) {
        for word in piece.chunks_exact_mut(8) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            word.copy_from_slice(&state.to_le_bytes());
        }
        file.write_all(&piece)?;
    }
    Ok(())
}

/// Both ends of a connection.
fn connection() -> anyhow::Result<(Stdio, Stdio)> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let near = TcpStream::connect(listener.local_addr()?)?;
    let (far, _) = listener.accept()?;
    Ok((OwnedFd::from(near).into(), OwnedFd::from(far).into()))
}

fn cat(from: &Path, to: &Path) -> anyhow::Result<()> {
    let (near, far) = connection()?;
    both(
        Command::new("cat").arg(from).stdout(near),
        Command::new("cat").stdin(far).stdout(fs::File::create(to)?),
    )
}

fn tar(from: &Path, to: &Path) -> anyhow::Result<()> {
    let (near, far) = connection()?;
    fs::create_dir(to)?;
    both(
        Command::new("tar")
            .args(["-cf", "-", "-C"])
            .arg(from)
            .arg(".")
            .stdout(near),
        Command::new("tar").args(["-xf", "-", "-C"]).arg(to).stdin(far),
    )
}

fn both(sender: &mut Command, receiver: &mut Command) -> anyhow::Result<()> {
    let (mut sending, mut receiving) = (sender.spawn()?, receiver.spawn()?);
    // Our own copies of the sockets would keep the receiver from seeing the end.
    sender.stdout(Stdio::null());
    receiver.stdin(Stdio::null());
    ensure!(
        sending.wait()?.success() && receiving.wait()?.success(),
        "the copy failed"
    );
    Ok(())
}
