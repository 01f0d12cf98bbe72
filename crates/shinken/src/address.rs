//! Where a runtime listens.

use std::borrow::Cow;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use crate::ClientError;

/// Where a runtime listens: `ws://HOST:PORT[/PATH]`, `HOST:PORT`, or `unix:PATH`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address(Place, Page);

/// Which WebSocket of a runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Page {
    Actions,
    Files,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    Tcp { host: String, port: u16, path: String },
    Unix(PathBuf),
}

impl Address {
    pub(crate) fn place(&self) -> &Place {
        &self.0
    }

    /// The URL that the WebSocket's request names.
    pub(crate) fn url(&self) -> String {
        match &self.0 {
            Place::Tcp { host, port, path } => format!("ws://{}:{port}{}", bracketed(host), self.page(path)),
            // A socket file has no name of its own in HTTP.
            Place::Unix(_) => format!("ws://localhost{}", self.page("/aci")),
        }
    }

    /// The path of the page, where that for actions is this.
    fn page<'a>(&self, actions: &'a str) -> Cow<'a, str> {
        match self.1 {
            Page::Actions => Cow::Borrowed(actions),
            // It lies beside.
            Page::Files => {
                let folder = actions.rfind('/').map_or("", |at| &actions[..at]);
                Cow::Owned(format!("{folder}{}", aci::files::PATH))
            }
        }
    }

    /// The files channel of the same runtime.
    pub(crate) fn files(&self) -> Self {
        Self(self.0.clone(), Page::Files)
    }

    /// The socket file, where it is one.
    pub fn socket(&self) -> Option<&Path> {
        match &self.0 {
            Place::Unix(path) => Some(path),
            Place::Tcp { .. } => None,
        }
    }
}

fn bracketed(host: &str) -> String {
    if host.contains(':') {
        format!("[{host}]")
    } else {
        host.to_owned()
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Place::Tcp { .. } => f.write_str(&self.url()),
            Place::Unix(path) => write!(f, "unix:{}", path.display()),
        }
    }
}

impl FromStr for Address {
    type Err = ClientError;

    fn from_str(text: &str) -> Result<Self, ClientError> {
        let wrong = |detail: &str| ClientError::Address {
            address: text.to_owned(),
            detail: detail.to_owned(),
        };
        if let Some(path) = text.strip_prefix("unix:") {
            if path.is_empty() {
                return Err(wrong("unix: is followed by the path of a socket"));
            }
            return Ok(Self(Place::Unix(path.into()), Page::Actions));
        }
        let rest = text.strip_prefix("ws://").unwrap_or(text);
        if rest.contains("://") {
            return Err(wrong(
                "only ws:// and unix: are spoken here; put a TLS proxy on this side for wss://",
            ));
        }
        let (authority, path) = rest.find('/').map_or((rest, "/aci"), |at| rest.split_at(at));
        let path = if path == "/" { "/aci" } else { path };
        let (host, port) = authority
            .rsplit_once(':')
            .ok_or_else(|| wrong("expected ws://HOST:PORT or unix:PATH"))?;
        let port = port
            .parse()
            .map_err(|_| wrong("the part after the last colon is not a port"))?;
        let host = host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'))
            .unwrap_or(host);
        let odd = |letter: char| letter.is_whitespace() || letter.is_control() || "@/?#[]".contains(letter);
        if host.is_empty() || host.contains(odd) || path.contains(char::is_whitespace) {
            return Err(wrong("expected ws://HOST:PORT or unix:PATH"));
        }
        let place = Place::Tcp {
            host: host.to_owned(),
            port,
            path: path.to_owned(),
        };
        Ok(Self(place, Page::Actions))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_and_written() {
        for (text, written) in [
            ("ws://127.0.0.1:7350", "ws://127.0.0.1:7350/aci"),
            ("ws://127.0.0.1:7350/", "ws://127.0.0.1:7350/aci"),
            ("127.0.0.1:7350", "ws://127.0.0.1:7350/aci"),
            ("ws://box.example:1/gate", "ws://box.example:1/gate"),
            ("ws://[::1]:7350/aci", "ws://[::1]:7350/aci"),
            ("unix:/run/a.sock", "unix:/run/a.sock"),
        ] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), written);
        }
        for (text, files) in [
            ("127.0.0.1:7350", "ws://127.0.0.1:7350/files"),
            ("ws://box.example:1/of/gate", "ws://box.example:1/of/files"),
            ("unix:/run/a.sock", "ws://localhost/files"),
        ] {
            assert_eq!(text.parse::<Address>().unwrap().files().url(), files);
        }
        for text in [
            "",
            "ws://",
            "ws://a",
            "ws://:1",
            "ws://a:99999",
            "wss://a:1",
            "unix:",
            "ws://a b:1",
        ] {
            assert!(
                matches!(text.parse::<Address>(), Err(ClientError::Address { .. })),
                "{text}"
            );
        }
    }
}
