# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Kernels for the devices "host" and "apart", which are functions of this process.

A kernel function is called once for each work-group, on several threads at once, with the group and the addresses of
its arguments: of a value's copy, of local memory, or of an array's first byte as the device has it. Such functions come
from compilers (Numba's cfunc with the signature void(voidptr, CPointer(voidptr))); written in Python itself they are slow, as they
take turns, and good for tests.
"""

import ctypes
from collections.abc import Callable
from typing import Any


class Group(ctypes.Structure):
    """struct het_group of het.h: sizes and this group's place, each in three dimensions."""

    _fields_ = [
        ("dimensions", ctypes.c_uint32),
        *(
            (name, ctypes.c_size_t * 3)
            for name in ("offset", "global_size", "local_size", "group", "groups", "first", "items")
        ),
    ]


Arguments = ctypes.POINTER(ctypes.c_void_p)
_Prototype = ctypes.CFUNCTYPE(None, ctypes.POINTER(Group), Arguments)


def function(run: Callable[[Any, Any], None]) -> Any:
    """Makes a kernel function of a Python function that takes a Group and the arguments' addresses."""

    def called(group: Any, arguments: Any) -> None:
        run(group.contents, arguments)

    return _Prototype(called)
