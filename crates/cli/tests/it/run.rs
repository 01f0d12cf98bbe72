//! Python code by the command.

use crate::stage::{Stage, said};

#[test]
fn code_is_run_and_its_end_passed_on() {
    let stage = Stage::new();
    let _desktop = stage.up(&["--grant", "run", "--", "--python", "/usr/bin/python3"]);
    assert_eq!(stage.done(&["run", "a=10\nb=20\nprint(a+b)"]), "30\n");
    assert_eq!(stage.done(&["run", "a"]), "10\n");
    let file = stage.path("code.py");
    std::fs::write(&file, "print('é')\n'value'").unwrap_or_default();
    let file = file.to_str().unwrap_or_default();
    assert_eq!(stage.done(&["run", "-f", file]), "é\n'value'\n");
    let output = stage.run(&["run", "print('before')\n1/0"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert_eq!(output.stdout, b"before\n");
    assert!(said(&output).contains("ZeroDivisionError: division by zero\n"));
    let output = stage.run(&["run", "--timeout", "0.2", "while True: pass"]);
    assert_eq!(output.status.code(), Some(124), "{}", said(&output));
    let plots = stage.path("plots");
    let plots = plots.to_str().unwrap_or_default();
    stage.done(&[
        "run",
        "--save",
        plots,
        "import matplotlib.pyplot as plt\nline = plt.plot([1, 2])",
    ]);
    let saved: Vec<_> = std::fs::read_dir(plots)
        .map(Iterator::collect)
        .unwrap_or_default();
    assert_eq!(saved.len(), 1, "{saved:?}");
    let json = stage.done(&["run", "--json", "a"]);
    assert!(json.contains("\"value\":\"10\""), "{json}");
    stage.done(&["run", "--restart"]);
    assert!(stage.refused(&["run", "a"]).contains("NameError"));
    stage.misused(&["run"]);
    stage.misused(&["run", "1", "--restart"]);
}

#[test]
fn a_desktop_without_the_grant_says_how_to_get_it() {
    let stage = Stage::new();
    let _desktop = stage.up(&[]);
    assert!(stage.refused(&["run", "1"]).contains("shinken up --grant run"));
    stage.misused(&["up", "--grant", "everything"]);
}
