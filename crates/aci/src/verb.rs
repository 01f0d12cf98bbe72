//! The table of verbs, and all that follows from it.
//!
//! A row names the verb, what kind of thing it is, how it is answered, the fields it needs and the fields it may take,
//! and the fields that no other verb may carry. From the rows come [`Verb`], [`VERBS`], the rules between fields of an
//! action ([`crate::action::rules`]), one struct of typed parameters per verb and the enum [`Call`] that the daemon's dispatcher
//! matches on, so that a verb without a handler does not compile.

mod table;

pub use table::*;

use crate::wire::names;

names! {
    /// What a verb is about.
    Family {
        /// Mouse clicks, moves and the wheel.
        Pointer = "pointer",
        /// Composed and free-form gestures.
        Gesture = "gesture",
        /// Text and keys.
        Keyboard = "keyboard",
        /// Pictures.
        Pixels = "pixels",
        /// The accessibility tree.
        Structure = "structure",
        /// Acting through the accessibility interface.
        Element = "element",
        /// Programs run for their output.
        Exec = "exec",
        /// Clipboard, applications, windows.
        Desktop = "desktop",
        /// Waiting.
        Timing = "timing",
    }
}

names! {
    /// What a verb does to the desktop.
    Effect {
        /// It only looks, or waits.
        Reads = "reads",
        /// It changes the desktop, and so may carry `observe`.
        Mutates = "mutates",
        /// It runs a program, whose effects are not a gesture on the desktop; no `observe`.
        Runs = "runs",
    }
}

names! {
    /// How a verb that succeeded is answered. A refused one is answered by an `ack` with `ok: false`,
    /// where the answer would have been a `result` by a `result` with `ok: false`.
    Reply {
        /// An `ack`.
        Ack = "ack",
        /// An `observation` whose `cause` is the call.
        Observation = "observation",
        /// A `result` with a value.
        Result = "result",
    }
}

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub struct VerbMeta {
    /// The verb.
    pub verb: Verb,
    /// What it does, in one paragraph.
    pub doc: &'static [&'static str],
    /// What it is about.
    pub family: Family,
    /// What it does to the desktop.
    pub effect: Effect,
    /// How it is answered.
    pub reply: Reply,
    /// Fields it needs.
    pub required: &'static [&'static str],
    /// Fields it may take, `observe` apart.
    pub optional: &'static [&'static str],
    /// Those of its fields that no verb may carry that does not list them here too.
    pub own: &'static [&'static str],
    /// Of which fields a choice must be made.
    pub choice: Choice,
}

/// A choice between fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// None.
    Free,
    /// Exactly one of the two.
    OneOf(&'static str, &'static str),
    /// At least one.
    AnyOf(&'static [&'static str]),
}

impl Verb {
    /// The verb's row.
    pub fn meta(self) -> &'static VerbMeta {
        // Rows and variants are made by one macro in one order.
        &VERBS[self as usize]
    }

    /// Whether it changes the desktop.
    pub fn mutates(self) -> bool {
        self.meta().effect == Effect::Mutates
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_stands_where_its_verb_looks_for_it() {
        for (row, verb) in VERBS.iter().zip(Verb::ALL) {
            assert_eq!(row.verb, *verb);
            assert_eq!(verb.meta().verb, *verb);
        }
        assert_eq!(VERBS.len(), 22);
        assert_eq!(
            VERBS.iter().filter(|row| row.effect == Effect::Mutates).count(),
            15
        );
    }
}
