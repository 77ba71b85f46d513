#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Kernels with the pass `slice` are stopped in the middle, and the blocks that have not begun are launched again, until
none is left: the results must be those of the plain kernel.

On a machine with a GPU, in seconds; what it needs are build/nvptx/overheads, overheads.py and this file. --check stops
the kernels before they begin, with few elements: LD_LIBRARY_PATH=build/fake makes it run without a GPU.
"""
import ctypes
import os
import struct
import sys
import time

from overheads import Buffers, Driver, kernels, options, save, started

STOP = 12  # offset in the control block
NON_BLOCKING = 1  # of a stream: it does not wait for kernels on the default one
MOST_LAUNCHES = 1000


class Stopper:
    """The control block, and how to change it while a kernel runs."""

    def __init__(self, gpu, most_blocks):
        self.gpu = gpu
        self.control = gpu.allocate(48)
        self.lists = [gpu.allocate(8 * most_blocks) for _ in range(2)]
        self.stream, self.pinned = ctypes.c_void_p(), ctypes.c_void_p()
        gpu.call("cuStreamCreateWithPriority", ctypes.byref(self.stream), NON_BLOCKING, 0)
        gpu.call("cuMemHostAlloc", ctypes.byref(self.pinned), ctypes.c_size_t(4), 0)
        ctypes.c_uint32.from_address(self.pinned.value).value = 1

    def prepare(self, blocks, stop, turn, begun):
        """Blocks that do not begin go to one list; those of the other one are what is to run, once there is one."""
        listed = self.lists[1 - turn % 2] if begun else 0
        self.gpu.put(self.control, struct.pack("<IIIIQQQQ", blocks, 1, 1, stop, 0, listed, self.lists[turn % 2], 0))

    def stop(self):
        self.gpu.call("cuMemcpyHtoDAsync_v2", ctypes.c_uint64(self.control + STOP), self.pinned, ctypes.c_size_t(4),
                      self.stream)
        self.gpu.call("cuStreamSynchronize", self.stream)

    def left(self):
        return struct.unpack("<Q", self.gpu.get(self.control + 40, 8))[0]


def wait_us(us):
    end = time.perf_counter_ns() + int(us * 1000)
    while time.perf_counter_ns() < end:
        pass


class Bench:
    def __init__(self, arguments):
        self.gpu, self.check = Driver(), arguments.check
        self.buffers = Buffers(self.gpu, 1 << (19 if arguments.check else 26))
        self.plain, self.sliced = (self.gpu.load(os.path.join(arguments.bin, t + ".ptx")) for t in ("plain", "slice"))
        self.all = kernels(self.buffers, arguments.check)
        self.stopper = Stopper(self.gpu, max(k.blocks for k in self.all))
        self.rows, self.wrong = [], []

    def run(self, kernel, part):
        """Stops each launch after this part of the plain kernel's time."""
        plain = (self.gpu.function(self.plain, kernel.name), kernel.blocks, kernel.arguments)
        function = self.gpu.function(self.sliced, kernel.name)
        self.gpu.launch(*plain)
        wanted = self.gpu.get(self.buffers.c, kernel.results)
        plain_us = 0 if self.check else min(self.gpu.timed(*plain) for _ in range(5))
        self.gpu.clear(self.buffers.c, kernel.results)
        self.gpu.call("cuCtxSynchronize")
        row = {"kernel": kernel.name, "part": part, "plain_us": plain_us, "blocks": kernel.blocks, "left": []}
        to_run = kernel.blocks
        while to_run and len(row["left"]) < MOST_LAUNCHES:
            turn = len(row["left"])
            self.stopper.prepare(kernel.blocks, self.check and turn == 0, turn, turn > 0)
            self.gpu.launch(function, to_run, [*kernel.arguments, ctypes.c_uint64(self.stopper.control)])
            if not self.check:
                wait_us(part * plain_us)
                self.stopper.stop()
            to_run = self.stopper.left()
            row["left"].append(to_run)
        row["right"] = self.gpu.get(self.buffers.c, kernel.results) == wanted
        row["stopped"] = any(0 < left < kernel.blocks for left in row["left"])
        self.rows.append(row)
        if not row["right"]:
            self.wrong.append(f"{kernel.name}, stopped after {part}")
        print(f"{kernel.name:12s} stopped after {part:4.2f} of {plain_us:8.1f} us: {len(row['left'])} launches, left "
              f"{row['left'][:6]}: {'right' if row['right'] else 'WRONG'}", flush=True)


def main():
    arguments = options("stops", __doc__, "with few elements, stopped before they begin")
    bench = started("stops", Bench, arguments)
    for kernel in bench.all:
        for part in (0.0,) if arguments.check else (0.1, 0.3, 0.5, 0.8):
            bench.run(kernel, part)
    if not arguments.check:
        save("stops", arguments, bench.gpu, {"results": bench.rows, "wrong": bench.wrong})
        if not any(row["stopped"] for row in bench.rows):
            bench.wrong.append("no kernel was stopped in the middle")
    print(f"{len(bench.rows)} runs, {sum(row['stopped'] for row in bench.rows)} stopped in the middle, "
          f"{len(bench.wrong)} wrong")
    return 1 if bench.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
