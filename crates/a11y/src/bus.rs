//! The accessibility bus: finding it, and telling toolkits that somebody reads.
//!
//! Its address is what `org.a11y.Bus` on the session bus says (AT-SPI2's launcher starts it when it is asked). Toolkits build
//! their trees only when the launcher's `org.a11y.Status` says that assistive technology is there: GTK and Qt look at
//! `IsEnabled`, older Chromium at `ScreenReaderEnabled` too; newer ones have a way of their own ([`crate::toolkit`]).

use std::time::{Duration, Instant};

use serde::Serialize;
use zbus::names::BusName;
use zbus::zvariant::{DynamicType, ObjectPath, OwnedObjectPath, Value};
use zbus::{Connection, Message, connection};

use crate::A11yError;
use crate::address;
use crate::cells::{self, Cells};
use crate::changes::Changes;
use crate::node::Place;

/// The registry's connection, and the object whose children are the applications.
pub(crate) const REGISTRY: (&str, &str) = ("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root");
/// The launcher on the session bus.
const LAUNCHER: (&str, &str) = ("org.a11y.Bus", "/org/a11y/bus");
/// The interface of tables.
pub(crate) const TABLE: &str = "org.a11y.atspi.Table";
const PROPERTIES: &str = "org.freedesktop.DBus.Properties";

/// How long connecting may take in all.
const CONNECTING: Duration = Duration::from_secs(5);
/// The longest that is waited for applications to come to rest.
const SETTLING: Duration = Duration::from_secs(5);
/// How long an application may take for one answer. One that is busy answers late; one that is stopped never does.
pub(crate) const ANSWER: Duration = Duration::from_secs(1);

/// The connection with the accessibility bus.
#[derive(Debug, Clone)]
pub(crate) struct Bus {
    connection: Connection,
    changes: Changes,
    cells: Cells,
    /// Kept open: what was said of assistive technology ends with it in some launchers.
    _session: Connection,
}

impl Bus {
    /// Connects, and tells toolkits that somebody reads.
    pub(crate) async fn open() -> Result<Self, A11yError> {
        tokio::time::timeout(CONNECTING, Self::connect())
            .await
            .map_err(|_| unavailable("the accessibility bus did not answer in time"))?
    }

    async fn connect() -> Result<Self, A11yError> {
        let session = session()
            .await
            .map_err(|error| unavailable(format!("no session bus: {error}; set DBUS_SESSION_BUS_ADDRESS")))?;
        for property in ["IsEnabled", "ScreenReaderEnabled"] {
            let value = Value::from(true);
            let told = session
                .call_method(
                    Some(LAUNCHER.0),
                    LAUNCHER.1,
                    Some(PROPERTIES),
                    "Set",
                    &("org.a11y.Status", property, value),
                )
                .await;
            if let Err(error) = told {
                // Older launchers know only the first; without a launcher the next step says so.
                tracing::debug!("{property} could not be set: {error}");
            }
        }
        let address: String = session
            .call_method(Some(LAUNCHER.0), LAUNCHER.1, Some(LAUNCHER.0), "GetAddress", &())
            .await
            .and_then(|reply| reply.body().deserialize())
            .map_err(|error| {
                unavailable(format!(
                    "the session bus has no accessibility bus: {error}; install at-spi2-core"
                ))
            })?;
        let connection = connect_to(&address)
            .await
            .map_err(|error| unavailable(format!("cannot reach the accessibility bus: {error}")))?;
        let changes = Changes::listen(&connection).await.map_err(|error| {
            unavailable(format!(
                "the accessibility bus does not let itself be listened to: {error}"
            ))
        })?;
        Ok(Self {
            connection,
            changes,
            cells: Cells::default(),
            _session: session,
        })
    }

    /// What applications tell.
    pub(crate) fn changes(&self) -> &Changes {
        &self.changes
    }

    /// Waits until no application has told of a change for so long; `false` where that took too long.
    pub(crate) async fn settle(&self, quiet: Duration) -> bool {
        self.rest(quiet, SETTLING).await
    }

    /// The same with its own bound.
    pub(crate) async fn rest(&self, quiet: Duration, within: Duration) -> bool {
        let start = Instant::now();
        loop {
            let rested = self.changes.last().max(start).elapsed();
            if rested >= quiet {
                return true;
            }
            if start.elapsed() >= within {
                return false;
            }
            tokio::time::sleep(quiet - rested).await;
        }
    }

    /// Calls a method of an object's interface, with a deadline.
    pub(crate) async fn call<B: Serialize + DynamicType>(
        &self,
        place: &Place,
        interface: &str,
        method: &str,
        arguments: &B,
    ) -> Result<Message, CallError> {
        match self.object(place).await? {
            Some(object) => self.send(&object, interface, method, arguments).await,
            None => self.send(place, interface, method, arguments).await,
        }
    }

    /// The object that stands for a cell of a spreadsheet; `None` where the place is an object by itself.
    pub(crate) async fn object(&self, place: &Place) -> Result<Option<Place>, CallError> {
        let Some((table, row, column)) = cells::address(place) else {
            return Ok(None);
        };
        if let Some(object) = self.cells.get(place) {
            return Ok(Some(object));
        }
        let reply = self
            .send(&table, TABLE, "GetAccessibleAt", &(row, column))
            .await?;
        let (bus, path): (String, OwnedObjectPath) = body(reply)?;
        let object = Place::new(bus, path.as_str());
        self.cells.put(place.clone(), object.clone());
        Ok(Some(object))
    }

    async fn send<B: Serialize + DynamicType>(
        &self,
        place: &Place,
        interface: &str,
        method: &str,
        arguments: &B,
    ) -> Result<Message, CallError> {
        let bus = BusName::try_from(&*place.bus).map_err(|_| CallError::Refused)?;
        let path = ObjectPath::try_from(&*place.path).map_err(|_| CallError::Refused)?;
        let call = self
            .connection
            .call_method(Some(bus), path, Some(interface), method, arguments);
        match tokio::time::timeout(ANSWER, call).await {
            Ok(Ok(reply)) => Ok(reply),
            Ok(Err(_)) => Err(CallError::Refused),
            Err(_) => Err(CallError::Late),
        }
    }

    /// The value of an object's property.
    pub(crate) async fn property<T>(&self, place: &Place, interface: &str, name: &str) -> Result<T, CallError>
    where
        T: TryFrom<zbus::zvariant::OwnedValue>,
    {
        let reply = self.call(place, PROPERTIES, "Get", &(interface, name)).await?;
        let value: zbus::zvariant::OwnedValue = body(reply)?;
        T::try_from(value).map_err(|_| CallError::Refused)
    }

    /// Sets an object's property.
    pub(crate) async fn set_property(
        &self,
        place: &Place,
        interface: &str,
        name: &str,
        value: Value<'_>,
    ) -> Result<(), CallError> {
        self.call(place, PROPERTIES, "Set", &(interface, name, value))
            .await
            .map(drop)
    }

    /// The process behind a connection, as the bus itself knows it (`GetConnectionUnixProcessID`).
    pub(crate) async fn process(&self, place: &Place) -> Option<u32> {
        let bus = Place::new("org.freedesktop.DBus", "/org/freedesktop/DBus");
        let name = &*place.bus;
        let reply = self
            .call(
                &bus,
                "org.freedesktop.DBus",
                "GetConnectionUnixProcessID",
                &(name,),
            )
            .await;
        reply.and_then(body).ok()
    }
}

/// Why a call to an application gave nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallError {
    /// The object or its application is gone, or does not know the method.
    Refused,
    /// It did not answer in time.
    Late,
}

/// What an answer holds.
pub(crate) fn body<T>(reply: Message) -> Result<T, CallError>
where
    T: for<'de> serde::Deserialize<'de> + zbus::zvariant::Type,
{
    reply.body().deserialize().map_err(|_| CallError::Refused)
}

/// The session bus, at the address that the environment says or at the usual place.
async fn session() -> zbus::Result<Connection> {
    match std::env::var("DBUS_SESSION_BUS_ADDRESS") {
        Ok(address) => connect_to(&address).await,
        Err(_) => Connection::session().await,
    }
}

async fn connect_to(address: &str) -> zbus::Result<Connection> {
    connection::Builder::address(address::parse(address)?)?
        .build()
        .await
}

fn unavailable(text: impl Into<String>) -> A11yError {
    A11yError::Unavailable(text.into())
}
