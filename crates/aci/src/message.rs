//! The envelopes: everything that travels as a text message, told apart by `type`.

use serde_json::Value;

use crate::action::Action;
use crate::error_code::{CodedError, ErrorCode};
use crate::exec::{ExecExit, ExecOutput};
use crate::observation::Observation;
use crate::welcome::{Hello, Welcome};
use crate::wire::{Fault, Number, Wire, wire_object, words};

words! {
    /// The questions that a client may ask.
    QueryKind {
        /// The operating system: `{"platform": "linux"}`.
        Platform = "platform",
        /// The screen's size in pixels: `{"w": …, "h": …}`.
        ScreenSize = "screen_size",
        /// Whether the desktop can be used: `{"ready": true}`.
        Ready = "ready",
        /// The top-level windows: `[{id, title, pid, x, y, w, h, focused}]`.
        ListWindows = "list_windows",
    }
}

wire_object! {
    /// Asks for a sign of life; `t` comes back in the pong.
    #[derive(Copy, Default)]
    pub struct Ping: Closed {
        fixed "type" = "ping";
        /// Anything that the client wants back, usually a time.
        "t" t: optional Number,
    }
}

wire_object! {
    /// A sign of life.
    #[derive(Copy, Default)]
    pub struct Pong: Closed {
        fixed "type" = "pong";
        /// What the ping carried.
        "t" t: optional Number,
    }
}

wire_object! {
    /// A question about the desktop, answered by a result.
    #[derive(Eq)]
    pub struct Query: Closed {
        fixed "type" = "query";
        /// The client's name for this call.
        "call_id" call_id: required String,
        /// The question.
        "q" q: required QueryKind,
    }
}

wire_object! {
    /// An answer with a value, or an error.
    pub struct ResultMsg: Closed {
        fixed "type" = "result";
        /// The call that it answers.
        "call_id" call_id: required String,
        /// Whether it worked.
        "ok" ok: required bool,
        /// The answer.
        "value" value: optional Value,
        /// `code: detail`, where it did not work.
        "error" error: optional String,
    }
}

wire_object! {
    /// Asks for an action.
    pub struct ActionMsg: Closed {
        fixed "type" = "action";
        /// The client's name for this call.
        "call_id" call_id: required String,
        /// The action.
        "action" action: required Action,
    }
}

wire_object! {
    /// Says that an action was done, or why not.
    #[derive(Eq)]
    pub struct Ack: Closed {
        fixed "type" = "ack";
        /// The call that it answers.
        "call_id" call_id: required String,
        /// Whether it was done.
        "ok" ok: required bool,
        /// `code: detail`, where it was not.
        "error" error: optional String,
    }
}

impl Ack {
    /// The action was done.
    pub fn done(call_id: impl Into<String>) -> Self {
        Self {
            call_id: call_id.into(),
            ok: true,
            error: None,
        }
    }

    /// The action was refused or failed.
    pub fn failed(call_id: impl Into<String>, error: &CodedError) -> Self {
        Self {
            call_id: call_id.into(),
            ok: false,
            error: Some(error.to_string()),
        }
    }
}

impl ResultMsg {
    /// The answer.
    pub fn value(call_id: impl Into<String>, value: Value) -> Self {
        Self {
            call_id: call_id.into(),
            ok: true,
            value: Some(value),
            error: None,
        }
    }

    /// There is no answer.
    pub fn failed(call_id: impl Into<String>, error: &CodedError) -> Self {
        Self {
            call_id: call_id.into(),
            ok: false,
            value: None,
            error: Some(error.to_string()),
        }
    }
}

/// Why a text message was refused, with what could still be read of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", error.detail)]
pub struct Refusal {
    /// The call it names, so that the refusal can be answered.
    pub call_id: Option<String>,
    /// Its type, where it has one.
    pub kind: Option<String>,
    /// What is wrong, as it is answered on the wire.
    pub error: CodedError,
}

impl Refusal {
    /// The refusal of a message of which only this is known yet.
    pub(crate) fn about(value: &Value) -> Self {
        let word = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        Self {
            call_id: word("call_id"),
            kind: word("type"),
            error: CodedError::new(ErrorCode::InvalidAction, String::new()),
        }
    }

    /// The same, with what is wrong.
    pub(crate) fn because(mut self, fault: &Fault) -> Self {
        self.error.detail = fault.to_string();
        self
    }
}

macro_rules! messages {
    ($($(#[doc = $doc:literal])* $variant:ident($inner:ident) = $word:literal),+ $(,)?) => {
        /// Any text message.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Message { $($(#[doc = $doc])* $variant($inner)),+ }

        impl Wire for Message {
            fn decode(value: Value) -> Result<Self, Fault> {
                let kind = match value.get("type") {
                    Some(Value::String(kind)) => kind.as_str(),
                    Some(other) => return Err(Fault::expected("a string", other).inside("type")),
                    None if value.is_object() => return Err(Fault::new("the field \"type\" is missing")),
                    None => return Err(Fault::expected("an object", &value)),
                };
                match kind {
                    $($word => $inner::decode(value).map(Self::$variant),)+
                    _ => Err(Fault::not_among(&[$($word),+], &value["type"]).inside("type")),
                }
            }

            fn encode(self) -> Value {
                match self { $(Self::$variant(inner) => inner.encode()),+ }
            }

            fn schema() -> Value {
                serde_json::json!({"oneOf": [$($inner::schema()),+]})
            }
        }

        $(impl From<$inner> for Message {
            fn from(inner: $inner) -> Self { Self::$variant(inner) }
        })+
    };
}

messages! {
    /// The client's greeting.
    Hello(Hello) = "hello",
    /// The daemon's answer to it.
    Welcome(Welcome) = "welcome",
    /// Asks for a sign of life.
    Ping(Ping) = "ping",
    /// A sign of life.
    Pong(Pong) = "pong",
    /// A question.
    Query(Query) = "query",
    /// An answer.
    Result(ResultMsg) = "result",
    /// Asks for an action.
    Action(ActionMsg) = "action",
    /// An action was done, or not.
    Ack(Ack) = "ack",
    /// Something seen.
    Observation(Observation) = "observation",
    /// A piece of a program's output.
    ExecOutput(ExecOutput) = "exec_output",
    /// A program's end.
    ExecExit(ExecExit) = "exec_exit",
}

impl Message {
    /// Reads a text message.
    ///
    /// # Errors
    /// A [`Refusal`] that names the call where the text has one.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        Self::read(Self::json(text)?)
    }

    pub(crate) fn json(text: &str) -> Result<Value, Refusal> {
        serde_json::from_str(text).map_err(|error| {
            Refusal::about(&Value::Null).because(&Fault::new(format!("the message is not JSON: {error}")))
        })
    }

    pub(crate) fn read(value: Value) -> Result<Self, Refusal> {
        let refusal = Refusal::about(&value);
        Self::decode(value).map_err(|fault| refusal.because(&fault))
    }

    /// Writes a text message.
    pub fn to_text(self) -> String {
        let value = self.encode();
        // Twice as fast as its `Display`, which goes through a formatter.
        serde_json::to_string(&value).unwrap_or_else(|_| value.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(text: &str, expected: &str) {
        assert_eq!(Message::parse(text).unwrap_err().to_string(), expected);
    }

    #[test]
    fn refusals_name_the_place_and_the_reason() {
        refused("[]", "expected an object, found an array");
        refused("{}", "the field \"type\" is missing");
        refused(
            r#"{"type":"action","call_id":"a","action":{"verb":"click","target":{"kind":"point_px","x":"1","y":2}}}"#,
            "action.target.x: expected a number, found \"1\"",
        );
        refused(
            r#"{"type":"action","call_id":"a","action":{"verb":"click"}}"#,
            "action: the field \"target\" is missing, which is needed for the verb \"click\"",
        );
        refused(
            r#"{"type":"action","call_id":"a","action":{"verb":"exec","argv":["a"],"shell":"b"}}"#,
            "action: \"argv\" and \"shell\" exclude each other; send one of them",
        );
        refused(
            r#"{"type":"action","call_id":"a","action":{"verb":"wait","observe":{}}}"#,
            "action: with \"observe\" the verb is one of click, double_click, right_click, move, drag, mouse_down, \
             mouse_up, scroll, type_text, key, invoke_action, set_value, clipboard_set, launch_app, activate_window, \
             not \"wait\"",
        );
    }

    #[test]
    fn refusals_name_what_was_probably_meant() {
        refused(
            r#"{"type":"acton"}"#,
            "type: expected one of hello, welcome, ping, pong, query, result, action, ack, observation, exec_output, \
             exec_exit, found \"acton\"; did you mean \"action\"?",
        );
        refused(
            r#"{"type":"query","call_id":"q","q":"windows"}"#,
            "q: expected one of platform, screen_size, ready, list_windows, found \"windows\"; did you mean \
             \"list_windows\"?",
        );
        // The misspelt field, not the missing one.
        refused(
            r#"{"type":"query","callId":"q","q":"ready"}"#,
            "unknown field \"callId\"; did you mean \"call_id\"? the fields are type, call_id, q",
        );
        // The wrong verb, not the fields that it cannot have.
        let refusal =
            Message::parse(r#"{"type":"action","call_id":"a","action":{"verb":"exce","argv":["ls"]}}"#);
        let text = refusal.unwrap_err().to_string();
        assert!(text.starts_with("action.verb: expected one of click, "), "{text}");
        assert!(text.ends_with("found \"exce\"; did you mean \"exec\"?"), "{text}");
    }

    #[test]
    fn a_refusal_is_short_whatever_was_sent() {
        let long = "ü".repeat(100_000);
        for text in [
            format!(r#"{{"type":"{long}"}}"#),
            format!(r#"{{"type":"ping","{long}":1}}"#),
            format!(r#"{{"type":"action","call_id":"a","action":{{"verb":"{long}","observe":{{}}}}}}"#),
            format!(
                r#"{{"type":"action","call_id":"a","action":{{"verb":"exec","shell":"","env":{{"{long}":1}}}}}}"#
            ),
            format!(
                r#"{{"type":"action","call_id":"a","action":{{"verb":"click","target":{{"kind":"{long}"}}}}}}"#
            ),
        ] {
            let refusal = Message::parse(&text).unwrap_err().to_string();
            assert!(refusal.len() < 1024, "{} bytes: {refusal:.200}", refusal.len());
        }
    }

    #[test]
    fn a_refusal_keeps_the_call() {
        let refusal =
            Message::parse(r#"{"type":"action","call_id":"c7","action":{"verb":"fly"}}"#).unwrap_err();
        assert_eq!(refusal.call_id.as_deref(), Some("c7"));
        assert!(
            refusal
                .error
                .to_string()
                .starts_with("invalid_action: action.verb: expected one of click,")
        );
    }

    #[test]
    fn a_message_survives_the_way_there_and_back() {
        let text = r#"{"type":"result","call_id":"q","ok":true,"value":null}"#;
        let message = Message::parse(text).unwrap();
        let Message::Result(result) = &message else {
            panic!("{message:?}")
        };
        assert_eq!(result.value, Some(Value::Null));
        assert_eq!(Message::parse(&message.clone().to_text()).unwrap(), message);
    }
}
