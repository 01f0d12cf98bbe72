"""A desktop."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, TypeVar

from shinken import _native, _programs
from shinken._later import Later
from shinken._native import Desktop, FrameCache, Session
from shinken._waiting import finish
from shinken.aio.acting import AsyncActing
from shinken.aio.files import AsyncFiles
from shinken.aio.looking import AsyncLooking
from shinken.aio.programs import AsyncPrograms
from shinken.errors import InvalidAddress
from shinken.refusals import Unsupported
from shinken.results import Sandbox

Own = TypeVar("Own", bound="AsyncEnv")

_log = logging.getLogger("shinken")


class AsyncEnv(AsyncActing, AsyncLooking, AsyncPrograms, AsyncFiles, Later):
    """A session with a desktop.

    Calls may be made from several tasks or threads at a time; the runtime does them in the order in which they were sent,
    apart from programs, which run beside. Every call has a deadline.
    """

    def __init__(self, session: Session, desktop: Desktop | None = None, sandbox: Sandbox | None = None) -> None:
        self._session = session
        self._desktop = desktop
        self._sandbox = sandbox

    @property
    def sandbox(self) -> Sandbox | None:
        """The desktop of this machine that the session is with; `None` for one that was connected by its address."""
        return self._sandbox

    @property
    def id(self) -> str | None:
        """The desktop's name, with which `connect` finds it again."""
        return None if self._sandbox is None else self._sandbox.id

    @property
    def provider(self) -> str:
        """What made the desktop; `remote` for one that was connected by its address."""
        return "remote" if self._sandbox is None else self._sandbox.provider

    @property
    def address(self) -> str:
        """Where the runtime listens."""
        return self._session.address

    @property
    def server(self) -> dict[str, Any]:
        """The runtime's name, version and platform."""
        server: dict[str, Any] = self._session.welcome["server"]
        return server

    @property
    def capabilities(self) -> dict[str, Any]:
        """What the runtime says that it can do."""
        capabilities: dict[str, Any] = self._session.welcome["capabilities"]
        return capabilities

    @property
    def extensions(self) -> list[str]:
        """What it offers beyond the contract."""
        return self._session.extensions

    @property
    def is_open(self) -> bool:
        """Whether calls can still be made."""
        return self._session.is_open

    def within(self, seconds: float) -> AsyncEnv:
        """The same session, whose calls each take at most so long, whatever they do."""
        return AsyncEnv(self._session.with_deadline(seconds), None, self._sandbox)

    async def ping(self) -> float:
        """The seconds until the runtime answers a ping, which never waits behind a call."""
        return float(await finish(self._session.ping()))

    async def reconnect(self) -> None:
        """Makes a lost connection again. What was held down or streamed on the old one is not gone on with."""
        await finish(self._session.reconnect())

    async def close(self) -> None:
        """Says goodbye, and ends the desktop if this session has started it."""
        if self._session.is_open:
            await finish(self._session.close())
        if self._desktop is not None:
            await finish(self._desktop.end())
            self._desktop = None

    async def __aenter__(self: Own) -> Own:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        if self._sandbox is None:
            return f"<{type(self).__name__} {self.address}>"
        made = self._sandbox
        isolates = "isolates nothing" if made.isolation == "none" else f"isolation: {made.isolation}"
        return f"<{type(self).__name__} {made.id} by provider {made.provider}, {isolates}>"


async def aconnect(
    target: str | None = None,
    *,
    token: str | None = None,
    frame_cache: FrameCache | None = None,
    connect_timeout: float = 10,
    call_timeout: float = 30,
    keep_alive: float | None = 60,
    reconnect_within: float | None = 30,
    grant: Sequence[str] = (),
) -> AsyncEnv:
    """A session with a desktop.

    Args:
        target: `ws://HOST:PORT` or `unix:PATH` for any runtime, or the name of a desktop of this machine as `shinken ps` lists
            it. Without it, a new desktop is started as [`init`][shinken.init] does, and ends with the session.
        token: What the runtime wants to hear, where `target` is an address.
        frame_cache: Pictures shared with other sessions; with it, one that has not changed is not sent again.
        connect_timeout: Seconds for reaching the address, and again for the welcome.
        call_timeout: Seconds that a call may take beyond the time that it needs by itself.
        keep_alive: Seconds of silence after which the runtime is asked whether it still lives.
        reconnect_within: For how many seconds a screencast tries to connect again; `None` for not at all.
        grant: For a new desktop, as for `init`.
    """
    options: dict[str, Any] = {
        "frame_cache": frame_cache,
        "connect_timeout": connect_timeout,
        "call_timeout": call_timeout,
        "keep_alive": keep_alive,
    }
    if target is None:
        if token is not None:
            raise InvalidAddress("a token is for the address of a runtime; give the address too")
        return await ainit(grant=grant, **options)
    if grant:
        raise Unsupported("what a desktop is granted is said when it is started; it cannot be added by connecting to it")
    if "://" in target or target.startswith("unix:"):
        opened = _native.connect(target, token, reconnect_within=reconnect_within, log_file=None, **options)
        return AsyncEnv(await finish(opened))
    if ":" in target or "/" in target:
        raise InvalidAddress(f"{target!r} is neither ws://HOST:PORT, unix:PATH nor the name of a desktop")
    state, local_token = await finish(_native.find_desktop(target))
    session = await _local(state, local_token, options)
    return AsyncEnv(session, None, _sandbox(state))


async def ainit(
    os: str = "linux",
    *,
    size: tuple[int, int] = (1280, 800),
    provider: str | None = None,
    image: str | None = None,
    name: str | None = None,
    detach: bool = False,
    within: float = 30,
    grant: Sequence[str] = (),
    python: str | None = None,
    runtime_arguments: Sequence[str] = (),
    frame_cache: FrameCache | None = None,
    connect_timeout: float = 10,
    call_timeout: float = 30,
    keep_alive: float | None = 60,
) -> AsyncEnv:
    """Starts a desktop and connects to it.

    Args:
        os: Only `linux`.
        size: Width and height of the screen in pixels.
        provider: What makes it; the best one of this machine if none is named. `env.provider` says which it was.
        image: What it is made of, for providers that have images.
        name: Its name; a short random one if none is given.
        detach: Whether it lives on when the session is closed or this process ends; `shinken down NAME` ends it.
        within: Seconds that it may take to start.
        grant: What is off unless granted: `run`, Python code in an interpreter that keeps its state.
        python: The interpreter of `run`, such as `/usr/bin/python3`; the first `python3` on `PATH` if none is named.
        runtime_arguments: More arguments for the runtime, such as `["--max-connections", "200"]`; `shinkend --help` lists them.
        frame_cache: As for [`connect`][shinken.connect].
        connect_timeout: As for `connect`.
        call_timeout: As for `connect`.
        keep_alive: As for `connect`.
    """
    if os != "linux":
        raise Unsupported(f"desktops with the system {os!r} are not part of this version of Shinken yet; there is 'linux'")
    if image is not None:
        raise Unsupported("no provider of this version of Shinken has images yet; leave image= out")
    started = _native.start_desktop(
        provider=provider,
        name=name,
        size=size,
        detach=detach,
        within=within,
        programs=_programs.folder(),
        grants=list(grant),
        runtime_arguments=[*([] if python is None else ["--python", python]), *runtime_arguments],
    )
    desktop: Desktop = await finish(started)
    state = desktop.state
    options: dict[str, Any] = {
        "frame_cache": frame_cache,
        "connect_timeout": connect_timeout,
        "call_timeout": call_timeout,
        "keep_alive": keep_alive,
    }
    try:
        session = await _local(state, desktop.token, options)
    except BaseException:
        await finish(desktop.end())
        raise
    env = AsyncEnv(session, None if detach else desktop, _sandbox(state))
    _log.info("started %r", env)
    return env


async def _local(state: dict[str, Any], token: str, options: dict[str, Any]) -> Session:
    # A desktop of this machine ends with its runtime, so there is nothing to connect to again; its log tells why.
    opened = _native.connect(state["address"], token, reconnect_within=None, log_file=state["log_file"], **options)
    session: Session = await finish(opened)
    return session


def _sandbox(state: dict[str, Any]) -> Sandbox:
    kinds = {kind["name"]: kind for kind in _native.providers()}
    kind = kinds.get(state["provider"], {})
    return Sandbox(
        id=state["id"],
        provider=state["provider"],
        isolation=kind.get("isolation", "none"),
        snapshot_kind=kind.get("snapshot_kind", "none"),
        address=state["address"],
        display=state["display"],
        size=(state["width"], state["height"]),
    )


async def alist_sandboxes() -> list[Sandbox]:
    """The desktops of this machine that run."""
    states: list[dict[str, Any]] = await finish(_native.desktops())
    return [_sandbox(state) for state in states]


async def aend_sandbox(name: str) -> None:
    """Ends a desktop of this machine by its name; returns when nothing of it is left."""
    await finish(_native.end_desktop(name))
