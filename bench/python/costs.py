#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""What Python's package costs.

launch: an empty kernel with four arrays, launched and waited for; and the same in C, through the same library in the same
process. saxpy: y += a * x twice over 64 MiB that the host has written, one value read after each; and the same with
pyopencl, with the fewest copies. "saxpy, all" reads all of y at the end. Both sides of a row take turns.

    PYTHONPATH=build/python /usr/bin/python3 bench/python/costs.py [--rounds N] [--json FILE]

It needs build/python and, for the first, build/python-bench/launch.so (make python-bench).
"""

import argparse
import ctypes
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import het

ROOT = Path(__file__).resolve().parents[2]
EMPTY = "kernel void empty(global int *a, global int *b, global int *c, global int *d) {}"
SAXPY = "kernel void saxpy(global const float *x, global float *y, float a) { size_t i = get_global_id(0); y[i] += a * x[i]; }"
LAUNCHES = 20
PAGE = 4096

Side = Callable[[], float]


def aligned(n: int, dtype: type) -> np.ndarray:
    """Whole pages, so that an array has no edges to share."""
    nbytes = n * np.dtype(dtype).itemsize
    memory = np.zeros(nbytes + PAGE, np.uint8)
    first = -memory.ctypes.data % PAGE
    return memory[first : first + nbytes].view(dtype)


def launch_sides() -> dict[str, Side]:
    library = ctypes.CDLL(str(ROOT / "build/python-bench/launch.so"))
    library.launch_and_wait.restype = ctypes.c_double
    if library.prepare(EMPTY.encode(), b"empty"):
        raise RuntimeError("launch.so: no kernel")
    arrays = [aligned(PAGE, np.int32) for _ in range(4)]
    pointers = (ctypes.c_void_p * 4)(*(a.ctypes.data for a in arrays))
    a, b, c, d = arrays
    k = het.Program(EMPTY).empty

    def in_python() -> float:
        start = time.perf_counter()
        for _ in range(LAUNCHES):
            k[1, 1](a, b, c, d)
        return (time.perf_counter() - start) / LAUNCHES

    def in_c() -> float:
        seconds = library.launch_and_wait(pointers, ctypes.c_size_t(arrays[0].nbytes), LAUNCHES)
        if seconds < 0:
            raise RuntimeError(f"launch.so: {seconds}")
        return float(seconds)

    return {"python": in_python, "c": in_c}


def saxpy_sides(n: int, reads_all: bool) -> dict[str, Side]:
    import pyopencl as cl

    x, y, result = np.empty(n, np.float32), np.empty(n, np.float32), np.zeros(n, np.float32)
    read = slice(None) if reads_all else slice(n // 3, n // 3 + 1)
    context = cl.create_some_context(interactive=False)
    queue = cl.CommandQueue(context)
    by_hand = cl.Program(context, SAXPY).build().saxpy
    buffers = [cl.Buffer(context, cl.mem_flags.READ_WRITE, x.nbytes) for _ in range(2)]
    one = np.empty(1, np.float32)
    k = het.Program(SAXPY).saxpy
    at = n // 3

    def fill() -> None:
        x[:] = 2
        y[:] = 1

    def check(between: float, end: np.ndarray) -> None:
        if between != 7 or not (end == 13).all():
            raise RuntimeError(f"wrong result: {between}, {end}")

    def with_het() -> float:
        fill()
        start = time.perf_counter()
        k[n](x, y, 3.0)
        between = y[at]
        k[n](x, y, 3.0)
        result[read] = y[read]
        seconds = time.perf_counter() - start
        check(between, result[read])
        return seconds

    def with_pyopencl() -> float:
        fill()
        start = time.perf_counter()
        cl.enqueue_copy(queue, buffers[0], x, is_blocking=False)
        cl.enqueue_copy(queue, buffers[1], y, is_blocking=False)
        by_hand(queue, (n,), None, *buffers, np.float32(3))
        cl.enqueue_copy(queue, one, buffers[1], src_offset=at * one.nbytes)
        by_hand(queue, (n,), None, *buffers, np.float32(3))
        between = one[0]
        if reads_all:
            cl.enqueue_copy(queue, y, buffers[1])
            result[read] = y[read]
        else:
            cl.enqueue_copy(queue, one, buffers[1], src_offset=at * one.nbytes)
            result[read] = one
        seconds = time.perf_counter() - start
        check(between, result[read])
        return seconds

    return {"het": with_het, "pyopencl": with_pyopencl}


def take_turns(sides: dict[str, Side], rounds: int) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in sides}
    for side in sides.values():
        side()
        side()
    for _ in range(rounds):
        for name in random.sample(list(sides), len(sides)):
            times[name].append(sides[name]())
    return times


def interval(times: list[list[float]], of: Callable[[list[float]], float]) -> dict[str, float]:
    """Of a function of the sides' medians, with 95 % of what comes out for rounds that are drawn again."""
    rounds = len(times[0])
    drawn = sorted(
        of([statistics.median(series[i] for i in chosen) for series in times])
        for chosen in ([random.randrange(rounds) for _ in range(rounds)] for _ in range(1000))
    )
    return {"median": of([statistics.median(series) for series in times]), "low": drawn[25], "high": drawn[974]}


def summary(name: str, unit: str, scale: float, times: list[float]) -> dict[str, Any]:
    ordered = sorted(scale * t for t in times)
    quarter = len(ordered) // 4
    return {
        "name": name,
        "unit": unit,
        "n": len(ordered),
        "median": statistics.median(ordered),
        "p25": ordered[quarter],
        "p75": ordered[-quarter - 1],
        "min": ordered[0],
        "max": ordered[-1],
    }


def commit() -> str:
    said = subprocess.run(["git", "-C", ROOT, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True)
    return said.stdout.strip() or "unknown"


def measure(rounds: int, mebibytes: int) -> dict[str, Any]:
    report: dict[str, Any] = {
        "program": "bench/python/costs.py",
        "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "commit": commit(),
        "machine": {
            "kernel": platform.release(),
            "cores": os.cpu_count(),
            "load_average": " ".join(f"{load:.2f}" for load in os.getloadavg()),
            "python": platform.python_version(),
            "numpy": np.__version__,
            "device": het.devices()[0].name,
        },
        "settings": {"rounds": rounds, "launches": LAUNCHES, "mebibytes": mebibytes},
        "results": [],
    }
    launches = take_turns(launch_sides(), rounds)
    report["results"] += [summary(f"launch/{name}", "us", 1e6, t) for name, t in launches.items()]
    series = list(launches.values())
    added = interval(series, lambda m: 1e6 * (m[0] - m[1]))
    report["differences"] = [{"name": "launch/python - c", "unit": "us", "goal": 4} | added]
    report["ratios"] = []
    for row, reads_all in (("saxpy", False), ("saxpy, all", True)):
        saxpy = take_turns(saxpy_sides(mebibytes * (1 << 18), reads_all), max(rounds // 10, 3))
        report["results"] += [summary(f"{row}/{name}", "ms", 1e3, t) for name, t in saxpy.items()]
        ratio = interval(list(saxpy.values()), lambda m: m[0] / m[1])
        report["ratios"].append({"name": f"{row}/het / pyopencl", "goal": 1.05} | ratio)
    return report


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=200, help="of launches; saxpy has a tenth")
    parser.add_argument("--mebibytes", type=int, default=64, help="of each array of saxpy's")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    if het.devices()[0].kind != "opencl":
        print("there is no OpenCL device here, which pyopencl has to share")
        return 4
    report = measure(options.rounds, options.mebibytes)
    for r in report["results"]:
        print(f"{r['name']:16} {r['median']:9.2f} {r['unit']}  ({r['p25']:.2f} to {r['p75']:.2f})")
    for r in report["differences"] + report["ratios"]:
        print(f"{r['name']:22} {r['median']:.3f} ({r['low']:.3f} to {r['high']:.3f}), goal {r['goal']}")
    if options.json:
        Path(options.json).write_text(json.dumps(report, indent="\t") + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
