"""The interface as the contract's section 2 shows it, line by line."""

import pytest

import shinken


def test_the_north_star(env, form, tmp_path):
    # 2) observe
    shot = env.screenshot()
    assert (shot["w"], shot["h"]) == (1024, 768)
    assert shot["png"].startswith(b"\x89PNG")
    view = env.observe(structured=True)
    assert "Save" in view

    # 3) act, on elements or coordinates
    env.click(view["Name"])
    env.type("Q3 report")
    env.key("ctrl+a")
    x, y = view["Age"].center
    env.scroll(x=x, y=y, dy=-300)
    env.click(x=640, y=740)
    env.click(view["Save"])
    form.heard("Q3 report||False|2")

    # 4) code as action
    r = env.run("a = 10\nb = 20\nprint(a + b)")
    assert r.output == "30\n"

    # what comes later says so by name
    later = [
        ("save", lambda: env.save()),
        ("restore", lambda: env.restore("cp")),
        ("fork", lambda: env.fork("cp", n=8)),
        ("agent", lambda: shinken.agent("claude-opus-4-8")),
        ("drive", lambda: env.drive("agent", task="Make every .txt in ~/docs a .md")),
        ("replay", lambda: env.replay.save("run.skn")),
        ("replay", lambda: env.replay.attach("artifact")),
        ("unlock", lambda: env.unlock("net.egress", scope="packages.example", reason="install pandas")),
        ("video", lambda: env.video()),
    ]
    for name, call in later:
        with pytest.raises(shinken.Unsupported, match=name):
            call()


def test_file_transfer_is_first_class(env, tmp_path):
    workspace, local = tmp_path / "workspace", tmp_path / "local"
    (local / "task_001").mkdir(parents=True)
    (local / "input.csv").write_text("a,b\n1,2\n")
    (local / "task_001" / "setup.sh").write_text("true\n")
    env.put_file(local / "input.csv", f"{workspace}/input.csv")
    env.put_dir(local / "task_001", f"{workspace}/task")
    env.exec(shell="tail -n 1 input.csv > result.csv && sh task/setup.sh", cwd=str(workspace)).check()
    env.get_file(f"{workspace}/result.csv", tmp_path / "artifacts" / "result.csv")
    assert (tmp_path / "artifacts" / "result.csv").read_text() == "1,2\n"
    artifact = env.artifacts.upload(local / "input.csv")
    assert len(artifact.sha256) == 64


def test_one_line_to_start_and_close():
    env = shinken.connect()
    again = shinken.connect(env.id)
    assert again.screenshot().frame_hash == env.screenshot().frame_hash
    assert (env.provider, again.provider) == ("process", "process")
    assert "process" in repr(env)
    again.close()
    assert env.screen_size() == (1280, 800)
    name = env.id
    env.close()
    assert name not in [sandbox.id for sandbox in shinken.list_sandboxes()]
    with pytest.raises(shinken.SandboxNotFound):
        shinken.connect(name)
    with pytest.raises(shinken.ClosedSession):
        env.screenshot()


def test_the_event_stream(env):
    events = env.events()
    env.move(x=5, y=6)
    sent = next(events)
    assert (sent.direction, sent.message["action"]["verb"]) == ("sent", "move")
    answer = next(events)
    assert (answer.direction, answer.type, answer.message["call_id"]) == ("received", "ack", sent.message["call_id"])
