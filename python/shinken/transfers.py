"""What the calls about files give, and how far they have got."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from shinken._record import Record


@dataclass(frozen=True)
class Transferred(Record):
    """A file that was transferred."""

    size: int
    """How many bytes it has."""
    sha256: str
    """Their SHA-256, as 64 hexadecimal digits."""


@dataclass(frozen=True)
class Copied(Record):
    """A folder that was transferred."""

    files: int
    """How many files."""
    folders: int
    """How many folders, that itself not counted."""
    links: int
    """How many symbolic links."""
    bytes: int
    """How many bytes the files have."""
    skipped: tuple[str, ...]
    """What was left out, by relative paths: devices, sockets, pipes, and names that are not UTF-8."""


@dataclass(frozen=True)
class Artifact(Record):
    """A file in the runtime's store of artifacts."""

    sha256: str
    """The SHA-256 of its bytes, by which it is found."""
    size: int
    """How many bytes it has."""
    name: str
    """What a person calls it."""
    already: bool
    """Whether it was there before the call, so that an upload has sent no bytes."""


@dataclass(frozen=True)
class FileEntry(Record):
    """What there is at a path of the desktop."""

    path: str
    """The path as it was asked for; in a list relative to the folder."""
    kind: Literal["file", "folder", "link", "other"]
    """What it is."""
    size: int
    """How many bytes it has; 0 where it is no file."""
    mode: int
    """Its permissions."""
    mtime_ms: int
    """When it was changed last, in milliseconds since 1970."""
    target: str | None
    """What a symbolic link holds."""

    @classmethod
    def from_wire(cls, entry: Mapping[str, Any]) -> FileEntry:
        """Reads an entry of the files channel."""
        return cls(
            path=entry["path"],
            kind=entry["kind"],
            size=entry["size"],
            mode=entry["mode"],
            mtime_ms=entry["mtime_ms"],
            target=entry.get("target"),
        )


@dataclass(frozen=True)
class Progress(Record):
    """How far a transfer has got."""

    file: str
    """The file that is under way, as its path on the sending side; relative where a folder is transferred."""
    bytes: int
    """Bytes that were transferred, of all files together."""
    total_bytes: int
    """Bytes that there are in all, as far as is known."""
    files: int
    """Files that are there."""
    total_files: int
    """Files that there are in all."""


Report = Callable[[Progress], object] | bool | None
"""Who is told how far a transfer has got: a function, or `True` for a progress bar."""


class Bar(Protocol):
    """Something that shows progress."""

    @property
    def tell(self) -> Callable[[Progress], object]:
        """Shows how far it has got."""
        ...

    def close(self) -> None:
        """Nothing more comes."""
        ...


class _Told:
    def __init__(self, tell: Callable[[Progress], object]) -> None:
        self.tell = tell

    def close(self) -> None:
        pass


class _Tqdm:
    def __init__(self, make: Callable[..., Any], title: str) -> None:
        self._bar = make(desc=title, unit="B", unit_scale=True, unit_divisor=1024)

    def tell(self, now: Progress) -> None:
        self._bar.total = now.total_bytes
        self._bar.update(now.bytes - self._bar.n)

    def close(self) -> None:
        self._bar.close()


class _Line:
    """One line of a terminal, written again and again; nothing where there is no terminal."""

    def __init__(self, title: str) -> None:
        self._title, self._begun, self._shown = title, time.monotonic(), False

    def tell(self, now: Progress) -> None:
        if not sys.stderr.isatty():
            return
        share = now.bytes / now.total_bytes if now.total_bytes else 1
        speed = now.bytes / max(time.monotonic() - self._begun, 1e-3) / 2**20
        sys.stderr.write(f"\r\x1b[K{self._title}: {share:4.0%} of {now.total_bytes / 2**20:.1f} MiB, {speed:.0f} MiB/s")
        sys.stderr.flush()
        self._shown = True

    def close(self) -> None:
        if self._shown:
            sys.stderr.write("\n")


def bar(report: Report, title: str) -> Bar | None:
    """What shows the progress of a transfer: tqdm's bar where it is installed, else a plain line on a terminal."""
    if report is None or report is False:
        return None
    if report is not True:
        return _Told(report)
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Line(title)
    return _Tqdm(tqdm, title)
