//! What applications tell of changes, and when.
//!
//! Each event only says which object to ask again; what the object is like is never taken from the event itself, because
//! toolkits disagree about what stands in one. So a lost event costs truth, but a wrong one only costs a question.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use futures_util::StreamExt as _;
use tokio::sync::Notify;
use zbus::message::Type;
use zbus::zvariant::{OwnedObjectPath, OwnedValue};
use zbus::{Connection, MatchRule, Message, MessageStream};

use crate::news::{AllNews, Depth, News};
use crate::tree::Tree;

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
    CACHE,
];
const CACHE: &str = "org.a11y.atspi.Cache";
/// So many signals may wait to be noted; noting one takes microseconds. With more the bus waits.
const QUEUED: usize = 256;

/// What was told.
#[derive(Debug, Clone, Default)]
pub(crate) struct Changes(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    noted: Mutex<Noted>,
    many: Notify,
}

#[derive(Debug)]
struct Noted {
    last: Instant,
    news: AllNews,
}

impl Default for Noted {
    fn default() -> Self {
        Self {
            last: Instant::now(),
            news: AllNews::default(),
        }
    }
}

impl Changes {
    /// Asks applications to tell, and listens for as long as the connection lives.
    pub(crate) async fn listen(connection: &Connection) -> zbus::Result<Self> {
        let changes = Self::default();
        for interface in INTERFACES {
            let rule = MatchRule::builder()
                .msg_type(Type::Signal)
                .interface(*interface)?
                .build();
            let mut signals = MessageStream::for_match_rule(rule, connection, Some(QUEUED)).await?;
            let changes = changes.clone();
            tokio::spawn(async move {
                while let Some(Ok(message)) = signals.next().await {
                    changes.note(&message);
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
        Ok(changes)
    }

    /// When an application told of a change last.
    pub(crate) fn last(&self) -> Instant {
        self.with(|noted| noted.last)
    }

    /// Takes what an application has told since this was asked last.
    pub(crate) fn take(&self, bus: &str) -> News {
        self.with(|noted| noted.news.take(bus))
    }

    /// Looks through what was told while nobody took it, as [`AllNews::sort_out`] does.
    pub(crate) fn sort_out(&self, tree: &mut Tree) {
        self.with(|noted| noted.news.sort_out(tree));
    }

    /// Waits until so much was told that it should be looked through.
    pub(crate) async fn many(&self) {
        self.0.many.notified().await;
    }

    fn note(&self, message: &Message) {
        let many = self.with(|noted| {
            noted.last = Instant::now();
            if let Some((bus, path, event)) = read(message) {
                noted.news.note(bus, path, event)
            } else {
                false
            }
        });
        if many {
            self.0.many.notify_one();
        }
    }

    fn with<T>(&self, work: impl FnOnce(&mut Noted) -> T) -> T {
        work(&mut self.0.noted.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// What an event says of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Event {
    /// Ask it again.
    Changed(Depth),
    /// It is gone.
    Gone,
    /// The child at this path is gone, and it is to be asked for the others.
    LostChild(String),
}

/// The connection, the path and the event of a signal, where it says anything that a tree can differ by.
fn read(message: &Message) -> Option<(String, String, Event)> {
    let header = message.header();
    let bus = header.sender()?.to_string();
    let path = header.path()?.to_string();
    let (interface, member) = (header.interface()?, header.member()?);
    if interface.as_str() == CACHE {
        // Its own path is the cache's; the object's stands in it.
        let (_, object): (String, OwnedObjectPath) = message.body().deserialize().ok()?;
        return (member.as_str() == "RemoveAccessible").then(|| (bus, object.to_string(), Event::Gone));
    }
    let event = match member.as_str() {
        "ChildrenChanged" => match detail(message) {
            Some((kind, _, Some(child))) if kind.starts_with("remove") => Event::LostChild(child),
            _ => Event::Changed(Depth::Children),
        },
        "StateChanged" => match detail(message) {
            Some((kind, 1, _)) if kind == "defunct" => Event::Gone,
            _ => Event::Changed(Depth::Facts),
        },
        // Where the caret is, or which part is marked, is no fact of a control.
        "TextCaretMoved"
        | "TextSelectionChanged"
        | "TextAttributesChanged"
        | "AttributesChanged"
        | "Announcement" => return None,
        // They stand for any number of changes below, of which toolkits tell no more.
        "ModelChanged" | "RowInserted" | "RowDeleted" | "RowReordered" | "ColumnInserted"
        | "ColumnDeleted" | "ColumnReordered" | "SelectionChanged" | "VisibleDataChanged"
        | "LoadComplete" | "Reload" => Event::Changed(Depth::Below),
        "Create" | "Destroy" | "Close" | "Reparent" => Event::Changed(Depth::Children),
        _ => Event::Changed(Depth::Facts),
    };
    Some((bus, path, event))
}

/// The kind of an event, its first number, and the object in it. There are two spellings of what comes last.
fn detail(message: &Message) -> Option<(String, i32, Option<String>)> {
    type Old = (String, i32, i32, OwnedValue, (String, OwnedObjectPath));
    type New = (
        String,
        i32,
        i32,
        OwnedValue,
        std::collections::HashMap<String, OwnedValue>,
    );
    let body = message.body();
    let (kind, number, object) = match body.deserialize::<New>() {
        Ok((kind, number, _, object, _)) => (kind, number, object),
        Err(_) => {
            let (kind, number, _, object, _) = body.deserialize::<Old>().ok()?;
            (kind, number, object)
        }
    };
    let object = <(String, OwnedObjectPath)>::try_from(object).ok();
    Some((kind, number, object.map(|(_, path)| path.to_string())))
}
