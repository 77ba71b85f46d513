# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Runs a call of each built-in function on the devices of HET_DEVICES, and prints what 64 work-items got, as JSON:
builtin_results.py FAT_BINARY. Results of two devices can be compared with differences()."""

import ctypes
import json
import math
import os
import sys

import opencl_builtins
from libhet import ProgramArguments, argument_of_range, launch_of

ITEMS = 64
CALLS = 12  # a kernel makes so many
FLOATS = ITEMS * 16  # vstore16() writes so many
# A test of results can't have images. What a group copies asynchronously takes the same arguments in all work-items,
# and prints are not compared.
LEFT_OUT = {"printf", "async_work_group_copy", "async_work_group_strided_copy", "wait_group_events",
    *opencl_builtins.IMAGES}


def calls() -> dict[str, str]:
    all_calls = {name: call for group in opencl_builtins.GROUPS.values() for name, call in group.items()}
    return {name: call for name, call in all_calls.items() if name not in LEFT_OUT}


def kernels() -> list[dict[str, str]]:
    """Several calls in each; those that write where others read, alone."""
    alone = [{name: call} for name, call in calls().items() if name in opencl_builtins.MEMORY]
    items = [(name, call) for name, call in calls().items() if name not in opencl_builtins.MEMORY]
    return [dict(items[n : n + CALLS]) for n in range(0, len(items), CALLS)] + alone


def source() -> str:
    """f, g, h lie between 0 and 1, i, j and k have both signs, u is the work-item's id, v and w are small."""
    lines = []
    for number, some in enumerate(kernels()):
        lines += [
            f"kernel void k{number}(global float *out, global float *pf, global int *ints)\n{{",
            "\tuint t = get_global_id(0) - get_global_offset(0), u = t, v = t * 7 % 5, w = t % 3;",
            "\tfloat f = (t + 1) / 67.0f, g = (t * 13 % 64 + 1) / 71.0f, h = (t * 29 % 64 + 1) / 73.0f;",
            "\tint i = (int)t * 2654435 - 80000000, j = 77 - (int)t * 5, k = (int)t * t - 300;",
            "\tlocal float lf[64];\n\tlocal int counters[64];\n\tlocal int *li = counters + t % 64;",
            "\tglobal half *ph = (global half *)pf;\n\tglobal int *pi = ints + t;",
            "\tlf[t % 64] = f;\n\t*li = 0;\n\tbarrier(CLK_LOCAL_MEM_FENCE);",
            *(f"\tout[t + {n * ITEMS}] = {call};" for n, call in enumerate(some.values())),
            "}",
        ]
    return "\n".join(lines) + "\n"


def run(file: str) -> dict[str, list[float]]:
    """Of each call what the work-items got; of each kernel what it left in memory."""
    het = ctypes.CDLL(os.environ["LIBHET"])
    queue, program = ctypes.c_void_p(), ctypes.c_void_p()

    def check(err: int) -> None:
        if err:
            raise RuntimeError(f"error {err}")

    check(het.het_queue_create(None, ctypes.byref(queue)))
    p = ProgramArguments(size=ctypes.sizeof(ProgramArguments), file=file.encode())
    check(het.het_program_create(ctypes.byref(p), ctypes.byref(program)))
    results = {}
    for number, some in enumerate(kernels()):
        kernel = ctypes.c_void_p()
        check(het.het_kernel_create(program, b"k%d" % number, ctypes.byref(kernel)))
        out = (ctypes.c_float * (ITEMS * CALLS))()
        floats = (ctypes.c_float * FLOATS)(*((n * 37 % 101) / 8 for n in range(FLOATS)))
        ints = (ctypes.c_int * ITEMS)(*((n * 1009 % 97) - 40 for n in range(ITEMS)))
        args = (argument_of_range(ctypes.addressof(a), ctypes.sizeof(a)) for a in (out, floats, ints))
        call = launch_of(kernel, *args, global_size=(ITEMS, 1), local_size=(32, 1), offset=(7, 1000))
        check(het.het_launch(queue, ctypes.byref(call), None))
        check(het.het_finish(queue))
        for n, name in enumerate(some):
            results[name] = [repr(x) for x in out[n * ITEMS : (n + 1) * ITEMS]]
        results[f"memory of k{number}"] = [repr(x) for x in (*bytes(floats), *ints)]
        het.het_kernel_release(kernel)
    return results


# Results of rough functions may differ between devices by more than the last bits.
ROUGH = 2e-3
FINE = 2e-5


def is_near(a: float, b: float, rough: bool) -> bool:
    if math.isnan(a) or math.isnan(b) or math.isinf(a) or math.isinf(b):
        return a == b or (math.isnan(a) and math.isnan(b))
    limit = ROUGH if rough else FINE
    return abs(a - b) <= limit * max(1, abs(a), abs(b))


def differences(got: dict[str, list[str]], wanted: dict[str, list[str]]) -> list[str]:
    wrong = []
    for name, values in wanted.items():
        rough = name.startswith(("native_", "half_", "fast_"))
        pairs = list(zip(map(float, got[name]), map(float, values), strict=True))
        bad = [n for n, (a, b) in enumerate(pairs) if not is_near(a, b, rough)]
        if bad:
            wrong.append(f"{name}: {len(bad)} of {len(pairs)}, the first is {bad[0]}: {pairs[bad[0]]}")
    return wrong


if __name__ == "__main__":
    print(json.dumps(run(sys.argv[1])))
