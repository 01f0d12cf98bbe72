//! A call that changes the desktop, before it is made.

use std::future::{Future, IntoFuture};
use std::pin::Pin;

use aci::action::Action;
use aci::extension::action::ExtendedAction;
use aci::target::{PointerButton, Target};

use crate::client::Client;
use crate::connection::Pending;
use crate::error::ClientError;
use crate::reply::Reply;
use crate::request::Request;
use crate::screenshot::{Screenshot, Shot};

type Answered<T> = Pin<Box<dyn Future<Output = Result<T, ClientError>> + Send>>;

/// An action that is done when it is awaited, and answered with a picture if [`Self::observe`] asks for one.
#[derive(Debug)]
#[must_use = "nothing is done before it is awaited"]
pub struct Act {
    client: Client,
    action: Result<Request, ClientError>,
}

/// An action with a picture after it; awaited, it gives the picture.
#[derive(Debug)]
#[must_use = "nothing is done before it is awaited"]
pub struct ObservedAct(Act);

impl Act {
    pub(super) fn new(client: &Client, action: Result<Action, ClientError>) -> Self {
        Self {
            client: client.clone(),
            action: action.map(Request::from),
        }
    }

    /// One beyond the contract.
    pub(super) fn beyond(client: &Client, action: Result<ExtendedAction, ClientError>) -> Self {
        Self {
            client: client.clone(),
            action: action.map(Request::from),
        }
    }

    /// Asks for a picture after the action, in the same round trip.
    pub fn observe(mut self, shot: Shot) -> ObservedAct {
        let observe = Some(shot.to_observe());
        match &mut self.action {
            Ok(Request::Plain(action)) => action.observe = observe,
            Ok(Request::Beyond(action)) => match &mut **action {
                ExtendedAction::ScrollElement(call) => call.observe = observe,
                ExtendedAction::SetTextSelection(call) => call.observe = observe,
                // It is a look itself, or code.
                ExtendedAction::Observe(_) | ExtendedAction::Run(_) => {}
            },
            Err(_) => {}
        }
        ObservedAct(self)
    }

    /// The action of the contract as it would be sent, for [`Client::act_batch`].
    ///
    /// # Errors
    /// [`ClientError::InvalidCall`] where a coordinate is not a finite number, and for what goes beyond the contract.
    pub fn into_action(self) -> Result<Action, ClientError> {
        match self.action? {
            Request::Plain(action) => Ok(*action),
            Request::Beyond(action) => Err(ClientError::invalid(format!(
                "{} is not an action of the contract; take it with into_request",
                action.verb()
            ))),
        }
    }

    /// The action as it would be sent, for [`Client::step`].
    ///
    /// # Errors
    /// [`ClientError::InvalidCall`] where a coordinate is not a finite number.
    pub fn into_request(self) -> Result<Request, ClientError> {
        self.action
    }

    async fn send(self) -> Result<Pending, ClientError> {
        self.client.send(self.action?).await
    }
}

impl IntoFuture for Act {
    type Output = Result<(), ClientError>;
    type IntoFuture = Answered<()>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move { self.send().await?.answer().await?.done() })
    }
}

impl IntoFuture for ObservedAct {
    type Output = Result<Screenshot, ClientError>;
    type IntoFuture = Answered<Screenshot>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(async move {
            let mut call = self.0.send().await?;
            call.answer().await?.done()?;
            let seen = call.observation().await.and_then(Reply::picture);
            seen.map_err(|error| ClientError::Unseen(Box::new(error)))
        })
    }
}

/// Where a pointer action is aimed: pixels of the screen as a pair, or any [`Target`].
#[derive(Debug, Clone, PartialEq)]
pub struct Place(Option<Target>);

impl Place {
    pub(super) fn target(self) -> Result<Target, ClientError> {
        self.0
            .ok_or_else(|| ClientError::invalid("a coordinate is not a finite number"))
    }
}

impl From<(f64, f64)> for Place {
    fn from((x, y): (f64, f64)) -> Self {
        Self(Target::px(x, y))
    }
}

impl From<(i32, i32)> for Place {
    fn from((x, y): (i32, i32)) -> Self {
        Self(Target::px(x.into(), y.into()))
    }
}

impl From<(i64, i64)> for Place {
    fn from((x, y): (i64, i64)) -> Self {
        Self(Target::px(x as f64, y as f64))
    }
}

impl From<Target> for Place {
    fn from(target: Target) -> Self {
        Self(Some(target))
    }
}

impl From<&Target> for Place {
    fn from(target: &Target) -> Self {
        Self(Some(target.clone()))
    }
}

/// The button of an action, where it is not the left one.
pub(super) fn button(action: &mut Action, button: PointerButton) {
    action.button = (button != PointerButton::Left).then_some(button);
}
