"""Greetings, questions, refusals, and the order of answers."""

import os
import time

from session import Session, conforms, hello, short, text_session
from websocket import TEXT, Closed

ADDRESS = os.environ["ACI_ADDRESS"]
TOKEN = os.environ.get("ACI_TOKEN", "")


def never_welcomed(*messages):
    """The daemon may refuse or hang up; what it must not do is welcome or obey."""
    session = Session(ADDRESS, greet=False)
    try:
        for message in messages:
            session.send(message)
        while True:
            reply = session.read(12)
            assert reply["type"] != "welcome" and reply.get("ok") is not True, f"answered by {short(reply)}"
            assert reply["type"] in ("ack", "result"), f"answered by {short(reply)}"
    except Closed as end:
        return str(end)


def check_a_wrong_token_is_not_welcome():
    return never_welcomed(hello(token=TOKEN + "x"))


def check_a_missing_token_is_not_welcome():
    return never_welcomed(hello())


def check_another_version_is_not_welcome():
    return never_welcomed({**hello(token=TOKEN), "v": 1})


def check_a_hello_with_an_unknown_field_is_not_welcome():
    return never_welcomed(hello(token=TOKEN, colour="red"))


def check_an_action_before_hello_is_not_done():
    return never_welcomed({"type": "action", "call_id": "early", "action": {"verb": "wait", "ms": 0}})


def check_a_silent_stranger_is_sent_away_after_ten_seconds():
    session, start = Session(ADDRESS, greet=False), time.monotonic()
    try:
        session.read(40)
    except Closed:
        pass
    waited = time.monotonic() - start
    assert 8 < waited < 30, f"it took {waited:.1f} s"


def check_the_welcome_says_what_there_is():
    session = text_session()
    server, able = session.welcome["server"], session.capabilities
    assert server["platform"] == "linux" and able["schema_version"] == 0
    wanted = {"click", "double_click", "right_click", "move", "scroll", "drag", "mouse_down", "mouse_up", "type_text", "key"}
    wanted |= {"screenshot", "start_screencast", "stop_screencast", "exec", "clipboard_get", "clipboard_set", "wait"}
    wanted |= {"launch_app", "activate_window"}
    assert wanted <= set(able["verbs"]), f"missing: {wanted - set(able['verbs'])}"
    assert {"point_px", "point_norm"} <= set(able["targets"]) and {"png", "jpeg"} <= set(able["image_formats"])
    assert {"screenshot", "screencast"} <= set(able["observation_types"])
    for flag in ("binary_frames", "frame_dedup", "observe_after_act"):
        assert able.get(flag) is True, f"{flag} is {able.get(flag)}"
    return server["name"] + " " + server["version"]


def check_a_pong_carries_what_the_ping_did():
    session = text_session()
    for t in (0, 1.5, -3, 1764670000.1234567, 0.1 + 0.2, 1e300):
        session.send({"type": "ping", "t": t})
        pong = session.read(5)
        assert pong["type"] == "pong" and pong["t"] == t, f"{t} came back as {pong}"
    session.send({"type": "ping"})
    assert "t" not in session.read(5)


def check_the_four_queries():
    session = text_session()
    platform, size, ready = (session.query(q) for q in ("platform", "screen_size", "ready"))
    assert "linux" in str(platform), platform
    assert size["w"] > 0 and size["h"] > 0, size
    assert ready is True or ready.get("ready") is True, ready
    windows = session.query("list_windows")
    for window in windows:
        assert set(window) == {"id", "title", "pid", "x", "y", "w", "h", "focused"}, window
    return f"platform {platform}, screen {size}, {len(windows)} windows"


def check_broken_messages_are_refused_on_their_call():
    session = text_session()
    spot = {"kind": "point_px", "x": 1, "y": 1}
    for number, broken in enumerate([
        {"verb": "fly"},
        {"verb": "click"},
        {"verb": "click", "target": spot, "unknown": 1},
        {"verb": "click", "target": {"kind": "point_norm", "x": 1.5, "y": 0}},
        {"verb": "click", "target": {"kind": "point_px", "x": "1", "y": 1}},
        {"verb": "drag", "target": spot},
        {"verb": "type_text"},
        {"verb": "key", "keys": None},
        {"verb": "wait", "ms": -1},
        {"verb": "wait", "ms": 1, "observe": {}},
        {"verb": "screenshot", "observe": {}},
        {"verb": "screenshot", "quality": 0},
        {"verb": "screenshot", "format": "webp"},
        {"verb": "screenshot", "scope": "window:abc"},
        {"verb": "screenshot", "max_long_edge": 0},
        {"verb": "start_screencast", "fps": 0.05},
        {"verb": "start_screencast", "fps": 31},
        {"verb": "exec"},
        {"verb": "exec", "argv": []},
        {"verb": "exec", "argv": ["true"], "shell": "true"},
        {"verb": "exec", "argv": ["true"], "pty": True},
        {"verb": "exec", "argv": ["true"], "timeout_ms": 0},
        {"verb": "click", "target": spot, "argv": ["true"]},
        {"verb": "clipboard_set"},
        {"verb": "launch_app"},
        {"verb": "launch_app", "app": ""},
        {"verb": "activate_window"},
        {"verb": "move", "target": spot, "window_id": 1},
    ]):
        call = f"broken{number}"
        session.send({"type": "action", "call_id": call, "action": broken})
        reply = session.read(5)
        assert reply.get("call_id") == call and reply.get("ok") is False, f"{broken}: {short(reply)}"
        assert ":" in reply.get("error", ""), f"{broken}: no typed error in {short(reply)}"
    session.send({"type": "query", "call_id": "bad-q", "q": "weather"})
    reply = session.read(5)
    assert reply["call_id"] == "bad-q" and reply["ok"] is False, short(reply)
    session.query("ready")


def check_what_is_no_message_does_not_hurt_others():
    other = text_session()
    notes = []
    for data in (b"{", b"[]", b"null", b'{"type":"welcome"}', b"\xff\xfe"):
        session = text_session()
        session.socket.send(TEXT, data)
        try:
            session.socket.send(TEXT, b'{"type":"ping","t":7}')
            session.until(lambda m: m["type"] == "pong", 5)
            notes.append("lives")
        except Closed:
            notes.append("closed")
    other.query("ready")
    return ", ".join(notes)


def check_a_second_hello_does_not_start_over():
    session = text_session()
    session.send(hello(token=TOKEN))
    try:
        reply = session.read(1)
        assert reply["type"] != "welcome", "welcomed twice"
    except (Closed, TimeoutError):
        pass


def check_pipelined_calls_are_done_in_their_order():
    session = text_session()
    calls, places = [], [(10 + 7 * step, 20 + 5 * step) for step in range(12)]
    for x, y in places:
        calls.append(session.post("move", target={"kind": "point_px", "x": x, "y": y}))
        calls.append(session.post("screenshot", scope="screen", max_long_edge=64))
    calls.append(session.ask("screen_size"))
    for call in calls:
        session.reply(call)
    answers = [m.get("call_id") or m.get("cause") for m in session.seen[1:]]
    assert answers == calls, f"{calls} were answered in the order {answers}"
    pointers = [tuple(m["pointer"]) for m in session.seen if m["type"] == "observation"]
    assert pointers == places, f"{pointers} instead of {places}"


def check_later_calls_wait_for_wait_but_ping_does_not():
    session, start = text_session(), time.monotonic()
    wait, query = session.post("wait", ms=700), session.ask("ready")
    session.send({"type": "ping", "t": 1})
    for call in (wait, query):
        session.reply(call)
    order = [m["type"] for m in session.seen[1:]]
    assert order == ["pong", "ack", "result"], order
    assert 0.65 < session.seen[-2]["at"] - start < 20


def check_sessions_do_not_wait_for_each_other():
    one, other = text_session(), text_session()
    start = time.monotonic()
    slow = one.post("wait", ms=3000)
    other.query("ready")
    assert time.monotonic() - start < 2
    one.reply(slow)


def check_errors_have_the_shape_of_the_schema():
    session = text_session()
    reply = session.refused("click", target={"kind": "element_ref", "ref": "e999999"})
    conforms("Ack", {name: value for name, value in reply.items() if name != "at"})
    wanted = "stale_element_ref" if "element_ref" in session.capabilities["targets"] else "unsupported"
    assert reply["error"].startswith(wanted + ":"), reply["error"]


def check_absurd_requests_neither_hang_nor_hurt():
    session, spot = text_session(), {"kind": "point_px", "x": 5, "y": 5}
    far = {**spot, "x": 50}
    for verb, fields in (
        ("key", {"keys": "a" * 1_000_000}),
        ("key", {"keys": "a+" * 500_000 + "a"}),
        ("scroll", {"target": spot, "dy": 1e300}),
        ("activate_window", {"window_id": 2**70}),
        ("screenshot", {"scope": "window:" + "9" * 1000}),
        ("exec", {"argv": ["a\0b"]}),
        ("exec", {"argv": ["true"], "env": {"A=B": "c"}}),
        ("launch_app", {"app": "a\0b"}),
    ):
        start = time.monotonic()
        session.refused(verb, **fields)
        assert time.monotonic() - start < 10, f"{verb} took {time.monotonic() - start:.0f} s"
    session.do("drag", 60, target=spot, to=far, duration_ms=1e300)
    assert "image" in session.screenshot(max_long_edge=1e300)
    assert session.result("exec", argv=["true"], timeout_ms=1e300)["exit_code"] == 0
