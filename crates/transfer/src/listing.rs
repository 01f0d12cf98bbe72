//! What is in a folder.

use aci::files::{Entry, EntryKind};
use rustix::fs::{self, AtFlags, Dir, FileType, OFlags};
use rustix::io::Errno;

use crate::tree::entry;
use crate::{Inside, TransferError, Tree, unfinished};

/// How many entries are given at a time.
pub const ENTRIES_AT_ONCE: usize = 256;
/// How many levels are gone down.
const DEEPEST: usize = 256;

/// Lists a folder, and with `recursive` what is in its folders; a folder comes before what is in it, and names are in order.
///
/// `give` gets the entries, some at a time, and says whether to go on. Files that are not whole yet are left out, and so is what
/// goes away meanwhile.
///
/// # Errors
/// A folder cannot be read, or they are nested without end.
pub fn list(
    tree: &Tree,
    folder: &Inside,
    recursive: bool,
    give: &mut dyn FnMut(Vec<Entry>) -> bool,
) -> Result<(), TransferError> {
    let mut to_read = vec![Inside::default()];
    let mut entries = Vec::new();
    while let Some(inner) = to_read.pop() {
        let of_folder = match in_folder(tree, folder, &inner) {
            Err(error) if !inner.is_root() && error.code() == aci::error_code::ErrorCode::FileNotFound => {
                continue;
            }
            read => read?,
        };
        let mut folders = Vec::new();
        for entry in of_folder {
            if recursive && entry.kind == EntryKind::Folder {
                let path = Inside::new(&entry.path)?;
                if path.as_str().matches('/').count() >= DEEPEST {
                    return Err(TransferError::failed(format!(
                        "{} is nested too deeply",
                        tree.shown(&folder.join(&path))
                    )));
                }
                folders.push(path);
            }
            entries.push(entry);
            if entries.len() >= ENTRIES_AT_ONCE && !give(std::mem::take(&mut entries)) {
                return Ok(());
            }
        }
        // The last one pushed is read first.
        to_read.extend(folders.into_iter().rev());
    }
    if !entries.is_empty() {
        give(entries);
    }
    Ok(())
}

fn in_folder(tree: &Tree, folder: &Inside, inner: &Inside) -> Result<Vec<Entry>, TransferError> {
    let path = folder.join(inner);
    let failed = |errno| tree.error("list", &path, errno);
    let opened = tree.folder(&path, OFlags::RDONLY)?;
    let mut found = Vec::new();
    let mut names = Dir::read_from(&opened).map_err(failed)?;
    while let Some(name) = names.read() {
        let name = name.map_err(failed)?;
        let name = name.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        let stat = match fs::statat(&opened, name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => continue,
            stat => stat.map_err(failed)?,
        };
        let relative = |name: &str| match inner.is_root() {
            true => name.to_owned(),
            false => format!("{inner}/{name}"),
        };
        let Ok(text) = name.to_str() else {
            let mut other = entry(relative(&name.to_string_lossy()), &stat, None);
            other.kind = EntryKind::Other;
            found.push(other);
            continue;
        };
        if unfinished::is_ours(text) {
            continue;
        }
        let mut target = None;
        if FileType::from_raw_mode(stat.st_mode) == FileType::Symlink {
            target = fs::readlinkat(&opened, name, Vec::new())
                .ok()
                .and_then(|target| target.into_string().ok());
        }
        found.push(entry(relative(text), &stat, target));
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}
