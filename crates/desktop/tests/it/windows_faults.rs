//! Windows that come and go at any moment, and X servers that go.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use desktop::DesktopError;
use desktop::backend::Windows as _;
use desktop::x11::X11Windows;
use rustix::process::Signal;
use testbed::{XServer, eventually};
use x11rb::protocol::xproto::ConnectionExt as _;

use crate::capture_painter::{Painter, RED, rect};
use crate::windows_stage::{LONG, show, top_level};

/// How long windows come and go.
const STORM: Duration = Duration::from_secs(3);

fn storm(server: &XServer, newest: &AtomicU32, over: &AtomicBool) {
    let painter = Painter::new(server);
    while !over.load(Ordering::Relaxed) {
        let window = painter.managed(rect(10, 10, 60, 50), RED);
        newest.store(window, Ordering::Relaxed);
        painter.sync();
        painter.conn.destroy_window(window).unwrap();
        painter.sync();
    }
}

fn check(server: &XServer) {
    let mut windows = X11Windows::open(server.display()).unwrap();
    let painter = Painter::new(server);
    let steady = top_level(&painter, rect(20, 20, 60, 50));
    show(&painter, &mut windows, &[steady]);
    let (newest, over) = (AtomicU32::new(1), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| storm(server, &newest, &over));
        }
        let end = Instant::now() + STORM;
        while Instant::now() < end {
            let list = windows.list();
            let activated = windows.activate(newest.load(Ordering::Relaxed).into());
            let good = matches!(&list, Ok(list) if list.iter().any(|window| window.id == u64::from(steady)))
                && matches!(activated, Ok(()) | Err(DesktopError::WindowNotFound(_)));
            if !good {
                over.store(true, Ordering::Relaxed);
                panic!("{list:?} {activated:?}");
            }
        }
        over.store(true, Ordering::Relaxed);
    });
    eventually("the others to be gone", LONG, || {
        (windows.list().unwrap().len() == 1).then_some(())
    });
    windows.activate(steady.into()).unwrap();
    assert!(windows.list().unwrap()[0].focused);
}

#[test]
fn closing_windows_do_no_harm() {
    check(&XServer::start(320, 240));
}

#[test]
fn closing_managed_windows_do_no_harm() {
    let server = XServer::start(320, 240);
    let _manager = server.window_manager();
    check(&server);
}

fn assert_gone<R: std::fmt::Debug>(call: impl FnOnce() -> Result<R, DesktopError>) {
    let begun = Instant::now();
    let outcome = call();
    assert!(matches!(outcome, Err(DesktopError::Gone(_))), "{outcome:?}");
    assert!(begun.elapsed() < LONG, "{:?}", begun.elapsed());
}

#[test]
fn an_x_server_that_goes_ends_every_call() {
    for signal in [Signal::KILL, Signal::STOP] {
        let mut server = XServer::start(320, 240);
        let painter = Painter::new(&server);
        let window = painter.window(rect(10, 10, 60, 50), RED);
        let mut windows = X11Windows::open(server.display()).unwrap();
        server.app().signal(signal);
        if signal == Signal::KILL {
            eventually("the X server to end", LONG, || server.app().exited());
        }
        assert_gone(|| windows.list());
        assert_gone(|| windows.activate(window.into()));
        if signal == Signal::KILL {
            assert_gone(|| X11Windows::open(server.display()));
        }
        if signal == Signal::STOP {
            server.app().signal(Signal::CONT);
            eventually("the X server to answer again", LONG, || {
                windows.list().is_ok_and(|list| list.is_empty()).then_some(())
            });
        }
    }
}
