//! A session with a runtime.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use aci::Wire as _;
use aci::extension::Extension;
use aci::message::QueryKind;
use pyo3::prelude::*;
use shinken::{
    Cast, Client, ClientError, Exec, Look, Observe, OnError, Options, Reconnect, Request, Run, Shot,
};

use crate::call::Call;
use crate::error::Fault;
use crate::files::NativeFiles;
use crate::frame_cache::FrameCache;
use crate::json;
use crate::outcome::{self, NativeActed, NativeStep};
use crate::runtime::Owner;
use crate::shot::{self, NativeShot};
use crate::streams::{EventStream, OutputStream, PictureStream, opening};
use crate::view::NativeView;

/// A session with a runtime; every method prepares a call.
#[pyclass(frozen, module = "shinken._native")]
pub(crate) struct Session {
    client: Client,
    owner: Owner,
}

/// Connects to `ws://HOST:PORT[/aci]` or `unix:PATH`. Times are in seconds.
#[pyfunction]
#[pyo3(signature = (address, token, *, connect_timeout, call_timeout, keep_alive, reconnect_within, frame_cache, log_file))]
#[expect(
    clippy::too_many_arguments,
    reason = "Python passes them by name, and the package has the defaults"
)]
pub(crate) fn connect(
    py: Python<'_>,
    address: String,
    token: Option<String>,
    connect_timeout: f64,
    call_timeout: f64,
    keep_alive: Option<f64>,
    reconnect_within: Option<f64>,
    frame_cache: Option<&FrameCache>,
    log_file: Option<PathBuf>,
) -> PyResult<Call> {
    let seconds = |name, value| seconds(name, value).map_err(|fault| fault.raise(py));
    let mut options = Options {
        connect_timeout: seconds("connect_timeout", connect_timeout)?,
        handshake_timeout: seconds("connect_timeout", connect_timeout)?,
        call_timeout: seconds("call_timeout", call_timeout)?,
        frame_cache: frame_cache.map(|cache| Arc::clone(&cache.0)),
        log_file,
        ..Options::default()
    };
    options.keep_alive = keep_alive.map(|value| seconds("keep_alive", value)).transpose()?;
    options.reconnect = match reconnect_within {
        None => None,
        Some(within) => Some(Reconnect {
            within: seconds("reconnect_within", within)?,
            ..Reconnect::default()
        }),
    };
    let connecting = async move { Ok(Client::connect(&address, token.as_deref(), options).await?) };
    Ok(opening(connecting, |client| Session {
        client,
        owner: Owner::here(),
    }))
}

#[pymethods]
impl Session {
    /// Where the runtime listens.
    #[getter]
    fn address(&self) -> String {
        self.client.address().to_string()
    }

    /// What the runtime said of itself.
    #[getter]
    fn welcome(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        json::to_python(py, &self.client.welcome().encode())
    }

    /// What it offers beyond the contract.
    #[getter]
    fn extensions(&self) -> Vec<&'static str> {
        let all = Extension::ALL.iter().copied();
        all.filter(|extension| self.client.has(*extension))
            .map(Extension::as_str)
            .collect()
    }

    /// Whether calls can still be made.
    #[getter]
    fn is_open(&self) -> bool {
        self.owner.is_here() && self.client.ended().is_none()
    }

    /// The same session, whose calls each take at most so many seconds.
    fn with_deadline(&self, py: Python<'_>, deadline: f64) -> PyResult<Self> {
        let deadline = seconds("deadline", deadline).map_err(|fault| fault.raise(py))?;
        Ok(Self {
            client: self.client.with_deadline(deadline),
            owner: self.owner,
        })
    }

    /// Does an action, given as it stands in a message.
    fn act(&self, action: &Bound<'_, PyAny>) -> PyResult<Call> {
        let request = request(action)?;
        let client = self.client(action.py())?;
        Ok(Call::new(
            async move { Ok(client.act(request).await?) },
            NativeActed::into_object,
        ))
    }

    /// Takes a picture.
    fn screenshot(&self, spec: &Bound<'_, PyAny>) -> PyResult<Call> {
        let shot = shot::read(spec)?;
        let client = self.client(spec.py())?;
        Ok(Call::new(
            async move { Ok(client.screenshot(shot).await?) },
            NativeShot::into_object,
        ))
    }

    /// Looks at an application.
    fn observe(&self, look: &Bound<'_, PyAny>) -> PyResult<Call> {
        let wanted = read_look(look)?;
        let client = self.client(look.py())?;
        Ok(Call::new(
            async move { Ok(client.observe(wanted).await?) },
            NativeView::into_object,
        ))
    }

    /// Does actions and then looks, in one round trip: at a picture, at an application, or at nothing.
    fn step(
        &self,
        py: Python<'_>,
        actions: Vec<Bound<'_, PyAny>>,
        shot: Option<Bound<'_, PyAny>>,
        look: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Call> {
        let requests = requests(&actions)?;
        let observe = match (&shot, &look) {
            (Some(shot), _) => Observe::Picture(shot::read(shot)?),
            (None, Some(look)) => Observe::View(read_look(look)?),
            (None, None) => Observe::Nothing,
        };
        let client = self.client(py)?;
        Ok(Call::new(
            async move { Ok(client.step(requests, observe).await?) },
            NativeStep::into_object,
        ))
    }

    /// Does actions in order.
    fn act_all(&self, py: Python<'_>, actions: Vec<Bound<'_, PyAny>>, stop_on_error: bool) -> PyResult<Call> {
        let requests = requests(&actions)?;
        let on_error = if stop_on_error {
            OnError::Stop
        } else {
            OnError::Continue
        };
        let client = self.client(py)?;
        Ok(Call::new(
            async move { Ok(client.act_all(requests, on_error).await?) },
            NativeStep::of_batch,
        ))
    }

    /// Asks one of the contract's questions.
    fn query(&self, py: Python<'_>, question: &str) -> PyResult<Call> {
        let kind = QueryKind::from_word(question)
            .ok_or_else(|| Fault::invalid(format!("there is no query {question:?}")).raise(py))?;
        let client = self.client(py)?;
        Ok(Call::new(
            async move { Ok(client.query(kind).await?) },
            |py, value| json::to_python(py, &value),
        ))
    }

    /// The applications, as dictionaries.
    fn apps(&self, py: Python<'_>) -> PyResult<Call> {
        let client = self.client(py)?;
        Ok(Call::new(async move { Ok(client.apps().await?) }, |py, apps| {
            let apps: serde_json::Value = apps
                    .into_iter()
                    .map(|app| {
                        serde_json::json!({"name": app.name, "pid": app.pid, "path": app.path, "focused": app.focused})
                    })
                    .collect();
            json::to_python(py, &apps)
        }))
    }

    /// Runs Python code in the sandbox's interpreter.
    fn run(&self, py: Python<'_>, code: String, timeout: f64) -> PyResult<Call> {
        let timeout = seconds("timeout", timeout).map_err(|fault| fault.raise(py))?;
        let client = self.client(py)?;
        Ok(Call::new(
            async move { Ok(client.run(Run::new(code).timeout(timeout)).await?) },
            outcome::ran,
        ))
    }

    /// Ends the sandbox's interpreter; the next cell gets a fresh one.
    fn run_restart(&self, py: Python<'_>) -> PyResult<Call> {
        let client = self.client(py)?;
        Ok(Call::unit(async move { Ok(client.run_restart().await?) }))
    }

    /// Interrupts the cell that runs.
    fn run_interrupt(&self, py: Python<'_>) -> PyResult<Call> {
        let client = self.client(py)?;
        Ok(Call::unit(async move { Ok(client.run_interrupt().await?) }))
    }

    /// Starts a program and waits until a new window of it has the keyboard; gives that window.
    fn launch(&self, py: Python<'_>, app: String, args: Vec<String>, within: f64) -> PyResult<Call> {
        let within = seconds("within", within).map_err(|fault| fault.raise(py))?;
        let client = self.client(py)?;
        Ok(Call::new(
            async move { Ok(client.launch(&app, args, within).await?) },
            |py, window| json::to_python(py, &window.to_json()),
        ))
    }

    /// Runs a program and gives its output as it comes.
    #[pyo3(signature = (argv, shell, *, cwd, env, stdin, timeout))]
    #[expect(
        clippy::too_many_arguments,
        reason = "Python passes them by name, and the package has the defaults"
    )]
    fn exec_stream(
        &self,
        py: Python<'_>,
        argv: Option<Vec<String>>,
        shell: Option<String>,
        cwd: Option<String>,
        env: Vec<(String, String)>,
        stdin: Option<String>,
        timeout: f64,
    ) -> PyResult<Call> {
        let mut exec = match (argv, shell) {
            (Some(argv), None) => Exec::argv(argv),
            (None, Some(line)) => Exec::shell(line),
            _ => return Err(Fault::invalid("give either argv or shell").raise(py)),
        };
        if let Some(cwd) = cwd {
            exec = exec.cwd(cwd);
        }
        for (name, value) in env {
            exec = exec.env(name, value);
        }
        if let Some(text) = stdin {
            exec = exec.stdin(text);
        }
        let exec = exec.timeout(seconds("timeout", timeout).map_err(|fault| fault.raise(py))?);
        let client = self.client(py)?;
        let opened = async move { Ok(client.exec_stream(exec).await?) };
        Ok(opening(opened, OutputStream::new))
    }

    /// Starts a screencast.
    fn screencast(&self, spec: &Bound<'_, PyAny>, fps: Option<f64>, delta: bool) -> PyResult<Call> {
        let mut cast = Cast::new(shot::read(spec)?).delta(delta);
        if let Some(fps) = fps {
            cast = cast.fps(fps);
        }
        let client = self.client(spec.py())?;
        let opened = async move { Ok(client.start_screencast(cast).await?) };
        Ok(opening(opened, PictureStream::new))
    }

    /// The session's messages from now on.
    fn events(&self) -> EventStream {
        EventStream::new(self.client.events())
    }

    /// The files of its desktop.
    fn files(&self, py: Python<'_>) -> PyResult<NativeFiles> {
        Ok(NativeFiles::new(self.client(py)?.files()))
    }

    /// The seconds until the runtime answers a ping.
    fn ping(&self, py: Python<'_>) -> PyResult<Call> {
        let client = self.client(py)?;
        let ping = async move { Ok(client.ping().await?) };
        Ok(Call::new(ping, |py, took| {
            Ok(took.as_secs_f64().into_pyobject(py)?.into_any().unbind())
        }))
    }

    /// Makes a lost connection again.
    fn reconnect(&self, py: Python<'_>) -> PyResult<Call> {
        let client = self.client(py)?;
        Ok(Call::unit(async move { Ok(client.reconnect().await?) }))
    }

    /// Says goodbye.
    fn close(&self, py: Python<'_>) -> PyResult<Call> {
        let client = self.client(py)?;
        Ok(Call::unit(async move {
            client.close().await;
            Ok(())
        }))
    }
}

impl Session {
    /// The client, in the process that connected it.
    fn client(&self, py: Python<'_>) -> PyResult<Client> {
        self.owner.check().map_err(|fault| fault.raise(py))?;
        Ok(self.client.clone())
    }
}

fn request(action: &Bound<'_, PyAny>) -> PyResult<Request> {
    Request::read(json::from_python(action)?).map_err(|error| Fault::from(error).raise(action.py()))
}

/// The requests of a list; a fault says in which it is.
fn requests(actions: &[Bound<'_, PyAny>]) -> PyResult<Vec<Request>> {
    let read = |(number, action): (usize, &Bound<'_, PyAny>)| {
        Request::read(json::from_python(action)?).map_err(|error| {
            let text = match error {
                ClientError::InvalidCall { detail } => detail,
                other => other.to_string(),
            };
            Fault::invalid(format!("actions[{number}]: {text}")).raise(action.py())
        })
    };
    actions.iter().enumerate().map(read).collect()
}

/// Reads what is to be looked at: an object with `app`, `pid`, `diff`, `settle_ms`, `shot`, `marks`, `tree`.
fn read_look(look: &Bound<'_, PyAny>) -> PyResult<Look> {
    let field = |name: &str| -> PyResult<Option<Bound<'_, PyAny>>> {
        let value = look.get_item(name)?;
        Ok((!value.is_none()).then_some(value))
    };
    let mut wanted = Look::new();
    if let Some(name) = field("app")? {
        wanted = wanted.app(name.extract::<String>()?);
    }
    if let Some(pid) = field("pid")? {
        wanted = wanted.process(pid.extract()?);
    }
    if let Some(milliseconds) = field("settle_ms")? {
        wanted = wanted.settle(Duration::from_millis(milliseconds.extract()?));
    }
    if look.get_item("diff")?.is_truthy()? {
        wanted = wanted.diff();
    }
    let shot = field("shot")?.map(|spec| shot::read(&spec)).transpose()?;
    if look.get_item("marks")?.is_truthy()? {
        wanted = wanted.marks(shot.unwrap_or_else(Shot::screen));
    } else if let Some(shot) = shot {
        wanted = wanted.picture(shot);
    }
    if !look.get_item("tree")?.is_truthy()? {
        wanted = wanted.without_tree();
    }
    Ok(wanted)
}

/// A number of seconds, where it is one.
pub(crate) fn seconds(name: &str, value: f64) -> Result<Duration, Fault> {
    Duration::try_from_secs_f64(value)
        .map_err(|_| Fault::invalid(format!("{name} is {value}, which is no number of seconds")))
}
