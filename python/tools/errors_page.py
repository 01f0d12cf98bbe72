"""Prints docs/errors.md, the table of what the Python package raises, from its classes.

Usage: errors_page.py > docs/errors.md
"""

from __future__ import annotations

from shinken.errors import ActionRefused, ShinkenError

HEAD = """# Errors

Everything that the package raises about a desktop is a `ShinkenError`, with `code`, `detail` (what happened) and `hint` (what to
do next). Mistakes in a call that never reaches a desktop are Python's own `TypeError` and `ValueError`.

<!-- Written by python/tools/errors_page.py. -->
"""
REFUSED = """
## What a runtime refuses

All are an `ActionRefused`: the action was not done, or was tried and failed, and the session goes on. The codes are those of the
[protocol](aci.md).
"""
OTHER = """
## Everything else
"""


def _below(kind: type[ShinkenError]) -> list[type[ShinkenError]]:
    found: list[type[ShinkenError]] = []
    for child in kind.__subclasses__():
        if not child.__name__.startswith("_"):
            found.append(child)
        found += _below(child)
    return sorted(dict.fromkeys(found), key=lambda one: one.__name__)


def _table(kinds: list[type[ShinkenError]]) -> str:
    lines = ["", "| class | `code` | when | `hint` | is also |", "|---|---|---|---|---|"]
    for kind in kinds:
        when = (kind.__doc__ or "").strip().splitlines()[0]
        if issubclass(kind, ActionRefused) and when.lower().endswith(kind.hint.lower()):
            # The runtime's table says both in one sentence.
            when = when[: -len(kind.hint)].rstrip("; ") + "."
        also = [
            base.__name__
            for base in kind.__mro__[1:]
            if issubclass(base, Exception) and base not in (ShinkenError, ActionRefused, Exception)
        ]
        shown = [f"`{name}`" for name in also if not name.startswith("_")]
        lines.append(
            f"| `{kind.__name__}` | `{kind.code}` | {when} | {kind.hint} | {', '.join(shown)} |".replace("|  |", "| |")
        )
    return "\n".join(lines) + "\n"


def page() -> str:
    """The whole page."""
    kinds = _below(ShinkenError)
    refused = [kind for kind in kinds if issubclass(kind, ActionRefused) and kind is not ActionRefused]
    other = [kind for kind in kinds if kind not in refused]
    return HEAD + REFUSED + _table(refused) + OTHER + _table(other)


if __name__ == "__main__":
    # All classes are known once the package is.
    import shinken

    assert shinken.__version__
    print(page(), end="")
