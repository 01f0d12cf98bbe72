//! Python code through the client.

use std::time::Duration;

use shinken::aci::error_code::ErrorCode;
use shinken::{Options, Run, RunContent, RunOutputKind};

use crate::daemon::Daemon;

const GRANTED: &[&str] = &["--grant", "run", "--python", "/usr/bin/python3"];

#[tokio::test]
async fn results_are_typed_however_they_travel() {
    let daemon = Daemon::start_with(GRANTED);
    for binary_frames in [true, false] {
        let client = daemon
            .client_with(Options {
                binary_frames,
                ..Options::default()
            })
            .await;
        let result = client
            .run(Run::new("a = 10\nb = 20\nprint(a + b)"))
            .await
            .unwrap();
        assert_eq!((result.output.as_str(), &result.value), ("30\n", &None));
        assert!(result.is_ok() && !result.restarted && result.outputs.is_empty());
        let result = client.run(Run::new("a")).await.unwrap();
        assert_eq!(result.value.as_deref(), Some("10"));
        let result = client.run(Run::new("1 / 0")).await.unwrap();
        assert!(!result.is_ok());
        let error = result.error.unwrap();
        assert_eq!(error.ename, "ZeroDivisionError");
        assert!(error.traceback.starts_with("Traceback"), "{}", error.traceback);
        let plot = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\ndisplay(5)";
        let result = client.run(Run::new(plot)).await.unwrap();
        let [shown, figure] = &result.outputs[..] else {
            panic!("{result:?}")
        };
        assert_eq!(
            (shown.kind, shown.form("text/plain")),
            (RunOutputKind::Display, Some(&RunContent::Text("5".to_owned())))
        );
        assert_eq!(figure.kind, RunOutputKind::Figure);
        assert!(figure.png().unwrap().starts_with(b"\x89PNG"));
        client.run_restart().await.unwrap();
        let fresh = client.run(Run::new("'a' in globals()")).await.unwrap();
        assert_eq!((fresh.value.as_deref(), fresh.restarted), (Some("False"), true));
        client.run_restart().await.unwrap();
        // The next round is another session's, which has no earlier interpreter to miss but that of the restart.
        client.run(Run::new("pass")).await.unwrap();
    }
}

#[tokio::test]
async fn a_cell_has_its_own_time_and_that_of_those_before_it() {
    let daemon = Daemon::start_with(GRANTED);
    let client = daemon
        .client_with(Options {
            call_timeout: Duration::from_millis(500),
            ..Options::default()
        })
        .await;
    // The interpreter starts within it.
    while client.run(Run::new("import time")).await.is_err() {}
    let slow = Run::new("time.sleep(1)").timeout(Duration::from_secs(20));
    let (one, other, picture) = tokio::join!(
        client.run(slow.clone()),
        client.run(Run::new("7").timeout(Duration::from_millis(100))),
        client.screen_size(),
    );
    assert!(one.unwrap().is_ok());
    assert_eq!(other.unwrap().value.as_deref(), Some("7"));
    picture.unwrap();
    let result = client
        .run(Run::new("while True: pass").timeout(Duration::from_millis(100)))
        .await
        .unwrap();
    assert!(result.timed_out && result.interrupted && result.state_lost.is_none());
    let lost = client.run(Run::new("import os; os._exit(4)")).await.unwrap();
    assert_eq!(lost.state_lost.unwrap().exit_code, Some(4));
    client.run_interrupt().await.unwrap();
}

#[tokio::test]
async fn what_is_not_granted_is_denied_and_says_how_it_is() {
    let daemon = Daemon::start();
    let client = daemon.client().await;
    for error in [
        client.run(Run::new("1")).await.unwrap_err(),
        client.run_restart().await.unwrap_err(),
    ] {
        assert_eq!(error.code(), Some(ErrorCode::Denied));
        assert!(error.to_string().contains("--grant run"), "{error}");
    }
}
