#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""What the pass `uniform-simt` costs outside of SIMD regions: kernels with one thread a block, plain and with that
thread made a warp whose lanes all do the same. Both have as many warps.

On a machine with a GPU, in seconds; what it needs are build/nvptx/overheads, overheads.py and this file. --check
compares the results alone, with few elements: LD_LIBRARY_PATH=build/fake makes it run without a GPU.
"""
import argparse
import ctypes
import json
import os
import sys

from overheads import WARP, Buffers, Driver, compare_times

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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="build/nvptx/overheads", help="the folder of the texts")
    parser.add_argument("--out", default="nvptx-results", help="where nvptx-uniform.json goes")
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--commit", default="", help="noted in the results")
    parser.add_argument("--check", action="store_true", help="results only, with few elements")
    arguments = parser.parse_args()
    try:
        gpu = Driver()
        buffers = Buffers(gpu, FEW if arguments.check else ELEMENTS)
        plain, mirrored = (gpu.load(os.path.join(arguments.bin, t + ".ptx")) for t in ("plain", "uniform-simt"))
    except OSError as reason:
        print(f"uniform: {reason}", file=sys.stderr)
        return 4
    print(gpu.name)
    rows, wrong = [], []
    for name, blocks, given, results in launches(buffers, arguments.check):
        one = (gpu.function(plain, name), blocks, given, 1)
        warp = (gpu.function(mirrored, name), blocks, given, WARP)
        found = []
        for launch in (one, warp):
            gpu.clear(buffers.c, 4 * results)
            gpu.launch(*launch)
            found.append(gpu.get(buffers.c, 4 * results))
        if found[0] != found[1] or not any(found[0]):
            wrong.append(name)
            print(f"  WRONG: {name}")
        if not arguments.check:
            rows.append(compare_times(gpu, name, "uniform-simt", one, warp, arguments.repeats))
    if not arguments.check:
        os.makedirs(arguments.out, exist_ok=True)
        with open(os.path.join(arguments.out, "nvptx-uniform.json"), "w") as file:
            json.dump({"machine": {"gpu": gpu.name, "commit": arguments.commit}, "repeats": arguments.repeats,
                       "results": rows, "wrong": wrong}, file, indent=1)
    print(f"{len(rows)} ratios, {len(wrong)} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
