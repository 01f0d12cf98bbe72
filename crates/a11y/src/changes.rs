//! What applications tell of changes.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use futures_util::StreamExt as _;
use zbus::message::Type;
use zbus::{Connection, MatchRule, MessageStream};

/// The registry's object that keeps the list of what is listened to.
const REGISTRY: (&str, &str, &str) = (
    "org.a11y.atspi.Registry",
    "/org/a11y/atspi/registry",
    "org.a11y.atspi.Registry",
);
/// What toolkits are asked to tell. They send nothing that nobody has asked for.
const EVENTS: &[&str] = &["object:", "window:", "focus:", "document:"];
/// The interfaces that they tell it by.
const INTERFACES: &[&str] = &[
    "org.a11y.atspi.Event.Object",
    "org.a11y.atspi.Event.Window",
    "org.a11y.atspi.Event.Focus",
    "org.a11y.atspi.Event.Document",
    "org.a11y.atspi.Cache",
];
/// So many signals may wait to be noted. More tell the same: that something changes.
const QUEUED: usize = 256;

/// When something changed last.
#[derive(Debug, Clone)]
pub(crate) struct Changes {
    last: Arc<Mutex<Instant>>,
}

impl Changes {
    /// Asks applications to tell, and listens for as long as the connection lives.
    pub(crate) async fn listen(connection: &Connection) -> zbus::Result<Self> {
        let last = Arc::new(Mutex::new(Instant::now()));
        for interface in INTERFACES {
            let rule = MatchRule::builder()
                .msg_type(Type::Signal)
                .interface(*interface)?
                .build();
            let mut signals = MessageStream::for_match_rule(rule, connection, Some(QUEUED)).await?;
            let last = Arc::clone(&last);
            tokio::spawn(async move {
                while let Some(Ok(_)) = signals.next().await {
                    *last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
                }
            });
        }
        for event in EVENTS {
            let arguments = (*event, Vec::<&str>::new(), "");
            let told = connection
                .call_method(
                    Some(REGISTRY.0),
                    REGISTRY.1,
                    Some(REGISTRY.2),
                    "RegisterEvent",
                    &arguments,
                )
                .await;
            if let Err(error) = told {
                // Then a settle waits for its quiet time only.
                tracing::debug!("{event} is not told: {error}");
            }
        }
        Ok(Self { last })
    }

    /// When an application told of a change last.
    pub(crate) fn last(&self) -> Instant {
        *self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
