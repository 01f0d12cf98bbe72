"""What calls give."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from shinken._record import Record
from shinken.errors import ShinkenError
from shinken.pictures import Screenshot
from shinken.views import View

if TYPE_CHECKING:
    from shinken._native import NativeActed, NativeStep


@dataclass(frozen=True)
class Acted(Record):
    """What an action gave."""

    value: Any = None
    """The value of its answer, where it has one."""
    screenshot: Screenshot | None = None
    """The picture that it was for, or that `observe=` asked for."""
    view: View | None = None
    """The view that it was for, or that `observe=` asked for."""

    @classmethod
    def from_native(cls, acted: NativeActed) -> Acted:
        """Wraps the native module's object; raises what kept the picture from being taken."""
        if acted.unseen is not None:
            unseen: ShinkenError = acted.unseen
            unseen.acted = True
            raise unseen
        return cls(
            value=acted.value,
            screenshot=None if acted.shot is None else Screenshot(acted.shot),
            view=None if acted.view is None else View(acted.view),
        )


@dataclass(frozen=True)
class Outcome(Record):
    """What one action of several gave."""

    status: Literal["ok", "failed", "not_sent"]
    """Whether it was done."""
    error: ShinkenError | None = None
    """Why it was not done."""
    value: Any = None
    """The value of its answer, where it has one."""
    screenshot: Screenshot | None = None
    """The picture that it was for."""
    view: View | None = None
    """The view that it was for."""

    @property
    def ok(self) -> bool:
        """Whether it was done."""
        return self.status == "ok"

    @property
    def failure_kind(self) -> str | None:
        """The code of what went wrong."""
        return None if self.error is None else self.error.code


@dataclass(frozen=True)
class Step(Record):
    """What several actions gave."""

    outcomes: tuple[Outcome, ...]
    """One outcome for each action, in their order."""
    screenshot: Screenshot | None = None
    """The picture after them."""
    view: View | None = None
    """The view after them."""
    unseen: ShinkenError | None = None
    """Why what was to be seen after them is missing."""

    @property
    def ok(self) -> bool:
        """Whether all were done and what was asked for was seen."""
        return self.unseen is None and all(outcome.ok for outcome in self.outcomes)

    def check(self) -> Step:
        """Itself; raises the first error where there is one."""
        for outcome in self.outcomes:
            if outcome.error is not None:
                raise outcome.error
        if self.unseen is not None:
            raise self.unseen
        return self

    @classmethod
    def from_native(cls, step: NativeStep) -> Step:
        """Wraps the native module's object."""
        native: list[NativeActed | ShinkenError] = step.outcomes
        outcomes = [_outcome(outcome) for outcome in native]
        outcomes += [Outcome("not_sent")] * step.not_sent
        return cls(
            outcomes=tuple(outcomes),
            screenshot=None if step.shot is None else Screenshot(step.shot),
            view=None if step.view is None else View(step.view),
            unseen=step.unseen,
        )


def _outcome(outcome: NativeActed | ShinkenError) -> Outcome:
    if isinstance(outcome, ShinkenError):
        return Outcome("failed", error=outcome)
    acted = Acted.from_native(outcome)
    return Outcome("ok", value=acted.value, screenshot=acted.screenshot, view=acted.view)


@dataclass(frozen=True)
class ExecResult(Record):
    """How a program ended, and what it wrote."""

    exit_code: int | None
    """Its exit code; `None` where a signal ended it."""
    signal: int | None
    """The signal that ended it."""
    timed_out: bool
    """Whether its time was over and it was killed."""
    stdout: str
    """What it wrote to its output."""
    stderr: str
    """What it wrote to its error output."""
    stdout_truncated: bool
    """Whether it wrote more than was kept."""
    stderr_truncated: bool
    """Whether it wrote more than was kept."""
    duration_ms: float
    """How long it ran, in milliseconds."""

    @property
    def ok(self) -> bool:
        """Whether it ended with 0."""
        return self.exit_code == 0

    def check(self) -> ExecResult:
        """Itself; raises `ChildProcessError` where the program failed."""
        if not self.ok:
            ended = "was killed because its time was over" if self.timed_out else self._ended()
            raise ChildProcessError(f"the program {ended}: {self.stderr.strip() or self.stdout.strip()}")
        return self

    def _ended(self) -> str:
        return f"ended with {self.exit_code}" if self.signal is None else f"was ended by signal {self.signal}"

    @classmethod
    def from_wire(cls, result: Mapping[str, Any]) -> ExecResult:
        """Reads the value of a result."""
        return cls(
            exit_code=result["exit_code"],
            signal=result.get("signal"),
            timed_out=result["timed_out"],
            stdout=result["stdout"],
            stderr=result["stderr"],
            stdout_truncated=result["stdout_truncated"],
            stderr_truncated=result["stderr_truncated"],
            duration_ms=result["duration_ms"],
        )


@dataclass(frozen=True)
class ExecOutput(Record):
    """A piece of what a running program writes."""

    channel: Literal["stdout", "stderr"]
    """Where to."""
    data: bytes
    """What; a character may be cut between two pieces."""


@dataclass(frozen=True)
class ExecExit(Record):
    """The last item of a program's output: how it ended."""

    exit_code: int | None
    """Its exit code; `None` where a signal ended it."""
    signal: int | None
    """The signal that ended it."""
    timed_out: bool
    """Whether its time was over and it was killed."""
    duration_ms: float
    """How long it ran, in milliseconds."""
    truncated: bool
    """Whether it wrote more than was sent."""
    error: str | None = None
    """Why it could not be run to its end."""


@dataclass(frozen=True)
class RunError(Record):
    """The exception that ended code."""

    ename: str
    """The name of its class."""
    evalue: str
    """What it says of itself."""
    traceback: str
    """The traceback as Python prints it."""

    def __str__(self) -> str:
        return self.traceback


@dataclass(frozen=True)
class RunOutput(Record):
    """Something that code showed, such as a figure of matplotlib."""

    kind: str
    """Why it was shown: `figure`, `display` or `value`."""
    forms: Mapping[str, str | bytes]
    """Its content by MIME type; each form is the whole of it."""

    @property
    def png(self) -> bytes | None:
        """It as a PNG, where it is a picture."""
        form = self.forms.get("image/png")
        return form if isinstance(form, bytes) else None

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str | bytes]:
        return dict(self.forms)


@dataclass(frozen=True)
class RunResult(Record):
    """What came of Python code in the sandbox."""

    output: str
    """What was written to standard output and standard error, also by programs that it started, in order."""
    error: RunError | None
    """The exception that ended it."""
    value: str | None
    """The `repr()` of its last expression, unless that is `None`."""
    outputs: tuple[RunOutput, ...]
    """Pictures and other things that it showed, in order."""
    timed_out: bool
    """Whether its time was over before its end."""
    interrupted: bool
    """Whether it was interrupted, by its time or by somebody."""
    state_lost: tuple[int | None, int | None] | None
    """Exit code and signal of the interpreter, where it ended with this code; all its state is lost."""
    restarted: bool
    """Whether names of earlier code are unknown, because the interpreter is a fresh one."""
    execution_count: int
    """Counts what the interpreter ran, from 1."""
    duration_ms: float
    """How long it ran, in milliseconds."""
    output_truncated: bool
    """Whether there was more output than is kept."""
    value_truncated: bool
    """Whether the value was longer than is kept."""
    outputs_truncated: bool
    """Whether it showed more than is kept."""

    @property
    def pngs(self) -> list[bytes]:
        """The pictures that it showed, as PNG, in order."""
        return [output.png for output in self.outputs if output.png is not None]

    @property
    def ok(self) -> bool:
        """Whether it came to its end."""
        return self.error is None and not self.timed_out and self.state_lost is None

    def check(self) -> RunResult:
        """Itself; raises `RuntimeError` with the traceback where the code did not come to its end."""
        if self.ok:
            return self
        if self.error is not None:
            raise RuntimeError(self.error.traceback)
        raise RuntimeError("the code ran out of time" if self.timed_out else "the interpreter ended with the code")

    @classmethod
    def from_native(cls, result: dict[str, Any]) -> RunResult:
        """Reads the native module's dictionary."""
        error, outputs = result.pop("error"), result.pop("outputs")
        return cls(
            error=None if error is None else RunError(error["ename"], error["evalue"], error["traceback"]),
            outputs=tuple(RunOutput(kind, forms) for kind, forms in outputs),
            **result,
        )


@dataclass(frozen=True)
class Window(Record):
    """A top-level window."""

    id: int
    """Its number, also for `Shot(scope=f"window:{id}")` and `env.activate`."""
    title: str
    """Its title."""
    pid: int | None
    """The process that it belongs to, where it says."""
    x: int
    """Left edge in pixels of the screen."""
    y: int
    """Top edge."""
    w: int
    """Width."""
    h: int
    """Height."""
    focused: bool
    """Whether it has the keyboard focus."""

    @classmethod
    def from_wire(cls, window: Mapping[str, Any]) -> Window:
        """Reads an entry of the answer to list_windows."""
        return cls(
            id=window["id"],
            title=window.get("title") or "",
            pid=window.get("pid"),
            x=window["x"],
            y=window["y"],
            w=window["w"],
            h=window["h"],
            focused=bool(window.get("focused")),
        )


@dataclass(frozen=True)
class App(Record):
    """A program that has a window or a tree."""

    name: str
    """What it calls itself, or its program's name."""
    pid: int
    """Its process."""
    path: str | None
    """Its program's file, where the system tells."""
    focused: bool
    """Whether its window is the active one."""


@dataclass(frozen=True)
class Event(Record):
    """A message of the session: what this client said, or what the runtime did."""

    at: float
    """When, in seconds since 1970."""
    direction: Literal["sent", "received"]
    """Who said it."""
    message: Mapping[str, Any]
    """The message; the bytes of pictures and of output are not part of it."""
    bytes: int
    """Its size."""
    missed: int
    """How many events so far made room because this reader was slow."""

    @property
    def type(self) -> str:
        """What kind of message it is, such as `action`, `ack`, `result` or `observation`."""
        return str(self.message.get("type", ""))


@dataclass(frozen=True)
class Sandbox(Record):
    """A desktop of this machine."""

    id: str
    """Its name."""
    provider: str
    """What made it."""
    isolation: str
    """What keeps its programs from the rest of the machine: `none`, `container`, `virtual_machine`."""
    snapshot_kind: str
    """What of it can be saved: `none`, `disk`, `memory`, `process`, `provider_managed`."""
    address: str
    """Where its runtime listens."""
    display: str
    """Its X display, such as `:3`."""
    size: tuple[int, int]
    """Width and height of its screen in pixels."""
