//! Screenshots, and the picture that follows an action.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use base64::Engine as _;
use serde_json::{Value, json};
use testbed::XServer;

use crate::client::{Client, Incoming};
use crate::daemon::Daemon;

/// Fills the screen with one colour, by another program.
pub(crate) fn paint(server: &XServer, colour: &str) {
    assert!(
        server
            .command("xsetroot")
            .args(["-solid", colour])
            .status()
            .unwrap()
            .success()
    );
}

/// Width, height and RGB of a PNG.
pub(crate) fn png(bytes: &[u8]) -> (u32, u32, Vec<u8>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes))
        .read_info()
        .unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    assert_eq!(info.color_type, png::ColorType::Rgb);
    pixels.truncate(info.buffer_size());
    (info.width, info.height, pixels)
}

/// The colour of the pixel in the middle.
pub(crate) fn middle((w, h, pixels): &(u32, u32, Vec<u8>)) -> [u8; 3] {
    let at = ((h / 2 * w + w / 2) * 3) as usize;
    pixels[at..at + 3].try_into().unwrap()
}

/// The bytes of a text observation's picture.
pub(crate) fn picture(observation: &Value) -> Vec<u8> {
    base64::engine::general_purpose::STANDARD
        .decode(observation["image"]["ref"].as_str().unwrap())
        .unwrap()
}

fn binary(client: &mut Client, action: Value) -> (Value, Vec<u8>) {
    client.act(action);
    match client.next() {
        Incoming::Binary(header, payload) => (header, payload),
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_screenshot_shows_what_is_there_now() {
    let daemon = Daemon::start();
    let mut client = daemon.client();
    let shot = json!({"verb": "screenshot"});
    for (name, colour) in [("red", [255, 0, 0]), ("blue", [0, 0, 255]), ("red", [255, 0, 0])] {
        paint(&daemon.server, name);
        let observation = client.call(shot.clone());
        let decoded = png(&picture(&observation));
        assert_eq!((decoded.0, decoded.1), (640, 480));
        assert_eq!(middle(&decoded), colour);
        assert_eq!(observation["image"]["format"], "png");
        assert_eq!(observation["image"]["scope"], "screen");
        assert_eq!(
            observation["display"],
            json!({"w": 640, "h": 480, "dpr": 1, "origin": "top-left", "source_rect": {"x": 0, "y": 0, "w": 640, "h": 480}, "delivered": {"w": 640, "h": 480}})
        );
    }
}

#[test]
fn a_known_picture_is_not_sent_again_whatever_its_format() {
    let daemon = Daemon::start();
    let mut client = daemon.client();
    paint(&daemon.server, "green");
    let first = client.call(json!({"verb": "screenshot"}));
    let hash = first["frame_hash"].as_str().unwrap();
    let again = client.call(json!({"verb": "screenshot", "format": "jpeg", "if_none_match": hash}));
    assert_eq!(
        (&again["not_modified"], &again["frame_hash"]),
        (&json!(true), &json!(hash))
    );
    assert!(
        again.get("image").is_none() && again["pointer"].is_array(),
        "{again}"
    );
    let small = client.call(json!({"verb": "screenshot", "max_long_edge": 320, "if_none_match": hash}));
    assert_eq!(
        (&small["image"]["w"], &small["image"]["h"]),
        (&json!(320), &json!(240))
    );
    assert_eq!(small["display"]["delivered"], json!({"w": 320, "h": 240}));
    assert_ne!(small["frame_hash"], hash);
    paint(&daemon.server, "yellow");
    let changed = client.call(json!({"verb": "screenshot", "if_none_match": hash}));
    assert_eq!(middle(&png(&picture(&changed))), [255, 255, 0]);
}

#[test]
fn binary_frames_carry_the_bytes_as_they_are() {
    let daemon = Daemon::start();
    paint(&daemon.server, "red");
    let mut client = daemon.binary_client();
    let (header, payload) = binary(&mut client, json!({"verb": "screenshot"}));
    assert_eq!(header["type"], "observation");
    assert_eq!(
        (&header["image"]["off"], &header["image"]["len"]),
        (&json!(0), &json!(payload.len()))
    );
    assert_eq!(middle(&png(&payload)), [255, 0, 0]);
    let (header, payload) = binary(
        &mut client,
        json!({"verb": "screenshot", "format": "jpeg", "quality": 50}),
    );
    assert_eq!(header["image"]["format"], "jpeg");
    assert_eq!(&payload[..3], [0xff, 0xd8, 0xff]);
    let text = daemon.client().call(json!({"verb": "screenshot"}));
    assert_eq!(text["frame_hash"], header["frame_hash"]);
}

#[test]
fn what_cannot_be_shown_is_an_error() {
    let daemon = Daemon::start();
    let mut client = daemon.client();
    let ack = client.call(json!({"verb": "screenshot", "scope": "window:12345"}));
    assert_eq!((&ack["type"], &ack["ok"]), (&json!("ack"), &json!(false)));
    assert!(
        ack["error"].as_str().unwrap().starts_with("window_not_found: "),
        "{ack}"
    );
    for wrong in [
        json!({"verb": "screenshot", "scope": "window:x"}),
        json!({"verb": "screenshot", "quality": 0}),
        json!({"verb": "screenshot", "max_long_edge": 0}),
        json!({"verb": "screenshot", "format": "gif"}),
        json!({"verb": "screenshot", "text": "x", "colour": 1}),
    ] {
        let ack = client.call(wrong);
        assert!(
            ack["error"].as_str().unwrap().starts_with("invalid_action: "),
            "{ack}"
        );
    }
}

#[test]
fn an_action_is_followed_by_the_picture_of_its_effect() {
    let daemon = Daemon::start();
    paint(&daemon.server, "black");
    let mut client = daemon.client();
    let file = daemon.path("paints");
    std::fs::write(&file, "#!/bin/sh\nxsetroot -solid red\n").unwrap();
    std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let call = client
        .act(json!({"verb": "launch_app", "app": file.to_str().unwrap(), "observe": {"format": "png"}}));
    let ack = client.about(&call);
    assert_eq!((&ack["type"], &ack["ok"]), (&json!("ack"), &json!(true)));
    let observation = client.about(&call);
    assert_eq!(observation["cause"], call.as_str());
    assert_eq!(middle(&png(&picture(&observation))), [255, 0, 0]);
    // An action that failed is followed by nothing, and one whose picture cannot be taken by an error.
    let off = json!({"kind": "point_px", "x": 5000, "y": 5});
    client.act(json!({"verb": "move", "target": off, "observe": {}}));
    assert_eq!(client.text()["ok"], false);
    let on = json!({"kind": "point_px", "x": 5, "y": 5});
    let call = client.act(json!({"verb": "move", "target": on, "observe": {"scope": "window:12345"}}));
    assert_eq!(client.about(&call)["ok"], true);
    let result = client.about(&call);
    assert_eq!(
        (&result["type"], &result["ok"]),
        (&json!("result"), &json!(false))
    );
    assert!(
        result["error"]
            .as_str()
            .unwrap()
            .starts_with("window_not_found: "),
        "{result}"
    );
}
