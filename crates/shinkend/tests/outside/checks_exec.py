"""Programs run for their output (the protocol's section 3.4)."""

import base64
import time

from session import binary_session, short, text_session

CHUNK, STREAM, CHANNEL = 64 << 10, 8 << 20, 256 << 10


def check_exec_answers_with_the_whole_result():
    done = text_session().exec(argv=["sh", "-c", "echo out; echo err >&2; exit 3"])
    assert (done["exit_code"], done.get("signal"), done["timed_out"]) == (3, None, False), done
    assert (done["stdout"], done["stderr"]) == ("out\n", "err\n"), done
    assert not done["stdout_truncated"] and not done["stderr_truncated"] and done["duration_ms"] > 0


def check_argv_is_not_read_by_a_shell_and_shell_is():
    session = text_session()
    assert session.exec(argv=["echo", "$HOME", "*", "a b;c"])["stdout"] == "$HOME * a b;c\n"
    assert session.exec(shell="echo $((6 * 7)) | tr 4 5")["stdout"] == "52\n"


def check_cwd_env_and_stdin_shape_the_program():
    session = text_session()
    done = session.exec(argv=["sh", "-c", "pwd; echo $A$PATH; cat"], cwd="/usr", env={"A": "é "}, stdin="in\0put")
    place, line, rest = done["stdout"].split("\n", 2)
    assert place == "/usr" and line.startswith("é /") and rest == "in\0put", done
    start = time.monotonic()
    assert session.exec(argv=["cat"])["stdout"] == "" and time.monotonic() - start < 5, "stdin is closed at once"


def check_a_signal_is_told_from_an_exit_code():
    done = text_session().exec(shell="kill -9 $$")
    assert done["exit_code"] is None and done["signal"] == 9 and done["timed_out"] is False, done


def check_a_timeout_kills_the_whole_group_and_says_so():
    session = text_session()
    mark = f"{time.time():.6f}"
    start = time.monotonic()
    done = session.exec(shell=f"sh -c 'sleep 97{mark}; true' & sleep 98{mark}; true", timeout_ms=400)
    assert time.monotonic() - start < 8
    assert done["timed_out"] is True and done["exit_code"] is None, done
    for _ in range(50):
        left = session.exec(shell=f"ps -eo stat,args | grep -v ^Z | grep '[s]leep 9[78]{mark}' || true")["stdout"]
        if not left:
            return
        time.sleep(0.1)
    raise AssertionError(f"still there: {left}")


def check_a_child_that_keeps_the_pipe_does_not_hang_the_call():
    session, start = text_session(), time.monotonic()
    done = session.exec(shell="sleep 30 & echo hi")
    assert done["stdout"] == "hi\n" and done["exit_code"] == 0, done
    assert time.monotonic() - start < 10


def check_too_much_buffered_output_is_cut_and_flagged():
    done = text_session().exec(shell="head -c 400000 /dev/zero | tr '\\0' a; head -c 300 /dev/zero | tr '\\0' b >&2")
    assert done["exit_code"] == 0 and done["stdout_truncated"] is True and done["stderr_truncated"] is False, short(done)
    assert len(done["stdout"]) == CHANNEL and len(done["stderr"]) == 300, len(done["stdout"])


def check_bytes_that_are_not_text_are_replaced():
    assert text_session().exec(argv=["printf", "a\\377b"])["stdout"] == "a\ufffdb"


def check_a_program_that_is_not_there_is_an_error():
    session = text_session()
    session.refused("exec", "exec_spawn_failed", argv=["/nonexistent/program"])
    session.refused("exec", argv=["true"], cwd="/nonexistent")


def check_exec_runs_beside_later_calls():
    session = text_session()
    slow, quick = session.post("exec", argv=["sleep", "1.5"]), session.ask("ready")
    assert session.reply(quick)["at"] < session.reply(slow)["at"]


def stream(session, timeout=40, **fields):
    """(the pieces, the exit) of a streamed program."""
    call = session.post("exec", stream=True, **fields)
    ack = session.reply(call)
    assert ack["type"] == "ack" and ack["ok"], short(ack)
    ended = session.until(lambda m: m["type"] == "exec_exit" and m["cause"] == call, timeout)
    pieces = [m for m in session.seen if m["type"] == "exec_output" and m["cause"] == call]
    assert [m["seq"] for m in pieces] == list(range(len(pieces))), "seq counts both channels"
    assert session.seen.index(ack) < session.seen.index((pieces + [ended])[0]), "the ack comes first"
    assert not session.quiet(0.2), "nothing comes after the exit"
    for piece in pieces:
        if "bytes" not in piece:
            piece["bytes"] = base64.b64decode(piece["data_b64"], validate=True) if "data_b64" in piece else piece["data"]["bytes"]
        assert 0 < len(piece["bytes"]) <= CHUNK, len(piece["bytes"])
    return pieces, ended


def joined(pieces, channel):
    return b"".join(piece["bytes"] for piece in pieces if piece["channel"] == channel)


def streams_in_order(session):
    pieces, ended = stream(session, shell="for i in 1 2 3; do echo o$i; sleep 0.4; echo e$i >&2; sleep 0.4; done; exit 5")
    assert (ended["exit_code"], ended["timed_out"], ended["truncated"]) == (5, False, False), ended
    assert [piece["bytes"] for piece in pieces] == [b"o1\n", b"e1\n", b"o2\n", b"e2\n", b"o3\n", b"e3\n"], pieces
    assert ended["at"] - pieces[0]["at"] > 1.6, "pieces come while the program runs"
    return pieces


def check_streamed_output_comes_as_it_is_written():
    pieces = streams_in_order(text_session())
    assert not any(piece.get("binary") for piece in pieces)


def check_streamed_output_is_raw_bytes_on_a_binary_session():
    session = binary_session()
    pieces = streams_in_order(session)
    assert all(piece.get("binary") for piece in pieces)
    raw, ended = stream(session, argv=["printf", "\\000\\377\\n"])
    assert joined(raw, "stdout") == b"\0\xff\n" and not ended.get("binary"), "the exit is text"


def check_a_stream_is_cut_at_eight_mib_and_still_drained():
    for session in (text_session(), binary_session()):
        pieces, ended = stream(session, shell="head -c 9000000 /dev/zero; echo done >&2")
        total = sum(len(piece["bytes"]) for piece in pieces)
        assert total == STREAM, f"{total} bytes"
        assert ended["truncated"] is True and ended["exit_code"] == 0, ended


def check_a_streamed_program_that_cannot_start_ends_once():
    session = text_session()
    call = session.post("exec", argv=["/nonexistent/program"], stream=True)
    ack = session.reply(call)
    if ack["ok"]:
        ended = session.until(lambda m: m["type"] == "exec_exit")
        assert ended["exit_code"] is None and ended["error"].startswith("exec_spawn_failed:"), ended
        return "ack, then exec_exit with the error"
    assert ack["error"].startswith("exec_spawn_failed:") and not session.quiet(0.3)
    return "refused by the ack"


def check_a_streamed_timeout_is_honest():
    pieces, ended = stream(text_session(), shell="echo begun; sleep 60", timeout_ms=500)
    assert joined(pieces, "stdout") == b"begun\n"
    assert ended["timed_out"] is True and ended["exit_code"] is None and ended["duration_ms"] < 8000, ended


def check_a_ping_is_answered_while_output_floods():
    session = text_session()
    call = session.post("exec", shell="head -c 8000000 /dev/zero", stream=True)
    session.send({"type": "ping", "t": 1})
    session.until(lambda m: m["type"] == "pong", 10)
    session.seen_or_until(lambda m: m["type"] == "exec_exit" and m["cause"] == call, 30)
