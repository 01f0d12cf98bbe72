//! Whether the screen shows what it will go on showing: windows painted, nothing moving.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use anyhow::bail;
use shinken::{Client, Picture, Screenshot, Shot, Window};

/// A screen that did not change for so long rests.
const REST: Duration = Duration::from_millis(400);
/// Between two looks.
const LOOK: Duration = Duration::from_millis(40);
/// No rest is waited for longer.
const PATIENCE: Duration = Duration::from_secs(20);
/// A blinking caret changes fewer pixels than this.
const CARET: usize = 120;
/// An empty frame has fewer colours; letters with smooth edges have more.
const COLOURS: usize = 16;

/// What a picture must have besides rest.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Expect<'a> {
    /// It differs from the one before.
    Change,
    /// This window has appeared and was painted.
    Window(&'a Window),
    Nothing,
}

/// Waits until the screen rests and shows what is expected; the picture and its pixels.
pub(crate) async fn rested(
    client: &Client,
    before: &Picture,
    expect: Expect<'_>,
) -> anyhow::Result<(Screenshot, Picture)> {
    let deadline = Instant::now() + PATIENCE;
    let mut last: Option<Picture> = None;
    let mut since = Instant::now();
    loop {
        let taken = client.screenshot(Shot::screen().png()).await?;
        let picture = taken.decode()?;
        let now = Instant::now();
        let still = last
            .as_ref()
            .is_some_and(|last| differing(last, &picture) < CARET);
        if !still {
            since = now;
            last = Some(taken.decode()?);
        }
        let shown = match expect {
            Expect::Change => differing(before, &picture) >= CARET,
            Expect::Window(window) => is_painted(before, &picture, window),
            Expect::Nothing => true,
        };
        if shown && now - since >= REST {
            return Ok((taken, picture));
        }
        if now >= deadline {
            bail!(
                "the screen was not painted and at rest within {} s",
                PATIENCE.as_secs()
            );
        }
        client.wait(LOOK).await?;
    }
}

/// How many pixels differ.
fn differing(a: &Picture, b: &Picture) -> usize {
    if (a.width(), a.height()) != (b.width(), b.height()) {
        return usize::MAX;
    }
    let pairs = a.rgb().chunks_exact(3).zip(b.rgb().chunks_exact(3));
    pairs.filter(|(a, b)| a != b).count()
}

/// Whether the window shows something of its own: neither one plain colour nor what was in its place before.
fn is_painted(before: &Picture, now: &Picture, window: &Window) -> bool {
    let (old, new) = (inside(before, window), inside(now, window));
    let other = old.iter().zip(&new).filter(|(old, new)| old != new).count();
    let black = new.iter().filter(|pixel| **pixel == [0; 3]).count();
    let colours: HashSet<_> = new.iter().collect();
    colours.len() >= COLOURS && black * 4 < new.len() && other * 5 > new.len()
}

/// The pixels of the part of the window that is on the screen.
fn inside(picture: &Picture, window: &Window) -> Vec<[u8; 3]> {
    let end = |start: i64, length: u64| start.saturating_add(i64::try_from(length).unwrap_or(i64::MAX));
    let (right, bottom) = (end(window.x, window.w), end(window.y, window.h));
    let rows = picture.rgb().chunks_exact(picture.width() as usize * 3);
    (0_i64..)
        .zip(rows)
        .filter(|(y, _)| (window.y..bottom).contains(y))
        .flat_map(|(_, row)| (0_i64..).zip(row.chunks_exact(3)))
        .filter(|(x, _)| (window.x..right).contains(x))
        .map(|(_, pixel)| [pixel[0], pixel[1], pixel[2]])
        .collect()
}
