//! Files to the desktop and back.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod cable;
mod faults;
mod folders;
mod liar;

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use aci::error_code::ErrorCode;
use shinken::{ClientError, EntryKind, Files, Transfer, aci};

use crate::daemon::Daemon;

/// What our side sends at a time.
const CHUNK: usize = aci::files::CHUNK_BYTES;

/// Bytes that do not repeat, so that a piece in a wrong place is seen.
pub(crate) fn noise(size: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64 ^ size as u64;
    let mut bytes = Vec::with_capacity(size + 8);
    while bytes.len() < size {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend_from_slice(&state.to_le_bytes());
    }
    bytes.truncate(size);
    bytes
}

/// What `sha256sum` says of a file.
fn sha256sum(path: &Path) -> String {
    let output = std::process::Command::new("sha256sum")
        .arg(path)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.split_whitespace().next().unwrap().to_owned()
}

/// A folder of this side and one that stands for the desktop's.
pub(crate) struct Places {
    pub(crate) daemon: Daemon,
    pub(crate) here: tempfile::TempDir,
    pub(crate) there: PathBuf,
}

impl Places {
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let daemon = Daemon::start_with(arguments);
        let there = daemon.path("there");
        std::fs::create_dir(&there).unwrap();
        Self {
            daemon,
            here: tempfile::tempdir().unwrap(),
            there,
        }
    }

    pub(crate) async fn files(&self) -> Files {
        self.daemon.client().await.files()
    }

    pub(crate) fn here(&self, name: &str) -> PathBuf {
        self.here.path().join(name)
    }

    /// A path of the desktop.
    pub(crate) fn remote(&self, name: &str) -> String {
        self.there.join(name).to_str().unwrap().to_owned()
    }
}

/// The names in a folder.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[tokio::test]
async fn files_of_any_size_go_there_and_back() {
    let places = Places::start(&[]);
    let files = places.files().await;
    for size in [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK, (64 << 20) + 5] {
        let bytes = noise(size);
        let local = places.here("ünïcode 文.bin");
        std::fs::write(&local, &bytes).unwrap();
        std::fs::set_permissions(&local, std::fs::Permissions::from_mode(0o750)).unwrap();
        let remote = places.remote("deep/er/ünïcode 文.bin");
        let put = files
            .put_file(&local, &remote, Transfer::default())
            .await
            .unwrap();
        assert_eq!(put.size, size as u64);
        assert_eq!(put.sha256, sha256sum(Path::new(&remote)));
        assert!(std::fs::read(&remote).unwrap() == bytes, "{size}");
        let back = places.here("new/back.bin");
        let got = files.get_file(&remote, &back, Transfer::default()).await.unwrap();
        assert_eq!(got, put);
        assert!(std::fs::read(&back).unwrap() == bytes, "{size}");
        let metadata = |path: &Path| {
            let metadata = std::fs::metadata(path).unwrap();
            let changed = metadata.modified().unwrap();
            let millis = changed.duration_since(std::time::UNIX_EPOCH).unwrap().as_millis();
            (metadata.permissions().mode() & 0o777, millis)
        };
        assert_eq!(metadata(Path::new(&remote)), metadata(&local));
        assert_eq!(metadata(&back), metadata(&local));
    }
    assert_eq!(names(&places.there.join("deep/er")), ["ünïcode 文.bin"]);
}

#[tokio::test]
async fn bytes_go_without_a_file_of_this_side() {
    let places = Places::start(&[]);
    let files = places.files().await;
    let remote = places.remote("bytes");
    for size in [0, 5, 5 * CHUNK + 1] {
        let bytes = noise(size);
        let put = files
            .put_bytes(bytes.clone(), &remote, Transfer::default().mode(0o600))
            .await
            .unwrap();
        assert_eq!(put.size, size as u64);
        let got = files.get_bytes(&remote, size, Transfer::default()).await.unwrap();
        assert!(got == bytes);
    }
    let refused = files
        .get_bytes(&remote, 9, Transfer::default())
        .await
        .unwrap_err();
    assert_eq!(refused.code(), Some(ErrorCode::QuotaExceeded));
    // Files of which the system does not know the size are read to their end.
    let status = files
        .get_bytes("/proc/self/status", 1 << 20, Transfer::default())
        .await
        .unwrap();
    assert!(status.starts_with(b"Name:\tshinkend"), "{status:?}");
    let entry = files.stat(&remote).await.unwrap().unwrap();
    assert_eq!((entry.kind, entry.mode.to_u32()), (EntryKind::File, 0o600));
    assert_eq!(files.stat(&places.remote("none")).await.unwrap(), None);
}

#[tokio::test]
async fn progress_grows_to_the_whole() {
    let places = Places::start(&[]);
    let files = places.files().await;
    let told = Arc::new(Mutex::new(Vec::new()));
    let told_too = Arc::clone(&told);
    let options = Transfer::default().progress(move |progress| told_too.lock().unwrap().push(progress));
    let size = 10 * CHUNK as u64;
    files
        .put_bytes(noise(10 * CHUNK), &places.remote("a"), options.clone())
        .await
        .unwrap();
    let progress = std::mem::take(&mut *told.lock().unwrap());
    assert!(progress.is_sorted_by_key(|progress| progress.bytes));
    let last = progress.last().unwrap();
    assert_eq!((last.bytes, last.total_bytes), (size, size));
    assert_eq!((last.files, last.total_files), (1, 1));
    files
        .get_file(&places.remote("a"), places.here("a"), options)
        .await
        .unwrap();
    let last = told.lock().unwrap().last().cloned().unwrap();
    assert_eq!((last.bytes, last.total_bytes, last.files), (size, size, 1));
}

#[tokio::test]
async fn artifacts_are_found_by_their_hash() {
    let places = Places::start(&[]);
    let files = places.files().await;
    let local = places.here("trace.log");
    std::fs::write(&local, noise(3 * CHUNK)).unwrap();
    let first = files.artifact_upload(&local, Transfer::default()).await.unwrap();
    assert_eq!(first.sha256, sha256sum(&local));
    assert_eq!((first.name.as_str(), first.already), ("trace.log", false));
    let again = files.artifact_upload(&local, Transfer::default()).await.unwrap();
    assert!(again.already);
    let listed = files.artifact_list().await.unwrap();
    assert_eq!(listed, [again]);
    let back = places.here("back.log");
    files
        .artifact_download(&first.sha256, &back, Transfer::default())
        .await
        .unwrap();
    assert!(std::fs::read(back).unwrap() == std::fs::read(&local).unwrap());
    files.artifact_remove(&first.sha256).await.unwrap();
    let gone = files
        .artifact_download(&first.sha256, places.here("x"), Transfer::default())
        .await
        .unwrap_err();
    assert_eq!(gone.code(), Some(ErrorCode::FileNotFound));
    assert!(!places.here("x").exists());
    let odd = files.artifact_remove("../../etc/passwd").await.unwrap_err();
    assert_eq!(odd.code(), Some(ErrorCode::InvalidAction));
}

#[tokio::test]
async fn what_a_daemon_does_not_offer_is_not_asked_for() {
    let places = Places::start(&["--no-files"]);
    let files = places.files().await;
    let refused = files.stat("/").await.unwrap_err();
    assert!(matches!(refused, ClientError::Unsupported { .. }), "{refused}");
}
