//! Pictures of the whole screen.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::Duration;

use desktop::DesktopError;
use desktop::backend::{Capture as _, Region, Size};
use desktop::x11::X11Capture;
use testbed::{XServer, eventually};

use crate::capture_painter::{BLUE, GREEN, Painter, RED, pixel, rect};

#[test]
fn a_picture_is_what_was_drawn() {
    let server = XServer::start(320, 240);
    let painter = Painter::new(&server);
    let window = painter.window(rect(20, 30, 100, 50), RED);
    painter.fill(window, rect(10, 10, 5, 5), GREEN);
    painter.sync();
    let mut capture = X11Capture::open(server.display()).unwrap();
    let grab = capture.grab(Region::Screen, None, None).unwrap();
    assert_eq!(*grab.frame, painter.screen());
    assert_eq!(grab.hash, grab.frame.hash());
    assert_eq!(grab.screen, Size { w: 320, h: 240 });
    assert_eq!(grab.source, rect(0, 0, 320, 240));
    assert_eq!(grab.dirty, None);
    assert_eq!(pixel(&grab.frame, 19, 30), 0);
    assert_eq!(pixel(&grab.frame, 20, 30), RED);
    assert_eq!(pixel(&grab.frame, 119, 79), RED);
    assert_eq!(pixel(&grab.frame, 120, 79), 0);
    assert_eq!(pixel(&grab.frame, 34, 44), GREEN);
    assert_eq!(pixel(&grab.frame, 35, 44), RED);
}

#[test]
fn while_nothing_changes_the_picture_is_the_same_one() {
    let server = XServer::start(320, 240);
    let painter = Painter::new(&server);
    painter.window(rect(20, 30, 100, 50), RED);
    let mut capture = X11Capture::open(server.display()).unwrap();
    assert!(capture.unchanged(Region::Screen, None).unwrap().is_none());
    let first = capture.grab(Region::Screen, None, None).unwrap();
    let small = capture.grab(Region::Screen, Some(100), None).unwrap();
    for (limit, before) in [(None, &first), (Some(100), &small), (Some(5000), &first)] {
        let kept = capture.unchanged(Region::Screen, limit).unwrap().unwrap();
        assert_eq!((kept.hash, kept.generation), (before.hash, before.generation));
        assert!(std::sync::Arc::ptr_eq(&kept.frame, &before.frame));
        let again = capture
            .grab(Region::Screen, limit, Some(before.generation))
            .unwrap();
        assert_eq!((again.hash, again.generation), (before.hash, before.generation));
        assert_eq!(again.dirty, Some(vec![]));
    }
    assert!(
        capture.unchanged(Region::Screen, Some(99)).unwrap().is_none(),
        "never taken"
    );
    capture.touch();
    assert!(
        capture.unchanged(Region::Screen, None).unwrap().is_none(),
        "touched"
    );
    capture.grab(Region::Screen, None, None).unwrap();
    assert!(capture.unchanged(Region::Screen, None).unwrap().is_some());
}

#[test]
fn one_pixel_is_seen_at_once_after_its_program_has_synchronized() {
    let server = XServer::start(320, 240);
    let painter = Painter::new(&server);
    let window = painter.window(rect(20, 30, 200, 150), RED);
    let mut capture = X11Capture::open(server.display()).unwrap();
    let mut before = capture.grab(Region::Screen, None, None).unwrap();
    for round in 0..200 {
        painter.fill(window, rect(round % 190, 7, 1, 1), 0x10_0000 + round as u32);
        painter.sync();
        capture.touch();
        assert!(capture.unchanged(Region::Screen, None).unwrap().is_none());
        let after = capture
            .grab(Region::Screen, None, Some(before.generation))
            .unwrap();
        assert_eq!(
            pixel(&after.frame, 20 + round as u32 % 190, 37),
            0x10_0000 + round as u32
        );
        assert!(after.generation > before.generation, "round {round}");
        assert_ne!(after.hash, before.hash);
        assert_eq!(
            after.dirty,
            Some(vec![rect(20 + round % 190, 37, 1, 1)]),
            "round {round}"
        );
        before = after;
    }
}

#[test]
fn a_change_is_reported_without_being_asked_for() {
    let server = XServer::start(320, 240);
    let painter = Painter::new(&server);
    let window = painter.window(rect(20, 30, 200, 150), RED);
    let mut capture = X11Capture::open(server.display()).unwrap();
    capture.grab(Region::Screen, None, None).unwrap();
    painter.fill(window, rect(0, 0, 3, 3), BLUE);
    painter.sync();
    eventually("the damage report", Duration::from_secs(10), || {
        capture
            .unchanged(Region::Screen, None)
            .unwrap()
            .is_none()
            .then_some(())
    });
    let grab = capture.grab(Region::Screen, None, None).unwrap();
    assert_eq!(pixel(&grab.frame, 20, 30), BLUE);
}

#[test]
fn drawing_the_same_again_changes_nothing() {
    let server = XServer::start(320, 240);
    let painter = Painter::new(&server);
    let window = painter.window(rect(20, 30, 200, 150), RED);
    let mut capture = X11Capture::open(server.display()).unwrap();
    let before = capture.grab(Region::Screen, None, None).unwrap();
    painter.fill(window, rect(0, 0, 200, 150), RED);
    painter.sync();
    capture.touch();
    let after = capture
        .grab(Region::Screen, None, Some(before.generation))
        .unwrap();
    assert_eq!((after.generation, after.hash), (before.generation, before.hash));
    assert_eq!(after.dirty, Some(vec![]));
}

#[test]
fn the_pointer_is_told_and_never_drawn() {
    let server = XServer::start(320, 240);
    let painter = Painter::new(&server);
    painter.window(rect(0, 0, 320, 240), RED);
    let mut capture = X11Capture::open(server.display()).unwrap();
    painter.warp_pointer(17, 23);
    let before = capture.grab(Region::Screen, None, None).unwrap();
    assert_eq!(before.pointer, Some((17, 23)));
    for (x, y) in [(40, 50), (200, 100), (319, 239), (0, 0)] {
        let moved = server
            .command("xdotool")
            .args(["mousemove", &x.to_string(), &y.to_string()])
            .status();
        assert!(moved.unwrap().success());
        let kept = eventually("the movement", Duration::from_secs(10), || {
            let kept = capture.unchanged(Region::Screen, None).unwrap();
            // That the pointer has moved is known; where to has to be asked.
            let seen = kept.unwrap_or_else(|| capture.grab(Region::Screen, None, None).unwrap());
            (seen.pointer == Some((x, y))).then_some(seen)
        });
        assert_eq!((kept.generation, kept.hash), (before.generation, before.hash));
        let grab = capture.grab(Region::Screen, None, None).unwrap();
        assert_eq!((grab.pointer, grab.hash), (Some((x, y)), before.hash));
    }
}

#[test]
fn a_warp_is_noticed_at_the_latest_when_the_position_is_old() {
    let server = XServer::start(320, 240);
    let painter = Painter::new(&server);
    painter.window(rect(0, 0, 320, 240), RED);
    let mut capture = X11Capture::open(server.display()).unwrap();
    capture.grab(Region::Screen, None, None).unwrap();
    painter.warp_pointer(99, 88);
    eventually("the warp", Duration::from_secs(10), || {
        let kept = capture.unchanged(Region::Screen, None).unwrap();
        let seen = kept.unwrap_or_else(|| capture.grab(Region::Screen, None, None).unwrap());
        (seen.pointer == Some((99, 88))).then_some(())
    });
}

#[test]
fn what_must_not_wait_does_not_wait_for_a_server_that_stands_still() {
    let mut server = XServer::start(320, 240);
    let painter = Painter::new(&server);
    painter.window(rect(0, 0, 320, 240), RED);
    let mut capture = X11Capture::open(server.display()).unwrap();
    let taken = capture.grab(Region::Screen, None, None).unwrap();
    server.app().signal(rustix::process::Signal::STOP);
    let start = std::time::Instant::now();
    // Until the pointer's position is old, and beyond.
    while start.elapsed() < Duration::from_secs(4) {
        let asked = std::time::Instant::now();
        assert_eq!(
            capture.generation(Region::Screen, None).unwrap(),
            Some(taken.generation)
        );
        capture.unchanged(Region::Screen, None).unwrap();
        assert!(asked.elapsed() < Duration::from_secs(1), "{:?}", asked.elapsed());
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn outside_the_dirty_parts_a_smaller_picture_is_the_same() {
    let server = XServer::start(400, 300);
    let painter = Painter::new(&server);
    let window = painter.window(rect(0, 0, 400, 300), GREEN);
    let mut capture = X11Capture::open(server.display()).unwrap();
    let mut before = capture.grab(Region::Screen, Some(160), None).unwrap();
    assert_eq!(before.frame.size(), Size { w: 160, h: 120 });
    for step in 0..20 {
        painter.fill(window, rect(step * 17, step * 11, 13, 9), 0x8040 * step as u32);
        painter.sync();
        capture.touch();
        let after = capture
            .grab(Region::Screen, Some(160), Some(before.generation))
            .unwrap();
        let dirty = after.dirty.clone().unwrap();
        for y in 0..120 {
            for x in 0..160 {
                let inside = dirty.iter().any(|part| {
                    (part.x..part.x + part.w as i32).contains(&(x as i32))
                        && (part.y..part.y + part.h as i32).contains(&(y as i32))
                });
                assert!(
                    inside || pixel(&before.frame, x, y) == pixel(&after.frame, x, y),
                    "step {step}: ({x}, {y}) changed outside {dirty:?}"
                );
            }
        }
        before = after;
    }
}

/// Xvfb has any size up to the one it began with, as a mode that xrandr makes.
const SIZES: [(u32, u32); 3] = [(1024, 768), (1500, 900), (800, 600)];

fn mode(w: u32, h: u32) -> String {
    format!("mode-{w}x{h}")
}

/// Runs xrandr; a size is appended as timings without blanking.
fn xrandr(server: &XServer, args: &[&str], (w, h): (u32, u32)) {
    let mut command = server.command("xrandr");
    command.args(args);
    if w > 0 {
        for value in [w, 0, 0, 0, h, 0, 0, 0] {
            command.arg(value.to_string());
        }
    }
    assert!(command.status().unwrap().success(), "xrandr {args:?}");
}

#[test]
fn a_resized_screen_is_delivered_in_its_new_size() {
    let server = XServer::start(1600, 900);
    let painter = Painter::new(&server);
    let window = painter.window(rect(0, 0, 1600, 900), RED);
    let mut capture = X11Capture::open(server.display()).unwrap();
    let mut before = capture.grab(Region::Screen, None, None).unwrap();
    for (w, h) in SIZES {
        xrandr(&server, &["--newmode", &mode(w, h), "0"], (w, h));
        xrandr(&server, &["--addmode", "screen", &mode(w, h)], (0, 0));
    }
    for round in 0..7 {
        for (w, h) in SIZES {
            let mut xrandr = server
                .command("xrandr")
                .args(["--output", "screen", "--mode", &mode(w, h)])
                .spawn()
                .unwrap();
            // Meanwhile every picture is one of the old or of the new size, and none is an error.
            while xrandr.try_wait().unwrap().is_none() {
                let grab = capture.grab(Region::Screen, None, None).unwrap();
                assert_eq!((grab.screen.w, grab.screen.h), (grab.source.w, grab.source.h));
                assert_eq!(grab.frame.size(), grab.screen);
            }
            painter.fill(window, rect(0, 0, 1600, 900), 0x11 * round + w);
            painter.sync();
            let after = capture
                .grab(Region::Screen, None, Some(before.generation))
                .unwrap();
            assert_eq!(after.screen, Size { w, h });
            assert_eq!(*after.frame, painter.screen());
            assert_eq!(after.dirty, None, "all can differ across a resize");
            assert_ne!(after.hash, before.hash);
            before = after;
        }
    }
}

#[test]
fn a_dead_server_is_gone_from_every_call() {
    let mut server = XServer::start(320, 240);
    let painter = Painter::new(&server);
    let window = painter.window(rect(20, 30, 200, 150), RED);
    let mut capture = X11Capture::open(server.display()).unwrap();
    capture.grab(Region::Screen, None, None).unwrap();
    server.app().signal(rustix::process::Signal::KILL);
    eventually("the server to end", Duration::from_secs(10), || {
        server.app().exited()
    });
    let gone = |error: DesktopError| assert!(matches!(error, DesktopError::Gone(_)), "{error:?}");
    for _ in 0..2 {
        for region in [
            Region::Screen,
            Region::ActiveWindow,
            Region::Window(window.into()),
        ] {
            gone(capture.grab(region, None, None).unwrap_err());
            gone(capture.unchanged(region, None).unwrap_err());
        }
    }
    gone(X11Capture::open(server.display()).unwrap_err());
}

#[test]
fn a_screen_that_cannot_be_read_is_refused_with_the_way_out() {
    let shallow = XServer::start_with(320, 240, &["-screen", "0", "320x240x16"]);
    let error = X11Capture::open(shallow.display()).unwrap_err();
    assert!(
        matches!(&error, DesktopError::Unsupported(text) if text.contains("24")),
        "{error:?}"
    );
    let bare = XServer::start_with(320, 240, &["-extension", "Composite"]);
    let error = X11Capture::open(bare.display()).unwrap_err();
    assert!(
        matches!(&error, DesktopError::Unsupported(text) if text.contains("Composite")),
        "{error:?}"
    );
}

#[test]
fn without_shared_memory_pictures_are_the_same() {
    let server = XServer::start_with(320, 240, &["-extension", "MIT-SHM"]);
    let painter = Painter::new(&server);
    let window = painter.window(rect(20, 30, 100, 50), RED);
    let mut capture = X11Capture::open(server.display()).unwrap();
    for step in 0..10 {
        painter.fill(
            window,
            rect(step * 3, step * 2, 9, 9),
            BLUE + step as u32 * 0x1100,
        );
        painter.sync();
        let grab = capture.grab(Region::Screen, None, None).unwrap();
        assert_eq!(*grab.frame, painter.screen());
    }
    let own = capture.grab(Region::Window(window.into()), None, None).unwrap();
    assert_eq!(own.source, rect(20, 30, 100, 50));
}
