#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Kernels on overlapping slices of numpy arrays, through ctypes alone: numpy_slices.py LIBRARY.

Nothing is copied or allocated for the library: a launch names the slices. Start it with LD_PRELOAD=LIBRARY, so that the
library learns of arrays that are freed."""

import ctypes as c
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools/tests"))

from libhet import (  # noqa: E402
    KERNEL,
    READ_ONLY,
    READ_WRITE,
    Argument,
    FirstProgramArguments,
    Function,
    Group,
    ProgramArguments,
    argument_of_range,
    argument_of_value,
    launch_of,
)

OPENCL_C = b"""
kernel void scale(global int *p, int factor)
{
	p[get_global_id(0)] *= factor;
}
kernel void add(global const int *from, global int *to)
{
	to[get_global_id(0)] += from[get_global_id(0)];
}
"""


def ints(address: int, group: Group) -> np.ndarray:
    """The elements that a work-group has of an array of int."""
    first, count = group.first[0], group.items[0]
    return np.ctypeslib.as_array(c.cast(address + 4 * first, c.POINTER(c.c_int)), (count,))


@KERNEL
def scale(group, args):
    factor = c.cast(args[1], c.POINTER(c.c_int))[0]
    p = ints(args[0], group[0])
    p *= factor


@KERNEL
def add(group, args):
    to = ints(args[1], group[0])
    to += ints(args[0], group[0])


class Het:
    def __init__(self, library: str, structure: type) -> None:
        self.lib = c.CDLL(library)
        self.lib.het_strerror.restype = c.c_char_p
        self.functions = (Function * 2)((b"scale", scale, 2), (b"add", add, 2))
        program = structure(size=c.sizeof(structure), source=OPENCL_C, functions=self.functions, nfunctions=2)
        self.queue, self.program, self.scale, self.add = (c.c_void_p() for _ in range(4))
        self.call("het_queue_create", None, c.byref(self.queue))
        self.call("het_program_create", c.byref(program), c.byref(self.program))
        self.call("het_kernel_create", self.program, b"scale", c.byref(self.scale))
        self.call("het_kernel_create", self.program, b"add", c.byref(self.add))

    def call(self, name: str, *args: object) -> None:
        err = getattr(self.lib, name)(*args)
        if err:
            raise RuntimeError(f"{name}: {self.lib.het_strerror(err).decode()}")

    def launch(self, kernel: c.c_void_p, items: int, *args: Argument) -> None:
        self.call("het_launch", self.queue, c.byref(launch_of(kernel, *args, global_size=(items,))), None)

    def finish(self) -> None:
        self.call("het_finish", self.queue)

    def release(self) -> None:
        for kind, handle in (("kernel", self.add), ("kernel", self.scale), ("program", self.program),
                ("queue", self.queue)):
            self.call(f"het_{kind}_release", handle)


def of_slice(array: np.ndarray, access: int) -> Argument:
    assert array.flags.c_contiguous
    return argument_of_range(array.ctypes.data, array.nbytes, access)


def work_on_slices(het: Het, seed: int) -> None:
    """Launches in flight on slices of one array, which overlap and nest, and their results in numpy's arithmetic."""
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 200_000)) + 10
    array = random.integers(-1000, 1000, n, dtype=np.int32)
    model = array.copy()
    for _ in range(20):
        length = int(random.integers(1, n // 2))
        first = int(random.integers(0, n - length))
        if random.integers(2):
            factor = c.c_int(int(random.integers(-3, 4)))
            het.launch(het.scale, length, of_slice(array[first : first + length], READ_WRITE),
                argument_of_value(factor))
            model[first : first + length] *= factor.value
            continue
        source = first + length if first + 2 * length <= n else first - length
        if source < 0:
            continue
        rows = array[source : source + length], array[first : first + length]
        het.launch(het.add, length, of_slice(rows[0], READ_ONLY), of_slice(rows[1], READ_WRITE))
        model[first : first + length] += model[source : source + length]
    het.finish()
    assert np.array_equal(array, model), f"seed {seed}: element {np.flatnonzero(array != model)[0]} differs"
    # The host goes on with a view of its own; the array is freed at the end, and its memory soon has another owner.
    array[::7] += 1
    model[::7] += 1
    assert array.sum() == model.sum()


def main() -> int:
    for structure in (FirstProgramArguments, ProgramArguments):
        het = Het(sys.argv[1], structure)
        for seed in range(15):
            work_on_slices(het, seed)
        het.release()
    print("all slices are right")
    return 0


if __name__ == "__main__":
    sys.exit(main())
