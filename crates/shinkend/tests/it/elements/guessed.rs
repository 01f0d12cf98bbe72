//! Windows without an accessibility tree: their regions are guessed from pixels, and are used by id like controls.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::PathBuf;
use std::process::Stdio;

use rustix::process::Signal;
use serde_json::{Value, json};
use testbed::{App, XServer, eventually};

use super::stage::{Desktop, PYTHON, done, element, find, program, refused, target};
use crate::client::Client;
use crate::daemon::{Daemon, PATIENCE};

/// The regions of the active window, once there are more than so many and they stay the same.
fn regions(client: &mut Client, title: &str, more_than: usize) -> Value {
    let mut before = None;
    eventually("the regions of the window to stay the same", PATIENCE, || {
        let seen = client.call(json!({"verb": "observe"}));
        let elements = seen["elements"].as_array()?.clone();
        let is_it = elements.first()?["name"] == title && elements.len() > more_than + 1;
        let same = before.replace(elements.clone()) == Some(elements);
        (is_it && same).then_some(seen)
    })
}

/// Left, top, width and height.
fn area(element: &Value) -> [f64; 4] {
    [0, 1, 2, 3].map(|edge| element["bbox"][edge].as_f64().unwrap())
}

/// The smallest region with this point of the screen in it.
fn at(seen: &Value, (x, y): (f64, f64)) -> String {
    let holds = |element: &&Value| {
        let [left, top, w, h] = area(element);
        (left..left + w).contains(&x) && (top..top + h).contains(&y)
    };
    let size = |element: &&Value| area(element)[2] * area(element)[3];
    let elements = &seen["elements"].as_array().unwrap()[1..];
    let smallest = elements
        .iter()
        .filter(holds)
        .min_by(|one, other| size(one).total_cmp(&size(other)));
    assert!(smallest.is_some(), "nothing at {x},{y}: {}", seen["tree_text"]);
    smallest.unwrap()["ref"].as_str().unwrap().to_owned()
}

fn ids(seen: &Value) -> Vec<&str> {
    let elements = seen["elements"].as_array().unwrap();
    elements
        .iter()
        .map(|element| element["ref"].as_str().unwrap())
        .collect()
}

fn is_guessed(seen: &Value) -> bool {
    let elements = seen["elements"].as_array().unwrap();
    !elements.is_empty() && elements.iter().all(|element| element["source"] == "som")
}

fn click(reference: &str) -> Value {
    json!({"verb": "click", "target": target(reference)})
}

/// Clicks a region until it is refused as gone; what it is clicked at before that takes no notice.
fn goes(client: &mut Client, reference: &str) {
    eventually(&format!("{reference} to be gone"), PATIENCE, || {
        let error = client.call(click(reference))["error"].as_str()?.to_owned();
        error.starts_with("stale_element_ref: ").then_some(())
    });
}

/// The form of Tk, which tells what happens in it.
struct Form {
    client: Client,
    told: PathBuf,
    _app: App,
    _desktop: Desktop,
}

impl Form {
    fn start() -> Self {
        let desktop = Desktop::start();
        let client = desktop.daemon.client();
        let told = desktop.daemon.path("told");
        let app = desktop.app(PYTHON, &[&program("canvas.py"), told.to_str().unwrap()]);
        let form = Self {
            client,
            told,
            _app: app,
            _desktop: desktop,
        };
        form.says("placed");
        form
    }

    fn says(&self, what: &str) {
        eventually(what, PATIENCE, || {
            let lines = std::fs::read_to_string(&self.told).ok()?;
            lines.lines().any(|line| line == what).then_some(())
        });
    }

    /// The middle of something on the screen.
    fn place(&self, what: &str) -> (f64, f64) {
        let lines = std::fs::read_to_string(&self.told).unwrap();
        let place = lines
            .lines()
            .find_map(|line| line.strip_prefix(&format!("{what} at ")))
            .unwrap();
        let (x, y) = place.split_once(' ').unwrap();
        (x.parse().unwrap(), y.parse().unwrap())
    }

    fn regions(&mut self) -> Value {
        regions(&mut self.client, "Tk without a tree", 3)
    }
}

#[test]
fn a_tk_form_is_used_by_its_regions() {
    let mut form = Form::start();
    let seen = form.regions();
    assert!(is_guessed(&seen), "{seen}");
    let text = seen["tree_text"].as_str().unwrap();
    assert!(
        text.contains("guessed from pixels") && text.contains("\n  e"),
        "{text}"
    );
    let entry = at(&seen, form.place("entry"));
    let square = at(&seen, form.place("square"));
    let button = at(&seen, form.place("button"));
    for (reference, kind) in [
        (&entry, "box-region"),
        (&square, "box-region"),
        (&button, "box-region"),
    ] {
        assert_eq!(element(&seen, reference)["role"], kind, "{text}");
    }

    done(&mut form.client, click(&square));
    form.says("square");
    // It is drawn elsewhere now, and nothing of it is left where it was.
    goes(&mut form.client, &square);
    done(
        &mut form.client,
        json!({"verb": "double_click", "target": target(&entry)}),
    );
    done(&mut form.client, json!({"verb": "type_text", "text": "somebody"}));
    done(&mut form.client, click(&button));
    form.says("order somebody");

    for action in [
        json!({"verb": "invoke_action", "target": target(&button)}),
        json!({"verb": "set_value", "target": target(&button), "text": "x"}),
        json!({"verb": "scroll_element", "target": target(&button), "pages": 1}),
        json!({"verb": "set_text_selection", "target": target(&button), "text": "Order", "mode": "select"}),
    ] {
        let error = refused(&mut form.client, action, "unsupported");
        assert!(
            error.contains("guessed from pixels") && error.contains("click it"),
            "{error}"
        );
    }
}

#[test]
fn regions_keep_their_ids_and_a_difference_tells_of_others() {
    let mut form = Form::start();
    let seen = form.regions();
    let (square, entry) = (at(&seen, form.place("square")), at(&seen, form.place("entry")));
    let again = form.client.call(json!({"verb": "observe", "diff": true}));
    let text = again["tree_text"].as_str().unwrap();
    assert!(text.contains("\nno change"), "{text}");
    assert_eq!(ids(&again), ids(&seen));
    done(&mut form.client, click(&square));
    form.says("square");
    let moved = eventually("the square to be elsewhere", PATIENCE, || {
        let seen = form.client.call(json!({"verb": "observe", "diff": true}));
        let text = seen["tree_text"].as_str()?.to_owned();
        text.contains("- removed: ").then_some(seen)
    });
    let text = moved["tree_text"].as_str().unwrap();
    assert!(text.contains(&format!("- removed: {square}")), "{text}");
    let added: Vec<&str> = text.lines().filter(|line| line.starts_with("+ ")).collect();
    assert_eq!(added.len(), 1, "{text}");
    // The id of the one that is gone is nobody's.
    assert!(!ids(&moved).contains(&square.as_str()), "{text}");
    assert_eq!(element(&moved, &entry)["bbox"], element(&seen, &entry)["bbox"]);
}

#[test]
fn what_a_wider_window_has_moved_is_another() {
    let mut form = Form::start();
    let seen = form.regions();
    let before = ids(&seen);
    done(&mut form.client, json!({"verb": "key", "keys": "F2"}));
    form.says("wide");
    // Each of them was in the middle, and is not there any more.
    for reference in &before[1..] {
        goes(&mut form.client, reference);
    }
    let wider = form.regions();
    let after = ids(&wider);
    assert_eq!(after[0], before[0], "it is the same window");
    assert!(
        after[1..].iter().all(|reference| !before.contains(reference)),
        "{wider}"
    );
}

/// A terminal in which a script runs.
fn terminal(server: &XServer, script: &str) -> App {
    let arguments = ["-T", "bare", "-geometry", "40x8+20+20", "-e", "sh", "-c", script];
    App::spawn(server.command("xterm").args(arguments))
}

#[test]
fn lines_of_a_terminal_are_regions_and_another_window_with_a_tree_is_not_touched() {
    let desktop = Desktop::start();
    let mut client = desktop.daemon.client();
    let _terminal = terminal(
        &desktop.daemon.server,
        "printf 'chrysanthemum\\n\\nrhododendron\\n'; exec sleep 600",
    );
    let seen = regions(&mut client, "bare", 2);
    let [left, top, ..] = area(&seen["elements"][0]);
    let line = at(&seen, (left + 20.0, top + 8.0));
    assert_eq!(element(&seen, &line)["role"], "text-region");
    done(
        &mut client,
        json!({"verb": "double_click", "target": target(&line)}),
    );
    // The terminal hands out what is selected, which is what was clicked.
    eventually("the word to be selected", PATIENCE, || {
        let mut xclip = desktop.daemon.server.command("xclip");
        xclip.args(["-o", "-selection", "primary"]).stdout(Stdio::piped());
        let output = xclip.output().ok()?;
        (output.stdout == b"chrysanthemum").then_some(())
    });
    // A program with a tree is seen by that alone.
    let _dialog = desktop.app("zenity", &["--entry", "--text=Well?"]);
    let (seen, _) = find(&mut client, "button", "OK");
    let elements = seen["elements"].as_array().unwrap();
    assert!(
        elements.iter().all(|element| element["source"] == "atspi"),
        "{seen}"
    );
}

/// The words at the left of the terminal and those at its right.
fn columns(seen: &Value) -> (Vec<String>, Vec<String>) {
    let elements = seen["elements"].as_array().unwrap();
    let middle = area(&elements[0])[0] + 72.0;
    let words = elements[1..].iter().filter(|element| area(element)[2] > 30.0);
    let (left, right): (Vec<&Value>, Vec<&Value>) = words.partition(|word| area(word)[0] < middle);
    let ids = |words: Vec<&Value>| -> Vec<String> {
        let ids = words.iter().map(|word| word["ref"].as_str().unwrap().to_owned());
        ids.collect()
    };
    (ids(left), ids(right))
}

#[test]
fn a_row_that_scrolls_to_the_place_of_its_like_is_another() {
    let desktop = Desktop::start();
    let mut client = desktop.daemon.client();
    let rows = [
        "anemone",
        "bergamot",
        "camellia",
        "dahlia",
        "edelweiss",
        "foxglove",
        "gentian",
    ];
    let mut script = String::new();
    for row in rows {
        script.push_str(&format!("printf '%-12s%12s\\n' {row} delete; "));
    }
    // The eighth and last line is where the cursor is; the next one has all others go up by one.
    script.push_str("stty -echo; read line; printf '%-12s%12s\\n' hyacinth delete; exec sleep 600");
    let _terminal = terminal(&desktop.daemon.server, &script);
    let (names, buttons) = eventually("all lines to be there", PATIENCE, || {
        let columns = columns(&regions(&mut client, "bare", 0));
        (columns.0.len() == rows.len() && columns.1.len() == rows.len()).then_some(columns)
    });
    done(&mut client, json!({"verb": "key", "keys": "Return"}));
    // All but one of the buttons are drawn where another one of them was.
    goes(&mut client, &names[0]);
    for reference in names.iter().chain(&buttons) {
        refused(&mut client, click(reference), "stale_element_ref");
    }
    let seen = regions(&mut client, "bare", 0);
    let now = ids(&seen);
    for reference in names.iter().chain(&buttons) {
        assert!(!now.contains(&reference.as_str()), "{reference} in {seen}");
    }
}

#[test]
fn a_program_on_the_bus_with_nothing_in_its_windows_is_guessed_and_says_so() {
    let desktop = Desktop::start();
    let mut client = desktop.daemon.client();
    let _app = desktop.app(PYTHON, &[&program("odd.py"), "hollow"]);
    let seen = eventually("the note of an empty program", PATIENCE, || {
        let seen = client.call(json!({"verb": "observe"}));
        let text = seen["tree_text"].as_str()?;
        text.contains("odd offers nothing of what is in its windows")
            .then_some(())?;
        (seen["elements"].as_array()?.len() > 1).then_some(seen)
    });
    assert!(is_guessed(&seen), "{seen}");
    let [x, y, w, h] = area(&seen["elements"][0]);
    let button = at(&seen, (x + w / 2.0, y + h / 2.0));
    assert_eq!(element(&seen, &button)["role"], "box-region", "{seen}");
}

#[test]
fn a_program_that_is_not_active_is_guessed_where_it_is_named() {
    let desktop = Desktop::start();
    let mut client = desktop.daemon.client();
    let _terminal = terminal(
        &desktop.daemon.server,
        "printf 'chrysanthemum\\n'; exec sleep 600",
    );
    regions(&mut client, "bare", 0);
    let _dialog = desktop.app("zenity", &["--entry", "--text=Well?"]);
    find(&mut client, "button", "OK");
    let named = client.call(json!({"verb": "observe", "app": {"name": "xterm"}}));
    assert!(is_guessed(&named), "{named}");
    assert_eq!(named["elements"][0]["name"], "bare");
    // Its own pixels, though the dialog may cover them.
    let elements = named["elements"].as_array().unwrap();
    assert!(
        elements[1..]
            .iter()
            .any(|element| element["role"] == "text-region"),
        "{named}"
    );
}

#[test]
fn a_frozen_program_does_not_hide_the_pixels_of_another() {
    let desktop = Desktop::start();
    let mut client = desktop.daemon.client();
    let dialog = desktop.app("zenity", &["--entry", "--text=Frozen"]);
    find(&mut client, "button", "OK");
    let _terminal = terminal(
        &desktop.daemon.server,
        "printf 'chrysanthemum\\n'; exec sleep 600",
    );
    regions(&mut client, "bare", 0);
    dialog.signal(Signal::STOP);
    let seen = client.call(json!({"verb": "observe"}));
    dialog.signal(Signal::CONT);
    assert!(is_guessed(&seen), "{seen}");
    let text = seen["tree_text"].as_str().unwrap();
    assert!(text.contains("does not answer"), "{text}");
}

#[test]
fn without_an_accessibility_bus_there_are_still_pixels() {
    let server = XServer::start(400, 300);
    let manager = server.window_manager();
    let _terminal = terminal(&server, "printf 'chrysanthemum\\n'; exec sleep 600");
    let daemon = Daemon::start_on(server, &[]);
    let mut client = daemon.client();
    let seen = regions(&mut client, "bare", 0);
    assert!(is_guessed(&seen), "{seen}");
    let text = seen["tree_text"].as_str().unwrap();
    assert!(text.contains("guessed from pixels"), "{text}");
    drop(manager);
}
