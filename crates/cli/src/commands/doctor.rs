//! `shinken doctor`: what is missing on this machine, and the command that installs it.

use std::path::Path;
use std::process::ExitCode;

use sandbox::programs::{PROGRAMS, Source, install_command};
use sandbox::provider::PROVIDERS;
use sandbox::runtime::Runtime;

use crate::output::{OutputError, line};

/// Checks that this machine has all that a desktop needs, and says how to get what is missing.
#[derive(Debug, clap::Args)]
pub(crate) struct Doctor {}

/// How a check went.
enum Finding {
    Fine(String),
    /// Sandboxes work, with something less.
    Lacking(String),
    /// No sandbox without it.
    Missing(String),
}

impl Doctor {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        let mut packages = Vec::new();
        let mut advice = Vec::new();
        let mut complete = true;
        for program in PROGRAMS {
            let finding = match program.find() {
                Some(file) => Finding::Fine(file.display().to_string()),
                None => {
                    match program.source {
                        Source::Package(package) => packages.push(package),
                        Source::Project { .. } => advice.push(program.remedy()),
                    }
                    let what = format!("not found ({})", program.purpose);
                    if program.needed {
                        Finding::Missing(what)
                    } else {
                        Finding::Lacking(what)
                    }
                }
            };
            complete &= report(program.name, finding)?;
        }
        complete &= report("/tmp", writable(Path::new("/tmp")))?;
        complete &= report(
            "runtime folder",
            match Runtime::open() {
                Ok(runtime) => writable(runtime.path()),
                Err(error) => Finding::Missing(error.to_string()),
            },
        )?;
        for provider in PROVIDERS {
            let what = format!("{}; {}", provider.isolation(), provider.snapshot_kind());
            let name = format!("provider {}", provider.name());
            let finding = if complete {
                Finding::Fine(what)
            } else {
                Finding::Missing(format!("{what}; it needs what is missing above"))
            };
            report(&name, finding)?;
        }
        if !packages.is_empty() {
            line(&format!(
                "\nThis installs what is missing:\n\n  {}",
                install_command(&packages)
            ))?;
        }
        for advice in advice {
            line(&format!("\n{advice}"))?;
        }
        if complete {
            line("\nThis machine can run desktops: shinken up")?;
        }
        Ok(if complete {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }
}

/// Prints a finding; `false` when something needed is missing.
fn report(name: &str, finding: Finding) -> Result<bool, OutputError> {
    let (word, text, fine) = match finding {
        Finding::Fine(text) => ("ok", text, true),
        Finding::Lacking(text) => ("optional", text, true),
        Finding::Missing(text) => ("MISSING", text, false),
    };
    line(&format!("{word:<9} {name:<20} {text}"))?;
    Ok(fine)
}

fn writable(folder: &Path) -> Finding {
    let probe = folder.join(format!(".shinken-doctor-{}", std::process::id()));
    let outcome = std::fs::File::create_new(&probe);
    // It is only there when it was made.
    std::fs::remove_file(&probe).ok();
    match outcome {
        Ok(_) => Finding::Fine(folder.display().to_string()),
        Err(error) => Finding::Missing(format!("cannot write to {}: {error}", folder.display())),
    }
}
