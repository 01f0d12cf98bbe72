//! From a line to a WebSocket: RFC 6455, section 4.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio_tungstenite::tungstenite::error::{CapacityError, Error, ProtocolError};
use tokio_tungstenite::tungstenite::handshake::machine::TryParse;
use tokio_tungstenite::tungstenite::handshake::{client, derive_accept_key, server};
use tokio_tungstenite::tungstenite::http::header::{CONNECTION, SEC_WEBSOCKET_ACCEPT, UPGRADE};
use tokio_tungstenite::tungstenite::http::{HeaderMap, HeaderName, Response, StatusCode};
use tokio_tungstenite::tungstenite::protocol::Role;

use crate::WebSocket;

/// The most bytes of a request or response up to its body.
const LONGEST_HEAD: usize = 16 * 1024;
/// What is read of it at a time.
const PIECE: usize = 1024;

/// Asks the peer for a WebSocket; gives the headers of its answer, too.
///
/// # Errors
/// [`Error::Http`] with what the peer answered instead; what is wrong with its answer; or how the line broke.
pub async fn connect<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    request: client::Request,
    max_message_bytes: usize,
) -> Result<(WebSocket<S>, HeaderMap), Error> {
    let (request, key) = client::generate_request(request)?;
    stream.write_all(&request).await?;
    stream.flush().await?;
    let (mut response, ahead): (client::Response, _) = head(&mut stream).await?;
    if response.status() != StatusCode::SWITCHING_PROTOCOLS {
        *response.body_mut() = Some(ahead);
        return Err(Error::Http(Box::new(response)));
    }
    let headers = response.headers();
    if !lists(headers, UPGRADE, "websocket") {
        return Err(ProtocolError::MissingUpgradeWebSocketHeader.into());
    }
    if !lists(headers, CONNECTION, "upgrade") {
        return Err(ProtocolError::MissingConnectionUpgradeHeader.into());
    }
    let accepted = headers.get(SEC_WEBSOCKET_ACCEPT).map(|value| value.as_bytes());
    if accepted != Some(derive_accept_key(key.as_bytes()).as_bytes()) {
        return Err(ProtocolError::SecWebSocketAcceptKeyMismatch.into());
    }
    let headers = std::mem::take(response.headers_mut());
    Ok((
        WebSocket::new(stream, Role::Client, max_message_bytes, ahead),
        headers,
    ))
}

/// Why a request is turned away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused {
    /// The HTTP status.
    pub status: StatusCode,
    /// What to do instead.
    pub reason: &'static str,
}

/// Answers a peer that asks for a WebSocket, with what `check` adds to the answer, or turns it away where `check` says so.
///
/// # Errors
/// What is wrong with the request, after it was turned away; or how the line broke.
pub async fn accept<S: AsyncRead + AsyncWrite + Unpin>(
    mut stream: S,
    max_message_bytes: usize,
    check: impl FnOnce(&server::Request) -> Result<HeaderMap, Refused>,
) -> Result<WebSocket<S>, Error> {
    let (request, ahead): (server::Request, _) = head(&mut stream).await?;
    let checked = check(&request).and_then(|more| match server::create_response(&request) {
        Ok(response) => Ok((response, more)),
        Err(_) => Err(Refused {
            status: StatusCode::UPGRADE_REQUIRED,
            reason: "this is a WebSocket of version 13; ask for an upgrade",
        }),
    });
    let (response, refused) = match checked {
        Ok((mut response, more)) => {
            response.headers_mut().extend(more);
            (response, None)
        }
        Err(refused) => (refusal(refused)?, Some(refused)),
    };
    let mut text = Vec::new();
    server::write_response(&mut text, &response)?;
    text.extend_from_slice(refused.map_or("", |refused| refused.reason).as_bytes());
    stream.write_all(&text).await?;
    stream.flush().await?;
    if refused.is_some() {
        stream.shutdown().await?;
        return Err(Error::Http(Box::new(response.map(|()| None))));
    }
    Ok(WebSocket::new(stream, Role::Server, max_message_bytes, ahead))
}

fn refusal(refused: Refused) -> Result<Response<()>, Error> {
    Ok(Response::builder()
        .status(refused.status)
        .header("content-length", refused.reason.len())
        .header(CONNECTION, "close")
        .body(())?)
}

/// Reads up to the body; gives what has come of that, too.
async fn head<S: AsyncRead + Unpin, H: TryParse>(stream: &mut S) -> Result<(H, Vec<u8>), Error> {
    let mut bytes = Vec::with_capacity(PIECE);
    loop {
        // The line that ends it may have come in part.
        let looked_at = bytes.len().saturating_sub(3);
        bytes.reserve(PIECE);
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the line ended in the upgrade").into());
        }
        if bytes[looked_at..].windows(4).any(|line| line == b"\r\n\r\n")
            && let Some((length, head)) = H::try_parse(&bytes)?
        {
            return Ok((head, bytes.split_off(length)));
        }
        if bytes.len() > LONGEST_HEAD {
            return Err(CapacityError::TooManyHeaders.into());
        }
    }
}

/// Whether a header lists a word, letter case aside.
fn lists(headers: &HeaderMap, name: HeaderName, word: &str) -> bool {
    let values = headers.get_all(name).into_iter();
    values
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|part| part.trim().eq_ignore_ascii_case(word))
}
