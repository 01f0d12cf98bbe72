"""Reads PNG pictures of eight bits a channel without interlacing, into rows of RGB."""

import struct
import zlib


def _unfilter(kind, row, above, step):
    if kind == 1:
        for index in range(step, len(row)):
            row[index] = (row[index] + row[index - step]) & 255
    elif kind == 2:
        for index, up in enumerate(above):
            row[index] = (row[index] + up) & 255
    elif kind == 3:
        for index, up in enumerate(above):
            left = row[index - step] if index >= step else 0
            row[index] = (row[index] + (left + up) // 2) & 255
    elif kind == 4:
        for index, up in enumerate(above):
            left, corner = (row[index - step], above[index - step]) if index >= step else (0, 0)
            guess = left + up - corner
            ranked = (abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner)
            row[index] = (row[index] + min(ranked)[2]) & 255
    else:
        assert kind == 0, f"filter {kind}"


def decode(data):
    """(width, height, rows of RGB bytes)."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n", "the bytes are a PNG picture"
    at, packed, palette = 8, b"", None
    while at < len(data):
        (size,), kind = struct.unpack("!I", data[at : at + 4]), data[at + 4 : at + 8]
        body = data[at + 8 : at + 8 + size]
        (checksum,) = struct.unpack("!I", data[at + 8 + size : at + 12 + size])
        assert zlib.crc32(kind + body) == checksum, f"the checksum of {kind}"
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack("!IIBBBBB", body)
            assert depth == 8 and interlaced == 0, "eight bits, not interlaced"
        elif kind == b"PLTE":
            palette = body
        elif kind == b"IDAT":
            packed += body
        at += 12 + size
    channels = {0: 1, 2: 3, 3: 1, 6: 4}[colour]
    raw, length = zlib.decompress(packed), width * channels
    assert len(raw) == (length + 1) * height, "as many bytes as pixels"
    above, rows = bytearray(length), []
    for y in range(height):
        start = y * (length + 1)
        row = bytearray(raw[start + 1 : start + 1 + length])
        _unfilter(raw[start], row, above, channels)
        above = row
        rows.append(_rgb(row, colour, palette))
    return width, height, rows


def _rgb(row, colour, palette):
    if colour == 2:
        return bytes(row)
    out = bytearray(len(row) // (4 if colour == 6 else 1) * 3)
    if colour == 6:
        for channel in range(3):
            out[channel::3] = row[channel::4]
    elif colour == 0:
        for channel in range(3):
            out[channel::3] = row
    else:
        for channel in range(3):
            out[channel::3] = bytes(palette[3 * index + channel] for index in row)
    return bytes(out)
