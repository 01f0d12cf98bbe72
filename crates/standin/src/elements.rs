//! The form as elements: their order, their facts, and what can be done with them.

use std::sync::LazyLock;

use a11y::node::{Facts, Place, Rect};
use a11y::text::Header;
use a11y::tree::{Fresh, Handle, Tree};
use a11y::view::{Gone, Scene, Shown, View};
use aci::Array;
use aci::element::Element;
use aci::error_code::{CodedError, ErrorCode};
use aci::target::{ElementRef, ElementSource};

use crate::desk::invalid;
use crate::form::{COLOURS, Control, Form, LONGEST, TITLE};

/// The name of the application.
const APP: &str = "shinken-standin";

/// The controls with their handles. Every session has the same ones, and they live as long as the session does.
static HANDLES: LazyLock<Vec<(Control, Handle)>> = LazyLock::new(|| {
    let mut tree = Tree::default();
    // Handles are a tree's to give; where its controls are does not matter here.
    let node = |number: usize, children| Fresh {
        place: Place::new(APP, number.to_string()),
        facts: Facts::default(),
        children,
        complete: true,
    };
    let controls: Vec<Control> = Control::all().collect();
    let children = (1..=controls.len()).map(|number| node(number, Vec::new()));
    let root = tree.put_root(node(0, children.collect()));
    let handles = tree.children(root).to_vec();
    controls.into_iter().zip(handles).collect()
});

/// What stands in the tree now.
pub(crate) fn scene(form: &Form) -> Scene {
    let shown = |&(control, handle): &(Control, Handle)| Shown {
        handle,
        depth: depth(control),
        facts: facts(form, control),
    };
    Scene {
        header: Header {
            app: APP.to_owned(),
            window: TITLE.to_owned(),
        },
        shown: HANDLES.iter().map(shown).collect(),
        truncated: String::new(),
    }
}

fn depth(control: Control) -> usize {
    match control {
        Control::Window => 0,
        Control::Colour(_) => 2,
        _ => 1,
    }
}

fn facts(form: &Form, control: Control) -> Facts {
    let (role, name, own_states, actions): (_, _, &[&str], &[&str]) = match control {
        Control::Window => ("frame", TITLE, &["active"], &[]),
        Control::NameLabel => ("label", "Name", &[], &[]),
        Control::EmailLabel => ("label", "E-mail", &[], &[]),
        Control::ColourLabel => ("label", "Colour", &[], &[]),
        Control::Name => (
            "text",
            "Name",
            &["editable", "focusable", "single-line"],
            &["activate"],
        ),
        Control::Email => (
            "text",
            "E-mail",
            &["editable", "focusable", "single-line"],
            &["activate"],
        ),
        Control::Newsletter => ("check-box", "Newsletter", &["focusable"], &["click"]),
        Control::List => ("list", "Colour", &["focusable"], &[]),
        Control::Colour(row) => ("list-item", COLOURS[row], &["selectable"], &["click"]),
        Control::Save => ("button", "Save", &["focusable"], &["click"]),
        Control::Status => ("status-bar", "Status", &[], &[]),
    };
    let area = form.area(control);
    let mut states = own_states.to_vec();
    states.extend(["enabled", "sensitive", "visible"]);
    if area.is_some() {
        states.push("showing");
    }
    if form.focus == control {
        states.push("focused");
    }
    match form.is_on(control) {
        Some(true) if control == Control::Newsletter => states.push("checked"),
        Some(true) => states.push("selected"),
        _ => {}
    }
    states.sort_unstable();
    Facts {
        role: role.to_owned(),
        name: name.to_owned(),
        description: String::new(),
        value: match control {
            Control::Status => Some(form.status.clone()),
            field => form.text(field).map(str::to_owned),
        },
        states,
        actions: actions.iter().map(|&action| action.to_owned()).collect(),
        rect: area.map(|area| Rect {
            x: area.x,
            y: area.y,
            w: area.w,
            h: area.h,
        }),
    }
}

/// An element as the wire has it.
pub(crate) fn element(id: u64, shown: &Shown) -> Element {
    let facts = &shown.facts;
    let edges = facts.rect.map_or([0.0; 4], |rect| {
        [rect.x.into(), rect.y.into(), rect.w.into(), rect.h.into()]
    });
    let actions: Vec<String> = facts.named_actions().map(str::to_owned).collect();
    Element {
        reference: format!("e{id}"),
        role: facts.role.clone(),
        name: Some(facts.name.clone()),
        description: None,
        value: facts.value.clone(),
        states: Some(facts.states.iter().copied().map(str::to_owned).collect()),
        actions: (!actions.is_empty()).then_some(actions),
        focused: Some(facts.is("focused")),
        bbox: Array(edges.map(|edge| aci::Number::new(edge).unwrap_or_default())),
        source: Some(ElementSource::Atspi),
        provenance: None,
    }
}

/// The control that a ref means in a session that has looked.
pub(crate) fn find(view: Option<&View>, element: &ElementRef) -> Result<Control, CodedError> {
    let reference = &element.reference;
    let digits = reference.strip_prefix('e').unwrap_or_default();
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    let id: u64 = digits.parse().ok().filter(|_| plain).ok_or_else(|| {
        invalid(format!(
            "{reference:?} is no element: they are called e1, e2 and so on, as observe lists them"
        ))
    })?;
    let handle = view.and_then(|view| view.handle(id));
    let control = HANDLES.iter().find(|(_, known)| Some(*known) == handle);
    control.map(|(control, _)| *control).ok_or_else(|| {
        let was = match view.and_then(|view| view.gone(id)) {
            Some(Gone { role, name }) => format!(", which was {role} {name:?}, is gone"),
            None => " was never shown in this session".to_owned(),
        };
        CodedError::new(
            ErrorCode::StaleElementRef,
            format!("{reference}{was}; observe again"),
        )
    })
}

/// Performs an action that a control offers; the one that there is where none is named.
pub(crate) fn invoke(form: &mut Form, control: Control, name: Option<&str>) -> Result<(), CodedError> {
    let Facts { role, actions, .. } = facts(form, control);
    let known = match name {
        Some(name) => actions.iter().any(|action| action.eq_ignore_ascii_case(name)),
        None => !actions.is_empty(),
    };
    if !known {
        let has = if actions.is_empty() {
            "it has none; click it instead".to_owned()
        } else {
            format!("name one of these in `text`: {}", actions.join(", "))
        };
        let what = name.map_or_else(|| "no action".to_owned(), |name| format!("no action {name:?}"));
        return Err(CodedError::new(
            ErrorCode::Unsupported,
            format!("{role} has {what}; {has}"),
        ));
    }
    match control {
        // What activates a field is Return in it.
        Control::Name | Control::Email => form.save(),
        other => form.activate(other),
    }
    Ok(())
}

/// Gives a control another value: a text, on or off, or one of what it offers.
pub(crate) fn set_value(form: &mut Form, control: Control, value: &str) -> Result<(), CodedError> {
    match control {
        Control::Name | Control::Email => {
            if value.chars().nth(LONGEST).is_some() || value.contains(char::is_control) {
                return Err(invalid(format!(
                    "a field takes one line of at most {LONGEST} characters"
                )));
            }
            form.set_text(control, value);
        }
        Control::Newsletter => match value {
            "true" => form.tick(true),
            "false" => form.tick(false),
            other => return Err(invalid(format!("it takes true or false, not {other:?}"))),
        },
        Control::List => match COLOURS.iter().position(|colour| *colour == value) {
            Some(row) => form.choose(row),
            None => {
                return Err(invalid(format!(
                    "it offers {}, not {value:?}",
                    COLOURS.join(", ")
                )));
            }
        },
        _ => {
            return Err(CodedError::new(
                ErrorCode::Unsupported,
                "it takes neither a text nor a choice; click it instead",
            ));
        }
    }
    Ok(())
}
