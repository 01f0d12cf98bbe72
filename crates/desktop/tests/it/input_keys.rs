//! Chords, as a window receives them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use desktop::DesktopError;
use desktop::backend::{Gesture, Holder, Input as _, Pace};
use desktop::x11::X11Input;
use testbed::XServer;
use x11rb::protocol::xkb::{self, ConnectionExt as _};
use x11rb::protocol::xproto::{ConnectionExt as _, KeyButMask};

use crate::input_witness::{What, Witness};

const ME: Holder = Holder(1);

struct Stage {
    input: X11Input,
    witness: Witness,
    server: XServer,
}

fn stage() -> Stage {
    let server = XServer::start(400, 300);
    let witness = Witness::new(&server);
    let input = X11Input::open(server.display()).unwrap();
    Stage {
        input,
        witness,
        server,
    }
}

impl Stage {
    fn press(&mut self, chord: &str) -> Result<String, DesktopError> {
        self.input.perform(ME, &Gesture::Key(chord.to_owned()))?;
        self.input.settle()?;
        let keys = self.witness.keys();
        assert_eq!(self.witness.held(), (vec![], 0), "{chord} leaves something down");
        Ok(keys)
    }

    fn layout(&self, args: &[&str]) {
        assert!(
            self.server
                .command("setxkbmap")
                .args(args)
                .status()
                .unwrap()
                .success(),
            "{args:?}"
        );
    }

    #[track_caller]
    fn check(&mut self, chord: &str, expect: &str) {
        assert_eq!(self.press(chord).as_deref(), Ok(expect), "{chord}");
    }
}

#[test]
fn keys_have_names_and_aliases() {
    let mut stage = stage();
    for (chords, expect) in [
        (&["enter", "Return", "RETURN"][..], "<Return>"),
        (&["esc", "Escape"], "<Escape>"),
        (&["PageDown", "page_down", "Page_Down", "Next", "pgdn"], "<Next>"),
        (&["super", "meta", "cmd", "win"], "<Super_L>"),
        (&["F12", "f12"], "<F12>"),
        (&["del"], "<Delete>"),
        (&["ins"], "<Insert>"),
        (&["backspace"], "<BackSpace>"),
        (&["up", "arrowup"], "<Up>"),
        (&["home"], "<Home>"),
        (&["end"], "<End>"),
        (&["tab"], "<Tab>"),
        (&["space", " "], " "),
        (&["a"], "a"),
        (&["7"], "7"),
    ] {
        for chord in chords {
            stage.check(chord, expect);
        }
    }
}

#[test]
fn chords_are_held_in_order_and_released_in_reverse() {
    let mut stage = stage();
    let chord = Gesture::Key("ctrl+shift+t".to_owned());
    assert_eq!(stage.input.pace(&chord), Pace::Immediate);
    stage.input.perform(ME, &chord).unwrap();
    stage.input.settle().unwrap();
    let seen = stage.witness.seen();
    let codes: Vec<What> = seen.iter().map(|seen| seen.what).collect();
    let (ctrl, shift, t) = (37, 50, 28);
    assert_eq!(
        codes,
        [
            What::KeyDown(ctrl),
            What::KeyDown(shift),
            What::KeyDown(t),
            What::KeyUp(t),
            What::KeyUp(shift),
            What::KeyUp(ctrl)
        ]
    );
    assert_eq!(seen[2].state, KeyButMask::CONTROL | KeyButMask::SHIFT);
    assert!(seen[3].time - seen[2].time >= 8, "{seen:?}");
}

#[test]
fn a_symbol_brings_the_modifiers_it_needs() {
    let mut stage = stage();
    stage.check("A", "<Shift_L>A");
    stage.check("exclam", "<Shift_L>!");
    stage.check("plus", "<Shift_L>+");
    stage.check("ctrl++", "<Control_L><Shift_L>+");
    stage.check("ctrl+-", "<Control_L>-");
    stage.check("shift+Tab", "<Shift_L><ISO_Left_Tab>");
    stage.check("shift+A", "<Shift_L>A");
    stage.check("ctrl+alt+Delete", "<Control_L><Alt_L><Delete>");
    stage.check("Control_L+a", "<Control_L>a");
    stage.layout(&["de"]);
    stage.check("z", "z");
    stage.check("at", "<ISO_Level3_Shift>@");
    stage.check("ctrl+y", "<Control_L>y");
    stage.layout(&["fr"]);
    stage.check("1", "<Shift_L>1");
    stage.check("a", "a");
}

#[test]
fn what_is_no_chord_presses_nothing() {
    let mut stage = stage();
    for chord in [
        "",
        "ctrl+",
        "+a",
        "nosuchkey",
        "ctrl+nosuchkey",
        "ctrl+a ctrl+c",
        "ctrl+a\n",
    ] {
        let refused = stage.press(chord);
        assert!(
            matches!(refused, Err(DesktopError::Invalid(_))),
            "{chord:?}: {refused:?}"
        );
        stage.input.settle().unwrap();
        assert_eq!(stage.witness.seen(), [], "{chord:?}");
    }
    let Err(DesktopError::Invalid(text)) = stage.press("ctrl+Retrun") else {
        panic!("accepted")
    };
    assert!(text.contains("Return"), "{text}");
}

#[test]
fn locks_change_no_key_and_stay_as_they_are() {
    let mut stage = stage();
    for lock in ["Caps_Lock", "Num_Lock"] {
        stage.input.perform(ME, &Gesture::Key(lock.to_owned())).unwrap();
    }
    stage.input.settle().unwrap();
    stage.witness.seen();
    let locks = |stage: &Stage| stage.witness.held().1;
    let held = || KeyButMask::LOCK | KeyButMask::MOD2;
    assert_eq!(locks(&stage), u16::from(held()));
    for (chord, keys) in [
        ("a", "a"),
        ("A", "<Shift_L>A"),
        ("KP_1", "1"),
        ("ctrl+a", "<Control_L>a"),
    ] {
        stage.input.perform(ME, &Gesture::Key(chord.to_owned())).unwrap();
        stage.input.settle().unwrap();
        let seen = stage.witness.seen();
        let last = seen
            .iter()
            .rev()
            .find(|seen| matches!(seen.what, What::KeyDown(_)))
            .unwrap();
        assert!(!last.state.contains(KeyButMask::LOCK), "{keys}: {seen:?}");
        assert_eq!(locks(&stage), u16::from(held()));
    }
    stage.input.perform(ME, &Gesture::Key("caps".to_owned())).unwrap();
    stage.input.settle().unwrap();
    assert_eq!(locks(&stage), u16::from(KeyButMask::MOD2));
}

#[test]
fn a_key_of_another_group_is_found_there() {
    let mut stage = stage();
    stage.layout(&["us,gr"]);
    stage.check("a", "a");
    stage.check("Greek_alpha", "α");
    stage.check("ctrl+c", "<Control_L>c");
    // The other way round: the second group is the active one, and stays it.
    let device = xkb::ID::USE_CORE_KBD.into();
    let no = 0_u16.into();
    stage
        .witness
        .conn
        .xkb_latch_lock_state(device, no, no, true, xkb::Group::M2, no, false, 0)
        .unwrap();
    stage.witness.sync();
    for (chord, keys) in [
        ("a", "a"),
        ("Greek_alpha", "α"),
        ("ctrl+c", "<Control_L>c"),
        ("1", "1"),
    ] {
        stage.input.perform(ME, &Gesture::Key(chord.to_owned())).unwrap();
        stage.input.settle().unwrap();
        assert_eq!(stage.witness.keys(), keys);
        let state = stage.witness.conn.xkb_get_state(device).unwrap().reply().unwrap();
        assert_eq!((state.group, state.base_mods), (xkb::Group::M2, no));
    }
}

#[test]
fn keys_without_a_focus_are_an_error() {
    let mut stage = stage();
    stage
        .witness
        .focus(u32::from(x11rb::protocol::xproto::InputFocus::NONE));
    for _ in 0..2 {
        for gesture in [Gesture::Key("a".to_owned()), Gesture::Type("abc".to_owned())] {
            let refused = stage.input.perform(ME, &gesture);
            assert!(
                matches!(refused, Err(DesktopError::WindowNotFound(_))),
                "{refused:?}"
            );
        }
    }
    stage.witness.focus(stage.witness.window);
    stage.check("a", "a");
    stage
        .witness
        .focus(u32::from(x11rb::protocol::xproto::InputFocus::NONE));
    assert!(matches!(stage.press("a"), Err(DesktopError::WindowNotFound(_))));
    stage
        .witness
        .focus(u32::from(x11rb::protocol::xproto::InputFocus::POINTER_ROOT));
    stage.check("b", "b");
    stage.witness.focus(stage.witness.window);
    stage.check("c", "c");
    // Focus goes with the window that had it.
    stage.witness.conn.destroy_window(stage.witness.window).unwrap();
    stage.witness.sync();
    assert!(matches!(stage.press("a"), Err(DesktopError::WindowNotFound(_))));
}

#[test]
fn a_modifier_that_another_program_holds_changes_no_text() {
    let mut stage = stage();
    let xdotool = |stage: &Stage, action: &str, key: &str| {
        let done = stage.server.command("xdotool").args([action, key]).status();
        assert!(done.unwrap().success(), "{action} {key}");
    };
    for (name, code) in [
        ("Shift_L", 50),
        ("Control_L", 37),
        ("Alt_L", 64),
        ("Super_L", 133),
    ] {
        xdotool(&stage, "keydown", name);
        assert_eq!(stage.witness.held().0, [code], "{name}");
        stage.witness.seen();
        // More than one piece, with a capital that needs Shift itself.
        let text = "hello, World and more";
        stage.input.perform(ME, &Gesture::Type(text.to_owned())).unwrap();
        stage.input.settle().unwrap();
        let keys = stage.witness.keys();
        let held = format!("<{name}>");
        let typed: String = keys.replace("<Shift_L>", "").replace(&held, "");
        assert_eq!(typed, text, "{name}: {keys}");
        assert!(keys.ends_with(&held), "{name}: {keys}");
        assert_eq!(stage.witness.held().0, [code], "{name} is down again");
        // Nor is any character a chord.
        stage.input.perform(ME, &Gesture::Type(text.to_owned())).unwrap();
        stage.input.settle().unwrap();
        let commands = KeyButMask::CONTROL | KeyButMask::MOD1 | KeyButMask::MOD4;
        for seen in stage.witness.seen() {
            let is_key = matches!(seen.what, What::KeyDown(down) if ![50, code].contains(&down));
            assert!(
                !is_key || u16::from(seen.state & commands) == 0,
                "{name}: {seen:?}"
            );
        }
        xdotool(&stage, "keyup", name);
        assert_eq!(stage.witness.held(), (vec![], 0), "{name}");
    }
}

#[test]
fn losing_the_focus_half_way_is_told() {
    let Stage {
        mut input,
        witness,
        server: _server,
    } = stage();
    let text = Gesture::Type("hello ".repeat(200));
    let typing = std::thread::Builder::new()
        .spawn(move || input.perform(ME, &text))
        .unwrap();
    testbed::eventually("the first keys", std::time::Duration::from_secs(20), || {
        (!witness.seen().is_empty()).then_some(())
    });
    witness.focus(u32::from(x11rb::protocol::xproto::InputFocus::NONE));
    let lost = typing.join().unwrap();
    let Err(DesktopError::WindowNotFound(said)) = lost else {
        panic!("{lost:?}")
    };
    assert!(said.contains("of 1200 characters"), "{said}");
    assert_eq!(witness.held(), (vec![], 0));
}
