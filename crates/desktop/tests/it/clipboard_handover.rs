//! Owners that change while they are asked, with the question held up on its way so that each order of things is tested.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use desktop::DesktopError;
use desktop::backend::Clipboard as _;
use desktop::x11::X11Clipboard;
use testbed::XServer;

use crate::clipboard_peers::{LONG, Peer, until_unowned, xclip_owns};

/// What a reading waits for an owner that does not answer.
const PATIENCE: Duration = Duration::from_millis(2500);

/// ConvertSelection, the question for a selection.
const QUESTION: u8 = 24;

/// A way to the X server on which each question for a selection waits until the test lets it go on.
struct Gate {
    waiting: Receiver<()>,
    open: SyncSender<()>,
}

impl Gate {
    /// The clipboard as seen through a gate.
    fn before(server: &XServer) -> (X11Clipboard, Self) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        // Display N of a host is its port 6000 + N.
        let display = listener.local_addr().unwrap().port().checked_sub(6000).unwrap();
        let number = server.display().trim_start_matches(':').to_owned();
        let (waits, waiting) = sync_channel(1);
        let (open, opened) = sync_channel(1);
        thread::spawn(move || {
            let (client, _) = listener.accept().unwrap();
            let server = UnixStream::connect(Path::new("/tmp/.X11-unix").join(format!("X{number}"))).unwrap();
            let (mut answers, mut back) = (server.try_clone().unwrap(), client.try_clone().unwrap());
            thread::spawn(move || std::io::copy(&mut answers, &mut back));
            pass(client, &server, &waits, &opened);
            server.shutdown(Shutdown::Both).ok();
        });
        let clipboard = X11Clipboard::open(&format!("127.0.0.1:{display}"), 1 << 20).unwrap();
        (clipboard, Self { waiting, open })
    }

    /// Waits until a question has come, has `meanwhile` done, and lets it go on.
    fn hold(&self, meanwhile: impl FnOnce()) {
        self.waiting.recv_timeout(LONG).unwrap();
        meanwhile();
        self.open.send(()).unwrap();
    }
}

/// Hands on what the client sends. It asks for answers before and after a question, so a question begins what is read.
fn pass(mut client: TcpStream, mut server: &UnixStream, waits: &SyncSender<()>, opened: &Receiver<()>) {
    let mut bytes = vec![0; 1 << 16];
    // The connection begins with another form, which is no question.
    while let Ok(count @ 1..) = client.read(&mut bytes) {
        if bytes[0] == QUESTION && (waits.send(()).is_err() || opened.recv().is_err()) {
            return;
        }
        if server.write_all(&bytes[..count]).is_err() {
            return;
        }
    }
}

#[test]
fn a_question_that_reaches_the_new_owner_is_not_asked_twice() {
    let server = XServer::start(320, 240);
    let (mut clipboard, gate) = Gate::before(&server);
    let (old, new) = (Peer::new(&server), Peer::new(&server));
    old.own();
    thread::scope(|scope| {
        let reading = scope.spawn(|| clipboard.get());
        gate.hold(|| new.own());
        // Like xclip with a large text, it answers what it was asked first, and nothing after that.
        let first = new.asked();
        new.answer(&first, Some(("UTF8_STRING", "日本".as_bytes())));
        assert_eq!(reading.join().unwrap().unwrap(), "日本");
    });
}

#[test]
fn an_owner_that_was_asked_only_for_the_lesser_form_is_asked_anew() {
    let server = XServer::start(320, 240);
    let (mut clipboard, gate) = Gate::before(&server);
    let (old, new) = (Peer::new(&server), Peer::new(&server));
    old.own();
    thread::scope(|scope| {
        let reading = scope.spawn(|| clipboard.get());
        gate.hold(|| {});
        old.answer(&old.asked(), None);
        gate.hold(|| new.own());
        let lesser = new.asked();
        assert_eq!(lesser.target, new.atom("STRING"));
        new.answer(&lesser, Some(("STRING", b"??")));
        gate.hold(|| {});
        let better = new.asked();
        assert_eq!(better.target, new.atom("UTF8_STRING"));
        new.answer(&better, Some(("UTF8_STRING", "日本".as_bytes())));
        assert_eq!(reading.join().unwrap().unwrap(), "日本");
    });
}

#[test]
fn an_owner_that_goes_before_the_question_comes_leaves_an_empty_clipboard() {
    let server = XServer::start(320, 240);
    let (mut clipboard, gate) = Gate::before(&server);
    let old = Peer::new(&server);
    old.own();
    thread::scope(|scope| {
        let reading = scope.spawn(|| clipboard.get());
        gate.hold(|| {
            drop(old);
            until_unowned(&server);
        });
        assert_eq!(reading.join().unwrap().unwrap(), "");
    });
}

#[test]
fn many_who_take_over_in_a_row_end_with_the_last_one() {
    let server = XServer::start(320, 240);
    let (mut clipboard, gate) = Gate::before(&server);
    let peers: Vec<Peer> = (0..5).map(|_| Peer::new(&server)).collect();
    peers[0].own();
    thread::scope(|scope| {
        let reading = scope.spawn(|| clipboard.get());
        gate.hold(|| peers[1].own());
        peers[1].asked();
        peers[2].own();
        gate.hold(|| {
            peers[3].own();
            peers[4].own();
        });
        peers[4].answer(&peers[4].asked(), Some(("UTF8_STRING", b"the last")));
        assert_eq!(reading.join().unwrap().unwrap(), "the last");
    });
}

#[test]
fn the_end_of_an_owner_that_hands_over_in_pieces_is_not_waited_out() {
    let server = XServer::start(320, 240);
    let mut clipboard = X11Clipboard::open(server.display(), 1 << 20).unwrap();
    let peer = Peer::new(&server);
    peer.own();
    thread::scope(|scope| {
        let reading = scope.spawn(|| (clipboard.get(), Instant::now()));
        let asked = Instant::now();
        peer.answer(&peer.asked(), Some(("INCR", &[0, 0, 0, 1])));
        drop(peer);
        let (outcome, told) = reading.join().unwrap();
        assert!(
            matches!(outcome, Err(DesktopError::ClipboardTooLarge(_))),
            "{outcome:?}"
        );
        assert!(told - asked < PATIENCE, "{:?}", told - asked);
    });
}

#[test]
fn programs_that_take_over_from_each_other_never_leave_a_reader_without_an_answer() {
    let server = XServer::start(320, 240);
    let mut clipboard = X11Clipboard::open(server.display(), 1 << 20).unwrap();
    let large = vec![b'a'; 2_000_000];
    let mut owners = vec![xclip_owns(&server, b"small", &[])];
    for round in 0..12 {
        let large_next = round % 2 == 0;
        let text = if large_next { large.as_slice() } else { b"small" };
        let taken_over = AtomicBool::new(false);
        // The programs end with the thread that has started them, so it is the reader that is given one of its own.
        let owner = thread::scope(|scope| {
            let reading = scope.spawn(|| {
                while !taken_over.load(Ordering::Relaxed) {
                    match clipboard.get() {
                        Ok(text) => assert_eq!(text, "small"),
                        Err(DesktopError::ClipboardTooLarge(_)) => {}
                        Err(error) => panic!("round {round}: {error}"),
                    }
                }
            });
            let next = xclip_owns(&server, text, &[]);
            taken_over.store(true, Ordering::Relaxed);
            reading.join().unwrap();
            next
        });
        owners.push(owner);
        let outcome = clipboard.get();
        assert_eq!(outcome.is_err(), large_next, "round {round}: {outcome:?}");
    }
}
