//! `shinken cp`.

use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use shinken::{Client, EntryKind, Files, Progress, Transfer};

use crate::output;
use crate::session::Session;
use crate::wrong_usage::wrong_usage;

/// How often the line about the progress is written.
const EVERY: Duration = Duration::from_millis(100);

/// Copies files and folders to a desktop or from one.
///
/// A path on a desktop is written NAME:PATH, or :PATH for the only one or that of --sandbox or --connect; it is absolute or
/// relative to the home folder there. A path of this side that holds a colon is written with a slash, such as ./a:b.
#[derive(Debug, clap::Args)]
pub(crate) struct Cp {
    /// What is copied.
    #[arg(value_name = "SRC")]
    from: String,
    /// Where to. In a folder that is there, and after a slash at the end, it keeps its name.
    #[arg(value_name = "DST")]
    to: String,
    /// Copies a folder with all that is in it.
    #[arg(short, long)]
    recursive: bool,
    #[command(flatten)]
    session: Session,
}

/// A path on a desktop.
#[derive(Debug, PartialEq, Eq)]
struct Remote<'a> {
    /// The desktop's name, where one is said.
    name: Option<&'a str>,
    path: &'a str,
}

impl<'a> Remote<'a> {
    /// Reads a path of the command line; `None` for one of this side.
    fn read(text: &'a str) -> Option<Self> {
        let (name, path) = text.split_once(':')?;
        if name.contains('/') {
            return None;
        }
        Some(Self {
            name: (!name.is_empty()).then_some(name),
            // The home folder.
            path: if path.is_empty() { "." } else { path },
        })
    }
}

impl Cp {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let Self {
            from,
            to,
            recursive,
            session,
        } = self;
        let (remote, work) = match (Remote::read(&from), Remote::read(&to)) {
            (None, Some(remote)) => (remote, Work::Put(PathBuf::from(&from))),
            (Some(remote), None) => (remote, Work::Get(to.clone())),
            (None, None) => {
                return wrong_usage(
                    "one of the two is a path on a desktop, written NAME:PATH, or :PATH for the only one",
                );
            }
            (Some(_), Some(_)) => {
                return wrong_usage("one of the two is a path of this side; copy by way of a file here");
            }
        };
        let session = match remote.name {
            None => session,
            Some(name) => session.of(name)?,
        };
        session.run(async |client| copy(client, &work, remote.path, recursive).await)
    }
}

/// Which way.
enum Work {
    Put(PathBuf),
    /// What was said of the place on this side.
    Get(String),
}

async fn copy(client: &Client, work: &Work, remote: &str, recursive: bool) -> anyhow::Result<ExitCode> {
    let files = client.files();
    let line = ProgressLine::on_a_terminal();
    let options = match &line {
        None => Transfer::default(),
        Some(line) => {
            let line = Arc::clone(line);
            Transfer::default().progress(move |progress| line.tell(&progress))
        }
    };
    let copied = match work {
        Work::Put(local) => put(&files, local, remote, recursive, options).await,
        Work::Get(local) => get(&files, remote, local, recursive, options).await,
    };
    if let Some(line) = line {
        line.clear();
    }
    for name in copied? {
        output::complain(&format!(
            "shinken: {name} is neither a file, a folder nor a link with a name in UTF-8, and was left out"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Puts a file or folder; gives what was left out.
async fn put(
    files: &Files,
    local: &Path,
    remote: &str,
    recursive: bool,
    options: Transfer,
) -> anyhow::Result<Vec<String>> {
    let metadata = std::fs::metadata(local).with_context(|| format!("cannot read {}", local.display()))?;
    only_folder_recursively(metadata.is_dir(), recursive, &local.display().to_string())?;
    let into = is_folder(files, remote).await?;
    let target = match into {
        false => remote.to_owned(),
        true => {
            let name = own_name(local)?;
            format!("{}/{name}", remote.trim_end_matches('/'))
        }
    };
    if metadata.is_dir() {
        return Ok(files.put_dir(local, &target, options).await?.skipped);
    }
    files.put_file(local, &target, options).await?;
    Ok(Vec::new())
}

/// Gets a file or folder; gives what was left out.
async fn get(
    files: &Files,
    remote: &str,
    local: &str,
    recursive: bool,
    options: Transfer,
) -> anyhow::Result<Vec<String>> {
    // A link may lead to a folder, which its list tells.
    let is_folder = match files.stat(remote).await? {
        Some(entry) if entry.kind == EntryKind::Link => files.list(remote, false).await.is_ok(),
        Some(entry) => entry.kind == EntryKind::Folder,
        None => false,
    };
    only_folder_recursively(is_folder, recursive, remote)?;
    let mut target = PathBuf::from(local);
    if target.is_dir() || local.ends_with('/') {
        let name = Path::new(remote).file_name();
        target.push(name.context("the source has no name of its own; name the target")?);
    }
    if is_folder {
        return Ok(files.get_dir(remote, &target, options).await?.skipped);
    }
    files.get_file(remote, &target, options).await?;
    Ok(Vec::new())
}

fn only_folder_recursively(is_folder: bool, recursive: bool, name: &str) -> anyhow::Result<()> {
    if is_folder && !recursive {
        bail!("{name} is a folder; copy it with -r");
    }
    Ok(())
}

/// The name that something of this side has, also where it is said as `.`.
fn own_name(local: &Path) -> anyhow::Result<String> {
    let real = match local.file_name() {
        Some(_) => local.to_owned(),
        None => local.canonicalize()?,
    };
    let name = real.file_name().and_then(|name| name.to_str());
    Ok(name
        .context("the source has no name of its own in UTF-8; name the target")?
        .to_owned())
}

/// Whether a copy keeps its name beneath a path of the desktop.
async fn is_folder(files: &Files, remote: &str) -> anyhow::Result<bool> {
    if remote.ends_with('/') {
        return Ok(true);
    }
    Ok(match files.stat(remote).await? {
        Some(entry) if entry.kind == EntryKind::Link => files.list(remote, false).await.is_ok(),
        Some(entry) => entry.kind == EntryKind::Folder,
        None => false,
    })
}

/// A line on the terminal that says how far a copy has got.
struct ProgressLine(Mutex<Option<Instant>>);

impl ProgressLine {
    fn on_a_terminal() -> Option<Arc<Self>> {
        std::io::stderr()
            .is_terminal()
            .then(|| Arc::new(Self(Mutex::new(None))))
    }

    fn tell(&self, progress: &Progress) {
        let Ok(mut written) = self.0.lock() else {
            return;
        };
        if written.is_some_and(|written| written.elapsed() < EVERY) {
            return;
        }
        *written = Some(Instant::now());
        let share = (progress.bytes * 100)
            .checked_div(progress.total_bytes)
            .unwrap_or(100);
        let mib = |bytes: u64| bytes as f64 / f64::from(1 << 20);
        // A terminal that cannot be written to shows nothing; the copy goes on.
        write!(
            std::io::stderr(),
            "\r\x1b[K{share:3} %  {:.1} of {:.1} MiB  {} of {} files  {}",
            mib(progress.bytes),
            mib(progress.total_bytes),
            progress.files,
            progress.total_files,
            shortened(&progress.file)
        )
        .ok();
    }

    fn clear(&self) {
        if self.0.lock().is_ok_and(|written| written.is_some()) {
            write!(std::io::stderr(), "\r\x1b[K").ok();
        }
    }
}

/// The end of a name, so that the line stays one; without anything that moves a terminal's cursor.
fn shortened(name: &str) -> String {
    const LONGEST: usize = 30;
    let shown: Vec<char> = name
        .chars()
        .map(|letter| if letter.is_control() { '?' } else { letter })
        .collect();
    match shown.len() > LONGEST {
        false => shown.into_iter().collect(),
        true => std::iter::once('…')
            .chain(shown[shown.len() - LONGEST..].iter().copied())
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colon_before_any_slash_makes_a_path_of_a_desktop() {
        let remote = |name: Option<&'static str>, path: &'static str| Some(Remote { name, path });
        for (text, read) in [
            ("a", None),
            ("./a:b", None),
            ("/a:b", None),
            (":a", remote(None, "a")),
            (":", remote(None, ".")),
            ("box:/a:b", remote(Some("box"), "/a:b")),
        ] {
            assert_eq!(Remote::read(text), read, "{text}");
        }
    }
}
