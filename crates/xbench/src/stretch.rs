//! What the daemon costs over a stretch of time in which nothing happens.

use std::time::{Duration, Instant};

use anyhow::ensure;
use serde_json::json;

use crate::process::processor_seconds;
use crate::report::Report;
use crate::rounds::Effort;
use crate::scene::Scene;
use crate::socket::Socket;

/// Watches the daemon with a session, and then with a screencast.
pub(crate) fn at_rest(scene: &Scene, effort: Effort, report: &mut Report) -> anyhow::Result<()> {
    scene.wait_for_rest()?;
    let mut session = scene.session()?;
    let (idle, _) = watch(scene, &mut session, effort.rest)?;
    report.number("processor, resting with a session", "% of a core", idle);

    let mut viewer = scene.session()?;
    viewer.act(&json!({"verb": "start_screencast", "delta": true, "fps": 30}))?;
    // The first picture and what follows from it are no rest yet.
    let settled = Instant::now() + Duration::from_secs(20);
    while viewer.next_within(Duration::from_millis(500))?.is_some() {
        ensure!(Instant::now() < settled, "the screen does not rest");
    }
    let (cast, frames) = watch(scene, &mut viewer, effort.rest)?;
    report.number("processor, resting with a screencast", "% of a core", cast);
    report.number("frames of a resting screencast", "", frames as f64);
    Ok(())
}

/// The daemon's processor time in per cent of the stretch, and the messages that came.
fn watch(scene: &Scene, session: &mut Socket, stretch: Duration) -> anyhow::Result<(f64, usize)> {
    let before = processor_seconds(scene.daemon())?;
    let start = Instant::now();
    let mut messages = 0;
    while let Some(left) = stretch
        .checked_sub(start.elapsed())
        .filter(|left| !left.is_zero())
    {
        messages += usize::from(session.next_within(left)?.is_some());
    }
    let used = processor_seconds(scene.daemon())? - before;
    Ok((used / start.elapsed().as_secs_f64() * 100.0, messages))
}
