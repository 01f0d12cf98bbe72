//! Text typed into real programs of every toolkit.

use testbed::{SessionBus, XServer};

use crate::input_programs::{Folder, Program, Stage, chromium, featherpad, mousepad, xterm};

const PLAIN: [&str; 2] = ["abcdefghijklmnopqrstuvwxyz", "Hello, world. aabbccdd 1100"];
const MARKS: &str = r#"AZQMyz /\@|_~{}[]'"=&% ß"#;
const FOREIGN: &str = "é€😀 Привет 日本 ∩ω∩ Ř";
const LAYOUTS: [&[&str]; 5] = [&["us"], &["de"], &["fr"], &["dvorak"], &["us,gr"]];

/// Two hundred characters that no Latin layout has.
fn many() -> String {
    let cyrillic = '\u{410}'..='\u{44f}';
    let kana = '\u{3041}'..='\u{3090}';
    let kanji = '\u{4e00}'..='\u{4e37}';
    let text: String = cyrillic.chain(kana).chain(kanji).collect();
    assert_eq!(text.chars().count(), 200);
    text
}

fn check(name: &str, start: fn(&XServer, &SessionBus, &Folder) -> Program) {
    let mut stage = Stage::new(name, start);
    let mut typed = String::new();
    for layout in LAYOUTS {
        stage.layout(layout);
        let before = stage.keyboard();
        for text in PLAIN
            .into_iter()
            .chain([MARKS, FOREIGN, "one\ttab\nand a line\r\n"])
        {
            stage.type_text(text);
            typed.push_str(&text.replace("\r\n", "\n"));
        }
        stage.expect(&typed);
        assert_eq!(
            stage.keyboard(),
            before,
            "{layout:?}: the keyboard is not as it was"
        );
    }
    let before = stage.keyboard();
    let text = many();
    stage.type_text(&text);
    typed.push_str(&text);
    stage.expect(&typed);
    assert_eq!(stage.keyboard(), before, "the keyboard is not as it was");
}

#[test]
fn xterm_gets_every_character() {
    check("xterm", xterm);
}

#[test]
fn gtk_gets_every_character() {
    check("mousepad", mousepad);
}

#[test]
fn qt_gets_every_character() {
    check("featherpad", featherpad);
}

#[test]
fn chromium_gets_every_character() {
    check("chromium", chromium);
}

#[test]
fn a_shift_that_another_program_holds_changes_no_character() {
    for (name, start) in [
        ("xterm", xterm as fn(&XServer, &SessionBus, &Folder) -> Program),
        ("mousepad", mousepad),
    ] {
        let mut stage = Stage::new(&format!("held-{name}"), start);
        let xdotool = |stage: &Stage, action: &str| {
            let done = stage.server.command("xdotool").args([action, "shift"]).status();
            assert!(done.is_ok_and(|done| done.success()), "{action}");
        };
        xdotool(&stage, "keydown");
        stage.type_text("hello, Wörld 1100");
        xdotool(&stage, "keyup");
        stage.type_text("\nand more\n");
        stage.expect("hello, Wörld 1100\nand more\n");
    }
}
