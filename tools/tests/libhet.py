# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Structures of het.h, for tests that call the library through ctypes alone."""

import ctypes

READ_ONLY, READ_WRITE = 1, 3
VALUE, RANGE = 1, 4


class Group(ctypes.Structure):
    _fields_ = [("dimensions", ctypes.c_uint32)] + [
        (name, ctypes.c_size_t * 3)
        for name in ("offset", "global_size", "local_size", "group", "groups", "first", "items")
    ]


KERNEL = ctypes.CFUNCTYPE(None, ctypes.POINTER(Group), ctypes.POINTER(ctypes.c_void_p))


class Function(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("run", KERNEL), ("nargs", ctypes.c_uint32)]


class FirstProgramArguments(ctypes.Structure):
    """As the library's first version had it; programs may still use it."""

    _fields_ = [
        ("size", ctypes.c_size_t),
        ("source", ctypes.c_char_p),
        ("options", ctypes.c_char_p),
        ("functions", ctypes.POINTER(Function)),
        ("nfunctions", ctypes.c_size_t),
        ("images", ctypes.c_void_p),
        ("nimages", ctypes.c_size_t),
    ]


class ProgramArguments(FirstProgramArguments):
    """A base class's fields come first."""

    _fields_ = [
        ("fat_binary", ctypes.c_void_p),
        ("fat_binary_size", ctypes.c_size_t),
        ("file", ctypes.c_char_p),
        ("section", ctypes.c_char_p),
    ]


class Argument(ctypes.Structure):
    _fields_ = [
        ("kind", ctypes.c_uint32),
        ("access", ctypes.c_uint32),
        ("nbytes", ctypes.c_size_t),
        ("pointer", ctypes.c_void_p),
        ("memory", ctypes.c_void_p),
    ]


class LaunchArguments(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("kernel", ctypes.c_void_p),
        ("dimensions", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("global_size", ctypes.c_size_t * 3),
        ("offset", ctypes.c_size_t * 3),
        ("local_size", ctypes.c_size_t * 3),
        ("arg_size", ctypes.c_size_t),
        ("nargs", ctypes.c_size_t),
        ("args", ctypes.POINTER(Argument)),
        ("nwaits", ctypes.c_size_t),
        ("waits", ctypes.c_void_p),
        ("device", ctypes.c_void_p),
    ]


def argument_of_range(address: int, nbytes: int, access: int = READ_WRITE) -> Argument:
    return Argument(RANGE, access, nbytes, address, None)


def argument_of_value(value) -> Argument:
    """@value must live until the launch."""
    return Argument(VALUE, 0, ctypes.sizeof(value), ctypes.addressof(value), None)


def launch_of(kernel: ctypes.c_void_p, *args: Argument, **fields) -> LaunchArguments:
    """@fields: sizes, as tuples of at most three; what is not named is 0."""
    launch = LaunchArguments(size=ctypes.sizeof(LaunchArguments), kernel=kernel, dimensions=len(fields["global_size"]))
    for name, sizes in fields.items():
        getattr(launch, name)[: len(sizes)] = sizes
    launch.arg_size, launch.nargs, launch.args = ctypes.sizeof(Argument), len(args), (Argument * len(args))(*args)
    return launch
