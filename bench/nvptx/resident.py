#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""What het-ptx's pass `resident` costs where all is on the device, and what it gains where a part is.

All on the device: the kernels of overheads.py get addresses at which there is nothing, and the table moves each access
to the arrays, by granules of 2 MiB and of 64 KiB; times are multiples of the plain kernel's. A part: `gather` takes its
numbers at random places of an array in host memory, of which the device has a copy of a part; times are multiples of
the plain kernel's that works on host memory alone. Launches take turns; results and counters are compared with
what they have to be.

On a machine with a GPU, in seconds; what it needs are build/nvptx/overheads, overheads.py and this file. --check does
the comparisons alone, with few elements: LD_LIBRARY_PATH=build/fake makes it run without a GPU.
"""
import ctypes
import os
import struct
import sys

from overheads import Buffers, Driver, compare_times, kernels, options, save, started

ELSEWHERE = 1 << 50  # what is added to addresses so that there is nothing at them
PARTS = (0, 50, 75, 90, 100)  # percent that the device has
MAPPED = 2  # a flag of cuMemHostAlloc
COUNTED = 1  # a move that leaves a granule where it is, and counts


def number(n):
    return n % (1 << 64)


class Table:
    """The table of a range of addresses."""

    def __init__(self, gpu, module, base, end, bits):
        self.gpu, self.module, self.bits = gpu, module, bits
        self.base = base >> bits << bits
        self.size = end - self.base
        self.granules = (self.size + (1 << bits) - 1) >> bits
        self.moves, self.counts = (gpu.allocate(8 * self.granules) for _ in range(2))

    def set(self, moves):
        self.gpu.put(self.moves, struct.pack(f"<{self.granules}Q", *moves))
        self.clear()
        self.gpu.set_variable(self.module, "het_resident_table",
                              struct.pack("<QQQQII", self.base, self.size, self.moves, self.counts, self.bits, 0))

    def counted(self):
        return struct.unpack(f"<{self.granules}Q", self.gpu.get(self.counts, 8 * self.granules))

    def clear(self):
        self.gpu.clear(self.counts, 8 * self.granules)


class Bench:
    def __init__(self, arguments):
        self.gpu, self.check, self.repeats = Driver(), arguments.check, arguments.repeats
        self.buffers = Buffers(self.gpu, 1 << (19 if arguments.check else 26))
        self.plain, self.moved = (self.gpu.load(os.path.join(arguments.bin, t + ".ptx"))
                                  for t in ("plain", "resident"))
        self.table, self.checked, self.rows, self.wrong = None, 0, [], []

    def expect(self, what, got, wanted):
        self.checked += 1
        if got != wanted:
            self.wrong.append(what)
            print(f"  WRONG: {what}")

    def compare(self, kernel, name, plain, arguments, wanted, repeats):
        other = (self.gpu.function(self.moved, kernel.name), kernel.blocks, arguments)
        if not self.check:
            self.rows.append(compare_times(self.gpu, kernel.name, name, plain, other, repeats))
        self.gpu.clear(self.buffers.c, kernel.results)
        if self.table:
            self.table.clear()
        self.gpu.launch(*other)
        self.expect(f"{kernel.name}, {name}: the results", self.gpu.get(self.buffers.c, kernel.results), wanted)

    def all_there(self, kernel):
        plain = (self.gpu.function(self.plain, kernel.name), kernel.blocks, kernel.arguments)
        self.gpu.launch(*plain)
        wanted = self.gpu.get(self.buffers.c, kernel.results)
        self.gpu.set_variable(self.moved, "het_resident_table", bytes(40))
        self.table = None
        self.compare(kernel, "no table", plain, kernel.arguments, wanted, self.repeats)
        away = [type(a)(a.value + ELSEWHERE) if isinstance(a, ctypes.c_uint64) else a for a in kernel.arguments]
        for bits, name in ((21, "2 MiB"), (16, "64 KiB")):
            b = self.buffers
            self.table = Table(self.gpu, self.moved, b.low + ELSEWHERE, b.low + ELSEWHERE + b.span, bits)
            self.table.set([number(-ELSEWHERE)] * self.table.granules)
            self.compare(kernel, name, plain, away, wanted, self.repeats)
            self.expect(f"{kernel.name}, {name}: the counters", sum(self.table.counted()), 0)

    def copy_of(self, array, size):
        """The address of one in host memory; the interpreter's driver has none that kernels can use."""
        if self.check:
            address = self.gpu.allocate(size)
            self.gpu.put(address, self.gpu.get(array, size))
            return address
        host, address = ctypes.c_void_p(), ctypes.c_uint64()
        self.gpu.call("cuMemHostAlloc", ctypes.byref(host), ctypes.c_size_t(size), MAPPED)
        self.gpu.call("cuMemHostGetDevicePointer_v2", ctypes.byref(address), host, 0)
        self.gpu.call("cuMemcpyDtoH_v2", host, ctypes.c_uint64(array), ctypes.c_size_t(size))
        return address.value

    def parts_there(self, kernel):
        """The array that is gathered from lies in host memory."""
        b, gpu = self.buffers, self.gpu
        host = self.copy_of(b.a, b.size)
        gpu.launch(gpu.function(self.plain, kernel.name), kernel.blocks, kernel.arguments)
        wanted = gpu.get(b.c, kernel.results)
        arguments = [ctypes.c_uint64(host), *kernel.arguments[1:]]
        plain = (gpu.function(self.plain, kernel.name), kernel.blocks, arguments)
        self.table = Table(gpu, self.moved, host, host + b.size, 16)
        uses = [0] * self.table.granules
        for i in b.where:
            uses[(host + 4 * i - self.table.base) >> 16] += 1
        for part in PARTS:
            there = self.table.granules * part // 100
            # The first granule and the last one may have bytes that are not the array's: they stay on the host.
            inner = range(1 if self.table.base < host else 0, there if part < 100 else self.table.granules)
            move = [number(b.a - host) if g in inner else COUNTED for g in range(self.table.granules)]
            self.table.set(move)
            self.compare(kernel, f"{part} % there", plain, arguments, wanted, min(self.repeats, 7))
            self.expect(f"{kernel.name}, {part} % there: the counters", self.table.counted(),
                        tuple(u if m == COUNTED else 0 for m, u in zip(move, uses)))


def main():
    arguments = options("resident", __doc__, "comparisons only, with few elements", repeats=20)
    bench = started("resident", Bench, arguments)
    all_of_them = kernels(bench.buffers, arguments.check)
    for kernel in all_of_them:
        bench.all_there(kernel)
    bench.parts_there(all_of_them[1])
    if not arguments.check:
        save("resident", arguments, bench.gpu, {"repeats": bench.repeats, "results": bench.rows, "wrong": bench.wrong})
    print(f"{len(bench.rows)} ratios; {bench.checked} comparisons, {len(bench.wrong)} wrong")
    return 1 if bench.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
