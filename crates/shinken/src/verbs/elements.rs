//! The elements of the accessibility tree: looking at them and using them.

use aci::action::Action;
use aci::extension::action::{
    AppSelector, Axis, ExtendedAction, Include, ObserveView, Pages, ScrollElement, SelectionMode,
    SetTextSelection,
};
use aci::extension::view::AppInfo;
use aci::extension::{ExtendedQuery, ExtendedQueryKind, Extension};
use aci::target::{ElementRef, Target};
use aci::verb::Verb;
use aci::{Natural, NonEmpty, NonEmptyString, Positive, Wire as _};

use super::act::Act;
use crate::client::Client;
use crate::error::ClientError;
use crate::request::Request;
use crate::view::{Look, View};

/// An application, as [`Client::apps`] lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct App {
    /// What it calls itself, or its program's name.
    pub name: String,
    /// Its process.
    pub pid: u32,
    /// Its program's file, where the system tells.
    pub path: Option<String>,
    /// Whether its window is the active one.
    pub focused: bool,
}

/// A piece of an element's text, which must be there exactly once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    text: String,
    prefix: Option<String>,
    suffix: Option<String>,
}

impl Passage {
    /// This text, letter for letter.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            prefix: None,
            suffix: None,
        }
    }

    /// The one right after this.
    #[must_use]
    pub fn after(mut self, prefix: impl Into<String>) -> Self {
        self.prefix = Some(prefix.into());
        self
    }

    /// The one right before this.
    #[must_use]
    pub fn before(mut self, suffix: impl Into<String>) -> Self {
        self.suffix = Some(suffix.into());
        self
    }
}

impl From<&str> for Passage {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl Client {
    /// Looks at an application: its tree, a picture, or both.
    ///
    /// # Errors
    /// [`ClientError::Unsupported`] where the runtime does not offer what the look asks for; as for any call.
    pub async fn observe(&self, look: Look) -> Result<View, ClientError> {
        let mut call = self.send(self.look_request(look)).await?;
        View::from_seen(call.answer().await?.seen()?)
    }

    /// The request that looks.
    pub(crate) fn look_request(&self, look: Look) -> Request {
        let plain = look.selector().is_none() && look.shot().is_none();
        if plain && !self.has(Extension::ObserveInclude) {
            return plain_look(&look).into();
        }
        ExtendedAction::Observe(extended_look(look)).into()
    }

    /// The applications that have a window or a tree.
    ///
    /// # Errors
    /// [`ClientError::Unsupported`] where the runtime does not offer it; as for any call.
    pub async fn apps(&self) -> Result<Vec<App>, ClientError> {
        let query = |call_id| ExtendedQuery {
            call_id,
            q: ExtendedQueryKind::Apps,
        };
        let value = self.query_beyond(Extension::Apps, query).await?;
        let apps = Vec::<AppInfo>::decode(value)
            .map_err(|fault| ClientError::protocol(format!("the answer to apps: {fault}")))?;
        let app = |app: AppInfo| App {
            name: app.name,
            pid: app.pid.to_u32(),
            path: app.path,
            focused: app.focused,
        };
        Ok(apps.into_iter().map(app).collect())
    }

    /// Performs an action that an element offers; where none is named the one that activates it.
    pub fn invoke_action(&self, element: impl Into<String>, name: Option<String>) -> Act {
        let mut action = Action::new(Verb::InvokeAction);
        action.target = Some(Target::ElementRef(element_ref(element)));
        action.text = name;
        Act::new(self, Ok(action))
    }

    /// Gives an element another value: a text, a number, `true` or `false`, or one of what it offers.
    pub fn set_value(&self, element: impl Into<String>, text: impl Into<String>) -> Act {
        let mut action = Action::new(Verb::SetValue);
        action.target = Some(Target::ElementRef(element_ref(element)));
        action.text = Some(text.into());
        Act::new(self, Ok(action))
    }

    /// Scrolls an element, or what it is in, by so many times what that shows: 1 is a page down or to the right, -0.5 half a page
    /// up or to the left.
    pub fn scroll_element(&self, element: impl Into<String>, pages: f64, axis: Axis) -> Act {
        let target = element_ref(element);
        let pages = Pages::new(pages).ok_or_else(|| ClientError::invalid("so many pages cannot be scrolled"));
        let action = pages.map(|pages| {
            ExtendedAction::ScrollElement(ScrollElement {
                target,
                pages,
                axis: (axis != Axis::Vertical).then_some(axis),
                observe: None,
            })
        });
        Act::beyond(self, action)
    }

    /// Finds a text in an element and selects it, or puts the caret before or after it. The element gets the keyboard focus.
    pub fn set_text_selection(
        &self,
        element: impl Into<String>,
        mode: SelectionMode,
        passage: impl Into<Passage>,
    ) -> Act {
        let target = element_ref(element);
        let Passage { text, prefix, suffix } = passage.into();
        let text = NonEmptyString::new(text).ok_or_else(|| ClientError::invalid("the text to find is empty"));
        let action = text.map(|text| {
            ExtendedAction::SetTextSelection(SetTextSelection {
                target,
                mode,
                text,
                prefix,
                suffix,
                observe: None,
            })
        });
        Act::beyond(self, action)
    }
}

fn plain_look(look: &Look) -> Action {
    let mut action = Action::new(Verb::Observe);
    action.structured = Some(true);
    action.diff = look.is_diff().then_some(true);
    action.settle_ms = settle(look);
    action
}

fn extended_look(look: Look) -> ObserveView {
    let shot = look.shot().map(|shot| shot.to_action(Verb::Screenshot));
    let app = look.selector().map(|(name, pid)| AppSelector {
        name: name.and_then(NonEmptyString::new),
        pid: pid.map(Positive::clamped),
    });
    let include = match (look.has_tree(), shot.is_some(), look.has_marks()) {
        (true, true, false) => vec![Include::Screenshot, Include::Tree],
        (true, true, true) => vec![Include::Marks, Include::Tree],
        (false, true, false) => vec![Include::Screenshot],
        (false, true, true) => vec![Include::Marks],
        (_, false, _) => vec![Include::Tree],
    };
    let shot = shot.as_ref();
    ObserveView {
        // The tree is what comes of itself.
        include: NonEmpty::new(include).filter(|_| app.is_none() || shot.is_some()),
        app,
        structured: None,
        diff: look.is_diff().then_some(true),
        settle_ms: settle(&look),
        scope: shot.and_then(|shot| shot.scope),
        max_long_edge: shot.and_then(|shot| shot.max_long_edge),
        format: shot.and_then(|shot| shot.format),
        quality: shot.and_then(|shot| shot.quality),
    }
}

fn settle(look: &Look) -> Option<Natural> {
    let quiet = look.quiet();
    (!quiet.is_zero()).then(|| Natural::clamped(quiet.as_millis()))
}

fn element_ref(reference: impl Into<String>) -> ElementRef {
    ElementRef {
        reference: reference.into(),
        source: None,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::{Value, json};

    use super::*;
    use crate::Shot;

    fn sent(look: Look) -> Value {
        extended_look(look).encode()
    }

    #[test]
    fn a_look_asks_for_no_more_than_is_wanted() {
        assert_eq!(sent(Look::new()), json!({"verb": "observe", "include": ["tree"]}));
        assert_eq!(
            sent(Look::new().app("Editor").diff().settle(Duration::from_millis(30))),
            json!({"verb": "observe", "app": {"name": "Editor"}, "diff": true, "settle_ms": 30})
        );
        let both = Look::new().process(7).picture(Shot::active_window().jpeg(50));
        assert_eq!(
            sent(both.clone()),
            json!({"verb": "observe", "app": {"pid": 7}, "include": ["screenshot", "tree"], "scope": "active_window",
                "format": "jpeg", "quality": 50})
        );
        assert_eq!(sent(both.without_tree())["include"], json!(["screenshot"]));
        // Something is always asked for.
        assert_eq!(sent(Look::new().without_tree())["include"], json!(["tree"]));
    }
}
