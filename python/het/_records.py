# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""What the library tells of kernels and commands."""

from typing import NamedTuple

from het._het import Device

_SPACES = {0: "unknown", 1: "value", 2: "global", 3: "constant", 4: "local", 5: "image", 6: "sampler"}
_ACCESSES = {0: "", 1: "read", 2: "write", 3: "read and write"}


class Argument(NamedTuple):
    """An argument of a kernel, as its fat binary or a driver describes it. `nbytes` is the size of a value, or of what
    the pointer points to; 0 if it is not known."""

    name: str
    type: str
    space_code: int
    access_code: int
    nbytes: int

    @property
    def space(self) -> str:
        """Where it points, or "value"; "unknown" if nothing describes it."""
        return _SPACES[self.space_code]

    @property
    def access(self) -> str:
        """What the kernel does with it, as its declaration, or the analysis of its code, says."""
        return _ACCESSES[self.access_code]


class Times(NamedTuple):
    """When a command was queued, given to the device, began and ended, in nanoseconds of time.monotonic_ns()."""

    queued: int
    submitted: int
    started: int
    ended: int


class MemoryUse(NamedTuple):
    """How a launch used its device's memory, as het_event_memory(3) says: its `way` is "whole", "slices" or "in place", its
    `memory_class` "unknown", "regular" or "irregular". Times are nanoseconds; `sent`, `brought`, `reused` and `left` are bytes."""

    way: str
    memory_class: str
    is_shared: bool
    declared: int
    analysed: int
    whole: int
    level: int
    slices: int
    waited: int
    stalls: int
    stalled: int
    sent: int
    brought: int
    reused: int
    left: int
    accesses_in_place: int


class Part(NamedTuple):
    """What one device did of a launch: `items` work-items from `first` on, from `started` to `ended` (nanoseconds)."""

    device: Device
    first: int
    items: int
    started: int
    ended: int
