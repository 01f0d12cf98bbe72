//! Runtimes that die, are silent, or turn us away.

use std::time::{Duration, Instant};

use shinken::{Client, ClientError, Exec, Limit, Options, Shot};
use tokio::net::TcpListener;
use tokio::time::timeout;

use crate::daemon::{Daemon, PATIENCE, TOKEN};

#[tokio::test]
async fn a_killed_daemon_ends_every_call_and_says_so() {
    let mut daemon = Daemon::start();
    let options = Options {
        log_file: Some(daemon.log().to_owned()),
        ..Options::default()
    };
    let client = daemon.client_with(options).await;
    let mut stream = client
        .exec_stream(Exec::shell("echo begun; sleep 600"))
        .await
        .unwrap();
    stream.next().await.unwrap().unwrap();
    let mut events = client.events();
    let waiting = client.clone();
    let waiting = tokio::spawn(async move { waiting.exec(Exec::shell("sleep 600")).await });
    client.ready().await.unwrap();
    daemon.kill();
    let died = timeout(PATIENCE, waiting).await.unwrap().unwrap().unwrap_err();
    let ClientError::SandboxDied { log, .. } = &died else {
        unreachable!("{died}")
    };
    assert!(log.iter().any(|line| line.contains("serving")), "{log:?}");
    assert!(
        died.is_fatal() && died.to_string().contains("the sandbox died"),
        "{died}"
    );
    let end = timeout(PATIENCE, stream.next()).await.unwrap().unwrap();
    assert!(matches!(end, Err(ClientError::SandboxDied { .. })));
    assert!(stream.next().await.is_none());
    let later = client.click((1, 1)).await.unwrap_err();
    assert!(matches!(later, ClientError::SandboxDied { .. }), "{later}");
    let heard = async { while events.next().await.is_some() {} };
    timeout(PATIENCE, heard).await.unwrap();
    assert!(client.events().next().await.is_none());
    // A program that was just being started may have held the listener for a moment longer.
    timeout(PATIENCE, async {
        loop {
            match Client::connect(daemon.address(), Some(TOKEN), Options::default()).await {
                Err(ClientError::Connect { .. }) => return,
                Err(ClientError::Handshake { .. }) => {}
                other => unreachable!("{other:?}"),
            }
        }
    })
    .await
    .unwrap();
    daemon.start_again(&[]);
    client.reconnect().await.unwrap();
    assert!(client.ready().await.unwrap());
}

#[tokio::test]
async fn a_dead_display_is_a_refusal_and_not_a_death_of_the_daemon() {
    let mut daemon = Daemon::start();
    let client = daemon.client().await;
    client.screenshot(Shot::screen()).await.unwrap();
    daemon.server.app().signal(rustix::process::Signal::KILL);
    let gone = timeout(PATIENCE, async {
        loop {
            if let Err(error) = client.screenshot(Shot::screen()).await {
                return error;
            }
        }
    })
    .await
    .unwrap();
    assert!(matches!(gone, ClientError::Refused { .. }), "{gone}");
}

#[tokio::test]
async fn wrong_tokens_are_unauthorized() {
    let daemon = Daemon::start();
    for token in [None, Some("wrong")] {
        let refused = Client::connect(daemon.address(), token, Options::default())
            .await
            .unwrap_err();
        assert!(matches!(refused, ClientError::Unauthorized { .. }), "{refused}");
    }
    let elsewhere = format!("ws://{}/elsewhere", daemon.address());
    let refused = Client::connect(&elsewhere, Some(TOKEN), Options::default())
        .await
        .unwrap_err();
    assert!(
        matches!(&refused, ClientError::Handshake { detail } if detail.contains("404")),
        "{refused}"
    );
}

#[tokio::test]
async fn a_peer_that_says_nothing_is_not_waited_for_for_ever() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let options = Options {
        handshake_timeout: Duration::from_millis(200),
        ..Options::default()
    };
    let late = Client::connect(&address, None, options).await.unwrap_err();
    assert!(
        matches!(
            late,
            ClientError::Timeout {
                limit: Limit::Handshake,
                ..
            }
        ),
        "{late}"
    );
}

#[tokio::test]
async fn which_limit_fired_is_said() {
    let daemon = Daemon::start();
    let client = daemon.client().await;
    // The program's own time is over first: an answer, no error.
    let own = client
        .exec(Exec::shell("sleep 60").timeout(Duration::from_millis(100)))
        .await
        .unwrap();
    assert!(own.timed_out);
    let hasty = client.with_deadline(Duration::from_millis(150));
    let late = hasty
        .exec(Exec::shell("sleep 2").timeout(Duration::from_secs(3)))
        .await
        .unwrap_err();
    assert!(
        matches!(
            late,
            ClientError::Timeout {
                limit: Limit::Deadline,
                ..
            }
        ),
        "{late}"
    );
    // Two waits are each given the time of the other.
    let short = daemon
        .client_with(Options {
            call_timeout: Duration::from_secs(10),
            ..Options::default()
        })
        .await;
    let begun = Instant::now();
    let (first, second) = tokio::join!(
        short.wait(Duration::from_millis(300)),
        short.wait(Duration::from_millis(300))
    );
    first.unwrap();
    second.unwrap();
    assert!(begun.elapsed() >= Duration::from_millis(600));
}
