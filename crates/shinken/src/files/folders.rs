//! Whole folders, either way.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use aci::error_code::ErrorCode;
use aci::files::{Entry, EntryKind};
use transfer::{Following, Inside, TransferError, Tree, link_stays_inside};

use super::gets::{Gets, Into};
use super::puts::{Puts, What};
use super::{Copied, Files, Transfer, ask, gets, puts};
use crate::error::ClientError;

/// What the owner of a folder may do in it while it is filled, whatever its own permissions are.
const OWNER: u32 = 0o700;

/// Puts a folder.
pub(super) async fn put(
    files: &Files,
    local: &Path,
    remote: &str,
    options: Transfer,
) -> Result<Copied, ClientError> {
    let local = local.to_owned();
    let listing = tokio::task::spawn_blocking(move || list(&local));
    let (tree, entries) = listing.await.map_err(thread_failed)??;
    let mut copied = Copied::default();
    let folder = remote.trim_end_matches('/').to_owned();
    let root = if folder.is_empty() { "/" } else { &folder };
    let mut jobs = VecDeque::from([puts::Job::new(
        What::Folder(None),
        root.to_owned(),
        ".".to_owned(),
        0,
    )]);
    // Links last: what is put after a link might go through it.
    let mut links = VecDeque::new();
    for entry in entries {
        let at = format!("{folder}/{}", entry.path);
        let size = entry.size.to_u64();
        match sorted(&entry, &mut copied)? {
            Thing::Skipped => {}
            Thing::Folder(mode) => {
                jobs.push_back(puts::Job::new(What::Folder(Some(mode)), at, entry.path, 0))
            }
            Thing::Link(target) => links.push_back(puts::Job::new(What::Link(target), at, entry.path, 0)),
            Thing::File(path) => jobs.push_back(puts::Job::new(
                What::File(Arc::clone(&tree), path),
                at,
                entry.path,
                size,
            )),
        }
    }
    jobs.append(&mut links);
    copied.bytes = files.drive(Puts::new(jobs, options)).await?.bytes;
    Ok(copied)
}

/// Gets a folder.
pub(super) async fn get(
    files: &Files,
    remote: &str,
    local: &Path,
    options: Transfer,
) -> Result<Copied, ClientError> {
    let entries = ask::list(files, remote, true).await?;
    let mut copied = Copied::default();
    let (mut folders, mut links, mut wanted) = (Vec::new(), Vec::new(), Vec::new());
    for entry in entries {
        // The runtime's word for it is not taken: a path that goes up ends the whole.
        let path = Inside::new(&entry.path)?;
        if path.is_root() {
            return Err(ClientError::protocol("an entry of a folder has no name"));
        }
        match sorted(&entry, &mut copied)? {
            Thing::Skipped => {}
            Thing::Folder(mode) => folders.push((path, mode)),
            Thing::Link(target) => links.push((path, target)),
            Thing::File(path) => wanted.push((path, entry.size.to_u64())),
        }
    }
    let local = local.to_owned();
    let making = tokio::task::spawn_blocking(move || -> Result<Arc<Tree>, TransferError> {
        std::fs::create_dir_all(&local)
            .map_err(|error| TransferError::of_io("make the folder", &local.display().to_string(), &error))?;
        let tree = Tree::open(&local, Following::Nothing)?;
        for (path, mode) in folders {
            tree.make_folder(&path, Some(mode), true)?;
        }
        Ok(Arc::new(tree))
    });
    let tree = making.await.map_err(thread_failed)??;
    let folder = remote.trim_end_matches('/');
    let jobs = wanted.into_iter().map(|(path, size)| {
        let at = format!("{folder}/{path}");
        let shown = path.to_string();
        gets::Job::new(at, Into::Tree(Arc::clone(&tree), path), shown, size)
    });
    let jobs: VecDeque<gets::Job> = jobs.collect();
    copied.bytes = files.drive(Gets::new(jobs, options)).await?.all;
    // Last, so that nothing is written through them.
    let linking = tokio::task::spawn_blocking(move || {
        links
            .iter()
            .try_for_each(|(path, target)| tree.make_link(path, target))
    });
    linking.await.map_err(thread_failed)??;
    Ok(copied)
}

/// What is to be done with an entry.
enum Thing {
    Folder(u32),
    File(Inside),
    Link(String),
    Skipped,
}

/// Counts an entry and says what is to be done with it.
fn sorted(entry: &Entry, copied: &mut Copied) -> Result<Thing, ClientError> {
    match (entry.kind, &entry.target) {
        (EntryKind::Folder, _) => {
            copied.folders += 1;
            Ok(Thing::Folder(entry.mode.to_u32() | OWNER))
        }
        (EntryKind::File, _) => {
            copied.files += 1;
            Ok(Thing::File(Inside::new(&entry.path)?))
        }
        (EntryKind::Link, Some(target)) => {
            if !link_stays_inside(&Inside::new(&entry.path)?, target) {
                return Err(ClientError::File {
                    code: ErrorCode::Denied,
                    detail: format!(
                        "the symbolic link {} leads out of the folder, to {target}; remove it or make it lead inside by a \
                         relative path",
                        entry.path
                    ),
                });
            }
            copied.links += 1;
            Ok(Thing::Link(target.clone()))
        }
        _ => {
            copied.skipped.push(entry.path.clone());
            Ok(Thing::Skipped)
        }
    }
}

fn list(local: &Path) -> Result<(Arc<Tree>, Vec<Entry>), ClientError> {
    let tree = Tree::open(local, Following::Nothing)?;
    let mut all = Vec::new();
    transfer::list(&tree, &Inside::default(), true, &mut |entries| {
        all.extend(entries);
        true
    })?;
    Ok((Arc::new(tree), all))
}

fn thread_failed(error: tokio::task::JoinError) -> ClientError {
    ClientError::protocol(format!("the transfer's own thread failed: {error}"))
}
