//! Keys on a desktop whose window manager keeps the focus to itself, for no program has it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use desktop::DesktopError;
use desktop::backend::{
    Button, Capture as _, Gesture, Holder, Input as _, Pace, Point, Region, Windows as _,
};
use desktop::x11::{X11Capture, X11Input, X11Windows};
use testbed::{XServer, eventually};
use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{
    AtomEnum, ConnectionExt as _, CreateWindowAux, InputFocus, PropMode, Window, WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

use crate::windows_stage::{LONG, titled, xterm};

const ME: Holder = Holder(1);

fn key(input: &mut X11Input, chord: &str) -> Result<(), DesktopError> {
    input.perform(ME, &Gesture::Key(chord.to_owned())).map(drop)
}

fn text(input: &mut X11Input, text: &str) -> Result<(), DesktopError> {
    input.perform(ME, &Gesture::Type(text.to_owned())).map(drop)
}

#[track_caller]
fn check_refused(outcome: Result<(), DesktopError>) {
    let error = outcome.unwrap_err();
    assert!(matches!(error, DesktopError::WindowNotFound(_)), "{error:?}");
    assert!(error.to_string().contains("activate_window"), "{error}");
}

#[test]
fn an_empty_desktop_takes_no_text_but_the_managers_keys() {
    let server = XServer::start(800, 600);
    let mut early = X11Input::open(server.display()).unwrap();
    let _manager = server.window_manager();
    let mut late = X11Input::open(server.display()).unwrap();
    // Whether the manager was there before or came later.
    for input in [&mut early, &mut late] {
        check_refused(text(input, "nobody reads this"));
        for chord in ["Return", "a", "shift+a", "Escape", "Page_Down", "U+20AC"] {
            check_refused(key(input, chord));
        }
        for chord in ["ctrl+alt+x", "super", "alt+F1", "F9", "Print", "shift"] {
            assert_eq!(key(input, chord), Ok(()), "{chord}");
        }
    }
    // A window that comes has the focus, and loses it when it goes.
    let mut input = early;
    let mut windows = X11Windows::open(server.display()).unwrap();
    let app = xterm(&server, "reader", "40x10+30+40");
    let id = titled(&mut windows, "reader").id;
    windows.activate(id).unwrap();
    assert_eq!(key(&mut input, "Return"), Ok(()));
    // Once all is quiet a key costs no question.
    eventually("a fast key", LONG, || {
        input.settle().unwrap();
        (input.pace(&Gesture::Key("Return".to_owned())) == Pace::Immediate).then_some(())
    });
    assert_eq!(text(&mut input, "some text"), Ok(()));
    drop(app);
    // Until the manager has taken note, the focus may be with the window under the pointer.
    eventually("the focus to be nobody's", LONG, || {
        key(&mut input, "Return").err()
    });
    check_refused(key(&mut input, "Return"));
    check_refused(text(&mut input, "nobody reads this"));
}

#[test]
fn an_open_menu_of_the_manager_takes_keys() {
    let server = XServer::start(800, 600);
    let _manager = server.window_manager();
    let mut input = X11Input::open(server.display()).unwrap();
    check_refused(key(&mut input, "Down"));
    let at = Point { x: 300, y: 200 };
    let click = Gesture::Click {
        at,
        button: Button::Right,
        count: 1,
    };
    input.perform(ME, &click).unwrap();
    eventually("the menu", LONG, || key(&mut input, "Down").ok());
    for chord in ["Down", "Up", "Escape"] {
        assert_eq!(key(&mut input, chord), Ok(()), "{chord}");
    }
    eventually("the menu to close", LONG, || key(&mut input, "Escape").err());
    check_refused(key(&mut input, "Return"));
}

/// A window manager as bare as can be.
struct BareManager {
    conn: RustConnection,
    root: Window,
    /// The window by which it is known, where it keeps the focus.
    proof: Window,
}

impl BareManager {
    fn start(server: &XServer) -> Self {
        let (conn, screen) = RustConnection::connect(Some(server.display())).unwrap();
        let root = conn.setup().roots[screen].root;
        let mut manager = Self {
            conn,
            root,
            proof: root,
        };
        // Larger than that of most, so that only its place tells it from a dialog.
        let proof = manager.window((-100, -100), (50, 50));
        manager.proof = proof;
        let name = manager
            .conn
            .intern_atom(false, b"_NET_SUPPORTING_WM_CHECK")
            .unwrap();
        let name = name.reply().unwrap().atom;
        for window in [proof, root] {
            manager
                .conn
                .change_property32(PropMode::REPLACE, window, name, AtomEnum::WINDOW, &[proof])
                .unwrap();
        }
        manager.focus(proof);
        manager
    }

    fn window(&self, (x, y): (i16, i16), (w, h): (u16, u16)) -> Window {
        let id = self.conn.generate_id().unwrap();
        let (class, look) = (WindowClass::INPUT_OUTPUT, CreateWindowAux::new());
        self.conn
            .create_window(0, id, self.root, x, y, w, h, 0, class, 0, &look)
            .unwrap();
        self.conn.map_window(id).unwrap();
        id
    }

    fn focus(&self, window: Window) {
        self.conn
            .set_input_focus(InputFocus::PARENT, window, 0_u32)
            .unwrap();
        self.conn.sync().unwrap();
    }
}

#[test]
fn a_dialog_of_the_manager_itself_reads_keys() {
    let server = XServer::start(400, 300);
    let manager = BareManager::start(&server);
    let mut input = X11Input::open(server.display()).unwrap();
    check_refused(text(&mut input, "nobody reads this"));
    let dialog = manager.window((50, 40), (200, 30));
    manager.focus(dialog);
    assert_eq!(text(&mut input, "a command"), Ok(()));
    assert_eq!(key(&mut input, "Return"), Ok(()));
    manager.focus(manager.proof);
    check_refused(key(&mut input, "Return"));
}

#[test]
fn with_the_focus_on_the_root_keys_go_to_the_window_under_the_pointer() {
    let server = XServer::start(400, 300);
    let manager = BareManager::start(&server);
    let mut input = X11Input::open(server.display()).unwrap();
    manager.window((100, 100), (80, 80));
    manager.focus(manager.root);
    let to = |x, y| Gesture::Move(Point { x, y });
    input.perform(ME, &to(10, 10)).unwrap();
    check_refused(key(&mut input, "a"));
    input.perform(ME, &to(120, 120)).unwrap();
    assert_eq!(key(&mut input, "a"), Ok(()));
    assert_eq!(text(&mut input, "text"), Ok(()));
}

#[test]
fn without_a_manager_keys_go_to_the_window_under_the_pointer() {
    let server = XServer::start(400, 300);
    let mut input = X11Input::open(server.display()).unwrap();
    assert_eq!(key(&mut input, "Return"), Ok(()));
    assert_eq!(text(&mut input, "text"), Ok(()));
}

#[test]
fn a_desktop_without_windows_has_no_active_one() {
    let server = XServer::start(800, 600);
    let _manager = server.window_manager();
    let mut capture = X11Capture::open(server.display()).unwrap();
    let grabbed = capture.grab(Region::ActiveWindow, None, None);
    assert!(
        matches!(grabbed, Err(DesktopError::WindowNotFound(_))),
        "{:?}",
        grabbed.map(|grab| grab.source)
    );
}
