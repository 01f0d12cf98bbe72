//! Readers of streams that do not read.

use shinken::{Cast, ClientError, Exec, ExecEvent, Options, Shot};
use tokio::time::{Instant, timeout};

use crate::daemon::{Daemon, PATIENCE};
use crate::screen::Screen;

#[tokio::test]
async fn output_that_nobody_reads_ends_its_stream_and_nothing_else() {
    let daemon = Daemon::start();
    for binary_frames in [true, false] {
        let options = Options {
            binary_frames,
            exec_buffer_bytes: 200_000,
            ..Options::default()
        };
        let client = daemon.client_with(options).await;
        let done = daemon.path(&format!("done-{binary_frames}"));
        let line = format!("seq 1 200000; touch {}", done.display());
        let mut stream = client.exec_stream(Exec::shell(line)).await.unwrap();
        // The program is not held up, and neither is anybody else.
        let end = Instant::now() + PATIENCE;
        while !done.exists() {
            assert!(Instant::now() < end, "the program was held up");
            assert!(client.ready().await.unwrap());
        }
        assert_eq!(client.exec(Exec::shell("echo hi")).await.unwrap().stdout, "hi\n");
        let mut out = Vec::new();
        let behind = loop {
            match timeout(PATIENCE, stream.next()).await.unwrap().unwrap() {
                Ok(ExecEvent::Output { bytes, .. }) => out.extend_from_slice(&bytes),
                Ok(other) => unreachable!("{other:?}"),
                Err(error) => break error,
            }
        };
        let ClientError::Behind { limit, .. } = behind else {
            unreachable!("{behind}")
        };
        assert_eq!(limit, 200_000);
        assert!(!behind.is_fatal() && stream.next().await.is_none());
        // What came until then is whole.
        let wanted: String = (1..=200_000).map(|n| format!("{n}\n")).collect();
        assert!(!out.is_empty() && wanted.as_bytes().starts_with(&out));
        assert!(client.ready().await.unwrap());
    }
}

#[tokio::test]
async fn pictures_that_nobody_reads_are_put_together() {
    let daemon = Daemon::start();
    daemon.paint("black");
    let screen = Screen::open(daemon.server.display());
    let client = daemon.client().await;
    for delta in [true, false] {
        let mut cast = client
            .start_screencast(Cast::new(Shot::screen()).fps(30.0).delta(delta).queue(2))
            .await
            .unwrap();
        for seed in 1..20 {
            screen.noise(seed, 100);
            client.screenshot(Shot::screen()).await.unwrap();
        }
        let last = client.screenshot(Shot::screen()).await.unwrap().decode().unwrap();
        let (mut left_out, end) = (0, Instant::now() + PATIENCE);
        loop {
            let frame = timeout(PATIENCE, cast.next()).await.unwrap().unwrap().unwrap();
            left_out += frame.dropped;
            if frame.picture.rgb() == last.rgb() {
                break;
            }
            assert!(Instant::now() < end, "the last picture did not come");
        }
        assert!(left_out > 0);
        cast.stop().await.unwrap();
    }
}

#[tokio::test]
async fn a_screencast_that_takes_too_much_ends_and_nothing_else_does() {
    let daemon = Daemon::start_with(&["--max-screencasts", "1"]);
    daemon.paint("black");
    let screen = Screen::open(daemon.server.display());
    for binary_frames in [true, false] {
        let options = Options {
            binary_frames,
            cast_buffer_bytes: 20_000,
            ..Options::default()
        };
        let client = daemon.client_with(options).await;
        let mut cast = client
            .start_screencast(Cast::new(Shot::screen()).fps(30.0).delta(true))
            .await
            .unwrap();
        // A few rows at a time, which come as tiles; some 100 kB of noise.
        let begun = Instant::now();
        for seed in 1_u64.. {
            screen.noise(seed, 60);
            assert!(client.screenshot(Shot::screen()).await.is_ok());
            if begun.elapsed().as_secs() >= 2 {
                break;
            }
        }
        let behind = loop {
            match timeout(PATIENCE, cast.next()).await.unwrap().unwrap() {
                Ok(_) => {}
                Err(error) => break error,
            }
        };
        assert!(
            matches!(behind, ClientError::Behind { limit: 20_000, .. }),
            "{behind}"
        );
        assert!(!behind.is_fatal() && cast.next().await.is_none());
        drop(cast);
        // Its place is given back, and the session has gone on.
        let other = daemon.client().await;
        let next = timeout(PATIENCE, async {
            loop {
                if let Ok(cast) = other.start_screencast(Cast::new(Shot::screen())).await {
                    return cast;
                }
            }
        });
        next.await.unwrap().stop().await.unwrap();
        assert!(client.ended().is_none() && client.ready().await.unwrap());
    }
}
