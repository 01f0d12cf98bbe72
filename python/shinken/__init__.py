"""A computer for an agent.

```python
import shinken

with shinken.connect() as env:
    env.launch("mousepad")
    view = env.observe(settle_ms=300)
    env.click(view["Open"])
```

[`connect`][shinken.connect] gives an [`Env`][shinken.Env]; [`aconnect`][shinken.aconnect] gives an
[`AsyncEnv`][shinken.AsyncEnv], which has the same methods for asyncio.
"""

from __future__ import annotations

from shinken import actions, errors, refusals
from shinken._later import agent
from shinken._native import FrameCache
from shinken.aio.env import AsyncEnv, aconnect, aend_sandbox, ainit, alist_sandboxes
from shinken.errors import (
    ActionRefused,
    AmbiguousElement,
    Behind,
    ClosedSession,
    ConnectFailed,
    ConnectionClosed,
    ElementNotFound,
    ForkedProcess,
    FrameMissing,
    HandshakeFailed,
    InvalidAddress,
    NoWindow,
    PictureBroken,
    ProtocolError,
    SandboxDied,
    SandboxFailed,
    SandboxNotFound,
    ShinkenError,
    Timeout,
    TooBig,
)
from shinken.fleets import AsyncFleet, Fleet, afleet, fleet
from shinken.pictures import CastFrame, Frame, Rect, Screenshot, Shot
from shinken.refusals import (
    A11yTimeout,
    A11yUnavailable,
    AmbiguousApp,
    AppNotFound,
    Busy,
    CaptureFailed,
    ChecksumMismatch,
    ClipboardTimeout,
    ClipboardTooLarge,
    Denied,
    DesktopGone,
    DiskFull,
    ExecBusy,
    ExecSpawnFailed,
    FileFailed,
    FileNotFound,
    InvalidAction,
    QuotaExceeded,
    StaleElementRef,
    Unauthorized,
    Unsupported,
    WindowNotFound,
)
from shinken.results import (
    Acted,
    App,
    Event,
    ExecExit,
    ExecOutput,
    ExecResult,
    Outcome,
    RunError,
    RunOutput,
    RunResult,
    Sandbox,
    Step,
    Window,
)
from shinken.sync.env import Env, connect, end_sandbox, init, list_sandboxes
from shinken.transfers import Artifact, Copied, FileEntry, Progress, Transferred
from shinken.views import Element, Look, Settle, View

__version__ = "0.1.0"

__all__ = [
    "A11yTimeout",
    "A11yUnavailable",
    "Acted",
    "ActionRefused",
    "AmbiguousApp",
    "AmbiguousElement",
    "App",
    "AppNotFound",
    "Artifact",
    "AsyncEnv",
    "AsyncFleet",
    "Behind",
    "Busy",
    "CaptureFailed",
    "CastFrame",
    "ChecksumMismatch",
    "ClipboardTimeout",
    "ClipboardTooLarge",
    "ClosedSession",
    "ConnectFailed",
    "ConnectionClosed",
    "Copied",
    "Denied",
    "DesktopGone",
    "DiskFull",
    "Element",
    "ElementNotFound",
    "Env",
    "Event",
    "ExecBusy",
    "ExecExit",
    "ExecOutput",
    "ExecResult",
    "ExecSpawnFailed",
    "FileEntry",
    "FileFailed",
    "FileNotFound",
    "Fleet",
    "ForkedProcess",
    "Frame",
    "FrameCache",
    "FrameMissing",
    "HandshakeFailed",
    "InvalidAction",
    "InvalidAddress",
    "Look",
    "NoWindow",
    "Outcome",
    "PictureBroken",
    "Progress",
    "ProtocolError",
    "QuotaExceeded",
    "Rect",
    "RunError",
    "RunOutput",
    "RunResult",
    "Sandbox",
    "SandboxDied",
    "SandboxFailed",
    "SandboxNotFound",
    "Screenshot",
    "Settle",
    "ShinkenError",
    "Shot",
    "StaleElementRef",
    "Step",
    "Timeout",
    "TooBig",
    "Transferred",
    "Unauthorized",
    "Unsupported",
    "View",
    "Window",
    "WindowNotFound",
    "aconnect",
    "actions",
    "aend_sandbox",
    "afleet",
    "agent",
    "ainit",
    "alist_sandboxes",
    "connect",
    "end_sandbox",
    "errors",
    "fleet",
    "init",
    "list_sandboxes",
    "refusals",
]
