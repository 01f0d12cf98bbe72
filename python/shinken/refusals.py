"""Why the runtime refuses: a class for each code of the table. Written by `cargo xtask schema`."""

from __future__ import annotations

from shinken.errors import ActionRefused, Timeout

__all__ = [
    "A11yTimeout",
    "A11yUnavailable",
    "AmbiguousApp",
    "AppNotFound",
    "Busy",
    "CaptureFailed",
    "ChecksumMismatch",
    "ClipboardTimeout",
    "ClipboardTooLarge",
    "Denied",
    "DesktopGone",
    "DiskFull",
    "ExecBusy",
    "ExecSpawnFailed",
    "FileFailed",
    "FileNotFound",
    "InvalidAction",
    "QuotaExceeded",
    "StaleElementRef",
    "Unauthorized",
    "Unsupported",
    "WindowNotFound",
]


class InvalidAction(ActionRefused):
    """The message, or what it asks for, makes no sense; correct what the text names before sending it again."""

    code = "invalid_action"
    hint = "Correct what the text names before sending it again."


class Unsupported(ActionRefused):
    """This daemon, or this desktop, cannot do it; the capabilities of its welcome list what it can."""

    code = "unsupported"
    hint = "The capabilities of its welcome list what it can."


class Unauthorized(ActionRefused):
    """The token is missing or wrong; give the one that the daemon was started with."""

    code = "unauthorized"
    hint = "Give the one that the daemon was started with."


class StaleElementRef(ActionRefused):
    """The element is gone; observe again and use a ref of the new tree."""

    code = "stale_element_ref"
    hint = "Observe again and use a ref of the new tree."


class WindowNotFound(ActionRefused):
    """No such window, none that is active, or none that has the keyboard focus; list the windows and activate one."""

    code = "window_not_found"
    hint = "List the windows and activate one."


class AmbiguousApp(ActionRefused):
    """The name fits several applications; say which by its process, the text lists them."""

    code = "ambiguous_app"
    hint = "Say which by its process, the text lists them."


class AppNotFound(ActionRefused):
    """No such program; give a name on PATH or an absolute path."""

    code = "app_not_found"
    hint = "Give a name on PATH or an absolute path."


class ExecSpawnFailed(ActionRefused):
    """The program could not be started, or (launch_app) ended at once with an error; run it by exec to see what it says."""

    code = "exec_spawn_failed"
    hint = "Run it by exec to see what it says."


class ExecBusy(ActionRefused):
    """As many programs run as may; wait for one to end, or start the daemon with a larger --max-execs."""

    code = "exec_busy"
    hint = "Wait for one to end, or start the daemon with a larger --max-execs."


class ClipboardTooLarge(ActionRefused):
    """The text is larger than the clipboard's limit, or its owner only hands it out in pieces; move it as a file."""

    code = "clipboard_too_large"
    hint = "Move it as a file."


class ClipboardTimeout(ActionRefused, Timeout):
    """The program that owns the clipboard did not answer; try again, or copy anew."""

    code = "clipboard_timeout"
    hint = "Try again, or copy anew."


class CaptureFailed(ActionRefused):
    """No picture could be taken; try again, the text says what the display server said."""

    code = "capture_failed"
    hint = "Try again, the text says what the display server said."


class A11yUnavailable(ActionRefused):
    """The accessibility tree is not to be had; wait for a window that has one, or use a screenshot."""

    code = "a11y_unavailable"
    hint = "Wait for a window that has one, or use a screenshot."


class A11yTimeout(ActionRefused, Timeout):
    """An application did not tell its accessibility tree in time; look again when it is less busy, or use a screenshot."""

    code = "a11y_timeout"
    hint = "Look again when it is less busy, or use a screenshot."


class DesktopGone(ActionRefused):
    """The display server is gone; start the desktop again."""

    code = "desktop_gone"
    hint = "Start the desktop again."


class Busy(ActionRefused):
    """A limit is reached, or the desktop did not get to it in time; try again later."""

    code = "busy"
    hint = "Try again later."


class Denied(ActionRefused):
    """Policy does not allow it; the text says which path is out of bounds, or what whoever starts the desktop can grant."""

    code = "denied"
    hint = "The text says which path is out of bounds, or what whoever starts the desktop can grant."


class FileNotFound(ActionRefused):
    """No such file or folder, or no artifact of that hash; list the folder or the artifacts to see what is there."""

    code = "file_not_found"
    hint = "List the folder or the artifacts to see what is there."


class FileFailed(ActionRefused):
    """The file cannot be read or written as asked; the text has the path and what the system says, mend that."""

    code = "file_failed"
    hint = "The text has the path and what the system says, mend that."


class DiskFull(ActionRefused):
    """The disk that the file was to go to is full; make room, or choose another place."""

    code = "disk_full"
    hint = "Make room, or choose another place."


class QuotaExceeded(ActionRefused):
    """A file is larger than allowed, or clients have put all they may; send less, or start the daemon with a larger limit."""

    code = "quota_exceeded"
    hint = "Send less, or start the daemon with a larger limit."


class ChecksumMismatch(ActionRefused):
    """Bytes arrived otherwise than they were sent; send them again, and check the way there should it come back."""

    code = "checksum_mismatch"
    hint = "Send them again, and check the way there should it come back."
