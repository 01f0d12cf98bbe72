//! Files between this side and the desktop, and the runtime's store of artifacts.

use std::future::{Future, pending};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use aci::Wire as _;
use bytes::Bytes;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use serde_json::Value;
use shinken::{Artifact, ClientError, Copied, Entry, Files, Progress, Transfer, Transferred};
use tokio::sync::{Mutex, watch};
use tokio::task::{AbortHandle, JoinError, JoinHandle};
use tokio::time::{Instant, sleep_until};

use crate::call::Call;
use crate::error::Fault;
use crate::json;
use crate::runtime::{Owner, runtime};

/// How long it takes at least until it is told again how far a transfer has got. A person sees no more.
const PAUSE: Duration = Duration::from_millis(50);

/// The files of a session's desktop.
#[pyclass(frozen, module = "shinken._native")]
pub(crate) struct NativeFiles {
    files: Files,
    owner: Owner,
}

/// A transfer that has begun; dropping it cancels it.
#[pyclass(frozen, module = "shinken._native")]
pub(crate) struct NativeTransfer {
    moving: Arc<Mutex<Moving>>,
    abort: AbortHandle,
}

struct Moving {
    /// Gone once its outcome was taken.
    work: Option<JoinHandle<Result<Done, ClientError>>>,
    progress: watch::Receiver<Option<Progress>>,
    told: Option<Progress>,
    next: Instant,
    outcome: Option<Result<Done, Fault>>,
}

/// What a transfer gave.
enum Done {
    File(Transferred),
    Folder(Copied),
    Artifact(Artifact),
    Bytes(Bytes),
}

/// What there is to tell of a transfer.
enum News {
    Progress(Progress),
    Done(Done),
}

impl NativeFiles {
    pub(crate) fn new(files: Files) -> Self {
        Self {
            files,
            owner: Owner::here(),
        }
    }

    /// Begins a transfer.
    fn begin<F>(
        &self,
        py: Python<'_>,
        options: Transfer,
        work: impl FnOnce(Files, Transfer) -> F,
    ) -> PyResult<NativeTransfer>
    where
        F: Future<Output = Result<Done, ClientError>> + Send + 'static,
    {
        self.owner.check().map_err(|fault| fault.raise(py))?;
        let runtime = runtime().map_err(|fault| fault.raise(py))?;
        let (tell, progress) = watch::channel(None);
        let options = options.progress(move |now| {
            tell.send_replace(Some(now));
        });
        let work = runtime.spawn(work(self.files.clone(), options));
        Ok(NativeTransfer {
            abort: work.abort_handle(),
            moving: Arc::new(Mutex::new(Moving {
                work: Some(work),
                progress,
                told: None,
                next: Instant::now(),
                outcome: None,
            })),
        })
    }

    fn call<T, F>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(Files) -> F,
        convert: impl FnOnce(Python<'_>, T) -> PyResult<Py<PyAny>> + Send + 'static,
    ) -> PyResult<Call>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, ClientError>> + Send + 'static,
    {
        self.owner.check().map_err(|fault| fault.raise(py))?;
        let work = work(self.files.clone());
        Ok(Call::new(async move { Ok(work.await?) }, convert))
    }
}

#[pymethods]
impl NativeFiles {
    /// Puts a file of this side at a path of the desktop.
    fn put_file(
        &self,
        py: Python<'_>,
        local: PathBuf,
        remote: String,
        mode: Option<u32>,
        resume_key: Option<String>,
    ) -> PyResult<NativeTransfer> {
        self.begin(py, options(mode, resume_key), |files, options| async move {
            files.put_file(local, &remote, options).await.map(Done::File)
        })
    }

    /// Puts bytes as a file.
    fn put_bytes(
        &self,
        py: Python<'_>,
        bytes: PyBackedBytes,
        remote: String,
        mode: Option<u32>,
    ) -> PyResult<NativeTransfer> {
        self.begin(py, options(mode, None), |files, options| async move {
            // Python's own memory is sent, which nobody changes.
            let bytes = Bytes::from_owner(bytes);
            files.put_bytes(bytes, &remote, options).await.map(Done::File)
        })
    }

    /// Gets a file of the desktop.
    fn get_file(&self, py: Python<'_>, remote: String, local: PathBuf) -> PyResult<NativeTransfer> {
        self.begin(py, Transfer::default(), |files, options| async move {
            files.get_file(&remote, local, options).await.map(Done::File)
        })
    }

    /// Gets the bytes of a file that has at most `limit` of them.
    fn get_bytes(&self, py: Python<'_>, remote: String, limit: usize) -> PyResult<NativeTransfer> {
        self.begin(py, Transfer::default(), |files, options| async move {
            files.get_bytes(&remote, limit, options).await.map(Done::Bytes)
        })
    }

    /// Puts a folder into a folder of the desktop.
    fn put_dir(&self, py: Python<'_>, local: PathBuf, remote: String) -> PyResult<NativeTransfer> {
        self.begin(py, Transfer::default(), |files, options| async move {
            files.put_dir(local, &remote, options).await.map(Done::Folder)
        })
    }

    /// Gets a folder of the desktop.
    fn get_dir(&self, py: Python<'_>, remote: String, local: PathBuf) -> PyResult<NativeTransfer> {
        self.begin(py, Transfer::default(), |files, options| async move {
            files.get_dir(&remote, local, options).await.map(Done::Folder)
        })
    }

    /// Puts a file into the store of artifacts.
    fn artifact_upload(&self, py: Python<'_>, local: PathBuf) -> PyResult<NativeTransfer> {
        self.begin(py, Transfer::default(), |files, options| async move {
            files.artifact_upload(local, options).await.map(Done::Artifact)
        })
    }

    /// Gets a file out of the store of artifacts.
    fn artifact_download(&self, py: Python<'_>, sha256: String, local: PathBuf) -> PyResult<NativeTransfer> {
        self.begin(py, Transfer::default(), |files, options| async move {
            files
                .artifact_download(&sha256, local, options)
                .await
                .map(Done::File)
        })
    }

    /// What is at a path, as a dictionary; `None` where there is nothing.
    fn stat(&self, py: Python<'_>, remote: String) -> PyResult<Call> {
        self.call(
            py,
            |files| async move { files.stat(&remote).await },
            |py, found: Option<Entry>| match found {
                None => Ok(py.None()),
                Some(found) => json::to_python(py, &found.encode()),
            },
        )
    }

    /// What is in a folder, as dictionaries.
    fn list(&self, py: Python<'_>, remote: String, recursive: bool) -> PyResult<Call> {
        self.call(
            py,
            move |files| async move { files.list(&remote, recursive).await },
            |py, found: Vec<Entry>| {
                let found = found.into_iter().map(Entry::encode);
                json::to_python(py, &Value::Array(found.collect()))
            },
        )
    }

    /// Makes a folder, with those that are missing above it.
    fn make_dir(&self, py: Python<'_>, remote: String) -> PyResult<Call> {
        self.call(
            py,
            |files| async move { files.make_dir(&remote).await },
            |py, ()| Ok(py.None()),
        )
    }

    /// What is in the store of artifacts, as dictionaries.
    fn artifact_list(&self, py: Python<'_>) -> PyResult<Call> {
        self.call(
            py,
            |files| async move { files.artifact_list().await },
            |py, found: Vec<Artifact>| {
                let found = found.into_iter().map(|found| artifact(py, found));
                let found = found.collect::<PyResult<Vec<_>>>()?;
                Ok(found.into_pyobject(py)?.into_any().unbind())
            },
        )
    }

    /// Takes a file out of the store of artifacts.
    fn artifact_remove(&self, py: Python<'_>, sha256: String) -> PyResult<Call> {
        self.call(
            py,
            |files| async move { files.artifact_remove(&sha256).await },
            |py, ()| Ok(py.None()),
        )
    }
}

#[pymethods]
impl NativeTransfer {
    /// What there is to tell next: `("progress", (file, bytes, total_bytes, files, total_files))`, at most twenty times a
    /// second, or `("done", outcome)` as the last.
    fn next(&self) -> Call {
        let moving = Arc::clone(&self.moving);
        let news = async move { moving.lock().await.news().await };
        Call::new(news, |py, news| match news {
            News::Progress(now) => {
                let now = (now.file, now.bytes, now.total_bytes, now.files, now.total_files);
                Ok(("progress", now).into_pyobject(py)?.into_any().unbind())
            }
            News::Done(done) => Ok(("done", done.into_object(py)?)
                .into_pyobject(py)?
                .into_any()
                .unbind()),
        })
    }

    /// What the transfer gave, when it is over.
    fn done(&self) -> Call {
        let moving = Arc::clone(&self.moving);
        let done = async move { moving.lock().await.done().await };
        Call::new(done, |py, done| done.into_object(py))
    }

    /// Cancels it; one that is over stays so.
    fn cancel(&self) {
        self.abort.abort();
    }
}

impl Drop for NativeTransfer {
    fn drop(&mut self) {
        self.abort.abort();
    }
}

impl Moving {
    async fn news(&mut self) -> Result<News, Fault> {
        if let Some(work) = &mut self.work {
            let moved = async {
                sleep_until(self.next).await;
                if self.progress.changed().await.is_err() {
                    // It is over, which the other branch sees.
                    pending::<()>().await;
                }
            };
            tokio::select! {
                outcome = work => {
                    self.outcome = Some(outcome_of(outcome));
                    self.work = None;
                }
                () = moved => {}
            }
        }
        let now = self.progress.borrow_and_update().clone();
        if now != self.told
            && let Some(now) = now
        {
            self.told = Some(now.clone());
            self.next = Instant::now() + PAUSE;
            return Ok(News::Progress(now));
        }
        self.done().await.map(News::Done)
    }

    async fn done(&mut self) -> Result<Done, Fault> {
        if let Some(work) = &mut self.work {
            let outcome = outcome_of(work.await);
            self.work = None;
            return outcome;
        }
        let over = || Err(Fault::other("this transfer is over"));
        self.outcome.take().unwrap_or_else(over)
    }
}

impl Done {
    fn into_object(self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let fields = match self {
            Self::Bytes(bytes) => return Ok(PyBytes::new(py, &bytes).into_any().unbind()),
            Self::Artifact(made) => artifact(py, made)?,
            Self::File(file) => {
                let fields = PyDict::new(py);
                fields.set_item("size", file.size)?;
                fields.set_item("sha256", file.sha256)?;
                fields
            }
            Self::Folder(copied) => {
                let fields = PyDict::new(py);
                fields.set_item("files", copied.files)?;
                fields.set_item("folders", copied.folders)?;
                fields.set_item("links", copied.links)?;
                fields.set_item("bytes", copied.bytes)?;
                fields.set_item("skipped", PyTuple::new(py, copied.skipped)?)?;
                fields
            }
        };
        Ok(fields.into_any().unbind())
    }
}

fn options(mode: Option<u32>, resume_key: Option<String>) -> Transfer {
    let mut options = Transfer::default();
    if let Some(mode) = mode {
        options = options.mode(mode);
    }
    if let Some(key) = resume_key {
        options = options.resume_key(key);
    }
    options
}

fn outcome_of(outcome: Result<Result<Done, ClientError>, JoinError>) -> Result<Done, Fault> {
    match outcome {
        Ok(outcome) => outcome.map_err(Fault::from),
        Err(error) if error.is_cancelled() => Err(Fault::other("the transfer was cancelled")),
        Err(error) => Err(Fault::other(error.to_string())),
    }
}

fn artifact(py: Python<'_>, artifact: Artifact) -> PyResult<Bound<'_, PyDict>> {
    let fields = PyDict::new(py);
    fields.set_item("sha256", artifact.sha256)?;
    fields.set_item("size", artifact.size)?;
    fields.set_item("name", artifact.name)?;
    fields.set_item("already", artifact.already)?;
    Ok(fields)
}
