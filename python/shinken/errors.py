"""What can go wrong.

Everything that this package raises about a desktop is a [`ShinkenError`][shinken.ShinkenError]. What the runtime refuses is an
[`ActionRefused`][shinken.ActionRefused], with a class of its own for every code of the one code table. Each exception has
`code`, the word that stands for it on the wire or in the client, `detail`, what happened, and `hint`, what to do next.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

__all__ = [
    "ActionRefused",
    "AmbiguousElement",
    "Behind",
    "ClosedSession",
    "ConnectFailed",
    "ConnectionClosed",
    "ElementNotFound",
    "ForkedProcess",
    "FrameMissing",
    "HandshakeFailed",
    "InvalidAddress",
    "NoWindow",
    "PictureBroken",
    "ProtocolError",
    "SandboxDied",
    "SandboxFailed",
    "SandboxNotFound",
    "ShinkenError",
    "Timeout",
    "TooBig",
]


class ShinkenError(Exception):
    """Anything that went wrong with a desktop or the way to it."""

    code: str = "internal"
    """The word for this kind of error."""
    hint: str = ""
    """What to do next."""
    acted: bool = False
    """Whether the action was done all the same, and only what was to be seen after it is missing."""

    def __init__(self, detail: str = "") -> None:
        super().__init__(detail)
        self.detail = detail
        """What happened."""

    def __str__(self) -> str:
        return f"{self.code}: {self.detail}" if self.detail else self.code

    def __reduce__(self) -> tuple[type[ShinkenError], tuple[str], dict[str, object]]:
        return type(self), (self.detail,), self.__dict__


class ActionRefused(ShinkenError):
    """The runtime understood the action and did not do it, or tried and failed; the session goes on."""

    code = "refused"
    hint = "The detail is the runtime's own words; it is another one, or newer than this client."


class Timeout(ShinkenError, TimeoutError):
    """A limit on waiting was over. The runtime may still be doing what was asked."""

    code = "timeout"
    hint = "Give it more time: call_timeout of connect(), the call's own timeout_ms, or env.within(seconds)."


class NoWindow(Timeout):
    """A program was started, and no window of it has the keyboard; the program runs on."""

    code = "no_window"
    hint = "For a program that shows no window call launch(…, within=None); a slow one may need a larger within."


class SandboxDied(ShinkenError):
    """The runtime's process or its machine is gone; every call of the session ends so."""

    code = "sandbox_died"
    hint = "Make a new one with shinken.connect(); log has the last lines of its log, where it was on this machine."

    log: tuple[str, ...] = ()
    """The last lines of the runtime's log."""


class ConnectionClosed(ShinkenError):
    """The runtime lives, but has ended this connection."""

    code = "connection_closed"
    hint = "The detail has the reason; env.reconnect() makes the connection again."


class ClosedSession(ShinkenError):
    """The session was closed by close() or by the end of its `with` block."""

    code = "closed"
    hint = "Connect again with shinken.connect()."


class ConnectFailed(ShinkenError, ConnectionError):
    """Nothing could be reached at the address."""

    code = "connect_failed"
    hint = "Check the address, and that the runtime runs; `shinken ps` lists the desktops of this machine."


class InvalidAddress(ShinkenError, ValueError):
    """What was given is no address and no name of a desktop."""

    code = "invalid_address"
    hint = "Give ws://HOST:PORT, unix:PATH, or the name of a desktop as `shinken ps` lists it."


class HandshakeFailed(ShinkenError):
    """Whatever answers at the address did not welcome us."""

    code = "handshake_failed"
    hint = "Check that a runtime listens there and not another server."


class ProtocolError(ShinkenError):
    """The runtime said something that the protocol does not allow."""

    code = "protocol_error"
    hint = "Client and runtime may be of versions that do not fit; env.capabilities tells what the runtime is."


class TooBig(ShinkenError):
    """A message is larger than one side takes."""

    code = "too_big"
    hint = "Send less at a time, or start the runtime with a larger --max-message-bytes."


class Behind(ShinkenError):
    """The reader of a stream was so far behind that keeping everything would have taken too much memory."""

    code = "behind"
    hint = "Read the stream faster, or ask for less of it."


class FrameMissing(ShinkenError, ValueError):
    """A point of a picture cannot be placed on the screen."""

    code = "frame"
    hint = "Give frame= the very picture that the point was read from, one that came with a descriptor."


class PictureBroken(ShinkenError):
    """The bytes of a picture cannot be decoded."""

    code = "picture"
    hint = "Take another one; should it happen again, ask for another format."


class ForkedProcess(ShinkenError):
    """A session was used in a process that was forked from the one that had connected it."""

    code = "forked"
    hint = "Connect in the child, or start children with the method 'spawn'."


class SandboxFailed(ShinkenError):
    """A desktop could not be started or ended."""

    code = "sandbox"
    hint = "`shinken doctor` says what is missing on this machine and how to install it."


class SandboxNotFound(SandboxFailed, LookupError):
    """No desktop of that name runs."""

    code = "sandbox_not_found"
    hint = "`shinken ps` lists those that run; shinken.connect() without a name starts one."


class _ViewLookup(ShinkenError, LookupError):
    def __init__(self, detail: str, candidates: Iterable[object] = ()) -> None:
        super().__init__(detail)
        self.candidates = tuple(candidates)
        """The elements that may have been meant."""


class ElementNotFound(_ViewLookup):
    """No element of the view has that name or ref; `candidates` are those that come close."""

    code = "element_not_found"
    hint = "Observe again if the interface has changed; print(view) shows all elements."


class AmbiguousElement(_ViewLookup):
    """Several elements of the view have that name; `candidates` are these."""

    code = "ambiguous_element"
    hint = "Say which by its ref, or with view.find(name=…, role=…)."


_SANDBOX_CODES = (
    "program_missing",
    "not_started",
    "several_sandboxes",
    "name_taken",
    "invalid_sandbox",
)


class _Table:
    """Which class stands for which code; every class of this module and the next has its own."""

    classes: ClassVar[dict[str, type[ShinkenError]]] = {}

    @classmethod
    def fill(cls, base: type[ShinkenError]) -> None:
        for kind in base.__subclasses__():
            if kind.code != base.code:
                cls.classes.setdefault(kind.code, kind)
            cls.fill(kind)


def from_code(code: str, detail: str, *, log: Iterable[str] = (), acted: bool = False) -> ShinkenError:
    """The exception for a code of the client or the runtime; one that is not known is a plain `ShinkenError` with it."""
    if not _Table.classes:
        # The classes of the runtime's codes are in a module of their own, which needs this one.
        import shinken.refusals  # noqa: F401  # pyright: ignore[reportUnusedImport]

        _Table.fill(ShinkenError)
        _Table.classes.update(dict.fromkeys(_SANDBOX_CODES, SandboxFailed))
    error = _Table.classes.get(code, ShinkenError)(detail)
    if error.code != code:
        error.code = code
    if isinstance(error, SandboxDied):
        error.log = tuple(log)
    if acted:
        error.acted = True
    return error
