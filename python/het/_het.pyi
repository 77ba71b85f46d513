# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
from collections.abc import Generator, Iterable, Sequence
from typing import Any, Protocol, Union

from het._records import Argument, MemoryUse, Part, Times

# What can't be told statically from other objects has a buffer; numpy's arrays, ctypes' and bytes have.
class _HasInterface(Protocol):
    @property
    def __array_interface__(self) -> dict[str, Any]: ...

_Sizes = Union[int, tuple[int], tuple[int, int], tuple[int, int, int], list[int]]
_Key = Union[_Sizes, tuple[_Sizes, Union[_Sizes, None]]]

class Device:
    """A device, which is there as long as the process."""

    @property
    def name(self) -> str:
        """For people: "NVIDIA H200 (NVIDIA CUDA)"."""
    @property
    def kind(self) -> str:
        """One of "host", "apart", "opencl", "cuda"."""
    @property
    def units(self) -> int:
        """So many processors run work-groups at once."""
    @property
    def group_size(self) -> int:
        """A work-group has at most so many work-items."""
    @property
    def memory(self) -> int:
        """Bytes of device memory."""
    @property
    def local_memory(self) -> int:
        """Bytes of local memory for one work-group."""
    def memory_use(self) -> dict[str, int]:
        """What the library uses of the device's memory, in bytes, as struct het_memory_info has it."""
    def set_budget(self, nbytes: int) -> None:
        """Sets how much of the device's memory the library may use; with 0 it is what is free now, less a little. Arrays leave
        the device for it. Raises NoDevice for the device "host", which has no memory of its own."""

class Use:
    """An array with what the kernel does to it: see het.read(), het.written(), het.updated()."""

    def __init__(self, array: object, access: int) -> None: ...
    def each(
        self, step: int, length: int | None = None, offset: int = 0, count: int = 1, stride: int = 0
    ) -> "Use":
        """Tells a launch with split=True what work-item number i uses, in elements of the array: `length` (or `step`) of
        them from `offset` + i * `step` on, and that `count` times, each `stride` further."""

class Local:
    def __init__(self, nbytes: int) -> None: ...

class Memory:
    """Raw memory of one device, for what knows its memory by addresses. It is an argument for pointers of kernels, as it is.
    The library does not see what kernels do with it, so events and in-order queues alone give commands on it an order. It
    goes with the last object that has a part of it, when the commands that were given it have finished.

    Raises NoDevice if the device's memory has no addresses, OutOfMemory, or ArgumentError for 0 bytes."""

    def __init__(self, device: Device, nbytes: int) -> None: ...
    @property
    def device(self) -> Device: ...
    @property
    def nbytes(self) -> int: ...
    @property
    def address(self) -> int:
        """On the device; aligned to 128 bytes at least where the memory begins. It may be stored in device memory."""
    def at(self, offset: int) -> "Memory":
        """The rest of the memory from that byte on; the two are the same memory."""
    def copy_from(self, array: object, *, queue: Queue | None = None, wait: bool = True) -> Event:
        """Copies all bytes of the array to the begin of the memory. The array's elements must follow each other."""
    def copy_to(self, array: object, *, queue: Queue | None = None, wait: bool = True) -> Event:
        """Copies as many bytes as the array has from the begin of the memory to the array."""
    def __len__(self) -> int: ...

class Texture:
    """A texture of one device, what OpenCL calls an image: kernels read it through samplers and write it. It is an argument for
    images of kernels, read or written as their declaration says; where nothing describes them it is read, unless
    het.written() or het.updated() says otherwise. Commands on one texture keep their order.

    `shape` is in numpy's order: (width,), (height, width) or (depth, height, width). With `layers` its first number is how
    many layers there are, of one or two dimensions. `type` is "unorm8", "unorm16", "snorm8", "snorm16", "int8", "int16",
    "int32", "uint8", "uint16", "uint32", "half" or "float": of each of the 1, 2 or 4 `channels` of a texel. Kernels have a texture
    `of_buffer` as image1d_buffer_t. One kernel may have a texture as read_write if it was made so (`read_and_written`).

    Raises NoDevice if the device has no textures, ArgumentError for what it does not support, or OutOfMemory."""

    def __init__(
        self,
        device: Device,
        shape: Sequence[int],
        type: str = "float",
        channels: int = 1,
        *,
        layers: bool = False,
        of_buffer: bool = False,
        read_and_written: bool = False,
    ) -> None: ...
    @property
    def device(self) -> Device: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def type(self) -> str: ...
    @property
    def channels(self) -> int: ...
    def copy_from(
        self, array: object, *, origin: Sequence[int] | None = None, queue: Queue | None = None, wait: bool = True
    ) -> Event:
        """Copies an array to the texels from `origin` on (by default the first). The array has the texture's dimensions, as long
        as what is copied, and behind them one of the channels; with one channel that may be missing. Its elements
        follow each other, and are the texels' own: uint8 for "unorm8", float16 for "half"."""
    def copy_to(
        self, array: object, *, origin: Sequence[int] | None = None, queue: Queue | None = None, wait: bool = True
    ) -> Event:
        """Copies texels from `origin` on to such an array."""

class Sampler:
    """How a kernel on one device reads textures. `normalized` coordinates go from 0 to 1; others count texels. `outside` of the
    texture it reads nothing that is defined ("undefined"), the nearest texel ("edge"), 0 ("border"), or with normalized
    coordinates the texture again ("repeated"), every other time mirrored ("mirrored"). `linear` reads between texels."""

    def __init__(
        self, device: Device, *, normalized: bool = False, outside: str = "undefined", linear: bool = False
    ) -> None: ...

class Event:
    """A command. An event may be awaited, as often as wanted; the arrays of its launch are kept until it has finished."""

    def wait(self) -> None:
        """Waits until the command has finished, without the interpreter's lock; raises what it has failed with. Ctrl-C is
        seen afterwards: wait_for() sees it at once."""
    def wait_for(self, seconds: float) -> bool:
        """Waits for so many seconds at most, and tells whether the command has finished."""
    @property
    def done(self) -> bool:
        """Whether it has finished, or failed."""
    @property
    def times(self) -> Times:
        """When it was queued, submitted, started and ended, in nanoseconds. Raises StateError before it has finished."""
    @property
    def memory(self) -> MemoryUse:
        """How the launch used its device's memory. Raises StateError before it has finished."""
    @property
    def parts(self) -> list[Part]:
        """Which device did what of the launch."""
    def set(self, status: int = 0) -> None:
        """Finishes an event of het.user_event(): with 0, or a negative code, with which those fail that wait for it."""
    def _notify(self, descriptor: int) -> None: ...
    def __await__(self) -> Generator[Any, None, "Event"]: ...

class Launcher:
    """A kernel with its sizes."""

    def __call__(
        self,
        *arguments: object,
        queue: Queue | None = None,
        device: Device | None = None,
        split: bool = False,
        touch_after_wait: bool = False,
        after: Event | Iterable[Event] = (),
        offset: _Sizes = ...,
        priority: int = 0,
        **named_arguments: object,
    ) -> Event:
        """Launches the kernel and waits for it."""
    def start(
        self,
        *arguments: object,
        queue: Queue | None = None,
        device: Device | None = None,
        split: bool = False,
        touch_after_wait: bool = False,
        after: Event | Iterable[Event] = (),
        offset: _Sizes = ...,
        priority: int = 0,
        **named_arguments: object,
    ) -> Event:
        """Launches the kernel and returns at once. Until the event has finished, the arrays are the kernel's."""

class Kernel:
    """A kernel: kernel[global_size](...) or kernel[global_size, local_size](...). Sizes count work-items, and are numbers
    or tuples of 1 to 3; kernel[(64, 32), None] leaves the groups' size to the library."""

    @property
    def name(self) -> str: ...
    @property
    def arguments(self) -> list[Argument]: ...
    def __getitem__(self, sizes: _Key) -> Launcher: ...

class Program:
    def __init__(
        self,
        source: str | None,
        options: str | None,
        file: str | None,
        section: str | None,
        fat_binary: bytes | None,
        images: Sequence[tuple[int, bytes]],
        functions: Sequence[tuple[str, int, int]],
    ) -> None: ...
    def build(self, device: Device) -> None: ...
    def log(self, device: Device) -> str: ...
    def kernel_names(self, device: Device) -> str: ...
    def kernel(self, name: str, kept: object) -> Kernel: ...

class Queue:
    def __init__(self, devices: Sequence[Device], flags: int, priority: int) -> None: ...
    def finish(self) -> None:
        """Waits until all commands have finished that the queue has at this moment."""
    def set_priority(self, priority: int) -> None:
        """So urgent are the commands that come from now on, from -8 to 7."""
    def announce(self, nanoseconds: int) -> None:
        """A launch of this urgency will come so much later: kernels that are less urgent save what they can by then."""

def devices() -> list[Device]:
    """The devices, in the order in which they are preferred: HET_DEVICES chooses others."""

def user_event() -> Event:
    """An event that the program finishes with Event.set(); launches may wait for it."""

def forget(array: object) -> bool: ...
def _count_of_kept() -> int: ...
def _interpreter_ends() -> None: ...
