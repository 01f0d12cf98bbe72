//! HTTP before the WebSocket: `/healthz`, and the upgrade at `/aci`, `/` and `/files`.

use std::convert::Infallible;
use std::sync::Arc;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONNECTION, HeaderMap, HeaderName, ORIGIN, UPGRADE};
use hyper::header::{SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use crate::connection::{self, Channel, Gated, HELLO_BYTES};
use crate::places::Place;
use crate::server::Daemon;
use crate::server::listener::{Access, Socket};

/// Serves one socket until it ends, becomes a WebSocket or loses its place.
pub(crate) async fn serve<S: Socket>(daemon: Arc<Daemon>, stream: S, access: Access, place: Place) {
    let service = {
        let daemon = Arc::clone(&daemon);
        service_fn(move |request| {
            let daemon = Arc::clone(&daemon);
            async move { Ok::<_, Infallible>(answer::<S>(&daemon, request, access).await) }
        })
    };
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        // Also the time between two requests.
        .header_read_timeout(daemon.limits.handshake)
        .max_buf_size(32 * 1024)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    tokio::select! {
        () = daemon.shutdown.cancelled() => {}
        () = place.evicted() => tracing::debug!("a socket without a request gives way to a newer one"),
        outcome = connection => {
            if let Err(error) = outcome {
                tracing::debug!("HTTP ended: {error}");
            }
        }
    }
}

async fn answer<S: Socket>(
    daemon: &Arc<Daemon>,
    request: Request<Incoming>,
    access: Access,
) -> Response<Full<Bytes>> {
    match (request.method(), request.uri().path()) {
        (&Method::GET, "/healthz") => health(daemon).await,
        (&Method::GET, "/" | "/aci") => upgrade::<S>(daemon, request, access, Channel::Actions),
        (&Method::GET, aci::files::PATH) => match &daemon.files {
            Some(files) => upgrade::<S>(daemon, request, access, Channel::Files(Arc::clone(files))),
            None => plain(
                StatusCode::NOT_FOUND,
                "unsupported: this daemon was started with --no-files",
            ),
        },
        (_, "/healthz" | "/" | "/aci" | aci::files::PATH) => {
            plain(StatusCode::METHOD_NOT_ALLOWED, "only GET is served here")
        }
        _ => plain(
            StatusCode::NOT_FOUND,
            "no such page; the WebSocket is at /aci, that for files at /files, the health at /healthz",
        ),
    }
}

async fn health(daemon: &Daemon) -> Response<Full<Bytes>> {
    let well = !daemon.desk.is_gone() && daemon.desk.probe().await.is_ok();
    if well {
        plain(StatusCode::OK, "ok")
    } else {
        plain(
            StatusCode::SERVICE_UNAVAILABLE,
            "desktop_gone: the display server does not answer",
        )
    }
}

fn upgrade<S: Socket>(
    daemon: &Arc<Daemon>,
    mut request: Request<Incoming>,
    access: Access,
    channel: Channel,
) -> Response<Full<Bytes>> {
    let headers = request.headers();
    // Browsers send Origin with every WebSocket and nothing else does, so a page that was not named cannot get in.
    if let Some(origin) = headers.get(ORIGIN)
        && !daemon
            .allowed_origins
            .iter()
            .any(|allowed| allowed.as_bytes() == origin.as_bytes())
    {
        return plain(
            StatusCode::FORBIDDEN,
            "this Origin is not allowed; start shinkend with --allow-origin",
        );
    }
    let Some(accept) = accept_key(headers) else {
        let mut response = plain(
            StatusCode::UPGRADE_REQUIRED,
            "this is a WebSocket of version 13; ask for an upgrade",
        );
        response
            .headers_mut()
            .insert(UPGRADE, hyper::header::HeaderValue::from_static("websocket"));
        return response;
    };
    let (places, full) = match &channel {
        Channel::Actions => (
            &daemon.clients,
            "busy: every place has a welcomed client; disconnect one, or start shinkend with a higher --max-connections",
        ),
        Channel::Files(files) => (
            files.places(),
            "busy: as many files channels are open as may; end one, or start shinkend with a higher --max-files-channels",
        ),
    };
    let Ok(place) = places.enter() else {
        return plain(StatusCode::SERVICE_UNAVAILABLE, full);
    };
    let peer_takes = headers
        .get(aci::MAX_MESSAGE_HEADER)
        .and_then(|value| value.to_str().ok()?.parse().ok())
        .unwrap_or(usize::MAX);
    let upgraded = hyper::upgrade::on(&mut request);
    let tasks = daemon.tasks.clone();
    let daemon = Arc::clone(daemon);
    let message_bytes = channel.message_bytes(&daemon.limits);
    tasks.clone().spawn(async move {
        let upgraded = tokio::select! {
            () = place.evicted() => return,
            upgraded = upgraded => upgraded,
        };
        match upgraded {
            Ok(upgraded) => {
                let Ok(parts) = upgraded.downcast::<TokioIo<S>>() else {
                    return;
                };
                let files = match &channel {
                    Channel::Actions => None,
                    Channel::Files(files) => Some(Arc::clone(files)),
                };
                let serving = websocket(daemon, parts, place, (access, peer_takes), channel);
                match files.and_then(|files| files.runtime()) {
                    None => serving.await,
                    Some(runtime) => drop(tasks.spawn_on(serving, &runtime)),
                }
            }
            Err(error) => tracing::debug!("upgrade failed: {error}"),
        }
    });
    let mut response = Response::new(Full::default());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers = response.headers_mut();
    headers.insert(CONNECTION, hyper::header::HeaderValue::from_static("Upgrade"));
    headers.insert(UPGRADE, hyper::header::HeaderValue::from_static("websocket"));
    headers.insert(SEC_WEBSOCKET_ACCEPT, accept);
    headers.insert(
        HeaderName::from_static(aci::MAX_MESSAGE_HEADER),
        message_bytes.into(),
    );
    response
}

async fn websocket<S: Socket>(
    daemon: Arc<Daemon>,
    parts: hyper::upgrade::Parts<TokioIo<S>>,
    place: Place,
    (access, peer_takes): (Access, usize),
    channel: Channel,
) {
    let limit = channel.message_bytes(&daemon.limits);
    let (socket, read_buffer) = match &channel {
        Channel::Actions => (Ok(parts.io.into_inner()), 16 * 1024),
        // A chunk is read in one go where it is there.
        Channel::Files(_) => (parts.io.into_inner().move_here(), 256 * 1024),
    };
    let socket = match socket {
        Ok(socket) => socket,
        Err(error) => return tracing::warn!("a files channel cannot be served: {error}"),
    };
    let config = WebSocketConfig::default()
        .max_message_size(Some(limit))
        .max_frame_size(Some(limit))
        .read_buffer_size(read_buffer)
        // Every message is flushed, so nothing would be gained by holding back more.
        .write_buffer_size(0);
    let stream = WebSocketStream::from_partially_read(
        Gated::new(socket, HELLO_BYTES.saturating_sub(parts.read_buf.len())),
        parts.read_buf.to_vec(),
        Role::Server,
        Some(config),
    )
    .await;
    connection::run(daemon, stream, (access, peer_takes), place, channel).await;
}

/// The answer to a client's key where the request is a proper upgrade (RFC 6455, section 4.2.1).
fn accept_key(headers: &HeaderMap) -> Option<hyper::header::HeaderValue> {
    let lists = |name: HeaderName, word: &str| {
        headers
            .get_all(name)
            .iter()
            .filter_map(|value| value.to_str().ok())
            .flat_map(|value| value.split(','))
            .any(|part| part.trim().eq_ignore_ascii_case(word))
    };
    if !lists(CONNECTION, "upgrade") || !lists(UPGRADE, "websocket") || !lists(SEC_WEBSOCKET_VERSION, "13") {
        return None;
    }
    derive_accept_key(headers.get(SEC_WEBSOCKET_KEY)?.as_bytes())
        .parse()
        .ok()
}

fn plain(status: StatusCode, text: &'static str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())));
    *response.status_mut() = status;
    response
}
