//! What a delta stream costs while somebody types.

use std::time::{Duration, Instant};

use anyhow::ensure;
use serde_json::{Value, json};

use crate::report::{Report, Series};
use crate::rounds::Effort;
use crate::scene::Scene;
use crate::socket::{Incoming, Socket};

/// Longer than a frame at 30 frames a second takes, and far shorter than the way to the next whole picture.
const QUIET: Duration = Duration::from_millis(150);

/// Types key by key, and counts the bytes until the stream is quiet again.
pub(crate) fn measure(scene: &Scene, effort: Effort, report: &mut Report) -> anyhow::Result<()> {
    scene.focus_terminal()?;
    let mut typist = scene.session()?;
    for (format, bytes_name) in [
        ("png", "delta stream per typed key, png"),
        ("jpeg", "delta stream per typed key, jpeg"),
    ] {
        let mut viewer = scene.session()?;
        let start = json!({"verb": "start_screencast", "delta": true, "fps": 30, "format": format});
        viewer.act(&start)?;
        let first = viewer.next()?;
        ensure!(
            is_whole(first.value()),
            "the first frame is no whole picture: {first:?}"
        );
        rest(&mut viewer)?;
        let typed = type_keys(&mut typist, &mut viewer, effort.keys)?;
        ensure!(!typed.times.is_empty(), "no key came as tiles");
        report.number(
            bytes_name,
            "bytes",
            typed.tile_bytes as f64 / typed.times.len() as f64,
        );
        if format == "png" {
            report.number(
                "whole picture of that stream, png",
                "bytes",
                length(&first) as f64,
            );
            let mut series = Series::new("key to its tiles, 30 frames a second");
            series.add_round(&typed.times);
            report.series(series);
        }
    }
    Ok(())
}

struct Typed {
    /// Of all messages with tiles.
    tile_bytes: usize,
    /// From the key until its first tiles. A key that fell together with one of the whole pictures that come now and then,
    /// whether anybody types or not, is left out.
    times: Vec<Duration>,
}

fn type_keys(typist: &mut Socket, viewer: &mut Socket, keys: usize) -> anyhow::Result<Typed> {
    let mut typed = Typed {
        tile_bytes: 0,
        times: Vec::new(),
    };
    for _ in 0..keys {
        let start = Instant::now();
        typist.act(&json!({"verb": "key", "keys": "a"}))?;
        let mut shown = false;
        while let Some(message) = viewer.next_within(if shown { QUIET } else { 20 * QUIET })? {
            let whole = is_whole(message.value());
            if !shown && !whole {
                typed.times.push(start.elapsed());
            }
            shown = true;
            typed.tile_bytes += if whole { 0 } else { length(&message) };
        }
        ensure!(shown, "a key was typed, and nothing came");
    }
    Ok(typed)
}

/// Reads until nothing comes any more.
fn rest(viewer: &mut Socket) -> anyhow::Result<()> {
    let deadline = Instant::now() + Duration::from_secs(20);
    while viewer.next_within(QUIET)?.is_some() {
        ensure!(Instant::now() < deadline, "the screen does not rest");
    }
    Ok(())
}

fn is_whole(header: &Value) -> bool {
    header.get("image").is_some()
}

fn length(message: &Incoming) -> usize {
    match message {
        Incoming::Text(_, length) | Incoming::Binary(_, length) => *length,
    }
}
