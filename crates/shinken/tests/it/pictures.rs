//! Pictures that are shared, streamed and put together.

use std::sync::Arc;

use shinken::aci::action::Action;
use shinken::aci::verb::Verb;
use shinken::{Cast, Client, FrameCache, Observe, Options, Reply, Shot};
use tokio::time::{Instant, timeout};

use crate::daemon::{Daemon, PATIENCE, TOKEN};

#[tokio::test]
async fn a_picture_that_any_session_has_seen_is_not_sent_again() {
    let daemon = Daemon::start();
    daemon.paint("red");
    let cache = Arc::new(FrameCache::new(64 << 20));
    let (one, other) = (
        daemon.client_with_cache(&cache).await,
        daemon.client_with_cache(&cache).await,
    );
    let first = one.screenshot(Shot::screen()).await.unwrap();
    assert!(!first.from_cache);
    let second = other.screenshot(Shot::screen()).await.unwrap();
    assert!(second.from_cache);
    assert_eq!(second.bytes, first.bytes);
    assert!(second.display.is_some() && second.pointer.is_some());
    daemon.paint("blue");
    let third = other.screenshot(Shot::screen()).await.unwrap();
    assert!(!third.from_cache);
    assert_eq!(third.decode().unwrap().pixel(320, 240), Some([0, 0, 255]));
    assert_eq!((cache.stats().hits, cache.stats().misses), (1, 2));
}

#[tokio::test]
async fn a_step_does_all_actions_and_then_looks() {
    let daemon = Daemon::start();
    let client = daemon.client().await;
    let actions = [
        client.move_to((10, 20)).into_action().unwrap(),
        client.move_to((9000, 20)).into_action().unwrap(),
        client.move_to((30, 40)).into_action().unwrap(),
    ];
    let step = client
        .step(actions, Observe::Picture(Shot::screen().jpeg(70)))
        .await
        .unwrap();
    assert!(matches!(step.outcomes[0], Ok(Reply::Done)), "{:?}", step.outcomes);
    assert!(
        step.outcomes[1].is_err() && step.outcomes[2].is_ok(),
        "{:?}",
        step.outcomes
    );
    let seen = step.observation.unwrap().unwrap();
    assert_eq!(seen.pointer, Some((30, 40)));
    assert_eq!(seen.mime(), "image/jpeg");
    // What streams cannot be part of a step.
    assert!(
        client
            .step([Action::new(Verb::StartScreencast)], Observe::Nothing)
            .await
            .is_err()
    );
}

#[tokio::test]
async fn a_screencast_of_tiles_gives_whole_pictures_and_survives_the_daemon() {
    let mut daemon = Daemon::start();
    daemon.paint("black");
    let client = daemon.client().await;
    let mut cast = client
        .start_screencast(Cast::new(Shot::screen()).fps(30.0).delta(true))
        .await
        .unwrap();
    let first = timeout(PATIENCE, cast.next()).await.unwrap().unwrap().unwrap();
    assert!(first.keyframe && first.seq == 0);
    client
        .launch_app("xterm", ["-geometry", "16x5+130+70"])
        .await
        .unwrap();
    let end = Instant::now() + PATIENCE;
    let mut tiles = false;
    loop {
        let frame = timeout(PATIENCE, cast.next()).await.unwrap().unwrap().unwrap();
        tiles |= !frame.keyframe;
        let now = client.screenshot(Shot::screen()).await.unwrap().decode().unwrap();
        if tiles && now.rgb() == frame.picture.rgb() {
            break;
        }
        assert!(Instant::now() < end, "no frame was like the screenshot after it");
    }
    daemon.kill();
    daemon.start_again(&[]);
    daemon.paint("green");
    // A new daemon does not know the stream: a fresh one begins, and says so.
    let after = timeout(PATIENCE, async {
        loop {
            let frame = cast.next().await.unwrap().unwrap();
            if frame.picture.pixel(600, 400) == Some([0, 255, 0]) {
                return frame;
            }
        }
    });
    assert_ne!(after.await.unwrap().stream, first.stream);
    cast.stop().await.unwrap();
}

#[tokio::test(flavor = "current_thread")]
async fn a_thousand_sessions_live_on_one_thread() {
    let daemon = Daemon::start_with(&["--max-connections", "1100"]);
    let mut clients = Vec::new();
    for _ in 0..1000 {
        // No pings of their own, so that what is seen is what this test does.
        let options = Options {
            keep_alive: None,
            ..Options::default()
        };
        clients.push(
            Client::connect(daemon.address(), Some(TOKEN), options)
                .await
                .unwrap(),
        );
    }
    let answers = clients.iter().map(|client| client.screen_size());
    let answers = futures_util::future::join_all(answers).await;
    assert!(answers.into_iter().all(|answer| answer.unwrap() == (640, 480)));
}
