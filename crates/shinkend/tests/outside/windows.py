"""A terminal on the desktop, started and ended through the protocol alone."""

import contextlib
import os
import time


def find(session, title, timeout=20):
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        for window in session.query("list_windows"):
            if title in window["title"]:
                return window
        session.do("wait", ms=100)
    raise AssertionError(f"no window {title!r} in time")


def gone(session, title, timeout=20):
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        if not any(title in window["title"] for window in session.query("list_windows")):
            return
        session.do("wait", ms=100)
    raise AssertionError(f"the window {title!r} did not go in time")


@contextlib.contextmanager
def terminal(session, command="cat > /dev/null", place="+120+90"):
    """An active xterm that runs the command; it is the window as list_windows tells it."""
    title = f"outside-{os.urandom(4).hex()}"
    arguments = ["-u8", "-geometry", f"60x12{place}", "-T", title, "-e", "sh", "-c", f"{command}; true"]
    session.do("launch_app", app="xterm", args=arguments)
    try:
        window = find(session, title)
        session.do("activate_window", window_id=window["id"])
        deadline = time.monotonic() + 10
        while not (window := find(session, title))["focused"]:
            assert time.monotonic() < deadline, f"{window} does not get the focus"
            session.do("wait", ms=50)
        yield window
    finally:
        for window in session.query("list_windows"):
            if window["title"] == title:
                session.exec(argv=["kill", str(window["pid"])])
        gone(session, title)
