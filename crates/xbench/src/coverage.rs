//! How many of the controls that a person sees can be named and used through an observation.
//!
//! For each toolkit a gallery is shown with known controls, each of which has a name of its own. A control counts as found where
//! an element has its name and a role that fits. Its box is held against the pixels: the gallery draws one control after the other
//! otherwise, and what changes on the screen must lie in the box of that control and in no other's.

use std::path::Path;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::ensure;
use serde_json::{Value, json};
use testbed::XServer;

use crate::elements::screen::{Bounds, Screen};
use crate::elements::stage::{self, Stage};
use crate::report::{Covered, Report};
use crate::socket::Socket;

const GTK: &str = include_str!("../programs/gallery_gtk.py");
const QT: &str = include_str!("../programs/gallery_qt.py");
const PAGE: &str = include_str!("../programs/gallery.html");
const SHEET: &str = include_str!("../programs/gallery.fods");

/// What is counted of each toolkit.
const HEADS: [&str; 6] = [
    "controls",
    "named",
    "of its role",
    "box",
    "box as drawn",
    "action",
];
/// The one whose gallery is a sheet.
const OFFICE_NAME: &str = "LibreOffice";
const TOOLKITS: [&str; 5] = ["GTK 3", "GTK 4", "Qt 6", "Chromium", OFFICE_NAME];
/// How long a window may take to be there, an office among them.
const OPENING: Duration = Duration::from_secs(60);
/// How long a control may take to be drawn otherwise. One that never is has no pixels to hold its box against.
const DRAWING: Duration = Duration::from_secs(3);
/// The screen is at rest when nothing changes for this long.
const REST: Duration = Duration::from_millis(60);
/// What is drawn may stick out by so many pixels: frames and shadows.
const EDGE: i32 = 3;

/// A control of the galleries.
struct Control {
    name: &'static str,
    roles: &'static [&'static str],
    /// Whether it does something when it is activated.
    acts: bool,
    /// Its background, where it is known by that.
    color: Option<[u8; 3]>,
}

const fn control(name: &'static str, roles: &'static [&'static str], acts: bool) -> Control {
    Control {
        name,
        roles,
        acts,
        color: None,
    }
}

const fn cell(name: &'static str, color: [u8; 3]) -> Control {
    Control {
        name,
        roles: &["table-cell"],
        acts: false,
        color: Some(color),
    }
}

const MENU: &[&str] = &["menu", "menu-item"];
const ROW: &[&str] = &["list-item", "table-cell", "table-row"];
const CELL: &[&str] = &["table-cell"];
const LEAF: &[&str] = &["tree-item", "table-cell", "list-item", "table-row"];

/// The controls of all galleries but LibreOffice's.
const CONTROLS: &[Control] = &[
    control("menu-a", MENU, true),
    control("menu-b", MENU, true),
    control("push", &["button"], true),
    control("switch-on", &["toggle-button", "check-box", "button"], true),
    control("tick", &["check-box"], true),
    control("choice-a", &["radio-button"], true),
    control("choice-b", &["radio-button"], true),
    control("field", &["entry", "text"], false),
    control("secret", &["password-text"], false),
    control("number", &["spin-button"], false),
    control("slide", &["slider"], false),
    control("options", &["combo-box"], true),
    control("link-a", &["link", "button"], true),
    control("words", &["label", "static", "paragraph", "text"], false),
    control("progress", &["progress-bar"], false),
    control("tab-a", &["page-tab"], true),
    control("tab-b", &["page-tab"], true),
    control("row-a", ROW, false),
    control("row-b", ROW, false),
    control("row-c", ROW, false),
    control("cell-a", CELL, false),
    control("cell-b", CELL, false),
    control("cell-c", CELL, false),
    control("cell-d", CELL, false),
    control("branch-a", LEAF, false),
    control("leaf-a", LEAF, false),
    control("branch-b", LEAF, false),
    control("leaf-b", LEAF, false),
];

/// What LibreOffice shows of the sheet. Its cells are known by their background.
const OFFICE: &[Control] = &[
    control("File", MENU, true),
    control("Edit", MENU, true),
    control("View", MENU, true),
    control("Insert", MENU, true),
    control("Format", MENU, true),
    control("Styles", MENU, true),
    control("Sheet", MENU, true),
    control("Data", MENU, true),
    control("Tools", MENU, true),
    control("Window", MENU, true),
    control("Help", MENU, true),
    cell("cell-1", [0xff, 0x20, 0x00]),
    cell("cell-2", [0x00, 0xff, 0x20]),
    cell("cell-3", [0x20, 0x40, 0xff]),
    cell("cell-4", [0xff, 0xff, 0x20]),
    cell("cell-5", [0xff, 0x20, 0xff]),
    cell("cell-6", [0x20, 0xff, 0xff]),
];

/// Looks at all galleries.
pub(crate) fn measure(program: &Path, report: &mut Report) -> anyhow::Result<()> {
    for toolkit in TOOLKITS {
        report.progress(&format!("the controls of {toolkit}"));
        if toolkit == OFFICE_NAME && !is_installed("soffice") {
            report.progress("LibreOffice is not installed and is left out");
            continue;
        }
        // One that cannot be looked at hides nothing of the others.
        let covered = look_at(program, toolkit).unwrap_or_else(|error| Covered {
            toolkit: toolkit.to_owned(),
            cells: HEADS.map(|head| (head, "not seen".to_owned())).to_vec(),
            missing: vec![format!("{error:.500}")],
        });
        report.coverage.push(covered);
    }
    Ok(())
}

fn is_installed(program: &str) -> bool {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&folders).any(|folder| folder.join(program).exists())
}

fn look_at(program: &Path, toolkit: &str) -> anyhow::Result<Covered> {
    let controls = if toolkit == OFFICE_NAME { OFFICE } else { CONTROLS };
    let stage = Stage::start(program, |server, folder| command(toolkit, server, folder))?;
    let mut gallery = Gallery {
        screen: Screen::open(stage.display())?,
        session: stage.session()?,
    };
    if toolkit != OFFICE_NAME {
        gallery.wait_for_window()?;
        gallery.press()?;
    }
    let elements = gallery.wait_for_all(controls)?;
    let found: Vec<Option<&Value>> = controls.iter().map(|control| find(&elements, control)).collect();
    let drawn = if toolkit == OFFICE_NAME {
        gallery.colored(controls)?
    } else {
        gallery.changing(controls)?
    };
    Ok(judge(toolkit, controls, &found, &drawn))
}

/// What shows the gallery of a toolkit.
fn command(toolkit: &str, server: &XServer, folder: &Path) -> anyhow::Result<Command> {
    let order: Vec<&str> = CONTROLS.iter().map(|control| control.name).collect();
    let order = order.join(" ");
    match toolkit {
        "GTK 3" => stage::script(server, folder, GTK, &["3.0", &order]),
        "GTK 4" => stage::script(server, folder, GTK, &["4.0", &order]),
        "Qt 6" => stage::script(server, folder, QT, &[&order]),
        "Chromium" => stage::browser(server, folder, PAGE, &order.replace(' ', "%20")),
        _ => {
            let sheet = folder.join("gallery.fods");
            std::fs::write(&sheet, SHEET)?;
            let mut command = server.command("soffice");
            command
                .args(["--norestore", "--nologo", "--nofirststartwizard", "--calc"])
                .arg(format!(
                    "-env:UserInstallation=file://{}/office",
                    folder.display()
                ))
                .arg(sheet)
                .env("LC_ALL", "C.UTF-8");
            Ok(command)
        }
    }
}

/// The element that is this control: one that has its role, too, if there is one.
fn find<'a>(elements: &'a [Value], control: &Control) -> Option<&'a Value> {
    let named = || elements.iter().filter(|element| is_named(element, control));
    named()
        .find(|element| fits(element, control))
        .or_else(|| named().next())
}

fn is_named(element: &Value, control: &Control) -> bool {
    // The text of a cell is its name with some toolkits, and its value with others.
    ["name", "value"]
        .iter()
        .any(|field| element[field] == control.name)
}

fn fits(element: &Value, control: &Control) -> bool {
    control.roles.iter().any(|role| element["role"] == *role)
}

fn judge(toolkit: &str, controls: &[Control], found: &[Option<&Value>], drawn: &[Option<Bounds>]) -> Covered {
    let boxes: Vec<Option<Bounds>> = found.iter().map(|found| Bounds::of((*found)?)).collect();
    let mut missing = Vec::new();
    let (mut there, mut acting) = (0, 0);
    for (index, control) in controls.iter().enumerate() {
        let mut lack = |what: String| missing.push(format!("{}: {what}", control.name));
        let Some(element) = found[index] else {
            lack("nothing has its name".to_owned());
            continue;
        };
        if !fits(element, control) {
            let role = element["role"].as_str().unwrap_or_default();
            lack(format!("its name has only a {role}"));
        }
        match (drawn[index], misplaced(controls, &boxes, index, drawn[index])) {
            (Some(_), None) => there += 1,
            (_, Some(why)) => lack(why),
            (None, None) => {}
        }
        if control.acts
            && element["actions"]
                .as_array()
                .is_some_and(|names| !names.is_empty())
        {
            acting += 1;
        } else if control.acts {
            lack("no action; can be clicked".to_owned());
        }
    }
    let of_role = controls.iter().zip(found);
    let of_role = of_role.filter(|(control, found)| found.is_some_and(|found| fits(found, control)));
    let count = |some: usize| some.to_string();
    let counts = [
        count(controls.len()),
        count(found.iter().flatten().count()),
        count(of_role.count()),
        count(boxes.iter().flatten().count()),
        format!("{there} of {}", drawn.iter().flatten().count()),
        format!(
            "{acting} of {}",
            controls.iter().filter(|control| control.acts).count()
        ),
    ];
    Covered {
        toolkit: toolkit.to_owned(),
        cells: HEADS.into_iter().zip(counts).collect(),
        missing,
    }
}

/// What is wrong with the box of a control, held against where it is drawn.
fn misplaced(
    controls: &[Control],
    boxes: &[Option<Bounds>],
    index: usize,
    drawn: Option<Bounds>,
) -> Option<String> {
    let Some(drawn) = drawn else {
        // Of LibreOffice's controls, only what has a colour is held against the pixels.
        let is_known_by_color = controls.iter().any(|control| control.color.is_some());
        let is_expected = controls[index].color.is_some() || !is_known_by_color;
        return is_expected.then(|| "not seen on the screen".to_owned());
    };
    if !boxes[index].is_some_and(|bounds| bounds.holds(&drawn, EDGE)) {
        return Some(format!("drawn at {drawn}, said to be at {}", told(boxes[index])));
    }
    let mut others = boxes.iter().zip(controls).enumerate();
    let other = others
        .find(|(other, (bounds, _))| *other != index && bounds.is_some_and(|bounds| bounds.holds(&drawn, 0)));
    other.map(|(_, (_, other))| format!("drawn in the box of {}, too", other.name))
}

fn told(bounds: Option<Bounds>) -> String {
    bounds.map_or_else(|| "no place".to_owned(), |bounds| bounds.to_string())
}

/// A gallery that is looked at.
struct Gallery {
    screen: Screen,
    session: Socket,
}

impl Gallery {
    fn observe(&mut self) -> anyhow::Result<Vec<Value>> {
        let (_, seen) = self.session.act(&json!({"verb": "observe", "settle_ms": 500}))?;
        let elements = seen.value()["elements"].as_array();
        Ok(elements.cloned().unwrap_or_default())
    }

    /// Waits until there is a window to press keys in.
    fn wait_for_window(&mut self) -> anyhow::Result<()> {
        let deadline = Instant::now() + OPENING;
        loop {
            // While it opens there may be nothing to look at.
            let elements = self.observe().unwrap_or_default();
            if elements.iter().any(|element| element["name"] == "push") {
                return Ok(());
            }
            ensure!(Instant::now() < deadline, "no window: {elements:?}");
        }
    }

    /// Waits until no more controls come, and gives all elements.
    fn wait_for_all(&mut self, controls: &[Control]) -> anyhow::Result<Vec<Value>> {
        let deadline = Instant::now() + OPENING;
        let mut before = 0;
        loop {
            let seen = self.observe();
            let problem = seen.as_ref().err().map(ToString::to_string);
            let elements = seen.unwrap_or_default();
            let found = controls
                .iter()
                .filter(|control| find(&elements, control).is_some());
            let found = found.count();
            if found > 0 && found == before {
                return Ok(elements);
            }
            before = found;
            ensure!(Instant::now() < deadline, "no controls: {problem:?} {elements:?}");
        }
    }

    fn press(&mut self) -> anyhow::Result<()> {
        self.session.act(&json!({"verb": "key", "keys": "F9"}))?;
        self.at_rest().map(drop)
    }

    /// What is on the screen when nothing changes any more, or after a while.
    fn at_rest(&self) -> anyhow::Result<Vec<u8>> {
        let deadline = Instant::now() + DRAWING;
        let (mut before, _) = self.screen.all()?;
        loop {
            thread::sleep(REST);
            let (now, _) = self.screen.all()?;
            if now == before || Instant::now() > deadline {
                return Ok(now);
            }
            before = now;
        }
    }

    /// Where each control is drawn: where the screen changes when it does.
    fn changing(&mut self, controls: &[Control]) -> anyhow::Result<Vec<Option<Bounds>>> {
        let (_, width) = self.screen.all()?;
        let mut before = self.at_rest()?;
        let mut drawn = Vec::new();
        for _ in controls {
            self.session.act(&json!({"verb": "key", "keys": "F9"}))?;
            let deadline = Instant::now() + DRAWING;
            while self.screen.all()?.0 == before && Instant::now() < deadline {
                thread::sleep(Duration::from_millis(10));
            }
            let now = self.at_rest()?;
            let pixels = before.chunks_exact(4).zip(now.chunks_exact(4));
            let changed = pixels.enumerate().filter(|(_, (before, now))| before != now);
            drawn.push(Bounds::around(changed.map(|(index, _)| point(index, width))));
            before = now;
        }
        Ok(drawn)
    }

    /// Where each control is drawn that has a colour of its own.
    fn colored(&self, controls: &[Control]) -> anyhow::Result<Vec<Option<Bounds>>> {
        let (_, width) = self.screen.all()?;
        let pixels = self.at_rest()?;
        let drawn = controls.iter().map(|control| {
            let [red, green, blue] = control.color?;
            let colored = pixels.chunks_exact(4).enumerate();
            let colored = colored.filter(|(_, pixel)| pixel.starts_with(&[blue, green, red]));
            Bounds::around(colored.map(|(index, _)| point(index, width)))
        });
        Ok(drawn.collect())
    }
}

/// The place of a pixel.
fn point(index: usize, width: usize) -> (i32, i32) {
    let small = |edge: usize| i32::try_from(edge).unwrap_or(i32::MAX);
    (small(index % width), small(index / width))
}
