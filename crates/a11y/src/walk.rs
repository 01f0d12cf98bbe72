//! Reading applications: what one object is like, and all that is below it.
//!
//! Calls are sent ahead: a generation of the tree is asked for at once, and answered while the next questions are on
//! their way, so that a walk costs as many waits as the tree is deep and not as it has controls.

use std::time::{Duration, Instant};

use atspi_common::{Interface, InterfaceSet, Role, State, StateSet};
use futures_util::StreamExt as _;
use futures_util::future::{join, join_all};
use zbus::zvariant::OwnedObjectPath;

use crate::bus::{Bus, CallError, body};
use crate::node::{Facts, Place, Rect};
use crate::parents::Parents;
use crate::table;
use crate::toolkit::Toolkit;
use crate::tree::{Fresh, Tree};

pub(crate) const ACCESSIBLE: &str = "org.a11y.atspi.Accessible";
pub(crate) const COMPONENT: &str = "org.a11y.atspi.Component";
pub(crate) const ACTION: &str = "org.a11y.atspi.Action";
pub(crate) const TEXT: &str = "org.a11y.atspi.Text";
pub(crate) const EDITABLE_TEXT: &str = "org.a11y.atspi.EditableText";
pub(crate) const SELECTION: &str = "org.a11y.atspi.Selection";
pub(crate) const VALUE: &str = "org.a11y.atspi.Value";

/// AT-SPI's way to say that there is no object.
const NOBODY: &str = "/org/a11y/atspi/null";
/// So many objects of a generation are asked at a time.
pub(crate) const AT_ONCE: usize = 64;
/// The most actions of a control that are read.
const ACTIONS_READ: usize = 32;
/// The most characters of a text that are read.
const TEXT_READ: i32 = 4_096;
/// Coordinates of the screen, in AT-SPI's `CoordType`.
pub(crate) const OF_THE_SCREEN: u32 = 0;

/// What a walk may cost.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The most controls of one walk.
    pub nodes: usize,
    /// The deepest.
    pub depth: usize,
    /// The most children of one control.
    pub children: usize,
    /// The longest it may take.
    pub time: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            nodes: 5_000,
            depth: 60,
            children: 1_000,
            time: Duration::from_secs(4),
        }
    }
}

/// Where an application is read from, and how what it says is to be understood.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) bus: &'a Bus,
    pub(crate) toolkit: Toolkit,
}

/// Why a walk did not read all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Cut {
    reasons: Vec<String>,
    /// What did not answer in time, or has a child that did not.
    late: Vec<Place>,
}

impl Cut {
    pub(crate) fn note(&mut self, why: String) {
        if !self.reasons.contains(&why) {
            self.reasons.push(why);
        }
    }

    /// Notes that this object or a child of it did not answer in time.
    pub(crate) fn late(&mut self, place: &Place) {
        // Siblings come one after another.
        if self.late.last() != Some(place) {
            self.late.push(place.clone());
        }
    }

    pub(crate) fn extend(&mut self, other: Self) {
        self.late.extend(other.late);
        other.reasons.into_iter().for_each(|why| self.note(why));
    }

    /// What did not answer in time, and must be asked again; it is not told any more then.
    pub(crate) fn take_late(&mut self) -> Vec<Place> {
        std::mem::take(&mut self.late)
    }

    pub(crate) fn text(&self) -> String {
        let late = (!self.late.is_empty()).then_some("a part did not answer in time");
        let reasons = self.reasons.iter().map(String::as_str).chain(late);
        reasons.collect::<Vec<_>>().join("; ")
    }
}

/// An object as it was read, and where its children are.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) facts: Facts,
    pub(crate) children: Vec<Place>,
    /// Whether these are all.
    pub(crate) complete: bool,
    /// How many there are and how many of them were read, where that is not all.
    too_many: Option<(usize, usize)>,
    /// Whether it did not say in time where its children are.
    late: bool,
}

impl Read {
    /// Notes what of it is left out.
    pub(crate) fn note(&self, place: &Place, cut: &mut Cut) {
        if self.late {
            cut.late(place);
        }
        if let Some((count, read)) = self.too_many {
            cut.note(format!(
                "{count} children of one {}, of which {read} were read",
                self.facts.role
            ));
        }
    }
}

/// Reads an object and all below it, beside what is in the tree; an error where not even the object itself answers.
pub(crate) async fn walk(
    source: Source<'_>,
    tree: &Tree,
    root: Place,
    limits: Limits,
    cut: &mut Cut,
) -> Result<Fresh, CallError> {
    let deadline = Instant::now() + limits.time;
    // Generation by generation; each entry knows its parent's place in the list.
    let mut found: Vec<(Place, Option<usize>, Read)> = Vec::new();
    let mut parents = Parents::new(tree);
    let first = read(source, &root, limits.children).await?;
    first.note(&root, cut);
    let mut generation: Vec<(Place, usize)> = first.children.iter().map(|place| (place.clone(), 0)).collect();
    found.push((root, None, first));
    let mut depth = 1;
    while !generation.is_empty() {
        if depth > limits.depth {
            cut.note(format!("deeper than {}", limits.depth));
            break;
        }
        let parent_of = |parent: usize| found.get(parent).map(|(place, _, _)| place);
        let named = generation
            .iter()
            .filter_map(|(child, parent)| Some((child.clone(), parent_of(*parent)?.clone())));
        parents.note(source.bus, named.collect()).await;
        generation.retain(|(child, parent)| {
            parent_of(*parent).is_some_and(|parent| !parents.is_disowned(child, parent))
        });
        let room = limits.nodes.saturating_sub(found.len());
        if generation.len() > room {
            cut.note(format!("more than {} controls", limits.nodes));
            generation.truncate(room);
        }
        let answers = futures_util::stream::iter(generation)
            .map(|(place, parent)| async move {
                if Instant::now() >= deadline {
                    return (place, parent, Err(CallError::Late));
                }
                let answer = read(source, &place, limits.children).await;
                (place, parent, answer)
            })
            .buffered(AT_ONCE)
            .collect::<Vec<_>>()
            .await;
        generation = Vec::new();
        for (place, parent, answer) in answers {
            match answer {
                Ok(answer) => {
                    let own = found.len();
                    answer.note(&place, cut);
                    generation.extend(answer.children.iter().map(|child| (child.clone(), own)));
                    found.push((place, Some(parent), answer));
                }
                // It went while it was looked for.
                Err(CallError::Refused) => {}
                Err(CallError::Late) => {
                    if let Some((above, _, _)) = found.get(parent) {
                        cut.late(above);
                    }
                }
            }
        }
        depth += 1;
    }
    Ok(assemble(found, &parents))
}

/// The list of a walk as a tree. Parents stand before their children.
fn assemble(found: Vec<(Place, Option<usize>, Read)>, parents: &Parents<'_>) -> Fresh {
    let mut trees: Vec<(Option<usize>, Fresh)> = found
        .into_iter()
        .map(|(place, parent, read)| {
            let fresh = Fresh {
                place,
                facts: read.facts,
                children: Vec::new(),
                complete: read.complete,
            };
            (parent, fresh)
        })
        .collect();
    // From the last to the first, so that each is whole before it is given to its parent.
    while let Some((parent, mut fresh)) = trees.pop() {
        fresh.children.reverse();
        match parent.and_then(|parent| trees.get_mut(parent)) {
            // It may have turned out later whose it is.
            Some((_, parent)) if parents.is_disowned(&fresh.place, &parent.place) => {}
            Some((_, parent)) => parent.children.push(fresh),
            None => return fresh,
        }
    }
    // A walk has found its root at least.
    Fresh {
        place: Place::new("", ""),
        facts: Facts::default(),
        children: Vec::new(),
        complete: true,
    }
}

/// What one object can do.
pub(crate) async fn interfaces(bus: &Bus, place: &Place) -> Result<InterfaceSet, CallError> {
    bus.call(place, ACCESSIBLE, "GetInterfaces", &())
        .await
        .and_then(body)
}

/// Whether a window is the active one.
pub(crate) async fn is_active(bus: &Bus, window: &Place) -> Result<bool, CallError> {
    match bus.call(window, ACCESSIBLE, "GetState", &()).await.and_then(body) {
        Ok(states) => Ok(StateSet::contains(states, State::Active)),
        Err(CallError::Refused) => Ok(false),
        Err(late) => Err(late),
    }
}

/// Reads one object and where its children are.
pub(crate) async fn read(source: Source<'_>, place: &Place, most_children: usize) -> Result<Read, CallError> {
    let (facts, children) = look(source, place, Some(most_children)).await?;
    let Below {
        children,
        count,
        closed,
        late,
    } = children.unwrap_or_default();
    let too_many = (count > children.len() && !closed).then_some(count);
    Ok(Read {
        facts,
        complete: too_many.is_none() && !closed && !late,
        too_many: too_many.map(|count| (count, children.len())),
        late,
        children,
    })
}

/// The children of an object that were read.
#[derive(Debug, Default)]
struct Below {
    children: Vec<Place>,
    /// How many there are.
    count: usize,
    /// Whether they cannot be seen.
    closed: bool,
    /// Whether it did not say in time where they are.
    late: bool,
}

async fn below(bus: &Bus, place: &Place, (role, states): (Role, StateSet), most: usize) -> Below {
    // What is below a closed menu cannot be seen; it may have hundreds of items.
    if role == Role::Menu && !states.contains(State::Showing) {
        return Below {
            closed: true,
            ..Below::default()
        };
    }
    let found = if table::may_be_huge(role) {
        table::children(bus, place, most).await
    } else {
        children(bus, place).await.map(|children| {
            let count = children.len();
            (children, count)
        })
    };
    let late = matches!(found, Err(CallError::Late));
    let (mut children, count) = found.unwrap_or_default();
    children.truncate(most);
    Below {
        children,
        count,
        closed: false,
        late,
    }
}

/// Where the children of an object are.
pub(crate) async fn children(bus: &Bus, place: &Place) -> Result<Vec<Place>, CallError> {
    let reply = bus.call(place, ACCESSIBLE, "GetChildren", &()).await?;
    let children: Vec<(String, OwnedObjectPath)> = body(reply)?;
    Ok(children.into_iter().filter_map(object).collect())
}

/// The object of an answer, where there is one.
pub(crate) fn object((bus, path): (String, OwnedObjectPath)) -> Option<Place> {
    (path.as_str() != NOBODY).then(|| Place::new(bus, path.as_str()))
}

/// What one object is like.
pub(crate) async fn facts(source: Source<'_>, place: &Place) -> Result<Facts, CallError> {
    look(source, place, None).await.map(|(facts, _)| facts)
}

/// What one object is like, and so many of its children at most, where they are asked for.
async fn look(
    source: Source<'_>,
    place: &Place,
    most_children: Option<usize>,
) -> Result<(Facts, Option<Below>), CallError> {
    let bus = source.bus;
    // Once, before all is asked at a time.
    bus.object(place).await?;
    let ((role, states), (interfaces, (name, description))) = join(
        join(
            bus.call(place, ACCESSIBLE, "GetRole", &()),
            bus.call(place, ACCESSIBLE, "GetState", &()),
        ),
        join(
            interfaces(bus, place),
            join(
                bus.property::<String>(place, ACCESSIBLE, "Name"),
                bus.property::<String>(place, ACCESSIBLE, "Description"),
            ),
        ),
    )
    .await;
    let role: u32 = body(role?)?;
    let role = Role::try_from(role).unwrap_or(Role::Unknown);
    let mut states: StateSet = states.and_then(body)?;
    if source.toolkit == Toolkit::Gtk4 && states.contains(State::Visible) {
        states.insert(State::Showing);
        if states.contains(State::Sensitive) {
            states.insert(State::Enabled);
        }
    }
    let interfaces = interfaces.unwrap_or(InterfaceSet::empty());
    let below = async {
        let most = most_children?;
        Some(below(bus, place, (role, states), most).await)
    };
    // Every label of GTK 4 has what can be done to a marked text and a link, most have neither.
    let is_bare =
        source.toolkit == Toolkit::Gtk4 && role == Role::Label && !states.contains(State::Focusable);
    let acting = if is_bare {
        InterfaceSet::empty()
    } else {
        interfaces
    };
    let ((rect, actions), (value, below)) = join(
        join(area(bus, place, interfaces), actions(bus, place, acting)),
        join(value(bus, place, interfaces, role), below),
    )
    .await;
    let mut facts = Facts {
        role: role.name().replace(' ', "-"),
        // GTK pads the names of menu items.
        name: name.unwrap_or_default().trim().to_owned(),
        description: description.unwrap_or_default(),
        value,
        states: states.iter().map(|state| state.to_static_str()).collect(),
        actions,
        // GTK says of what is not drawn that it is a pixel far away.
        rect: rect.filter(|_| states.contains(State::Showing)),
    };
    facts.states.sort_unstable();
    Ok((facts, below))
}

/// Where it is on the screen.
async fn area(bus: &Bus, place: &Place, interfaces: InterfaceSet) -> Option<Rect> {
    if interfaces.contains(Interface::Component) {
        extents(bus, place).await
    } else {
        None
    }
}

/// What its application says of where it is.
pub(crate) async fn extents(bus: &Bus, place: &Place) -> Option<Rect> {
    let answer = bus.call(place, COMPONENT, "GetExtents", &(OF_THE_SCREEN,)).await;
    let (x, y, w, h): (i32, i32, i32, i32) = body(answer.ok()?).ok()?;
    let [w, h] = [w, h].map(|edge| u32::try_from(edge).ok().filter(|&edge| edge > 0));
    // GTK 3 says this of what is out of sight.
    let known = (x, y) != (i32::MIN, i32::MIN);
    known.then_some(Rect { x, y, w: w?, h: h? })
}

/// What it can do, in its own order.
async fn actions(bus: &Bus, place: &Place, interfaces: InterfaceSet) -> Vec<String> {
    if !interfaces.contains(Interface::Action) {
        return Vec::new();
    }
    let answer = bus.call(place, ACTION, "GetActions", &()).await;
    // Localized name, description and key binding of each; GTK's names are the same in every language.
    let actions: Vec<(String, String, String)> = answer.and_then(body).unwrap_or_default();
    let names = actions.into_iter().take(ACTIONS_READ).enumerate();
    let names = names.map(|(index, (name, _, _))| async move {
        if !name.is_empty() {
            return name;
        }
        // Chromium has no localized names. An action that has none at all still has its number.
        let index = i32::try_from(index).unwrap_or(i32::MAX);
        let answer = bus.call(place, ACTION, "GetName", &(index,)).await;
        let name: String = answer.and_then(body).unwrap_or_default();
        // Each object of Chromium has it, and a right click does it.
        if name == "showContextMenu" {
            String::new()
        } else {
            name
        }
    });
    join_all(names).await
}

/// Whether the number of a control of this role says something. LibreOffice's buttons have one each, and it is 0.
fn has_number(role: Role) -> bool {
    matches!(
        role,
        Role::Dial
            | Role::LevelBar
            | Role::ProgressBar
            | Role::Rating
            | Role::ScrollBar
            | Role::Slider
            | Role::SpinButton
            | Role::SplitPane
    )
}

async fn beginning(bus: &Bus, place: &Place, characters: i32) -> Result<String, CallError> {
    body(bus.call(place, TEXT, "GetText", &(0_i32, characters)).await?)
}

/// Its number or its text; of a password nothing.
async fn value(bus: &Bus, place: &Place, interfaces: InterfaceSet, role: Role) -> Option<String> {
    if role == Role::PasswordText {
        return None;
    }
    if interfaces.contains(Interface::Value) && has_number(role) {
        let number: f64 = bus.property(place, VALUE, "CurrentValue").await.ok()?;
        return Some(number.to_string());
    }
    let is_read = matches!(
        role,
        Role::Text
            | Role::ComboBox
            | Role::Entry
            | Role::Terminal
            | Role::SpinButton
            | Role::Paragraph
            | Role::DocumentText
            | Role::TableCell
    );
    if !interfaces.contains(Interface::Text) || !is_read {
        return None;
    }
    let mut text = beginning(bus, place, TEXT_READ).await.ok()?;
    if text.is_empty() {
        // Qt's text areas and LibreOffice answer with nothing where less is there than was asked for.
        let count: i32 = bus.property(place, TEXT, "CharacterCount").await.ok()?;
        if count > 0 {
            text = beginning(bus, place, count.min(TEXT_READ)).await.ok()?;
        }
    }
    // Each object in a text stands there as this character; with nothing else it is no text.
    let is_text = text.is_empty() || text.chars().any(|character| character != '\u{fffc}');
    is_text.then_some(text)
}
