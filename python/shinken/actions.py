"""Actions as values: what `env.step` and `env.act_batch` take, each a dictionary as it stands in a message.

```python
from shinken import actions

env.step([actions.click(view["Name"]), actions.type("Ada"), actions.key("Tab")], observe=True)
```

The functions have the names and arguments of the methods of [`Env`][shinken.Env].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from shinken.refusals import InvalidAction
from shinken.results import Window
from shinken.targets import Seen, Target
from shinken.targets import target as aimed_at

Action: TypeAlias = "dict[str, Any]"
"""An action as it stands in a message: an object with a `verb`."""

Button: TypeAlias = Literal["left", "middle", "right"]


def _made(verb: str, **fields: Any) -> Action:
    return {"verb": verb, **{name: value for name, value in fields.items() if value is not None}}


def _aimed(
    verb: str,
    where: Target | None,
    x: float | None,
    y: float | None,
    normalized: bool,
    frame: Seen | None,
    **fields: Any,
) -> Action:
    aim = aimed_at(where, x=x, y=y, normalized=normalized, frame=frame)
    if aim is None:
        raise InvalidAction(f"{verb} needs a place: an element, its ref, or x= and y=")
    return _made(verb, target=aim, **fields)


def click(
    target: Target | None = None,
    *,
    x: float | None = None,
    y: float | None = None,
    normalized: bool = False,
    frame: Seen | None = None,
) -> Action:
    """Presses and releases the left button."""
    return _aimed("click", target, x, y, normalized, frame)


def double_click(
    target: Target | None = None,
    *,
    x: float | None = None,
    y: float | None = None,
    normalized: bool = False,
    frame: Seen | None = None,
) -> Action:
    """Clicks twice, fast enough for a double click."""
    return _aimed("double_click", target, x, y, normalized, frame)


def right_click(
    target: Target | None = None,
    *,
    x: float | None = None,
    y: float | None = None,
    normalized: bool = False,
    frame: Seen | None = None,
) -> Action:
    """Presses and releases the right button."""
    return _aimed("right_click", target, x, y, normalized, frame)


def move(
    target: Target | None = None,
    *,
    x: float | None = None,
    y: float | None = None,
    normalized: bool = False,
    frame: Seen | None = None,
) -> Action:
    """Moves the pointer."""
    return _aimed("move", target, x, y, normalized, frame)


def drag(
    start: Target,
    to: Target,
    *,
    normalized: bool = False,
    frame: Seen | None = None,
    button: Button | None = None,
    duration_ms: int | None = None,
) -> Action:
    """Presses a button at one place, moves along a line, and releases it at another."""
    ends = [_end(where, normalized, frame) for where in (start, to)]
    return _made("drag", target=ends[0], to=ends[1], button=button, duration_ms=duration_ms)


def _end(where: Target, normalized: bool, frame: Seen | None) -> dict[str, Any]:
    # What was read from a picture is a point; an element has a place of its own.
    is_point = isinstance(where, tuple)
    aim = aimed_at(where, normalized=normalized and is_point, frame=frame if is_point else None)
    if aim is None:
        raise InvalidAction("drag needs two places: elements, refs, or pairs (x, y)")
    return aim


def mouse_down(
    target: Target | None = None,
    *,
    x: float | None = None,
    y: float | None = None,
    normalized: bool = False,
    frame: Seen | None = None,
    button: Button | None = None,
) -> Action:
    """Presses a button and keeps it down, at a place or where the pointer is."""
    return _made("mouse_down", target=aimed_at(target, x=x, y=y, normalized=normalized, frame=frame), button=button)


def mouse_up(
    target: Target | None = None,
    *,
    x: float | None = None,
    y: float | None = None,
    normalized: bool = False,
    frame: Seen | None = None,
    button: Button | None = None,
) -> Action:
    """Releases a button, at a place or where the pointer is."""
    return _made("mouse_up", target=aimed_at(target, x=x, y=y, normalized=normalized, frame=frame), button=button)


def scroll(
    target: Target | None = None,
    *,
    x: float | None = None,
    y: float | None = None,
    normalized: bool = False,
    frame: Seen | None = None,
    dx: float = 0,
    dy: float = 0,
) -> Action:
    """Turns the wheel: `dx` to the right and `dy` down the page, in 1/120 of a wheel step."""
    return _aimed("scroll", target, x, y, normalized, frame, dx=dx or None, dy=dy or None)


def type(text: str) -> Action:
    """Types the text exactly, whatever the keyboard layout: any Unicode, a line feed as Return, a tab as Tab."""
    return _made("type_text", text=text)


def key(keys: str) -> Action:
    """Presses a chord such as `ctrl+shift+t`."""
    return _made("key", keys=keys)


def wait(ms: int) -> Action:
    """Waits in the runtime, and with it the session's later calls; at most a minute."""
    return _made("wait", ms=ms)


def invoke_action(target: Target, name: str | None = None) -> Action:
    """Does an action of an element by its accessibility interface; by default the one that activates it."""
    return _aimed("invoke_action", target, None, None, False, None, text=name)


def set_value(target: Target, value: str | float) -> Action:
    """Sets an element's text or number, and reads it back."""
    return _aimed("set_value", target, None, None, False, None, text=str(value))


def scroll_element(target: Target, pages: float, *, axis: Literal["v", "h"] | None = None) -> Action:
    """Scrolls an element by pages: 1 is what it shows at a time, negative is up or to the left."""
    return _aimed("scroll_element", target, None, None, False, None, pages=pages, axis=axis)


def set_text_selection(
    target: Target,
    text: str,
    *,
    mode: Literal["select", "caret_before", "caret_after"] = "select",
    prefix: str | None = None,
    suffix: str | None = None,
) -> Action:
    """Selects a text of an element, or puts the caret before or after it; `prefix` and `suffix` say which one is meant."""
    return _aimed("set_text_selection", target, None, None, False, None, text=text, mode=mode, prefix=prefix, suffix=suffix)


def exec(
    argv: Sequence[str] | None = None,
    *,
    shell: str | None = None,
    cwd: str | None = None,
    env: Mapping[str, str] | None = None,
    stdin: str | None = None,
    timeout_ms: int | None = None,
) -> Action:
    """Runs a program: `argv` as it stands, or `shell` as a line for `/bin/sh`."""
    return _made(
        "exec",
        argv=words(argv),
        shell=shell,
        cwd=cwd,
        env=None if env is None else dict(env),
        stdin=stdin,
        timeout_ms=timeout_ms,
    )


def words(argv: Sequence[str] | None) -> list[str] | None:
    """A program and its arguments as a list; a line of the shell is none."""
    if isinstance(argv, str):
        raise InvalidAction(f"argv is a list such as ['ls', '-l']; for a line of the shell give shell={argv!r}")
    return None if argv is None else list(argv)


def clipboard_get() -> Action:
    """Reads the clipboard's text."""
    return _made("clipboard_get")


def clipboard_set(text: str) -> Action:
    """Puts a text on the clipboard."""
    return _made("clipboard_set", text=text)


def launch(app: str, *args: str) -> Action:
    """Starts a program on the desktop and does not wait for its end."""
    return _made("launch_app", app=app, args=list(args) or None)


def activate(window: Window | int | str) -> Action:
    """Raises and focuses a window: by its id, or the first whose title contains the word."""
    if isinstance(window, str):
        return _made("activate_window", app=window)
    return _made("activate_window", window_id=window.id if isinstance(window, Window) else window)
