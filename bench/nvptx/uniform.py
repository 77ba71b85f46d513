#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""What the pass `uniform-simt` costs outside of SIMD regions: kernels with one thread a block, plain and with that
thread made a warp whose lanes all do the same. Both have as many warps.

On a machine with a GPU, in seconds; what it needs are build/nvptx/overheads, overheads.py and this file. --check
compares the results alone, with few elements: LD_LIBRARY_PATH=build/fake makes it run without a GPU.
"""
import ctypes
import os
import sys

from overheads import WARP, Buffers, Driver, compare_times, options, save, started

ELEMENTS, FEW = 1 << 20, 1 << 12
BUSY = 132 * 32 * 4  # blocks: four times what an H200 holds


def launches(buffers, small):
    """Name, blocks, arguments, elements of the result."""
    pointer, number = ctypes.c_uint64, ctypes.c_uint32
    b, n = buffers, FEW if small else ELEMENTS
    busy, rounds = (8, 20) if small else (BUSY, 4000)
    abc = [pointer(b.a), pointer(b.b), pointer(b.c)]
    return [
        ("vector_add", n, [*abc, number(n)], n),
        ("gather", n // 16, [pointer(b.a), pointer(b.numbers), pointer(b.c), number(n // 16)], n // 16),
        ("stream", busy, [*abc, number(n)], n),
        ("work", busy, [*abc, number(rounds)], busy),
    ]


class Bench:
    def __init__(self, arguments):
        self.gpu, self.check, self.repeats = Driver(), arguments.check, arguments.repeats
        self.buffers = Buffers(self.gpu, FEW if arguments.check else ELEMENTS)
        self.plain, self.mirrored = (self.gpu.load(os.path.join(arguments.bin, t + ".ptx"))
                                     for t in ("plain", "uniform-simt"))
        self.rows, self.wrong = [], []

    def run(self, name, blocks, given, results):
        one = (self.gpu.function(self.plain, name), blocks, given, 1)
        warp = (self.gpu.function(self.mirrored, name), blocks, given, WARP)
        found = []
        for launch in (one, warp):
            self.gpu.clear(self.buffers.c, 4 * results)
            self.gpu.launch(*launch)
            found.append(self.gpu.get(self.buffers.c, 4 * results))
        if found[0] != found[1] or not any(found[0]):
            self.wrong.append(name)
            print(f"  WRONG: {name}")
        if not self.check:
            self.rows.append(compare_times(self.gpu, name, "uniform-simt", one, warp, self.repeats))


def main():
    arguments = options("uniform", __doc__, "results only, with few elements", repeats=20)
    bench = started("uniform", Bench, arguments)
    for launch in launches(bench.buffers, arguments.check):
        bench.run(*launch)
    if not arguments.check:
        save("uniform", arguments, bench.gpu,
             {"repeats": bench.repeats, "results": bench.rows, "wrong": bench.wrong})
    print(f"{len(bench.rows)} ratios, {len(bench.wrong)} wrong")
    return 1 if bench.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
