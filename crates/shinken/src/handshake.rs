//! From an address to a welcome.

use std::io::ErrorKind;
use std::time::Duration;

use aci::Wire as _;
use aci::extension::Extensions;
use aci::message::Message;
use aci::target::TargetKind;
use aci::verb::Verb;
use aci::welcome::{Accept, Capabilities, ClientInfo, Hello, ImageFormat, ObservationType, Welcome};
use futures_util::{SinkExt as _, StreamExt as _};
use serde_json::Value;
use tokio::net::{TcpStream, UnixStream};
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::http::HeaderName;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{self, Utf8Bytes};
use websocket::WebSocket;

use crate::address::{Address, Place};
use crate::error::{ClientError, Limit};
use crate::options::Options;
use crate::watched::{Heard, Transport, Watched};

/// A WebSocket over any transport.
pub(crate) type Socket = WebSocket<Watched>;

/// A WebSocket on which the peer has answered our hello.
pub(crate) struct Opened {
    pub(crate) socket: Socket,
    /// Its first text, which says what it is.
    pub(crate) first: Utf8Bytes,
    /// The largest message that it takes, where it has said so.
    pub(crate) takes: Option<usize>,
    /// Whether anything comes from it.
    pub(crate) heard: Heard,
}

/// How long a socket file is left alone whose listener has as many waiting as it can hold.
const CROWDED: Duration = Duration::from_millis(5);

/// A peer that has welcomed us.
pub(crate) struct Greeted {
    pub(crate) socket: Socket,
    pub(crate) welcome: Welcome,
    /// What it offers beyond the contract.
    pub(crate) extensions: Extensions,
    /// The largest message that it takes, where it has said so.
    pub(crate) takes: Option<usize>,
    /// Whether anything comes from it.
    pub(crate) heard: Heard,
}

/// Connects, says hello, and checks the welcome.
pub(crate) async fn connect(
    address: &Address,
    token: Option<&str>,
    options: &Options,
) -> Result<Greeted, ClientError> {
    let opened = open(address, token, options).await?;
    let (welcome, extensions) = welcome(&opened.first)?;
    Ok(Greeted {
        socket: opened.socket,
        welcome,
        extensions,
        takes: opened.takes,
        heard: opened.heard,
    })
}

/// Connects and says hello.
pub(crate) async fn open(
    address: &Address,
    token: Option<&str>,
    options: &Options,
) -> Result<Opened, ClientError> {
    let stream = within(options.connect_timeout, Limit::Connect, address, reach(address)).await?;
    within(
        options.handshake_timeout,
        Limit::Handshake,
        address,
        greet(address, stream, token, options),
    )
    .await
}

async fn within<T>(
    after: Duration,
    limit: Limit,
    address: &Address,
    work: impl Future<Output = Result<T, ClientError>>,
) -> Result<T, ClientError> {
    timeout(after, work).await.unwrap_or_else(|_| {
        let what = match limit {
            Limit::Connect => format!("connecting to {address}"),
            _ => format!("the handshake with {address}"),
        };
        Err(ClientError::Timeout { what, after, limit })
    })
}

async fn reach(address: &Address) -> Result<Box<dyn Transport>, ClientError> {
    let failed = |error: std::io::Error| ClientError::Connect {
        address: address.to_string(),
        detail: error.to_string(),
    };
    match address.place() {
        Place::Tcp { host, port, .. } => {
            let stream = TcpStream::connect((host.as_str(), *port)).await.map_err(failed)?;
            // Actions are small and each of them is waited for.
            stream.set_nodelay(true).map_err(failed)?;
            Ok(Box::new(stream))
        }
        Place::Unix(path) => loop {
            match UnixStream::connect(path).await {
                Ok(stream) => return Ok(Box::new(stream)),
                // Many connect at once, and the listener's queue is full. A socket file tells at once what TCP waits for.
                Err(error) if error.kind() == ErrorKind::WouldBlock => sleep(CROWDED).await,
                Err(error) => return Err(failed(error)),
            }
        },
    }
}

async fn greet(
    address: &Address,
    stream: Box<dyn Transport>,
    token: Option<&str>,
    options: &Options,
) -> Result<Opened, ClientError> {
    let (stream, heard) = Watched::new(stream);
    let mut request = address.url().into_client_request().map_err(upgrade_failed)?;
    let name = HeaderName::from_static(aci::MAX_MESSAGE_HEADER);
    request
        .headers_mut()
        .insert(name.clone(), options.max_message_bytes.into());
    let (mut socket, headers) = websocket::connect(stream, request, options.max_message_bytes)
        .await
        .map_err(upgrade_failed)?;
    let takes = headers
        .get(name)
        .and_then(|value| value.to_str().ok()?.parse().ok());
    let hello = Hello {
        client: ClientInfo {
            name: "shinken".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        },
        accept: Some(Accept {
            observation_types: Some(vec![
                ObservationType::Screenshot,
                ObservationType::Screencast,
                ObservationType::A11y,
            ]),
            binary_frames: Some(options.binary_frames),
        }),
        token: token.map(str::to_owned),
    };
    socket
        .send(tungstenite::Message::text(Message::from(hello).to_text()))
        .await
        .map_err(lost)?;
    loop {
        match socket.next().await {
            Some(Ok(tungstenite::Message::Text(text))) => {
                return Ok(Opened {
                    socket,
                    first: text,
                    takes,
                    heard,
                });
            }
            Some(Ok(tungstenite::Message::Ping(_) | tungstenite::Message::Pong(_))) => {}
            Some(Ok(tungstenite::Message::Close(frame))) => return Err(turned_away(frame)),
            Some(Ok(_)) => return Err(handshake("the first message was not a text")),
            Some(Err(error)) => return Err(lost(error)),
            None => return Err(handshake("the connection ended before a welcome came")),
        }
    }
}

fn handshake(detail: impl Into<String>) -> ClientError {
    ClientError::Handshake {
        detail: detail.into(),
    }
}

fn lost(error: tungstenite::Error) -> ClientError {
    handshake(format!("the connection broke before a welcome came: {error}"))
}

fn upgrade_failed(error: tungstenite::Error) -> ClientError {
    let tungstenite::Error::Http(response) = &error else {
        return handshake(format!("no WebSocket is served there: {error}"));
    };
    let body = response.body().as_deref().unwrap_or_default();
    let shown = String::from_utf8_lossy(body.get(..200).unwrap_or(body));
    handshake(format!("HTTP {}: {}", response.status(), shown.trim()))
}

fn turned_away(frame: Option<CloseFrame>) -> ClientError {
    let Some(frame) = frame else {
        return handshake("the connection was closed without a reason before a welcome came");
    };
    match frame.reason.strip_prefix("unauthorized:") {
        Some(detail) => ClientError::Unauthorized {
            detail: detail.trim().to_owned(),
        },
        None => handshake(format!(
            "closed with code {}: {}",
            u16::from(frame.code),
            frame.reason
        )),
    }
}

fn welcome(text: &Utf8Bytes) -> Result<(Welcome, Extensions), ClientError> {
    let mut value: Value =
        serde_json::from_str(text).map_err(|error| handshake(format!("the welcome is not JSON: {error}")))?;
    let extensions = Extensions::of_welcome(&value);
    forget_unknown(&mut value);
    match Message::decode(value) {
        Ok(Message::Welcome(welcome)) => Ok((welcome, extensions)),
        Ok(_) => Err(handshake("the first message was not a welcome")),
        Err(fault) => Err(handshake(format!("the welcome cannot be read: {fault}"))),
    }
}

/// Takes out of a welcome what a newer runtime may have put in: verbs and the like that this client does not know, which
/// it will not use anyway.
fn forget_unknown(welcome: &mut Value) {
    if let Some(fields) = welcome.as_object_mut() {
        fields.retain(|key, _| ["type", "v", "server", "capabilities"].contains(&key.as_str()));
    }
    let Some(capabilities) = welcome.get_mut("capabilities").and_then(Value::as_object_mut) else {
        return;
    };
    let known = Capabilities {
        verbs: Vec::new(),
        targets: Vec::new(),
        observation_types: Vec::new(),
        max_long_edge: aci::Positive::new(1),
        image_formats: Some(Vec::new()),
        binary_frames: Some(true),
        frame_dedup: Some(true),
        observe_after_act: Some(true),
        structured_observation: Some(true),
    }
    .encode();
    capabilities.retain(|key, _| known.get(key).is_some());
    let mut keep = |key: &str, is_known: fn(&str) -> bool| {
        if let Some(Value::Array(words)) = capabilities.get_mut(key) {
            words.retain(|word| word.as_str().is_none_or(is_known));
        }
    };
    keep("verbs", |word| Verb::from_word(word).is_some());
    keep("targets", |word| TargetKind::from_word(word).is_some());
    keep("observation_types", |word| {
        ObservationType::from_word(word).is_some()
    });
    keep("image_formats", |word| ImageFormat::from_word(word).is_some());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_welcome_is_read_without_what_is_new_in_it() {
        let text = Utf8Bytes::from_static(
            r#"{"type":"welcome","v":0,"server":{"name":"n","version":"9","platform":"linux"},"mood":"fine",
            "capabilities":{"schema_version":0,"verbs":["click","teleport"],"targets":["point_px","thought"],
            "observation_types":["screenshot","smell"],"image_formats":["png","avif"],"telepathy":true}}"#,
        );
        let capabilities = welcome(&text).unwrap().0.capabilities;
        assert_eq!(capabilities.verbs, [Verb::Click]);
        assert_eq!(
            capabilities.image_formats.as_deref(),
            Some(&[ImageFormat::Png][..])
        );
    }

    #[test]
    fn a_welcome_of_another_version_is_refused() {
        let text = Utf8Bytes::from_static(
            r#"{"type":"welcome","v":1,"server":{"name":"n","version":"9","platform":"linux"},
            "capabilities":{"schema_version":0,"verbs":[],"targets":[],"observation_types":[]}}"#,
        );
        assert!(matches!(welcome(&text), Err(ClientError::Handshake { .. })));
    }
}
