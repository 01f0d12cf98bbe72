"""What the interface has and this version has not."""

from __future__ import annotations

from typing import Any, NoReturn

from shinken.refusals import Unsupported


def _not_yet(what: str) -> NoReturn:
    raise Unsupported(f"{what} is not part of this version of Shinken yet")


class Later:
    """Methods of the interface that are refused by name."""

    def save(self, *_: Any, **__: Any) -> NoReturn:
        """Saves the running desktop. Not yet: raises `Unsupported`."""
        _not_yet("save")

    def restore(self, *_: Any, **__: Any) -> NoReturn:
        """Takes the desktop back to what was saved. Not yet: raises `Unsupported`."""
        _not_yet("restore")

    def fork(self, *_: Any, **__: Any) -> NoReturn:
        """Makes several desktops of one. Not yet: raises `Unsupported`."""
        _not_yet("fork")

    def drive(self, *_: Any, **__: Any) -> NoReturn:
        """Has an agent do a task. Not yet: raises `Unsupported`."""
        _not_yet("drive")

    def unlock(self, *_: Any, **__: Any) -> NoReturn:
        """Grants a capability for a while. Not yet: raises `Unsupported`."""
        _not_yet("unlock")

    def video(self, *_: Any, **__: Any) -> NoReturn:
        """Attaches the video channel. Not yet: raises `Unsupported`; `screencast` gives pictures."""
        _not_yet("video")

    @property
    def replay(self) -> NoReturn:
        """The recording of the session. Not yet: raises `Unsupported`; `events` gives the live messages."""
        _not_yet("replay")


def agent(name: str) -> NoReturn:
    """An agent for `env.drive`. Not yet: raises `Unsupported`."""
    _not_yet(f"agent({name!r})")
