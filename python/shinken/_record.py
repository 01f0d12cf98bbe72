"""Results whose fields can also be read by key, as the contract shows them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any, ClassVar


class Record:
    """An object whose fields are attributes and keys."""

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]] = ()

    def keys(self) -> tuple[str, ...]:
        """The names of the fields."""
        if is_dataclass(self):
            return tuple(field.name for field in fields(self))
        return self._fields

    def __getitem__(self, key: str) -> Any:
        if key not in self.keys():
            raise KeyError(key)
        return getattr(self, key)

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())
