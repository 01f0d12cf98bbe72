"""What a program's window is made of."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from shinken._record import Record
from shinken.errors import AmbiguousElement, ElementNotFound
from shinken.labels import field_of, is_field
from shinken.pictures import Screenshot, Shot

if TYPE_CHECKING:
    from shinken._native import NativeView

REF = re.compile(r"e[0-9]+")
"""What a ref looks like."""
_CANDIDATES = 12


@dataclass(frozen=True)
class Element(Record):
    """One control of a program.

    Its ref means this control for the whole session: it is never given to another one, and an action on a control that is
    gone is refused with [`StaleElementRef`][shinken.StaleElementRef].
    """

    ref: str
    """`e` and a number."""
    role: str
    """What it is, such as `button`."""
    bbox: tuple[float, float, float, float]
    """Left edge, top edge, width and height in pixels of the screen."""
    name: str | None = None
    """Its name, such as the text on a button."""
    value: str | None = None
    """Its value or text; never that of a password."""
    description: str | None = None
    """Its longer description."""
    states: tuple[str, ...] = ()
    """Its states, such as `focused` or `checked`."""
    actions: tuple[str, ...] = ()
    """The names that `env.invoke_action` takes for it."""
    focused: bool = False
    """Whether it has the keyboard focus."""
    source: str | None = None
    """Where it comes from: `atspi`, or `som` for one that was guessed from the pixels."""
    provenance: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What its source calls it."""

    @classmethod
    def from_wire(cls, element: Mapping[str, Any]) -> Element:
        """Reads an element of an observation."""
        x, y, w, h = element["bbox"]
        return cls(
            ref=element["ref"],
            role=element["role"],
            bbox=(x, y, w, h),
            name=element.get("name"),
            value=element.get("value"),
            description=element.get("description"),
            states=tuple(element.get("states") or ()),
            actions=tuple(element.get("actions") or ()),
            focused=bool(element.get("focused")),
            source=element.get("source"),
            provenance=element.get("provenance") or {},
        )

    @property
    def center(self) -> tuple[float, float]:
        """The middle of its box, in pixels of the screen."""
        x, y, w, h = self.bbox
        return x + w / 2, y + h / 2

    def __str__(self) -> str:
        name = f' "{self.name}"' if self.name else ""
        return f"{self.ref} {self.role}{name}"


@dataclass(frozen=True)
class Look:
    """What is to be looked at."""

    app: str | None = None
    """The application by its name; the one that has the focus if none is named."""
    pid: int | None = None
    """The application by its process."""
    diff: bool = False
    """Whether `str(view)` tells only what has changed since the session's last view."""
    settle_ms: int | None = None
    """Waits until the interface has been quiet for so many milliseconds."""
    screenshot: Shot | bool | None = None
    """A picture that is taken together with the tree."""
    marks: bool = False
    """Whether the picture has a numbered box around each element that can be used: 14 stands for `e14`."""
    structured: bool = True
    """Whether the tree is wanted."""

    def to_wire(self) -> dict[str, Any]:
        """The fields that the native module reads."""
        shot = Shot() if self.screenshot is True else self.screenshot or None
        return {
            "app": self.app,
            "pid": self.pid,
            "diff": self.diff,
            "settle_ms": self.settle_ms,
            "shot": None if shot is None else shot.to_wire(),
            "marks": self.marks,
            "tree": self.structured,
        }


@dataclass(frozen=True)
class Settle(Record):
    """How the interface came to rest before it was looked at."""

    quiesced: bool
    """Whether it did; if not, it was looked at while it still changed."""
    waited_ms: float
    """How long was waited, in milliseconds."""


class View:
    """The controls of a program, and a picture if one was asked for.

    It prints as the tree that a model reads. `view["Save"]` and `view["e14"]` find one element; iterating gives all.
    """

    __slots__ = ("_elements", "_screenshot", "_view")

    def __init__(self, view: NativeView) -> None:
        self._view = view
        self._elements: list[Element] | None = None
        shot = view.shot
        self._screenshot = None if shot is None else Screenshot(shot)

    @property
    def tree_text(self) -> str:
        """The tree as text, a line for each element; with `diff` only what has changed."""
        return self._view.tree_text or ""

    @property
    def elements(self) -> list[Element]:
        """All elements, also of a view that tells only differences."""
        if self._elements is None:
            self._elements = [Element.from_wire(element) for element in self._view.elements]
        return self._elements

    @property
    def mode(self) -> str | None:
        """`full` or `diff`: what `tree_text` tells."""
        return self._view.mode

    @property
    def revision(self) -> int | None:
        """The view's number in the session."""
        return self._view.revision

    @property
    def diff_of(self) -> int | None:
        """The number of the view that this one is a difference to."""
        return self._view.diff_of

    @property
    def node_count(self) -> int | None:
        """How many elements there are."""
        return self._view.node_count

    @property
    def capture_ms(self) -> float | None:
        """How long the runtime took, in milliseconds."""
        return self._view.capture_ms

    @property
    def settle(self) -> Settle | None:
        """How the interface came to rest."""
        settle = self._view.settle
        return None if settle is None else Settle(settle["quiesced"], settle["waited_ms"])

    @property
    def screenshot(self) -> Screenshot | None:
        """The picture that was taken together with the tree."""
        return self._screenshot

    @property
    def focus(self) -> Element | None:
        """The element that has the keyboard focus."""
        ref = self._view.focus
        return next((element for element in self.elements if element.ref == ref), None)

    def __getitem__(self, key: str) -> Element:
        """The element with this ref or name.

        Names are compared letter for letter, then without regard to case. Where several have the name, it is the only one
        of them that has actions, which a label beside its button has not.

        Raises:
            ElementNotFound: None has it; `candidates` come close.
            AmbiguousElement: Several have it.
        """
        if REF.fullmatch(key):
            for element in self.elements:
                if element.ref == key:
                    return element
        return self._only(self.find_all(name=key), f"{key!r}", key)

    def find(self, *, name: str | None = None, role: str | None = None) -> Element:
        """The one element with this name, this role, or both; see `view[…]`."""
        wanted = " ".join(repr(word) for word in (role, name) if word is not None) or "any element"
        return self._only(self.find_all(name=name, role=role), wanted, name or role or "")

    def field(self, label: str) -> Element:
        """The field that a person would say has this label: that of this name, else the one beside or below the label.

        Many programs do not tell which label is for which field; then the boxes on the screen say it.

        Raises:
            ElementNotFound: No field has this label; `candidates` come close.
            AmbiguousElement: Several have it.
        """
        found = self.find_all(name=label)
        fields = [element for element in found if is_field(element)]
        if not fields:
            beside = [field_of(element, self.elements) for element in found]
            fields = [element for element in beside if element is not None]
        return self._only(fields, f"a field with the label {label!r}", label)

    def find_all(self, *, name: str | None = None, role: str | None = None) -> list[Element]:
        """All elements with this name, this role, or both, in the order of the tree."""
        of_role = [element for element in self.elements if role is None or element.role == role]
        if name is None:
            return of_role
        exact = [element for element in of_role if element.name == name]
        if exact:
            return exact
        folded = name.casefold()
        return [element for element in of_role if (element.name or "").casefold() == folded]

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and any(key in (element.ref, element.name) for element in self.elements)

    def __iter__(self) -> Iterator[Element]:
        return iter(self.elements)

    def __len__(self) -> int:
        return len(self.elements)

    def __str__(self) -> str:
        return self.tree_text

    def __repr__(self) -> str:
        return f"<View revision {self.revision}, {self.node_count} elements>"

    def _repr_png_(self) -> bytes | None:
        return None if self._screenshot is None else self._screenshot.png

    def _only(self, found: list[Element], wanted: str, word: str) -> Element:
        if len(found) == 1:
            return found[0]
        if not found:
            near = self._near(word)
            listed = "; close to it: " + ", ".join(map(str, near)) if near else ""
            raise ElementNotFound(f"no element is {wanted}{listed}", near)
        usable = [element for element in found if element.actions]
        if len(usable) == 1:
            return usable[0]
        listed = ", ".join(map(str, found[:_CANDIDATES]))
        more = f" and {len(found) - _CANDIDATES} more" if len(found) > _CANDIDATES else ""
        raise AmbiguousElement(f"{wanted} is one of {listed}{more}", found)

    def _near(self, word: str) -> list[Element]:
        folded = word.casefold()
        named = [element for element in self.elements if element.name]
        inside = [element for element in named if folded and folded in (element.name or "").casefold()]
        if inside:
            return inside[:_CANDIDATES]
        names = difflib.get_close_matches(folded, [(element.name or "").casefold() for element in named], n=_CANDIDATES)
        return [element for element in named if (element.name or "").casefold() in names][:_CANDIDATES]
