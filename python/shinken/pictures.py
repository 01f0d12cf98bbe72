"""Pictures of the desktop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from shinken._record import Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image

    from shinken._native import NativeFrame, NativeShot

PictureFormat = Literal["png", "jpeg"]


@dataclass(frozen=True)
class Rect(Record):
    """A rectangle, in pixels."""

    x: int
    y: int
    w: int
    h: int


@dataclass(frozen=True)
class Frame(Record):
    """How the pixels of a picture lie on the screen.

    It is what makes a point of the picture a point of the screen, so keep it with the picture that the model saw and give
    it back as `frame=`.
    """

    origin: str
    """Always `top-left`."""
    w: int
    """Width of the screen in pixels."""
    h: int
    """Height of the screen in pixels."""
    dpr: float
    """Device pixels per pixel; 1 under X11."""
    source_rect: Rect
    """The part of the screen that the picture shows, before it was scaled."""
    delivered: tuple[int, int]
    """Width and height of the picture."""

    @classmethod
    def from_wire(cls, display: Mapping[str, Any]) -> Frame:
        """Reads the field `display` of an observation."""
        rect, delivered = display["source_rect"], display["delivered"]
        return cls(
            origin=display["origin"],
            w=display["w"],
            h=display["h"],
            dpr=display["dpr"],
            source_rect=Rect(rect["x"], rect["y"], rect["w"], rect["h"]),
            delivered=(delivered["w"], delivered["h"]),
        )

    def to_wire(self) -> dict[str, Any]:
        """The field `display` of an observation."""
        rect = self.source_rect
        return {
            "origin": self.origin,
            "w": self.w,
            "h": self.h,
            "dpr": self.dpr,
            "source_rect": {"x": rect.x, "y": rect.y, "w": rect.w, "h": rect.h},
            "delivered": {"w": self.delivered[0], "h": self.delivered[1]},
        }


@dataclass(frozen=True)
class Shot:
    """Which picture is wanted."""

    scope: str | None = None
    """`screen` (the default), `active_window`, or `window:ID` with an id of `env.windows()`."""
    format: PictureFormat | None = None
    """The codec; `png` if none is named."""
    quality: int | None = None
    """Quality of a JPEG, 1 to 100."""
    max_long_edge: int | None = None
    """Scales the picture down so that its longer edge has at most this many pixels."""

    def to_wire(self) -> dict[str, Any]:
        """The fields of an action."""
        fields = {
            "scope": self.scope,
            "format": self.format,
            "quality": self.quality,
            "max_long_edge": self.max_long_edge,
        }
        return {name: value for name, value in fields.items() if value is not None}


class _Pixels(Record):
    """What a picture can be turned into."""

    def _rgb(self) -> bytes:
        raise NotImplementedError

    def _size(self) -> tuple[int, int]:
        raise NotImplementedError

    def to_numpy(self, *, copy: bool = False) -> NDArray[np.uint8]:
        """The pixels as an array of height × width × 3 bytes, RGB.

        It is a read-only view of the decoded pixels; `copy=True` gives an array of its own that can be written.
        """
        try:
            import numpy
        except ImportError as error:
            raise ImportError("to_numpy() needs NumPy: pip install numpy") from error
        w, h = self._size()
        pixels: NDArray[np.uint8] = numpy.ndarray((h, w, 3), dtype=numpy.uint8, buffer=self._rgb())
        return numpy.array(pixels) if copy else pixels

    def to_pil(self) -> Image:
        """The picture as a `PIL.Image.Image` in mode RGB."""
        try:
            from PIL import Image
        except ImportError as error:
            raise ImportError("to_pil() needs Pillow: pip install pillow") from error
        return Image.frombytes("RGB", self._size(), self._rgb())


class Screenshot(_Pixels):
    """A picture of the desktop, shown as one in notebooks."""

    __slots__ = ("_shot",)
    _fields = ("png", "w", "h", "frame", "pointer", "frame_hash", "format", "data", "scope", "from_cache")

    def __init__(self, shot: NativeShot) -> None:
        self._shot = shot

    @property
    def data(self) -> bytes:
        """The bytes as they came, in the codec `format`."""
        return self._shot.data

    @property
    def format(self) -> str:
        """The codec: `png` or `jpeg`."""
        return self._shot.format

    @property
    def png(self) -> bytes:
        """The picture as PNG: the bytes that came, or those of another codec written anew."""
        return self._shot.png()

    @property
    def w(self) -> int:
        """Width in pixels."""
        return self._shot.w

    @property
    def h(self) -> int:
        """Height in pixels."""
        return self._shot.h

    @property
    def frame(self) -> Frame | None:
        """How its pixels lie on the screen, for `frame=`; `None` where the runtime does not tell."""
        display = self._shot.display
        return None if display is None else Frame.from_wire(display)

    @property
    def pointer(self) -> tuple[int, int] | None:
        """Where the pointer was, in pixels of this picture; the pointer itself is not drawn."""
        return self._shot.pointer

    @property
    def frame_hash(self) -> str | None:
        """The token that stands for its pixels; equal tokens mean equal pixels."""
        return self._shot.frame_hash

    @property
    def scope(self) -> str | None:
        """What it shows: `screen`, `active_window` or `window:ID`."""
        return self._shot.scope

    @property
    def from_cache(self) -> bool:
        """Whether the pixels had not changed and were taken from the frame cache."""
        return self._shot.from_cache

    def save(self, path: str) -> None:
        """Writes the bytes as they came into a file."""
        with open(path, "wb") as file:
            file.write(self.data)

    def _rgb(self) -> bytes:
        return self._shot.rgb()

    def _size(self) -> tuple[int, int]:
        return self.w, self.h

    def _repr_png_(self) -> bytes:
        return self.png

    def __repr__(self) -> str:
        return f"<Screenshot {self.w}x{self.h} {self.format}, {len(self.data)} bytes>"


class CastFrame(_Pixels):
    """One picture of a screencast: always a whole one, whatever travelled."""

    __slots__ = ("_frame",)
    _fields = ("png", "w", "h", "frame", "seq", "dropped", "continued", "keyframe", "changed", "encoded_bytes")

    def __init__(self, frame: NativeFrame) -> None:
        self._frame = frame

    @property
    def seq(self) -> int:
        """The frame's number in the stream."""
        return self._frame.seq

    @property
    def dropped(self) -> int:
        """How many frames since the last one were left out because this client was behind or not connected."""
        return self._frame.dropped

    @property
    def continued(self) -> bool:
        """Whether the runtime still had the stream after a reconnect; `False` on the first frame of any stream."""
        return self._frame.continued

    @property
    def keyframe(self) -> bool:
        """Whether a whole picture was sent for it."""
        return self._frame.keyframe

    @property
    def changed(self) -> list[Rect]:
        """What changed since the last frame; the whole picture for a keyframe."""
        return [Rect(*rect) for rect in self._frame.changed]

    @property
    def w(self) -> int:
        """Width in pixels."""
        return self._frame.w

    @property
    def h(self) -> int:
        """Height in pixels."""
        return self._frame.h

    @property
    def frame(self) -> Frame | None:
        """How its pixels lie on the screen, for `frame=`."""
        display = self._frame.display
        return None if display is None else Frame.from_wire(display)

    @property
    def encoded_bytes(self) -> int:
        """The bytes that were received for it."""
        return self._frame.encoded_bytes

    @property
    def png(self) -> bytes:
        """The picture as PNG."""
        return self._frame.png()

    def _rgb(self) -> bytes:
        return self._frame.rgb()

    def _size(self) -> tuple[int, int]:
        return self.w, self.h

    def _repr_png_(self) -> bytes:
        return self.png

    def __repr__(self) -> str:
        return f"<CastFrame {self.seq} {self.w}x{self.h}, {len(self._frame.changed)} changed>"
