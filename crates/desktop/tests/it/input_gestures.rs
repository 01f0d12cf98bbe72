//! Double clicks, drags and the wheel, as programs of the usual toolkits understand them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::Duration;

use desktop::backend::{Button, Gesture, Point};
use testbed::{SessionBus, XServer};

use crate::input_programs::{Folder, Program, Stage, browser, featherpad, mousepad};

const PATIENCE: Duration = Duration::from_secs(30);
/// Presses that are further apart than this are counted anew by every toolkit.
const MULTI_CLICK: Duration = Duration::from_millis(800);
const LINE: &str = "word word word word word word word word word word word word word\n";

/// An editor full of one word.
fn editor(name: &str, start: fn(&XServer, &SessionBus, &Folder) -> Program) -> Stage {
    let folder = Folder::new(name);
    std::fs::write(folder.file("typed.txt"), LINE.repeat(60)).unwrap();
    Stage::within(folder, start)
}

fn click(at: Point, count: u8) -> Gesture {
    Gesture::Click {
        at,
        button: Button::Left,
        count,
    }
}

/// Waits until the saved text is as it should be.
#[track_caller]
fn saved(stage: &mut Stage, what: &str, right: impl Fn(&str) -> bool) -> String {
    let within = std::time::Instant::now() + PATIENCE;
    stage.save();
    loop {
        let text = stage.program.text();
        if right(&text) {
            return text;
        }
        assert!(std::time::Instant::now() < within, "{what}: {text}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn check_editor(name: &str, start: fn(&XServer, &SessionBus, &Folder) -> Program) {
    let mut stage = editor(name, start);
    let middle = stage.middle();
    let words = 60 * 13;
    stage.perform(click(middle, 2));
    stage.type_text("X");
    saved(&mut stage, "a double click selects one word", |text| {
        text.matches("word").count() == words - 1 && text.matches(" X ").count() == 1
    });
    // Along the line: what was passed is selected.
    let from = Point {
        x: middle.x - 100,
        y: middle.y - 60,
    };
    let to = Point {
        x: middle.x + 100,
        y: middle.y - 60,
    };
    stage.perform(Gesture::Drag {
        from,
        to,
        button: Button::Left,
        duration: Duration::ZERO,
    });
    stage.type_text("Y");
    let text = saved(&mut stage, "a drag selects", |text| {
        text.matches('Y').count() == 1
    });
    let gone = words - 1 - text.matches("word").count();
    assert!((2..=12).contains(&gone), "{gone} words are gone");
    // A selected word goes where it is dropped.
    let lines = |text: &str| {
        text.lines()
            .map(|line| line.matches("word").count())
            .collect::<Vec<_>>()
    };
    let before = lines(&text);
    for (duration, from, to) in [(0, 40, 100), (500, 70, 10)] {
        let (from, to) = (
            Point {
                y: middle.y + from,
                ..middle
            },
            Point {
                y: middle.y + to,
                ..middle
            },
        );
        stage.perform(click(from, 2));
        // A third press at once would be a triple click.
        std::thread::sleep(MULTI_CLICK);
        let duration = Duration::from_millis(duration);
        stage.perform(Gesture::Drag {
            from,
            to,
            button: Button::Left,
            duration,
        });
        // The two ends of a drop talk with each other for a while after the button is up.
        std::thread::sleep(MULTI_CLICK);
    }
    let after = saved(&mut stage, "a drag moves", |text| {
        let after = lines(text);
        let changed = before
            .iter()
            .zip(&after)
            .filter(|(before, after)| before != after)
            .count();
        changed == 4 && after.len() == before.len()
    });
    assert_eq!(after.len(), text.len(), "nothing is lost and nothing is added");
}

#[test]
fn gtk_sees_double_clicks_and_drags() {
    check_editor("gestures-mousepad", mousepad);
}

#[test]
fn qt_sees_double_clicks_and_drags() {
    check_editor("gestures-featherpad", featherpad);
}

const PAGE: &str = "<!doctype html><meta charset=utf-8><title>gestures</title>
<style>body { margin: 0 } div { position: fixed; top: 0; height: 100%; width: 50% }</style>
<div id=a draggable=true style='left: 0; background: #8cf'>here</div>
<div id=b style='left: 50%; background: #fc8'>there</div>
<script>
let log = '';
let sending = Promise.resolve();
const tell = word => {
  log += word + ' ';
  const now = log;
  sending = sending.then(() => fetch('/typed', {method: 'POST', body: now}));
};
let listening = false;
onkeydown = () => { if (!listening) { listening = true; fetch('/typed', {method: 'POST', body: ''}); } };
a.ondragstart = event => { event.dataTransfer.setData('text/plain', 'it'); tell('dragstart'); };
b.ondragover = event => event.preventDefault();
b.ondrop = event => { event.preventDefault(); tell('drop:' + event.dataTransfer.getData('text/plain')); };
a.ondragend = () => tell('dragend');
onclick = event => tell('click' + event.detail);
ondblclick = () => tell('dblclick');
oncontextmenu = event => { event.preventDefault(); tell('menu'); };
let turned = 0, step, timer;
onwheel = event => {
  // The first is one step; later ones may be put together.
  step = step || Math.abs(event.deltaY);
  turned += Math.round(event.deltaY / step) + 10 * Math.round(event.deltaX / step);
  clearTimeout(timer);
  timer = setTimeout(() => { tell('wheel' + turned); turned = 0; }, 300);
};
</script>";

fn page(server: &XServer, bus: &SessionBus, folder: &Folder) -> Program {
    browser(server, bus, folder, PAGE)
}

#[test]
fn chromium_sees_double_clicks_drags_and_the_wheel() {
    let mut stage = Stage::new("gestures-chromium", page);
    let mut log = String::new();
    let middle = stage.middle();
    let (left, right) = (
        Point {
            x: middle.x - 100,
            ..middle
        },
        Point {
            x: middle.x + 100,
            ..middle
        },
    );
    let button = Button::Left;
    let drag = |millis| Gesture::Drag {
        from: left,
        to: right,
        button,
        duration: Duration::from_millis(millis),
    };
    for (gesture, words) in [
        (click(left, 1), "click1 "),
        (
            Gesture::Click {
                at: left,
                button: Button::Right,
                count: 1,
            },
            "menu ",
        ),
        (click(right, 2), "click1 click2 dblclick "),
        (drag(0), "dragstart drop:it dragend "),
        (drag(800), "dragstart drop:it dragend "),
        (
            Gesture::Scroll {
                at: right,
                dx: 0.0,
                dy: 120.0,
            },
            "wheel1 ",
        ),
        (
            Gesture::Scroll {
                at: right,
                dx: 120.0,
                dy: -360.0,
            },
            "wheel7 ",
        ),
    ] {
        log.push_str(words);
        // A second press at the same place at once would be a double click.
        std::thread::sleep(MULTI_CLICK);
        stage.perform(gesture);
        let heard = || (stage.program.text() == log).then_some(());
        let said = || format!("{log:?}, heard {:?}", stage.program.text());
        let within = std::time::Instant::now() + PATIENCE;
        while heard().is_none() {
            assert!(std::time::Instant::now() < within, "{}", said());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
