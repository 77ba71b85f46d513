# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Waiting for events in ways that leave the thread free: await, and with a time limit."""

import asyncio
import select
import socket
from collections.abc import Generator
from typing import Any

from het._het import Event


def _socket_of(event: Event) -> socket.socket:
    """Something that can be read when the command has finished."""
    reading, writing = socket.socketpair()
    with writing:
        try:
            event._notify(writing.fileno())
        except BaseException:
            reading.close()
            raise
    return reading


async def _until_done(event: Event) -> None:
    """The library writes to a socket when the command ends, so no thread has to wait for it."""
    loop = asyncio.get_running_loop()
    finished: asyncio.Future[None] = loop.create_future()

    def on_readable() -> None:
        if not finished.done():
            finished.set_result(None)

    with _socket_of(event) as reading:
        loop.add_reader(reading, on_readable)
        try:
            await finished
        finally:
            loop.remove_reader(reading)


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
        with _socket_of(event) as reading:
            poll = select.poll()
            poll.register(reading, select.POLLIN)
            if not poll.poll(1000 * seconds):
                return False
    event.wait()
    return True
