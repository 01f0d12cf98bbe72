"""The interpreter's side of `run`: does cells one after another in the namespace of `__main__`.

The daemon speaks to it over a socket, in messages of a length (four bytes, little endian) and so many bytes. A request is a
cell as JSON. An answer is the length of a header, the header as JSON and the bytes that the header counts. Standard input,
output and error are the cell's own: none of them carries the protocol.

Runs on Python 3.9 and later with the standard library alone. It is no module: the daemon sends its text to an interpreter
that has just started, and it is executed in a namespace of its own, with `CHANNEL` as the socket.
"""

import __future__
import ast
import builtins
import collections
import faulthandler
import functools
import importlib.abc
import importlib.util
import inspect
import io
import json
import linecache
import operator
import os
import signal
import struct
import sys
import traceback
import types

OWN_FILE = "<shinken kernel>"
FUTURE_FLAGS = functools.reduce(
    operator.or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
)
# Sources of so many cells are kept for tracebacks.
SOURCES_KEPT = 1000
NAME_LIMIT = 256
EVALUE_LIMIT = 8 << 10
TRACEBACK_LIMIT = 64 << 10

# The methods of IPython's display protocol, with what they give.
METHODS = (
    ("_repr_png_", "image/png"),
    ("_repr_jpeg_", "image/jpeg"),
    ("_repr_svg_", "image/svg+xml"),
    ("_repr_html_", "text/html"),
    ("_repr_markdown_", "text/markdown"),
    ("_repr_latex_", "text/latex"),
    ("_repr_json_", "application/json"),
    ("_repr_pdf_", "application/pdf"),
)


def encodable(text):
    """The text with lone surrogates written out: JSON can carry everything else."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def shortened(text, limit):
    """At most about `limit` characters of a text, from its beginning and its end; whether something is left out."""
    if len(text) <= limit:
        return encodable(text), False
    tail = limit // 4
    left_out = f"\n... {len(text) - limit} characters are left out ...\n"
    return encodable(text[: limit - tail] + left_out + text[-tail:]), True


class Outputs:
    """What a cell shows beside its text, bounded in number and in bytes."""

    def __init__(self, most, most_bytes):
        self.most = most
        self.left_bytes = most_bytes
        self.shown = []
        self.blobs = []
        self.truncated = False

    def add(self, kind, forms):
        """Keeps what was shown, in those of its forms (MIME type to text or bytes) for which there is room."""
        if len(self.shown) >= self.most:
            self.truncated = True
            return
        kept = []
        blobs = []
        for mime, content in forms.items():
            if isinstance(content, str):
                content = encodable(content)
                size = len(content.encode())
            else:
                size = len(content)
            if size > self.left_bytes:
                self.truncated = True
                continue
            self.left_bytes -= size
            if isinstance(content, str):
                kept.append({"mime": mime, "text": content})
            else:
                kept.append({"mime": mime, "size": size})
                blobs.append(content)
        if kept:
            self.shown.append({"kind": kind, "forms": kept})
            self.blobs += blobs


class Cell:
    """A cell that is being done, and what came of it."""

    def __init__(self, request, count):
        self.code = request["code"]
        self.count = count
        self.file = f"<cell {count}>"
        self.value_limit = request["value_chars"]
        self.outputs = Outputs(request["outputs"], request["outputs_bytes"])
        self.value = None
        self.value_truncated = False
        self.error = None

    def answer(self):
        header = {
            "execution_count": self.count,
            "value": self.value,
            "value_truncated": self.value_truncated,
            "error": self.error,
            "outputs": self.outputs.shown,
            "outputs_truncated": self.outputs.truncated,
        }
        return header, self.outputs.blobs

    def fail(self, error):
        """Notes an exception with its traceback, from the first frame of a cell on and without frames of ours."""
        kind = type(error)
        frames = error.__traceback__
        while frames is not None and not frames.tb_frame.f_code.co_filename.startswith("<cell "):
            frames = frames.tb_next
        try:
            told = traceback.TracebackException(kind, error, frames)
            forget_own_frames(told, set())
            text = "".join(told.format())
        except Exception as broken:  # Of an exception whose own methods fail.
            text = f"{kind.__qualname__}: <its traceback cannot be written: {type(broken).__name__}>\n"
        try:
            evalue = str(error)
        except Exception:
            evalue = "<exception str() failed>"
        self.error = {
            "ename": shortened(kind.__name__, NAME_LIMIT)[0],
            "evalue": shortened(evalue, EVALUE_LIMIT)[0],
            "traceback": shortened(text, TRACEBACK_LIMIT)[0],
        }


def forget_own_frames(told, seen):
    """Takes the frames of this file out of a traceback and those of the exceptions behind it."""
    if told is None or id(told) in seen:
        return
    seen.add(id(told))
    told.stack[:] = [frame for frame in told.stack if frame.filename != OWN_FILE]
    for behind in (told.__cause__, told.__context__, *(getattr(told, "exceptions", None) or ())):
        forget_own_frames(behind, seen)


class Kernel:
    """The interpreter's state between cells."""

    def __init__(self, channel):
        self.channel = channel
        self.pid = os.getpid()
        self.count = 0
        self.flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        self.loop = None
        self.cell = None
        self.sources = collections.deque()
        self.space = sys.modules["__main__"].__dict__

    # The protocol.

    def read(self, size):
        parts = []
        while size:
            part = self.channel.recv(min(size, 1 << 20))
            if not part:
                os._exit(0)
            parts.append(part)
            size -= len(part)
        return b"".join(parts)

    def send(self, header, blobs=()):
        header = json.dumps(header, ensure_ascii=False).encode()
        length = 4 + len(header) + sum(map(len, blobs))
        for part in (struct.pack("<II", length, len(header)) + header, *blobs):
            self.channel.sendall(part)

    def serve(self):
        self.send({"python": sys.version.split()[0]})
        while True:
            (size,) = struct.unpack("<I", self.read(4))
            request = json.loads(self.read(size))
            self.count += 1
            self.cell = cell = Cell(request, self.count)
            self.do(cell)
            self.cell = None
            if os.getpid() != self.pid:
                # A child that the cell forked has come to the cell's end. It has no part in what comes next.
                os._exit(0)
            self.send(*cell.answer())

    # Interrupts: Python's own handler while a cell runs, so that no frame of ours is in the traceback, and a deaf one otherwise.
    # Never SIG_IGN, which programs that the cell starts would inherit.

    def do(self, cell):
        try:
            try:
                signal.signal(signal.SIGINT, signal.default_int_handler)
                self.execute(cell)
                self.collect_figures()
            except BaseException as error:
                cell.fail(error)
                self.collect_figures()
            finally:
                deafen()
        except BaseException as error:
            # It came while the first one was handled.
            deafen()
            cell.fail(error)
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:  # Closed, or replaced by something else; the cell's own doing.
                pass

    # Executing.

    def execute(self, cell):
        self.keep_source(cell)
        tree = self.compile(cell.code, cell.file, ast.PyCF_ONLY_AST)
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last = ast.Expression(tree.body.pop().value)
        if tree.body:
            self.evaluate(self.compile(tree, cell.file))
        if last is None:
            return
        value = self.evaluate(self.compile(last, cell.file, mode="eval"))
        if value is None:
            return
        builtins._ = value
        cell.value, cell.value_truncated = shortened(repr(value), cell.value_limit)
        # A figure that is still open is collected with the others.
        forms = {} if is_open_figure(value) else representations(value)
        if forms:
            cell.outputs.add("value", forms)

    def compile(self, source, file, flags=0, mode="exec"):
        code = compile(source, file, mode, self.flags | flags, True)
        if isinstance(code, types.CodeType):
            # `from __future__ import …` holds for the cells that follow, too.
            self.flags |= code.co_flags & FUTURE_FLAGS
        return code

    def evaluate(self, code):
        result = eval(code, self.space)
        return self.wait_for(result) if code.co_flags & inspect.CO_COROUTINE else result

    def wait_for(self, coroutine):
        """Runs the loop, which is one for all cells, until a cell that awaits at its top level is done."""
        import asyncio

        if self.loop is None or self.loop.is_closed():
            self.loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self.loop)
        task = self.loop.create_task(coroutine)
        try:
            return self.loop.run_until_complete(task)
        except BaseException:
            if not task.done():
                task.cancel()
                # What the cell does on its way out is waited for; a second interrupt ends that, too.
                self.loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
            raise

    def keep_source(self, cell):
        lines = [line + "\n" for line in cell.code.split("\n")]
        linecache.cache[cell.file] = (len(cell.code), None, lines, cell.file)
        self.sources.append(cell.file)
        if len(self.sources) > SOURCES_KEPT:
            linecache.cache.pop(self.sources.popleft(), None)

    # Showing.

    def display(self, *objects):
        """Shows objects as rich as they can be: pictures, HTML, or as text."""
        for shown in objects:
            forms = representations(shown)
            forms["text/plain"] = repr(shown)
            if self.cell is not None:
                self.cell.outputs.add("display", forms)

    def collect_figures(self, *_, **__):
        """Keeps and closes the open figures of pyplot, unless a window shows them."""
        plt = sys.modules.get("matplotlib.pyplot")
        if plt is None or not hasattr(plt, "get_fignums") or self.cell is None:
            return
        try:
            if plt.get_backend().lower() != "agg":
                return
            for number in plt.get_fignums():
                figure = plt.figure(number)
                try:
                    self.cell.outputs.add("figure", {"image/png": png_of(figure)})
                finally:
                    plt.close(figure)
        except Exception:
            traceback.print_exc()


def representations(shown):
    """What an object offers by IPython's display protocol, and the picture of a figure."""
    kind = type(shown)
    offered = {}
    if hasattr(kind, "_repr_mimebundle_"):
        offered.update(asked(lambda: kind._repr_mimebundle_(shown, include=None, exclude=None)) or {})
    for name, mime in METHODS:
        if hasattr(kind, name):
            offered[mime] = asked(lambda: getattr(kind, name)(shown))
    if is_figure(shown):
        offered.setdefault("image/png", asked(lambda: png_of(shown)))
    forms = {}
    for mime, content in offered.items():
        if isinstance(content, (bytearray, memoryview)):
            content = bytes(content)
        elif isinstance(content, (dict, list)) and mime.endswith("json"):
            content = asked(lambda: json.dumps(content))
        if isinstance(content, bytes if is_binary(mime) else str):
            forms[mime] = content
    return forms


def asked(method):
    """What a method of the cell's own objects gives; a fault of it is told, and no more."""
    try:
        content = method()
    except Exception:
        traceback.print_exc()
        return None
    # With metadata, which is left out.
    return content[0] if isinstance(content, tuple) and content else content


def is_figure(shown):
    kind = type(shown)
    return kind.__module__ == "matplotlib.figure" and kind.__name__ == "Figure"


def is_open_figure(shown):
    plt = sys.modules.get("matplotlib.pyplot")
    return is_figure(shown) and plt is not None and getattr(shown, "number", None) in plt.get_fignums()


def is_binary(mime):
    return mime in ("image/png", "image/jpeg", "application/pdf")


def png_of(figure):
    file = io.BytesIO()
    figure.savefig(file, format="png", bbox_inches="tight")
    return file.getvalue()


def deaf(_signal, _frame):
    """An interrupt that came when there was nothing to interrupt."""


def deafen():
    while True:
        try:
            signal.signal(signal.SIGINT, deaf)
            return
        except KeyboardInterrupt:
            pass


def no_input(prompt="", /):
    raise EOFError("input() has nothing to read: a cell has no standard input; put the value into the code")


class ShowInstead(importlib.abc.MetaPathFinder):
    """Has `plt.show()` collect the figures where no window can: pyplot is patched when it is imported."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.searching = False

    def find_spec(self, name, path, target=None):
        if name != "matplotlib.pyplot" or self.searching:
            return None
        self.searching = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.searching = False
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def patched(module):
            execute(module)
            show = module.show

            def show_or_collect(*arguments, **named):
                if module.get_backend().lower() != "agg":
                    return show(*arguments, **named)
                return self.kernel.collect_figures()

            show_or_collect.__doc__ = show.__doc__
            module.show = show_or_collect

        spec.loader.exec_module = patched
        return spec


def main(channel):
    signal.signal(signal.SIGINT, deaf)
    # The channel has been standard input until now.
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    faulthandler.enable()
    os.environ.setdefault("MPLBACKEND", "Agg")
    sys.argv = [""]
    kernel = Kernel(channel)
    # A child that is forked must not hold the channel open, nor speak on it.
    os.register_at_fork(after_in_child=channel.close)
    builtins.display = kernel.display
    builtins.input = no_input
    sys.meta_path.insert(0, ShowInstead(kernel))
    space = kernel.space
    for name in [name for name in space if not (name.startswith("__") and name.endswith("__"))]:
        del space[name]
    kernel.serve()


main(CHANNEL)
