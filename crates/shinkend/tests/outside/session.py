"""One connection that speaks ACI v0 and believes nothing: every message is held against the schema."""

import base64
import itertools
import json
import os
import struct
import time

import png
import schema
from websocket import TEXT, WebSocket

SCHEMA = schema.load()


def conforms(definition, value):
    if SCHEMA is not None:
        place = {"$ref": f"#/$defs/{definition}"} if definition else {**SCHEMA, "$defs": {}}
        found = schema.faults(SCHEMA, place, value)
        assert not found, f"{json.dumps(value)[:300]} is against the schema: {found[:3]}"


def hello(**more):
    return {"type": "hello", "v": 0, "client": {"name": "outside", "version": "1"}, **more}


class Session:
    """`seen` has every message in the order of arrival; binary ones as their header with the bytes under `bytes`."""

    def __init__(self, address, token=None, binary=False, greet=True):
        self.socket = WebSocket(address)
        self.numbers = itertools.count(1)
        self.seen = []
        self.binary = binary
        if greet:
            more = {"token": token} if token is not None else {}
            self.send(hello(accept={"binary_frames": binary}, **more))
            self.welcome = self.read(10)
            assert self.welcome["type"] == "welcome", f"hello is answered by {self.welcome}"
            self.capabilities = self.welcome["capabilities"]

    def send(self, message):
        self.socket.send(TEXT, json.dumps(message).encode())

    def read(self, timeout):
        opcode, data = self.socket.receive(timeout)
        if opcode == TEXT:
            message = json.loads(data)
            conforms(None, message)
        else:
            message = self._binary(data)
        message["at"] = time.monotonic()
        self.seen.append(message)
        return message

    def _binary(self, data):
        assert self.binary, "no binary message without hello.accept.binary_frames"
        (size,) = struct.unpack("<I", data[:4])
        assert 4 + size <= len(data), "the header is inside of the message"
        header, payload = json.loads(data[4 : 4 + size]), data[4 + size :]
        kind = {"observation": "BinaryFrameHeader", "exec_output": "BinaryExecOutputHeader"}[header["type"]]
        conforms(kind, header)
        parts = [header[name] for name in ("image", "data") if name in header] + header.get("tiles", [])
        assert parts and ("image" in header) + ("tiles" in header) < 2, "exactly one of image and tiles"
        end = 0
        for part in parts:
            assert part["off"] + part["len"] <= len(payload), "ranges are inside of the payload"
            assert part["off"] >= end, "tiles are concatenated in their order"
            end = part["off"] + part["len"]
            part["bytes"] = payload[part["off"] : end]
        header["binary"] = True
        return header

    def until(self, wanted, timeout=15):
        """The first message that is wanted, of those that come from now on."""
        deadline = time.monotonic() + timeout
        while True:
            message = self.read(max(0.001, deadline - time.monotonic()))
            if wanted(message):
                return message

    def seen_or_until(self, wanted, timeout=15):
        return next(filter(wanted, self.seen), None) or self.until(wanted, timeout)

    def quiet(self, seconds):
        """What still comes in that time."""
        deadline, came = time.monotonic() + seconds, []
        while (left := deadline - time.monotonic()) > 0:
            try:
                came.append(self.read(left))
            except TimeoutError:
                break
        return came

    def post(self, verb, **fields):
        """Sends an action and does not wait."""
        call = f"c{next(self.numbers)}"
        self.send({"type": "action", "call_id": call, "action": {"verb": verb, **fields}})
        return call

    def ask(self, q):
        call = f"c{next(self.numbers)}"
        self.send({"type": "query", "call_id": call, "q": q})
        return call

    def reply(self, call, timeout=15):
        """The ack, result or observation that answers a call."""
        return self.seen_or_until(lambda m: call in (m.get("call_id"), m.get("cause")), timeout)

    def do(self, verb, timeout=15, **fields):
        """Acts, and sees to it that the ack says yes."""
        reply = self.reply(self.post(verb, **fields), timeout)
        assert reply["type"] == "ack" and reply["ok"] is True, f"{verb} is answered by {short(reply)}"
        return reply

    def query(self, q):
        reply = self.reply(self.ask(q))
        assert reply["type"] == "result" and reply["ok"] is True, f"{q} is answered by {short(reply)}"
        return reply["value"]

    def result(self, verb, timeout=15, **fields):
        reply = self.reply(self.post(verb, **fields), timeout)
        assert reply["type"] == "result" and reply["ok"] is True, f"{verb} is answered by {short(reply)}"
        return reply["value"]

    def refused(self, verb, code=None, **fields):
        """Acts, and sees to it that the answer is a typed error on the same call."""
        reply = self.reply(self.post(verb, **fields))
        assert reply["type"] in ("ack", "result") and reply["ok"] is False, f"{verb} is answered by {short(reply)}"
        word, colon, detail = reply.get("error", "").partition(":")
        assert colon and detail.strip() and word.replace("_", "").isalnum(), f"no typed error: {short(reply)}"
        assert code is None or word == code, f"{reply['error']!r} instead of {code}"
        return reply

    def screenshot(self, **fields):
        reply = self.reply(self.post("screenshot", **fields))
        assert reply["type"] == "observation", f"screenshot is answered by {short(reply)}"
        return reply

    def exec(self, timeout=30, **fields):
        value = self.result("exec", timeout, **fields)
        conforms("ExecResult", value)
        return value

    def close(self):
        self.socket.close()


def short(message):
    return json.dumps(message, default=lambda data: f"{len(data)} bytes")[:400]


def picture_bytes(part):
    """The bytes of an image or a tile, text or binary."""
    return part["bytes"] if "bytes" in part else base64.b64decode(part["ref"], validate=True)


def pixels(part):
    return png.decode(picture_bytes(part))


def text_session():
    return Session(os.environ["ACI_ADDRESS"], os.environ.get("ACI_TOKEN"))


def binary_session():
    return Session(os.environ["ACI_ADDRESS"], os.environ.get("ACI_TOKEN"), binary=True)
