"""Where actions are aimed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from shinken import _native
from shinken.errors import FrameMissing
from shinken.pictures import CastFrame, Frame, Screenshot
from shinken.refusals import InvalidAction
from shinken.views import REF, Element, View

Target: TypeAlias = "Element | str | tuple[float, float] | Mapping[str, Any]"
"""An element of a view, its ref, a pixel of the screen as `(x, y)`, or a target as it stands in a message."""

Seen: TypeAlias = "Screenshot | CastFrame | View | Frame"
"""What a point was read from."""


def target(
    where: Target | None,
    *,
    x: float | None = None,
    y: float | None = None,
    normalized: bool = False,
    frame: Seen | None = None,
) -> dict[str, Any] | None:
    """The target of an action as it stands in a message, or `None` where no place is named.

    Args:
        where: An element, its ref, or a place.
        x: From the left edge: in pixels, or as a share from 0 to 1 where `normalized`.
        y: From the top edge.
        normalized: Whether `x` and `y` are shares of the width and the height.
        frame: The picture that the point was read from; without it, the point is one of the screen.
    """
    if isinstance(where, tuple):
        if x is not None or y is not None:
            raise InvalidAction("give the place once: as a pair or as x= and y=")
        x, y, where = where[0], where[1], None
    if where is None:
        if x is None and y is None:
            if frame is not None:
                raise InvalidAction("frame= says where a point is to be read from; give x= and y= with it")
            return None
        if x is None or y is None:
            raise InvalidAction("a point has both x= and y=")
        return _point(x, y, normalized, frame)
    if x is not None or y is not None:
        raise InvalidAction("give either a target or x= and y=")
    if isinstance(where, Element):
        return {"kind": "element_ref", "ref": where.ref}
    if isinstance(where, str):
        if not REF.fullmatch(where):
            raise InvalidAction(f'{where!r} is no ref such as "e14"; find an element by its name with view[{where!r}]')
        return {"kind": "element_ref", "ref": where}
    return dict(where)


def _point(x: float, y: float, normalized: bool, seen: Seen | None) -> dict[str, Any]:
    if seen is None:
        return {"kind": "point_norm" if normalized else "point_px", "x": x, "y": y}
    frame = seen.screenshot if isinstance(seen, View) else seen
    if frame is not None and not isinstance(frame, Frame):
        frame = frame.frame
    if frame is None:
        raise FrameMissing("what was given as frame= came without a descriptor of how its pixels lie on the screen")
    place = _native.share_of_frame if normalized else _native.point_of_frame
    px, py = place(frame.to_wire(), x, y)
    return {"kind": "point_px", "x": px, "y": py}
