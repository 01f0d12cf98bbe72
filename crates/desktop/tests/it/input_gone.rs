//! A server that dies, stops or closes the connection.

use std::time::{Duration, Instant};

use desktop::DesktopError;
use desktop::backend::{Button, Gesture, Holder, Input as _, Pace, Point};
use desktop::x11::X11Input;
use rustix::process::Signal;
use testbed::{XServer, eventually};

use crate::input_witness::Witness;

const ME: Holder = Holder(1);

type Call = Box<dyn Fn(&mut X11Input) -> Result<(), DesktopError> + Send>;

/// Every call, each of which must end with `Gone`.
fn calls() -> Vec<(&'static str, Call)> {
    let at = Point { x: 5, y: 5 };
    let button = Button::Left;
    let perform = |gesture: Gesture| -> Call {
        Box::new(move |input| {
            input.pace(&gesture);
            input.perform(ME, &gesture).map(drop)
        })
    };
    vec![
        ("settle", Box::new(|input| input.settle())),
        ("type", perform(Gesture::Type("hello ж".to_owned()))),
        ("long", perform(Gesture::Type("hello ".repeat(20)))),
        (
            "drag",
            perform(Gesture::Drag {
                from: at,
                to: at,
                button,
                duration: Duration::from_secs(1),
            }),
        ),
        ("key", perform(Gesture::Key("U+1F600".to_owned()))),
    ]
}

#[test]
fn a_dead_server_is_gone_from_every_call() {
    let mut server = XServer::start(320, 240);
    let mut input = X11Input::open(server.display()).unwrap();
    input
        .perform(
            ME,
            &Gesture::ButtonDown {
                at: None,
                button: Button::Left,
            },
        )
        .unwrap();
    server.app().signal(Signal::KILL);
    eventually("the server to end", Duration::from_secs(20), || {
        server.app().exited()
    });
    let began = Instant::now();
    for (name, call) in calls() {
        let gone = call(&mut input);
        assert!(matches!(gone, Err(DesktopError::Gone(_))), "{name}: {gone:?}");
    }
    let at = Point { x: 5, y: 5 };
    for gesture in [Gesture::Move(at), Gesture::Key("a".to_owned())] {
        assert_eq!(input.pace(&gesture), Pace::Immediate, "it fails at once");
        let gone = input.perform(ME, &gesture);
        assert!(matches!(gone, Err(DesktopError::Gone(_))), "{gone:?}");
    }
    assert!(matches!(input.screen_size(), Err(DesktopError::Gone(_))));
    assert!(matches!(input.release(ME), Err(DesktopError::Gone(_))));
    drop(input);
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    assert!(matches!(
        X11Input::open(server.display()),
        Err(DesktopError::Gone(_))
    ));
    assert!(matches!(X11Input::open("no display"), Err(DesktopError::Gone(_))));
}

#[test]
fn a_stopped_server_ends_every_call_in_time() {
    let mut server = XServer::start(320, 240);
    let witness = Witness::new(&server);
    let opened = calls()
        .into_iter()
        .map(|call| (call, X11Input::open(server.display()).unwrap()));
    let opened: Vec<_> = opened.collect();
    server.app().signal(Signal::STOP);
    let threads: Vec<_> = opened
        .into_iter()
        .map(|((name, call), mut input)| {
            let call = move || {
                let began = Instant::now();
                let gone = call(&mut input);
                assert!(matches!(gone, Err(DesktopError::Gone(_))), "{name}: {gone:?}");
                assert!(
                    began.elapsed() < Duration::from_secs(9),
                    "{name}: {:?}",
                    began.elapsed()
                );
                input
            };
            std::thread::Builder::new()
                .name(name.to_owned())
                .spawn(call)
                .unwrap()
        })
        .collect();
    let inputs: Vec<X11Input> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    // Once it goes on, so does everything else.
    server.app().signal(Signal::CONT);
    for mut input in inputs {
        input.settle().unwrap();
        witness.seen();
        input.perform(ME, &Gesture::Type("ok".to_owned())).unwrap();
        input.settle().unwrap();
        assert_eq!(witness.keys(), "ok");
    }
    assert_eq!(witness.held(), (vec![], 0));
}
