"""Screenshots, screencasts, and pictures that follow an action."""

import time

from session import binary_session, picture_bytes, pixels, short, text_session
from windows import terminal


def framed(picture, kind=b"\x89PNG"):
    """Checks what every one-shot picture says of itself."""
    image, space = picture["image"], picture["display"]
    assert picture_bytes(image).startswith(kind), picture_bytes(image)[:8]
    assert (image["w"], image["h"]) == (space["delivered"]["w"], space["delivered"]["h"]), short(picture)
    assert "stream" not in picture and "seq" not in picture and "tiles" not in picture
    assert len(picture["frame_hash"]) == 32 and set(picture["frame_hash"]) <= set("0123456789abcdef")
    assert space["origin"] == "top-left" and space["dpr"] == 1
    return image, space


def check_a_screenshot_shows_the_whole_screen():
    session = text_session()
    size = session.query("screen_size")
    for more in ({}, {"scope": "screen"}, {"format": "png"}):
        image, space = framed(session.screenshot(**more))
        assert (space["w"], space["h"]) == (size["w"], size["h"]) == (image["w"], image["h"]), space
        assert space["source_rect"] == {"x": 0, "y": 0, "w": size["w"], "h": size["h"]}, space
        assert image.get("format", "png") == "png" and pixels(image)[:2] == (size["w"], size["h"])


def check_a_binary_session_has_the_same_picture():
    text, binary = text_session(), binary_session()
    for _ in range(5):
        one, other = text.screenshot(), binary.screenshot()
        assert other.get("binary") and framed(other)
        if one["frame_hash"] == other["frame_hash"]:
            assert pixels(one["image"]) == pixels(other["image"]), "one hash, one picture"
            return
    raise AssertionError("the screen never rested for two pictures")


def check_jpeg_and_quality():
    session = text_session()
    sizes = []
    for quality in (10, 95):
        image, _ = framed(session.screenshot(format="jpeg", quality=quality), b"\xff\xd8\xff")
        assert image["format"] == "jpeg"
        sizes.append(len(picture_bytes(image)))
    return f"{sizes[0]} bytes at 10, {sizes[1]} at 95"


def check_the_hash_does_not_depend_on_the_codec():
    session = text_session()
    for _ in range(5):
        calls = [session.post("screenshot", format=kind) for kind in ("png", "jpeg", "png")]
        png, jpeg, again = (session.reply(call)["frame_hash"] for call in calls)
        if png == again:
            assert png == jpeg
            return
    raise AssertionError("the screen never rested for three pictures")


def check_an_equal_picture_is_not_sent_again():
    for session in (text_session(), binary_session()):
        for _ in range(5):
            known = session.screenshot()["frame_hash"]
            reply = session.screenshot(if_none_match=known)
            if reply.get("not_modified"):
                break
        assert reply["not_modified"] is True and reply["frame_hash"] == known and not reply.get("binary"), short(reply)
        assert "cause" in reply and "pointer" in reply
        for stranger in ("0" * 32, "", "0123456789abcdef", known.upper() + "x"):
            assert "image" in session.screenshot(if_none_match=stranger), "another hash never matches"


def check_a_long_edge_is_scaled_down_and_never_up():
    session = text_session()
    size = session.query("screen_size")
    longest = max(size["w"], size["h"])
    hashes = set()
    for edge in (longest * 2, longest, longest // 2, 333, 64, 1):
        picture = session.screenshot(max_long_edge=edge)
        image, space = framed(picture)
        assert max(image["w"], image["h"]) == min(edge, longest), f"{edge}: {image['w']}x{image['h']}"
        wanted = max(1, round(size["h"] * image["w"] / size["w"]))
        assert abs(image["h"] - wanted) <= 1, f"{image['w']}x{image['h']} has another shape than {size}"
        assert space["source_rect"]["w"] == size["w"] and pixels(image)[:2] == (image["w"], image["h"])
        hashes.add(picture["frame_hash"])
    assert len(hashes) >= 5, "the hash is taken after scaling"


def check_the_pointer_is_told_and_not_drawn():
    session = text_session()
    size = session.query("screen_size")
    corner = [size["w"] - 1, size["h"] - 1]
    for target, place in [
        ({"kind": "point_px", "x": 3, "y": 5}, [3, 5]),
        ({"kind": "point_norm", "x": 1, "y": 1.0}, corner),
        ({"kind": "point_norm", "x": 0, "y": 0}, [0, 0]),
        ({"kind": "point_px", "x": corner[0], "y": corner[1]}, corner),
    ]:
        session.do("move", target=target)
        picture = session.screenshot()
        assert picture["pointer"] == place, f"{target}: {picture['pointer']}"


def check_a_point_off_the_screen_is_refused():
    session = text_session()
    size = session.query("screen_size")
    session.do("move", target={"kind": "point_px", "x": 9, "y": 9})
    for x, y in ((-1, 5), (5, -1), (size["w"], 5), (5, size["h"]), (1e9, 1e9)):
        session.refused("move", target={"kind": "point_px", "x": x, "y": y})
    assert session.screenshot()["pointer"] == [9, 9], "a refused move moves nothing"


def check_windows_can_be_pictured_alone():
    session = text_session()
    with terminal(session) as window:
        for scope in (f"window:{window['id']}", f"window:{window['id']:#x}", "active_window"):
            picture = session.screenshot(scope=scope)
            image, space = framed(picture)
            rect = space["source_rect"]
            assert (rect["w"], rect["h"]) == (image["w"], image["h"]), space
            told = {name: window[name] for name in ("x", "y", "w", "h")}
            assert rect == told, f"{scope} is at {rect}, list_windows says {told}"
            assert image.get("scope", scope).startswith(scope.split(":")[0])


def red(picture):
    """How many pixels have the red of terminals."""
    return sum(row.count(b"\xcd\0\0") for row in picture[2])


def check_a_covered_window_shows_its_own_pixels():
    session = text_session()
    fill = "printf '\\033[41m%*s' 700 ''; cat > /dev/null"
    with terminal(session, fill) as below:
        scope = f"window:{below['id']}"
        for _ in range(100):
            free = pixels(session.screenshot(scope=scope)["image"])
            if red(free) > free[0] * free[1] // 2:
                break
            session.do("wait", ms=100)
        assert red(free) > free[0] * free[1] // 2, "the window is red"
        with terminal(session):
            covered = pixels(session.screenshot(scope=scope)["image"])
            # The cursor of a window without the focus is hollow.
            changed = sum(
                one[at : at + 3] != other[at : at + 3]
                for one, other in zip(free[2], covered[2])
                for at in range(0, len(one), 3)
            )
            assert covered[:2] == free[:2] and changed < 400, f"{changed} pixels are those of the window above"


def check_windows_with_the_id_of_one_before_are_fresh():
    session = text_session()
    seen = set()
    for _ in range(3):
        # The X server gives the ids of a program that ended to the next one.
        with terminal(session) as window:
            seen.add(window["id"])
            scope = f"window:{window['id']}"
            before = session.screenshot(scope=scope)["frame_hash"]
            session.do("type_text", text="something new\n")
            for _ in range(100):
                if session.screenshot(scope=scope)["frame_hash"] != before:
                    break
                session.do("wait", ms=50)
            assert session.screenshot(scope=scope)["frame_hash"] != before, "what is typed is on the next picture"
    return f"{len(seen)} different ids"


def check_a_window_that_is_not_there_is_a_typed_error():
    text_session().refused("screenshot", "window_not_found", scope="window:4294967295")


def check_an_action_brings_its_observation():
    for session in (text_session(), binary_session()):
        call = session.post("move", target={"kind": "point_px", "x": 40, "y": 41}, observe={"max_long_edge": 200, "format": "jpeg"})
        after = session.until(lambda m: m.get("cause") == call)
        ack = next(m for m in session.seen if m.get("call_id") == call)
        assert ack["ok"] is True and ack["at"] <= after["at"], "the ack comes first"
        image, _ = framed(after, b"\xff\xd8")
        assert max(image["w"], image["h"]) == 200 and after.get("pointer") == [40, 41], short(after)
        assert bool(after.get("binary")) == session.binary


def check_an_observation_that_fails_does_not_undo_the_action():
    session = text_session()
    call = session.post("move", target={"kind": "point_px", "x": 50, "y": 51}, observe={"scope": "window:4294967295"})
    ack = session.reply(call)
    assert ack["type"] == "ack" and ack["ok"] is True, short(ack)
    after = session.until(lambda m: m.get("call_id") == call)
    assert after["type"] == "result" and after["ok"] is False and ":" in after["error"], short(after)
    assert session.screenshot()["pointer"] == [50, 51]


def frames(session, stream=None):
    return [m for m in session.seen if "stream" in m and stream in (None, m["stream"])]


def composed(shots):
    """The rows of the picture that keyframes and tiles make together."""
    rows = None
    for frame in shots:
        assert "cause" not in frame and "pointer" not in frame, short(frame)
        if "image" in frame:
            width, height, plain = pixels(frame["image"])
            rows = [bytearray(row) for row in plain]
            continue
        assert rows is not None, "a stream begins with a whole picture"
        for tile in frame["tiles"]:
            w, h, part = pixels(tile)
            assert (w, h) == (tile["w"], tile["h"]) and w <= 64 and h <= 64, short(tile)
            assert tile["x"] % 64 == 0 and tile["y"] % 64 == 0, "tiles lie on a grid of 64"
            assert tile["x"] + w <= width and tile["y"] + h <= height, "tiles lie in the picture"
            for y, row in enumerate(part):
                rows[tile["y"] + y][3 * tile["x"] : 3 * (tile["x"] + w)] = row
    return [bytes(row) for row in rows]


def settled(session):
    """Reads until no frame has come for a while."""
    while any("stream" in message for message in session.quiet(0.8)):
        pass


def check_a_delta_stream_composes_to_what_the_screen_shows():
    actor = text_session()
    with terminal(actor) as window:
        for session in (text_session(), binary_session()):
            session.do("start_screencast", fps=20, delta=True)
            first = session.seen_or_until(lambda m: "stream" in m)
            assert first["seq"] == 0 and "image" in first and "tiles" not in first, short(first)
            for word in ("tiles ", "of ", "sixty-four\n"):
                actor.do("type_text", text=word)
                session.quiet(0.2)
            settled(session)
            shots = frames(session)
            assert any("tiles" in shot for shot in shots), "typing changes a few tiles"
            numbers = [shot["seq"] for shot in shots]
            assert numbers == sorted(set(numbers)) and len({shot["stream"] for shot in shots}) == 1, numbers
            assert all(bool(shot.get("binary")) == session.binary for shot in shots)
            assert composed(shots) == pixels(session.screenshot()["image"])[2], "the stream shows what is there"
            session.do("stop_screencast")
            session.quiet(0.3)
            before = len(frames(session))
            actor.do("type_text", text="after the end\n")
            session.quiet(0.8)
            assert len(frames(session)) == before, "a stopped stream is silent"
        assert window


def check_a_resting_screen_sends_no_frame():
    session = text_session()
    session.do("start_screencast", fps=30)
    session.seen_or_until(lambda m: "stream" in m)
    settled(session)
    came = session.quiet(2)
    assert not came, f"{len(came)} frames"


def check_a_full_stream_has_only_whole_pictures():
    actor, session = text_session(), text_session()
    with terminal(actor):
        session.do("start_screencast", fps=10, format="jpeg", quality=60, max_long_edge=300)
        for _ in range(4):
            actor.do("type_text", text="more\n")
            session.quiet(0.3)
        shots = frames(session)
        assert len(shots) >= 2 and all("image" in shot and "tiles" not in shot for shot in shots), len(shots)
        assert all(max(shot["image"]["w"], shot["image"]["h"]) == 300 for shot in shots)
        assert all(picture_bytes(shot["image"]).startswith(b"\xff\xd8") for shot in shots)


def check_a_stream_is_resumed_after_the_connection_broke():
    actor, session = text_session(), text_session()
    with terminal(actor):
        session.do("start_screencast", fps=10, delta=True)
        session.seen_or_until(lambda m: "stream" in m)
        actor.do("type_text", text="before\n")
        settled(session)
        last = frames(session)[-1]
        session.socket.sock.close()
        time.sleep(0.5)
        again = text_session()
        again.do("start_screencast", fps=10, delta=True, resume_stream=last["stream"])
        first = again.seen_or_until(lambda m: "stream" in m)
        assert first["stream"] == last["stream"] and first["seq"] > last["seq"], f"{short(first)} after seq {last['seq']}"
        assert "image" in first, "a whole picture comes first after a resume"
        fresh = text_session()
        fresh.do("start_screencast", resume_stream="no-such-stream")
        first = fresh.seen_or_until(lambda m: "stream" in m)
        assert first["stream"] not in ("no-such-stream", last["stream"]) and first["seq"] == 0, short(first)


def check_calls_are_answered_while_a_stream_runs():
    actor, session = text_session(), text_session()
    with terminal(actor):
        session.do("start_screencast", fps=30, delta=True)
        for number in range(10):
            actor.do("type_text", text=f"{number}\n")
            session.query("ready")
            session.do("move", target={"kind": "point_px", "x": number, "y": number})
        assert frames(session)
