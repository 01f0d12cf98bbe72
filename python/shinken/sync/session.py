# Written from ../aio by `cargo xtask schema`; change it there.
"""What every part of a session needs."""

from __future__ import annotations

from typing import Any

from shinken._native import Session
from shinken._waiting import wait
from shinken.pictures import Shot
from shinken.results import Acted
from shinken.views import Look, View

Observe = Shot | Look | bool | None
"""What is to be seen afterwards: `True` or a `Shot` for a picture, a `Look` for a view."""


class Part:
    """A session, to which others add methods."""

    _session: Session

    def _done(self, action: dict[str, Any], observe: Observe = None) -> Acted:
        """Does an action, and what is to be seen afterwards in the same round trip."""
        if isinstance(observe, Look):
            step = wait(self._session.step([action], None, observe.to_wire()))
            outcome = step.outcomes[0]
            if isinstance(outcome, BaseException):
                raise outcome
            if step.unseen is not None:
                step.unseen.acted = True
                raise step.unseen
            return Acted(value=outcome.value, view=View(step.view))
        if observe:
            shot = Shot() if observe is True else observe
            action = {**action, "observe": shot.to_wire()}
        return Acted.from_native(wait(self._session.act(action)))
