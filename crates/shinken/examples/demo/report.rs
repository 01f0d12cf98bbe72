//! The page, and the table on the terminal.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context as _;

use crate::recording::Recorded;
use crate::script::{DOCUMENT, Script, Step};

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:68rem;margin:2rem auto;padding:0 1rem;color:#1c2430}\
    h1{margin-bottom:0}table{border-collapse:collapse;width:100%}td,th{padding:.3rem .7rem;text-align:left;\
    border-bottom:1px solid #d8dee6}td.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\
    .ok{color:#116329}.bad{color:#b3261e;font-weight:600}img{max-width:100%;border:1px solid #c5cdd8;border-radius:4px}\
    pre{background:#f2f5f9;padding:.8rem;border-radius:4px;overflow:auto}section{margin:2.5rem 0}";

/// Empties the folder of what an earlier run left.
pub(crate) fn prepare(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder)
        .with_context(|| format!("cannot make the folder {}", folder.display()))?;
    for entry in std::fs::read_dir(folder)?.flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with("step-") || ["index.html", "recording.png"].contains(&name.as_ref()) {
            std::fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Writes `index.html`.
pub(crate) fn write(folder: &Path, script: &Script, recording: &Recorded) -> anyhow::Result<()> {
    let mut page = String::new();
    write!(
        page,
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Shinken demo</title>\
         <meta name=\"viewport\" content=\"width=device-width\"><style>{STYLE}</style>\
         <h1>A program used a desktop</h1><p>It started an editor, wrote this document by keys, saved it through the \
         editor's own dialog and compared the file with what it had typed.</p><pre>{}</pre>",
        escape(DOCUMENT)
    )?;
    write!(page, "<table><tr><th>step<th>time<th>what was seen</tr>")?;
    for (number, step) in script.steps.iter().enumerate() {
        let (class, text) = match &step.outcome {
            Ok(seen) => ("ok", seen),
            Err(problem) => ("bad", problem),
        };
        write!(
            page,
            "<tr><td>{}<td class=\"n\">{:.1} ms<td class=\"{class}\">{}</tr>",
            link(number, step),
            step.took.as_secs_f64() * 1e3,
            escape(text)
        )?;
    }
    write!(
        page,
        "</table><section><h2>The recording</h2><p>{}. It is slower than the run, so that the typing can be followed.</p><img src=\"recording.png\" alt=\"the screencast\"></section>",
        escape(&summary(recording))
    )?;
    for (number, step) in script.steps.iter().enumerate() {
        let Some(bytes) = &step.picture else { continue };
        let picture = format!("step-{number}.png");
        std::fs::write(folder.join(&picture), bytes).context("cannot write a picture")?;
        let what = escape(&step.what);
        write!(
            page,
            "<section id=\"step-{number}\"><h2>{what}</h2><img src=\"{picture}\" alt=\"the screen after: {what}\"></section>"
        )?;
    }
    page.push_str("</html>\n");
    std::fs::write(folder.join("index.html"), page).context("cannot write the report")
}

/// Prints where the report is; the steps were printed as they were done.
pub(crate) fn print(recording: &Recorded, folder: &Path) {
    println!("\n{}", summary(recording));
    println!("report: {}", folder.join("index.html").display());
}

fn summary(recording: &Recorded) -> String {
    format!(
        "{} frames of the delta screencast, {} of them whole pictures, {:.1} KiB in all; {} left out",
        recording.frames(),
        recording.whole,
        recording.bytes as f64 / 1024.0,
        recording.dropped
    )
}

/// The step's name, leading to its picture where it has one.
fn link(number: usize, step: &Step) -> String {
    let what = escape(&step.what);
    match &step.picture {
        Some(_) => format!("<a href=\"#step-{number}\">{what}</a>"),
        None => what,
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}
