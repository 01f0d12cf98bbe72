"""Pictures, views, and what comes by itself."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from typing import Any, Literal, TypeVar

from shinken import actions
from shinken._native import EventStream, PictureStream
from shinken._waiting import finish
from shinken.aio.session import AsyncPart
from shinken.pictures import CastFrame, PictureFormat, Screenshot, Shot
from shinken.refusals import A11yUnavailable, AppNotFound
from shinken.results import App, Event, Window
from shinken.views import Look, View

Own = TypeVar("Own", bound="AsyncScreencast")

SETTLED_MS = 100
"""How long an interface is quiet before `wait_for` takes it as it is, and how long it pauses until it looks again."""


class AsyncScreencast:
    """A running screencast: an iterator of whole pictures. The end of its `with` block, or `stop()`, ends it.

    A resting screen sends nothing, so the next picture may take as long as the screen rests. A slow reader holds nothing up:
    newer pictures take the place of those that it has not read, and `dropped` counts them.
    """

    def __init__(self, stream: PictureStream) -> None:
        self._stream = stream

    def __aiter__(self: Own) -> Own:
        return self

    async def __anext__(self) -> CastFrame:
        frame = await finish(self._stream.next())
        if frame is None:
            raise StopAsyncIteration
        return CastFrame(frame)

    async def stop(self) -> None:
        """Ends the stream."""
        await finish(self._stream.stop())

    async def __aenter__(self: Own) -> Own:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()


class AsyncEvents:
    """The messages of a session as they are sent and come: an iterator that ends with the connection."""

    def __init__(self, stream: EventStream) -> None:
        self._stream = stream

    def __aiter__(self) -> AsyncIterator[Event]:
        return self

    async def __anext__(self) -> Event:
        event = await finish(self._stream.next())
        if event is None:
            raise StopAsyncIteration
        return Event(*event)


class AsyncLooking(AsyncPart):
    """Looks at the desktop."""

    async def screenshot(
        self,
        *,
        scope: str | None = None,
        format: PictureFormat | None = None,
        quality: int | None = None,
        max_long_edge: int | None = None,
    ) -> Screenshot:
        """Takes a picture of the screen, of the active window, or of the window with an id.

        Args:
            scope: `screen` (the default), `active_window`, or `window:ID`.
            format: `png` (the default) or `jpeg`.
            quality: Quality of a JPEG, 1 to 100.
            max_long_edge: Scales the picture down so that its longer edge has at most this many pixels.
        """
        shot = Shot(scope, format, quality, max_long_edge)
        return Screenshot(await finish(self._session.screenshot(shot.to_wire())))

    async def observe(
        self,
        *,
        structured: bool = True,
        diff: bool = False,
        settle_ms: int | None = None,
        app: str | None = None,
        pid: int | None = None,
        screenshot: Shot | bool | None = None,
        marks: bool = False,
    ) -> View:
        """Looks at the controls of a program.

        Args:
            structured: Whether the tree is wanted; without it, `screenshot` is.
            diff: Whether `str(view)` tells only what has changed since the session's last view.
            settle_ms: Waits until the interface has been quiet for so many milliseconds.
            app: The program by its name; the one that has the focus if none is named.
            pid: The program by its process.
            screenshot: A picture taken together with the tree.
            marks: Whether that picture has a numbered box around each element that can be used.
        """
        if not structured and not screenshot and not marks:
            screenshot = True
        look = Look(app, pid, diff, settle_ms, screenshot, marks, structured)
        return View(await finish(self._session.observe(look.to_wire())))

    async def wait_for(
        self,
        name: str | None = None,
        *,
        role: str | None = None,
        app: str | None = None,
        pid: int | None = None,
        within: float = 10,
    ) -> View:
        """Looks until a program has an element, and gives the view with it.

        Args:
            name: The element's name.
            role: Its role, such as `button`.
            app: The program, as for `observe`; that which has the focus if none is named.
            pid: The program by its process.
            within: Seconds until it is given up.

        Raises:
            ElementNotFound: There is none in time; `candidates` come close.
        """
        until = time.monotonic() + within
        while True:
            try:
                view = await self.observe(settle_ms=SETTLED_MS, app=app, pid=pid)
                if view.find_all(name=name, role=role):
                    return view
                if time.monotonic() >= until:
                    # Says which come close.
                    view.find(name=name, role=role)
            except (A11yUnavailable, AppNotFound):
                # The program, or its tree, may be still to come.
                if time.monotonic() >= until:
                    raise
            await finish(self._session.act(actions.wait(SETTLED_MS)))

    async def windows(self) -> list[Window]:
        """The top-level windows."""
        answer: list[dict[str, Any]] = await finish(self._session.query("list_windows"))
        return [Window.from_wire(window) for window in answer]

    async def apps(self) -> list[App]:
        """The programs that have a window or a tree."""
        answer: list[dict[str, Any]] = await finish(self._session.apps())
        return [App(app["name"], app["pid"], app["path"], app["focused"]) for app in answer]

    async def screen_size(self) -> tuple[int, int]:
        """The screen's width and height in pixels."""
        answer: dict[str, int] = await finish(self._session.query("screen_size"))
        return answer["w"], answer["h"]

    async def platform(self) -> Literal["linux", "macos", "windows"]:
        """The operating system."""
        platform: Literal["linux", "macos", "windows"] = _field(await finish(self._session.query("platform")), "platform")
        return platform

    async def ready(self) -> bool:
        """Whether the desktop can be used."""
        return bool(_field(await finish(self._session.query("ready")), "ready"))

    async def screencast(
        self,
        *,
        fps: float | None = None,
        delta: bool = True,
        scope: str | None = None,
        format: PictureFormat | None = None,
        quality: int | None = None,
        max_long_edge: int | None = None,
    ) -> AsyncScreencast:
        """Starts a screencast. A session has one; a new one ends the old.

        Args:
            fps: How many pictures a second are wished for, 0.1 to 30.
            delta: Whether only the tiles that changed travel; what comes out are whole pictures all the same.
            scope: `screen` (the default), `active_window`, or `window:ID`.
            format: The codec of what travels.
            quality: Quality of a JPEG, 1 to 100.
            max_long_edge: Scales the pictures down so that their longer edge has at most this many pixels.
        """
        shot = Shot(scope, format, quality, max_long_edge)
        return AsyncScreencast(await finish(self._session.screencast(shot.to_wire(), fps, delta)))

    def events(self) -> AsyncEvents:
        """The session's messages from now on, those of this client and those of the runtime.

        They end when the connection does, by `close()` or otherwise; after `reconnect()` ask again.
        """
        return AsyncEvents(self._session.events())


def _field(answer: dict[str, Any] | str | bool, name: str) -> Any:
    # The contract does not say whether the value stands alone or in an object.
    return answer[name] if isinstance(answer, dict) else answer
