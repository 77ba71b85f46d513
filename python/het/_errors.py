# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Exceptions: one class for each code of the library's that a program may want to tell from others."""


class Error(Exception):
    """A call of the library, or a command, failed. The text is the library's own sentence, with cause and cure."""

    def __init__(self, code: int, sentence: str) -> None:
        super().__init__(sentence)
        self.code = code


class OutOfMemory(Error, MemoryError):
    """Memory, a thread or another resource of the host could not be had (HET_ENOMEM)."""


class ArgumentError(Error, ValueError):
    """An argument is out of range, or contradicts another (HET_EARG, HET_ENULL)."""


class NoDevice(Error):
    """There is no such device, or none that can run the kernel (HET_ENODEV)."""


class BuildError(Error):
    """The program does not build for a device (HET_EBUILD); Program.log() has the compiler's words."""


class NoKernel(Error, LookupError):
    """The program has no kernel of that name (HET_ENAME)."""


class DeviceError(Error):
    """A call of the device's driver failed (HET_EDEVICE)."""


class MemoryUnusable(Error):
    """The memory can't be used by a device: it is unmapped, or was freed before the command ran (HET_EMEMORY)."""


class WaitError(Error):
    """A command that this one waited for has failed (HET_EWAIT)."""


class Cancelled(Error):
    """The command was cancelled (HET_ECANCELED)."""


class StateError(Error):
    """The call is not allowed in this state; a forked child can't use the library (HET_ESTATE)."""


class ImageError(Error):
    """A fat binary can't be read (HET_EIMAGE)."""


class FileError(Error):
    """A checkpoint file can't be read or written (HET_EFILE)."""


class CopyWarning(UserWarning):
    """An array had to be copied for a kernel, as one of its strides is negative."""


_CLASSES: dict[int, type[Error]] = {
    -101: OutOfMemory,
    -102: ArgumentError,
    -103: ArgumentError,
    -104: NoDevice,
    -105: BuildError,
    -106: NoKernel,
    -107: DeviceError,
    -108: MemoryUnusable,
    -109: WaitError,
    -110: Cancelled,
    -111: StateError,
    -112: ImageError,
    -113: FileError,
}


def error_of(code: int, sentence: str) -> Error:
    return _CLASSES.get(code, Error)(code, sentence)
