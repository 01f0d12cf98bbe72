"""Pointer, keyboard and the actions of elements."""

from __future__ import annotations

from typing import Literal

from shinken import actions
from shinken._waiting import finish
from shinken.actions import Action, Button
from shinken.aio.session import AsyncPart, Observe
from shinken.pictures import Shot
from shinken.results import Acted, Step
from shinken.targets import Seen, Target
from shinken.views import Look


class AsyncActing(AsyncPart):
    """Does things to the desktop.

    A place is an [`Element`][shinken.Element] or its ref, a pixel of the screen as `x=` and `y=` or as a pair, or a share of its
    width and height where `normalized`. With `frame=`, the point is one of that picture. With `observe=`, what is to be seen
    afterwards comes in the same round trip.
    """

    async def click(
        self,
        target: Target | None = None,
        *,
        x: float | None = None,
        y: float | None = None,
        normalized: bool = False,
        frame: Seen | None = None,
        observe: Observe = None,
    ) -> Acted:
        """Presses and releases the left button."""
        action = actions.click(target, x=x, y=y, normalized=normalized, frame=frame)
        return await self._done(action, observe)

    async def double_click(
        self,
        target: Target | None = None,
        *,
        x: float | None = None,
        y: float | None = None,
        normalized: bool = False,
        frame: Seen | None = None,
        observe: Observe = None,
    ) -> Acted:
        """Clicks twice, fast enough for a double click."""
        action = actions.double_click(target, x=x, y=y, normalized=normalized, frame=frame)
        return await self._done(action, observe)

    async def right_click(
        self,
        target: Target | None = None,
        *,
        x: float | None = None,
        y: float | None = None,
        normalized: bool = False,
        frame: Seen | None = None,
        observe: Observe = None,
    ) -> Acted:
        """Presses and releases the right button, the one for context menus."""
        action = actions.right_click(target, x=x, y=y, normalized=normalized, frame=frame)
        return await self._done(action, observe)

    async def move(
        self,
        target: Target | None = None,
        *,
        x: float | None = None,
        y: float | None = None,
        normalized: bool = False,
        frame: Seen | None = None,
        observe: Observe = None,
    ) -> Acted:
        """Moves the pointer."""
        action = actions.move(target, x=x, y=y, normalized=normalized, frame=frame)
        return await self._done(action, observe)

    async def drag(
        self,
        start: Target,
        to: Target,
        *,
        normalized: bool = False,
        frame: Seen | None = None,
        button: Button | None = None,
        duration_ms: int | None = None,
        observe: Observe = None,
    ) -> Acted:
        """Presses a button at one place, moves along a line for `duration_ms`, and releases it at another."""
        action = actions.drag(start, to, normalized=normalized, frame=frame, button=button, duration_ms=duration_ms)
        return await self._done(action, observe)

    async def mouse_down(
        self,
        target: Target | None = None,
        *,
        x: float | None = None,
        y: float | None = None,
        normalized: bool = False,
        frame: Seen | None = None,
        button: Button | None = None,
        observe: Observe = None,
    ) -> Acted:
        """Presses a button and keeps it down, at a place or where the pointer is, until mouse_up or the session's end."""
        action = actions.mouse_down(target, x=x, y=y, normalized=normalized, frame=frame, button=button)
        return await self._done(action, observe)

    async def mouse_up(
        self,
        target: Target | None = None,
        *,
        x: float | None = None,
        y: float | None = None,
        normalized: bool = False,
        frame: Seen | None = None,
        button: Button | None = None,
        observe: Observe = None,
    ) -> Acted:
        """Releases a button, at a place or where the pointer is."""
        action = actions.mouse_up(target, x=x, y=y, normalized=normalized, frame=frame, button=button)
        return await self._done(action, observe)

    async def scroll(
        self,
        target: Target | None = None,
        *,
        x: float | None = None,
        y: float | None = None,
        normalized: bool = False,
        frame: Seen | None = None,
        dx: float = 0,
        dy: float = 0,
        observe: Observe = None,
    ) -> Acted:
        """Turns the wheel: `dx` to the right and `dy` down the page, in 1/120 of a wheel step."""
        action = actions.scroll(target, x=x, y=y, normalized=normalized, frame=frame, dx=dx, dy=dy)
        return await self._done(action, observe)

    async def type(self, text: str, *, observe: Observe = None) -> Acted:
        """Types the text exactly, whatever the keyboard layout: any Unicode, a line feed as Return, a tab as Tab."""
        return await self._done(actions.type(text), observe)

    async def key(self, keys: str, *, observe: Observe = None) -> Acted:
        """Presses a chord such as `ctrl+shift+t`."""
        return await self._done(actions.key(keys), observe)

    async def wait(self, ms: int) -> None:
        """Waits in the runtime, and with it the session's later calls; at most a minute."""
        await self._done(actions.wait(ms))

    async def invoke_action(self, target: Target, name: str | None = None, *, observe: Observe = None) -> Acted:
        """Does an action of an element by its accessibility interface; by default the one that activates it.

        It needs no place on the screen, so it is the way to an element that has none or is covered.
        """
        return await self._done(actions.invoke_action(target, name), observe)

    async def set_value(self, target: Target, value: str | float, *, observe: Observe = None) -> Acted:
        """Sets an element's text or number, and reads it back."""
        return await self._done(actions.set_value(target, value), observe)

    async def scroll_element(
        self, target: Target, pages: float, *, axis: Literal["v", "h"] | None = None, observe: Observe = None
    ) -> Acted:
        """Scrolls an element by pages: 1 is what it shows at a time, negative is up or to the left."""
        return await self._done(actions.scroll_element(target, pages, axis=axis), observe)

    async def set_text_selection(
        self,
        target: Target,
        text: str,
        *,
        mode: Literal["select", "caret_before", "caret_after"] = "select",
        prefix: str | None = None,
        suffix: str | None = None,
        observe: Observe = None,
    ) -> Acted:
        """Selects a text of an element, or puts the caret before or after it.

        Where the text is there several times, `prefix` and `suffix`, what stands right before and after it, say which.
        """
        action = actions.set_text_selection(target, text, mode=mode, prefix=prefix, suffix=suffix)
        return await self._done(action, observe)

    async def act(self, action: Action, *, observe: Observe = None) -> Acted:
        """Does any action, given as it stands in a message; `shinken.actions` makes them."""
        return await self._done(action, observe)

    async def step(self, actions: list[Action], *, observe: Observe = None) -> Step:
        """Does actions and then looks, all in one round trip.

        All are done in their order, also those after one that failed; the outcomes tell. To stop at the first failure use
        [`act_batch`][shinken.Env.act_batch].
        """
        look = observe.to_wire() if isinstance(observe, Look) else None
        shot = None
        if observe and not isinstance(observe, Look):
            shot = (Shot() if observe is True else observe).to_wire()
        return Step.from_native(await finish(self._session.step(actions, shot, look)))

    async def act_batch(self, actions: list[Action], *, stop_on_error: bool = True) -> Step:
        """Does actions in their order, until the first failure unless `stop_on_error` is false.

        Each outcome has a `status` and a `failure_kind`. Stopping at a failure means a round trip for each action.
        """
        return Step.from_native(await finish(self._session.act_all(actions, stop_on_error)))
