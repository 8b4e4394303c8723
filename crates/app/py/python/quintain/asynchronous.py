"""Waits for players whose methods are `async`: all of a process share one event loop, on a thread.

So what a player keeps open (a session, a connection) serves all of its matches, and players that wait at
the same time wait together.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Awaitable
from concurrent.futures import TimeoutError as NotDone
from typing import TypeVar, cast

_Result = TypeVar("_Result")

#: How often a thread that waits looks for an interrupt, in seconds.
_TICK = 0.05

_lock = threading.Lock()
#: The loop, and the process that it runs in: threads do not follow into a forked one.
_loop: tuple[int, asyncio.AbstractEventLoop] | None = None


def _running() -> asyncio.AbstractEventLoop:
    """Return the loop; it begins with the first player that needs it."""
    global _loop
    with _lock:
        if _loop is None or _loop[0] != os.getpid():
            loop = asyncio.new_event_loop()
            threading.Thread(target=loop.run_forever, name="quintain players", daemon=True).start()
            _loop = (os.getpid(), loop)
        return _loop[1]


def wait_for(awaitable: Awaitable[_Result]) -> _Result:
    """Return the result of what a player's method has returned; an interrupt cancels it."""

    async def result() -> tuple[_Result | None, Exception | None]:
        # An exception is handed over: asyncio would make another one of some, without their place.
        try:
            return await awaitable, None
        except Exception as error:
            return None, error

    future = asyncio.run_coroutine_threadsafe(result(), _running())
    try:
        while True:
            try:
                found, error = future.result(_TICK)
                break
            except NotDone:
                continue
    except BaseException:
        future.cancel()
        raise
    if error is not None:
        raise error
    return cast("_Result", found)
