"""The programs that come with the package."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def folder() -> str | None:
    """The folder with `shinken` and `shinkend`, where the package carries them."""
    path = Path(__file__).with_name("_bin")
    return str(path) if (path / "shinkend").is_file() else None


def command() -> None:
    """The command `shinken`."""
    own = folder()
    if own is None:
        sys.exit("shinken: this installation carries no programs; install the package from its wheel or a clone")
    program = str(Path(own) / "shinken")
    os.execv(program, [program, *sys.argv[1:]])
