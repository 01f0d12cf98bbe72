//! Every verb and query once, on a real desktop.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::Duration;

use shinken::aci::error_code::ErrorCode;
use shinken::aci::exec::Channel;
use shinken::aci::extension::action::{Axis, SelectionMode};
use shinken::aci::target::PointerButton;
use shinken::aci::verb::Verb;
use shinken::aci::welcome::Platform;
use shinken::{Client, ClientError, Exec, ExecEvent, Look, Options, Place, Shot, Window};
use tokio::time::timeout;

use crate::daemon::{Daemon, PATIENCE, TOKEN};

async fn pointer(client: &Client) -> (i64, i64) {
    client.screenshot(Shot::screen()).await.unwrap().pointer.unwrap()
}

#[tokio::test]
async fn pointer_verbs_move_the_pointer() {
    let daemon = Daemon::start();
    let client = daemon.client().await;
    client.move_to((10, 20)).await.unwrap();
    assert_eq!(pointer(&client).await, (10, 20));
    client.click((30, 40)).await.unwrap();
    client.double_click((31.9, 41.0)).await.unwrap();
    assert_eq!(pointer(&client).await, (31, 41));
    client.right_click((50, 60)).await.unwrap();
    client.scroll((70, 80), 0.0, 120.0).await.unwrap();
    assert_eq!(pointer(&client).await, (70, 80));
    client
        .drag(
            (1, 2),
            (300, 200),
            PointerButton::Middle,
            Duration::from_millis(30),
        )
        .await
        .unwrap();
    assert_eq!(pointer(&client).await, (300, 200));
    client
        .mouse_down(Some(Place::from((5, 6))), PointerButton::Left)
        .await
        .unwrap();
    client.move_to((100, 100)).await.unwrap();
    client.mouse_up(None, PointerButton::Left).await.unwrap();
    assert_eq!(pointer(&client).await, (100, 100));
    client.key("shift+a").await.unwrap();
    client.type_text("héllo\n").await.unwrap();
    client.wait(Duration::from_millis(5)).await.unwrap();
}

#[tokio::test]
async fn refusals_are_typed_and_the_session_goes_on() {
    let daemon = Daemon::start();
    let client = daemon.client().await;
    let refused = client.click((5_000, 0)).await.unwrap_err();
    assert_eq!(refused.code(), Some(ErrorCode::InvalidAction), "{refused}");
    let refused = client.key("ctrl+nosuchkey").await.unwrap_err();
    assert_eq!(refused.code(), Some(ErrorCode::InvalidAction), "{refused}");
    let refused = client.screenshot(Shot::window(1)).await.unwrap_err();
    assert_eq!(refused.code(), Some(ErrorCode::WindowNotFound), "{refused}");
    let refused = client
        .exec(Exec::argv(["no-such-program-here"]))
        .await
        .unwrap_err();
    assert_eq!(refused.code(), Some(ErrorCode::ExecSpawnFailed), "{refused}");
    assert!(!refused.is_fatal());
    let invalid = client.click((f64::NAN, 0.0)).await.unwrap_err();
    assert!(matches!(invalid, ClientError::InvalidCall { .. }));
    assert!(client.ready().await.unwrap());
}

#[tokio::test]
async fn what_is_not_offered_is_not_sent() {
    let daemon = Daemon::start_with(&["--no-structured-observation"]);
    let client = daemon.client().await;
    assert!(!client.offers(Verb::SetValue));
    for unsupported in [
        client.set_value("e1", "x").await,
        client.invoke_action("e1", None).await,
        client.observe(Look::new()).await.map(drop),
        client.observe(Look::new().app("x")).await.map(drop),
        client
            .observe(Look::new().picture(Shot::screen()))
            .await
            .map(drop),
        client.apps().await.map(drop),
        client.scroll_element("e1", 1.0, Axis::Vertical).await,
        client.set_text_selection("e1", SelectionMode::Select, "x").await,
    ] {
        assert!(
            matches!(unsupported, Err(ClientError::Unsupported { .. })),
            "{unsupported:?}"
        );
    }
    assert!(client.ready().await.unwrap());
}

#[tokio::test]
async fn queries_and_windows() {
    let daemon = Daemon::start();
    let _manager = daemon.server.window_manager();
    let client = daemon.client().await;
    assert_eq!(client.platform().await.unwrap(), Platform::Linux);
    assert_eq!(client.screen_size().await.unwrap(), (640, 480));
    client
        .launch_app(
            "xterm",
            ["-T", "a window of the test", "-geometry", "40x10+20+30"],
        )
        .await
        .unwrap();
    let window: Window = timeout(PATIENCE, async {
        loop {
            let windows = client.list_windows().await.unwrap();
            if let Some(window) = windows
                .into_iter()
                .find(|window| window.title == "a window of the test")
            {
                return window;
            }
            client.wait(Duration::from_millis(20)).await.unwrap();
        }
    })
    .await
    .unwrap();
    client.activate_window(&window).await.unwrap();
    client.activate_window("A WINDOW OF").await.unwrap();
    let picture = client.screenshot(Shot::window(window.id).jpeg(70)).await.unwrap();
    assert_eq!(picture.mime(), "image/jpeg");
    assert_eq!((u64::from(picture.w), u64::from(picture.h)), (window.w, window.h));
    // A pixel of the window's picture lies in the window.
    assert_eq!(picture.to_global(3.0, 4.0).unwrap(), (window.x + 3, window.y + 4));
    let decoded = picture.decode().unwrap();
    assert_eq!((decoded.width(), decoded.height()), (picture.w, picture.h));
    let missing = client.activate_window("no such title").await.unwrap_err();
    assert_eq!(missing.code(), Some(ErrorCode::WindowNotFound));
}

#[tokio::test]
async fn clipboard_and_programs() {
    let daemon = Daemon::start();
    let client = daemon.client().await;
    client.clipboard_set("für 日本 🦊").await.unwrap();
    assert_eq!(client.clipboard_get().await.unwrap(), "für 日本 🦊");
    // A picture in place of text; the program that gives it out lives on when exec has answered.
    let picture = "printf PNG | xclip -i -selection clipboard -t image/png >/dev/null 2>&1";
    assert_eq!(
        client
            .exec(Exec::shell(picture))
            .await
            .unwrap()
            .exit_code
            .unwrap()
            .get(),
        0
    );
    // xclip takes the clipboard only after its first process, for which exec waits, has ended.
    let refused = timeout(PATIENCE, async {
        loop {
            match client.clipboard_get().await {
                Ok(_) => tokio::time::sleep(Duration::from_millis(10)).await,
                Err(refused) => return refused,
            }
        }
    });
    let refused = refused.await.unwrap();
    assert_eq!(refused.code(), Some(ErrorCode::Unsupported), "{refused}");
    let exec = Exec::argv(["sh", "-c", "cat; echo $A; pwd; echo no >&2; exit 3"])
        .env("A", "value")
        .cwd("/")
        .stdin("in\n")
        .timeout(Duration::from_secs(20));
    let result = client.exec(exec).await.unwrap();
    assert_eq!(result.stdout, "in\nvalue\n/\n");
    assert_eq!(result.stderr, "no\n");
    assert_eq!(result.exit_code.unwrap().get(), 3);
    let late = client
        .exec(Exec::shell("sleep 60").timeout(Duration::from_millis(50)))
        .await
        .unwrap();
    assert!(late.timed_out && late.exit_code.is_none());
}

#[tokio::test]
async fn streamed_output_is_whole_in_both_forms() {
    let daemon = Daemon::start();
    for binary_frames in [true, false] {
        let options = Options {
            binary_frames,
            ..Options::default()
        };
        let client = daemon.client_with(options).await;
        let mut stream = client
            .exec_stream(Exec::shell("seq 1 200000; echo end >&2; exit 5"))
            .await
            .unwrap();
        // A program's output holds up nothing else.
        assert!(client.ready().await.unwrap());
        let (mut out, mut err, mut pieces, mut exit) = (Vec::new(), Vec::new(), 0, None);
        while let Some(event) = stream.next().await {
            match event.unwrap() {
                ExecEvent::Output { channel, seq, bytes } => {
                    assert_eq!(seq, pieces);
                    pieces += 1;
                    match channel {
                        Channel::Stdout => out.extend_from_slice(&bytes),
                        Channel::Stderr => err.extend_from_slice(&bytes),
                    }
                }
                ExecEvent::Exit(end) => exit = Some(end),
            }
        }
        let wanted: String = (1..=200_000).map(|n| format!("{n}\n")).collect();
        assert!(out == wanted.as_bytes(), "{} bytes came", out.len());
        assert_eq!(err, b"end\n");
        let exit = exit.unwrap();
        assert_eq!((exit.exit_code.unwrap().get(), exit.truncated), (5, false));
    }
}

#[tokio::test]
async fn an_action_gives_its_picture() {
    let daemon = Daemon::start();
    for binary_frames in [true, false] {
        let client = daemon
            .client_with(Options {
                binary_frames,
                ..Options::default()
            })
            .await;
        let seen = client
            .move_to((33, 44))
            .observe(Shot::screen().max_long_edge(320))
            .await
            .unwrap();
        assert_eq!((seen.w, seen.h, seen.pointer), (320, 240, Some((33, 44))));
        assert_eq!(seen.to_global(100.0, 50.0).unwrap(), (200, 100));
        assert!(seen.to_global(320.0, 0.0).is_err());
        let unseen = client.move_to((1, 2)).observe(Shot::window(1)).await.unwrap_err();
        assert!(matches!(unseen, ClientError::Unseen(_)), "{unseen}");
        assert_eq!(unseen.code(), Some(ErrorCode::WindowNotFound));
        assert_eq!(pointer(&client).await, (1, 2));
    }
}

#[tokio::test]
async fn the_socket_file_serves_as_well() {
    let daemon = Daemon::start();
    let client = Client::connect(daemon.socket(), Some(TOKEN), Options::default())
        .await
        .unwrap();
    assert_eq!(client.screen_size().await.unwrap(), (640, 480));
    assert!(client.ping().await.unwrap() < PATIENCE);
    client.close().await;
    assert!(matches!(client.ready().await, Err(ClientError::ClosedHere)));
}
