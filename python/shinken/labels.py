"""Which field a label is for, where the toolkit does not say.

A person sees it: the field is to the right of its label in the same row, or below it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from shinken.views import Element

_FIELDS = ("combo-box", "entry", "password-text", "slider", "spin-button")
_SLACK = 8
"""So many pixels may a field begin before its label ends, or be shifted against it."""
_BELOW = 60
"""So far below its label a field may begin."""


def is_field(element: Element) -> bool:
    """Whether it can be filled in and is seen."""
    _, _, w, h = element.bbox
    return ("editable" in element.states or element.role in _FIELDS) and w > 0 and h > 0


def field_of(label: Element, elements: Sequence[Element]) -> Element | None:
    """The field that stands beside or below a label."""
    fields = [element for element in elements if is_field(element)]
    nearest = _nearest([(_to_the_right(label, field), field) for field in fields])
    nearest = nearest or _nearest([(_below(label, field), field) for field in fields])
    if nearest is None:
        return None
    # Of a combo box that can be typed into it is the text in it.
    inside = [field for field in fields if "editable" in field.states and _contains(nearest, field)]
    return inside[0] if inside else nearest


def _nearest(measured: Sequence[tuple[float | None, Element]]) -> Element | None:
    reached = [(distance, field) for distance, field in measured if distance is not None]
    return min(reached, key=lambda one: one[0])[1] if reached else None


def _to_the_right(label: Element, field: Element) -> float | None:
    x, y, w, h = label.bbox
    left, top, _, height = field.bbox
    in_row = top <= y + h / 2 <= top + height
    return left - (x + w) if in_row and left >= x + w - _SLACK else None


def _below(label: Element, field: Element) -> float | None:
    x, y, _, h = label.bbox
    left, top, width, _ = field.bbox
    under = left - _SLACK <= x <= left + width
    distance = top - (y + h)
    return distance if under and -_SLACK <= distance <= _BELOW else None


def _contains(outer: Element, inner: Element) -> bool:
    x, y, w, h = outer.bbox
    left, top, width, height = inner.bbox
    return x <= left and y <= top and left + width <= x + w and top + height <= y + h
