//! Pictures of one window.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::Duration;

use desktop::DesktopError;
use desktop::backend::{Capture as _, Region, Size};
use desktop::x11::X11Capture;
use testbed::{XServer, eventually};
use x11rb::protocol::xproto::{
    ClientMessageEvent, ConnectionExt as _, CreateWindowAux, EventMask, InputFocus, WindowClass,
};

use crate::capture_painter::{BLUE, GREEN, Painter, RED, is_all, pixel, rect};

fn region(window: u32) -> Region {
    Region::Window(window.into())
}

#[test]
fn a_covered_window_shows_its_own_pixels() {
    let server = XServer::start(400, 300);
    let painter = Painter::new(&server);
    let mut capture = X11Capture::open(server.display()).unwrap();
    let red = painter.window(rect(50, 40, 120, 90), RED);
    let blue = painter.window(rect(0, 0, 400, 300), BLUE);
    let grab = capture.grab(region(red), None, None).unwrap();
    assert!(is_all(&grab.frame, RED));
    assert_eq!(grab.source, rect(50, 40, 120, 90));
    assert_eq!(grab.screen, Size { w: 400, h: 300 });
    assert!(is_all(
        &capture.grab(region(blue), None, None).unwrap().frame,
        BLUE
    ));
    assert!(is_all(
        &capture.grab(Region::Screen, None, None).unwrap().frame,
        BLUE
    ));
    // Drawing that nobody can see on the screen is seen here.
    painter.fill(red, rect(5, 5, 2, 2), GREEN);
    painter.sync();
    capture.touch();
    let after = capture.grab(region(red), None, Some(grab.generation)).unwrap();
    assert_eq!(pixel(&after.frame, 6, 6), GREEN);
    assert!(after.generation > grab.generation);
    assert_eq!(after.dirty, Some(vec![rect(5, 5, 2, 2)]));
}

#[test]
fn windows_covered_before_the_capture_began_are_whole_too() {
    let server = XServer::start(400, 300);
    let painter = Painter::new(&server);
    let red = painter.window(rect(50, 40, 120, 90), RED);
    painter.window(rect(60, 50, 30, 30), BLUE);
    let mut capture = X11Capture::open(server.display()).unwrap();
    // Its program is asked to draw what was covered (Expose), which for a plain window is its background.
    assert!(is_all(&capture.grab(region(red), None, None).unwrap().frame, RED));
}

#[test]
fn off_screen_and_oversized_windows_are_whole() {
    let server = XServer::start(400, 300);
    let painter = Painter::new(&server);
    let mut capture = X11Capture::open(server.display()).unwrap();
    let window = painter.window(rect(10, 10, 200, 150), RED);
    for place in [
        rect(-150, 20, 200, 150),
        rect(300, 200, 200, 150),
        rect(-50, -60, 1200, 1000),
        rect(-500, -500, 200, 150),
        rect(10, 10, 200, 150),
    ] {
        painter.place(window, place);
        painter.fill(window, rect(0, 0, place.w, place.h), RED);
        painter.fill(window, rect(place.w as i32 - 3, place.h as i32 - 3, 3, 3), GREEN);
        painter.sync();
        let grab = capture.grab(region(window), None, None).unwrap();
        assert_eq!(grab.source, place);
        assert_eq!(
            grab.frame.size(),
            Size {
                w: place.w,
                h: place.h
            }
        );
        assert_eq!(pixel(&grab.frame, 0, 0), RED);
        assert_eq!(pixel(&grab.frame, place.w - 1, place.h - 1), GREEN);
        let screen = capture.grab(Region::Screen, None, None).unwrap();
        assert_eq!(*screen.frame, painter.screen());
        let small = capture.grab(region(window), Some(50), None).unwrap();
        assert_eq!(small.frame.size().w.max(small.frame.size().h), 50);
        assert_eq!(small.source, place);
    }
}

#[test]
fn an_unchanged_window_is_told_without_a_new_picture() {
    let server = XServer::start(400, 300);
    let painter = Painter::new(&server);
    let mut capture = X11Capture::open(server.display()).unwrap();
    let window = painter.window(rect(10, 10, 200, 150), RED);
    let before = capture.grab(region(window), None, None).unwrap();
    let stale = |capture: &mut X11Capture| {
        eventually("the report", Duration::from_secs(10), || {
            capture
                .unchanged(region(window), None)
                .unwrap()
                .is_none()
                .then_some(())
        });
        let grab = capture.grab(region(window), None, None).unwrap();
        assert!(capture.unchanged(region(window), None).unwrap().is_some());
        grab
    };
    let kept = capture.unchanged(region(window), None).unwrap().unwrap();
    assert_eq!(
        (kept.hash, kept.generation, kept.source),
        (before.hash, before.generation, before.source)
    );
    painter.place(window, rect(40, 20, 200, 150));
    painter.sync();
    let moved = stale(&mut capture);
    assert_eq!((moved.hash, moved.generation), (before.hash, before.generation));
    assert_eq!(moved.source, rect(40, 20, 200, 150));
    painter.place(window, rect(40, 20, 180, 150));
    painter.sync();
    let resized = stale(&mut capture);
    assert_ne!(
        (resized.hash, resized.generation),
        (before.hash, before.generation)
    );
    painter.fill(window, rect(0, 0, 1, 1), GREEN);
    painter.sync();
    assert_ne!(stale(&mut capture).hash, resized.hash);
    painter.conn.destroy_window(window).unwrap();
    painter.sync();
    eventually("the window's end", Duration::from_secs(10), || {
        capture
            .unchanged(region(window), None)
            .unwrap()
            .is_none()
            .then_some(())
    });
}

/// The X server gives the ids of a program that has ended to the next one.
#[test]
fn a_window_with_the_id_of_one_that_is_gone_is_watched_anew() {
    let server = XServer::start(400, 300);
    let painter = Painter::new(&server);
    let mut capture = X11Capture::open(server.display()).unwrap();
    let place = rect(10, 10, 200, 150);
    let window = painter.window(place, RED);
    assert!(is_all(
        &capture.grab(region(window), None, None).unwrap().frame,
        RED
    ));
    for colour in [BLUE, GREEN, RED] {
        painter.conn.destroy_window(window).unwrap();
        painter.child_with_id(window, painter.root, place, colour, true);
        painter.conn.map_window(window).unwrap();
        painter.sync();
        capture.touch();
        assert!(is_all(
            &capture.grab(region(window), None, None).unwrap().frame,
            colour
        ));
        // What is drawn into it afterwards is reported too.
        for spot in 0..3 {
            painter.fill(window, rect(spot * 20, 5, 10, 10), 0xff_ffff);
            painter.sync();
            capture.touch();
            let frame = capture.grab(region(window), None, None).unwrap().frame;
            assert_eq!(
                pixel(&frame, spot as u32 * 20 + 1, 6),
                0xff_ffff,
                "{colour:x} {spot}"
            );
        }
    }
}

#[test]
fn what_cannot_be_pictured_says_why() {
    let server = XServer::start(400, 300);
    let painter = Painter::new(&server);
    let mut capture = X11Capture::open(server.display()).unwrap();
    let window = painter.window(rect(10, 10, 200, 150), RED);
    for id in [
        0,
        1,
        0x7fff_ffff,
        u64::from(u32::MAX),
        u64::MAX,
        painter.root.into(),
    ] {
        let error = capture.grab(Region::Window(id), None, None).unwrap_err();
        assert!(
            matches!(error, DesktopError::WindowNotFound(_)),
            "{id}: {error:?}"
        );
    }
    painter.conn.unmap_window(window).unwrap();
    painter.sync();
    let error = capture.grab(region(window), None, None).unwrap_err();
    assert!(
        matches!(&error, DesktopError::CaptureFailed(text) if text.contains("activate_window")),
        "{error:?}"
    );
    let input = x11rb::connection::Connection::generate_id(&painter.conn).unwrap();
    painter
        .conn
        .create_window(
            0,
            input,
            painter.root,
            0,
            0,
            9,
            9,
            0,
            WindowClass::INPUT_ONLY,
            0,
            &CreateWindowAux::new(),
        )
        .unwrap();
    painter.sync();
    let error = capture.grab(region(input), None, None).unwrap_err();
    assert!(matches!(error, DesktopError::CaptureFailed(_)), "{error:?}");
    painter.conn.destroy_window(window).unwrap();
    painter.sync();
    let error = capture.grab(region(window), None, None).unwrap_err();
    assert!(matches!(error, DesktopError::WindowNotFound(_)), "{error:?}");
    // The connection is none the worse for it.
    assert!(capture.grab(Region::Screen, None, None).is_ok());
}

#[test]
fn without_a_window_manager_the_focused_window_is_the_active_one() {
    let server = XServer::start(400, 300);
    let painter = Painter::new(&server);
    let mut capture = X11Capture::open(server.display()).unwrap();
    let error = capture.grab(Region::ActiveWindow, None, None).unwrap_err();
    assert!(matches!(error, DesktopError::WindowNotFound(_)), "{error:?}");
    let red = painter.window(rect(10, 10, 100, 50), RED);
    let blue = painter.window(rect(20, 20, 150, 60), BLUE);
    let inner = painter.child(red, rect(0, 0, 100, 50), RED, true);
    painter.conn.map_window(inner).unwrap();
    let mut last = 0;
    for (focused, colour) in [(inner, RED), (blue, BLUE), (red, RED), (blue, BLUE)] {
        painter
            .conn
            .set_input_focus(InputFocus::PARENT, focused, x11rb::CURRENT_TIME)
            .unwrap();
        painter.sync();
        eventually("the change of focus", Duration::from_secs(10), || {
            capture
                .unchanged(Region::ActiveWindow, None)
                .unwrap()
                .is_none()
                .then_some(())
        });
        let grab = capture.grab(Region::ActiveWindow, None, None).unwrap();
        assert!(is_all(&grab.frame, colour));
        assert!(
            grab.generation > last,
            "the number rises when another window becomes active"
        );
        let kept = capture.unchanged(Region::ActiveWindow, None).unwrap().unwrap();
        assert_eq!((kept.hash, kept.generation), (grab.hash, grab.generation));
        last = grab.generation;
    }
    painter.conn.destroy_window(blue).unwrap();
    painter.sync();
    let error = capture.grab(Region::ActiveWindow, None, None).unwrap_err();
    assert!(matches!(error, DesktopError::WindowNotFound(_)), "{error:?}");
}

#[test]
fn under_a_window_manager_a_picture_is_the_content_without_the_frame() {
    let server = XServer::start(800, 600);
    let _manager = server.window_manager();
    let painter = Painter::new(&server);
    let mut capture = X11Capture::open(server.display()).unwrap();
    let red = painter.managed(rect(100, 100, 200, 150), RED);
    shown(&painter, red);
    let blue = painter.managed(rect(120, 120, 300, 250), BLUE);
    shown(&painter, blue);
    eventually("blue to be the active window", Duration::from_secs(20), || {
        let grab = capture.grab(Region::ActiveWindow, None, None).ok()?;
        is_all(&grab.frame, BLUE).then_some(())
    });
    let grab = capture.grab(region(red), None, None).unwrap();
    assert!(is_all(&grab.frame, RED), "covered, and nothing of the frame");
    assert_eq!(grab.frame.size(), Size { w: 200, h: 150 });
    let at = painter
        .conn
        .translate_coordinates(red, painter.root, 0, 0)
        .unwrap()
        .reply()
        .unwrap();
    assert_eq!((grab.source.x, grab.source.y), (at.dst_x.into(), at.dst_y.into()));
    painter.raise(red);
    painter.sync();
    let screen = eventually("red to be raised", Duration::from_secs(20), || {
        let screen = capture.grab(Region::Screen, None, None).unwrap();
        (pixel(&screen.frame, at.dst_x as u32 + 50, at.dst_y as u32 + 50) == RED).then_some(screen)
    });
    assert_eq!(
        pixel(&screen.frame, at.dst_x as u32, at.dst_y as u32),
        RED,
        "source is where it is"
    );
    minimize(&painter, red);
    eventually("red to be minimized", Duration::from_secs(20), || {
        match capture.grab(region(red), None, None) {
            Err(DesktopError::CaptureFailed(text)) => {
                assert!(text.contains("activate_window"), "{text}");
                Some(())
            }
            Ok(_) => None,
            Err(error) => panic!("{error:?}"),
        }
    });
}

/// Waits until the window manager has put the window on the screen; asks again, since one that is only just starting
/// loses requests.
fn shown(painter: &Painter, window: u32) {
    eventually("the window to be shown", Duration::from_secs(20), || {
        let attributes = painter
            .conn
            .get_window_attributes(window)
            .unwrap()
            .reply()
            .unwrap();
        let parent = painter.conn.query_tree(window).unwrap().reply().unwrap().parent;
        let viewable = attributes.map_state == x11rb::protocol::xproto::MapState::VIEWABLE;
        (viewable && parent != painter.root).then_some(())
    });
}

/// Asks the window manager to iconify (ICCCM, WM_CHANGE_STATE with IconicState).
fn minimize(painter: &Painter, window: u32) {
    let name = painter
        .conn
        .intern_atom(false, b"WM_CHANGE_STATE")
        .unwrap()
        .reply()
        .unwrap()
        .atom;
    let message = ClientMessageEvent::new(32, window, name, [3, 0, 0, 0, 0]);
    let mask = EventMask::SUBSTRUCTURE_NOTIFY | EventMask::SUBSTRUCTURE_REDIRECT;
    painter
        .conn
        .send_event(false, painter.root, mask, message)
        .unwrap();
    painter.sync();
}
