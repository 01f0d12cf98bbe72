"""Sessions with a real desktop and a real program."""

import io
import pickle

import numpy
import pytest
from PIL import Image

import shinken
from conftest import eventually
from shinken import Look, Shot, actions


def test_a_form_is_filled_by_refs(form):
    env, view = form.env, form.view()
    env.click(view["Name"])
    env.type("Ada ☕")
    # A click while programs still take in the keyboard that the cup was typed with may be lost to them.
    eventually(lambda: form.view()["Name"].value == "Ada ☕")
    env.set_value(view["City"], "Łódź")
    env.click(view["News"])
    env.set_value(view["Age"], 36)
    saved = env.click(view["Save"], observe=Look(settle_ms=100))
    form.heard("Ada ☕|Łódź|True|36")
    assert saved.view["Name"].value == "Ada ☕"
    assert saved.view["Name"].ref == view["Name"].ref


def test_missing_and_ambiguous_names_list_candidates(form):
    view = form.view()
    with pytest.raises(shinken.ElementNotFound) as missing:
        view["Sav"]
    assert [element.name for element in missing.value.candidates] == ["Save"]
    assert missing.value.hint
    with pytest.raises(shinken.AmbiguousElement) as several:
        view["Twin"]
    assert len(several.value.candidates) == 2
    form.env.click(max(several.value.candidates, key=lambda twin: twin.bbox[0]))
    form.heard("twin 1")
    assert view.find(role="spin-button").name == "Age"


def test_a_step_is_one_round_trip_and_tells_each_outcome(form):
    env, view = form.env, form.view()
    step = env.step(
        [actions.click(view["Name"]), actions.click("e99999"), actions.type("x")],
        observe=Look(settle_ms=100),
    )
    assert [outcome.status for outcome in step.outcomes] == ["ok", "failed", "ok"]
    assert step.outcomes[1].failure_kind == "stale_element_ref"
    assert step.view["Name"].value == "x"
    with pytest.raises(shinken.StaleElementRef):
        step.check()
    stopped = env.act_batch([actions.click("e99999"), actions.type("y")])
    assert [outcome.status for outcome in stopped.outcomes] == ["failed", "not_sent"]
    on = env.act_batch([actions.click("e99999"), actions.type("y")], stop_on_error=False)
    assert [outcome.status for outcome in on.outcomes] == ["failed", "ok"]
    pictured = env.step([actions.key("End")], observe=Shot(format="jpeg", quality=60))
    assert pictured.screenshot.format == "jpeg"


def test_pictures_are_arrays_images_and_bytes(env):
    shot = env.screenshot()
    pixels = shot.to_numpy()
    assert (pixels.shape, pixels.dtype, pixels.flags.writeable) == ((768, 1024, 3), numpy.uint8, False)
    assert numpy.array_equal(pixels, numpy.asarray(Image.open(io.BytesIO(shot.png)).convert("RGB")))
    assert numpy.array_equal(pixels, numpy.asarray(shot.to_pil()))
    assert shot.to_numpy(copy=True).flags.writeable
    assert shot._repr_png_() == shot.png == shot.data
    small = env.screenshot(format="jpeg", max_long_edge=256)
    assert (small.w, small.h, small.frame.delivered) == (256, 192, (256, 192))
    assert Image.open(io.BytesIO(small.png)).format == "PNG"


def test_a_point_of_a_picture_is_mapped_by_its_frame(env, form):
    small = env.screenshot(max_long_edge=256)
    assert env.move(x=100, y=50, frame=small, observe=True).screenshot.pointer == (400, 200)
    assert env.move(x=1, y=1, normalized=True, frame=small.frame, observe=True).screenshot.pointer == (1023, 767)
    assert env.move((30, 40), observe=True).screenshot.pointer == (30, 40)
    with pytest.raises(shinken.FrameMissing):
        env.move(x=1, y=1, frame=form.view())
    for wrong in ({}, {"x": 1}, {"target": "Save"}, {"target": "e1", "x": 1, "y": 1}):
        with pytest.raises(shinken.InvalidAction):
            env.move(**wrong)


def test_programs_and_the_clipboard(env):
    result = env.exec(["sh", "-c", "echo out; echo err >&2; exit 3"])
    assert (result.exit_code, result["stdout"], result.stderr) == (3, "out\n", "err\n")
    with pytest.raises(ChildProcessError, match="err"):
        result.check()
    with pytest.raises(shinken.InvalidAction, match="shell="):
        env.exec("echo a")
    pieces = list(env.exec_stream(shell="echo a; sleep 0.1; echo b >&2; exit 2"))
    assert [(piece.channel, piece.data) for piece in pieces[:-1]] == [("stdout", b"a\n"), ("stderr", b"b\n")]
    assert pieces[-1].exit_code == 2
    assert env.exec(["sleep", "20"], timeout_ms=100).timed_out
    env.clipboard.set("Grüße ☕")
    assert env.clipboard.get() == "Grüße ☕"
    with pytest.raises(shinken.AppNotFound):
        env.launch("no-such-program")
    with pytest.raises(shinken.NoWindow):
        env.launch("true", within=0.1)


def test_code_keeps_its_state_and_is_interrupted(env):
    env.run("import time; kept = 41")
    assert env.run("kept + 1").value == "42"
    failed = env.run("1 / 0")
    assert failed.error.ename == "ZeroDivisionError"
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        failed.check()
    late = env.run("while True: time.sleep(1)", timeout_ms=300)
    assert (late.timed_out, late.state_lost) == (True, None)
    assert env.run("kept").value == "41"
    env.run_restart()
    assert env.run("'kept' in globals()").value == "False"


def test_what_was_not_granted_is_denied(env):
    with shinken.connect() as plain, pytest.raises(shinken.Denied, match="grant"):
        plain.run("1")


def test_a_screencast_gives_whole_pictures(env, form):
    with env.screencast(fps=20) as cast:
        first = next(cast)
        assert first.keyframe
        env.click(form.view()["News"])
        changed = next(cast)
        assert changed.to_numpy().shape == (768, 1024, 3)
        assert changed.seq > first.seq
        assert changed.changed
    with pytest.raises(StopIteration):
        next(cast)


def test_errors_are_one_tree_with_codes_and_hints(env):
    with pytest.raises(shinken.ActionRefused) as refused:
        env.click("e424242")
    error = refused.value
    assert isinstance(error, shinken.StaleElementRef)
    assert error.code == "stale_element_ref"
    assert "bserve again" in error.hint
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (type(error), str(error))
    with pytest.raises(shinken.WindowNotFound):
        env.activate(999_999)
    with pytest.raises(shinken.Timeout):
        env.within(0.05).wait(500)
    with pytest.raises(shinken.InvalidAction, match="verb"):
        env.act({"verb": "levitate"})
    for kind in (shinken.Denied, shinken.A11yTimeout, shinken.SandboxDied, shinken.Timeout):
        assert issubclass(kind, shinken.ShinkenError)
    assert issubclass(shinken.A11yTimeout, shinken.Timeout)


def test_a_desktop_that_dies_ends_every_call():
    env = shinken.connect()
    pid = int(env.exec(shell="echo $PPID").stdout)
    env.step([actions.exec(["kill", "-9", str(pid)])])
    with pytest.raises(shinken.SandboxDied):
        env.wait(2000)
    assert not env.is_open
    env.close()


def test_addresses_that_are_none():
    for wrong in ("127.0.0.1:5", "ws://", "/tmp/x"):
        with pytest.raises(shinken.ShinkenError):
            shinken.connect(wrong)
    with pytest.raises(shinken.ConnectFailed):
        shinken.connect("ws://127.0.0.1:9", token="x")
    with pytest.raises(shinken.SandboxNotFound):
        shinken.connect("no-such-desktop")
    with pytest.raises(shinken.Unsupported):
        shinken.init(os="windows")


def test_waiting_for_what_is_not_there_yet_and_for_what_never_comes(env):
    question = env.exec_stream(shell="sleep 1; exec zenity --question --title=Late --text=Really?")
    view = env.wait_for("yes", role="button")
    env.click(view["Yes"])
    assert [piece.exit_code for piece in question if isinstance(piece, shinken.ExecExit)] == [0]
    asked = env.exec_stream(["zenity", "--forms", "--title=Ask", "--text=Who?", "--add-entry=Name", "--add-entry=Town"])
    view = env.wait_for("OK", app="zenity")
    with pytest.raises(shinken.ElementNotFound) as missing:
        env.wait_for("Okay", app="zenity", within=0.3)
    assert "OK" in [element.name for element in missing.value.candidates]
    with pytest.raises(shinken.AppNotFound):
        env.wait_for("OK", app="no such program", within=0.3)
    # Zenity connects its labels with nothing.
    assert view["Name"].role == "label"
    env.set_value(view.field("Name"), "Ada")
    env.set_value(view.field("town"), "London")
    with pytest.raises(shinken.ElementNotFound):
        view.field("OK")
    env.click(view["OK"])
    assert b"".join(piece.data for piece in asked if isinstance(piece, shinken.ExecOutput)) == b"Ada|London\n"
