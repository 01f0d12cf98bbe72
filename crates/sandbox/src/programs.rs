//! The programs that a sandbox is made of: where they are looked for, and which Debian package has them.

use std::env;
use std::ffi::OsStr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use crate::SandboxError;

/// A program that a provider starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Program {
    /// The name of its file.
    pub name: &'static str,
    /// What it does for a sandbox.
    pub purpose: &'static str,
    /// Folders that are searched after `PATH`; not every program is meant to be called by people.
    folders: &'static [&'static str],
    /// Where it comes from.
    pub source: Source,
    /// Whether there is no sandbox without it.
    pub needed: bool,
}

/// Where a program comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A Debian package.
    Package(&'static str),
    /// This project; it lies beside the other programs of the project, or a variable names it.
    Project {
        /// The variable that names the file.
        variable: &'static str,
    },
}

/// The X server.
pub const XVFB: Program = Program {
    name: "Xvfb",
    purpose: "X server without a screen",
    folders: &[],
    source: Source::Package("xvfb"),
    needed: true,
};
/// The window manager.
pub const OPENBOX: Program = Program {
    name: "openbox",
    purpose: "window manager",
    folders: &[],
    source: Source::Package("openbox"),
    needed: true,
};
/// The session bus.
pub const DBUS: Program = Program {
    name: "dbus-daemon",
    purpose: "session bus",
    folders: &[],
    source: Source::Package("dbus"),
    needed: true,
};
/// The accessibility bus. A desktop without it works, only its programs cannot be read as a tree.
pub const ACCESSIBILITY: Program = Program {
    name: "at-spi-bus-launcher",
    purpose: "accessibility bus",
    folders: &["/usr/libexec", "/usr/lib/at-spi2-core"],
    source: Source::Package("at-spi2-core"),
    needed: false,
};
/// The daemon that serves the desktop.
pub const SHINKEND: Program = Program {
    name: "shinkend",
    purpose: "daemon that serves the desktop",
    folders: &[],
    source: Source::Project { variable: "SHINKEND" },
    needed: true,
};
/// The command that supervises desktops.
pub const SHINKEN: Program = Program {
    name: "shinken",
    purpose: "command that supervises desktops",
    folders: &[],
    source: Source::Project { variable: "SHINKEN" },
    needed: true,
};

/// Everything that the process provider starts.
pub const PROGRAMS: &[Program] = &[XVFB, OPENBOX, DBUS, ACCESSIBILITY, SHINKEND, SHINKEN];

impl Program {
    /// The program's file, or `None` where it is not installed.
    ///
    /// Programs of the project are looked for beside the running executable, then in their variable, then in `PATH`;
    /// all others in `PATH` and then in the folders where packages put them.
    pub fn find(&self) -> Option<PathBuf> {
        let own = match self.source {
            Source::Package(_) => None,
            Source::Project { variable } => self.beside().or_else(|| {
                let named = PathBuf::from(env::var_os(variable)?);
                is_executable(&named).then_some(named)
            }),
        };
        own.or_else(|| self.in_path(env::var_os("PATH").as_deref()))
            .or_else(|| self.in_folders(self.folders.iter().map(Path::new)))
    }

    fn beside(&self) -> Option<PathBuf> {
        let executable = env::current_exe().ok()?;
        let folder = executable.parent()?;
        // Cargo puts tests and examples one folder below the others.
        let above = folder
            .file_name()
            .is_some_and(|name| name == "deps" || name == "examples")
            .then(|| folder.parent());
        self.in_folders([Some(folder), above.flatten()].into_iter().flatten())
    }

    fn in_path(&self, path: Option<&OsStr>) -> Option<PathBuf> {
        let folders: Vec<PathBuf> = env::split_paths(path?)
            // An empty entry means the working folder, from which nothing is to be run by accident.
            .filter(|folder| folder.is_absolute())
            .collect();
        self.in_folders(folders.iter().map(PathBuf::as_path))
    }

    fn in_folders<'a>(&self, mut folders: impl Iterator<Item = &'a Path>) -> Option<PathBuf> {
        folders.find_map(|folder| {
            let file = folder.join(self.name);
            is_executable(&file).then_some(file)
        })
    }

    /// The program's file, or what is to be done to have it.
    pub(crate) fn require(&self) -> Result<PathBuf, SandboxError> {
        self.find().ok_or_else(|| SandboxError::ProgramMissing {
            program: self.name,
            remedy: self.remedy(),
        })
    }

    /// The same, with a folder in which programs of the project are looked for first.
    pub(crate) fn require_from(&self, folder: Option<&Path>) -> Result<PathBuf, SandboxError> {
        let own = matches!(self.source, Source::Project { .. });
        match self.in_folders(folder.filter(|_| own).into_iter()) {
            Some(file) => Ok(file),
            None => self.require(),
        }
    }

    /// What installs the program, as a sentence for people.
    pub fn remedy(&self) -> String {
        match self.source {
            Source::Package(package) => install_command(&[package]),
            Source::Project { variable } => {
                format!(
                    "put `{}` beside this program, or name its file in ${variable}",
                    self.name
                )
            }
        }
    }
}

/// The command that installs `packages`.
pub fn install_command(packages: &[&str]) -> String {
    let sudo = if rustix::process::geteuid().is_root() {
        ""
    } else {
        "sudo "
    };
    format!(
        "{sudo}apt-get update && {sudo}apt-get install -y {}",
        packages.join(" ")
    )
}

fn is_executable(file: &Path) -> bool {
    file.metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_where_path_says_and_only_if_it_can_run() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(OPENBOX.name);
        std::fs::write(&file, "").unwrap();
        let path = folder.path().as_os_str();
        assert_eq!(OPENBOX.in_path(Some(path)), None);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(OPENBOX.in_path(Some(path)), Some(file));
        assert_eq!(XVFB.in_path(Some(path)), None);
        assert_eq!(OPENBOX.in_path(Some(OsStr::new(""))), None);
        assert_eq!(OPENBOX.in_path(None), None);
    }

    #[test]
    fn each_remedy_names_the_package_or_the_variable() {
        for program in PROGRAMS {
            let remedy = program.remedy();
            match program.source {
                Source::Package(package) => assert!(remedy.ends_with(package), "{remedy}"),
                Source::Project { variable } => assert!(remedy.contains(variable), "{remedy}"),
            }
        }
    }
}
