//! The least that a WebSocket server can do: send back what it gets. It is what a round trip costs before anything is
//! done in it, so it runs on the same libraries as the daemon and in a process of its own, too.

use anyhow::Context as _;
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::net::{TcpListener, TcpStream};

/// Serves until it is killed; the first line of its output is its address.
#[expect(clippy::print_stdout, reason = "the address is this mode's only output")]
pub(crate) fn serve() -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.context("cannot listen")?;
        println!("{}", listener.local_addr()?);
        loop {
            let (stream, _) = listener.accept().await?;
            tokio::spawn(async move {
                // A client that goes away in the middle ends its own connection, and nothing else.
                echo(stream).await.ok();
            });
        }
    })
}

async fn echo(stream: TcpStream) -> anyhow::Result<()> {
    stream.set_nodelay(true)?;
    let mut socket = tokio_tungstenite::accept_async(stream).await?;
    while let Some(message) = socket.next().await {
        let message = message?;
        if message.is_text() || message.is_binary() {
            socket.send(message).await?;
        }
    }
    Ok(())
}
