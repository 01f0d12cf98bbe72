//! A session with a runtime.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use aci::action::Action;
use aci::extension::{ExtendedActionMsg, ExtendedQuery, Extension};
use aci::message::{ActionMsg, Query, QueryKind};
use aci::verb::Verb;
use aci::welcome::Welcome;
use serde_json::Value;
use tokio::time::{Instant, sleep, timeout_at};
use tokio_tungstenite::tungstenite;

use crate::address::Address;
use crate::allowance::{self, Allowance};
use crate::connection::{Connection, Pending, text, text_beyond};
use crate::error::{ClientError, Limit};
use crate::events::Events;
use crate::files::{self, Files, Pool};
use crate::handshake::{self, Opened};
use crate::last_seen::LastSeen;
use crate::offer;
use crate::options::Options;
use crate::reply::Answer;
use crate::request::Request;
use crate::routes::Opens;
use crate::screencast::{Waits, late, worth_another};
use crate::screenshot::Screenshot;

/// How long a goodbye may take.
const GOODBYE: Duration = Duration::from_secs(2);

/// A session with a runtime. Clones share it; it ends when the last one is dropped.
///
/// Calls may be made at the same time from many tasks; the runtime does them in the order in which they were written, apart
/// from programs, which run beside. Every call has a deadline. Cancelling one drops the wait, not the work.
///
/// A lost connection is not made again behind the caller's back, because keys held down and the order of what was done are
/// lost with it: calls end with [`ClientError::SandboxDied`] or [`ClientError::Closed`] until [`Self::reconnect`]. Only a running
/// [`crate::Screencast`] reconnects by itself.
#[derive(Debug, Clone)]
pub struct Client {
    shared: Arc<Shared>,
    deadline: Option<Duration>,
}

#[derive(Debug)]
struct Shared {
    address: Address,
    token: Option<Token>,
    options: Options,
    connection: Mutex<Arc<Connection>>,
    /// Held while a new connection is made, so that several who lost the old one make one.
    making: tokio::sync::Mutex<()>,
    last_seen: Mutex<LastSeen>,
    files: Arc<Pool>,
}

/// Never printed.
struct Token(String);

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

/// What an action gave.
#[derive(Debug, Clone)]
pub struct Acted {
    /// Its answer.
    pub reply: crate::Reply,
    /// The picture that its `observe` asked for.
    pub observation: Option<Result<Screenshot, ClientError>>,
}

impl Client {
    /// Connects to `ws://HOST:PORT[/aci]` or `unix:PATH`.
    ///
    /// # Errors
    /// [`ClientError::Address`], [`ClientError::Connect`], [`ClientError::Unauthorized`], [`ClientError::Handshake`], [`ClientError::Timeout`].
    pub async fn connect(address: &str, token: Option<&str>, options: Options) -> Result<Self, ClientError> {
        let address: Address = address.parse()?;
        let connection = connect(&address, token, &options).await?;
        Ok(Self {
            shared: Arc::new(Shared {
                address,
                token: token.map(|token| Token(token.to_owned())),
                options,
                connection: Mutex::new(connection),
                making: tokio::sync::Mutex::default(),
                last_seen: Mutex::default(),
                files: Arc::default(),
            }),
            deadline: None,
        })
    }

    /// The same session, whose calls each take at most so long in all, instead of [`Options::call_timeout`] on top of
    /// what they need by themselves.
    #[must_use]
    pub fn with_deadline(&self, deadline: Duration) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
            deadline: Some(deadline),
        }
    }

    /// Where the runtime listens.
    pub fn address(&self) -> &Address {
        &self.shared.address
    }

    /// The options that it was connected with.
    pub fn options(&self) -> &Options {
        &self.shared.options
    }

    /// What the runtime said of itself.
    pub fn welcome(&self) -> Welcome {
        self.connection().welcome().clone()
    }

    /// Whether the runtime takes a verb.
    pub fn offers(&self, verb: Verb) -> bool {
        self.connection().welcome().capabilities.verbs.contains(&verb)
    }

    /// Whether the runtime offers this beyond the contract.
    pub fn has(&self, extension: Extension) -> bool {
        self.connection().core().extensions().has(extension)
    }

    /// Moves files, over channels of their own to the same runtime, which are made when they are needed.
    pub fn files(&self) -> Files {
        Files::new(self.clone())
    }

    pub(crate) fn files_pool(&self) -> &Arc<Pool> {
        &self.shared.files
    }

    /// A new files channel.
    pub(crate) async fn open_files(&self) -> Result<Opened, ClientError> {
        if !self.has(Extension::Files) {
            return Err(ClientError::unsupported(format!(
                "the extension {}",
                Extension::Files
            )));
        }
        let token = self.shared.token.as_ref().map(|token| token.0.as_str());
        let options = Options {
            // A chunk is as large as it is, whatever pictures may be.
            max_message_bytes: files::MESSAGE_BYTES,
            ..self.options().clone()
        };
        handshake::open(&self.shared.address.files(), token, &options).await
    }

    /// How long a call may take in all, where that was said.
    pub(crate) fn deadline(&self) -> Option<Duration> {
        self.deadline
    }

    /// Why the connection is over, where it is.
    pub fn ended(&self) -> Option<ClientError> {
        self.connection().core().ended()
    }

    /// Makes the connection again where it is lost, trying as [`Options::reconnect`] says. Streams of the old one are not
    /// gone on with.
    ///
    /// # Errors
    /// Those of [`Self::connect`], once another attempt makes no sense or the time is over.
    pub async fn reconnect(&self) -> Result<(), ClientError> {
        let plan = self.options().reconnect.unwrap_or_default();
        let lost = self.connection();
        let deadline = Instant::now() + plan.within;
        let mut waits = Waits::new(plan);
        loop {
            let error = match timeout_at(deadline, self.replace(&lost)).await {
                Ok(Ok(_)) => return Ok(()),
                Ok(Err(error)) if !worth_another(&error) => return Err(error),
                Ok(Err(error)) => error,
                Err(_) => late(plan),
            };
            let wait = waits.next();
            if Instant::now() + wait >= deadline {
                return Err(error);
            }
            sleep(wait).await;
        }
    }

    /// What the session says and hears from now on. It ends when the connection does; of one that is made again, ask again.
    pub fn events(&self) -> Events {
        self.connection().core().listen()
    }

    /// Says goodbye, to the files channels too; the session's calls and streams end with [`ClientError::ClosedHere`].
    pub async fn close(&self) {
        self.shared.files.close();
        self.connection().core().close(GOODBYE).await;
    }

    /// The time until the runtime answers a ping, which never waits behind a call.
    ///
    /// # Errors
    /// [`ClientError::Timeout`], or what ended the session.
    pub async fn ping(&self) -> Result<Duration, ClientError> {
        let within = self.deadline.unwrap_or(self.options().call_timeout);
        self.connection().core().ping(within).await
    }

    /// Does any action. The typed methods say more about what comes back.
    ///
    /// # Errors
    /// Where it was not done. A picture that could not be taken after it does not count.
    pub async fn act(&self, action: impl Into<Request>) -> Result<Acted, ClientError> {
        let request = action.into();
        if request.streams() {
            return Err(ClientError::invalid(
                "streams are begun by start_screencast and exec_stream",
            ));
        }
        let observes = request.observe().is_some();
        let mut call = self.send(request).await?;
        let reply = call.answer().await?;
        let observation = match observes {
            false => None,
            true => Some(call.observation().await.and_then(crate::Reply::picture)),
        };
        Ok(Acted { reply, observation })
    }

    /// Asks any question; the typed methods read the answer.
    ///
    /// # Errors
    /// Where there is no answer.
    pub async fn query(&self, query: QueryKind) -> Result<Value, ClientError> {
        let connection = self.connection();
        let allowance = self.allowance(Duration::ZERO, Duration::ZERO);
        let mut call = connection
            .core()
            .begin(format!("the query {query}"), allowance, false, None)?;
        let message = Query {
            call_id: call.call_id(),
            q: query,
        };
        call.send(message).await?;
        call.answer().await?.value()
    }

    pub(crate) fn connection(&self) -> Arc<Connection> {
        Arc::clone(
            &self
                .shared
                .connection
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }

    pub(crate) fn last_seen<T>(&self, work: impl FnOnce(&mut LastSeen) -> T) -> T {
        work(
            &mut self
                .shared
                .last_seen
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }

    /// A live connection in the place of one that was lost; the one that somebody else has made meanwhile.
    pub(crate) async fn replace(&self, lost: &Arc<Connection>) -> Result<Arc<Connection>, ClientError> {
        let _making = self.shared.making.lock().await;
        let current = self.connection();
        if current.core().ended().is_none() {
            return Ok(current);
        }
        if matches!(current.core().ended(), Some(ClientError::ClosedHere)) && Arc::ptr_eq(&current, lost) {
            return Err(ClientError::ClosedHere);
        }
        let token = self.shared.token.as_ref().map(|token| token.0.as_str());
        let fresh = connect(&self.shared.address, token, &self.shared.options).await?;
        *self
            .shared
            .connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = Arc::clone(&fresh);
        Ok(fresh)
    }

    /// Writes a request; its answer is to be waited for.
    pub(crate) async fn send(&self, request: impl Into<Request>) -> Result<Pending, ClientError> {
        self.send_on(&self.connection(), request, None).await
    }

    pub(crate) async fn send_on(
        &self,
        connection: &Arc<Connection>,
        request: impl Into<Request>,
        opens: Option<Opens>,
    ) -> Result<Pending, ClientError> {
        let request = request.into();
        offered(connection, &request)?;
        let (call, message) = self.prepare(connection, request, opens)?;
        call.send_text(message).await?;
        Ok(call)
    }

    /// Asks a question beyond the contract.
    pub(crate) async fn query_beyond(
        &self,
        extension: Extension,
        query: impl FnOnce(String) -> ExtendedQuery,
    ) -> Result<Value, ClientError> {
        if !self.has(extension) {
            return Err(ClientError::unsupported(format!("the extension {extension}")));
        }
        let allowance = self.allowance(allowance::WALK, allowance::WALK);
        let connection = self.connection();
        let mut call = connection
            .core()
            .begin(format!("the query {extension}"), allowance, false, None)?;
        call.send_text(text_beyond(query(call.call_id()))).await?;
        call.answer().await?.value()
    }

    /// Writes requests in one go; none of them where one is not offered.
    pub(crate) async fn send_all(&self, requests: Vec<Request>) -> Result<Vec<Pending>, ClientError> {
        let connection = self.connection();
        for request in &requests {
            offered(&connection, request)?;
        }
        let mut calls = Vec::with_capacity(requests.len());
        let mut messages = Vec::with_capacity(requests.len());
        for request in requests {
            let (call, message) = self.prepare(&connection, request, None)?;
            messages.push(message);
            calls.push(call);
        }
        if let Some(last) = calls.last() {
            connection
                .core()
                .write(messages, last.deadline())
                .await
                .map_err(|error| last.write_failed(error))?;
        }
        Ok(calls)
    }

    /// Notes a request's call, and makes the message that it travels with.
    fn prepare(
        &self,
        connection: &Connection,
        request: Request,
        opens: Option<Opens>,
    ) -> Result<(Pending, tungstenite::Message), ClientError> {
        if request.mutates() {
            self.last_seen(LastSeen::acted);
        }
        let (own, holds_up) = allowance::own_time(&request);
        let allowance = Allowance {
            cell: if request.is_cell() { own } else { Duration::ZERO },
            ..self.allowance(own, holds_up)
        };
        let call = connection.core().begin(
            request.verb().to_owned(),
            allowance,
            request.observe().is_some(),
            opens,
        )?;
        let call_id = call.call_id();
        let message = match request {
            Request::Plain(action) => text(ActionMsg {
                call_id,
                action: *action,
            }),
            Request::Beyond(action) => text_beyond(ExtendedActionMsg {
                call_id,
                action: *action,
            }),
        };
        Ok((call, message))
    }

    fn allowance(&self, own: Duration, holds_up: Duration) -> Allowance {
        let (limit, after) = match self.deadline {
            Some(deadline) => (Limit::Deadline, deadline),
            None => (Limit::Call, self.options().call_timeout),
        };
        Allowance {
            limit,
            after,
            own,
            holds_up,
            cell: Duration::ZERO,
        }
    }

    /// One action and its answer.
    pub(crate) async fn call(&self, action: Action) -> Answer {
        self.send(action).await?.answer().await
    }

    /// Stops the screencast of one connection.
    pub(crate) async fn stop_on(&self, connection: &Arc<Connection>) -> Result<(), ClientError> {
        let action = Action::new(Verb::StopScreencast);
        self.send_on(connection, action, None)
            .await?
            .answer()
            .await?
            .done()
    }
}

/// Refuses what the runtime's welcome does not offer.
fn offered(connection: &Connection, request: &Request) -> Result<(), ClientError> {
    match request {
        Request::Plain(action) => offer::check(action, &connection.welcome().capabilities),
        Request::Beyond(action) => offer::check_beyond(action, connection.core().extensions()),
    }
}

async fn connect(
    address: &Address,
    token: Option<&str>,
    options: &Options,
) -> Result<Arc<Connection>, ClientError> {
    let greeted = handshake::connect(address, token, options).await?;
    Ok(Arc::new(Connection::start(
        greeted,
        options.keep_alive,
        options.log_file.clone(),
    )))
}
