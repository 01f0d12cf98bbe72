"""Many desktops at a time.

All sessions of a process share two threads of the client and, in a fleet, one [`FrameCache`][shinken.FrameCache]: a picture that
any of them has seen is not sent again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar, overload

from shinken._native import FrameCache
from shinken.aio.env import AsyncEnv, aconnect, ainit
from shinken.refusals import InvalidAction
from shinken.sync.env import Env, connect, init

T = TypeVar("T")

STARTING_AT_ONCE = 4
"""So many desktops start at a time; more would only wait for the processor."""
CONNECTING_AT_ONCE = 64
"""So many sessions are connected at a time."""
THREADS = 32
"""So many functions of `Fleet.map` run at a time."""


class Fleet(Sequence[Env]):
    """Sessions with many desktops. The end of its `with` block closes all, and ends the desktops that it has started."""

    def __init__(self, envs: Sequence[Env], frame_cache: FrameCache) -> None:
        self._envs = tuple(envs)
        self.frame_cache = frame_cache
        """The pictures that the sessions share."""

    def map(self, function: Callable[[Env], T], *, threads: int = THREADS) -> list[T]:
        """Calls a function with every session, several at a time, and gives the results in the order of the sessions.

        All are called, also where some fail; then the first error in their order is raised.
        """
        with ThreadPoolExecutor(max_workers=max(1, min(threads, len(self._envs)))) as pool:
            futures = [pool.submit(function, env) for env in self._envs]
        return [future.result() for future in futures]

    def close(self) -> None:
        """Closes all sessions, and ends the desktops that the fleet has started."""
        self.map(Env.close)

    @overload
    def __getitem__(self, index: int) -> Env: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Env]: ...

    def __getitem__(self, index: int | slice) -> Env | Sequence[Env]:
        return self._envs[index]

    def __len__(self) -> int:
        return len(self._envs)

    def __iter__(self) -> Iterator[Env]:
        return iter(self._envs)

    def __enter__(self) -> Fleet:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Fleet of {len(self)}>"


class AsyncFleet(Sequence[AsyncEnv]):
    """The same for asyncio."""

    def __init__(self, envs: Sequence[AsyncEnv], frame_cache: FrameCache) -> None:
        self._envs = tuple(envs)
        self.frame_cache = frame_cache
        """The pictures that the sessions share."""

    async def map(self, function: Callable[[AsyncEnv], Awaitable[T]]) -> list[T]:
        """Awaits a function for every session, all at a time, and gives the results in the order of the sessions.

        All are awaited, also where some fail; then the first error in their order is raised.
        """
        return await _all([partial(function, env) for env in self._envs], len(self._envs))

    async def close(self) -> None:
        """Closes all sessions, and ends the desktops that the fleet has started."""
        await self.map(AsyncEnv.close)

    @overload
    def __getitem__(self, index: int) -> AsyncEnv: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[AsyncEnv]: ...

    def __getitem__(self, index: int | slice) -> AsyncEnv | Sequence[AsyncEnv]:
        return self._envs[index]

    def __len__(self) -> int:
        return len(self._envs)

    def __iter__(self) -> Iterator[AsyncEnv]:
        return iter(self._envs)

    async def __aenter__(self) -> AsyncFleet:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<AsyncFleet of {len(self)}>"


def fleet(
    desktops: int | Sequence[str],
    *,
    token: str | None = None,
    frame_cache: FrameCache | None = None,
    **options: Any,
) -> Fleet:
    """Sessions with many desktops.

    Args:
        desktops: How many to start, or the addresses or names of those to connect to; an address may be there several times.
        token: What the runtimes at the addresses want to hear.
        frame_cache: Pictures that they share; a fresh store if none is given.
        options: Those of [`init`][shinken.init] for desktops to start, those of [`connect`][shinken.connect] for others.
    """
    cache = frame_cache or FrameCache()
    if isinstance(desktops, int):
        _check(desktops)
        makers: list[Callable[[], Env]] = [partial(init, frame_cache=cache, **options)] * desktops
        at_once = STARTING_AT_ONCE
    else:
        makers = [partial(connect, target, token=token, frame_cache=cache, **options) for target in desktops]
        at_once = CONNECTING_AT_ONCE
    with ThreadPoolExecutor(max_workers=at_once) as pool:
        futures = [pool.submit(make) for make in makers]
    made = [future.result() for future in futures if future.exception() is None]
    errors = [error for error in (future.exception() for future in futures) if error is not None]
    whole = Fleet(made, cache)
    if errors:
        whole.close()
        raise errors[0]
    return whole


async def afleet(
    desktops: int | Sequence[str],
    *,
    token: str | None = None,
    frame_cache: FrameCache | None = None,
    **options: Any,
) -> AsyncFleet:
    """The same as [`fleet`][shinken.fleet] for asyncio."""
    cache = frame_cache or FrameCache()
    if isinstance(desktops, int):
        _check(desktops)
        makers: list[Callable[[], Awaitable[AsyncEnv]]] = [partial(ainit, frame_cache=cache, **options)] * desktops
        at_once = STARTING_AT_ONCE
    else:
        makers = [partial(aconnect, target, token=token, frame_cache=cache, **options) for target in desktops]
        at_once = CONNECTING_AT_ONCE
    made: list[AsyncEnv] = []

    async def make(maker: Callable[[], Awaitable[AsyncEnv]]) -> AsyncEnv:
        env = await maker()
        made.append(env)
        return env

    try:
        return AsyncFleet(await _all([partial(make, maker) for maker in makers], at_once), cache)
    except BaseException:
        await AsyncFleet(made, cache).close()
        raise


async def _all(makers: Sequence[Callable[[], Awaitable[T]]], at_once: int) -> list[T]:
    gate = asyncio.Semaphore(max(1, at_once))

    async def one(maker: Callable[[], Awaitable[T]]) -> T:
        async with gate:
            return await maker()

    results = await asyncio.gather(*(one(maker) for maker in makers), return_exceptions=True)
    values: list[T] = []
    for result in results:
        if isinstance(result, BaseException):
            raise result
        values.append(result)
    return values


def _check(count: int) -> None:
    if count < 1:
        raise InvalidAction(f"a fleet has at least one desktop, not {count}")
