//! Streams of pictures.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::{Duration, Instant};

use base64::Engine as _;
use serde_json::{Value, json};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{ConnectionExt as _, CreateGCAux, ImageFormat};

use crate::client::{Client, Incoming};
use crate::daemon::{Daemon, PATIENCE};
use crate::pictures::{middle, paint, picture, png};

fn start(client: &mut Client, mut fields: Value) {
    fields["verb"] = json!("start_screencast");
    let ack = client.call(fields);
    assert_eq!((&ack["type"], &ack["ok"]), (&json!("ack"), &json!(true)), "{ack}");
}

/// The next frame as text.
fn frame(client: &mut Client) -> Value {
    let frame = client.text();
    assert_eq!(frame["type"], "observation", "{frame}");
    frame
}

/// The frames until one satisfies.
fn until(client: &mut Client, mut satisfied: impl FnMut(&Value) -> bool) -> Vec<Value> {
    let mut frames = Vec::new();
    loop {
        frames.push(frame(client));
        if satisfied(frames.last().unwrap()) {
            return frames;
        }
    }
}

#[test]
fn frames_come_when_something_changes_and_only_then() {
    let daemon = Daemon::start();
    paint(&daemon.server, "black");
    let mut client = daemon.client();
    start(&mut client, json!({"fps": 30}));
    let first = frame(&mut client);
    assert_eq!(first["seq"], 0);
    assert!(
        first.get("cause").is_none() && first.get("pointer").is_none(),
        "{first}"
    );
    assert_eq!(middle(&png(&picture(&first))), [0, 0, 0]);
    assert!(client.silent_for(Duration::from_millis(500)));
    paint(&daemon.server, "red");
    let frames = until(&mut client, |frame| middle(&png(&picture(frame))) == [255, 0, 0]);
    assert_eq!(frames.last().unwrap()["stream"], first["stream"]);
    assert_eq!(client.call(json!({"verb": "stop_screencast"}))["ok"], true);
    paint(&daemon.server, "blue");
    assert!(client.silent_for(Duration::from_millis(300)));
    // Stopping what does not run does no harm.
    assert_eq!(client.call(json!({"verb": "stop_screencast"}))["ok"], true);
}

/// Draws a frame's tiles, or all of it, onto the picture; says how many tiles there were.
fn apply(canvas: &mut (u32, u32, Vec<u8>), frame: &Value) -> usize {
    let Some(tiles) = frame["tiles"].as_array() else {
        *canvas = png(&picture(frame));
        return 0;
    };
    for tile in tiles {
        let edge = |name: &str| tile[name].as_u64().unwrap() as usize;
        let (x, y) = (edge("x"), edge("y"));
        assert_eq!((x % 64, y % 64), (0, 0));
        let bytes = base64::engine::general_purpose::STANDARD
            .decode(tile["ref"].as_str().unwrap())
            .unwrap();
        let (w, h, pixels) = png(&bytes);
        assert_eq!((w as usize, h as usize), (edge("w"), edge("h")));
        for (row, pixels) in pixels.chunks_exact(w as usize * 3).enumerate() {
            let to = ((y + row) * canvas.0 as usize + x) * 3;
            canvas.2[to..to + pixels.len()].copy_from_slice(pixels);
        }
    }
    tiles.len()
}

#[test]
fn a_delta_stream_sends_the_changed_tiles_and_they_make_the_whole_picture() {
    let daemon = Daemon::start();
    paint(&daemon.server, "black");
    let mut client = daemon.client();
    start(&mut client, json!({"fps": 30, "delta": true}));
    let mut canvas = png(&picture(&frame(&mut client)));
    let mut shots = daemon.client();
    let launched =
        shots.call(json!({"verb": "launch_app", "app": "xterm", "args": ["-geometry", "16x5+130+70"]}));
    assert_eq!(launched["ok"], true);
    let mut tiles = 0;
    let end = Instant::now() + PATIENCE;
    loop {
        while let Some(message) = client.next_within(Duration::from_millis(500)) {
            let Incoming::Text(frame) = message else {
                panic!("{message:?}")
            };
            tiles += apply(&mut canvas, &frame);
        }
        // It rests; both ways of looking show the same.
        let same = png(&picture(&shots.call(json!({"verb": "screenshot"})))) == canvas;
        if same && tiles > 0 {
            return;
        }
        assert!(
            Instant::now() < end,
            "the composited picture differs from a screenshot ({tiles} tiles)"
        );
    }
}

#[test]
fn a_resumed_stream_keeps_its_name_and_goes_on_counting_from_a_whole_picture() {
    let daemon = Daemon::start();
    paint(&daemon.server, "black");
    let mut client = daemon.client();
    start(&mut client, json!({"fps": 30, "delta": true}));
    let first = frame(&mut client);
    paint(&daemon.server, "red");
    let last = until(&mut client, |frame| {
        frame
            .get("image")
            .is_some_and(|_| middle(&png(&picture(frame))) == [255, 0, 0])
    });
    let seq = last.last().unwrap()["seq"].as_u64().unwrap();
    drop(client);
    let mut client = daemon.client();
    start(
        &mut client,
        json!({"fps": 30, "delta": true, "resume_stream": first["stream"]}),
    );
    let resumed = frame(&mut client);
    assert_eq!(resumed["stream"], first["stream"]);
    assert!(resumed["seq"].as_u64().unwrap() > seq);
    assert!(resumed.get("image").is_some());
    start(&mut client, json!({"resume_stream": "nobody-knows-it"}));
    let fresh = until(&mut client, |frame| frame["stream"] != first["stream"]);
    assert_eq!(fresh.last().unwrap()["seq"], 0);
}

#[test]
fn a_stream_that_another_connection_takes_over_is_told_to_have_ended() {
    let daemon = Daemon::start_with(&["--max-screencasts", "1", "--idle-timeout-ms", "1500"]);
    paint(&daemon.server, "black");
    let mut old = daemon.client();
    let ack = old.call(json!({"verb": "start_screencast", "fps": 30}));
    let first = frame(&mut old);
    let mut new = daemon.client();
    start(&mut new, json!({"fps": 30, "resume_stream": first["stream"]}));
    let told = old.text();
    assert_eq!(
        (&told["type"], &told["call_id"], &told["ok"]),
        (&json!("result"), &ack["call_id"], &json!(false)),
        "{told}"
    );
    assert!(told["error"].as_str().unwrap().starts_with("busy: "), "{told}");
    // It has none any more: stopping it does no harm to the other's, nor does anything more come.
    assert_eq!(old.call(json!({"verb": "stop_screencast"}))["ok"], true);
    assert_eq!(frame(&mut new)["stream"], first["stream"]);
    paint(&daemon.server, "red");
    until(&mut new, |frame| middle(&png(&picture(frame))) == [255, 0, 0]);
    // Nor is it busy: it falls silent, and is let go as one that rests, while the other's is kept.
    assert_eq!(old.closed().0, 1008);
    paint(&daemon.server, "blue");
    until(&mut new, |frame| middle(&png(&picture(frame))) == [0, 0, 255]);
}

/// Fills the screen with noise, again and again, slower than the frames come.
fn noise(display: &str, times: u32) {
    let (connection, screen) = x11rb::connect(Some(display)).unwrap();
    let root = connection.setup().roots[screen].root;
    let gc = connection.generate_id().unwrap();
    connection.create_gc(gc, root, &CreateGCAux::new()).unwrap();
    let mut state = 1_u64;
    for _ in 0..times {
        for y in 0..480 {
            let row: Vec<u8> = (0..640 * 4)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (state >> 56) as u8
                })
                .collect();
            connection
                .put_image(ImageFormat::Z_PIXMAP, root, gc, 640, 1, 0, y, 0, 24, &row)
                .unwrap();
        }
        connection.get_input_focus().unwrap().reply().unwrap();
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_slow_client_misses_frames_and_sees_the_gap() {
    let daemon = Daemon::start();
    let mut client = daemon.binary_client();
    let ack = client.call(json!({"verb": "start_screencast", "fps": 30}));
    assert_eq!(ack["ok"], true);
    // Noise does not compress, so the socket is full after a few pictures of it; nobody reads meanwhile.
    noise(daemon.server.display(), 60);
    let mut last = None;
    loop {
        let Incoming::Binary(header, _) = client.next() else {
            panic!("something else than a frame")
        };
        let seq = header["seq"].as_u64().unwrap();
        match last {
            Some(last) if seq > last + 1 => return,
            Some(last) => assert_eq!(seq, last + 1),
            None => {}
        }
        last = Some(seq);
    }
}

#[test]
fn there_is_a_limit_and_errors_before_the_first_frame_are_told() {
    let daemon = Daemon::start_with(&["--max-screencasts", "1"]);
    let mut client = daemon.client();
    start(&mut client, json!({}));
    let mut other = daemon.client();
    let busy = other.call(json!({"verb": "start_screencast"}));
    assert!(busy["error"].as_str().unwrap().starts_with("busy: "), "{busy}");
    // One's own is replaced, and that needs no second place.
    start(&mut client, json!({"fps": 5}));
    drop(client);
    testbed::eventually("the place of the client that left", PATIENCE, || {
        (other.call(json!({"verb": "start_screencast"}))["ok"] == true).then_some(())
    });
    let wrong = other.call(json!({"verb": "start_screencast", "scope": "window:12345"}));
    assert!(
        wrong["error"].as_str().unwrap().starts_with("window_not_found: "),
        "{wrong}"
    );
    for fps in [json!(0), json!(0.05), json!(31)] {
        let refused = other.call(json!({"verb": "start_screencast", "fps": fps}));
        assert!(
            refused["error"].as_str().unwrap().starts_with("invalid_action: "),
            "{refused}"
        );
    }
}
