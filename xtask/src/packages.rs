//! The Debian packages that building, testing, the demo and the measurements need.

use std::collections::HashSet;
use std::io::{IsTerminal as _, stdin};
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};

use crate::run::{run, say, succeeds};

/// Packages by name, and why each is needed.
type Table = [(&'static str, &'static str)];

/// What every command needs.
const PACKAGES: &Table = &[
    ("at-spi2-core", "accessibility bus of a desktop"),
    ("chromium", "browser that the typing tests type into"),
    ("cmake", "builds the libjpeg-turbo inside the daemon"),
    ("dbus", "session bus of a desktop"),
    ("dbus-x11", "lets programs find their session bus by the display"),
    ("featherpad", "Qt editor that the typing tests type into"),
    ("fonts-dejavu-core", "text on screen"),
    ("fonts-noto-cjk", "Chinese, Japanese and Korean text on screen"),
    ("fonts-noto-color-emoji", "emoji on screen"),
    ("gir1.2-gtk-3.0", "GTK 3 for test programs in Python"),
    ("gir1.2-gtk-4.0", "GTK 4 for test programs in Python"),
    (
        "imagemagick",
        "`import`, which the measurements compare screenshots with",
    ),
    ("make", "builds the libjpeg-turbo inside the daemon"),
    ("mousepad", "GTK editor of the demo and the typing tests"),
    ("nasm", "assembles the fast paths of libjpeg-turbo"),
    ("openbox", "window manager of a desktop"),
    ("pkg-config", "lets build scripts find system libraries"),
    (
        "python3-dbus",
        "D-Bus for a test program in Python that has its own tree",
    ),
    ("python3-gi", "GTK for test programs in Python"),
    ("python3-matplotlib", "plots of `run` in tests and examples"),
    (
        "python3-pyatspi",
        "the plain walk that the measurements compare observations with",
    ),
    ("python3-pyqt6", "Qt 6 for test programs in Python"),
    (
        "python3-tk",
        "Tk, which offers no accessibility tree, for test programs in Python",
    ),
    (
        "python3-venv",
        "environment that the Python package is built and tested in",
    ),
    ("scrot", "what the measurements compare screenshots with"),
    ("x11-utils", "`xprop` and `xwininfo`, a second opinion in tests"),
    (
        "x11-xkb-utils",
        "`setxkbmap`, which gives tests other keyboard layouts",
    ),
    (
        "x11-xserver-utils",
        "`xrandr` and `xmodmap`, which change a display in tests",
    ),
    ("xclip", "clipboard peer in tests"),
    ("xdotool", "what the measurements compare input with"),
    ("xinput", "shows in tests which device input came from"),
    ("xkb-data", "keyboard layouts"),
    ("xterm", "terminal that the typing tests type into"),
    ("xvfb", "X server without a screen"),
    ("zenity", "GTK dialogs in tests"),
];

/// What only the tests need that are left out unless all are asked for: large programs, with hundreds of packages behind them.
const LARGE: &Table = &[
    ("gnome-text-editor", "GTK 4 editor of a task"),
    ("kcalc", "Qt 5 calculator of a task"),
    ("libreoffice-calc", "spreadsheet of tasks"),
    (
        "libreoffice-gtk3",
        "draws LibreOffice by GTK, and offers its tree",
    ),
    ("libreoffice-writer", "word processor of tasks"),
];

/// Installs every package that is missing.
pub(crate) fn install() -> anyhow::Result<()> {
    install_from(PACKAGES)
}

/// Installs the large programs, too.
pub(crate) fn install_all() -> anyhow::Result<()> {
    install_from(&[PACKAGES, LARGE].concat())
}

fn install_from(table: &Table) -> anyhow::Result<()> {
    let missing = missing(table, &installed(table)?);
    if missing.is_empty() {
        say("==> packages: all there");
        return Ok(());
    }
    say("==> packages: these are missing");
    for (name, reason) in &missing {
        say(&format!("    {name:<24} {reason}"));
    }
    let names: Vec<&str> = missing.iter().map(|(name, _)| *name).collect();
    let Some(power) = Power::find() else {
        bail!(
            "installing packages needs root. Run this, then the command again:\n\n  \
             apt-get update && apt-get install -y {}\n",
            names.join(" ")
        );
    };
    // One dead mirror among many fails an update, and the packages may be had all the same.
    if let Err(error) = run(&mut power.apt(&["update"])) {
        say(&format!("    going on: {error:#}"));
    }
    let mut arguments = vec!["install", "-y"];
    arguments.extend(&names);
    run(&mut power.apt(&arguments)).with_context(|| {
        format!(
            "packages could not be installed; by hand: apt-get update && apt-get install -y {}",
            names.join(" ")
        )
    })
}

/// Names of the packages of the table that dpkg has fully installed.
fn installed(table: &Table) -> anyhow::Result<HashSet<String>> {
    let output = Command::new("dpkg-query")
        .args(["-W", "-f=${Package} ${db:Status-Status}\n"])
        .args(table.iter().map(|(name, _)| name))
        .stderr(Stdio::null())
        .output()
        .context("cannot start dpkg-query: this needs Debian or a system like it")?;
    Ok(read_status(&String::from_utf8_lossy(&output.stdout)))
}

/// Reads dpkg-query's lines. A package that was removed is still listed, as `config-files`.
fn read_status(text: &str) -> HashSet<String> {
    text.lines()
        .filter_map(|line| line.strip_suffix(" installed"))
        .map(str::to_owned)
        .collect()
}

fn missing(table: &Table, installed: &HashSet<String>) -> Vec<(&'static str, &'static str)> {
    table
        .iter()
        .filter(|(name, _)| !installed.contains(*name))
        .copied()
        .collect()
}

/// How this process may install packages.
#[derive(Debug, Clone, Copy)]
enum Power {
    Root,
    /// A person can be asked for the password.
    SudoAsking,
    SudoSilent,
}

impl Power {
    fn find() -> Option<Self> {
        let id = Command::new("id").arg("-u").output().ok()?;
        if id.stdout.trim_ascii() == b"0" {
            Some(Self::Root)
        } else if succeeds(Command::new("sudo").args(["-n", "true"])) {
            Some(Self::SudoSilent)
        } else if stdin().is_terminal() && succeeds(Command::new("sudo").arg("--version")) {
            Some(Self::SudoAsking)
        } else {
            None
        }
    }

    /// `apt-get` that asks nothing and waits while another one holds the lock.
    fn apt(self, arguments: &[&str]) -> Command {
        let mut command = match self {
            Self::Root => Command::new("env"),
            Self::SudoAsking | Self::SudoSilent => Command::new("sudo"),
        };
        match self {
            Self::Root => {}
            Self::SudoAsking => _ = command.arg("env"),
            Self::SudoSilent => _ = command.args(["-n", "env"]),
        }
        command
            .args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "-q"])
            .args(["-o", "DPkg::Lock::Timeout=300"])
            .args(arguments);
        command
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_fully_installed_package_counts() {
        let status = read_status("xvfb installed\nxterm config-files\nnasm not-installed\ncmake installed\n");
        assert_eq!(status, ["xvfb", "cmake"].map(str::to_owned).into());
        let missing = missing(PACKAGES, &status);
        assert_eq!(missing.len(), PACKAGES.len() - 2);
        assert!(missing.iter().any(|(name, _)| *name == "xterm"));
    }

    #[test]
    fn the_table_is_sorted_and_each_entry_has_a_reason() {
        assert!(PACKAGES.is_sorted_by(|a, b| a.0 < b.0));
        assert!(PACKAGES.iter().all(|(_, reason)| !reason.is_empty()));
    }

    #[test]
    fn apt_is_never_interactive() {
        for power in [Power::Root, Power::SudoAsking, Power::SudoSilent] {
            let command = power.apt(&["install", "-y", "xvfb"]);
            let words: Vec<_> = command
                .get_args()
                .map(|word| word.to_string_lossy().into_owned())
                .collect();
            assert!(
                words.contains(&"DEBIAN_FRONTEND=noninteractive".to_owned()),
                "{words:?}"
            );
            assert!(
                words.ends_with(&["install", "-y", "xvfb"].map(str::to_owned)),
                "{words:?}"
            );
        }
    }
}
