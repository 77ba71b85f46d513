#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Kernels with the pass `checkpoint` are stopped in the middle, again and again, and go on, until nothing is left: the
results must be those of the plain kernel.

On a machine with a GPU, in seconds; what it needs are build/nvptx/checkpoints, overheads.py and this file. --check lets
the kernels stop themselves, with few blocks: LD_LIBRARY_PATH=build/fake makes it run without a GPU.
"""
import ctypes
import json
import os
import struct
import sys
import time

from overheads import THREADS, Driver, options, save, started

HEAD = 32  # bytes of a context before its words
NON_BLOCKING = 1  # of a stream: it does not wait for kernels on the default one
MOST_LAUNCHES = 1000
LINE = 128
CONTROL = struct.Struct("<IIII9Q4I")
SMS = 1024  # more than any device has
KERNELS = ("registers", "shared_words", "local_words", "atomics", "lanes", "apart")


def wait_us(us):
    end = time.perf_counter_ns() + int(us * 1000)
    while time.perf_counter_ns() < end:
        pass


class Stopper:
    """The control block, contexts, and how to set the flags while a kernel runs: one for each SM."""

    def __init__(self, gpu, blocks, check):
        self.gpu, self.blocks, self.check = gpu, blocks, check
        self.control = gpu.allocate(CONTROL.size)
        self.lists = [gpu.allocate(8 * blocks) for _ in range(2)]
        self.flags = gpu.allocate(LINE * SMS)
        self.stream = ctypes.c_void_p()
        gpu.call("cuStreamCreateWithPriority", ctypes.byref(self.stream), NON_BLOCKING, 0)
        # The copy engine sets the flags: what sets memory on the device is a kernel, and would wait for these to end.
        self.ones = ctypes.c_void_p()
        gpu.call("cuMemHostAlloc", ctypes.byref(self.ones), ctypes.c_size_t(LINE * SMS), 0)
        ctypes.memset(self.ones, 1, LINE * SMS)
        self.contexts, self.bytes = 0, 0

    def room_for(self, stops):
        """Contexts for all blocks of a kernel."""
        size = HEAD + THREADS * (4 + stops["thread_bytes"]) + stops["shared_bytes"]
        self.bytes = -(-size // LINE) * LINE
        self.contexts = self.gpu.allocate(self.blocks * self.bytes)
        self.used = 0

    def launch(self, function, numbers, arguments, after_us):
        """Launches blocks or contexts, and stops them after a time. Returns the numbers that have not begun, and the
        microseconds from the flag to the end."""
        self.gpu.clear(self.flags, LINE * SMS)
        self.gpu.put(self.lists[0], struct.pack(f"<{len(numbers)}Q", *numbers))
        stride = 0 if self.check else LINE
        self.gpu.put(self.control, CONTROL.pack(self.blocks, 1, 1, stride, 0, self.lists[0], self.lists[1], 0, self.flags,
                                            self.contexts, self.bytes, self.blocks, self.used, 0, 0, 0, 0))
        self.gpu.call("cuCtxSynchronize")
        self.gpu.launch(function, len(numbers), [*arguments, ctypes.c_uint64(self.control)])
        took = 0.0
        if after_us is not None:
            wait_us(after_us)
            begin = time.perf_counter_ns()
            self.gpu.call("cuMemcpyHtoDAsync_v2", ctypes.c_uint64(self.flags), self.ones, ctypes.c_size_t(LINE * SMS),
                          self.stream)
            self.gpu.call("cuCtxSynchronize")
            took = (time.perf_counter_ns() - begin) / 1e3
        left, self.used = struct.unpack("<Q32xQ", self.gpu.get(self.control + 40, 48))
        return list(struct.unpack(f"<{left}Q", self.gpu.get(self.lists[1], 8 * left))) if left else [], took

    def stopped(self):
        """Contexts that are to be resumed."""
        used = min(self.used, self.blocks)
        all_of = self.gpu.get(self.contexts, used * self.bytes) if used else b""
        return [n for n in range(used) if struct.unpack_from("<I", all_of, n * self.bytes + 8)[0]]


class Bench:
    def __init__(self, arguments):
        self.gpu, self.check = Driver(), arguments.check
        self.blocks, self.rounds = (4, 8) if arguments.check else (4096, 20000)
        self.size = 4 * self.blocks * THREADS
        self.plain, self.stoppable = (self.gpu.load(os.path.join(arguments.bin, t + ".ptx"))
                                      for t in ("plain", "checkpoint"))
        with open(os.path.join(arguments.bin, "info.json")) as file:
            self.stops = {f["name"]: f["stops"] for f in json.load(file)[0]["functions"] if "stops" in f}
        self.out = self.gpu.allocate(self.size)
        self.stopper = Stopper(self.gpu, self.blocks, self.check)
        self.rows, self.wrong = [], []

    def arguments(self, mark):
        return [ctypes.c_uint64(self.out), ctypes.c_uint32(self.rounds), ctypes.c_uint64(mark)]

    def plain_run(self, name):
        launch = (self.gpu.function(self.plain, name), self.blocks, self.arguments(0))
        times = [self.gpu.timed(*launch) for _ in range(1 if self.check else 4)]
        self.gpu.clear(self.out, self.size)
        self.gpu.launch(*launch)
        return self.gpu.get(self.out, self.size), min(times)

    def run(self, name, part):
        wanted, plain_us = self.plain_run(name)
        new, resumed = (self.gpu.function(self.stoppable, name + suffix) for suffix in ("", "_het_resumed"))
        stopper = self.stopper
        stopper.room_for(self.stops[name])
        self.gpu.clear(self.out, self.size)
        arguments = self.arguments(stopper.flags if self.check else 0)
        row = {"kernel": name, "part": part, "plain_us": plain_us, "stopped": [], "left": [], "stop_us": []}
        after = None if self.check else part * plain_us
        undone = list(range(self.blocks))
        contexts = []
        while (undone or contexts) and len(row["stopped"]) < MOST_LAUNCHES:
            not_begun = []
            if contexts:
                # Contexts that have not gone on are still marked as stopped.
                _, took = stopper.launch(resumed, contexts, arguments, after)
                row["stop_us"].append(took)
            if undone:
                not_begun, took = stopper.launch(new, undone, arguments, after)
                row["stop_us"].append(took)
            undone, contexts = not_begun, stopper.stopped()
            row["left"].append(len(undone))
            row["stopped"].append(len(contexts))
        row["right"] = self.gpu.get(self.out, self.size) == wanted
        self.rows.append(row)
        self.gpu.call("cuMemFree_v2", ctypes.c_uint64(stopper.contexts))
        if not row["right"] or not any(row["stopped"]):
            self.wrong.append(f"{name}, stopped after {part}")
        print(f"{name:12s} stopped after {part:4.2f} of {plain_us:8.1f} us: {len(row['stopped'])} rounds, contexts "
              f"{row['stopped'][:5]}, not begun {row['left'][:5]}, longest from flag to end "
              f"{max(row['stop_us']):7.1f} us: {'right' if row['right'] else 'WRONG'}", flush=True)

    def cost(self, name):
        """The time of the kernel that could be stopped but never is, as a multiple of the plain one's."""
        self.stopper.room_for(self.stops[name])
        self.gpu.clear(self.stopper.flags, LINE * SMS)
        s = self.stopper
        self.gpu.put(s.control, CONTROL.pack(self.blocks, 1, 1, LINE, 0, 0, s.lists[1], 0, s.flags, s.contexts, s.bytes,
                                         self.blocks, 0, 0, 0, 0, 0))
        launches = [(self.gpu.function(self.plain, name), self.blocks, self.arguments(0)),
                    (self.gpu.function(self.stoppable, name), self.blocks,
                     [*self.arguments(0), ctypes.c_uint64(self.stopper.control)])]
        times = [[], []]
        for _ in range(11):
            for n, launch in enumerate(launches):
                times[n].append(self.gpu.timed(*launch))
        ratio = sorted(times[1])[5] / sorted(times[0])[5]
        self.gpu.call("cuMemFree_v2", ctypes.c_uint64(self.stopper.contexts))
        self.rows.append({"kernel": name, "cost": ratio, "plain_us": times[0], "stoppable_us": times[1]})
        print(f"{name:12s} never stopped: {ratio:5.3f} of the plain kernel", flush=True)


def main():
    arguments = options("checkpoints", __doc__, "with few blocks, stopped by themselves", "build/nvptx/checkpoints")
    bench = started("checkpoints", Bench, arguments)
    for name in KERNELS:
        for part in (0.0,) if arguments.check else (0.15, 0.4, 0.8):
            bench.run(name, part)
        if not arguments.check:
            bench.cost(name)
    if not arguments.check:
        save("checkpoints", arguments, bench.gpu, {"results": bench.rows, "wrong": bench.wrong})
    print(f"{len(bench.wrong)} wrong")
    return 1 if bench.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
