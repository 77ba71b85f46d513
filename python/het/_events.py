# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Waiting for events in ways that leave the thread free: await, and with a time limit."""

import asyncio
import os
import select
from collections.abc import Generator
from typing import Any

from het._het import Event


async def _until_done(event: Event) -> None:
    """The library writes to a descriptor when the command ends, so no thread has to wait for it."""
    loop = asyncio.get_running_loop()
    descriptor = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
    finished: asyncio.Future[None] = loop.create_future()

    def on_readable() -> None:
        if not finished.done():
            finished.set_result(None)

    try:
        event._notify(descriptor)
        loop.add_reader(descriptor, on_readable)
        try:
            await finished
        finally:
            loop.remove_reader(descriptor)
    finally:
        os.close(descriptor)


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
        descriptor = os.eventfd(0, os.EFD_CLOEXEC)
        try:
            event._notify(descriptor)
            if not select.select([descriptor], [], [], seconds)[0]:
                return False
        finally:
            os.close(descriptor)
    event.wait()
    return True
