//! What a cell writes and shows.

use base64::Engine as _;
use serde_json::json;

use super::{Granted, binary_result, fine, run};

#[test]
fn output_of_all_kinds_comes_in_order() {
    let daemon = Granted::start();
    let mut client = daemon.client();
    let result = fine(
        &mut client,
        "import os, subprocess, sys\n\
         print('a', end='')\n\
         print('b', file=sys.stderr)\n\
         _ = subprocess.run(['sh', '-c', 'echo c; echo d >&2'])\n\
         _ = os.write(1, b'e\\n')\n\
         _ = os.system('echo f')\n\
         print('g')",
    );
    assert_eq!(result["output"], "ab\nc\nd\ne\nf\ng\n");
    // What is left running writes on, and holds nothing up.
    let left = fine(
        &mut client,
        "p = subprocess.Popen(['sh', '-c', 'read x; echo late'], stdin=subprocess.PIPE)",
    );
    assert_eq!(left["output"], "");
    fine(&mut client, "p.stdin.close(); code = p.wait()");
    let stdin = fine(
        &mut client,
        "print(repr(sys.stdin.read()), subprocess.run(['cat']).returncode)",
    );
    assert_eq!(stdin["output"], "'' 0\n");
}

#[test]
fn much_output_is_cut_and_drained() {
    let daemon = Granted::start_with(&["--exec-buffer-bytes", "1000"]);
    let mut client = daemon.client();
    let result = fine(&mut client, "print('é' * 5_000_000)\nprint('end')\n7");
    assert_eq!(result["output"], "é".repeat(500));
    assert_eq!(
        (&result["output_truncated"], &result["value"]),
        (&json!(true), &json!("7"))
    );
    let result = fine(&mut client, "print('whole')");
    assert_eq!(
        (&result["output"], &result["output_truncated"]),
        (&json!("whole\n"), &json!(false))
    );
    // A thread that goes on writing for ever.
    fine(
        &mut client,
        "import threading\n\
         go = True\n\
         def talk():\n  while go: print('x' * 1000)\n\
         thread = threading.Thread(target=talk)\n\
         thread.start()",
    );
    assert_eq!(fine(&mut client, "1 + 1")["value"], "2");
    fine(&mut client, "go = False\nthread.join()");
}

const PLOT: &str = "import matplotlib.pyplot as plt\nplt.plot([1, 3, 2])\n";

#[test]
fn plots_come_back_as_pictures() {
    let daemon = Granted::start();
    let mut client = daemon.binary_client();
    let (value, payload) = binary_result(
        &mut client,
        &format!("{PLOT}plt.show()\nprint(plt.get_fignums())\nfigure = plt.figure(figsize=(2, 1))\nfigure"),
    );
    assert_eq!(value["output"], "[]\n", "{value}");
    let outputs = value["outputs"].as_array().unwrap();
    assert_eq!(outputs.len(), 2, "{value}");
    for output in outputs {
        assert_eq!(output["kind"], "figure");
        let form = &output["forms"][0];
        assert_eq!(form["mime"], "image/png");
        let place = |key: &str| usize::try_from(form["data"][key].as_u64().unwrap()).unwrap();
        let picture = &payload[place("off")..place("off") + place("len")];
        let mut reader = png::Decoder::new(std::io::Cursor::new(picture))
            .read_info()
            .unwrap();
        assert!(reader.info().width > 50);
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
    }
    assert_eq!(fine(&mut client, "plt.get_fignums()")["value"], "[]");
    // An exception leaves what was drawn before it.
    let (value, _) = binary_result(&mut client, &format!("{PLOT}1 / 0"));
    assert_eq!(value["error"]["ename"], "ZeroDivisionError");
    // The same as text.
    let mut client = daemon.client();
    let value = fine(&mut client, PLOT);
    let data = value["outputs"][0]["forms"][0]["data_b64"].as_str().unwrap();
    let picture = base64::engine::general_purpose::STANDARD.decode(data).unwrap();
    assert!(picture.starts_with(b"\x89PNG"));
}

#[test]
fn objects_show_themselves_as_in_a_notebook() {
    let daemon = Granted::start();
    let mut client = daemon.client();
    fine(
        &mut client,
        "class Shown:\n\
         \x20 def __repr__(self): return 'shown'\n\
         \x20 def _repr_html_(self): return '<b>☕</b>'\n\
         \x20 def _repr_png_(self): return b'png'\n\
         \x20 def _repr_svg_(self): return None\n\
         \x20 def _repr_latex_(self): raise ValueError('no')\n\
         class Bundle:\n\
         \x20 def _repr_mimebundle_(self, include=None, exclude=None): return {'application/x+json': {'a': [1]}}, {}",
    );
    let result = fine(&mut client, "display(1, Shown())\nBundle()");
    assert!(
        result["output"].as_str().unwrap().contains("ValueError: no"),
        "{result}"
    );
    assert_eq!(
        result["outputs"],
        json!([
            {"kind": "display", "forms": [{"mime": "text/plain", "text": "1"}]},
            {"kind": "display", "forms": [
                {"mime": "image/png", "data_b64": "cG5n"},
                {"mime": "text/html", "text": "<b>☕</b>"},
                {"mime": "text/plain", "text": "shown"},
            ]},
            {"kind": "value", "forms": [{"mime": "application/x+json", "text": "{\"a\": [1]}"}]},
        ])
    );
}

#[test]
fn what_is_shown_has_a_bound_in_number_and_in_bytes() {
    let daemon = Granted::start_with(&["--run-outputs-bytes", "10000"]);
    let mut client = daemon.binary_client();
    let many = fine(&mut client, "for n in range(1000): display(n)");
    assert_eq!(many["outputs"].as_array().unwrap().len(), 64);
    assert_eq!(many["outputs_truncated"], true);
    let large =
        "class Large:\n  def _repr_png_(self): return bytes(9000)\n  def __repr__(self): return 'large'\n";
    let (value, payload) = binary_result(&mut client, &format!("{large}display(Large(), Large())"));
    assert_eq!(payload.len(), 9000);
    assert_eq!(value["outputs_truncated"], true);
    assert_eq!(
        value["outputs"][1]["forms"],
        json!([{"mime": "text/plain", "text": "large"}])
    );
    let whole = run(&mut client, "display(1)");
    assert_eq!(whole["outputs_truncated"], false);
}
