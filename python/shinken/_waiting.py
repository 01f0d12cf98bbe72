"""The two ways to wait for a call of the native module."""

from __future__ import annotations

import asyncio
from typing import Any
from weakref import WeakKeyDictionary

from shinken._native import Bridge, Call

_BRIDGES: WeakKeyDictionary[asyncio.AbstractEventLoop, Bridge] = WeakKeyDictionary()


def wait(call: Call) -> Any:
    """Waits in this thread."""
    return call.wait()


async def finish(call: Call) -> Any:
    """Waits in this task, while others of its loop go on."""
    loop = asyncio.get_running_loop()
    bridge = _BRIDGES.get(loop)
    if bridge is None:
        bridge = Bridge()
        loop.add_reader(bridge.fileno(), bridge.drain)
        _BRIDGES[loop] = bridge
    future = loop.create_future()
    call.start(bridge, future)
    try:
        return await future
    except asyncio.CancelledError:
        call.cancel()
        raise
