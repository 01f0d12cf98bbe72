"""Programs and the clipboard."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Literal

from shinken import actions
from shinken._native import OutputStream, Session
from shinken._waiting import finish
from shinken.aio.session import AsyncPart, Observe
from shinken.results import Acted, ExecExit, ExecOutput, ExecResult, RunResult, Window

DEFAULT_TIMEOUT_MS = 60_000
"""What a program may take where the call does not say."""


class AsyncOutput:
    """The output of a running program: an iterator of pieces, the last of which is an [`ExecExit`][shinken.ExecExit]."""

    def __init__(self, stream: OutputStream) -> None:
        self._stream = stream

    def __aiter__(self) -> AsyncIterator[ExecOutput | ExecExit]:
        return self

    async def __anext__(self) -> ExecOutput | ExecExit:
        piece: tuple[Literal["stdout", "stderr"], bytes] | dict[str, Any] | None = await finish(self._stream.next())
        if piece is None:
            raise StopAsyncIteration
        return ExecExit(**piece) if isinstance(piece, dict) else ExecOutput(*piece)


class AsyncClipboard(AsyncPart):
    """The clipboard of the desktop."""

    def __init__(self, session: Session) -> None:
        self._session = session

    async def get(self) -> str:
        """Its text."""
        acted = await self._done(actions.clipboard_get())
        return str(acted.value["text"])

    async def set(self, text: str) -> None:
        """Puts a text on it."""
        await self._done(actions.clipboard_set(text))


class AsyncPrograms(AsyncPart):
    """Runs programs."""

    async def exec(
        self,
        argv: Sequence[str] | None = None,
        *,
        shell: str | None = None,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        stdin: str | None = None,
        timeout_ms: int = DEFAULT_TIMEOUT_MS,
    ) -> ExecResult:
        """Runs a program in the sandbox and gives its output when it has ended.

        That the program failed is no error: see `exit_code`, or chain `.check()`.

        Args:
            argv: The program and its arguments, as they stand; no shell reads them.
            shell: A line for `/bin/sh -c`, instead of `argv`.
            cwd: Its working folder.
            env: Variables added to its environment.
            stdin: What it reads.
            timeout_ms: When it is killed, with all that it started.
        """
        action = actions.exec(argv, shell=shell, cwd=cwd, env=env, stdin=stdin, timeout_ms=timeout_ms)
        acted = await self._done(action)
        return ExecResult.from_wire(acted.value)

    async def exec_stream(
        self,
        argv: Sequence[str] | None = None,
        *,
        shell: str | None = None,
        cwd: str | None = None,
        env: Mapping[str, str] | None = None,
        stdin: str | None = None,
        timeout_ms: int = DEFAULT_TIMEOUT_MS,
    ) -> AsyncOutput:
        """Runs a program in the sandbox and gives its output as it comes; the arguments are those of `exec`."""
        call = self._session.exec_stream(
            actions.words(argv),
            shell,
            cwd=cwd,
            env=list((env or {}).items()),
            stdin=stdin,
            timeout=timeout_ms / 1000,
        )
        return AsyncOutput(await finish(call))

    async def run(self, code: str, *, timeout_ms: int = DEFAULT_TIMEOUT_MS) -> RunResult:
        """Runs Python code in the sandbox, in an interpreter that keeps its state between calls and sessions.

        Off unless granted: `shinken.init(grant=["run"])`, or `shinken up --grant run`. That the code raised an exception is
        no error of the call: see `error`, or chain `.check()`. At `timeout_ms` the code is interrupted, as by Ctrl-C, and
        the interpreter keeps its state.

        Raises:
            Denied: The desktop was not granted it.
        """
        return RunResult.from_native(await finish(self._session.run(code, timeout_ms / 1000)))

    async def run_restart(self) -> None:
        """Ends the interpreter, whatever it does; the next `run` gets a fresh one."""
        await finish(self._session.run_restart())

    async def run_interrupt(self) -> None:
        """Interrupts the code that runs, as Ctrl-C would."""
        await finish(self._session.run_interrupt())

    async def launch(self, app: str, *args: str, within: float | None = 30) -> Window | None:
        """Starts a program on the desktop and waits until a new window has the keyboard, which it gives.

        What is typed next goes to that window. The program runs on.

        Args:
            app: A name on `PATH` or an absolute path.
            args: Its arguments, as they stand.
            within: Seconds to wait for the window; `None` does not wait, as for a program that shows none.

        Raises:
            AppNotFound: There is no such program.
            NoWindow: No new window has the keyboard in time.
        """
        if within is None:
            await self._done(actions.launch(app, *args))
            return None
        return Window.from_wire(await finish(self._session.launch(app, list(args), within)))

    async def activate(self, window: Window | int | str, *, observe: Observe = None) -> Acted:
        """Raises and focuses a window: by its id, or the first whose title contains the word."""
        return await self._done(actions.activate(window), observe)

    @property
    def clipboard(self) -> AsyncClipboard:
        """The clipboard: `env.clipboard.get()` and `env.clipboard.set(text)`."""
        return AsyncClipboard(self._session)
