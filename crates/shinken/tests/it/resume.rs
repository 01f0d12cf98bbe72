//! Screencasts over a connection that is lost.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::Duration;

use shinken::{Cast, CastFrame, Client, ClientError, Options, Reconnect, Screencast, Shot};
use tokio::time::timeout;

use crate::daemon::{Daemon, PATIENCE, TOKEN};
use crate::proxy::Proxy;

async fn next(cast: &mut Screencast) -> CastFrame {
    timeout(PATIENCE, cast.next()).await.unwrap().unwrap().unwrap()
}

/// Frames until one shows a colour; their numbers go on without a gap from the one before.
async fn until(cast: &mut Screencast, mut last: u64, colour: [u8; 3]) -> CastFrame {
    loop {
        let frame = next(cast).await;
        assert_eq!((frame.seq, frame.dropped), (last + 1, 0));
        last = frame.seq;
        if frame.picture.pixel(600, 400) == Some(colour) && frame.picture.pixel(1, 1) == Some(colour) {
            return frame;
        }
    }
}

/// Nothing more comes: everything that the daemon has sent was received.
async fn rests(cast: &mut Screencast) {
    let more = timeout(Duration::from_millis(700), cast.next()).await;
    assert!(more.is_err(), "{more:?}");
}

async fn through(proxy: &Proxy, options: Options) -> Client {
    Client::connect(proxy.address(), Some(TOKEN), options)
        .await
        .unwrap()
}

#[tokio::test]
async fn a_stream_goes_on_where_the_cut_connection_left_it() {
    let daemon = Daemon::start();
    daemon.paint("black");
    let proxy = Proxy::start(daemon.address()).await;
    for (delta, binary_frames) in [(true, true), (false, true), (true, false)] {
        daemon.paint("black");
        let options = Options {
            binary_frames,
            ..Options::default()
        };
        let client = through(&proxy, options).await;
        let mut cast = client
            .start_screencast(Cast::new(Shot::screen()).fps(30.0).delta(delta))
            .await
            .unwrap();
        let first = next(&mut cast).await;
        assert_eq!((first.seq, first.continued, first.keyframe), (0, false, true));
        daemon.paint("red");
        let mut last = until(&mut cast, 0, [255, 0, 0]).await;
        // As often as it takes.
        for colour in ["#00ff00", "#0000ff"] {
            rests(&mut cast).await;
            proxy.cut();
            let resumed = next(&mut cast).await;
            assert_eq!(resumed.stream, first.stream);
            assert_eq!((resumed.seq, resumed.dropped), (last.seq + 1, 0));
            assert!(resumed.continued && resumed.keyframe, "{resumed:?}");
            assert_eq!(resumed.picture, last.picture);
            daemon.paint(colour);
            let wanted = if colour == "#00ff00" {
                [0, 255, 0]
            } else {
                [0, 0, 255]
            };
            last = until(&mut cast, resumed.seq, wanted).await;
            // The client's other calls go over the new connection.
            assert!(client.ready().await.unwrap());
        }
        cast.stop().await.unwrap();
    }
}

#[tokio::test]
async fn a_stream_is_taken_from_a_connection_that_is_dead_without_knowing_it() {
    let daemon = Daemon::start_with(&["--max-screencasts", "1"]);
    daemon.paint("black");
    let proxy = Proxy::start(daemon.address()).await;
    let options = Options {
        keep_alive: Some(Duration::from_millis(500)),
        ..Options::default()
    };
    let client = through(&proxy, options).await;
    let mut cast = client
        .start_screencast(Cast::new(Shot::screen()).fps(30.0))
        .await
        .unwrap();
    let first = next(&mut cast).await;
    rests(&mut cast).await;
    proxy.go_dead();
    // The daemon still holds the only place for the connection that is dead.
    let resumed = next(&mut cast).await;
    assert_eq!((&resumed.stream, resumed.seq), (&first.stream, 1));
    assert!(resumed.continued && resumed.keyframe, "{resumed:?}");
    daemon.paint("red");
    until(&mut cast, 1, [255, 0, 0]).await;
}

#[tokio::test]
async fn a_stream_that_is_not_held_any_more_begins_anew_and_says_so() {
    let mut daemon = Daemon::start();
    daemon.paint("black");
    let client = daemon.client().await;
    let mut cast = client
        .start_screencast(Cast::new(Shot::screen()).fps(30.0).delta(true))
        .await
        .unwrap();
    let first = next(&mut cast).await;
    rests(&mut cast).await;
    daemon.kill();
    daemon.start_again(&[]);
    let fresh = next(&mut cast).await;
    assert_ne!(fresh.stream, first.stream);
    assert_eq!((fresh.seq, fresh.dropped), (0, 0));
    assert!(!fresh.continued && fresh.keyframe, "{fresh:?}");
    daemon.paint("red");
    until(&mut cast, 0, [255, 0, 0]).await;
}

/// Waits for the stream as a program does that shows something in between: each wait is a short one.
async fn in_short_waits(cast: &mut Screencast) -> Option<Result<CastFrame, ClientError>> {
    let waiting = async {
        loop {
            if let Ok(next) = timeout(Duration::from_millis(50), cast.next()).await {
                return next;
            }
        }
    };
    timeout(PATIENCE, waiting).await.unwrap()
}

#[tokio::test]
async fn a_stream_ends_with_the_death_where_no_connection_can_be_made_however_it_is_waited_for() {
    for reconnect in [
        None,
        Some(Reconnect {
            within: Duration::from_secs(2),
            first_wait: Duration::from_millis(100),
        }),
    ] {
        let mut daemon = Daemon::start();
        let options = Options {
            reconnect,
            ..Options::default()
        };
        let client = daemon.client_with(options).await;
        let mut cast = client.start_screencast(Cast::new(Shot::screen())).await.unwrap();
        next(&mut cast).await;
        rests(&mut cast).await;
        daemon.kill();
        let end = in_short_waits(&mut cast).await.unwrap().unwrap_err();
        assert!(matches!(end, ClientError::SandboxDied { .. }), "{end}");
        assert!(end.is_fatal());
        assert!(cast.next().await.is_none());
    }
}

#[tokio::test]
async fn a_stream_goes_on_where_each_wait_is_shorter_than_connecting_again() {
    let mut daemon = Daemon::start();
    daemon.paint("black");
    let client = daemon
        .client_with(Options {
            reconnect: Some(Reconnect {
                within: PATIENCE,
                // Longer than each wait, so that a way that began anew with each would never get to its second attempt.
                first_wait: Duration::from_millis(500),
            }),
            ..Options::default()
        })
        .await;
    let mut cast = client.start_screencast(Cast::new(Shot::screen())).await.unwrap();
    let first = next(&mut cast).await;
    rests(&mut cast).await;
    daemon.kill();
    // At least one attempt finds nobody.
    timeout(Duration::from_millis(50), cast.next()).await.unwrap_err();
    daemon.start_again(&[]);
    let fresh = in_short_waits(&mut cast).await.unwrap().unwrap();
    assert_ne!(fresh.stream, first.stream);
    // Dropped on its way, it asks for nothing any more.
    daemon.kill();
    timeout(Duration::from_millis(50), cast.next()).await.unwrap_err();
    drop(cast);
    daemon.start_again(&[]);
    client.reconnect().await.unwrap();
    assert!(client.ready().await.unwrap());
}
