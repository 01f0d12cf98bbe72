//! Cut connections, damaged bytes, limits, and places that may not be used.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use shinken::aci::error_code::ErrorCode;
use shinken::{Client, ClientError, Files, Options, Transfer};
use tokio::time::timeout;

use super::cable::Cable;
use super::{CHUNK, Places, names, noise};
use crate::daemon::{PATIENCE, TOKEN};

/// The code of a refusal.
fn code<T: std::fmt::Debug>(outcome: Result<T, ClientError>) -> Option<ErrorCode> {
    outcome.unwrap_err().code()
}

async fn through(cable: &Cable) -> Files {
    Client::connect(cable.address(), Some(TOKEN), Options::default())
        .await
        .unwrap()
        .files()
}

#[tokio::test]
async fn a_cut_upload_goes_on_where_it_was() {
    let places = Places::start(&[]);
    let cable = Cable::start(places.daemon.address()).await;
    let files = through(&cable).await;
    let bytes = noise(48 << 20);
    let local = places.here("large");
    std::fs::write(&local, &bytes).unwrap();
    let remote = places.remote("large");
    // Both connections of the session are cut, again and again.
    let cable = Arc::new(cable);
    let cut = Arc::clone(&cable);
    let next_cut = AtomicUsize::new(12 << 20);
    let options = Transfer::default().progress(move |progress| {
        let at = next_cut.load(Ordering::Relaxed);
        if progress.bytes >= at as u64 && at < 40 << 20 {
            next_cut.store(at + (12 << 20), Ordering::Relaxed);
            cut.cut();
        }
    });
    let put = files.put_file(&local, &remote, options).await.unwrap();
    assert_eq!(put.size, bytes.len() as u64);
    assert!(std::fs::read(&remote).unwrap() == bytes);
    assert!(cable.cuts() >= 3, "{}", cable.cuts());
    // What was under way at each cut is sent again, and no more.
    let most = bytes.len() + cable.cuts() * (12 << 20);
    assert!(cable.bytes_there() < most, "{} of {most}", cable.bytes_there());
    assert_eq!(names(&places.there), ["large"]);
}

#[tokio::test]
async fn a_cut_download_goes_on_where_it_was() {
    let places = Places::start(&[]);
    let cable = Arc::new(Cable::start(places.daemon.address()).await);
    let files = through(&cable).await;
    let bytes = noise(48 << 20);
    std::fs::write(places.there.join("large"), &bytes).unwrap();
    let cut = Arc::clone(&cable);
    let next_cut = AtomicUsize::new(12 << 20);
    let options = Transfer::default().progress(move |progress| {
        let at = next_cut.load(Ordering::Relaxed);
        if progress.bytes >= at as u64 && at < 40 << 20 {
            next_cut.store(at + (12 << 20), Ordering::Relaxed);
            cut.cut();
        }
    });
    let back = places.here("back");
    files
        .get_file(&places.remote("large"), &back, options)
        .await
        .unwrap();
    assert!(std::fs::read(&back).unwrap() == bytes);
    let most = bytes.len() + cable.cuts() * (20 << 20);
    assert!(cable.bytes_back() < most, "{} of {most}", cable.bytes_back());
    assert_eq!(names(places.here.path()), ["back"]);
}

#[tokio::test]
async fn a_folder_survives_cuts() {
    let places = Places::start(&[]);
    let cable = Arc::new(Cable::start(places.daemon.address()).await);
    let files = through(&cable).await;
    let local = places.here("many");
    std::fs::create_dir(&local).unwrap();
    for file in 0..600 {
        std::fs::write(local.join(format!("{file}")), noise(file * 50)).unwrap();
    }
    let cut_at = |count: u64| {
        let (cut, done) = (Arc::clone(&cable), AtomicBool::new(false));
        Transfer::default().progress(move |progress| {
            if progress.files >= count && !done.swap(true, Ordering::Relaxed) {
                cut.cut();
            }
        })
    };
    let remote = places.remote("many");
    let copied = files.put_dir(&local, &remote, cut_at(200)).await.unwrap();
    let got = files
        .get_dir(&remote, places.here("back"), cut_at(300))
        .await
        .unwrap();
    assert_eq!((copied.files, got.files), (600, 600));
    assert!(cable.cuts() >= 2);
    for file in 0..600 {
        let bytes = std::fs::read(places.here("back").join(format!("{file}"))).unwrap();
        assert!(bytes == noise(file * 50), "{file}");
    }
}

#[tokio::test]
async fn damaged_bytes_are_repaired_both_ways() {
    let places = Places::start(&[]);
    let cable = Cable::start(places.daemon.address()).await;
    let files = through(&cable).await;
    for (name, size) in [("small", CHUNK / 2), ("large", 9 << 20)] {
        let bytes = noise(size);
        cable.damage_to_daemon(size / 2);
        let remote = places.remote(name);
        files
            .put_bytes(bytes.clone(), &remote, Transfer::default())
            .await
            .unwrap();
        assert!(cable.has_damaged(), "{name}");
        assert!(std::fs::read(&remote).unwrap() == bytes, "{name}");
        cable.damage_from_daemon(size / 2);
        let got = files.get_bytes(&remote, size, Transfer::default()).await.unwrap();
        assert!(cable.has_damaged(), "{name}");
        assert!(got == bytes, "{name}");
    }
}

#[tokio::test]
async fn a_cancelled_transfer_leaves_nothing() {
    let places = Places::start(&[]);
    let files = places.files().await;
    let remote = places.remote("large");
    std::fs::write(&remote, "as it was").unwrap();
    let source = places.here("source");
    std::fs::write(&source, noise(256 << 20)).unwrap();
    let begun = Arc::new(tokio::sync::Notify::new());
    let telling = Arc::clone(&begun);
    let options = Transfer::default().progress(move |progress| {
        if progress.bytes > 2 << 20 {
            telling.notify_one();
        }
    });
    tokio::select! {
        outcome = files.put_file(&source, &remote, options.clone()) => panic!("{outcome:?}"),
        () = begun.notified() => {}
    }
    let large = source.to_str().unwrap();
    tokio::select! {
        outcome = files.get_file(large, places.here("back"), options) => panic!("{outcome:?}"),
        () = begun.notified() => {}
    }
    // Others go on, and see what was there before.
    let seen = files.get_bytes(&remote, 100, Transfer::default()).await.unwrap();
    assert_eq!(seen, "as it was");
    testbed::eventually("the daemon to let go", PATIENCE, || {
        (names(&places.there) == ["large"] && names(places.here.path()) == ["source"]).then_some(())
    });
    let again = files
        .put_bytes("whole", &remote, Transfer::default())
        .await
        .unwrap();
    assert_eq!(again.size, 5);
}

#[tokio::test]
async fn of_two_writers_one_wins_as_a_whole() {
    let places = Places::start(&[]);
    let (first, second) = (places.files().await, places.files().await);
    let remote = places.remote("both");
    let (one, two) = (noise(5 << 20), noise((5 << 20) + 1));
    for _ in 0..3 {
        let (a, b) = tokio::join!(
            first.put_bytes(one.clone(), &remote, Transfer::default()),
            second.put_bytes(two.clone(), &remote, Transfer::default()),
        );
        a.unwrap();
        b.unwrap();
        let there = std::fs::read(&remote).unwrap();
        assert!(there == one || there == two);
    }
    assert_eq!(names(&places.there), ["both"]);
}

#[tokio::test]
async fn nothing_outside_of_the_scope_is_reached() {
    let scope = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("secret"), "secret").unwrap();
    let places = Places::start(&["--files-scope", scope.path().to_str().unwrap()]);
    let files = places.files().await;
    let inside = |name: &str| scope.path().join(name).to_str().unwrap().to_owned();
    symlink(outside.path(), scope.path().join("out")).unwrap();
    symlink(outside.path().join("secret"), scope.path().join("file")).unwrap();
    symlink("/proc/self/root", scope.path().join("root")).unwrap();
    files
        .put_bytes("ok", &inside("a/b"), Transfer::default())
        .await
        .unwrap();
    let secret = outside.path().join("secret").to_str().unwrap().to_owned();
    for path in [
        secret.clone(),
        inside("../x"),
        inside("a/../../x"),
        inside("out/secret"),
        inside("file"),
        inside(&format!("root{secret}")),
        format!("/proc/self/root{secret}"),
        "relative to a home outside".to_owned(),
    ] {
        let got = files.get_bytes(&path, 100, Transfer::default()).await;
        assert_eq!(code(got), Some(ErrorCode::Denied), "get {path}");
        let listed = files.list(&path, false).await;
        assert_eq!(code(listed), Some(ErrorCode::Denied), "list {path}");
        if path != inside("file") {
            let put = files.put_bytes("bad", &path, Transfer::default()).await;
            assert_eq!(code(put), Some(ErrorCode::Denied), "put {path}");
        }
    }
    // The link itself is replaced, and what it led to is as it was.
    files
        .put_bytes("new", &inside("file"), Transfer::default())
        .await
        .unwrap();
    assert_eq!(std::fs::read(&secret).unwrap(), b"secret");
    assert_eq!(names(outside.path()), ["secret"]);
}

#[tokio::test]
async fn what_the_system_refuses_has_its_code() {
    let places = Places::start(&[]);
    let files = places.files().await;
    std::fs::create_dir(places.there.join("folder")).unwrap();
    std::fs::write(places.there.join("file"), "x").unwrap();
    let options = Transfer::default;
    let put = async |path: &str| code(files.put_bytes("x", path, options()).await);
    let get = async |path: &str| code(files.get_bytes(path, 10, options()).await);
    assert_eq!(put(&places.remote("folder")).await, Some(ErrorCode::FileFailed));
    assert_eq!(put(&places.remote("file/x")).await, Some(ErrorCode::FileFailed));
    assert_eq!(put("/dev/null").await, Some(ErrorCode::Denied));
    assert_eq!(put("/proc/x").await, Some(ErrorCode::FileNotFound));
    assert_eq!(put("a\0b").await, Some(ErrorCode::InvalidAction));
    assert_eq!(
        put(&places.remote(&"n".repeat(300))).await,
        Some(ErrorCode::InvalidAction)
    );
    assert_eq!(get(&places.remote("none")).await, Some(ErrorCode::FileNotFound));
    assert_eq!(get(&places.remote("folder")).await, Some(ErrorCode::FileFailed));
    assert_eq!(get("/dev/zero").await, Some(ErrorCode::Denied));
    // Trouble on this side has the same codes.
    let local = files
        .put_file(places.here("none"), &places.remote("x"), options())
        .await;
    assert!(matches!(
        local,
        Err(ClientError::File {
            code: ErrorCode::FileNotFound,
            ..
        })
    ));
    // The channel goes on after all of it.
    assert_eq!(
        files
            .get_bytes(&places.remote("file"), 1, options())
            .await
            .unwrap(),
        "x"
    );
    assert_eq!(names(&places.there), ["file", "folder"]);
}

#[tokio::test]
async fn quotas_hold_and_what_failed_is_given_back() {
    let places = Places::start(&[
        "--max-file-bytes",
        "3000000",
        "--files-quota-bytes",
        "5000000",
        "--artifacts-quota-bytes",
        "1000",
    ]);
    let files = places.files().await;
    let put = async |name: &str, size: usize| {
        files
            .put_bytes(noise(size), &places.remote(name), Transfer::default())
            .await
    };
    assert_eq!(code(put("a", 3_000_001).await), Some(ErrorCode::QuotaExceeded));
    put("a", 3_000_000).await.unwrap();
    assert_eq!(code(put("b", 2_000_001).await), Some(ErrorCode::QuotaExceeded));
    put("b", 2_000_000).await.unwrap();
    assert_eq!(code(put("c", 1).await), Some(ErrorCode::QuotaExceeded));
    assert_eq!(names(&places.there), ["a", "b"]);
    let artifact = async |size: usize| {
        std::fs::write(places.here("artifact"), noise(size)).unwrap();
        files
            .artifact_upload(places.here("artifact"), Transfer::default())
            .await
    };
    let first = artifact(900).await.unwrap();
    assert_eq!(code(artifact(101).await), Some(ErrorCode::QuotaExceeded));
    files.artifact_remove(&first.sha256).await.unwrap();
    artifact(1000).await.unwrap();
}

#[tokio::test]
async fn a_full_disk_is_told() {
    let places = Places::start(&[]);
    // A filesystem that is that small needs the rights to mount it.
    let full = places.there.join("full");
    std::fs::create_dir(&full).unwrap();
    let mounted = std::process::Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=1m", "tmpfs"])
        .arg(&full)
        .status();
    if !mounted.is_ok_and(|status| status.success()) {
        println!("SKIP: no rights to mount a small filesystem");
        return;
    }
    let files = places.files().await;
    let put = files
        .put_bytes(noise(4 << 20), &places.remote("full/x"), Transfer::default())
        .await;
    let left = names(&full);
    let unmounted = std::process::Command::new("umount").arg(&full).status();
    assert_eq!(code(put), Some(ErrorCode::DiskFull));
    assert!(left.is_empty(), "{left:?}");
    // The daemon still has the file that failed open for a moment.
    drop(unmounted);
    testbed::eventually("the filesystem to be free", PATIENCE, || {
        let unmount = || std::process::Command::new("umount").arg(&full).status();
        let is_mounted = std::fs::read_to_string("/proc/mounts")
            .unwrap()
            .contains(full.to_str().unwrap());
        (!is_mounted || unmount().is_ok_and(|status| status.success())).then_some(())
    });
}

#[tokio::test]
async fn pings_are_answered_while_files_move() {
    let places = Places::start(&[]);
    let client = places.daemon.client().await;
    let files = client.files();
    let source = places.here("source");
    std::fs::write(&source, noise(128 << 20)).unwrap();
    let remote = places.remote("x");
    let moving = async {
        files
            .put_file(&source, &remote, Transfer::default())
            .await
            .unwrap();
        files
            .get_file(&remote, places.here("back"), Transfer::default())
            .await
            .unwrap();
    };
    let pinging = async {
        loop {
            timeout(PATIENCE, client.ping()).await.unwrap().unwrap();
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        () = moving => {}
        () = pinging => {}
    }
}

#[tokio::test]
async fn no_place_of_this_side_is_written_but_the_folder_that_was_named() {
    let places = Places::start(&[]);
    let files = places.files().await;
    let outside = places.here("outside");
    std::fs::create_dir(&outside).unwrap();
    let into = places.here("into");
    std::fs::create_dir(&into).unwrap();
    // A link that was there before is not gone through either.
    symlink(&outside, into.join("a")).unwrap();
    std::fs::create_dir(places.there.join("a")).unwrap();
    std::fs::write(places.there.join("a/file"), "x").unwrap();
    let got = files
        .get_dir(places.there.to_str().unwrap(), &into, Transfer::default())
        .await;
    assert!(got.is_err(), "{got:?}");
    assert!(names(&outside).is_empty());
}

#[tokio::test]
async fn nothing_of_a_killed_daemon_is_left() {
    let mut places = Places::start(&[]);
    let client = Client::connect(
        places.daemon.address(),
        Some(TOKEN),
        Options {
            reconnect: None,
            ..Options::default()
        },
    )
    .await
    .unwrap();
    let files = client.files();
    let temporary = std::env::temp_dir();
    let ours = |before: &[String]| {
        let all = names(&temporary);
        let new = all.into_iter().filter(|name| !before.contains(name));
        new.filter(|name| name.starts_with("shinkend-artifacts-"))
            .collect::<Vec<_>>()
    };
    std::fs::write(places.here("a"), "artifact").unwrap();
    files
        .artifact_upload(places.here("a"), Transfer::default())
        .await
        .unwrap();
    let folder = {
        let pid = places.daemon.app.id();
        let open = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap();
        open.filter_map(|entry| std::fs::read_link(entry.unwrap().path()).ok())
            .find(|path| {
                path.to_str()
                    .is_some_and(|path| path.contains("shinkend-artifacts-"))
            })
            .unwrap()
    };
    assert_eq!(folder.metadata().unwrap().permissions().mode() & 0o777, 0o700);
    assert!(!ours(&[]).is_empty());
    let large = places.here("large");
    std::fs::write(&large, noise(256 << 20)).unwrap();
    let (begun, remote) = (Arc::new(tokio::sync::Notify::new()), places.remote("large"));
    let telling = Arc::clone(&begun);
    let options = Transfer::default().progress(move |progress| {
        if progress.bytes > 4 << 20 {
            telling.notify_one();
        }
    });
    let putting = tokio::spawn(async move { files.put_file(&large, &remote, options).await });
    begun.notified().await;
    places.daemon.kill();
    let lost = putting.await.unwrap().unwrap_err();
    assert!(matches!(lost, ClientError::SandboxDied { .. }), "{lost}");
    assert!(names(&places.there).is_empty());
    testbed::eventually("the guard to remove the artifacts", PATIENCE, || {
        (!folder.exists()).then_some(())
    });
}
