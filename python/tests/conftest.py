"""What the tests share: a runtime folder of their own, real desktops, and stand-ins for many."""

import os
import secrets
import subprocess
import sys
import time
from pathlib import Path

import pytest

import shinken

ROOT = Path(__file__).resolve().parents[2]
BUILT = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "debug"


@pytest.fixture(scope="session", autouse=True)
def surroundings(tmp_path_factory):
    """Desktops of these tests are in a folder of their own, and made by the programs that Cargo has built."""
    folder = tmp_path_factory.mktemp("runtime")
    folder.chmod(0o700)
    os.environ["XDG_RUNTIME_DIR"] = str(folder)
    os.environ["SHINKEN"], os.environ["SHINKEND"] = str(BUILT / "shinken"), str(BUILT / "shinkend")
    yield
    for left in shinken.list_sandboxes():
        shinken.end_sandbox(left.id)


@pytest.fixture(scope="module")
def env(surroundings):
    """A desktop for a module."""
    with shinken.init(size=(1024, 768), grant=["run"]) as env:
        yield env


@pytest.fixture
def form(env, tmp_path):
    """A real GTK program on it: a form that writes what it is told into a file."""
    told = tmp_path / "told"
    told.touch()
    program = ROOT / "python" / "tests" / "programs" / "form.py"
    window = env.launch("/usr/bin/python3", str(program), str(told))
    yield Form(env, told)
    env.exec(["kill", str(window.pid)]).check()
    eventually(lambda: window.id not in [other.id for other in env.windows()])


class Form:
    """The form, and what it has done."""

    def __init__(self, env, told):
        self.env, self.told = env, told

    def view(self):
        return self.env.observe(settle_ms=150)

    def heard(self, line):
        eventually(lambda: line in self.told.read_text().splitlines(), lambda: f"{line!r} in {self.told.read_text()!r}")


def eventually(true, what=lambda: "it", within=20):
    """Waits until something is true."""
    deadline = time.monotonic() + within
    while not true():
        assert time.monotonic() < deadline, f"waited {within} s in vain for {what()}"
        time.sleep(0.02)


@pytest.fixture(scope="session")
def standin(tmp_path_factory):
    """The address and the token of a stand-in that has a form for every session."""
    folder = tmp_path_factory.mktemp("standin")
    token = secrets.token_hex(16)
    (folder / "token").write_text(token)
    (folder / "token").chmod(0o600)
    address = folder / "address"
    arguments = ["--listen", "127.0.0.1:0", "--token-file", folder / "token", "--addr-file", address]
    program = subprocess.Popen([BUILT / "shinken-standin", *arguments], stderr=sys.stderr)
    try:
        eventually(lambda: address.exists() and address.read_text().strip())
        yield f"ws://{address.read_text().split()[0]}", token
    finally:
        program.terminate()
        program.wait(10)
