//! Actions as they are handed to the client: of the contract, or beyond it.

use aci::Wire as _;
use aci::action::{Action, ObserveSpec};
use aci::extension::action::ExtendedAction;
use aci::extension::{self, Extensions};
use aci::message::Message;
use aci::verb::{Effect, Verb};
use serde_json::{Value, json};

use crate::error::ClientError;

/// An action, of the contract or beyond it.
#[derive(Debug, Clone, PartialEq)]
pub enum Request {
    /// One of the contract.
    Plain(Box<Action>),
    /// One beyond it.
    Beyond(Box<ExtendedAction>),
}

impl Request {
    /// Reads an action as it would stand in a message: an object with a `verb`.
    ///
    /// # Errors
    /// [`ClientError::InvalidCall`] with the field that is wrong.
    pub fn read(action: Value) -> Result<Self, ClientError> {
        // The parser of the daemon, so that both find the same faults and the same extensions.
        let message = json!({"type": "action", "call_id": "0", "action": action});
        match extension::Incoming::read(message, &Extensions::all()) {
            Ok(extension::Incoming::Plain(Message::Action(message))) => Ok(message.action.into()),
            Ok(extension::Incoming::Action(message)) => Ok(message.action.into()),
            Ok(_) => Err(ClientError::invalid("it is not an action")),
            Err(refusal) => Err(ClientError::invalid(refusal.error.detail)),
        }
    }

    /// The verb's word.
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Plain(action) => action.verb.as_str(),
            Self::Beyond(action) => action.verb(),
        }
    }

    /// Whether it changes the desktop.
    pub(crate) fn mutates(&self) -> bool {
        match self {
            Self::Plain(action) => action.verb.mutates(),
            Self::Beyond(action) => action.effect() == Effect::Mutates,
        }
    }

    /// Whether it is Python code to run.
    pub(crate) fn is_cell(&self) -> bool {
        matches!(self, Self::Beyond(action) if matches!(&**action, ExtendedAction::Run(call) if call.code.is_some()))
    }

    /// Whether it begins a stream, which has more than one answer.
    pub(crate) fn streams(&self) -> bool {
        match self {
            Self::Plain(action) => action.verb == Verb::StartScreencast || action.stream == Some(true),
            Self::Beyond(_) => false,
        }
    }

    /// The picture that it asks for after it was done.
    pub(crate) fn observe(&self) -> Option<ObserveSpec> {
        match self {
            Self::Plain(action) => action.observe,
            Self::Beyond(action) => action.observe(),
        }
    }

    /// The action as it stands in a message.
    pub fn to_json(&self) -> Value {
        match self.clone() {
            Self::Plain(action) => action.encode(),
            Self::Beyond(action) => action.encode(),
        }
    }
}

impl From<Action> for Request {
    fn from(action: Action) -> Self {
        Self::Plain(Box::new(action))
    }
}

impl From<ExtendedAction> for Request {
    fn from(action: ExtendedAction) -> Self {
        Self::Beyond(Box::new(action))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_of_both_kinds_are_read_and_faults_say_where() {
        let click = json!({"verb": "click", "target": {"kind": "point_px", "x": 1, "y": 2}});
        let request = Request::read(click.clone()).unwrap();
        assert!(matches!(request, Request::Plain(_)) && request.mutates());
        assert_eq!(request.to_json(), click);
        let scroll = json!({"verb": "scroll_element", "pages": 1,
            "target": {"kind": "element_ref", "ref": "e1"}});
        assert!(matches!(Request::read(scroll), Ok(Request::Beyond(_))));
        for (wrong, what) in [
            (json!({"verb": "click"}), "target"),
            (json!({"verb": "clack"}), "clack"),
            (json!("click"), "action"),
            (json!({"verb": "key", "keys": 5}), "keys"),
        ] {
            let error = Request::read(wrong).unwrap_err();
            assert!(error.to_string().contains(what), "{error}");
        }
    }
}
