//! `shinken run`: Python code in the desktop's interpreter.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use shinken::{Run as Code, RunContent, RunResult};

use crate::input;
use crate::output::{self, bytes, complain, error_bytes, line};
use crate::session::Session;
use crate::wrong_usage::wrong_usage;

/// Runs Python code in the desktop's interpreter, which keeps its state from one call to the next. Prints what the code writes and
/// the value of its last expression; an exception gives exit code 1, and 124 where its time was over. The desktop has to be
/// started with --grant run. Ctrl-C interrupts the code.
#[derive(Debug, clap::Args)]
pub(crate) struct Run {
    /// The code; - reads it from standard input.
    #[arg(required_unless_present_any = ["file", "restart"], conflicts_with_all = ["file", "restart"])]
    code: Option<String>,
    /// Run the code in this file of this machine.
    #[arg(short, long, value_name = "FILE", conflicts_with = "restart")]
    file: Option<PathBuf>,
    /// End the interpreter with all that it has started, also while it runs something; the next code gets a fresh one.
    #[arg(long)]
    restart: bool,
    /// How many seconds the code may take until it is interrupted.
    #[arg(long, value_name = "S", default_value_t = 60.0)]
    timeout: f64,
    /// Save what the code shows (plots, pictures, HTML) in this folder.
    #[arg(long, value_name = "FOLDER")]
    save: Option<PathBuf>,
    /// Print the result as JSON; of pictures only their size.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    session: Session,
}

impl Run {
    pub(crate) fn run(self) -> anyhow::Result<ExitCode> {
        if self.restart {
            return self.session.run(async |client| {
                client.run_restart().await?;
                Ok(ExitCode::SUCCESS)
            });
        }
        let timeout = match Duration::try_from_secs_f64(self.timeout) {
            Ok(timeout) if timeout >= Duration::from_millis(1) => timeout,
            _ => return wrong_usage("the timeout must be at least 0.001 seconds"),
        };
        let code = match (&self.file, self.code.as_deref()) {
            (Some(file), _) => std::fs::read_to_string(file)
                .with_context(|| format!("cannot read the code in {}", file.display()))?,
            (None, Some("-")) => input::text()?,
            (None, code) => code.unwrap_or_default().to_owned(),
        };
        self.session.run(async |client| {
            let result = client.run(Code::new(code).timeout(timeout)).await?;
            if let Some(folder) = &self.save {
                save(&result, folder)?;
            }
            if self.json {
                line(&result.to_json().to_string())?;
            } else {
                self.tell(&result)?;
            }
            Ok(match &result {
                result if result.timed_out => ExitCode::from(124),
                result if result.is_ok() => ExitCode::SUCCESS,
                _ => ExitCode::FAILURE,
            })
        })
    }

    fn tell(&self, result: &RunResult) -> Result<(), output::OutputError> {
        if result.restarted {
            complain("shinken: the interpreter is a fresh one; what earlier code has defined is gone");
        }
        bytes(result.output.as_bytes())?;
        if result.output_truncated {
            complain("shinken: the output was longer than the daemon keeps; the rest is missing");
        }
        if let Some(value) = &result.value {
            line(value)?;
        }
        if self.save.is_none() && !result.outputs.is_empty() {
            let shown = result.outputs.len();
            complain(&format!(
                "shinken: it showed {shown} pictures or other things; --save FOLDER keeps them"
            ));
        }
        if let Some(error) = &result.error {
            error_bytes(error.traceback.as_bytes())?;
        }
        if result.timed_out {
            complain(&format!(
                "shinken: it was interrupted after {} s; --timeout S gives it more",
                self.timeout
            ));
        }
        if let Some(end) = result.state_lost {
            let how = match (end.exit_code, end.signal) {
                (Some(code), _) => format!(" with exit code {code}"),
                (None, Some(signal)) => format!(" by signal {signal}"),
                (None, None) => String::new(),
            };
            complain(&format!("shinken: the interpreter ended{how}; its state is lost"));
        }
        Ok(())
    }
}

/// Saves the richest form of everything that was shown.
fn save(result: &RunResult, folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    for (number, output) in result.outputs.iter().enumerate() {
        let Some(form) = output.forms.first() else {
            continue;
        };
        let name = format!(
            "cell{}-{}.{}",
            result.execution_count,
            number + 1,
            extension(&form.mime)
        );
        let content = match &form.content {
            RunContent::Text(text) => text.as_bytes(),
            RunContent::Bytes(bytes) => bytes,
        };
        let file = folder.join(name);
        std::fs::write(&file, content).with_context(|| format!("cannot write {}", file.display()))?;
        complain(&format!("shinken: saved {}", file.display()));
    }
    Ok(())
}

/// How the file of a MIME type ends.
fn extension(mime: &str) -> &'static str {
    match mime {
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/svg+xml" => "svg",
        "text/html" => "html",
        "text/markdown" => "md",
        "text/latex" => "tex",
        "application/pdf" => "pdf",
        mime if mime.ends_with("json") => "json",
        _ => "txt",
    }
}
