"""Files in and out, as a user's program moves them."""

import asyncio
import hashlib
import os
import threading

import pytest

import shinken

MIB = 1 << 20


@pytest.fixture
def there(env, tmp_path):
    """A folder that the desktop's programs see; with the provider of the tests it is on the same disk."""
    folder = tmp_path / "there"
    folder.mkdir()
    return folder


def test_a_file_goes_there_and_comes_back(env, there, tmp_path):
    data = os.urandom(3 * MIB + 7)
    local = tmp_path / "trace.bin"
    local.write_bytes(data)
    local.chmod(0o640)
    put = env.put_file(local, f"{there}/made/on/the/way.bin")
    assert (put.size, put["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())
    found = env.files.stat(f"{there}/made/on/the/way.bin")
    assert (found.kind, found.size, found.mode) == ("file", len(data), 0o640)
    assert env.exec(["cmp", str(local), f"{there}/made/on/the/way.bin"]).ok
    back = tmp_path / "new" / "back.bin"
    assert env.get_file(f"{there}/made/on/the/way.bin", back) == put
    assert back.read_bytes() == data
    assert env.put_bytes(b"#!/bin/sh\n", f"{there}/tool", mode=0o755).size == 10
    assert env.exec([f"{there}/tool"]).ok
    assert env.get_bytes(f"{there}/tool") == b"#!/bin/sh\n"


def test_a_folder_goes_there_and_comes_back(env, there, tmp_path):
    local = tmp_path / "task"
    (local / "empty").mkdir(parents=True)
    (local / "data").mkdir()
    (local / "data" / "räksmörgås.txt").write_text("1")
    (local / "last").symlink_to("data/räksmörgås.txt")
    put = env.put_dir(local, f"{there}/task")
    assert put == shinken.Copied(files=1, folders=2, links=1, bytes=1, skipped=())
    names = sorted(entry.path for entry in env.files.list(f"{there}/task", recursive=True))
    assert names == ["data", "data/räksmörgås.txt", "empty", "last"]
    assert env.get_dir(f"{there}/task", tmp_path / "back") == put
    assert (tmp_path / "back" / "last").read_text() == "1"
    (local / "out").symlink_to("/etc")
    with pytest.raises(shinken.Denied, match="out"):
        env.put_dir(local, f"{there}/again")
    assert env.files.stat(f"{there}/again") is None


def test_artifacts_are_found_by_what_they_are(env, tmp_path):
    trace = tmp_path / "trace.log"
    trace.write_bytes(os.urandom(100_000))
    artifact = env.artifacts.upload(str(trace))
    assert artifact.sha256 == hashlib.sha256(trace.read_bytes()).hexdigest()
    assert (artifact.name, artifact.already) == ("trace.log", False)
    assert env.artifacts.upload(trace).already
    assert artifact.sha256 in [kept.sha256 for kept in env.artifacts.list()]
    env.artifacts.download(artifact, tmp_path / "same.log")
    assert (tmp_path / "same.log").read_bytes() == trace.read_bytes()
    env.artifacts.remove(artifact)
    with pytest.raises(shinken.FileNotFound):
        env.artifacts.download(artifact.sha256, tmp_path / "gone.log")
    assert not (tmp_path / "gone.log").exists()


def test_what_cannot_be_moved_says_why(env, there, tmp_path):
    with pytest.raises(shinken.FileNotFound, match="nowhere"):
        env.get_file(f"{there}/nowhere", tmp_path / "nowhere")
    with pytest.raises(shinken.FileNotFound, match="missing"):
        env.put_file(tmp_path / "missing", f"{there}/missing")
    with pytest.raises(shinken.Denied, match=r"\.\."):
        env.put_bytes(b"x", f"{there}/../escaped")
    env.put_bytes(bytes(1000), f"{there}/large")
    with pytest.raises(shinken.QuotaExceeded) as refused:
        env.get_bytes(f"{there}/large", limit=999)
    assert refused.value.code == "quota_exceeded"
    assert refused.value.hint
    with pytest.raises(shinken.ActionRefused):
        env.get_file(str(there), tmp_path / "folder")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["there"]


def test_progress_is_told_in_the_thread_that_waits(env, there, tmp_path):
    seen = []
    large = tmp_path / "large"
    large.write_bytes(bytes(64 * MIB))
    env.put_file(large, f"{there}/large", progress=lambda now: seen.append((threading.get_ident(), now)))
    assert {thread for thread, _ in seen} == {threading.get_ident()}
    told = [now.bytes for _, now in seen]
    assert told == sorted(told)
    last = seen[-1][1]
    assert (last.bytes, last.total_bytes, last.files, last["total_files"]) == (64 * MIB, 64 * MIB, 1, 1)


def test_what_progress_raises_cancels_the_transfer(env, there):
    class Enough(Exception):
        pass

    def tell(now):
        raise Enough

    with pytest.raises(Enough):
        env.put_bytes(bytes(64 * MIB), f"{there}/large", progress=tell)
    assert env.files.list(str(there)) == []
    assert env.put_bytes(b"on it goes", f"{there}/small").size == 10


def test_a_bar_of_tqdm(env, there, capfd):
    env.put_bytes(bytes(5 * MIB), f"{there}/five.bin", progress=True)
    shown = capfd.readouterr().err
    assert "five.bin" in shown
    assert "5.00M/5.00M" in shown
    env.put_bytes(b"", f"{there}/none.bin", progress=True)


def test_tasks_and_transfers(env, there, tmp_path):
    async def main():
        async with await shinken.aconnect(env.id) as own:
            data = [os.urandom(MIB) for _ in range(12)]
            puts = [own.put_bytes(one, f"{there}/{number}") for number, one in enumerate(data)]
            await asyncio.gather(*puts)
            back = [own.get_bytes(f"{there}/{number}") for number in range(len(data))]
            assert await asyncio.gather(*back) == data
            begun = asyncio.Event()
            moving = asyncio.create_task(own.put_bytes(bytes(200 * MIB), f"{there}/large", progress=lambda _: begun.set()))
            await begun.wait()
            moving.cancel()
            with pytest.raises(asyncio.CancelledError):
                await moving
            assert await own.files.stat(f"{there}/large") is None
            copied = await own.get_dir(str(there), tmp_path / "all", progress=lambda _: None)
            assert copied.files == len(data)

    asyncio.run(main())


def test_events_end_when_the_session_does(env):
    own = shinken.connect(env.id)
    events = own.events()
    seen = []
    reader = threading.Thread(target=lambda: seen.extend(events))
    reader.start()
    own.ping()
    own.screen_size()
    own.close()
    reader.join(20)
    assert not reader.is_alive()
    assert [event.type for event in seen][:3] == ["ping", "pong", "query"]
    assert list(own.events()) == []
