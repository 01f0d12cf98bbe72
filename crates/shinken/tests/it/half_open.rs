//! Connections that are dead while both ends think them open.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::Duration;

use shinken::aci::target::PointerButton;
use shinken::{Cast, Client, ClientError, Exec, Options, Place, Shot};
use testbed::eventually;
use tokio::time::timeout;

use crate::daemon::{Daemon, PATIENCE, TOKEN};
use crate::proxy::Proxy;
use crate::screen::Screen;

/// Longer than any test: what ends earlier was not ended by a call's own time.
const NEVER: Duration = Duration::from_secs(3600);

async fn through(proxy: &Proxy, keep_alive: Option<Duration>) -> Client {
    let options = Options {
        keep_alive,
        ..Options::default()
    };
    Client::connect(proxy.address(), Some(TOKEN), options)
        .await
        .unwrap()
        .with_deadline(NEVER)
}

fn died_of_silence(error: &ClientError) {
    let ClientError::SandboxDied { why, .. } = error else {
        unreachable!("{error}")
    };
    assert!(why.contains("keep_alive"), "{why}");
    assert!(error.is_fatal());
}

#[tokio::test]
async fn the_client_notices_and_every_call_ends() {
    let daemon = Daemon::start();
    let proxy = Proxy::start(daemon.address()).await;
    let client = through(&proxy, Some(Duration::from_millis(1500))).await;
    let mut stream = client
        .exec_stream(Exec::shell("echo begun; sleep 600").timeout(NEVER))
        .await
        .unwrap();
    stream.next().await.unwrap().unwrap();
    let mut calls = tokio::task::JoinSet::new();
    let running = client.clone();
    calls.spawn(async move {
        running
            .exec(Exec::shell("sleep 600").timeout(NEVER))
            .await
            .map(drop)
    });
    let waiting = client.clone();
    calls.spawn(async move { waiting.wait(Duration::from_secs(60)).await });
    // Answered, so the calls before it are on their way.
    client.ping().await.unwrap();
    proxy.go_dead();
    // More than the sockets on the way hold, so that it stands in the middle of a write.
    for _ in 0..40 {
        let writing = client.clone();
        calls.spawn(async move { writing.clipboard_set("x".repeat(1_000_000)).await });
    }
    while let Some(call) = timeout(PATIENCE, calls.join_next()).await.unwrap() {
        died_of_silence(&call.unwrap().unwrap_err());
    }
    let end = timeout(PATIENCE, stream.next()).await.unwrap().unwrap();
    died_of_silence(&end.unwrap_err());
    died_of_silence(&client.ended().unwrap());
    died_of_silence(&client.screen_size().await.unwrap_err());
    client.reconnect().await.unwrap();
    assert!(client.ready().await.unwrap());
}

/// What the session of a lost client was doing.
#[derive(Debug, Clone, Copy)]
enum Doing {
    Nothing,
    /// A program runs.
    Program,
    /// A screencast of a screen that rests.
    Resting,
    /// A screencast of a screen that changes, more than the sockets on the way hold.
    Changing,
}

#[tokio::test]
async fn the_daemon_lets_go_of_a_lost_client_and_of_what_it_held_down() {
    let daemon = Daemon::start_with(&["--idle-timeout-ms", "2000", "--max-connections", "2"]);
    let screen = Screen::open(daemon.server.display());
    let proxy = Proxy::start(daemon.address()).await;
    for doing in [Doing::Nothing, Doing::Program, Doing::Resting, Doing::Changing] {
        let client = through(&proxy, None).await;
        client
            .mouse_down(Some(Place::from((5, 6))), PointerButton::Left)
            .await
            .unwrap();
        assert!(screen.button_is_down());
        let mut cast = None;
        match doing {
            Doing::Nothing => {}
            Doing::Program => {
                let begun = client.exec_stream(Exec::shell("exec sleep 600").timeout(NEVER));
                begun.await.unwrap();
            }
            Doing::Resting | Doing::Changing => {
                let begun = client.start_screencast(Cast::new(Shot::screen()).fps(30.0));
                cast = Some(begun.await.unwrap());
            }
        }
        proxy.go_dead();
        eventually(&format!("the button to be released, {doing:?}"), PATIENCE, || {
            if matches!(doing, Doing::Changing) {
                screen.noise(7, 480);
            }
            (!screen.button_is_down()).then_some(())
        });
        drop((client, cast));
    }
    // All their places are free again.
    let both = timeout(PATIENCE, async {
        loop {
            let one = Client::connect(daemon.address(), Some(TOKEN), Options::default()).await;
            let other = Client::connect(daemon.address(), Some(TOKEN), Options::default()).await;
            if let (Ok(one), Ok(other)) = (one, other) {
                return (one, other);
            }
        }
    });
    both.await.unwrap();
}

#[tokio::test]
async fn a_client_that_only_watches_stays() {
    let daemon = Daemon::start_with(&["--idle-timeout-ms", "1000"]);
    daemon.paint("black");
    let options = Options {
        keep_alive: None,
        ..Options::default()
    };
    let client = daemon.client_with(options).await;
    let mut cast = client
        .start_screencast(Cast::new(Shot::screen()).fps(30.0))
        .await
        .unwrap();
    let first = timeout(PATIENCE, cast.next()).await.unwrap().unwrap().unwrap();
    // Several times as long as a client may be silent.
    let silence = timeout(Duration::from_secs(5), cast.next()).await;
    assert!(silence.is_err(), "{silence:?}");
    daemon.paint("red");
    let frame = timeout(PATIENCE, cast.next()).await.unwrap().unwrap().unwrap();
    assert_eq!(frame.stream, first.stream);
    assert!(client.ended().is_none());
}

#[tokio::test]
async fn a_slow_line_is_not_a_dead_one() {
    let daemon = Daemon::start();
    let noise = Screen::open(daemon.server.display()).noise(3, 480);
    // Some 900 kB in pieces of 10 kB: a pong has to wait behind them for several times the keep-alive.
    let proxy = Proxy::start_slow(daemon.address(), 10_000, Duration::from_millis(40)).await;
    let client = through(&proxy, Some(Duration::from_millis(700))).await;
    let picture = timeout(PATIENCE, client.screenshot(Shot::screen()))
        .await
        .unwrap();
    assert!(picture.unwrap().decode().unwrap().rgb() == noise);
}
