//! `shinken cp`.

use crate::stage::Stage;

#[test]
fn files_and_folders_are_copied_both_ways() {
    let stage = Stage::new();
    let _owned = stage.up(&[]);
    let there = stage.path("there");
    std::fs::create_dir(&there).unwrap();
    let here = |name: &str| stage.path(name).to_str().unwrap().to_owned();
    let remote = |name: &str| format!(":{}/{name}", there.display());
    let folder = stage.path("folder");
    std::fs::create_dir_all(folder.join("inner")).unwrap();
    std::fs::write(folder.join("inner/file"), "bytes").unwrap();
    let file = here("folder/inner/file");

    // Under a name of its own, into a folder that is there, and into one that is made.
    for (to, at) in [("named", "named"), ("", "file"), ("made/", "made/file")] {
        assert_eq!(stage.done(&["cp", &file, &remote(to)]), "");
        assert_eq!(std::fs::read(there.join(at)).unwrap(), b"bytes", "{to}");
    }
    stage.done(&["cp", &remote("named"), &here("back")]);
    stage.done(&["cp", &remote("named"), &here("")]);
    for name in ["back", "named"] {
        assert_eq!(std::fs::read(stage.path(name)).unwrap(), b"bytes");
    }

    let complaint = stage.refused(&["cp", &here("folder"), &remote("tree")]);
    assert!(complaint.contains("-r"), "{complaint}");
    stage.done(&["cp", "-r", &here("folder"), &remote("tree")]);
    stage.done(&["cp", "-r", &here("folder"), &remote("")]);
    for name in ["tree", "folder"] {
        assert!(there.join(name).join("inner/file").exists(), "{name}");
    }
    let complaint = stage.refused(&["cp", &remote("tree"), &here("tree")]);
    assert!(complaint.contains("-r"), "{complaint}");
    stage.done(&["cp", "-r", &remote("tree"), &here("tree")]);
    assert_eq!(std::fs::read(stage.path("tree/inner/file")).unwrap(), b"bytes");

    for (arguments, words) in [
        (["cp", &here("none"), &remote("x")], "No such file"),
        (["cp", &remote("none"), &here("x")], "file_not_found"),
        (["cp", &file, ":/proc/x"], "file_not_found"),
        (["cp", &file, ":a/../b"], ".."),
    ] {
        let complaint = stage.refused(&arguments);
        assert!(complaint.contains(words), "{arguments:?}: {complaint}");
    }
    stage.nobody(&["cp", &file, "nobody:x"]);
}
