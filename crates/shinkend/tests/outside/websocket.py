"""A WebSocket client (RFC 6455) on a plain socket, with what a strict peer checks."""

import base64
import hashlib
import os
import socket
import struct
import time
import urllib.parse

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
ACCEPT_SALT = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Closed(Exception):
    """The peer ended the connection."""


class Refused(Exception):
    """The peer did not upgrade the connection."""


class WebSocket:
    def __init__(self, address, timeout=10):
        url = urllib.parse.urlsplit(address)
        self.sock = socket.create_connection((url.hostname, url.port or 80), timeout)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = bytearray()
        self.parts, self.kind = [], None
        self._upgrade(url, time.monotonic() + timeout)

    def _upgrade(self, url, deadline):
        key = base64.b64encode(os.urandom(16))
        lines = [
            f"GET {url.path or '/'} HTTP/1.1",
            f"Host: {url.netloc}",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key.decode()}",
            "Sec-WebSocket-Version: 13",
        ]
        self.sock.sendall("".join(line + "\r\n" for line in lines + [""]).encode())
        while b"\r\n\r\n" not in self.buffer:
            self._fill(deadline)
        head, _, rest = bytes(self.buffer).partition(b"\r\n\r\n")
        self.buffer = bytearray(rest)
        status, *fields = head.decode("latin-1").split("\r\n")
        if status.split(" ")[1] != "101":
            raise Refused(status)
        headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in fields)}
        accept = base64.b64encode(hashlib.sha1(key + ACCEPT_SALT).digest()).decode()
        if headers.get("sec-websocket-accept") != accept:
            raise Refused("the accept key is wrong")
        if headers.get("upgrade", "").lower() != "websocket":
            raise Refused("no upgrade header")

    def _fill(self, deadline):
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("nothing came in time")
        self.sock.settimeout(left)
        try:
            data = self.sock.recv(1 << 16)
        except socket.timeout:
            raise TimeoutError("nothing came in time") from None
        except OSError as error:
            raise Closed(str(error)) from None
        if not data:
            raise Closed("end of stream")
        self.buffer += data

    def send(self, opcode, payload):
        size = len(payload)
        if size < 126:
            head = struct.pack("!BB", 0x80 | opcode, 0x80 | size)
        elif size < 1 << 16:
            head = struct.pack("!BBH", 0x80 | opcode, 0x80 | 126, size)
        else:
            head = struct.pack("!BBQ", 0x80 | opcode, 0x80 | 127, size)
        mask = os.urandom(4)
        repeated = mask * (size // 4 + 1)
        masked = int.from_bytes(payload, "big") ^ int.from_bytes(repeated[:size], "big")
        self.sock.settimeout(20)
        try:
            self.sock.sendall(head + mask + masked.to_bytes(size, "big"))
        except OSError as error:
            raise Closed(str(error)) from None

    def receive(self, timeout):
        """The next message as (opcode, bytes); control frames are answered on the way."""
        deadline = time.monotonic() + timeout
        while True:
            # A frame is only taken when it is whole, and fragments are kept, so that a timeout loses nothing.
            opcode, final, payload = self._frame(deadline)
            if opcode == PING:
                self.send(PONG, payload)
            elif opcode == CLOSE:
                code = struct.unpack("!H", payload[:2])[0] if len(payload) >= 2 else None
                raise Closed(f"close frame {code} {payload[2:].decode()!r}")
            elif opcode in (TEXT, BINARY, 0):
                assert (opcode == 0) == (self.kind is not None), "a continuation stands where it belongs"
                self.kind = self.kind or opcode
                self.parts.append(payload)
                if final:
                    message = self.kind, b"".join(self.parts)
                    self.parts, self.kind = [], None
                    return message

    def _frame(self, deadline):
        def need(count):
            while len(self.buffer) < count:
                self._fill(deadline)

        need(2)
        first, second = self.buffer[0], self.buffer[1]
        assert first & 0x70 == 0, "no reserved bit is set without an extension"
        assert second & 0x80 == 0, "a server does not mask"
        start, size = 2, second & 0x7F
        if size == 126:
            need(4)
            start, size = 4, struct.unpack("!H", self.buffer[2:4])[0]
        elif size == 127:
            need(10)
            start, size = 10, struct.unpack("!Q", self.buffer[2:10])[0]
        need(start + size)
        payload = bytes(self.buffer[start : start + size])
        del self.buffer[: start + size]
        return first & 0x0F, bool(first & 0x80), payload

    def close(self):
        try:
            self.send(CLOSE, struct.pack("!H", 1000))
        except Closed:
            pass
        self.sock.close()
