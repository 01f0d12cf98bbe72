//! Commands whose desktop goes away while they run: they end, with exit code 3, and say so.

use std::io::{BufRead as _, BufReader};

use testbed::{App, eventually};

use crate::stage::{PATIENCE, Stage, ended, kill};

/// A command that watches, and has seen a picture.
fn watching(stage: &Stage) -> App {
    let frames = stage.path("frames");
    let app = App::spawn(&mut stage.shinken(&["watch", "--save", frames.to_str().unwrap_or_default()]));
    eventually("a picture", PATIENCE, || {
        frames.join("000000.png").exists().then_some(())
    });
    app
}

#[test]
fn watch_ends_with_the_desktop() {
    for part in ["", "Xvfb", "shinkend --listen", "__supervise-sandbox"] {
        let stage = Stage::new();
        let desktop = stage.detached(&[]);
        let app = watching(&stage);
        if part.is_empty() {
            stage.done(&["down"]);
        } else {
            kill(stage.process(part));
        }
        let (code, complaint) = ended(app);
        assert_eq!(code, Some(3), "{part}: {complaint}");
        assert!(complaint.contains("desktop"), "{part}: {complaint}");
        stage.assert_empty([&desktop]);
    }
}

#[test]
fn exec_ends_with_the_desktop() {
    let stage = Stage::new();
    stage.detached(&[]);
    let mut app = App::spawn(&mut stage.shinken(&["exec", "--", "sh", "-c", "echo begun; sleep 600"]));
    let mut line = String::new();
    let output = app.child().stdout.take();
    BufReader::new(output.unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "begun\n");
    stage.done(&["down"]);
    assert_eq!(
        ended(app),
        (Some(3), "shinken: the desktop was ended\n".to_owned())
    );
}
