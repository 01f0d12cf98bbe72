//! The tree of the focused application.

use std::time::{Duration, Instant};

use a11y::view::{Rendering, Seen, Shown};
use aci::element::Element;
use aci::observation::{Observation, TreeMode};
use aci::target::ElementSource;
use aci::verb::call;
use aci::{Array, Natural, Number, Positive};

use crate::elements::Looked;
use crate::reply::{Outcome, Reply, invalid};
use crate::session::Session;

/// The longest quiet time that a call may ask for.
const LONGEST_QUIET: Duration = Duration::from_secs(2);

pub(super) async fn observe(session: &Session, call_id: &str, call: call::Observe) -> Outcome {
    if call.structured == Some(false) {
        return Err(invalid(
            "observe reads the accessibility tree; leave `structured` out, or use screenshot for pixels",
        ));
    }
    let elements = session.elements()?;
    let start = Instant::now();
    let desk = &session.daemon().desk;
    let quiet = quiet(call.settle_ms);
    let looked = elements.look(desk, quiet, None).await?;
    let seen = session
        .view()
        .lock()
        .await
        .look(&looked.scene, call.diff.unwrap_or(false), |handle| {
            looked.lives(handle)
        });
    Ok(Reply::Seen(Box::new(observation(
        session, call_id, &looked, seen, start,
    ))))
}

/// The quiet time that a call asks for.
pub(super) fn quiet(settle_ms: Option<Natural>) -> Option<Duration> {
    settle_ms.map(|ms| Duration::from_millis(ms.to_u64()).min(LONGEST_QUIET))
}

pub(super) fn observation(
    session: &Session,
    call_id: &str,
    looked: &Looked,
    seen: Seen,
    start: Instant,
) -> Observation {
    let mut observation = Observation::new(session.observation_id());
    let revision = |number: u64| i64::try_from(number).ok().and_then(Positive::new);
    let (mode, diff_of) = match seen.rendering {
        Rendering::Full => (TreeMode::Full, None),
        Rendering::Diff(of) => (TreeMode::Diff, revision(of)),
    };
    let elements: Vec<Element> = looked
        .scene
        .shown
        .iter()
        .zip(&seen.ids)
        .map(|(shown, &id)| element(id, shown))
        .collect();
    observation.cause = Some(call_id.to_owned());
    observation.tree = Some(mode);
    observation.diff_of = diff_of;
    observation.revision = revision(seen.revision);
    observation.tree_text = Some(seen.text);
    observation.focus = seen.focus.map(|id| format!("e{id}"));
    observation.node_count = Some(Natural::clamped(elements.len()));
    observation.elements = Some(elements);
    observation.capture_ms = Number::new(start.elapsed().as_secs_f64() * 1e3);
    observation
}

fn element(id: u64, shown: &Shown) -> Element {
    let facts = &shown.facts;
    let guessed = shown.handle.is_guessed();
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    // The wire has no word for "nowhere"; no area has no width.
    let edges = facts.rect.map_or([Number::default(); 4], |rect| {
        [rect.x.into(), rect.y.into(), rect.w.into(), rect.h.into()]
            .map(|edge: f64| Number::new(edge).unwrap_or_default())
    });
    Element {
        reference: format!("e{id}"),
        role: facts.role.clone(),
        name: text(&facts.name),
        description: text(&facts.description),
        // Of what is guessed nobody says what its value is, and in which state it is. Its line says where it is.
        value: facts.value.clone().filter(|_| !guessed),
        states: (!guessed).then(|| facts.states.iter().copied().map(str::to_owned).collect()),
        actions: Some(facts.named_actions().map(str::to_owned).collect())
            .filter(|actions: &Vec<_>| !actions.is_empty()),
        focused: (!guessed).then(|| facts.is("focused")),
        bbox: Array(edges),
        source: Some(if guessed {
            ElementSource::Som
        } else {
            ElementSource::Atspi
        }),
        provenance: None,
    }
}
