//! Pictures while windows come and go at any moment.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use desktop::DesktopError;
use desktop::backend::{Capture as _, Region};
use desktop::x11::X11Capture;
use testbed::XServer;
use x11rb::protocol::xproto::{ConnectionExt as _, InputFocus};

use crate::capture_painter::{Painter, RED, is_all, rect};

/// How long the storm lasts. A longer one finds no more: each round takes well under a millisecond.
const STORM: Duration = Duration::from_secs(4);

/// Opens, moves, resizes and closes windows until told to stop; `newest` is the id of the one there is.
fn storm(server: &XServer, newest: &AtomicU32, over: &AtomicBool, managed: bool) {
    let painter = Painter::new(server);
    let mut round = 0_u32;
    while !over.load(Ordering::Relaxed) {
        round += 1;
        let place = rect(
            (round % 200) as i32 - 50,
            (round % 70) as i32,
            40 + round % 60,
            30 + round % 50,
        );
        let window = if managed {
            painter.managed(place, RED)
        } else {
            painter.window(place, RED)
        };
        newest.store(window, Ordering::Relaxed);
        if round.is_multiple_of(3) {
            painter.place(window, rect(place.y, place.x, place.h, place.w));
        }
        // The window may be gone or not mapped yet, which is an error that nobody waits for.
        painter
            .conn
            .set_input_focus(InputFocus::PARENT, window, x11rb::CURRENT_TIME)
            .unwrap()
            .ignore_error();
        painter.sync();
        painter.conn.destroy_window(window).unwrap().ignore_error();
        painter.sync();
    }
}

fn check(server: &XServer, managed: bool) {
    let mut capture = X11Capture::open(server.display()).unwrap();
    let (newest, over) = (AtomicU32::new(0), AtomicBool::new(false));
    let (mut pictures, mut misses) = (0, 0);
    std::thread::scope(|scope| {
        let windows = scope.spawn(|| storm(server, &newest, &over, managed));
        let end = Instant::now() + STORM;
        // One good picture at least, however slow the machine is; the test's own end is the deadline of `windows`.
        while Instant::now() < end || (pictures == 0 && !windows.is_finished()) {
            let id = newest.load(Ordering::Relaxed);
            for region in [Region::Window(id.into()), Region::ActiveWindow, Region::Screen] {
                capture.touch();
                let taken = capture.unchanged(region, Some(64)).and_then(|kept| match kept {
                    Some(kept) => Ok(kept),
                    None => capture.grab(region, None, None),
                });
                match taken {
                    Ok(grab) if region == Region::Window(id.into()) => {
                        assert!(is_all(&grab.frame, RED), "only its own pixels, {:?}", grab.source);
                        pictures += 1;
                    }
                    Ok(grab) => assert_eq!(grab.frame.size().w, grab.source.w),
                    Err(DesktopError::WindowNotFound(_) | DesktopError::CaptureFailed(_))
                        if region != Region::Screen =>
                    {
                        misses += 1;
                    }
                    Err(error) => {
                        over.store(true, Ordering::Relaxed);
                        panic!("{region:?}: {error:?}");
                    }
                }
            }
        }
        over.store(true, Ordering::Relaxed);
    });
    assert!(pictures > 0, "{misses} misses and no picture");
    let painter = Painter::new(server);
    let last = capture.grab(Region::Screen, None, None).unwrap();
    assert!(last.frame.size() == painter.screen().size());
}

#[test]
fn closing_windows_give_pictures_or_typed_errors() {
    let server = XServer::start(320, 240);
    check(&server, false);
}

#[test]
fn closing_managed_windows_give_pictures_or_typed_errors() {
    let server = XServer::start(320, 240);
    let _manager = server.window_manager();
    check(&server, true);
}
