//! How good the regions are that are guessed from pixels (crate `marks`): real programs that do have an accessibility tree are
//! looked at both ways, and the guesses are held against what the tree says is there.
//!
//! A control counts as found where a mark has its centre in it, or has most of its area in common with it (intersection over
//! union of at least 0.3). A mark is right where it is so for a control or a text.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use desktop::backend::{Capture as _, Region, Size};
use desktop::image::{Codec, Frame, encode};
use desktop::x11::X11Capture;
use marks::overlay::{Mark, draw};
use marks::{Kind, Picture, Rect};
use serde_json::{Value, json};
use testbed::{App, Daemon, TOKEN, XServer, eventually};

use crate::socket::Socket;

const SIZE: (u32, u32) = (1280, 800);
const PATIENCE: Duration = Duration::from_secs(40);
/// From here on two areas are the same thing.
const SAME: f64 = 0.3;

/// What people use, by the role that the tree gives it. Scroll bars are left out: an agent has the wheel.
const CONTROLS: &[&str] = &[
    "button",
    "check-box",
    "check-menu-item",
    "combo-box",
    "entry",
    "icon",
    "link",
    "list-item",
    "menu",
    "menu-item",
    "page-tab",
    "password-text",
    "push-button",
    "radio-button",
    "radio-menu-item",
    "slider",
    "spin-button",
    "switch",
    "table-cell",
    "table-column-header",
    "toggle-button",
    "tree-item",
];
/// What people read.
const TEXTS: &[&str] = &[
    "label",
    "static",
    "heading",
    "paragraph",
    "text",
    "status-bar",
    "image",
];

/// A program that is looked at.
struct Subject {
    name: &'static str,
    program: &'static str,
    arguments: Vec<String>,
}

/// What was found of one program.
#[derive(Debug, Default)]
struct Score {
    controls: usize,
    found: usize,
    marks: usize,
    right: usize,
    took: Duration,
}

/// Looks at all programs and prints the table; with a folder, keeps the pictures with the marks drawn there.
pub(crate) fn measure(daemon: PathBuf, keep: Option<&Path>) -> anyhow::Result<()> {
    let server = XServer::start(SIZE.0, SIZE.1).with_session();
    let _manager = server.window_manager();
    let daemon = Daemon::start(daemon, server, &[]);
    line(&format!(
        "{:<28} {:>8} {:>6} {:>6} {:>8} {:>6} {:>10} {:>8}",
        "program", "controls", "found", "recall", "marks", "right", "precision", "ms"
    ));
    let mut total = Score::default();
    for subject in subjects(&daemon)? {
        let score = score(&daemon, &subject, keep).with_context(|| subject.name.to_owned())?;
        print(subject.name, &score);
        total.controls += score.controls;
        total.found += score.found;
        total.marks += score.marks;
        total.right += score.right;
        total.took = total.took.max(score.took);
    }
    print("all (the longest time)", &total);
    Ok(())
}

fn subjects(daemon: &Daemon) -> anyhow::Result<Vec<Subject>> {
    let subject = |name, program, arguments: &[&str]| Subject {
        name,
        program,
        arguments: arguments.iter().map(|argument| (*argument).to_owned()).collect(),
    };
    let file = |name: &str, text: &str| -> anyhow::Result<String> {
        let path = daemon.path(name);
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path.to_string_lossy().into_owned())
    };
    let text = file("letter.txt", LETTER)?;
    let page = file("form.html", include_str!("guesses/form.html"))?;
    let controls = file("controls.py", include_str!("guesses/controls.py"))?;
    let python = "/usr/bin/python3";
    Ok(vec![
        subject("mousepad (GTK 3)", "mousepad", &["--disable-server", &text]),
        subject("featherpad (Qt)", "featherpad", &["--standalone", &text]),
        subject(
            "zenity entry (GTK 3)",
            "zenity",
            &["--entry", "--text=Your name", "--entry-text=nobody"],
        ),
        subject(
            "zenity form (GTK 3)",
            "zenity",
            &[
                "--forms",
                "--add-entry=Name",
                "--add-password=Password",
                "--add-calendar=Born",
                "--add-combo=Country",
                "--combo-values=France|Spain",
            ],
        ),
        subject(
            "zenity list (GTK 3)",
            "zenity",
            &[
                "--list",
                "--height=400",
                "--width=500",
                "--checklist",
                "--column=Buy",
                "--column=Item",
                "--column=Price",
                "TRUE",
                "Apples",
                "1.20",
                "FALSE",
                "Pears",
                "2.40",
                "TRUE",
                "Plums",
                "0.99",
                "FALSE",
                "Cherries",
                "5.00",
            ],
        ),
        subject("zenity scale (GTK 3)", "zenity", &["--scale", "--value=20"]),
        subject(
            "zenity file dialog (GTK 3)",
            "zenity",
            &["--file-selection", "--filename=/usr/"],
        ),
        subject("form (GTK 3)", python, &[&controls, "gtk3"]),
        subject("form (GTK 4)", python, &[&controls, "gtk4"]),
        subject("form (Qt 6)", python, &[&controls, "qt6"]),
        subject(
            "web form (Chromium)",
            "chromium",
            &[
                "--no-sandbox",
                "--no-first-run",
                "--disable-gpu",
                "--force-renderer-accessibility",
                "--window-size=1000,700",
                &format!("--user-data-dir={}", daemon.path("chromium").display()),
                &page,
            ],
        ),
    ])
}

const LETTER: &str = "Dear team,\n\nthe numbers of this month are better than those of the last one.\n\
    We sold 1,204 boxes (+12 %), and 31 came back.\n\n    north   410\n    south   794\n\nKind regards\n";

fn score(daemon: &Daemon, subject: &Subject, keep: Option<&Path>) -> anyhow::Result<Score> {
    let _app = App::spawn(
        daemon
            .server
            .command(subject.program)
            .args(&subject.arguments)
            .env("HOME", daemon.folder())
            .env("GSETTINGS_BACKEND", "memory")
            .env("QT_ACCESSIBILITY", "1")
            .env("QT_LINUX_ACCESSIBILITY_ALWAYS_ON", "1"),
    );
    let mut session = Socket::welcomed(daemon.address(), TOKEN)?;
    let (elements, window, frame) = rested(daemon, &mut session);
    let size = frame.size();
    let start = Instant::now();
    let picture = Picture::new(size.w, size.h, frame.rgb()).context("a picture of its own size")?;
    let regions = marks::regions(picture);
    let took = start.elapsed();
    let guesses: Vec<Rect> = regions
        .iter()
        .map(|region| Rect {
            x: region.rect.x + window.x,
            y: region.rect.y + window.y,
            ..region.rect
        })
        .collect();
    if let Some(folder) = keep {
        keep_picture(folder, subject.name, &frame, &regions, &elements, window)?;
    }
    let seen = |roles: &[&str]| -> Vec<Rect> {
        let elements = elements.iter().filter(|element| {
            let role = element["role"].as_str().unwrap_or_default();
            roles.contains(&role) && is_showing(element)
        });
        elements
            .filter_map(area)
            .filter(|area| centre_in(*area, window))
            .collect()
    };
    let is_editable = |element: &&Value| element["role"] == "text" && has_state(element, "editable");
    let mut controls = seen(CONTROLS);
    controls.extend(
        elements
            .iter()
            .filter(is_editable)
            .filter_map(area)
            .filter(|area| centre_in(*area, window)),
    );
    let mut readable = seen(TEXTS);
    readable.extend(&controls);
    let hits = |mark: &Rect, thing: &Rect| centre_in(*mark, *thing) || overlap(*mark, *thing) >= SAME;
    ensure!(!controls.is_empty(), "no control was seen");
    Ok(Score {
        controls: controls.len(),
        found: controls
            .iter()
            .filter(|control| guesses.iter().any(|mark| hits(mark, control)))
            .count(),
        marks: guesses.len(),
        right: guesses
            .iter()
            .filter(|mark| readable.iter().any(|thing| hits(mark, thing)))
            .count(),
        took,
    })
}

/// The elements, the window and its picture, when they have come to rest.
fn rested(daemon: &Daemon, session: &mut Socket) -> (Vec<Value>, Rect, Frame) {
    let mut last = None;
    eventually("the program to come to rest", PATIENCE, || {
        let (_, seen) = session.act(&json!({"verb": "observe", "settle_ms": 300})).ok()?;
        let elements = seen.value()["elements"].as_array()?.clone();
        let (_, windows) = session.query("list_windows").ok()?;
        let windows = windows.value()["value"].as_array()?;
        let active = windows.iter().find(|window| window["focused"] == true)?;
        let edge = |name: &str| active[name].as_i64();
        let window = Rect {
            x: i32::try_from(edge("x")?).ok()?,
            y: i32::try_from(edge("y")?).ok()?,
            w: u32::try_from(edge("w")?).ok()?,
            h: u32::try_from(edge("h")?).ok()?,
        };
        let mut capture = X11Capture::open(daemon.server.display()).ok()?;
        let grab = capture.grab(Region::Screen, None, None).ok()?;
        let (window, frame) = part(&grab.frame, window)?;
        let now = (elements.clone(), window, frame.hash());
        let same = last.replace(now.clone()) == Some(now);
        // Before it offers its tree, it is guessed.
        let is_told = elements.iter().all(|element| element["source"] == "atspi");
        (same && is_told && elements.len() > 3).then_some((elements, window, frame))
    })
}

/// What of a window is on the screen, and its pixels there.
fn part(screen: &Frame, window: Rect) -> Option<(Rect, Frame)> {
    let size = screen.size();
    let (left, top) = (window.x.max(0).cast_unsigned(), window.y.max(0).cast_unsigned());
    let right = window
        .x
        .saturating_add_unsigned(window.w)
        .min(size.w.cast_signed());
    let bottom = window
        .y
        .saturating_add_unsigned(window.h)
        .min(size.h.cast_signed());
    let (w, h) = (
        right.cast_unsigned().checked_sub(left)?,
        bottom.cast_unsigned().checked_sub(top)?,
    );
    let mut rgb = Vec::with_capacity((w * h * 3) as usize);
    for y in top..top + h {
        let start = ((y * size.w + left) * 3) as usize;
        rgb.extend_from_slice(screen.rgb().get(start..start + (w * 3) as usize)?);
    }
    let rect = Rect {
        x: left.cast_signed(),
        y: top.cast_signed(),
        w,
        h,
    };
    Some((rect, Frame::new(Size { w, h }, rgb)?))
}

fn is_showing(element: &Value) -> bool {
    has_state(element, "showing")
}

fn has_state(element: &Value, state: &str) -> bool {
    element["states"]
        .as_array()
        .is_some_and(|states| states.iter().any(|own| own == state))
}

fn area(element: &Value) -> Option<Rect> {
    let edge = |index: usize| element["bbox"][index].as_f64();
    let rect = Rect {
        x: edge(0)? as i32,
        y: edge(1)? as i32,
        w: edge(2)? as u32,
        h: edge(3)? as u32,
    };
    (rect.w > 0 && rect.h > 0).then_some(rect)
}

fn centre_in(inner: Rect, outer: Rect) -> bool {
    let within = |from: i32, length: u32, start: i32, room: u32| {
        let centre = i64::from(from) * 2 + i64::from(length);
        let start = i64::from(start) * 2;
        (start..start + 2 * i64::from(room)).contains(&centre)
    };
    within(inner.x, inner.w, outer.x, outer.w) && within(inner.y, inner.h, outer.y, outer.h)
}

/// Intersection over union.
fn overlap(one: Rect, other: Rect) -> f64 {
    let shared = |a: i32, a_length: u32, b: i32, b_length: u32| {
        let end = (i64::from(a) + i64::from(a_length)).min(i64::from(b) + i64::from(b_length));
        (end - i64::from(a.max(b))).max(0) as f64
    };
    let both = shared(one.x, one.w, other.x, other.w) * shared(one.y, one.h, other.y, other.h);
    let area = |rect: Rect| f64::from(rect.w) * f64::from(rect.h);
    both / (area(one) + area(other) - both)
}

/// The picture with its marks, and a line for each mark and element.
fn keep_picture(
    folder: &Path,
    name: &str,
    frame: &Frame,
    regions: &[marks::Region],
    elements: &[Value],
    window: Rect,
) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let name: String = name.chars().filter(|letter| !"()".contains(*letter)).collect();
    let path = |end: &str| folder.join(format!("{}{end}", name.replace(' ', "-")));
    let size = frame.size();
    let mut drawn = frame.clone();
    let numbered: Vec<Mark> = (1..)
        .zip(regions)
        .map(|(number, region)| Mark {
            number,
            rect: region.rect,
        })
        .collect();
    draw(size.w, size.h, drawn.rgb_mut(), &numbered);
    std::fs::write(path(".png"), encode(&drawn, Codec::Png)?)?;
    let kind = |kind: Kind| match kind {
        Kind::Box => "box",
        Kind::Icon => "icon",
        Kind::Text => "text",
    };
    let marks = (1..).zip(regions).map(|(number, region): (u32, _)| {
        let Rect { x, y, w, h } = region.rect;
        format!("{number} {} {x} {y} {w} {h}", kind(region.kind))
    });
    let elements = elements.iter().filter_map(|element| {
        let Rect { x, y, w, h } = area(element)?;
        let (x, y) = (x - window.x, y - window.y);
        let showing = if is_showing(element) { "" } else { " hidden" };
        Some(format!(
            "{} {} {x} {y} {w} {h} {}{showing}",
            element["ref"], element["role"], element["name"]
        ))
    });
    let lines: Vec<String> = marks.chain(elements).collect();
    std::fs::write(path(".txt"), lines.join("\n") + "\n")?;
    Ok(())
}

fn print(name: &str, score: &Score) {
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    line(&format!(
        "{name:<28} {:>8} {:>6} {:>6.2} {:>8} {:>6} {:>10.2} {:>8.1}",
        score.controls,
        score.found,
        share(score.found, score.controls),
        score.marks,
        score.right,
        share(score.right, score.marks),
        score.took.as_secs_f64() * 1e3
    ));
}

#[expect(clippy::print_stdout, reason = "the table is this program's output")]
fn line(text: &str) {
    println!("{text}");
}
