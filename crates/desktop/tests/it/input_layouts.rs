//! Typing while the keyboard is not as one would like it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::time::Duration;

use desktop::DesktopError;
use desktop::backend::{Gesture, Input as _};
use desktop::x11::X11Input;
use testbed::{SessionBus, XServer, eventually};
use x11rb::connection::Connection as _;
use x11rb::protocol::xkb::{self, ConnectionExt as _};
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _, ModMask};
use x11rb::rust_connection::RustConnection;

use crate::input_programs::{Folder, ME, Program, Stage, chromium, featherpad, mousepad, xterm};

const TEXT: &str = "aA1+ zZyY ?/ éÉ жЖ ß 😀 @|{";

/// A client of its own that looks at the keyboard's state and changes it.
struct Keyboard {
    conn: RustConnection,
    root: u32,
}

impl Keyboard {
    fn new(server: &XServer) -> Self {
        let (conn, screen) = x11rb::connect(Some(server.display())).unwrap();
        conn.xkb_use_extension(1, 0).unwrap().reply().unwrap();
        let root = conn.setup().roots[screen].root;
        Self { conn, root }
    }

    fn lock(&self, modifiers: ModMask, group: u8) {
        let (device, all) = (xkb::ID::USE_CORE_KBD.into(), ModMask::from(0xff_u16));
        let no = ModMask::from(0_u16);
        self.conn
            .xkb_latch_lock_state(device, all, modifiers, true, group.into(), no, false, 0)
            .unwrap();
        self.conn.get_input_focus().unwrap().reply().unwrap();
    }

    fn state(&self) -> (ModMask, ModMask, u8) {
        let state = self
            .conn
            .xkb_get_state(xkb::ID::USE_CORE_KBD.into())
            .unwrap()
            .reply()
            .unwrap();
        (state.locked_mods, state.base_mods, state.group.into())
    }

    /// The window that the typist writes on while it has borrowed something.
    fn borrower(&self) -> Option<u32> {
        let name = self
            .conn
            .intern_atom(false, b"SHINKEN_SCRATCH_KEYS")
            .unwrap()
            .reply()
            .unwrap()
            .atom;
        let cookie = self
            .conn
            .get_property(false, self.root, name, AtomEnum::CARDINAL, 0, 1)
            .unwrap();
        cookie.reply().unwrap().value32()?.next()
    }
}

fn check(name: &str, start: fn(&XServer, &SessionBus, &Folder) -> Program) {
    let mut stage = Stage::new(name, start);
    let keyboard = Keyboard::new(&stage.server);
    let mut typed = String::new();
    let (none, caps) = (ModMask::from(0_u16), ModMask::LOCK);
    let both = caps | ModMask::M2;
    for layout in [&["us"][..], &["de"], &["us", "-variant", "intl"], &["us,gr"]] {
        stage.layout(layout);
        for (modifiers, group) in [(caps, 0), (both, 0), (ModMask::M2, 1), (both, 1), (none, 1)] {
            if group == 1 && layout[0] != "us,gr" {
                continue;
            }
            keyboard.lock(modifiers, group);
            let before = stage.keyboard();
            stage.type_text(TEXT);
            typed.push_str(TEXT);
            stage.type_text("plain\n");
            typed.push_str("plain\n");
            stage.expect(&typed);
            assert_eq!(keyboard.state(), (modifiers, none, group), "{layout:?}");
            assert_eq!(stage.keyboard(), before, "{layout:?}");
        }
        keyboard.lock(none, 0);
    }
    // A key that the layout lacks, in a chord of its own.
    let before = stage.keyboard();
    for chord in ["U+1F600", "Cyrillic_ya", "eacute"] {
        stage.key(chord);
    }
    typed.push_str("😀яé");
    stage.expect(&typed);
    assert_eq!(stage.keyboard(), before);
}

#[test]
fn xterm_is_not_misled_by_locks_and_groups() {
    check("locks-xterm", xterm);
}

#[test]
fn gtk_is_not_misled_by_locks_and_groups() {
    check("locks-mousepad", mousepad);
}

#[test]
fn qt_is_not_misled_by_locks_and_groups() {
    check("locks-featherpad", featherpad);
}

#[test]
fn chromium_is_not_misled_by_locks_and_groups() {
    check("locks-chromium", chromium);
}

#[test]
fn a_layout_that_others_change_meanwhile_changes_no_text() {
    let mut stage = Stage::new("changes", xterm);
    let text = "the quick zebra: yes & no, 100% (really) é ж; ".repeat(11);
    let layouts: [&[&str]; 4] = [&["de"], &["fr"], &["dvorak"], &["us"]];
    let display = stage.server.display().to_owned();
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let ended = std::sync::Arc::clone(&stop);
    let changer = std::thread::Builder::new()
        .spawn(move || {
            let mut changes = 0;
            while !ended.load(std::sync::atomic::Ordering::Relaxed) {
                let mut command = std::process::Command::new("setxkbmap");
                command
                    .args(["-display", &display])
                    .args(layouts[changes % layouts.len()]);
                assert!(command.status().unwrap().success());
                changes += 1;
                std::thread::sleep(Duration::from_millis(400));
            }
            changes
        })
        .unwrap();
    stage.type_text(&text);
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    assert!(changer.join().unwrap() > 2);
    stage.expect(&text);
}

#[test]
fn a_typist_that_is_killed_leaves_nothing_behind() {
    let mut stage = Stage::new("killed", xterm);
    let keyboard = Keyboard::new(&stage.server);
    keyboard.lock(ModMask::LOCK, 0);
    let before = stage.keyboard();
    let mut victim = X11Input::open(stage.server.display()).unwrap();
    let typing = std::thread::Builder::new()
        .spawn(move || {
            let text = Gesture::Type("жшщ and so on ".repeat(200));
            victim.perform(ME, &text)
        })
        .unwrap();
    // The connection is cut as if the process had been killed.
    let window = eventually("keys to be borrowed", Duration::from_secs(30), || {
        let changed = stage.keyboard() != before;
        keyboard.borrower().filter(|_| changed)
    });
    keyboard.conn.kill_client(window).unwrap();
    keyboard.conn.flush().unwrap();
    let gone = typing.join().unwrap();
    assert!(matches!(gone, Err(DesktopError::Gone(_))), "{gone:?}");
    assert_ne!(stage.keyboard(), before);
    // Another one that is at work disturbs nobody; the next owner clears up.
    stage.input = X11Input::open(stage.server.display()).unwrap();
    assert_eq!(stage.keyboard(), before);
    assert_eq!(keyboard.state(), (ModMask::LOCK, ModMask::from(0_u16), 0));
    assert_eq!(keyboard.borrower(), None);
    stage.type_text("x");
}

#[test]
fn one_owner_leaves_alone_what_another_one_at_work_has_borrowed() {
    let mut stage = Stage::new("two", xterm);
    let keyboard = Keyboard::new(&stage.server);
    let text = "жшщ and so on ".repeat(20);
    let (gesture, display) = (Gesture::Type(text.clone()), stage.server.display().to_owned());
    std::thread::scope(|scope| {
        let input = &mut stage.input;
        let typing = scope.spawn(move || input.perform(ME, &gesture).map(drop));
        let window = eventually("keys to be borrowed", Duration::from_secs(30), || {
            keyboard.borrower()
        });
        let mut other = X11Input::open(&display).unwrap();
        other.settle().unwrap();
        assert_eq!(keyboard.borrower(), Some(window));
        assert_eq!(typing.join().unwrap(), Ok(()));
    });
    stage.expect(&text);
    assert_eq!(keyboard.borrower(), None);
}

#[test]
fn what_no_key_types_is_refused_before_anything_is_typed() {
    let mut stage = Stage::new("refused", xterm);
    for (text, at) in [
        ("ab\u{7}", "2"),
        ("\u{1b}[A", "0"),
        ("abc\u{9f}", "3"),
        ("é\u{fffe}", "1"),
        ("\0", "0"),
    ] {
        let refused = stage.input.perform(ME, &Gesture::Type(text.to_owned()));
        let Err(DesktopError::Invalid(said)) = refused else {
            panic!("{text:?}: {refused:?}")
        };
        assert!(said.contains(&format!("character {at} ")), "{said}");
    }
    stage.type_text("");
    stage.type_text("a\rb\nc\r\nd\n\re");
    stage.expect("a\nb\nc\nd\n\ne");
}
