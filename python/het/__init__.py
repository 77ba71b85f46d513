# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Ordinary arrays that live on GPUs too, for Python.

    import het
    import numpy as np

    saxpy = het.Program("kernel void saxpy(global const float *x, global float *y, float a)"
                        "{ size_t i = get_global_id(0); y[i] += a * x[i]; }").kernel
    x, y = np.ones(1000, np.float32), np.zeros(1000, np.float32)
    saxpy[1000](x, y, 3.0)
    print(y[7])

Arrays are given to kernels as they are, and used afterwards as they are: nothing is copied to a device or fetched by
hand. What the host touches comes home by itself. Documentation/python.rst has the whole of it.
"""

import atexit
from collections.abc import Iterable
from typing import Any

from het import _events, _het
from het._errors import (
    ArgumentError,
    BuildError,
    Cancelled,
    CopyWarning,
    DeviceError,
    Error,
    FileError,
    ImageError,
    MemoryUnusable,
    NoDevice,
    NoKernel,
    OutOfMemory,
    StateError,
    WaitError,
)
from het._het import Device, Event, Kernel, Launcher, Memory, Sampler, Texture, Use, devices, user_event
from het._program import Program
from het._records import Argument, MemoryUse, Part, Times

__all__ = [
    "Argument",
    "ArgumentError",
    "BuildError",
    "Cancelled",
    "CopyWarning",
    "Device",
    "DeviceError",
    "Error",
    "Event",
    "FileError",
    "ImageError",
    "Kernel",
    "Launcher",
    "Memory",
    "MemoryUnusable",
    "MemoryUse",
    "NoDevice",
    "NoKernel",
    "OutOfMemory",
    "Part",
    "Program",
    "Queue",
    "Sampler",
    "StateError",
    "Texture",
    "Times",
    "Use",
    "WaitError",
    "devices",
    "forget",
    "local",
    "read",
    "updated",
    "user_event",
    "written",
]

_READ, _WRITTEN, _UPDATED = 1, 2, 3
_IN_ORDER, _TOUCH_AFTER_WAIT = 1, 2

# The extension's class has these from here, as they are Python.
setattr(Event, "__await__", _events.await_event)
setattr(Event, "wait_for", _events.wait_for)
atexit.register(_het._interpreter_ends)


def read(array: object) -> Use:
    """The kernel only reads the array, whatever its declaration says."""
    return Use(array, _READ)


def written(array: object) -> Use:
    """The kernel writes every element of the array and reads none, so nothing travels to the device."""
    return Use(array, _WRITTEN)


def updated(array: object) -> Use:
    """The kernel reads and writes the array: what is taken for granted of an argument that is not const."""
    return Use(array, _UPDATED)


def local(nbytes: int) -> _het.Local:
    """So many bytes of local memory for each work-group."""
    return _het.Local(nbytes)


def forget(array: object) -> bool:
    """Brings an array home, with all that its memory holds, and takes it from all devices, as its end would. It may be
    resized in place then. Returns whether it was on any."""
    return _het.forget(array)


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext het` calls this; see het.magic."""
    from het import magic

    magic.load(shell)


class Queue(_het.Queue):
    """Commands go through a queue; without one they go through that of all devices.

    `devices` are those on which commands may run (all, if there are none). In an `in_order` queue each command waits for
    the one before; otherwise those wait that use the same bytes. With `touch_after_wait` the program promises not to
    touch what launches use before it has waited for them, and results are home when they end. `priority` says how urgent
    its commands are, from -8 to 7. As a context manager it waits for its commands at the end.
    """

    def __init__(
        self,
        devices: Iterable[Device] = (),
        *,
        in_order: bool = False,
        touch_after_wait: bool = False,
        priority: int = 0,
    ) -> None:
        flags = (_IN_ORDER if in_order else 0) | (_TOUCH_AFTER_WAIT if touch_after_wait else 0)
        super().__init__(list(devices), flags, priority)

    def __enter__(self) -> "Queue":
        return self

    def __exit__(self, *_: object) -> None:
        self.finish()
