//! The commands that look at controls.

use serde_json::Value;
use testbed::{App, eventually};

use crate::stage::{PATIENCE, Stage};

/// A desktop with a question whose answers are called so.
fn asking(stage: &Stage) -> crate::stage::Owned {
    let owned = stage.up(&[]);
    let question = [
        "launch",
        "zenity",
        "--question",
        "--text=Well?",
        "--ok-label=Agreed",
    ];
    stage.done(&question);
    eventually("the question", PATIENCE, || {
        stage.done(&["observe"]).contains("\"Agreed\"").then_some(())
    });
    owned
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

#[test]
fn applications_are_listed_and_looked_at_by_name() {
    let stage = Stage::new();
    let _owned = asking(&stage);
    stage.done(&["launch", "xterm", "-T", "above"]);
    let listed = stage.done(&["apps"]);
    assert!(
        listed.lines().count() == 3 && listed.contains("zenity"),
        "{listed}"
    );
    assert!(
        listed
            .lines()
            .any(|line| line.contains("xterm") && line.ends_with("(active)")),
        "{listed}"
    );
    let apps = json(&stage.done(&["apps", "--json"]));
    let zenity = apps
        .as_array()
        .into_iter()
        .flatten()
        .find(|app| app["name"] == "zenity");
    let pid = zenity.map(|app| app["pid"].to_string()).unwrap_or_default();
    for app in ["zenity", "ZENITY", &pid] {
        let tree = stage.done(&["observe", "--app", app]);
        assert!(
            tree.starts_with("app:\"zenity\"") && tree.contains("\"Agreed\""),
            "{app}: {tree}"
        );
    }
    let tree = json(&stage.done(&["observe", "--app", "zenity", "--json", "--settle", "50"]));
    assert_eq!(tree["tree"], "full", "{tree}");
    let complaint = stage.refused(&["observe", "--app", "solitaire"]);
    assert!(
        complaint.contains("solitaire") && complaint.contains("zenity"),
        "{complaint}"
    );
    stage.misused(&["observe", "--seconds", "3"]);
}

#[test]
fn what_changes_is_printed_as_it_comes() {
    let stage = Stage::new();
    let _owned = asking(&stage);
    let mut following = App::spawn(&mut stage.shinken(&["observe", "--diff", "--seconds", "25"]));
    let mut output = following.child().stdout.take();
    let mut text = String::new();
    let mut read = |wanted: &str| {
        use std::io::Read as _;
        eventually(wanted, PATIENCE, || {
            let mut some = [0; 4096];
            let count = output.as_mut()?.read(&mut some).ok()?;
            text.push_str(&String::from_utf8_lossy(&some[..count]));
            text.contains(wanted).then_some(())
        });
    };
    read("focus:");
    stage.done(&["key", "Tab"]);
    read("\n~ ");
}

#[test]
fn boxes_are_drawn_over_the_picture() {
    let stage = Stage::new();
    let _owned = asking(&stage);
    let folder = stage.path("frames");
    let save = folder.to_str().unwrap_or_default();
    stage.done(&["watch", "--elements", "--frames", "1", "--save", save]);
    let tree = std::fs::read_to_string(folder.join("000000.txt")).unwrap_or_default();
    assert!(tree.contains("\"Agreed\""), "{tree}");
    let decoded = |name: &str| {
        let bytes = std::fs::read(folder.join(name)).unwrap_or_default();
        shinken::Picture::decode(&bytes, shinken::aci::welcome::ImageFormat::Png)
    };
    let plain = folder.join("plain.png");
    stage.done(&["shot", plain.to_str().unwrap_or_default()]);
    let (drawn, plain) = match (decoded("000000.png"), decoded("plain.png")) {
        (Ok(drawn), Ok(plain)) => (drawn, plain),
        (drawn, plain) => panic!("{drawn:?} {plain:?}"),
    };
    assert_eq!((drawn.width(), drawn.height()), (640, 480));
    // The box of the button is a line around its area, in one colour that was not there.
    let observed = json(&stage.done(&["observe", "--json"]));
    let button = observed["elements"].as_array().into_iter().flatten();
    let button = button.clone().find(|element| element["name"] == "Agreed");
    let edge = |index: usize| {
        let edge = button.and_then(|button| button["bbox"][index].as_f64());
        edge.unwrap_or_default() as u32
    };
    let (x, y, w, h) = (edge(0), edge(1), edge(2), edge(3));
    assert!(w > 10 && h > 10, "{observed}");
    let line = |x: u32| (y + h / 3..y + h / 2).map(move |y| (x, y));
    let colours: Vec<_> = line(x).map(|(x, y)| drawn.pixel(x, y)).collect();
    assert!(colours.iter().all(|colour| *colour == colours[0]), "{colours:?}");
    assert!(
        line(x)
            .chain(line(x + w - 1))
            .all(|(x, y)| drawn.pixel(x, y) == colours[0])
    );
    assert!(line(x).any(|(x, y)| plain.pixel(x, y) != colours[0]));
    stage.misused(&["watch", "--elements", "--frames", "1"]);
}
