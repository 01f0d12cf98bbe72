//! The steps.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use base64::Engine as _;
use shinken::aci::welcome::ImageFormat;
use shinken::{Client, Exec, Observe, Picture, Screenshot, Shot, Window};

use crate::painted::{Expect, rested};

/// What is written: letters of the keyboard's own layout, accents, other scripts, signs and emoji.
pub(crate) const DOCUMENT: &str = "Grüße aus Köln, naïve café à la crème\n\
    Ελληνικά, Русский, 日本語, 한국어\n\
    \t5 € + 3 £ = ½ × 16 ≠ ∞ {[~|\\]}\n\
    ☕ 🚀 👩‍🚀 done.\n";

/// No step may take longer.
const PATIENCE: Duration = Duration::from_secs(30);

/// A step that was done.
#[derive(Debug)]
pub(crate) struct Step {
    pub(crate) what: String,
    pub(crate) took: Duration,
    /// What was seen, or what went wrong.
    pub(crate) outcome: Result<String, String>,
    /// The screen after it, as PNG.
    pub(crate) picture: Option<Vec<u8>>,
}

/// The steps as they are done.
#[derive(Debug)]
pub(crate) struct Script {
    client: Client,
    folder: PathBuf,
    pub(crate) steps: Vec<Step>,
    /// When windows came and went, so that what was seen then may be half painted.
    pub(crate) unsettled: Vec<Range<Instant>>,
    /// The last picture.
    last: Picture,
    /// The picture of the saved document.
    cover: Option<Picture>,
}

impl Script {
    pub(crate) async fn new(client: Client, folder: PathBuf) -> anyhow::Result<Self> {
        let last = client.screenshot(Shot::screen().png()).await?.decode()?;
        Ok(Self {
            client,
            folder,
            steps: Vec::new(),
            unsettled: Vec::new(),
            last,
            cover: None,
        })
    }

    /// A finished picture to stand for all.
    pub(crate) fn cover(&self) -> &Picture {
        self.cover.as_ref().unwrap_or(&self.last)
    }

    /// Whether all steps worked.
    pub(crate) fn is_well(&self) -> bool {
        self.steps.iter().all(|step| step.outcome.is_ok())
    }

    /// Notes a step that was done elsewhere.
    pub(crate) fn passed(&mut self, what: &str, took: Duration, seen: String) {
        println!("{:>8.1} ms  {what}: {seen}", took.as_secs_f64() * 1e3);
        self.steps.push(Step {
            what: what.to_owned(),
            took,
            outcome: Ok(seen),
            picture: None,
        });
    }

    /// Does all steps, up to the first that fails.
    pub(crate) async fn run(&mut self) -> anyhow::Result<()> {
        let client = self.client.clone();
        let target = std::path::absolute(self.folder.join("document.txt"))?;
        if let Some(above) = target.parent() {
            std::fs::create_dir_all(above)?;
        }
        // The editor would ask whether to write over it.
        std::fs::remove_file(&target).ok();
        let target = target
            .to_str()
            .context("the folder's name is not UTF-8")?
            .to_owned();
        // In this order, each only if the one before worked.
        let went_well = self
            .step(
                "launch the editor and wait for its window",
                Shows::Window("Mousepad"),
                launch(&client),
            )
            .await?
            && self
                .step("type the document, any Unicode", Shows::Change, write(&client))
                .await?
            && self
                .step(
                    "open the editor's save dialog by its shortcut",
                    Shows::Window("Save As"),
                    open_dialog(&client),
                )
                .await?
            && self
                .step(
                    "type the file's name and press Return",
                    Shows::WindowGone,
                    save(&client, &target),
                )
                .await?
            && self
                .step(
                    "read the file back with exec and compare its bytes",
                    Shows::Same,
                    verify(&client, &target),
                )
                .await?
            && self
                .step(
                    "select and copy in one pipelined step, read the clipboard",
                    Shows::Change,
                    copy(&client),
                )
                .await?;
        if !went_well {
            println!("stopped at the step that failed");
        }
        Ok(())
    }

    /// Does one step, and takes a picture after it, which must show this.
    async fn step(
        &mut self,
        what: &str,
        shows: Shows,
        doing: impl Future<Output = anyhow::Result<String>>,
    ) -> anyhow::Result<bool> {
        let begun = Instant::now();
        let mut outcome = match tokio::time::timeout(PATIENCE, doing).await {
            Ok(outcome) => outcome.map_err(|error| format!("{error:#}")),
            Err(_) => Err(format!("not done within {} s", PATIENCE.as_secs())),
        };
        let took = begun.elapsed();
        let picture = match self.look(shows, outcome.is_ok()).await {
            Ok((screenshot, picture)) => {
                self.last = picture;
                Some(screenshot.bytes.to_vec())
            }
            Err(problem) => {
                outcome = outcome.and(Err(format!("no finished picture: {problem:#}")));
                None
            }
        };
        if matches!(shows, Shows::Window(_) | Shows::WindowGone) {
            self.unsettled.push(begun..Instant::now());
        }
        if let (Shows::WindowGone, Some(bytes)) = (shows, &picture) {
            self.cover = Some(Picture::decode(bytes, ImageFormat::Png)?);
        }
        let (Ok(said) | Err(said)) = &outcome;
        let mark = if outcome.is_ok() { "" } else { "FAILED: " };
        println!("{:>8.1} ms  {what}: {mark}{said}", took.as_secs_f64() * 1e3);
        let well = outcome.is_ok();
        self.steps.push(Step {
            what: what.to_owned(),
            took,
            outcome,
            picture,
        });
        Ok(well)
    }

    async fn look(&self, shows: Shows, well: bool) -> anyhow::Result<(Screenshot, Picture)> {
        let client = &self.client;
        match shows {
            // After a failure anything may be seen.
            _ if !well => rested(client, &self.last, Expect::Nothing).await,
            Shows::Window(title) => {
                let window = window(client, title).await?;
                rested(client, &self.last, Expect::Window(&window)).await
            }
            Shows::Change | Shows::WindowGone => rested(client, &self.last, Expect::Change).await,
            Shows::Same => rested(client, &self.last, Expect::Nothing).await,
        }
    }
}

/// What the picture after a step must show.
#[derive(Debug, Clone, Copy)]
enum Shows {
    /// A new window with this in its title.
    Window(&'static str),
    /// That a window has gone.
    WindowGone,
    Change,
    Same,
}

async fn launch(client: &Client) -> anyhow::Result<String> {
    // With settings of its own, so that neither the person's are changed nor do they change the outcome.
    let arguments = ["GSETTINGS_BACKEND=memory", "mousepad", "--disable-server"];
    client.launch_app("env", arguments).await?;
    let window = window(client, "Mousepad").await?;
    client.activate_window(window.id).await?;
    Ok(format!(
        "window {} \"{}\", {}x{}",
        window.id, window.title, window.w, window.h
    ))
}

async fn write(client: &Client) -> anyhow::Result<String> {
    client.type_text(DOCUMENT).await?;
    let mut beyond: Vec<char> = DOCUMENT.chars().filter(|c| !c.is_ascii()).collect();
    let all = DOCUMENT.chars().count();
    beyond.sort_unstable();
    beyond.dedup();
    Ok(format!(
        "{all} characters, {} different ones beyond ASCII",
        beyond.len()
    ))
}

async fn open_dialog(client: &Client) -> anyhow::Result<String> {
    client.key("ctrl+shift+s").await?;
    let dialog = window(client, "Save As").await?;
    // Returns when the dialog has the focus.
    client.activate_window(dialog.id).await?;
    Ok(format!("dialog {} \"{}\"", dialog.id, dialog.title))
}

async fn save(client: &Client, target: &str) -> anyhow::Result<String> {
    // The field with the name has the focus; a whole path may be typed there.
    client.key("ctrl+a").await?;
    client.type_text(target).await?;
    let mut presses = 0;
    loop {
        client.key("Return").await?;
        presses += 1;
        if gone(client, "Save As", Duration::from_secs(1)).await? {
            break;
        }
        // A list of suggestions takes the first one.
        ensure!(presses < 4, "the dialog stays open");
    }
    window(client, "document.txt").await?;
    let why = match presses {
        1 => "",
        _ => " (the dialog's list of suggestions took the first, and a second was waited for)",
    };
    Ok(format!(
        "Return pressed {presses}×{why}; the editor's title shows the new name"
    ))
}

async fn verify(client: &Client, target: &str) -> anyhow::Result<String> {
    let result = client.exec(Exec::argv(["base64", "-w0", target])).await?;
    ensure!(
        result.exit_code.is_some_and(|code| code.get() == 0),
        "base64 failed: {}",
        result.stderr
    );
    let bytes = base64::engine::general_purpose::STANDARD.decode(&result.stdout)?;
    if bytes != DOCUMENT.as_bytes() {
        bail!(
            "the file is not what was typed: {:?}",
            String::from_utf8_lossy(&bytes)
        );
    }
    let sum = client.exec(Exec::argv(["sha256sum", target])).await?;
    Ok(format!(
        "{} bytes, all as typed; sha256 {}…",
        bytes.len(),
        sum.stdout.get(..16).unwrap_or_default()
    ))
}

async fn copy(client: &Client) -> anyhow::Result<String> {
    let actions = [
        client.key("ctrl+a").into_action()?,
        client.key("ctrl+c").into_action()?,
    ];
    let begun = Instant::now();
    let step = client
        .step(actions, Observe::Picture(Shot::active_window().jpeg(80)))
        .await?;
    let took = begun.elapsed();
    for outcome in step.outcomes {
        outcome?;
    }
    let deadline = Instant::now() + Duration::from_secs(5);
    while client.clipboard_get().await? != DOCUMENT {
        ensure!(
            Instant::now() < deadline,
            "the clipboard does not hold the document"
        );
        client.wait(Duration::from_millis(20)).await?;
    }
    let mut text = format!("two chords and a picture in {:.1} ms", took.as_secs_f64() * 1e3);
    write!(text, "; the clipboard holds the document")?;
    Ok(text)
}

/// Waits for a window whose title contains the text.
async fn window(client: &Client, title: &str) -> anyhow::Result<Window> {
    let deadline = Instant::now() + Duration::from_secs(15);
    loop {
        let windows = client.list_windows().await?;
        if let Some(found) = windows.into_iter().find(|window| window.title.contains(title)) {
            return Ok(found);
        }
        ensure!(
            Instant::now() < deadline,
            "no window with {title:?} in its title appeared"
        );
        client.wait(Duration::from_millis(20)).await?;
    }
}

/// Whether no window's title contains the text any more, within this time.
async fn gone(client: &Client, title: &str, within: Duration) -> anyhow::Result<bool> {
    let deadline = Instant::now() + within;
    loop {
        if !client
            .list_windows()
            .await?
            .iter()
            .any(|window| window.title.contains(title))
        {
            return Ok(true);
        }
        if Instant::now() >= deadline {
            return Ok(false);
        }
        client.wait(Duration::from_millis(20)).await?;
    }
}
