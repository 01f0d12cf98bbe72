"""Writes `shinken.sync` from `shinken.aio`: the same calls, waited for in a thread instead of a task.

Usage: sync_twin.py SOURCE_FOLDER TARGET_FOLDER
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

WORDS = [
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\bfinish\b", "wait"),
    (r"\bAsync(?=[A-Z])", ""),
    (r"\b__a(enter|exit|iter|next)__\b", r"__\1__"),
    (r"\bStopAsyncIteration\b", "StopIteration"),
    (r"\ba(connect|init|list_sandboxes|end_sandbox)\b", r"\1"),
    (r"\bshinken\.aio\b", "shinken.sync"),
]
NOTE = "# Written from ../aio by `cargo xtask schema`; change it there.\n"


def twin(text: str) -> str:
    """The module whose calls wait in a thread."""
    for pattern, replacement in WORDS:
        text = re.sub(pattern, replacement, text)
    return NOTE + text


def main(source: str, target: str) -> None:
    """Writes all modules, and removes those that have no source any more."""
    folder = Path(target)
    folder.mkdir(parents=True, exist_ok=True)
    names = {path.name for path in Path(source).glob("*.py")}
    for path in folder.glob("*.py"):
        if path.name not in names:
            path.unlink()
    for name in names - {"__init__.py"}:
        (folder / name).write_text(twin((Path(source) / name).read_text()))
    (folder / "__init__.py").write_text(NOTE + '"""Sessions whose calls wait in the thread that makes them."""\n')


if __name__ == "__main__":
    main(*sys.argv[1:])
