"""The connection itself: frames of RFC 6455 in every lawful form, unlawful ones, and the limits that the protocol names."""

import json
import os
import struct
import time

from session import Session, hello, short, text_session
from websocket import BINARY, CLOSE, PING, PONG, TEXT, Closed, Refused, WebSocket

PLATFORM = json.dumps({"type": "query", "call_id": "q", "q": "platform"}).encode()


def masked(first, payload):
    mask = bytes([1, 2, 3, 4])
    body = bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))
    return struct.pack("!BBH", first, 0x80 | 126, len(payload)) + mask + body


def answered(session):
    reply = session.until(lambda m: m.get("call_id") == "q", 10)
    assert reply["ok"] is True, short(reply)


def hung_up(session, code=None):
    """The daemon ends the connection, where a code is named with this one."""
    try:
        while True:
            session.socket.receive(10)
    except Closed as end:
        assert code is None or f"close frame {code} " in str(end), f"{end} instead of {code}"
        return str(end)


def check_a_message_in_fragments_and_crumbs():
    session = text_session()
    raw = session.socket.sock
    raw.sendall(masked(TEXT, PLATFORM[:7]) + masked(0, b"") + masked(0, PLATFORM[7:20]))
    raw.sendall(masked(0x80 | PING, b"between") + masked(0x80, PLATFORM[20:]))
    answered(session)
    whole = masked(0x80 | TEXT, PLATFORM)
    for byte in whole:
        raw.sendall(bytes([byte]))
    session.seen.clear()
    answered(session)
    raw.sendall(whole * 50)
    for _ in range(50):
        session.seen.clear()
        answered(session)


def check_a_ping_frame_is_answered_with_its_bytes():
    session = text_session()
    session.socket.send(PING, b"beat")
    opcode, _, payload = session.socket._frame(time.monotonic() + 5)
    assert (opcode, payload) == (PONG, b"beat"), (opcode, payload)


def check_a_close_frame_is_answered_with_one():
    session = text_session()
    session.socket.send(CLOSE, struct.pack("!H", 1000) + b"bye")
    return hung_up(session, 1000)


def check_unlawful_frames_end_the_connection():
    notes = []
    for data in (
        struct.pack("!BB", 0x80 | TEXT, len(PLATFORM)) + PLATFORM,  # not masked
        masked(0x80, PLATFORM),  # goes on with nothing
        masked(0x80 | 3, b"x"),  # an opcode that has no meaning
        masked(0xC0 | TEXT, PLATFORM),  # a reserved bit
        masked(PING, b"x"),  # a control frame in fragments
        masked(0x80 | PING, b"x" * 126),  # a control frame that is too long
    ):
        session = text_session()
        session.socket.sock.sendall(data)
        notes.append(hung_up(session))
    text_session().query("ready")


def check_a_binary_message_from_a_client_is_not_obeyed():
    session = text_session()
    session.socket.send(BINARY, PLATFORM)
    try:
        assert not session.quiet(1), "binary messages go to the client only"
        return "passed over"
    except Closed as end:
        return str(end)


def check_an_endless_message_ends_the_connection():
    session = text_session()
    head = struct.pack("!BBQ", 0x80 | TEXT, 0x80 | 127, 1 << 40) + bytes(4)
    session.socket.sock.sendall(head)
    try:
        for _ in range(64):
            session.socket.sock.sendall(b"a" * (1 << 20))
    except OSError:
        pass
    note = hung_up(session)
    text_session().query("ready")
    return note


def check_a_plain_request_is_not_upgraded():
    socket = WebSocket.__new__(WebSocket)
    try:
        WebSocket.__init__(socket, os.environ["ACI_ADDRESS"].rsplit("/", 1)[0] + "/no/such/path")
    except Refused as refusal:
        return str(refusal)
    raise AssertionError("any path is upgraded")


def check_more_programs_than_may_run_are_refused_at_once():
    session, start = text_session(), time.monotonic()
    calls = [session.post("exec", argv=["sleep", "2"]) for _ in range(80)]
    replies = [session.reply(call, 60) for call in calls]
    busy = [reply for reply in replies if not reply["ok"]]
    assert busy and len(busy) < 80, f"{len(busy)} of 80 were refused"
    assert all(reply["error"].startswith("exec_busy:") for reply in busy), short(busy[0])
    assert all(reply["at"] - start < 1.9 for reply in busy), "a refusal does not wait for the others"
    session.exec(argv=["true"])
    return f"{80 - len(busy)} ran"


def check_eight_screencasts_run_and_the_ninth_does_not():
    sessions = [text_session() for _ in range(9)]
    for session in sessions[:8]:
        session.do("start_screencast", fps=1)
    reply = sessions[8].refused("start_screencast", fps=1)
    sessions[0].do("stop_screencast")
    sessions[8].do("start_screencast", fps=1)
    for session in sessions:
        session.close()
    return reply["error"]


def check_there_are_sixty_four_connections_and_no_more():
    sessions, refusal = [], None
    try:
        for _ in range(80):
            sessions.append(text_session())
    except (Closed, Refused, AssertionError) as error:
        refusal = f"{type(error).__name__}: {error}"
    assert refusal and 60 <= len(sessions) <= 64, f"{len(sessions)} connections, then {refusal}"
    sessions[0].query("ready")
    for session in sessions:
        session.close()
    deadline = time.monotonic() + 10
    while True:
        try:
            return f"{len(sessions)}, then {refusal}" if text_session() else None
        except (Closed, Refused):
            assert time.monotonic() < deadline, "closed connections make room"
            time.sleep(0.1)


def check_a_client_that_does_not_read_holds_up_nobody():
    lazy, other = text_session(), text_session()
    for _ in range(200):
        lazy.post("screenshot")
    start = time.monotonic()
    other.query("ready")
    other.do("move", target={"kind": "point_px", "x": 1, "y": 1})
    assert time.monotonic() - start < 10
    lazy.socket.sock.close()


def check_a_hello_in_pieces_counts_from_the_start():
    session = Session(os.environ["ACI_ADDRESS"], greet=False)
    raw = masked(0x80 | TEXT, json.dumps(hello(token=os.environ.get("ACI_TOKEN", ""))).encode())
    start = time.monotonic()
    try:
        for byte in raw:  # Slower than the ten seconds that a stranger has.
            session.socket.sock.sendall(bytes([byte]))
            time.sleep(0.2)
            assert time.monotonic() - start < 40
        session.read(5)
    except (Closed, OSError):
        assert 8 < time.monotonic() - start < 30
        return
    raise AssertionError("a stranger may take as long as it likes")
