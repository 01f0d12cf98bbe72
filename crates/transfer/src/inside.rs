//! Paths that do not go up.

use std::fmt;

use crate::TransferError;

/// A path relative to some folder, without `.`, `..` and empty parts; that folder itself is the empty one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Inside(String);

impl Inside {
    /// Reads a relative path.
    ///
    /// # Errors
    /// It goes up, is absolute, or holds a NUL.
    pub fn new(path: &str) -> Result<Self, TransferError> {
        if path.starts_with('/') {
            return Err(TransferError::denied(format!(
                "{path:?} is absolute where a path inside of a folder is meant"
            )));
        }
        Self::beneath_root(path)
    }

    /// Reads a path whose slash at the begin, if there is one, is the folder itself.
    ///
    /// # Errors
    /// It goes up or holds a NUL.
    pub fn beneath_root(path: &str) -> Result<Self, TransferError> {
        if path.contains('\0') {
            return Err(TransferError::invalid("a path holds no NUL"));
        }
        let mut clean = String::with_capacity(path.len());
        for part in path.split('/').filter(|part| !matches!(*part, "" | ".")) {
            if part == ".." {
                return Err(TransferError::denied(format!(
                    "{path:?} goes up with \"..\"; name the place without it"
                )));
            }
            if !clean.is_empty() {
                clean.push('/');
            }
            clean.push_str(part);
        }
        Ok(Self(clean))
    }

    /// The path.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is the folder itself.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The folder that it is in, and its name there; `None` for the folder itself.
    pub fn split(&self) -> Option<(Self, &str)> {
        if self.is_root() {
            return None;
        }
        let (folder, name) = self.0.rsplit_once('/').unwrap_or(("", &self.0));
        Some((Self(folder.to_owned()), name))
    }

    /// Something in it, where it is a folder.
    #[must_use]
    pub fn join(&self, inner: &Self) -> Self {
        match (self.is_root(), inner.is_root()) {
            (true, _) => inner.clone(),
            (_, true) => self.clone(),
            _ => Self(format!("{}/{}", self.0, inner.0)),
        }
    }

    /// It and all folders above it, the highest first, without the root.
    pub fn steps(&self) -> impl Iterator<Item = Self> + '_ {
        let ends = self.0.match_indices('/').map(|(at, _)| at);
        let whole = (!self.is_root()).then_some(self.0.len());
        ends.chain(whole).map(|end| Self(self.0[..end].to_owned()))
    }
}

impl fmt::Display for Inside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_root() { "." } else { &self.0 })
    }
}

/// Whether a symbolic link that lies at a path of a tree leads to a place of that tree.
///
/// It may go up at its begin only, and not beyond the tree: after a name, `..` goes up from wherever that name leads.
pub fn link_stays_inside(link: &Inside, target: &str) -> bool {
    if target.is_empty() || target.starts_with('/') || target.contains('\0') {
        return false;
    }
    let depth = link.as_str().matches('/').count();
    let parts: Vec<&str> = target
        .split('/')
        .filter(|part| !matches!(*part, "" | "."))
        .collect();
    let ups = parts.iter().take_while(|part| **part == "..").count();
    ups <= depth && !parts[ups..].contains(&"..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_go_up_are_refused() {
        for path in ["..", "a/..", "a/../b", "../a", "/a", "a\0b"] {
            assert!(Inside::new(path).is_err(), "{path}");
        }
        for (path, clean) in [
            ("", ""),
            (".", ""),
            ("./a//b/", "a/b"),
            ("...", "..."),
            ("a..b", "a..b"),
        ] {
            assert_eq!(Inside::new(path).unwrap().as_str(), clean);
        }
        let steps: Vec<String> = Inside::new("a/b/c")
            .unwrap()
            .steps()
            .map(|step| step.to_string())
            .collect();
        assert_eq!(steps, ["a", "a/b", "a/b/c"]);
        assert_eq!(Inside::default().steps().count(), 0);
    }

    #[test]
    fn links_that_lead_out_are_told() {
        for (link, target, inside) in [
            ("l", "a", true),
            ("l", "./a/b", true),
            ("l", "..", false),
            ("d/l", "..", true),
            ("d/l", "../a", true),
            ("d/l", "../../a", false),
            ("d/e/l", "../../a", true),
            // Where `x` leads to the tree's root, this is the folder above it.
            ("l", "x/..", false),
            ("l", "/etc/passwd", false),
            ("l", "", false),
        ] {
            assert_eq!(
                link_stays_inside(&Inside::new(link).unwrap(), target),
                inside,
                "{link} -> {target}"
            );
        }
    }
}
