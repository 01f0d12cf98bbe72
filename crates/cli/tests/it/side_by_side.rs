//! Several desktops at a time.

use std::collections::HashSet;

use crate::stage::{Desktop, Stage};

#[test]
fn eight_start_at_once_and_share_nothing() {
    let stage = Stage::new();
    let desktops: Vec<Desktop> = std::thread::scope(|scope| {
        let starting: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| stage.detached(&["--within", "120"])))
            .collect();
        starting
            .into_iter()
            .map(|thread| thread.join().unwrap())
            .collect()
    });
    for part in [
        |desktop: &Desktop| desktop.id.clone(),
        |desktop: &Desktop| desktop.display.clone(),
        |desktop: &Desktop| desktop.socket.clone(),
        |desktop: &Desktop| std::fs::read_to_string(&desktop.token_file).unwrap(),
    ] {
        let distinct: HashSet<String> = desktops.iter().map(part).collect();
        assert_eq!(distinct.len(), 8, "{distinct:?}");
    }
    assert!(desktops.iter().all(Desktop::is_well));
    // One ends, the others do not notice.
    stage.done(&["down", &desktops[3].id]);
    assert!(!desktops[3].is_well());
    for (index, desktop) in desktops.iter().enumerate() {
        assert_eq!(desktop.is_well(), index != 3, "{desktop:?}");
    }
    stage.done(&["down", "--all"]);
    assert_eq!(stage.processes(), []);
    stage.assert_empty(&desktops);
}

#[test]
fn of_two_one_must_be_named() {
    let stage = Stage::new();
    let one = stage.up(&["--name", "one"]);
    let two = stage.up(&["--name", "two"]);
    let complaint = stage.refused(&["down"]);
    assert!(complaint.contains("one, two"), "{complaint}");
    // A wrong name ends nothing.
    let complaint = stage.nobody(&["down", "one", "three"]);
    assert!(
        complaint.contains("three") && complaint.contains("one, two"),
        "{complaint}"
    );
    assert!(one.desktop.is_well() && two.desktop.is_well());
    stage.done(&["down", "one"]);
    let first = one.desktop.clone();
    let (code, complaint) = one.ended();
    assert_eq!((code, complaint.as_str()), (Some(0), ""));
    assert!(two.desktop.is_well());
    stage.done(&["down", "two"]);
    stage.assert_empty([&first, &two.desktop]);
}

#[test]
fn of_two_with_one_name_only_the_first_starts() {
    let stage = Stage::new();
    let first = stage.up(&["--name", "taken"]);
    let complaint = stage.refused(&["up", "--name", "taken"]);
    assert!(
        complaint.contains("taken") && complaint.contains("shinken down taken"),
        "{complaint}"
    );
    assert!(first.desktop.is_well());
}
