"""Pointer, keyboard, clipboard, programs and windows, seen by what they do to a terminal."""

import os

from session import text_session
from windows import find, gone, terminal


def contents(session, path, wanted, timeout_ms=10_000):
    """Waits in the guest until the file holds what is wanted, and says what it holds."""
    script = 'for i in $(seq 100); do [ "$(cat "$0" 2>/dev/null; echo .)" = "$1" ] && break; sleep 0.1; done; cat "$0"'
    return session.exec(argv=["sh", "-c", script, path, wanted + "."], timeout_ms=timeout_ms + 5000)["stdout"]


def scratch():
    return f"/tmp/outside-{os.urandom(6).hex()}"


def middle(window):
    return {"kind": "point_px", "x": window["x"] + window["w"] // 2, "y": window["y"] + window["h"] // 2}


def check_typed_text_arrives_exactly():
    session, path = text_session(), scratch()
    text = "plain, ÄÖÜ ß é ñ; «quotes» “curly” €100 — 漢字 かな Ωμέγα Привет 🎌👍\n~`!@#$%^&*()_+-={}[]|\\:;\"'<>,.?/\nend\n"
    with terminal(session, f"stty -iexten; cat > {path}") as window:
        session.do("click", target=middle(window))
        session.do("type_text", text=text)
        session.do("key", keys="ctrl+d")
        got = contents(session, path, text)
        assert got == text, f"{got!r} instead of {text!r}"


def check_chords_and_their_names():
    session, path = text_session(), scratch()
    with terminal(session, f"cat > {path}") as window:
        session.do("click", target=middle(window))
        for keys in ("a", "shift+b", "B", "space", "1", "BackSpace", "Return", "x", "ctrl+u", "period", "enter", "ctrl+d"):
            session.do("key", keys=keys)
        got = contents(session, path, "aBB \n.\n")
        assert got == "aBB \n.\n", repr(got)
        for broken in ("ctrl+nonsense", "", "ctrl+"):
            session.refused("key", keys=broken)


def check_buttons_reach_the_window():
    session, path = text_session(), scratch()
    # The terminal reports the mouse: ESC [ < button ; column ; row and M for a press, m for a release.
    script = f"stty raw -echo; printf '\\033[?1002h\\033[?1006h'; echo ready > {path}.up; cat > {path}"
    with terminal(session, script) as window:
        assert contents(session, path + ".up", "ready\n") == "ready\n"
        spot = middle(window)
        far = {**spot, "x": spot["x"] + 100, "y": spot["y"] + 40}
        session.do("click", target=spot)
        session.do("right_click", target=spot)
        session.do("double_click", target=spot)
        session.do("mouse_down", target=spot, button="middle")
        session.do("mouse_up")
        session.do("mouse_up", button="middle")
        session.do("scroll", target=spot, dy=600)
        session.do("scroll", target=spot, dy=-600)
        session.do("drag", target=spot, to=far, duration_ms=150)
        # The drag's moves and then its release are the last of it.
        reports = until_reported(session, path, lambda found: "32M" in found and found[-1] == "0m")
    events = kinds(reports)
    presses = [event for event in events if event.endswith("M")]
    for button, count in (("0M", 4), ("2M", 1), ("1M", 1)):
        assert presses.count(button) == count, f"button {button}: {events}"
    assert events[:2] == ["0M", "0m"] and events[2:4] == ["2M", "2m"], events
    down, up = (presses.index(wheel) if wheel in presses else -1 for wheel in ("65M", "64M"))
    assert 0 <= down < up, f"positive dy goes down the page: {events}"
    assert "32M" in presses[up:], f"a drag moves with the button down: {events}"
    assert events[-1] == "0m", f"a drag ends with its release: {events}"
    return f"{presses.count('65M')} wheel steps for dy=600"


def kinds(reports):
    """Button and press or release of each report."""
    return [report[1:-1].split(";")[0] + report[-1] for report in reports]


def until_reported(session, path, enough):
    """The reports in the file, once they are enough or ten seconds have gone."""
    for _ in range(100):
        reports = split_reports(session.exec(argv=["cat", path])["stdout"])
        if enough(kinds(reports)):
            break
        session.do("wait", ms=100)
    return reports


def split_reports(text):
    """The mouse reports of the terminal, `<0;10;5M` each."""
    reports = []
    for part in text.split("\x1b[")[1:]:
        end = next((index for index, letter in enumerate(part) if letter in "Mm"), None)
        if end is not None:
            reports.append(part[: end + 1])
    return reports


def check_no_button_or_key_stays_down_when_a_client_goes():
    holder, session, path = text_session(), text_session(), scratch()
    script = f"stty raw -echo; printf '\\033[?1002h\\033[?1006h'; echo ready > {path}.up; cat > {path}"
    with terminal(session, script) as window:
        assert contents(session, path + ".up", "ready\n") == "ready\n"
        holder.do("mouse_down", target=middle(window))
        holder.socket.sock.close()
        reports = until_reported(session, path, lambda found: len(found) >= 2)
        assert kinds(reports) == ["0M", "0m"], reports


def check_the_clipboard_keeps_what_was_put_on_it():
    session = text_session()
    for text in ("plain", "Ünïcödé 漢字 🎌\nsecond\tline\n", "x" * 300_000, " ", "a" * (1 << 20)):
        session.do("clipboard_set", text=text)
        value = session.result("clipboard_get")
        assert value == {"text": text}, f"{len(text)} characters came back as {str(value)[:80]}"
    assert text_session().result("clipboard_get")["text"] == "a" * (1 << 20), "it is the desktop's, not the session's"
    session.refused("clipboard_set", "clipboard_too_large", text="a" * ((1 << 20) + 1))
    assert len(session.result("clipboard_get")["text"]) == 1 << 20, "what was refused changes nothing"


def check_the_clipboard_is_shared_with_programs():
    session = text_session()
    if not session.exec(shell="command -v xclip || true")["stdout"]:
        return "no xclip here"
    for text in ("Ünïcödé 漢字 🎌\n", "x" * 700_000):
        session.do("clipboard_set", text=text)
        # xclip ends once it was read from; the count of bytes stands for a text that exec would cut.
        got = session.exec(shell="xclip -o -selection clipboard | tee /dev/stderr | wc -c >&2; true", timeout_ms=20_000)
        assert got["stderr"].endswith(f"{len(text.encode())}\n") or got["stderr_truncated"], got["stderr"][-20:]
    session.exec(shell="printf 'von xclip: é' | xclip -i -selection clipboard -loops 0 >/dev/null 2>&1 &")
    for _ in range(100):
        if session.result("clipboard_get") == {"text": "von xclip: é"}:
            break
        session.do("wait", ms=50)
    assert session.result("clipboard_get") == {"text": "von xclip: é"}
    session.exec(shell="head -c 2000000 /dev/zero | tr '\\0' a | xclip -i -selection clipboard >/dev/null 2>&1 &")
    for _ in range(100):
        reply = session.reply(session.post("clipboard_get"))
        # Whoever has it answers, also while one program takes it over from another.
        if not reply["ok"]:
            break
        session.do("wait", ms=50)
    assert not reply["ok"] and reply["error"].startswith("clipboard_too_large:"), reply
    session.do("clipboard_set", text="mine again")
    assert session.result("clipboard_get") == {"text": "mine again"}


def check_a_program_is_started_with_its_arguments_verbatim():
    session, path = text_session(), scratch()
    arguments = ["-c", 'printf "%s|" "$DISPLAY" "$@" > "$0"', path, "a b", "$HOME", "*", "é;"]
    session.do("launch_app", app="sh", args=arguments)
    display = session.exec(shell='printf "%s" "$DISPLAY"')["stdout"]
    wanted = f"{display}|a b|$HOME|*|é;|"
    got = contents(session, path, wanted)
    assert display and got == wanted, f"{got!r} instead of {wanted!r}"
    session.refused("launch_app", "app_not_found", app="no-such-program-at-all")
    session.refused("launch_app", "app_not_found", app="/nonexistent/program")


def check_windows_are_listed_activated_and_gone():
    session = text_session()
    with terminal(session, place="+40+40") as one:
        with terminal(session, place="+300+200") as other:
            assert other["focused"] and not find(session, one["title"])["focused"]
            session.do("activate_window", app=one["title"].upper())
            for _ in range(100):
                if find(session, one["title"])["focused"]:
                    break
                session.do("wait", ms=50)
            assert find(session, one["title"])["focused"] and not find(session, other["title"])["focused"]
            picture = session.screenshot(scope="active_window")
            rect = picture["display"]["source_rect"]
            assert (rect["x"], rect["y"]) == (one["x"], one["y"]), f"{rect}, {one}"
            assert isinstance(one["id"], int) and one["pid"] > 0
        gone(session, other["title"])
    session.refused("activate_window", "window_not_found", window_id=one["id"])
    session.refused("activate_window", "window_not_found", app="no such title anywhere")


def check_structured_verbs_are_there_or_refused():
    session = text_session()
    verbs = session.capabilities["verbs"]
    for verb, fields in (
        ("observe", {}),
        ("invoke_action", {"target": {"kind": "element_ref", "ref": "e1"}}),
        ("set_value", {"target": {"kind": "element_ref", "ref": "e1"}, "text": "1"}),
    ):
        if verb not in verbs:
            session.refused(verb, "unsupported", **fields)
    return "advertised" if "observe" in verbs else "not advertised"
