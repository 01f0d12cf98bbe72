//! Gestures of the pointer, as a window receives them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::{Duration, Instant};

use desktop::DesktopError;
use desktop::backend::{Button, Gesture, Holder, Input as _, Pace, Point};
use desktop::x11::X11Input;
use testbed::XServer;

use crate::input_witness::{Seen, What, Witness};

const ME: Holder = Holder(1);
const OTHER: Holder = Holder(2);

struct Stage {
    input: X11Input,
    witness: Witness,
    _server: XServer,
}

fn stage() -> Stage {
    let server = XServer::start(400, 300);
    let witness = Witness::new(&server);
    let input = X11Input::open(server.display()).unwrap();
    Stage {
        input,
        witness,
        _server: server,
    }
}

fn at(x: i32, y: i32) -> Point {
    Point { x, y }
}

impl Stage {
    fn perform(&mut self, gesture: Gesture) -> Vec<Seen> {
        self.by(ME, gesture)
    }

    fn by(&mut self, holder: Holder, gesture: Gesture) -> Vec<Seen> {
        self.input.perform(holder, &gesture).unwrap();
        self.input.settle().unwrap();
        self.witness.seen()
    }

    fn scroll(&mut self, holder: Holder, dx: f64, dy: f64) -> Vec<u8> {
        let seen = self.by(holder, Gesture::Scroll { at: at(5, 5), dx, dy });
        seen.iter()
            .filter_map(|seen| match seen.what {
                What::Press(button) => Some(button),
                _ => None,
            })
            .collect()
    }
}

fn whats(seen: &[Seen]) -> Vec<What> {
    seen.iter().map(|seen| seen.what).collect()
}

#[test]
fn clicks_have_a_place_and_a_length() {
    let mut stage = stage();
    for (button, number) in [(Button::Left, 1), (Button::Middle, 2), (Button::Right, 3)] {
        let gesture = Gesture::Click {
            at: at(100 + i32::from(number), 50),
            button,
            count: 1,
        };
        assert_eq!(stage.input.pace(&gesture), Pace::Immediate);
        let seen = stage.perform(gesture);
        assert_eq!(
            whats(&seen),
            [What::Motion, What::Press(number), What::Release(number)]
        );
        assert!(
            seen.iter().all(|seen| seen.at == (100 + i16::from(number), 50)),
            "{seen:?}"
        );
        assert!(seen[2].time - seen[1].time >= 15, "{seen:?}");
    }
    let seen = stage.perform(Gesture::Click {
        at: at(0, 0),
        button: Button::Left,
        count: 2,
    });
    let (press, release) = (What::Press(1), What::Release(1));
    assert_eq!(whats(&seen), [What::Motion, press, release, press, release]);
    assert!(seen[3].time - seen[2].time >= 40, "{seen:?}");
}

#[test]
fn a_gesture_costs_its_caller_no_wait() {
    let mut stage = stage();
    let before = Instant::now();
    let click = Gesture::Click {
        at: at(3, 3),
        button: Button::Left,
        count: 2,
    };
    let effective = stage.input.perform(ME, &click).unwrap();
    assert!(
        effective >= before + Duration::from_millis(110),
        "the server is still at it"
    );
    assert!(effective <= Instant::now() + Duration::from_millis(250));
    stage.input.settle().unwrap();
    assert!(
        Instant::now() + Duration::from_millis(20) >= effective,
        "settling waits for the release"
    );
    assert_eq!(stage.witness.seen().len(), 5);
}

#[test]
fn more_than_a_quarter_of_a_second_ahead_is_for_those_who_may_block() {
    let mut stage = stage();
    let click = Gesture::Click {
        at: at(3, 3),
        button: Button::Left,
        count: 1,
    };
    let mut immediate = 0;
    while stage.input.pace(&click) == Pace::Immediate && immediate < 1_000 {
        stage.input.perform(ME, &click).unwrap();
        immediate += 1;
    }
    assert!((5..1_000).contains(&immediate), "{immediate}");
    for _ in 0..20 {
        let effective = stage.input.perform(ME, &click).unwrap();
        assert!(effective <= Instant::now() + Duration::from_millis(251));
    }
    stage.input.settle().unwrap();
    let presses = stage
        .witness
        .seen()
        .iter()
        .filter(|seen| seen.what == What::Press(1))
        .count();
    assert_eq!(presses, immediate + 20);
}

#[test]
fn a_point_off_the_screen_is_refused_before_anything_is_sent() {
    let mut stage = stage();
    stage.perform(Gesture::Move(at(10, 10)));
    for off in [
        at(-1, 0),
        at(0, -1),
        at(400, 0),
        at(0, 300),
        at(i32::MAX, 5),
        at(5, i32::MIN),
        at(65_536, 0),
    ] {
        let (button, near) = (Button::Left, at(1, 1));
        for gesture in [
            Gesture::Move(off),
            Gesture::Click {
                at: off,
                button,
                count: 1,
            },
            Gesture::ButtonDown {
                at: Some(off),
                button,
            },
            Gesture::ButtonUp {
                at: Some(off),
                button,
            },
            Gesture::Drag {
                from: near,
                to: off,
                button,
                duration: Duration::ZERO,
            },
            Gesture::Drag {
                from: off,
                to: near,
                button,
                duration: Duration::ZERO,
            },
            Gesture::Scroll {
                at: off,
                dx: 0.0,
                dy: 120.0,
            },
        ] {
            let refused = stage.input.perform(ME, &gesture);
            assert!(
                matches!(refused, Err(DesktopError::Invalid(_))),
                "{gesture:?}: {refused:?}"
            );
        }
    }
    stage.input.settle().unwrap();
    assert_eq!(stage.witness.seen(), []);
    let seen = stage.perform(Gesture::Move(at(399, 299)));
    assert_eq!(seen[0].at, (399, 299));
}

#[test]
fn a_drag_moves_in_a_straight_line_and_ends_where_it_should() {
    let mut stage = stage();
    for (to, millis) in [
        (at(300, 120), 0),
        (at(23, 20), 0),
        (at(20, 20), 0),
        (at(300, 250), 400),
    ] {
        let from = at(20, 20);
        let before = Instant::now();
        let duration = Duration::from_millis(millis);
        let seen = stage.perform(Gesture::Drag {
            from,
            to,
            button: Button::Left,
            duration,
        });
        assert!(before.elapsed() < Duration::from_secs(5));
        let press = seen.iter().position(|seen| seen.what == What::Press(1)).unwrap();
        let last = seen.last().unwrap();
        assert_eq!(seen[press].at, (20, 20));
        assert_eq!(
            (last.what, last.at),
            (What::Release(1), (to.x as i16, to.y as i16))
        );
        assert!(last.time - seen[press].time >= 60 + millis as u32, "{seen:?}");
        let moves = &seen[press + 1..seen.len() - 1];
        assert!(moves.iter().all(|seen| seen.what == What::Motion));
        let wanted = if to.x == 300 { 7 } else { (to.x - 20) as usize };
        assert!(moves.len() >= wanted, "{moves:?}");
        for seen in moves {
            let along = f64::from(seen.at.0 - 20) * f64::from(to.y - 20);
            let across = f64::from(seen.at.1 - 20) * f64::from(to.x - 20);
            assert!(
                (along - across).abs() <= f64::from((to.x - 20).max(to.y - 20)) + 1.0,
                "{seen:?}"
            );
        }
        assert_eq!(stage.witness.held(), (vec![], 0));
    }
}

#[test]
fn the_wheel_turns_by_whole_steps_and_keeps_the_rest() {
    let mut stage = stage();
    assert_eq!(stage.scroll(ME, 0.0, 240.0), [5, 5]);
    assert_eq!(stage.scroll(ME, 0.0, -120.0), [4]);
    assert_eq!(stage.scroll(ME, 120.0, 0.0), [7]);
    assert_eq!(stage.scroll(ME, -240.0, 120.0), [5, 6, 6]);
    assert_eq!(stage.scroll(ME, 0.0, 0.0), []);
    assert_eq!(stage.scroll(ME, 0.0, 50.0), []);
    assert_eq!(stage.scroll(OTHER, 0.0, 80.0), [], "each holder has its own rest");
    assert_eq!(stage.scroll(ME, 0.0, 70.0), [5]);
    assert_eq!(stage.scroll(ME, 40.0, 100.0), []);
    stage.input.release(ME).unwrap();
    assert_eq!(stage.scroll(ME, 80.0, 20.0), [], "a released holder starts anew");
    assert_eq!(stage.scroll(OTHER, 0.0, 40.0), [5]);
    assert_eq!(stage.scroll(ME, 0.0, 120.0 * 3_000.0).len(), 3_000);
    for wrong in [f64::NAN, f64::INFINITY, 120.0 * 10_002.0, -1e300] {
        for (dx, dy) in [(wrong, 0.0), (0.0, wrong)] {
            let refused = stage.input.perform(ME, &Gesture::Scroll { at: at(5, 5), dx, dy });
            assert!(
                matches!(refused, Err(DesktopError::Invalid(_))),
                "{wrong}: {refused:?}"
            );
        }
    }
}

#[test]
fn a_holder_that_goes_lets_go_of_its_own_buttons_only() {
    let mut stage = stage();
    stage.perform(Gesture::ButtonDown {
        at: Some(at(7, 8)),
        button: Button::Left,
    });
    stage.by(
        OTHER,
        Gesture::ButtonDown {
            at: None,
            button: Button::Right,
        },
    );
    assert_eq!(stage.witness.held().1, 0x500);
    stage.input.release(Holder(3)).unwrap();
    stage.input.release(ME).unwrap();
    stage.input.settle().unwrap();
    assert_eq!(stage.witness.held().1, 0x400);
    stage.by(
        OTHER,
        Gesture::ButtonUp {
            at: Some(at(9, 9)),
            button: Button::Right,
        },
    );
    assert_eq!(stage.witness.held().1, 0);
    stage.witness.seen();
    stage.input.release(OTHER).unwrap();
    stage.input.settle().unwrap();
    assert_eq!(
        stage.witness.seen(),
        [],
        "what is up already is not released again"
    );
}

#[test]
fn nothing_stays_down_when_the_owner_ends_or_is_killed() {
    let server = XServer::start(400, 300);
    let witness = Witness::new(&server);
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
    drop(input);
    testbed::eventually("the button to come up", Duration::from_secs(20), || {
        (witness.held().1 == 0).then_some(())
    });
    // xdotool leaves these as a killed owner would.
    let mut command = server.command("xdotool");
    assert!(
        command
            .args(["keydown", "ctrl", "keydown", "Delete", "mousedown", "3"])
            .status()
            .unwrap()
            .success()
    );
    let (keys, mask) = witness.held();
    assert_eq!((keys.len(), mask & 0x400), (2, 0x400));
    let mut input = X11Input::open(server.display()).unwrap();
    assert_eq!(witness.held(), (vec![], 0));
    witness.seen();
    input.perform(ME, &Gesture::Key("a".to_owned())).unwrap();
    input.settle().unwrap();
    assert_eq!(witness.keys(), "a");
}

#[test]
fn the_size_follows_the_screen() {
    let server = XServer::start(800, 600);
    let mut input = X11Input::open(server.display()).unwrap();
    assert_eq!(input.screen_size(), Ok((800, 600)));
    let timings = ["640", "0", "0", "0", "480", "0", "0", "0"];
    let commands: [&[&str]; 3] = [
        &["--newmode", "small", "0"],
        &["--addmode", "screen", "small"],
        &["--output", "screen", "--mode", "small"],
    ];
    for (nth, args) in commands.into_iter().enumerate() {
        let mut command = server.command("xrandr");
        command.args(args).args(if nth == 0 { &timings[..] } else { &[] });
        assert!(command.status().unwrap().success(), "{args:?}");
    }
    testbed::eventually("the size to change", Duration::from_secs(20), || {
        (input.screen_size() == Ok((640, 480))).then_some(())
    });
    assert!(input.perform(ME, &Gesture::Move(at(700, 100))).is_err());
    assert!(input.perform(ME, &Gesture::Move(at(639, 479))).is_ok());
}
