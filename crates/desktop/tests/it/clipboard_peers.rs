//! Programs at the other end of the clipboard.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};
use std::time::Duration;

use testbed::{App, XServer, eventually};
use x11rb::connection::Connection as _;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ConnectionExt as _, CreateWindowAux, EventMask, PropMode, Property, SELECTION_NOTIFY_EVENT,
    SelectionNotifyEvent, SelectionRequestEvent, WindowClass,
};
use x11rb::rust_connection::RustConnection;
use x11rb::wrapper::ConnectionExt as _;

/// Longer than anything takes on a busy machine.
pub(crate) const LONG: Duration = Duration::from_secs(30);

/// Has xclip own the clipboard with `bytes`; it stays in the foreground.
pub(crate) fn xclip_owns(server: &XServer, bytes: &[u8], options: &[&str]) -> App {
    let before = owner(server);
    let mut app = App::spawn(
        server
            .command("xclip")
            .args(["-i", "-quiet", "-selection", "clipboard"])
            .args(options)
            .stdin(Stdio::piped()),
    );
    app.child().stdin.take().unwrap().write_all(bytes).unwrap();
    eventually("xclip to take the clipboard", LONG, || {
        let now = owner(server);
        (now != before && now != x11rb::NONE).then_some(())
    });
    app
}

/// What xclip reads.
pub(crate) fn xclip_reads(server: &XServer, options: &[&str]) -> Vec<u8> {
    read_all(
        server
            .command("xclip")
            .args(["-o", "-selection", "clipboard"])
            .args(options),
    )
}

pub(crate) fn read_all(command: &mut Command) -> Vec<u8> {
    let mut app = App::spawn(command.stdout(Stdio::piped()));
    let mut bytes = Vec::new();
    app.child()
        .stdout
        .take()
        .unwrap()
        .read_to_end(&mut bytes)
        .unwrap();
    bytes
}

/// The window that has the clipboard.
pub(crate) fn owner(server: &XServer) -> u32 {
    let peer = Peer::new(server);
    let asked = peer.conn.get_selection_owner(peer.atom("CLIPBOARD")).unwrap();
    asked.reply().unwrap().owner
}

/// Waits until nobody has the clipboard.
pub(crate) fn until_unowned(server: &XServer) {
    eventually("the clipboard to be without an owner", LONG, || {
        (owner(server) == x11rb::NONE).then_some(())
    });
}

/// A client that speaks the protocol word by word, as a test tells it to.
#[derive(Debug)]
pub(crate) struct Peer {
    pub(crate) conn: RustConnection,
    pub(crate) window: u32,
}

impl Peer {
    pub(crate) fn new(server: &XServer) -> Self {
        let (conn, screen) = x11rb::connect(Some(server.display())).unwrap();
        let root = conn.setup().roots[screen].root;
        let window = conn.generate_id().unwrap();
        let attributes = CreateWindowAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        let class = WindowClass::INPUT_ONLY;
        conn.create_window(0, window, root, 0, 0, 1, 1, 0, class, 0, &attributes)
            .unwrap()
            .check()
            .unwrap();
        Self { conn, window }
    }

    pub(crate) fn atom(&self, name: &str) -> u32 {
        let asked = self.conn.intern_atom(false, name.as_bytes()).unwrap();
        asked.reply().unwrap().atom
    }

    /// Takes the clipboard. Who asks for it is not answered but by the test.
    pub(crate) fn own(&self) {
        let clipboard = self.atom("CLIPBOARD");
        self.conn
            .set_selection_owner(self.window, clipboard, x11rb::CURRENT_TIME)
            .unwrap()
            .check()
            .unwrap();
    }

    /// Waits for an event that `wanted` makes something of, and skips others.
    pub(crate) fn event<T>(&self, what: &str, wanted: impl Fn(Event) -> Option<T>) -> T {
        eventually(what, LONG, || {
            while let Some(event) = self.conn.poll_for_event().unwrap() {
                if let Some(found) = wanted(event) {
                    return Some(found);
                }
            }
            None
        })
    }

    /// The next request for the clipboard.
    pub(crate) fn asked(&self) -> SelectionRequestEvent {
        self.event("a request for the clipboard", |event| match event {
            Event::SelectionRequest(request) => Some(request),
            _ => None,
        })
    }

    /// Answers a request: with these bytes as that type, or with a refusal.
    pub(crate) fn answer(&self, request: &SelectionRequestEvent, answer: Option<(&str, &[u8])>) {
        if let Some((kind, bytes)) = answer {
            let (mode, kind) = (PropMode::REPLACE, self.atom(kind));
            self.conn
                .change_property8(mode, request.requestor, request.property, kind, bytes)
                .unwrap();
        }
        let notice = SelectionNotifyEvent {
            response_type: SELECTION_NOTIFY_EVENT,
            sequence: 0,
            time: request.time,
            requestor: request.requestor,
            selection: request.selection,
            target: request.target,
            property: answer.map_or(x11rb::NONE, |_| request.property),
        };
        self.conn
            .send_event(false, request.requestor, EventMask::NO_EVENT, notice)
            .unwrap();
        // The server drops what it has not read when a connection closes, and some peers go right after their answer.
        self.conn.get_input_focus().unwrap().reply().unwrap();
    }

    /// Asks for the clipboard and waits for the answer; whether there is one.
    pub(crate) fn convert(&self, target: &str, property: &str) -> bool {
        let (clipboard, target, property) = (self.atom("CLIPBOARD"), self.atom(target), self.atom(property));
        self.conn
            .convert_selection(self.window, clipboard, target, property, x11rb::CURRENT_TIME)
            .unwrap();
        self.conn.flush().unwrap();
        self.event("an answer about the clipboard", |event| match event {
            Event::SelectionNotify(notice) if notice.target == target => Some(notice.property == property),
            _ => None,
        })
    }

    /// Takes a property of the own window, which deletes it: its type, empty where there is no property, and its bytes.
    pub(crate) fn take(&self, property: &str) -> (String, Vec<u8>) {
        let property = self.atom(property);
        let asked = self
            .conn
            .get_property(true, self.window, property, AtomEnum::ANY, 0, u32::MAX);
        let taken = asked.unwrap().reply().unwrap();
        if taken.type_ == x11rb::NONE {
            return (String::new(), taken.value);
        }
        let asked = self.conn.get_atom_name(taken.type_).unwrap();
        let name = asked.reply().unwrap().name;
        (String::from_utf8(name).unwrap(), taken.value)
    }

    /// Waits for the next piece in a property of the own window, and takes it.
    pub(crate) fn piece(&self, property: &str) -> Vec<u8> {
        let wanted = self.atom(property);
        self.event("a piece of the clipboard", |event| match event {
            Event::PropertyNotify(notice) if notice.atom == wanted && notice.state == Property::NEW_VALUE => {
                Some(())
            }
            _ => None,
        });
        self.take(property).1
    }

    /// Takes all pieces of a transfer whose announcement has been taken.
    pub(crate) fn pieces(&self, property: &str) -> Vec<u8> {
        let mut text = Vec::new();
        loop {
            let piece = self.piece(property);
            if piece.is_empty() {
                return text;
            }
            text.extend(piece);
        }
    }
}

/// Text without a period that a piece could hide in.
pub(crate) fn long_text(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 16);
    for number in 0.. {
        if text.len() >= bytes {
            break;
        }
        text.push_str(&format!("{number:x},"));
    }
    text.truncate(bytes);
    text
}
