//! What a client's path is on this machine, and whether it may be used.

use std::path::{Path, PathBuf};

use aci::error_code::ErrorCode;
use anyhow::Context as _;
use transfer::{Following, Inside, TransferError, Tree};

/// The folders beneath which clients may use files.
#[derive(Debug)]
pub(super) struct Scopes {
    scopes: Vec<Scope>,
    home: String,
}

#[derive(Debug)]
struct Scope {
    /// The folder as it is written in a path, without the slash at its begin.
    at: Inside,
    tree: Tree,
}

impl Scopes {
    /// Those that were named; all of the machine where none was.
    pub(super) fn open(folders: &[PathBuf]) -> anyhow::Result<Self> {
        let mut scopes = Vec::new();
        if folders.is_empty() {
            scopes.push(Scope::open(Path::new("/"))?);
        }
        for folder in folders {
            let cannot = || format!("cannot use the folder {} of --files-scope", folder.display());
            let real = folder.canonicalize().with_context(cannot)?;
            let named = std::path::absolute(folder).with_context(cannot)?;
            // By a symbolic link or without it, it is the same folder.
            if named != real {
                scopes.push(Scope::open(&named).with_context(cannot)?);
            }
            scopes.push(Scope::open(&real).with_context(cannot)?);
        }
        // Where one lies in another, the inner one is found first.
        scopes.sort_by_key(|scope| std::cmp::Reverse(scope.at.as_str().len()));
        Ok(Self {
            scopes,
            home: std::env::var("HOME").unwrap_or_default(),
        })
    }

    /// Where a client's path lies.
    pub(super) fn find(&self, path: &str) -> Result<(&Tree, Inside), TransferError> {
        let whole = match path.starts_with('/') {
            true => Inside::beneath_root(path)?,
            false => Inside::beneath_root(&self.home)?.join(&Inside::new(path)?),
        };
        let found = self.scopes.iter().find_map(|scope| {
            let rest = whole.as_str().strip_prefix(scope.at.as_str())?;
            let is_beneath = scope.at.is_root() || rest.is_empty() || rest.starts_with('/');
            is_beneath.then_some((scope, rest))
        });
        let (scope, rest) = found.ok_or_else(|| {
            let allowed: Vec<String> = self.scopes.iter().map(|scope| format!("/{}", scope.at)).collect();
            TransferError::new(
                ErrorCode::Denied,
                format!(
                    "/{whole} is outside of the folders that this daemon lets clients use; give a path beneath {}",
                    allowed.join(" or ")
                ),
            )
        })?;
        Ok((&scope.tree, Inside::beneath_root(rest)?))
    }
}

impl Scope {
    fn open(folder: &Path) -> anyhow::Result<Self> {
        let text = folder.to_str().context("its path is not UTF-8")?;
        let at = Inside::beneath_root(text)?;
        let following = match at.is_root() {
            true => Following::Anywhere,
            false => Following::Beneath,
        };
        Ok(Self {
            tree: Tree::open(folder, following)?,
            at,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_belongs_to_the_innermost_scope() {
        let folder = tempfile::tempdir().unwrap();
        let outer = folder.path().canonicalize().unwrap();
        std::fs::create_dir_all(outer.join("inner")).unwrap();
        std::fs::create_dir_all(outer.join("inner-not")).unwrap();
        let scopes = Scopes::open(&[outer.join("inner")]).unwrap();
        let find = |path: &str| {
            let path = format!("{}/{path}", outer.display());
            scopes.find(&path).map(|(_, inside)| inside.to_string())
        };
        assert_eq!(find("inner").unwrap(), ".");
        assert_eq!(find("inner//./a/b").unwrap(), "a/b");
        for outside in ["inner-not/a", "a", "inner/../a", "inner/a/../b"] {
            assert_eq!(find(outside).unwrap_err().code(), ErrorCode::Denied, "{outside}");
        }
        assert_eq!(
            scopes.find("/proc/self/root/etc").unwrap_err().code(),
            ErrorCode::Denied
        );
    }
}
