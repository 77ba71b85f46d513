# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Waiting for events in ways that leave the thread free: await, and with a time limit."""

import asyncio
import os
import select
from collections.abc import Generator
from typing import Any

from het._het import Event


def _pipe_of(event: Event) -> int:
    """The reading end of a pipe that can be read when the command has finished."""
    reading, writing = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
    try:
        event._notify(writing)
    except BaseException:
        os.close(reading)
        raise
    finally:
        os.close(writing)
    return reading


async def _until_done(event: Event) -> None:
    """The library writes to a pipe when the command ends, so no thread has to wait for it."""
    loop = asyncio.get_running_loop()
    finished: asyncio.Future[None] = loop.create_future()

    def on_readable() -> None:
        if not finished.done():
            finished.set_result(None)

    reading = _pipe_of(event)
    try:
        loop.add_reader(reading, on_readable)
        try:
            await finished
        finally:
            loop.remove_reader(reading)
    finally:
        os.close(reading)


async def _result(event: Event) -> Event:
    if not event.done:
        await _until_done(event)
    event.wait()
    return event


def await_event(event: Event) -> Generator[Any, None, Event]:
    return _result(event).__await__()


def wait_for(event: Event, seconds: float) -> bool:
    """Waits for so many seconds at most, and tells whether the command has finished. Ctrl-C ends the wait at once."""
    if not event.done:
        reading = _pipe_of(event)
        try:
            if not select.select([reading], [], [], seconds)[0]:
                return False
        finally:
            os.close(reading)
    event.wait()
    return True
