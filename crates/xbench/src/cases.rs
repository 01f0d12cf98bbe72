//! What is measured call by call.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use desktop::backend::{Capture as _, Region};
use desktop::image::{Codec, encode};
use desktop::x11::X11Capture;
use serde_json::{Value, json};

use crate::input::{self, WARMING};
use crate::report::Report;
use crate::rounds::{Case, Effort, run};
use crate::scene::{Painter, Scene};
use crate::socket::{Incoming, Socket};

/// As long as a click's message is.
const EMPTY: &str = r#"{"type":"action","call_id":"c1841","action":{"verb":"click","target":{"kind":"point_px","x":1100,"y":140}}}"#;

/// The reference servers for computer use wait so long after an action before they take the picture, so that the screen
/// can react. The daemon's `observe` waits for that, too, by watching the screen.
const PAUSE: Duration = Duration::from_secs(2);
/// The case with that pause.
const PAUSING: &str = "xdotool click, pause of 2 s, scrot png";

/// A session that several cases use in turn.
pub(crate) type Shared = RefCell<Socket>;

/// Input, answers without pixels, and pictures of a screen with little on it; beside them what people use today.
pub(crate) fn on_a_plain_desktop(scene: &Scene, effort: Effort, report: &mut Report) -> anyhow::Result<()> {
    let session = RefCell::new(scene.session()?);
    let echo = RefCell::new(scene.echo()?);
    check_clicks(scene, &session)?;
    let capture = RefCell::new(X11Capture::open(scene.server.display())?);
    check_pixels(scene, &session, &capture)?;

    let mut cases = vec![Case::new("echo server", effort.calls, || {
        echo.borrow_mut().echo(EMPTY)
    })];
    cases.extend(answers(&session, effort));
    cases.push(code(&session, effort)?);
    cases.extend(input::verbs(&session, effort));
    cases.extend(input::by_hand(&session, &echo, effort));
    cases.extend(input::rested(&session, &echo, effort));
    cases.extend(unmodified(scene, &session, effort)?);
    cases.extend(pictures(
        scene,
        &session,
        &capture,
        effort,
        ["screenshot png, desktop", "screenshot jpeg, desktop"],
        ["by hand png, desktop", "by hand jpeg, desktop"],
    ));
    cases.extend(steps(scene, &session, effort));
    cases.extend(programs(scene, effort));
    run(cases, effort, report)?;
    // What the presses left behind is of no interest.
    scene.painter.presses()?;
    Ok(())
}

/// Pictures of a screen full of text.
pub(crate) fn on_dense_text(scene: &Scene, effort: Effort, report: &mut Report) -> anyhow::Result<()> {
    let _terminal = scene.dense_text()?;
    let session = RefCell::new(scene.session()?);
    let capture = RefCell::new(X11Capture::open(scene.server.display())?);
    scene.painter.change()?;
    check_pixels(scene, &session, &capture)?;
    let mut cases = pictures(
        scene,
        &session,
        &capture,
        effort,
        ["screenshot png, text", "screenshot jpeg, text"],
        ["by hand png, text", "by hand jpeg, text"],
    );
    let file = scene
        .folder
        .path()
        .join("text.png")
        .to_string_lossy()
        .into_owned();
    cases.push(program(scene, "scrot png, text", effort, move |scene| {
        scene.run("scrot", &["--overwrite", &file])
    }));
    run(cases, effort, report)
}

/// Answers without pixels.
fn answers<'a>(session: &'a Shared, effort: Effort) -> Vec<Case<'a>> {
    let clip = json!({"verb": "clipboard_set", "text": "Zwölf Boxkämpfer"});
    vec![
        Case::new("WebSocket ping of the daemon", effort.calls, || {
            session.borrow_mut().control_ping()
        }),
        Case::new("ping", effort.calls, || session.borrow_mut().ping()),
        Case::new("query screen_size", effort.calls, || {
            Ok(session.borrow_mut().query("screen_size")?.0)
        }),
        Case::new("query list_windows", effort.calls, || {
            Ok(session.borrow_mut().query("list_windows")?.0)
        }),
        Case::new("clipboard_set", effort.calls, move || {
            Ok(session.borrow_mut().act(&clip)?.0)
        }),
        Case::new("clipboard_get", effort.calls, || {
            Ok(session.borrow_mut().act(&json!({"verb": "clipboard_get"}))?.0)
        }),
    ]
}

/// A picture that the client has already.
fn unmodified<'a>(scene: &'a Scene, session: &'a Shared, effort: Effort) -> anyhow::Result<Vec<Case<'a>>> {
    let ask = |session: &Shared, hash: &str| {
        let (time, answer) = session
            .borrow_mut()
            .act(&json!({"verb": "screenshot", "if_none_match": hash}))?;
        ensure!(
            answer.value()["not_modified"] == true,
            "it was modified: {answer:?}"
        );
        Ok(time)
    };
    // Other cases change the screen, so every measurement begins with its present hash; the same question is asked before,
    // since taking the picture has left the processor busy with other things.
    let present = move |session: &Shared| {
        let hash = frame_hash(session)?;
        for _ in 0..WARMING {
            ask(session, &hash)?;
        }
        anyhow::Ok(hash)
    };
    Ok(vec![
        Case::new("not_modified, no damage", effort.calls / 3, move || {
            let hash = present(session)?;
            ask(session, &hash)
        }),
        Case::new(
            "not_modified, damage without a change",
            effort.calls / 3,
            move || {
                let hash = present(session)?;
                scene.painter.repaint()?;
                ask(session, &hash)
            },
        ),
    ])
}

/// Pictures after a change, by the daemon and by hand.
fn pictures<'a>(
    scene: &'a Scene,
    session: &'a Shared,
    capture: &'a RefCell<X11Capture>,
    effort: Effort,
    ours: [&'static str; 2],
    by_hand: [&'static str; 2],
) -> Vec<Case<'a>> {
    let codecs = [Codec::Png, Codec::Jpeg { quality: 80 }];
    let specs = [
        json!({"verb": "screenshot", "format": "png"}),
        json!({"verb": "screenshot", "format": "jpeg", "quality": 80}),
    ];
    let mut cases = Vec::new();
    for ((ours, by_hand), (codec, spec)) in ours.into_iter().zip(by_hand).zip(codecs.into_iter().zip(specs)) {
        cases.push(Case::new(ours, effort.pictures, move || {
            scene.painter.change()?;
            let (time, answer) = session.borrow_mut().act(&spec)?;
            ensure!(matches!(answer, Incoming::Binary(..)), "no picture: {answer:?}");
            Ok(time)
        }));
        cases.push(Case::new(by_hand, effort.pictures, move || {
            scene.painter.change()?;
            let start = Instant::now();
            let grab = capture.borrow_mut().grab(Region::Screen, None, None)?;
            let bytes = encode(&grab.frame, codec)?;
            let time = start.elapsed();
            ensure!(!bytes.is_empty(), "an empty picture");
            Ok(time)
        }));
    }
    cases
}

/// An act and a look at what it did, in one call and by programs as computer-use servers do it.
fn steps<'a>(scene: &'a Scene, session: &'a Shared, effort: Effort) -> Vec<Case<'a>> {
    let (x, y) = Painter::POINT;
    let click = input::click();
    let key = json!({"verb": "key", "keys": "a"});
    let ours = |name, action: &Value, format: &str| {
        let mut action = action.clone();
        action["observe"] = json!({"format": format});
        Case::new(name, effort.pictures, move || {
            let mut session = session.borrow_mut();
            session.act(&json!({"verb": "wait", "ms": 0}))?;
            scene.painter.change()?;
            session.act_and_observe(&action)
        })
    };
    let theirs = |name, file: &str, pause: Duration, times| {
        let path = scene.folder.path().join(file);
        let [x, y] = [x, y].map(|edge| edge.to_string());
        let effort = Effort {
            programs: times,
            ..effort
        };
        program(scene, name, effort, move |scene| {
            scene.run("xdotool", &["mousemove", &x, &y, "click", "1"])?;
            std::thread::sleep(pause);
            scene.run(
                "scrot",
                &["--overwrite", "--quality", "80", &path.to_string_lossy()],
            )?;
            let bytes = std::fs::read(&path).context("scrot wrote nothing")?;
            ensure!(!bytes.is_empty(), "scrot wrote an empty file");
            Ok(())
        })
    };
    vec![
        ours("click + observe jpeg, nothing reacts", &click, "jpeg"),
        ours("click + observe png, nothing reacts", &click, "png"),
        ours("key + observe png, a terminal reacts", &key, "png"),
        theirs(
            "xdotool click + scrot jpeg",
            "step.jpg",
            Duration::ZERO,
            effort.programs,
        ),
        theirs(
            "xdotool click + scrot png",
            "step.png",
            Duration::ZERO,
            effort.programs,
        ),
        theirs(PAUSING, "pause.png", PAUSE, 1),
    ]
}

/// A cell of Python that does next to nothing, in an interpreter that has started.
fn code(session: &Shared, effort: Effort) -> anyhow::Result<Case<'_>> {
    let cell = json!({"verb": "run", "code": "1"});
    session.borrow_mut().act(&cell)?;
    Ok(Case::new("run 1", effort.calls, move || {
        Ok(session.borrow_mut().act(&cell)?.0)
    }))
}

/// What people use today, one call each.
fn programs<'a>(scene: &'a Scene, effort: Effort) -> Vec<Case<'a>> {
    let (x, y) = Painter::POINT;
    let [x, y] = [x, y].map(|edge| edge.to_string());
    let [scrot, import] = ["scrot.png", "import.png"].map(|file| {
        let path = scene.folder.path().join(file);
        path.to_string_lossy().into_owned()
    });
    vec![
        program(scene, "xdotool mousemove", effort, move |scene| {
            scene.run("xdotool", &["mousemove", &x, &y])
        }),
        program(scene, "xdotool click", effort, |scene| {
            scene.run("xdotool", &["click", "1"])
        }),
        program(scene, "xdotool key", effort, |scene| {
            scene.run("xdotool", &["key", "a"])
        }),
        program(scene, "xdotool type, twenty letters", effort, |scene| {
            scene.run("xdotool", &["type", "the quick brown fox "])
        }),
        program(scene, "scrot png, desktop", effort, move |scene| {
            scene.run("scrot", &["--overwrite", &scrot])
        }),
        program(scene, "import png, desktop", effort, move |scene| {
            scene.run("import", &["-window", "root", &import])
        }),
    ]
}

fn program<'a>(
    scene: &'a Scene,
    name: &'static str,
    effort: Effort,
    work: impl Fn(&Scene) -> anyhow::Result<()> + 'a,
) -> Case<'a> {
    Case::new(name, effort.programs, move || {
        let start = Instant::now();
        work(scene)?;
        Ok(start.elapsed())
    })
}

/// The hash of what the screen shows now.
fn frame_hash(session: &Shared) -> anyhow::Result<String> {
    let (_, answer) = session
        .borrow_mut()
        .act(&json!({"verb": "screenshot", "format": "jpeg", "max_long_edge": 4096}))?;
    let hash = answer.value()["frame_hash"]
        .as_str()
        .context("a picture without a hash")?;
    Ok(hash.to_owned())
}

/// That clicks are really clicks: each arrives at the window it was sent to.
fn check_clicks(scene: &Scene, session: &Shared) -> anyhow::Result<()> {
    scene.painter.presses()?;
    for _ in 0..5 {
        session.borrow_mut().act(&input::click())?;
    }
    let mut presses = 0;
    testbed::eventually("five clicks to arrive", Duration::from_secs(20), || {
        presses += scene.painter.presses().ok()?;
        (presses == 5).then_some(())
    });
    Ok(())
}

/// That the daemon and this program take a picture of the same pixels.
fn check_pixels(scene: &Scene, session: &Shared, capture: &RefCell<X11Capture>) -> anyhow::Result<()> {
    scene.wait_for_rest()?;
    let theirs = frame_hash(session)?;
    let ours = capture
        .borrow_mut()
        .grab(Region::Screen, None, None)?
        .hash
        .to_string();
    ensure!(ours == theirs, "the daemon sees {theirs}, this program {ours}");
    Ok(())
}
