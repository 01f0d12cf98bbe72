"""Builds the wheel: maturin makes the native module, and the desktop's own programs go in beside it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import maturin
from maturin import (
    get_requires_for_build_editable,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

__all__ = [
    "build_editable",
    "build_wheel",
    "get_requires_for_build_editable",
    "get_requires_for_build_wheel",
    "prepare_metadata_for_build_editable",
    "prepare_metadata_for_build_wheel",
]

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = {"cli": "shinken", "shinkend": "shinkend"}
# Tests build without optimisation, with what they have built already.
PROFILE = os.environ.get("SHINKEN_BUILD_PROFILE", "release")


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """The wheel, with the programs in it."""
    put_programs()
    return str(maturin.build_wheel(wheel_directory, config_settings, metadata_directory))


def build_editable(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """A wheel that points to this folder, where the programs are put."""
    put_programs()
    return str(maturin.build_editable(wheel_directory, config_settings, metadata_directory))


def put_programs() -> None:
    """Builds the programs and puts them into the package."""
    for tool, package in (("cargo", None), ("cmake", "cmake"), ("make", "make")):
        if shutil.which(tool) is None:
            remedy = "https://rustup.rs has it" if package is None else f"apt-get install -y {package}"
            raise SystemExit(f"building the package needs the program {tool}: {remedy}")
    packages = [word for package in PROGRAMS for word in ("-p", package)]
    subprocess.run(["cargo", "build", "--profile", PROFILE, "--bins", *packages], cwd=ROOT, check=True)
    os.environ["MATURIN_PEP517_ARGS"] = f"--profile {PROFILE}" + (" --strip" if PROFILE == "release" else "")
    target = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    folder = ROOT / "python" / "shinken" / "_bin"
    folder.mkdir(exist_ok=True)
    built = target / ("debug" if PROFILE == "dev" else PROFILE)
    for name in PROGRAMS.values():
        # In one step, as a program that runs cannot be written to.
        fresh = folder / f".{name}"
        shutil.copy2(built / name, fresh)
        fresh.replace(folder / name)
