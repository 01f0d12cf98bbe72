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
    """The message, or what it asks for, makes no sense; correct it before sending it again."""

    code = "invalid_action"
    hint = "Correct it before sending it again."


class Unsupported(ActionRefused):
    """This daemon, or this desktop, cannot do it; the welcome lists what it can."""

    code = "unsupported"
    hint = "The welcome lists what it can."


class Unauthorized(ActionRefused):
    """The token is missing or wrong."""

    code = "unauthorized"
    hint = "The token is missing or wrong."


class StaleElementRef(ActionRefused):
    """The element is gone; observe again and use a ref of the new tree."""

    code = "stale_element_ref"
    hint = "Observe again and use a ref of the new tree."


class WindowNotFound(ActionRefused):
    """No such window, none that is active, or none that has the keyboard focus; list_windows shows the present ones."""

    code = "window_not_found"
    hint = "List_windows shows the present ones."


class AmbiguousApp(ActionRefused):
    """The name fits several applications; say which."""

    code = "ambiguous_app"
    hint = "Say which."


class AppNotFound(ActionRefused):
    """No such program; give a name on PATH or an absolute path."""

    code = "app_not_found"
    hint = "Give a name on PATH or an absolute path."


class ExecSpawnFailed(ActionRefused):
    """The program could not be started, or (launch_app) it ended at once with an error."""

    code = "exec_spawn_failed"
    hint = "The program could not be started, or (launch_app) it ended at once with an error."


class ExecBusy(ActionRefused):
    """As many programs run as may; wait for one to end."""

    code = "exec_busy"
    hint = "Wait for one to end."


class ClipboardTooLarge(ActionRefused):
    """The text is larger than the clipboard's limit, or its owner only hands it out in pieces."""

    code = "clipboard_too_large"
    hint = "The text is larger than the clipboard's limit, or its owner only hands it out in pieces."


class ClipboardTimeout(ActionRefused, Timeout):
    """The program that owns the clipboard did not answer."""

    code = "clipboard_timeout"
    hint = "The program that owns the clipboard did not answer."


class CaptureFailed(ActionRefused):
    """No picture could be taken."""

    code = "capture_failed"
    hint = "No picture could be taken."


class A11yUnavailable(ActionRefused):
    """The accessibility tree is not to be had."""

    code = "a11y_unavailable"
    hint = "The accessibility tree is not to be had."


class A11yTimeout(ActionRefused, Timeout):
    """An application did not answer about its accessibility tree in time."""

    code = "a11y_timeout"
    hint = "An application did not answer about its accessibility tree in time."


class DesktopGone(ActionRefused):
    """The display server is gone; start the desktop again."""

    code = "desktop_gone"
    hint = "Start the desktop again."


class Busy(ActionRefused):
    """A limit is reached, or the desktop did not get to it in time; try again later."""

    code = "busy"
    hint = "Try again later."


class Denied(ActionRefused):
    """Policy does not allow it."""

    code = "denied"
    hint = "Policy does not allow it."


class FileNotFound(ActionRefused):
    """No such file or folder, or no artifact of that hash."""

    code = "file_not_found"
    hint = "No such file or folder, or no artifact of that hash."


class FileFailed(ActionRefused):
    """The file cannot be read or written as asked; the text names the path and what the system says."""

    code = "file_failed"
    hint = "The text names the path and what the system says."


class DiskFull(ActionRefused):
    """The disk that the file was to go to is full."""

    code = "disk_full"
    hint = "The disk that the file was to go to is full."


class QuotaExceeded(ActionRefused):
    """A file is larger than allowed, or clients have put as much as they may."""

    code = "quota_exceeded"
    hint = "A file is larger than allowed, or clients have put as much as they may."


class ChecksumMismatch(ActionRefused):
    """Bytes arrived otherwise than they were sent; send again from where the receiver is."""

    code = "checksum_mismatch"
    hint = "Send again from where the receiver is."
