//! The least that a WebSocket server can do: send back what it gets. It is what a round trip costs before anything is
//! done in it, so it runs on the same libraries as the daemon and in a process of its own, too.
//!
//! A message that begins with [`BY_HAND`] it also has an X server do, with one write and without a look at anything: no
//! message is parsed, no position checked, no state kept. That is the least that an input verb can cost.

use std::rc::Rc;

use anyhow::Context as _;
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::net::{TcpListener, TcpStream};

use x11rb::connection::Connection as _;
use x11rb::protocol::xproto::{
    BUTTON_PRESS_EVENT, BUTTON_RELEASE_EVENT, KEY_PRESS_EVENT, KEY_RELEASE_EVENT, MOTION_NOTIFY_EVENT,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

/// What a message begins with that is done before it is sent back: then a `type,detail,delay,x,y` for every fake event.
const BY_HAND: &str = "xtest";

/// Such a message.
#[derive(Debug, Clone)]
pub(crate) struct Script(String);

impl Script {
    pub(crate) fn moving((x, y): (i32, i32)) -> Self {
        Self(format!("{BY_HAND} {MOTION_NOTIFY_EVENT},0,0,{x},{y}"))
    }

    /// Then a button, down for so many milliseconds.
    pub(crate) fn button(self, number: u8, held: u8) -> Self {
        let Self(before) = self;
        Self(format!(
            "{before} {BUTTON_PRESS_EVENT},{number},0,0,0 {BUTTON_RELEASE_EVENT},{number},{held},0,0"
        ))
    }

    /// The key `a` of a PC keyboard, held for as long as the daemon holds one.
    pub(crate) fn key_a() -> Self {
        Self(format!(
            "{BY_HAND} {KEY_PRESS_EVENT},38,0,0,0 {KEY_RELEASE_EVENT},38,10,0,0"
        ))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Serves until it is killed; the first line of its output is its address.
#[expect(clippy::print_stdout, reason = "the address is this mode's only output")]
pub(crate) fn serve(display: &str) -> anyhow::Result<()> {
    let keyboard = Rc::new(x11rb::connect(Some(display)).context("cannot reach the X server")?);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let local = tokio::task::LocalSet::new();
    local.block_on(&runtime, async {
        let listener = TcpListener::bind("127.0.0.1:0").await.context("cannot listen")?;
        println!("{}", listener.local_addr()?);
        loop {
            let (stream, _) = listener.accept().await?;
            let keyboard = Rc::clone(&keyboard);
            tokio::task::spawn_local(async move {
                // A client that goes away in the middle ends its own connection, and nothing else.
                echo(stream, &keyboard).await.ok();
            });
        }
    })
}

async fn echo(stream: TcpStream, (conn, screen): &(RustConnection, usize)) -> anyhow::Result<()> {
    stream.set_nodelay(true)?;
    let mut socket = tokio_tungstenite::accept_async(stream).await?;
    while let Some(message) = socket.next().await {
        let message = message?;
        if message.is_text() || message.is_binary() {
            if let Some(events) = message.to_text().ok().and_then(|text| text.strip_prefix(BY_HAND)) {
                fake(conn, conn.setup().roots[*screen].root, events)?;
            }
            socket.send(message).await?;
        }
    }
    Ok(())
}

fn fake(conn: &RustConnection, root: u32, events: &str) -> anyhow::Result<()> {
    for event in events.split_whitespace() {
        let numbers: Vec<u16> = event.split(',').map(str::parse).collect::<Result<_, _>>()?;
        let [kind, detail, delay, x, y] = numbers[..] else {
            anyhow::bail!("this is no event: {event}");
        };
        conn.xtest_fake_input(
            kind.try_into()?,
            detail.try_into()?,
            delay.into(),
            root,
            x.try_into()?,
            y.try_into()?,
            0,
        )?;
    }
    Ok(conn.flush()?)
}
