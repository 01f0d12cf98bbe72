"""
The Rust client as Python objects. It is private: use the package `shinken`.
"""

from _typeshed import SupportsGetItem
from os import PathLike
from typing import Any, SupportsFloat, SupportsIndex, final

__all__ = ["Bridge", "Call", "Desktop", "EventStream", "FrameCache", "NativeActed", "NativeFiles", "NativeFrame", "NativeShot", "NativeStep", "NativeTransfer", "NativeView", "OutputStream", "PictureStream", "Session", "connect", "desktops", "end_desktop", "find_desktop", "point_of_frame", "providers", "share_of_frame", "start_desktop"]

@final
class Bridge:
    """
    One loop's way in.
    """
    def __new__(cls, /) -> Bridge: ...
    def drain(self, /) -> None:
        """
        Hands all outcomes to their futures. The loop calls it when the descriptor is readable.
        """
    def fileno(self, /) -> int:
        """
        The descriptor that the loop watches.
        """

@final
class Call:
    """
    A call that was prepared. It is made when it is waited for, once.
    """
    def cancel(self, /) -> None:
        """
        Drops the wait; what was sent is done all the same.
        """
    def start(self, /, bridge: Bridge, future: Any) -> None:
        """
        Makes the call; its outcome goes into this asyncio future, through the bridge of its loop.
        """
    def wait(self, /) -> Any:
        """
        Makes the call and waits for its outcome in this thread, without Python's lock.
        """

@final
class Desktop:
    """
    A desktop that this process has started. Unless it is detached it ends with this object, and with the process.
    """
    def end(self, /) -> Call:
        """
        Ends it; returns when nothing of it is left.
        """
    @property
    def state(self, /) -> Any:
        """
        What is known of it.
        """
    @property
    def token(self, /) -> str:
        """
        The token that its daemon wants.
        """

@final
class EventStream:
    """
    The messages of a session.
    """
    def next(self, /) -> Call:
        """
        The next message as `(seconds since 1970, "sent" or "received", message, size in bytes, missed so far)`; `None` once
        the session is gone.
        """

@final
class FrameCache:
    """
    Keeps pictures that sessions have seen, so that an unchanged one is not sent again.
    """
    def __new__(cls, /, limit_bytes: SupportsIndex = ...) -> FrameCache:
        """
        A store of at most so many bytes of encoded pictures.
        """
    def stats(self, /) -> tuple[int, int, int, int]:
        """
        Hits, misses, pictures and bytes so far.
        """

@final
class NativeActed:
    """
    What one action gave.
    """
    @property
    def shot(self, /) -> Any | None:
        """
        The picture: what the action is for, or what was to be seen after it.
        """
    @property
    def unseen(self, /) -> Any | None:
        """
        Why what was to be seen after the action is missing.
        """
    @property
    def value(self, /) -> Any | None:
        """
        The value of a result.
        """
    @property
    def view(self, /) -> Any | None:
        """
        The view that the action gave.
        """

@final
class NativeFiles:
    """
    The files of a session's desktop.
    """
    def artifact_download(self, /, sha256: str, local: str | PathLike[str]) -> NativeTransfer:
        """
        Gets a file out of the store of artifacts.
        """
    def artifact_list(self, /) -> Call:
        """
        What is in the store of artifacts, as dictionaries.
        """
    def artifact_remove(self, /, sha256: str) -> Call:
        """
        Takes a file out of the store of artifacts.
        """
    def artifact_upload(self, /, local: str | PathLike[str]) -> NativeTransfer:
        """
        Puts a file into the store of artifacts.
        """
    def get_bytes(self, /, remote: str, limit: SupportsIndex) -> NativeTransfer:
        """
        Gets the bytes of a file that has at most `limit` of them.
        """
    def get_dir(self, /, remote: str, local: str | PathLike[str]) -> NativeTransfer:
        """
        Gets a folder of the desktop.
        """
    def get_file(self, /, remote: str, local: str | PathLike[str]) -> NativeTransfer:
        """
        Gets a file of the desktop.
        """
    def list(self, /, remote: str, recursive: bool) -> Call:
        """
        What is in a folder, as dictionaries.
        """
    def make_dir(self, /, remote: str) -> Call:
        """
        Makes a folder, with those that are missing above it.
        """
    def put_bytes(self, /, bytes: bytes | bytearray, remote: str, mode: SupportsIndex | None) -> NativeTransfer:
        """
        Puts bytes as a file.
        """
    def put_dir(self, /, local: str | PathLike[str], remote: str) -> NativeTransfer:
        """
        Puts a folder into a folder of the desktop.
        """
    def put_file(self, /, local: str | PathLike[str], remote: str, mode: SupportsIndex | None, resume_key: str | None) -> NativeTransfer:
        """
        Puts a file of this side at a path of the desktop.
        """
    def stat(self, /, remote: str) -> Call:
        """
        What is at a path, as a dictionary; `None` where there is nothing.
        """

@final
class NativeFrame:
    """
    One picture of a screencast.
    """
    @property
    def changed(self, /) -> list[tuple[int, int, int, int]]:
        """
        What changed, as `(x, y, w, h)` each.
        """
    @property
    def continued(self, /) -> bool:
        """
        Whether the stream went on after a reconnect.
        """
    @property
    def display(self, /) -> Any | None:
        """
        How its pixels lie on the screen.
        """
    @property
    def dropped(self, /) -> int:
        """
        How many frames before it were left out.
        """
    @property
    def encoded_bytes(self, /) -> int:
        """
        The encoded bytes that were received for it.
        """
    @property
    def h(self, /) -> int:
        """
        Height in pixels.
        """
    @property
    def keyframe(self, /) -> bool:
        """
        Whether a whole picture was sent for it.
        """
    def png(self, /) -> bytes:
        """
        The picture as PNG.
        """
    def rgb(self, /) -> bytes:
        """
        The pixels: rows from the top, three bytes each, red first.
        """
    @property
    def seq(self, /) -> int:
        """
        The frame's number in the stream.
        """
    @property
    def w(self, /) -> int:
        """
        Width in pixels.
        """

@final
class NativeShot:
    """
    A picture as it was delivered.
    """
    @property
    def data(self, /) -> bytes:
        """
        The encoded picture.
        """
    @property
    def display(self, /) -> Any | None:
        """
        How its pixels lie on the screen.
        """
    @property
    def format(self, /) -> str:
        """
        `png` or `jpeg`.
        """
    @property
    def frame_hash(self, /) -> str | None:
        """
        The token that stands for its pixels.
        """
    @property
    def from_cache(self, /) -> bool:
        """
        Whether the bytes come from the frame cache.
        """
    @property
    def h(self, /) -> int:
        """
        Height in pixels.
        """
    def png(self, /) -> bytes:
        """
        The picture as PNG: the bytes that came, or those of another codec written anew.
        """
    @property
    def pointer(self, /) -> tuple[int, int] | None:
        """
        Where the pointer was, in pixels of this picture.
        """
    def rgb(self, /) -> bytes:
        """
        The pixels: rows from the top, three bytes each, red first.
        """
    @property
    def scope(self, /) -> str | None:
        """
        What it shows: `screen`, `active_window` or `window:ID`.
        """
    @property
    def w(self, /) -> int:
        """
        Width in pixels.
        """

@final
class NativeStep:
    """
    What several actions gave.
    """
    @property
    def not_sent(self, /) -> int:
        """
        How many were not sent because one before them failed.
        """
    @property
    def outcomes(self, /) -> list[Any]:
        """
        For each action what it gave, or the exception that says why it was not done.
        """
    @property
    def shot(self, /) -> Any | None:
        """
        The picture after them.
        """
    @property
    def unseen(self, /) -> Any | None:
        """
        Why what was to be seen after them is missing.
        """
    @property
    def view(self, /) -> Any | None:
        """
        The view after them.
        """

@final
class NativeTransfer:
    """
    A transfer that has begun; dropping it cancels it.
    """
    def cancel(self, /) -> None:
        """
        Cancels it; one that is over stays so.
        """
    def done(self, /) -> Call:
        """
        What the transfer gave, when it is over.
        """
    def next(self, /) -> Call:
        """
        What there is to tell next: `("progress", (file, bytes, total_bytes, files, total_files))`, at most twenty times a
        second, or `("done", outcome)` as the last.
        """

@final
class NativeView:
    """
    A tree, a picture, or both.
    """
    @property
    def capture_ms(self, /) -> float | None:
        """
        How long the daemon took, in milliseconds.
        """
    @property
    def diff_of(self, /) -> int | None:
        """
        The number of the tree that this one is a difference to.
        """
    @property
    def elements(self, /) -> Any:
        """
        All elements, as dictionaries.
        """
    @property
    def focus(self, /) -> str | None:
        """
        The element that has the keyboard focus.
        """
    @property
    def mode(self, /) -> str | None:
        """
        `full` or `diff`.
        """
    @property
    def node_count(self, /) -> int | None:
        """
        How many elements there are.
        """
    @property
    def revision(self, /) -> int | None:
        """
        The tree's number in the session.
        """
    @property
    def settle(self, /) -> Any | None:
        """
        Whether the interface came to rest, and after how many milliseconds.
        """
    @property
    def shot(self, /) -> NativeShot | None:
        """
        The picture taken with it.
        """
    @property
    def tree_text(self, /) -> str | None:
        """
        The tree as lines of text.
        """

@final
class OutputStream:
    """
    The output of a running program.
    """
    def next(self, /) -> Call:
        """
        The next piece, as `(channel, bytes)`, or how the program ended, as a dictionary; `None` after that.
        """

@final
class PictureStream:
    """
    A running screencast.
    """
    def next(self, /) -> Call:
        """
        The next picture; `None` once the stream has ended.
        """
    def stop(self, /) -> Call:
        """
        Ends the stream. A picture that is waited for at this moment comes first.
        """

@final
class Session:
    """
    A session with a runtime; every method prepares a call.
    """
    def act(self, /, action: Any) -> Call:
        """
        Does an action, given as it stands in a message.
        """
    def act_all(self, /, actions: SupportsGetItem[int, Any], stop_on_error: bool) -> Call:
        """
        Does actions in order.
        """
    @property
    def address(self, /) -> str:
        """
        Where the runtime listens.
        """
    def apps(self, /) -> Call:
        """
        The applications, as dictionaries.
        """
    def close(self, /) -> Call:
        """
        Says goodbye.
        """
    def events(self, /) -> EventStream:
        """
        The session's messages from now on.
        """
    def exec_stream(self, /, argv: SupportsGetItem[int, str] | None, shell: str | None, *, cwd: str | None, env: SupportsGetItem[int, tuple[str, str]], stdin: str | None, timeout: SupportsFloat | SupportsIndex) -> Call:
        """
        Runs a program and gives its output as it comes.
        """
    @property
    def extensions(self, /) -> list[str]:
        """
        What it offers beyond the contract.
        """
    def files(self, /) -> NativeFiles:
        """
        The files of its desktop.
        """
    @property
    def is_open(self, /) -> bool:
        """
        Whether calls can still be made.
        """
    def launch(self, /, app: str, args: SupportsGetItem[int, str], within: SupportsFloat | SupportsIndex) -> Call:
        """
        Starts a program and waits until a new window of it has the keyboard; gives that window.
        """
    def observe(self, /, look: Any) -> Call:
        """
        Looks at an application.
        """
    def ping(self, /) -> Call:
        """
        The seconds until the runtime answers a ping.
        """
    def query(self, /, question: str) -> Call:
        """
        Asks one of the contract's questions.
        """
    def reconnect(self, /) -> Call:
        """
        Makes a lost connection again.
        """
    def run(self, /, code: str, timeout: SupportsFloat | SupportsIndex) -> Call:
        """
        Runs Python code in the sandbox's interpreter.
        """
    def run_interrupt(self, /) -> Call:
        """
        Interrupts the cell that runs.
        """
    def run_restart(self, /) -> Call:
        """
        Ends the sandbox's interpreter; the next cell gets a fresh one.
        """
    def screencast(self, /, spec: Any, fps: SupportsFloat | SupportsIndex | None, delta: bool) -> Call:
        """
        Starts a screencast.
        """
    def screenshot(self, /, spec: Any) -> Call:
        """
        Takes a picture.
        """
    def step(self, /, actions: SupportsGetItem[int, Any], shot: Any | None, look: Any | None) -> Call:
        """
        Does actions and then looks, in one round trip: at a picture, at an application, or at nothing.
        """
    @property
    def welcome(self, /) -> Any:
        """
        What the runtime said of itself.
        """
    def with_deadline(self, /, deadline: SupportsFloat | SupportsIndex) -> Session:
        """
        The same session, whose calls each take at most so many seconds.
        """

def connect(address: str, token: str | None, *, connect_timeout: SupportsFloat | SupportsIndex, call_timeout: SupportsFloat | SupportsIndex, keep_alive: SupportsFloat | SupportsIndex | None, reconnect_within: SupportsFloat | SupportsIndex | None, frame_cache: FrameCache | None, log_file: str | PathLike[str] | None) -> Call:
    """
    Connects to `ws://HOST:PORT[/aci]` or `unix:PATH`. Times are in seconds.
    """

def desktops() -> Call:
    """
    All running desktops.
    """

def end_desktop(id: str) -> Call:
    """
    Ends a running desktop by its name.
    """

def find_desktop(id: str) -> Call:
    """
    A running desktop by its name, as what is known of it and its token.
    """

def point_of_frame(frame: Any, x: SupportsFloat | SupportsIndex, y: SupportsFloat | SupportsIndex) -> tuple[int, int]:
    """
    The pixel of the screen under the pixel (`x`, `y`) of the picture that this descriptor came with.
    """

def providers() -> Any:
    """
    The kinds of sandboxes, the preferred ones first, each with what it isolates and what can be saved.
    """

def share_of_frame(frame: Any, x: SupportsFloat | SupportsIndex, y: SupportsFloat | SupportsIndex) -> tuple[int, int]:
    """
    The same for shares of the picture's width and height, 0 to 1.
    """

def start_desktop(*, provider: str | None, name: str | None, size: tuple[SupportsIndex, SupportsIndex], detach: bool, within: SupportsFloat | SupportsIndex, programs: str | PathLike[str] | None, grants: SupportsGetItem[int, str], runtime_arguments: SupportsGetItem[int, str]) -> Call:
    """
    Starts a desktop.
    """
