"""The asyncio twin, fleets, and other processes."""

import asyncio
import multiprocessing
import threading
import time

import pytest

import shinken


def test_the_twin_has_the_same_methods():
    public = [name for name in dir(shinken.Env) if not name.startswith("_")]
    assert public == [name for name in dir(shinken.AsyncEnv) if not name.startswith("_")]
    assert len(public) > 40


def test_tasks_go_on_while_one_waits(standin):
    address, token = standin

    async def main():
        async with await shinken.aconnect(address, token=token) as env:
            begun = time.monotonic()
            waiting = asyncio.create_task(env.wait(1000))
            await asyncio.sleep(0)
            ticks = 0
            while not waiting.done():
                await asyncio.sleep(0.01)
                ticks += 1
            assert ticks > 20
            assert time.monotonic() - begun >= 1
            view = await env.observe()
            await env.click(view["Name"])
            await env.type("Ada")
            assert (await env.observe())["Name"].value == "Ada"
            with pytest.raises(shinken.StaleElementRef):
                await env.click("e4242")
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(env.wait(5000), 0.05)

    asyncio.run(main())
    asyncio.run(main())


def test_256_sessions_each_with_its_own_form(standin):
    address, token = standin
    before = threading.active_count()

    async def fill(env):
        number = envs.index(env)
        view = await env.observe()
        await env.step([shinken.actions.click(view["Name"]), shinken.actions.type(f"Number {number}")])
        first = await env.screenshot()
        await env.click(view["Save"])
        status = (await env.observe())["Status"].value
        return number, status, first.frame_hash

    async def main():
        nonlocal envs
        async with await shinken.afleet([address] * 256, token=token) as fleet:
            envs = list(fleet)
            one = await fleet[0].screenshot()
            others = await fleet.map(shinken.AsyncEnv.screenshot)
            assert {shot.frame_hash for shot in others} == {one.frame_hash}
            assert all(shot.from_cache for shot in others)
            return await fleet.map(fill)

    envs = []
    results = asyncio.run(main())
    for number, status, _ in results:
        assert f"Number {number}" in status
    assert len({frame_hash for _, _, frame_hash in results}) == 256
    assert threading.active_count() == before


def test_a_fleet_in_threads(standin):
    address, token = standin
    with shinken.fleet([address] * 64, token=token) as fleet:
        assert len(set(fleet.map(lambda env: env.screenshot().frame_hash))) == 1
        with pytest.raises(shinken.StaleElementRef):
            fleet.map(lambda env: env.click("e4242"))
        assert fleet.frame_cache.stats()[0] > 0
    with pytest.raises(shinken.Unauthorized):
        shinken.fleet([address] * 2, token="wrong")


def test_a_session_is_not_used_by_a_forked_child_which_may_connect_itself(standin):
    address, token = standin
    context = multiprocessing.get_context("fork")
    with shinken.connect(address, token=token) as env:
        env.ping()
        parent, child = context.Pipe()
        process = context.Process(target=_in_the_child, args=(env, address, token, child))
        process.start()
        assert parent.poll(20)
        assert parent.recv() == ("forked", (1280, 800))
        process.join(10)
        assert env.screen_size() == (1280, 800)


def _in_the_child(env, address, token, pipe):
    try:
        env.screenshot()
        code = None
    except shinken.ForkedProcess as error:
        code = error.code
    with shinken.connect(address, token=token) as own:
        pipe.send((code, own.screen_size()))


def test_eight_real_desktops_at_once():
    with shinken.fleet(8, size=(800, 600)) as fleet:
        assert fleet.map(lambda env: env.exec(["echo", env.id]).stdout.strip()) == [env.id for env in fleet]
        fleet.map(lambda env: env.launch("xterm"))
        shots = fleet.map(lambda env: env.screenshot())
        assert {(shot.w, shot.h) for shot in shots} == {(800, 600)}
        names = [env.id for env in fleet]
    left = [sandbox.id for sandbox in shinken.list_sandboxes()]
    assert not set(names) & set(left)
