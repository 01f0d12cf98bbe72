//! One session: its desk, and an answer to each of its calls.

use std::sync::Arc;
use std::time::{Duration, Instant};

use a11y::view::{Rendering, View};
use aci::action::ObserveSpec;
use aci::error_code::{CodedError, ErrorCode};
use aci::frame::Header;
use aci::geometry::share_of;
use aci::message::{Ack, ActionMsg, Message, Query, QueryKind, ResultMsg};
use aci::observation::{BinaryFrameHeader, BinaryImage, Image, Observation, TreeMode};
use aci::target::{PointerButton, Target};
use aci::verb::{Call, Reply, call};
use aci::{Array, Constant, Integer, Natural, Number, Positive};
use base64::Engine as _;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite;

use crate::desk::{Desk, invalid};
use crate::elements;
use crate::form::{Control, TITLE, WINDOW};
use crate::picture::{Picture, Request, WINDOW_ID};
use crate::server::Standin;
use crate::welcome;

/// The longest wait of one call, in milliseconds.
const LONGEST_WAIT: u64 = 60_000;
/// The most lines of a difference between two looks.
const DIFF_LINES: usize = 200;

/// What one client has.
#[derive(Debug)]
pub(crate) struct Session {
    shared: Arc<Standin>,
    desk: Desk,
    /// Its ids of elements; none until it looks.
    view: Option<Box<View>>,
    binary_frames: bool,
    /// The largest message that it takes.
    takes: usize,
    observations: u64,
}

/// What is to be written, after this pause.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) pause: Duration,
    pub(crate) messages: Vec<tungstenite::Message>,
}

/// How a call ended well.
enum Done {
    Acted,
    Value(Value),
    Seen(Box<Observation>),
    Picture(Box<(Request, Picture)>),
    After(Duration),
}

impl Session {
    pub(crate) fn new(shared: Arc<Standin>, binary_frames: bool, takes: usize) -> Self {
        let desk = Desk::new(shared.size);
        Self {
            shared,
            desk,
            view: None,
            binary_frames,
            takes,
            observations: 0,
        }
    }

    /// Answers a question.
    pub(crate) fn ask(&self, query: Query) -> tungstenite::Message {
        text(ResultMsg::value(query.call_id, self.answer_to(query.q)))
    }

    fn answer_to(&self, query: QueryKind) -> Value {
        match query {
            QueryKind::Platform => json!({"platform": "linux"}),
            QueryKind::ScreenSize => json!({"w": self.desk.size().w, "h": self.desk.size().h}),
            QueryKind::Ready => json!({"ready": true}),
            QueryKind::ListWindows => json!([{
                "id": WINDOW_ID,
                "title": TITLE,
                "pid": std::process::id(),
                "x": WINDOW.x,
                "y": WINDOW.y,
                "w": WINDOW.w,
                "h": WINDOW.h,
                "focused": true,
            }]),
        }
    }

    /// Does an action.
    pub(crate) async fn act(&mut self, message: ActionMsg) -> Answer {
        let ActionMsg { call_id, action } = message;
        let (verb, observe) = (action.verb, action.observe);
        let done = if welcome::VERBS.contains(&verb) {
            match Call::from_action(action) {
                Ok(call) => self.perform(&call_id, call).await,
                Err(fault) => Err(invalid(fault.to_string())),
            }
        } else {
            Err(CodedError::new(
                ErrorCode::Unsupported,
                format!("a stand-in has no {verb}; its welcome lists what it can do"),
            ))
        };
        let worked = done.is_ok();
        let mut answer = Answer::default();
        let message = match done {
            Ok(Done::Acted) => text(Ack::done(&call_id)),
            Ok(Done::After(pause)) => {
                answer.pause = pause;
                text(Ack::done(&call_id))
            }
            Ok(Done::Value(value)) => text(ResultMsg::value(&call_id, value)),
            Ok(Done::Seen(observation)) => text(*observation),
            Ok(Done::Picture(taken)) => match self.picture(&call_id, *taken) {
                Ok(message) => message,
                Err(error) => text(Ack::failed(&call_id, &error)),
            },
            Err(error) if verb.meta().reply == Reply::Result => text(ResultMsg::failed(&call_id, &error)),
            Err(error) => text(Ack::failed(&call_id, &error)),
        };
        answer.messages.push(message);
        if let Some(spec) = observe.filter(|_| worked) {
            answer.messages.push(self.after_act(&call_id, spec).await);
        }
        answer
    }

    async fn after_act(&mut self, call_id: &str, spec: ObserveSpec) -> tungstenite::Message {
        let ObserveSpec {
            scope,
            format,
            quality,
            max_long_edge,
        } = spec;
        let request = Request::new(self.desk.size(), scope, max_long_edge, format, quality);
        let taken = match request {
            Ok(request) => self.take(request, None).await,
            Err(error) => Err(error),
        };
        taken
            .and_then(|taken| self.picture(call_id, taken))
            .unwrap_or_else(|error| text(ResultMsg::failed(call_id, &error)))
    }

    async fn perform(&mut self, call_id: &str, call: Call) -> Result<Done, CodedError> {
        let button = |button: Option<PointerButton>| button.unwrap_or(PointerButton::Left);
        match call {
            Call::Click(call) => self.click(&call.target, PointerButton::Left, 1)?,
            Call::DoubleClick(call) => self.click(&call.target, PointerButton::Left, 2)?,
            Call::RightClick(call) => self.click(&call.target, PointerButton::Right, 1)?,
            Call::Move(call) => self.aim(&call.target)?,
            Call::Drag(call) => {
                self.aim(&call.target)?;
                let to = self.place(&call.to)?;
                self.desk.press(button(call.button));
                let moved = self.desk.point_at(to);
                self.desk.release(button(call.button));
                moved?;
            }
            Call::MouseDown(call) => {
                call.target.iter().try_for_each(|target| self.aim(target))?;
                self.desk.press(button(call.button));
            }
            Call::MouseUp(call) => {
                call.target.iter().try_for_each(|target| self.aim(target))?;
                self.desk.release(button(call.button));
            }
            Call::Scroll(call) => {
                self.aim(&call.target)?;
                self.desk.scroll(call.dy.map_or(0.0, Number::get));
            }
            Call::TypeText(call) => self.desk.type_text(&call.text)?,
            Call::Key(call) => self.desk.key(&call.keys)?,
            Call::ClipboardSet(call) => self.desk.set_clipboard(call.text)?,
            Call::ClipboardGet(_) => return Ok(Done::Value(json!({"text": self.desk.clipboard()}))),
            Call::ActivateWindow(call) => activate(&call)?,
            Call::InvokeAction(call) => {
                let control = self.control(&call.target)?;
                elements::invoke(&mut self.desk.form, control, call.text.as_deref())?;
            }
            Call::SetValue(call) => {
                let control = self.control(&call.target)?;
                elements::set_value(&mut self.desk.form, control, &call.text)?;
            }
            Call::Wait(call) => return wait(&call),
            Call::Observe(call) => return self.observe(call_id, &call),
            Call::Screenshot(call) => return self.screenshot(call_id, call).await,
            Call::StartScreencast(_) | Call::StopScreencast(_) | Call::Exec(_) | Call::LaunchApp(_) => {
                return Err(CodedError::new(
                    ErrorCode::Unsupported,
                    "a stand-in does not have it",
                ));
            }
        }
        Ok(Done::Acted)
    }

    fn click(&mut self, target: &Target, button: PointerButton, count: usize) -> Result<(), CodedError> {
        self.aim(target)?;
        self.desk.click(button, count);
        Ok(())
    }

    /// Moves the pointer to a target.
    fn aim(&mut self, target: &Target) -> Result<(), CodedError> {
        let place = self.place(target)?;
        self.desk.point_at(place)
    }

    /// The pixel that a target names; an element is scrolled into sight for it.
    fn place(&mut self, target: &Target) -> Result<(i32, i32), CodedError> {
        let whole = |number: f64| {
            // Every pixel of a screen fits, and what is beyond is on none.
            number.floor().clamp(f64::from(i32::MIN), f64::from(i32::MAX)) as i32
        };
        match target {
            Target::PointPx(point) => Ok((whole(point.x.get()), whole(point.y.get()))),
            Target::PointNorm(point) => {
                let size = self.desk.size();
                let share = |share: f64, edge: u32| i32::try_from(share_of(share, edge.into()));
                let place = share(point.x.get(), size.w)
                    .ok()
                    .zip(share(point.y.get(), size.h).ok());
                place.ok_or_else(|| invalid("the point is off every screen"))
            }
            Target::ElementRef(element) => {
                let control = elements::find(self.view.as_deref(), element)?;
                if let Control::Colour(row) = control {
                    self.desk.form.reveal(row);
                }
                let area = self
                    .desk
                    .form
                    .area(control)
                    .ok_or_else(|| invalid(format!("{} has no area on the screen", element.reference)))?;
                Ok((
                    area.x.saturating_add_unsigned(area.w / 2),
                    area.y.saturating_add_unsigned(area.h / 2),
                ))
            }
        }
    }

    /// The control of a target that must be an element.
    fn control(&self, target: &Target) -> Result<Control, CodedError> {
        match target {
            Target::ElementRef(element) => elements::find(self.view.as_deref(), element),
            other => Err(invalid(format!(
                "this verb needs a target of kind element_ref, not {}",
                other.kind()
            ))),
        }
    }

    fn observe(&mut self, call_id: &str, call: &call::Observe) -> Result<Done, CodedError> {
        if call.structured == Some(false) {
            return Err(invalid(
                "observe reads the accessibility tree; leave `structured` out, or use screenshot for pixels",
            ));
        }
        // Nothing changes here by itself, so there is nothing to settle.
        let start = Instant::now();
        let scene = elements::scene(&self.desk.form);
        let view = self.view.get_or_insert_with(|| Box::new(View::new(DIFF_LINES)));
        let seen = view.look(&scene, call.diff.unwrap_or(false), |_| true);
        let revision = |number: u64| i64::try_from(number).ok().and_then(Positive::new);
        let (mode, diff_of) = match seen.rendering {
            Rendering::Full => (TreeMode::Full, None),
            Rendering::Diff(of) => (TreeMode::Diff, revision(of)),
        };
        let shown = scene.shown.iter().zip(&seen.ids);
        let elements: Vec<_> = shown.map(|(shown, &id)| elements::element(id, shown)).collect();
        let mut observation = self.observation(call_id);
        observation.tree = Some(mode);
        observation.diff_of = diff_of;
        observation.revision = revision(seen.revision);
        observation.tree_text = Some(seen.text);
        observation.focus = seen.focus.map(|id| format!("e{id}"));
        observation.node_count = Some(Natural::clamped(elements.len()));
        observation.elements = Some(elements);
        observation.capture_ms = Number::new(start.elapsed().as_secs_f64() * 1e3);
        Ok(Done::Seen(Box::new(observation)))
    }

    async fn screenshot(&mut self, call_id: &str, call: call::Screenshot) -> Result<Done, CodedError> {
        let call::Screenshot {
            scope,
            max_long_edge,
            format,
            quality,
            if_none_match,
        } = call;
        let request = Request::new(self.desk.size(), scope, max_long_edge, format, quality)?;
        let taken = self.take(request, if_none_match).await?;
        if taken.1.bytes.is_some() {
            return Ok(Done::Picture(Box::new(taken)));
        }
        let mut observation = self.observation(call_id);
        self.describe(&mut observation, &taken.1);
        observation.not_modified = Some(Constant);
        Ok(Done::Seen(Box::new(observation)))
    }

    async fn take(&self, request: Request, known: Option<String>) -> Result<(Request, Picture), CodedError> {
        let picture = self.shared.painter.take(&self.desk.form, request, known).await?;
        Ok((request, picture))
    }

    fn observation(&mut self, call_id: &str) -> Observation {
        self.observations += 1;
        let mut observation = Observation::new(format!("o{}", self.observations));
        observation.cause = Some(call_id.to_owned());
        observation
    }

    fn describe(&self, observation: &mut Observation, picture: &Picture) {
        let (x, y) = self.desk.pointer;
        observation.display = picture.display(self.desk.size());
        observation.frame_hash = Some(picture.hash.to_string());
        observation.pointer = Some(Array([Integer::clamped(x), Integer::clamped(y)]));
    }

    /// The message that carries a picture, where the client takes one so large.
    fn picture(
        &mut self,
        call_id: &str,
        (request, picture): (Request, Picture),
    ) -> Result<tungstenite::Message, CodedError> {
        let mut observation = self.observation(call_id);
        self.describe(&mut observation, &picture);
        let bytes = picture.bytes.unwrap_or_default();
        let (w, h) = (Integer::clamped(picture.size.w), Integer::clamped(picture.size.h));
        let (scope, format) = (Some(request.scope), Some(request.format));
        let message = if self.binary_frames {
            let header = BinaryFrameHeader {
                obs_id: observation.obs_id,
                cause: observation.cause,
                stream: None,
                seq: None,
                display: observation.display,
                image: Some(BinaryImage {
                    off: Natural::clamped(0),
                    len: Natural::clamped(bytes.len()),
                    w,
                    h,
                    scope,
                    format,
                }),
                tiles: None,
                frame_hash: observation.frame_hash,
                pointer: observation.pointer,
            };
            let message = aci::frame::encode(Header::Observation(header), &[&bytes]);
            tungstenite::Message::binary(message.unwrap_or_default())
        } else {
            observation.image = Some(Image {
                data_b64: base64::engine::general_purpose::STANDARD.encode(&bytes),
                w,
                h,
                scope,
                format,
            });
            text(observation)
        };
        if message.len() > self.takes {
            return Err(CodedError::new(
                ErrorCode::CaptureFailed,
                format!(
                    "the picture makes a message of {} bytes, and this client takes {}; ask for jpeg or a smaller \
                     max_long_edge, or raise the client's own limit",
                    message.len(),
                    self.takes
                ),
            ));
        }
        Ok(message)
    }
}

/// The one window is always in front; only that it is meant has to be seen.
fn activate(call: &call::ActivateWindow) -> Result<(), CodedError> {
    let meant = match (call.window_id, &call.app) {
        (Some(id), _) => id.to_u64() == WINDOW_ID,
        (None, Some(app)) => TITLE.to_lowercase().contains(&app.as_str().to_lowercase()),
        (None, None) => false,
    };
    if meant {
        return Ok(());
    }
    Err(CodedError::new(
        ErrorCode::WindowNotFound,
        "there is no such window; list_windows shows the present ones",
    ))
}

fn wait(call: &call::Wait) -> Result<Done, CodedError> {
    let ms = call.ms.map_or(0, Natural::to_u64);
    if ms > LONGEST_WAIT {
        return Err(invalid(format!(
            "a wait lasts at most {LONGEST_WAIT} ms; send several"
        )));
    }
    Ok(Done::After(Duration::from_millis(ms)))
}

/// A message as it is written.
pub(crate) fn text(message: impl Into<Message>) -> tungstenite::Message {
    tungstenite::Message::text(message.into().to_text())
}
