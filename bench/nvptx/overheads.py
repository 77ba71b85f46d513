#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""What het-ptx's passes cost: kernels that `make bench-nvptx` instrumented, as multiples of the plain ones.

On a machine with a GPU, in half a minute; what it needs are build/nvptx/overheads and this file. Launches of the plain
and the instrumented kernel take turns. Results, pages and counters are compared with what they have to be. --check does
that alone, with few elements: LD_LIBRARY_PATH=build/fake makes it run without a GPU.
"""
import argparse
import ctypes
import json
import os
import random
import statistics
import struct
import sys

THREADS = 256
WARP = 32
WARPS = THREADS // WARP
PAGE = 1 << 16
ROWS = 64  # of flags
LINE = 128
COPIES = 256  # of counters: one copy for each processor
SAMPLED = 64  # one of so many accesses is counted
WARM_UP = 3
KEY = 0x9E3779B1
TEXTS = ("plain", "dirty", "touch", "coalesce", "slice")


class Driver:
    """What is used of libcuda. Addresses are integers."""

    def __init__(self):
        self.cuda = ctypes.CDLL("libcuda.so.1")
        device, context, name = ctypes.c_int(), ctypes.c_void_p(), ctypes.create_string_buffer(100)
        self.call("cuInit", 0)
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        self.call("cuDeviceGetName", name, 100, device)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxPushCurrent_v2", context)
        self.name = name.value.decode()
        self.events = [ctypes.c_void_p(), ctypes.c_void_p()]
        for event in self.events:
            self.call("cuEventCreate", ctypes.byref(event), 0)

    def call(self, name, *arguments):
        error = getattr(self.cuda, name)(*arguments)
        if error:
            raise RuntimeError(f"{name} failed with {error}")

    def allocate(self, size):
        address = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
        return address.value

    def put(self, address, data):
        self.call("cuMemcpyHtoD_v2", ctypes.c_uint64(address), data, ctypes.c_size_t(len(data)))

    def clear(self, address, size):
        self.call("cuMemsetD8_v2", ctypes.c_uint64(address), ctypes.c_ubyte(0), ctypes.c_size_t(size))

    def get(self, address, size):
        data = ctypes.create_string_buffer(size)
        self.call("cuCtxSynchronize")
        self.call("cuMemcpyDtoH_v2", data, ctypes.c_uint64(address), ctypes.c_size_t(size))
        return data.raw

    def load(self, path):
        module = ctypes.c_void_p()
        with open(path, "rb") as file:
            self.call("cuModuleLoadData", ctypes.byref(module), file.read() + b"\0")
        return module

    def function(self, module, name):
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        return function

    def set_variable(self, module, name, data):
        address, size = ctypes.c_uint64(), ctypes.c_size_t()
        self.call("cuModuleGetGlobal_v2", ctypes.byref(address), ctypes.byref(size), module, name.encode())
        if size.value != len(data):
            raise RuntimeError(f"{name} has {size.value} bytes, not {len(data)}")
        self.put(address.value, data)

    def launch(self, function, blocks, arguments, threads=THREADS):
        pointers = (ctypes.c_void_p * len(arguments))(*[ctypes.addressof(a) for a in arguments])
        self.call("cuLaunchKernel", function, blocks, 1, 1, threads, 1, 1, 0, None, pointers, None)

    def timed(self, *launch):
        """Microseconds."""
        begin, end = self.events
        self.call("cuEventRecord", begin, None)
        self.launch(*launch)
        self.call("cuEventRecord", end, None)
        self.call("cuCtxSynchronize")
        milliseconds = ctypes.c_float()
        self.call("cuEventElapsedTime", ctypes.byref(milliseconds), begin, end)
        return milliseconds.value * 1e3


class Buffers:
    """Three arrays a, b, c, numbers that say what gather takes, and what the instruments need."""

    def __init__(self, gpu, elements):
        self.gpu, self.elements, self.size = gpu, elements, 4 * elements
        chance = random.Random(1)
        some = struct.pack("<4096f", *[chance.randrange(100) for _ in range(4096)])
        self.taken = max(elements // 16, THREADS)
        mask = int.from_bytes(struct.pack("<I", elements - 1) * self.taken, "little")
        where = (int.from_bytes(chance.randbytes(4 * self.taken), "little") & mask).to_bytes(4 * self.taken, "little")
        self.where = struct.unpack(f"<{self.taken}I", where)
        self.a, self.b, self.c = (gpu.allocate(self.size) for _ in range(3))
        self.numbers = gpu.allocate(len(where))
        for array in (self.a, self.b):
            gpu.put(array, some * (elements // 4096))
        gpu.put(self.numbers, where)
        self.low = min(self.a, self.b, self.c, self.numbers) // PAGE * PAGE
        self.span = max(self.a, self.b, self.c, self.numbers) + self.size - self.low
        self.stride = -(-self.span // (PAGE * ROWS * LINE)) * LINE
        self.flags = gpu.allocate(ROWS * self.stride)
        self.control = gpu.allocate(48)
        self.left = gpu.allocate(8 * (elements // THREADS))

    def page_table(self):
        self.gpu.clear(self.flags, ROWS * self.stride)
        return struct.pack("<QQQII", self.low, self.span, self.flags, self.stride, 0)

    def noted(self):
        """Pages of which the flag is set, by address / PAGE."""
        flags = self.gpu.get(self.flags, ROWS * self.stride)
        return {self.low // PAGE + i % self.stride * ROWS + i // self.stride for i, f in enumerate(flags) if f}

    def pages(self, array, size):
        return set(range(array // PAGE, -(-(array + size) // PAGE)))


class Counters:
    def __init__(self, gpu, sites):
        self.gpu, self.sites, self.size = gpu, sites, 32 * sites * COPIES
        self.address = gpu.allocate(self.size)

    def table(self, block_of, rate=(1 << 32) - 1):
        """One of so many blocks is sampled."""
        self.gpu.clear(self.address, self.size)
        return struct.pack("<IIQIIII", (1 << 32) // block_of - 1, 0, self.address, COPIES - 1, self.sites, rate, 0)

    def table_for(self, one_of, blocks):
        """What coalesce.h's coalesce_sampled() says of a grid."""
        block_of = 1
        while block_of * 2 <= one_of and block_of * 2 * 1024 <= blocks:
            block_of *= 2
        return self.table(block_of, ((1 << 32) * block_of + one_of // 2) // one_of - 1)

    def sums(self):
        """[warps, threads, lines, pages] of every site."""
        words = struct.unpack(f"<{self.size // 8}Q", self.gpu.get(self.address, self.size))
        return [[sum(words[4 * (self.sites * k + site) + j] for k in range(COPIES)) for j in range(4)]
                for site in range(self.sites)]


def sampled(warp, one_of):
    return warp // WARPS * KEY % (1 << 32) <= (1 << 32) // one_of - 1


class Kernel:
    """A kernel, its arguments, and what it does."""

    def __init__(self, name, blocks, arguments, results, threads, reads, regular):
        self.name, self.blocks, self.arguments = name, blocks, arguments
        self.results = results  # bytes of c that it writes
        self.threads = threads  # how often a thread comes to each access
        self.reads = reads  # in pages
        self.regular = regular  # a warp asks for one line and one page at a time

    def warps(self, one_of):
        """How many accesses of a whole warp there are at a site, of the blocks that are sampled."""
        grid = self.blocks * WARPS
        rounds, rest = divmod(self.threads // WARP, grid)
        return sum(rounds + (w < rest) for w in range(grid) if sampled(w, one_of))


def kernels(buffers, small):
    pointer, number = ctypes.c_uint64, ctypes.c_uint32
    b = buffers
    abc, all_of_it = [pointer(b.a), pointer(b.b), pointer(b.c)], b.pages(b.a, b.size) | b.pages(b.b, b.size)
    taken = {b.a // PAGE + i * 4 // PAGE for i in b.where} | b.pages(b.numbers, 4 * b.taken)
    busy, rounds = (4, 20) if small else (20000, 12000)
    threads = busy * THREADS
    return [
        Kernel("vector_add", b.elements // THREADS, [*abc, number(b.elements)], b.size, b.elements, all_of_it, True),
        Kernel("gather", b.taken // THREADS, [pointer(b.a), pointer(b.numbers), pointer(b.c), number(b.taken)],
               4 * b.taken, b.taken, taken, False),
        Kernel("stream", 4 if small else 1056, [*abc, number(b.elements)], b.size, b.elements, all_of_it, True),
        Kernel("work", busy, [*abc, number(rounds)], 4 * threads, threads, b.pages(b.a, 4 * threads), True),
    ]


def compare_times(gpu, kernel, name, plain, other, repeats):
    """Launches in turns: the second as a multiple of the first."""
    times = []
    for _ in range(WARM_UP + repeats):
        times.append((gpu.timed(*plain), gpu.timed(*other)))
    ratios = sorted(t[1] / t[0] for t in times[WARM_UP:])
    cut = len(ratios) // 10
    row = {"kernel": kernel, "instrument": name,
           "plain_us": statistics.median(t[0] for t in times[WARM_UP:]),
           "ratio": statistics.median(ratios), "low": ratios[cut], "high": ratios[-1 - cut]}
    spread = f"{row['ratio']:7.3f} ({row['low']:.3f}-{row['high']:.3f})"
    print(f"{kernel:12s} {row['plain_us']:9.1f} us  {name:14s} {spread}", flush=True)
    return row


class Bench:
    def __init__(self, arguments):
        self.gpu, self.repeats = Driver(), arguments.repeats
        self.buffers = Buffers(self.gpu, 1 << (19 if arguments.check else 26))
        self.modules = {t: self.gpu.load(os.path.join(arguments.bin, t + ".ptx")) for t in TEXTS}
        with open(os.path.join(arguments.bin, "sites.json")) as file:
            self.sites = json.load(file)
        self.counters = Counters(self.gpu, len(self.sites))
        self.check, self.checked, self.rows, self.wrong = arguments.check, 0, [], []

    def expect(self, what, got, wanted):
        self.checked += 1
        if got != wanted:
            self.wrong.append(what)
            print(f"  WRONG: {what}")

    def measure(self, kernel, text, name, more=()):
        plain = (self.gpu.function(self.modules["plain"], kernel.name), kernel.blocks, kernel.arguments)
        other = (self.gpu.function(self.modules[text], kernel.name), kernel.blocks, [*kernel.arguments, *more])
        if not self.check:
            self.time(kernel, name, plain, other)
        self.gpu.clear(self.buffers.c, kernel.results)
        self.gpu.launch(*other)
        self.expect(f"{kernel.name}, {name}: the results", self.gpu.get(self.buffers.c, kernel.results), self.results)

    def time(self, kernel, name, plain, other):
        self.rows.append(compare_times(self.gpu, kernel.name, name, plain, other, self.repeats))

    def run(self, kernel):
        self.gpu.launch(self.gpu.function(self.modules["plain"], kernel.name), kernel.blocks, kernel.arguments)
        self.results = self.gpu.get(self.buffers.c, kernel.results)
        self.pages(kernel)
        self.lines(kernel)
        self.measure(kernel, "slice", "slice off", [ctypes.c_uint64(0)])
        self.gpu.put(self.buffers.control,
                     struct.pack("<IIIIQQQQ", kernel.blocks, 1, 1, 0, 0, 0, self.buffers.left, 0))
        self.measure(kernel, "slice", "slice", [ctypes.c_uint64(self.buffers.control)])

    def pages(self, kernel):
        written = self.buffers.pages(self.buffers.c, kernel.results)
        for name, wanted in (("dirty", written), ("touch", written | kernel.reads)):
            self.gpu.set_variable(self.modules[name], f"het_{name}_table", bytes(32))
            self.measure(kernel, name, name + " off")
            self.gpu.set_variable(self.modules[name], f"het_{name}_table", self.buffers.page_table())
            self.measure(kernel, name, name)
            self.expect(f"{kernel.name}, {name}: the pages", self.buffers.noted(), wanted)

    def lines(self, kernel):
        module = self.modules["coalesce"]
        mine = [i for i, s in enumerate(self.sites) if s["function"] == kernel.name]
        for name, one_of in (("coalesce off", 0), (f"coalesce 1/{SAMPLED}", SAMPLED), ("coalesce full", 1)):
            table = self.counters.table_for(one_of, kernel.blocks) if one_of else bytes(32)
            self.gpu.set_variable(module, "het_coalesce_table", table)
            self.measure(kernel, "coalesce", name)
            if not one_of:
                continue
            self.gpu.set_variable(module, "het_coalesce_table", self.counters.table(one_of))
            self.gpu.launch(self.gpu.function(module, kernel.name), kernel.blocks, kernel.arguments)
            warps = kernel.warps(one_of)
            sums = self.counters.sums()
            for site in mine:
                irregular = not kernel.regular and site == mine[1]  # where[i] comes first, and the result last
                lines = self.gather_lines(one_of) if irregular else (warps, warps)
                self.expect(f"{kernel.name}, {name}: the counters of site {site}, {sums[site]}",
                            sums[site], [warps, warps * WARP, *lines])

    def gather_lines(self, one_of):
        where = self.buffers.where
        lines = pages = 0
        for w in range(len(where) // WARP):
            if sampled(w, one_of):
                some = where[w * WARP:(w + 1) * WARP]
                lines += len({i * 4 // LINE for i in some})
                pages += len({i * 4 // PAGE for i in some})
        return lines, pages


def options(name, what, check, texts="build/nvptx/overheads", repeats=0):
    """What a program of this folder is given; the others that measure passes have the same options."""
    parser = argparse.ArgumentParser(description=what, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=texts, help="the folder of the texts")
    parser.add_argument("--out", default="nvptx-results", help=f"where nvptx-{name}.json goes")
    if repeats:
        parser.add_argument("--repeats", type=int, default=repeats)
    parser.add_argument("--commit", default="", help="noted in the results")
    parser.add_argument("--check", action="store_true", help=check)
    return parser.parse_args()


def started(name, make, arguments):
    """What `make` makes of the arguments; without a driver or texts, the reason, and the end with status 4."""
    try:
        bench = make(arguments)
    except OSError as reason:
        print(f"{name}: {reason}", file=sys.stderr)
        sys.exit(4)
    print(bench.gpu.name)
    return bench


def save(name, arguments, gpu, found):
    os.makedirs(arguments.out, exist_ok=True)
    with open(os.path.join(arguments.out, f"nvptx-{name}.json"), "w") as file:
        json.dump({"machine": {"gpu": gpu.name, "commit": arguments.commit}, **found}, file, indent=1)


def main():
    arguments = options("overheads", __doc__, "comparisons only, with few elements", repeats=20)
    bench = started("overheads", Bench, arguments)
    for kernel in kernels(bench.buffers, arguments.check):
        bench.run(kernel)
    if not arguments.check:
        save("overheads", arguments, bench.gpu,
             {"repeats": bench.repeats, "results": bench.rows, "wrong": bench.wrong})
    print(f"{len(bench.rows)} ratios; {bench.checked} comparisons, {len(bench.wrong)} wrong")
    return 1 if bench.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
