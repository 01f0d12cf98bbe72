//! The rows. Adding a verb is adding one here, its fields to [`crate::action::Action`] where they are new, a handler in the
//! daemon and a test.

use std::collections::BTreeMap;

use super::{Choice, Effect, Family, Reply, VerbMeta};
use crate::action::{Fps, Quality};
use crate::target::{PointerButton, Scope, Target};
use crate::welcome::ImageFormat;
use crate::wire::{Constant, Fault, Natural, NonEmpty, NonEmptyString, Number, Positive, words};

macro_rules! verbs {
    ($(
        $(#[doc = $doc:literal])*
        $variant:ident = $word:literal: $family:ident, $effect:ident, $reply:ident {
            needs { $($need:ident: $nty:ty),* }
            takes { $($take:ident: $tty:ty),* }
            own [$($own:literal),*]
            choice $choice:expr
        }
    )+) => {
        words! {
            /// The vocabulary of actions.
            Verb { $($(#[doc = $doc])* $variant = $word),+ }
        }

        /// The table of verbs, in the order of [`Verb::ALL`].
        pub const VERBS: &[VerbMeta] = &[$(VerbMeta {
            verb: Verb::$variant,
            doc: &[$($doc),*],
            family: Family::$family,
            effect: Effect::$effect,
            reply: Reply::$reply,
            required: &[$(stringify!($need)),*],
            optional: &[$(stringify!($take)),*],
            own: &[$($own),*],
            choice: $choice,
        }),+];

        /// The typed parameters of each verb.
        pub mod call {
            use super::*;
            $(
                $(#[doc = $doc])*
                #[derive(Debug, Clone, PartialEq)]
                pub struct $variant {
                    $(#[doc = concat!("The field `", stringify!($need), "`.")] pub $need: $nty,)*
                    $(#[doc = concat!("The field `", stringify!($take), "`, where it was sent.")] pub $take: Option<$tty>,)*
                }
            )+
        }

        /// An action with the parameters that its verb reads, checked.
        #[derive(Debug, Clone, PartialEq)]
        pub enum Call { $($(#[doc = $doc])* $variant(call::$variant)),+ }

        impl Call {
            /// The verb.
            pub fn verb(&self) -> Verb {
                match self { $(Self::$variant(_) => Verb::$variant),+ }
            }

            /// Picks the fields that the action's verb reads.
            ///
            /// # Errors
            /// A [`Fault`] where a field that the verb needs is missing.
            pub fn from_action(action: crate::action::Action) -> Result<Self, Fault> {
                match action.verb {
                    $(Verb::$variant => Ok(Self::$variant(call::$variant {
                        $($need: action.$need.ok_or_else(|| Fault::new(concat!(
                            "the field \"", stringify!($need), "\" is missing, which the verb \"", $word, "\" needs"
                        )))?,)*
                        $($take: action.$take,)*
                    }))),+
                }
            }
        }
    };
}

verbs! {
    /// Presses and releases the left button at the target.
    Click = "click": Pointer, Mutates, Ack {
        needs { target: Target } takes {} own [] choice Choice::Free
    }
    /// Clicks twice, fast enough that toolkits see one double click.
    DoubleClick = "double_click": Pointer, Mutates, Ack {
        needs { target: Target } takes {} own [] choice Choice::Free
    }
    /// Presses and releases the right button at the target.
    RightClick = "right_click": Pointer, Mutates, Ack {
        needs { target: Target } takes {} own [] choice Choice::Free
    }
    /// Moves the pointer to the target.
    Move = "move": Pointer, Mutates, Ack {
        needs { target: Target } takes {} own [] choice Choice::Free
    }
    /// Presses the button at the target, moves along a straight line, and releases it at `to`.
    Drag = "drag": Gesture, Mutates, Ack {
        needs { target: Target, to: Target } takes { button: PointerButton, duration_ms: Natural } own []
        choice Choice::Free
    }
    /// Presses a button and keeps it down, at the target or where the pointer is. The button is released when the session ends.
    MouseDown = "mouse_down": Gesture, Mutates, Ack {
        needs {} takes { target: Target, button: PointerButton } own [] choice Choice::Free
    }
    /// Releases a button, at the target or where the pointer is.
    MouseUp = "mouse_up": Gesture, Mutates, Ack {
        needs {} takes { target: Target, button: PointerButton } own [] choice Choice::Free
    }
    /// Turns the wheel at the target. `dx` (right) and `dy` (down the page) are in 1/120 of a wheel step, the unit of
    /// high-resolution wheels; what is less than a step is kept and added to the session's next scroll.
    Scroll = "scroll": Pointer, Mutates, Ack {
        needs { target: Target } takes { dx: Number, dy: Number } own [] choice Choice::Free
    }
    /// Types the text exactly, whatever the keyboard layout: any Unicode, a line feed as Return, a tab as Tab.
    TypeText = "type_text": Keyboard, Mutates, Ack {
        needs { text: String } takes {} own [] choice Choice::Free
    }
    /// Presses a chord such as `ctrl+shift+t`: names of X keysyms or their usual short forms, joined by `+`.
    Key = "key": Keyboard, Mutates, Ack {
        needs { keys: String } takes {} own [] choice Choice::Free
    }
    /// Takes one picture. With `if_none_match` equal to the picture's hash the answer says `not_modified` and carries no pixels.
    Screenshot = "screenshot": Pixels, Reads, Observation {
        needs {}
        takes { scope: Scope, max_long_edge: Positive, format: ImageFormat, quality: Quality, if_none_match: String }
        own [] choice Choice::Free
    }
    /// Starts a stream of pictures, pushed when the screen changes; with `delta` only the changed 64-pixel tiles.
    StartScreencast = "start_screencast": Pixels, Reads, Ack {
        needs {}
        takes {
            scope: Scope, fps: Fps, max_long_edge: Positive, format: ImageFormat, quality: Quality, delta: bool,
            resume_stream: String
        }
        own [] choice Choice::Free
    }
    /// Ends this session's screencast.
    StopScreencast = "stop_screencast": Pixels, Reads, Ack {
        needs {} takes {} own [] choice Choice::Free
    }
    /// Waits `ms` milliseconds, at most a minute; the session's later actions wait too.
    Wait = "wait": Timing, Reads, Ack {
        needs {} takes { ms: Natural } own [] choice Choice::Free
    }
    /// Reads the accessibility tree of the focused application.
    Observe = "observe": Structure, Reads, Observation {
        needs {} takes { structured: bool, diff: bool, settle_ms: Natural } own ["structured", "diff", "settle_ms"]
        choice Choice::Free
    }
    /// Performs an action that the element offers; `text` names it.
    InvokeAction = "invoke_action": Element, Mutates, Ack {
        needs { target: Target } takes { text: String } own [] choice Choice::Free
    }
    /// Sets the element's value or text.
    SetValue = "set_value": Element, Mutates, Ack {
        needs { target: Target, text: String } takes {} own [] choice Choice::Free
    }
    /// Runs a program and answers with its output, or streams it with `stream`. `argv` is run directly, `shell` by `/bin/sh -c`.
    Exec = "exec": Exec, Runs, Result {
        needs {}
        takes {
            argv: NonEmpty<String>, shell: String, cwd: String, env: BTreeMap<String, String>, timeout_ms: Positive,
            stdin: String, stream: bool, pty: Constant<false>
        }
        own ["argv", "shell", "cwd", "env", "timeout_ms", "stdin", "stream", "pty"]
        choice Choice::OneOf("argv", "shell")
    }
    /// Reads the clipboard's text (the CLIPBOARD selection); the result's value is `{"text": …}`.
    ClipboardGet = "clipboard_get": Desktop, Reads, Result {
        needs {} takes {} own [] choice Choice::Free
    }
    /// Puts a text on the clipboard and serves it for as long as the daemon lives.
    ClipboardSet = "clipboard_set": Desktop, Mutates, Ack {
        needs { text: String } takes {} own [] choice Choice::Free
    }
    /// Starts a program on the desktop, by a name on PATH or an absolute path, its arguments verbatim.
    LaunchApp = "launch_app": Desktop, Mutates, Ack {
        needs { app: NonEmptyString } takes { args: Vec<String> } own ["app", "args"] choice Choice::Free
    }
    /// Raises and focuses a window, by its id or by the first title that contains `app`, letter case aside.
    ActivateWindow = "activate_window": Desktop, Mutates, Ack {
        needs {} takes { window_id: Natural, app: NonEmptyString } own ["window_id", "app"]
        choice Choice::AnyOf(&["window_id", "app"])
    }
}
