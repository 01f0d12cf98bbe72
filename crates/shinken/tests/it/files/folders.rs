//! Whole folders.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use shinken::Transfer;
use shinken::aci::error_code::ErrorCode;

use super::{Places, names, noise};

/// Everything in a folder: paths with permissions, bytes and where links lead.
fn all(folder: &Path) -> Vec<(String, u32, Vec<u8>)> {
    let mut found = Vec::new();
    let mut to_read = vec![folder.to_owned()];
    while let Some(inner) = to_read.pop() {
        for entry in std::fs::read_dir(&inner).unwrap() {
            let path = entry.unwrap().path();
            let metadata = path.symlink_metadata().unwrap();
            let mut bytes = Vec::new();
            if metadata.is_dir() {
                to_read.push(path.clone());
            } else if metadata.is_symlink() {
                bytes = path.read_link().unwrap().to_str().unwrap().as_bytes().to_vec();
            } else {
                bytes = std::fs::read(&path).unwrap();
            }
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
            found.push((name, metadata.permissions().mode() & 0o777, bytes));
        }
    }
    found.sort();
    found
}

#[tokio::test]
async fn folders_keep_their_structure_both_ways() {
    let places = Places::start(&[]);
    let files = places.files().await;
    let local = places.here("tree");
    for folder in ["empty", "a/b/c", "ünï"] {
        std::fs::create_dir_all(local.join(folder)).unwrap();
    }
    for (name, size) in [
        ("a/one", 1),
        ("a/b/none", 0),
        ("ünï/文", 1000),
        ("a/b/c/large", 3 << 20),
    ] {
        std::fs::write(local.join(name), noise(size)).unwrap();
    }
    std::fs::set_permissions(local.join("a/one"), std::fs::Permissions::from_mode(0o755)).unwrap();
    symlink("../one", local.join("a/b/link")).unwrap();
    symlink("a/b", local.join("to folder")).unwrap();
    symlink("nowhere", local.join("dangling")).unwrap();
    std::os::unix::net::UnixListener::bind(local.join("socket")).unwrap();
    let remote = places.remote("put/tree");
    let copied = files.put_dir(&local, &remote, Transfer::default()).await.unwrap();
    assert_eq!(
        (copied.files, copied.folders, copied.links, copied.bytes),
        (4, 5, 3, (3 << 20) + 1001)
    );
    assert_eq!(copied.skipped, ["socket"]);
    std::fs::remove_file(local.join("socket")).unwrap();
    assert_eq!(all(Path::new(&remote)), all(&local));
    let back = places.here("back");
    let got = files.get_dir(&remote, &back, Transfer::default()).await.unwrap();
    assert_eq!((got.files, got.links, got.bytes), (4, 3, copied.bytes));
    assert_eq!(all(&back), all(&local));
    // Once more over what is there.
    files.put_dir(&local, &remote, Transfer::default()).await.unwrap();
    files.get_dir(&remote, &back, Transfer::default()).await.unwrap();
    assert_eq!(all(&back), all(&local));
}

#[tokio::test]
async fn thousands_of_small_files_go_without_a_round_trip_each() {
    let places = Places::start(&[]);
    let files = places.files().await;
    let local = places.here("many");
    for folder in 0..20 {
        let folder = local.join(format!("f{folder}"));
        std::fs::create_dir_all(&folder).unwrap();
        for file in 0..150 {
            std::fs::write(folder.join(format!("{file}.txt")), noise(file * 7)).unwrap();
        }
    }
    let remote = places.remote("many");
    let copied = files.put_dir(&local, &remote, Transfer::default()).await.unwrap();
    assert_eq!((copied.files, copied.folders), (3000, 20));
    let back = places.here("back");
    files.get_dir(&remote, &back, Transfer::default()).await.unwrap();
    assert!(all(&back) == all(&local));
}

#[tokio::test]
async fn links_that_lead_out_are_refused_before_anything_is_sent() {
    let places = Places::start(&[]);
    let files = places.files().await;
    for target in ["/etc/passwd", "..", "../x", "a/.."] {
        let local = places.here("tree");
        std::fs::create_dir_all(&local).unwrap();
        symlink(target, local.join("link")).unwrap();
        let refused = files
            .put_dir(&local, &places.remote("tree"), Transfer::default())
            .await
            .unwrap_err();
        assert_eq!(refused.code(), Some(ErrorCode::Denied), "{refused}");
        let refused = files
            .get_dir(local.to_str().unwrap(), places.here("back"), Transfer::default())
            .await
            .unwrap_err();
        assert_eq!(refused.code(), Some(ErrorCode::Denied), "{refused}");
        std::fs::remove_dir_all(&local).unwrap();
    }
    assert!(names(&places.there).is_empty());
    assert!(names(places.here.path()).is_empty());
}
