//! The verb `observe` beyond the contract: an application of choice, a picture with the tree, and a report on rest.

use std::time::Instant;

use a11y::AppSelector;
use a11y::view::Shown;
use aci::error_code::{CodedError, ErrorCode};
use aci::extension::action::{Include, ObserveView};
use aci::extension::view::{BinaryView, Settle, View};
use aci::frame::Header;
use aci::observation::{BinaryImage, Image, Observation};
use aci::{Integer, Natural, Number, Wire as _};
use desktop::backend::Region;
use marks::overlay::Mark;

use super::observe::{observation, quiet};
use super::screenshot::{Picture, Request, to_base64};
use crate::elements::Looked;
use crate::outbox::{self, Outgoing};
use crate::reply::{Outcome, Reply, invalid};
use crate::session::Session;

/// So often both are taken while the screen changes between them.
const ATTEMPTS: usize = 3;

pub(super) async fn observe(session: &Session, call_id: &str, call: ObserveView) -> Outcome {
    if call.structured == Some(false) {
        return Err(invalid("leave `structured` out; `include` says what is shown"));
    }
    let start = Instant::now();
    let selected = selector(&call);
    let include = call
        .include
        .as_ref()
        .map_or(&[Include::Tree][..], |include| include.as_slice());
    let (tree, marked) = (
        include.contains(&Include::Tree),
        include.contains(&Include::Marks),
    );
    let pixels = marked || include.contains(&Include::Screenshot);
    let request = pixels.then(|| Request::new(call.scope, call.max_long_edge, call.format, call.quality));
    let (looked, picture, still) = taken(session, &call, selected, request).await?;
    // A number in the picture is an id of the session, whether the tree is told or not.
    let named = if tree || marked {
        let mut view = session.view().lock().await;
        Some(view.look(&looked.scene, call.diff.unwrap_or(false), |handle| {
            looked.lives(handle)
        }))
    } else {
        None
    };
    let marks = match &named {
        Some(named) if marked => marks(&looked.scene.shown, &named.ids),
        _ => Vec::new(),
    };
    let mut seen = if let Some(named) = named.filter(|_| tree) {
        observation(session, call_id, &looked, named, start)
    } else {
        let mut alone = Observation::new(session.observation_id());
        alone.cause = Some(call_id.to_owned());
        alone.capture_ms = Number::new(start.elapsed().as_secs_f64() * 1e3);
        alone
    };
    let settle = Settle {
        quiesced: looked.rested && still,
        waited_ms: Number::new(looked.waited.as_secs_f64() * 1e3).unwrap_or_default(),
    };
    let Some(picture) = picture else {
        return Ok(Reply::Ready(written(View { seen, settle })));
    };
    picture.describe(&mut seen);
    let picture = if marked {
        // The hash is of the pixels as they are on the screen.
        seen.frame_hash = None;
        picture.with_marks(marks).await?
    } else {
        picture
    };
    let message = with_picture(session, seen, settle, picture)?;
    session.outbox().check_size(&message)?;
    Ok(Reply::Ready(message))
}

/// What is read and not used, though a toolkit may let it take the focus so that its text can be copied.
const READ: &[&str] = &["label", "paragraph", "static"];

/// A box for each element that can be used: of a tree those that do something or take the focus, and all that was guessed.
fn marks(shown: &[Shown], ids: &[u64]) -> Vec<Mark> {
    let is_used = |shown: &Shown| {
        let facts = &shown.facts;
        let mut usable = ["focusable", "editable", "selectable"].iter();
        let is_usable = facts.named_actions().next().is_some() || usable.any(|state| facts.is(state));
        shown.handle.is_guessed() || (is_usable && !READ.contains(&facts.role.as_str()))
    };
    let used = shown.iter().zip(ids).filter(|(shown, _)| is_used(shown));
    used.filter_map(|(shown, &number)| {
        let rect = shown.facts.rect?;
        Some(Mark {
            number,
            rect: marks::Rect {
                x: rect.x,
                y: rect.y,
                w: rect.w,
                h: rect.h,
            },
        })
    })
    .collect()
}

fn selector(call: &ObserveView) -> Option<AppSelector> {
    let app = call.app.as_ref()?;
    Some(AppSelector {
        name: app.name.as_ref().map(|name| name.as_str().to_owned()),
        process: app.pid.map(|pid| pid.to_u32()),
    })
}

/// The tree and, where asked for, a picture between which and the tree the screen has not changed; whether that is so.
async fn taken(
    session: &Session,
    call: &ObserveView,
    selected: Option<AppSelector>,
    request: Option<Request>,
) -> Result<(Looked, Option<Picture>, bool), CodedError> {
    let (elements, desk) = (session.elements()?, &session.daemon().desk);
    let mut looked = elements
        .look(desk, quiet(call.settle_ms), selected.clone())
        .await?;
    let Some(request) = request else {
        return Ok((looked, None, true));
    };
    for attempt in 1.. {
        let picture = super::screenshot::picture(session, request).await?;
        let now = desk.grab(Region::Screen, None, None).await?.generation;
        let still = looked.generation == Some(now);
        if still || attempt == ATTEMPTS {
            return Ok((looked, Some(picture), still));
        }
        let (rested, waited) = (looked.rested, looked.waited);
        looked = elements.look(desk, None, selected.clone()).await?;
        (looked.rested, looked.waited) = (rested, waited);
    }
    Err(CodedError::new(ErrorCode::Busy, "the screen was not looked at"))
}

fn written(view: View) -> Outgoing {
    Outgoing::Text(view.encode().to_string().into())
}

fn with_picture(
    session: &Session,
    mut seen: Observation,
    settle: Settle,
    picture: Picture,
) -> Result<Outgoing, CodedError> {
    let (w, h) = picture.size();
    let (w, h) = (Integer::clamped(w), Integer::clamped(h));
    let (scope, format, bytes) = (Some(picture.scope()), Some(picture.format()), picture.bytes());
    if !session.is_binary() {
        seen.image = Some(Image {
            data_b64: to_base64(bytes),
            w,
            h,
            scope,
            format,
        });
        return Ok(written(View { seen, settle }));
    }
    let image = BinaryImage {
        off: Natural::clamped(0),
        len: Natural::clamped(bytes.len()),
        w,
        h,
        scope,
        format,
    };
    let header = Header::View(Box::new(BinaryView { seen, image, settle }));
    outbox::binary(header, &[bytes]).ok_or_else(|| {
        CodedError::new(
            ErrorCode::CaptureFailed,
            "the tree is too long for the header of a frame; ask for tree and screenshot one after another",
        )
    })
}
