//! Elements of a structured observation.

use serde_json::{Map, Value};

use crate::target::ElementSource;
use crate::wire::{Array, Number, wire_object};

wire_object! {
    /// One control of an application.
    pub struct Element: Closed {
        /// Its id in this session, `e` and a number; never used again for another control.
        "ref" reference: required String,
        /// What it is, such as `button`.
        "role" role: required String,
        /// Its name.
        "name" name: optional String,
        /// Its longer description.
        "description" description: optional String,
        /// Its value or text.
        "value" value: optional String,
        /// Its states, such as `focused`.
        "states" states: optional Vec<String>,
        /// The actions that invoke_action takes for it.
        "actions" actions: optional Vec<String>,
        /// Whether it has the keyboard focus.
        "focused" focused: optional bool,
        /// Left edge, top edge, width and height in pixels of the screen.
        "bbox" bbox: required Array<Number, 4>,
        /// Where it comes from.
        "source" source: optional ElementSource,
        /// What its source calls it.
        "provenance" provenance: optional Map<String, Value>,
    }
}
