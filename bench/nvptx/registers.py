#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""What the pass checkpoint costs the kernels of PTX files in registers, blocks on an SM and code, by what ptxas makes
of them. The runtime lets kernels that can be stopped have as many registers as leave room for the plain one's blocks:
so does --limited.

  registers.py --het-ptx build/bin/het-ptx --arch sm_90 --limited runtime/ptx/tests/corpus/*.ptx
"""
import argparse
import concurrent.futures
import json
import os
import re
import statistics
import struct
import subprocess
import sys
import tempfile

RESUMED = "_het_resumed"
REGISTERS = 65536  # of an SM
UNIT = 8  # A thread gets so many at a time.
THREADS = {"sm_75": 1024, "sm_90": 2048}
SHARED = {"sm_75": 64 << 10, "sm_90": 228 << 10}
SHARED_OF_SYSTEM = 1 << 10  # of each block


def rounded(registers):
    return (registers + UNIT - 1) // UNIT * UNIT


def text_sections(cubin):
    """Yields the name and size of each kernel's code."""
    (at,) = struct.unpack_from("<Q", cubin, 40)
    size, count, names = struct.unpack_from("<HHH", cubin, 58)
    sections = [struct.unpack_from("<IIQQQQ", cubin, at + n * size) for n in range(count)]
    strings = sections[names][4]
    for s in sections:
        name = cubin[strings + s[0] : cubin.index(b"\0", strings + s[0])].decode()
        if name.startswith(".text."):
            yield name[len(".text.") :], s[5]


def compiled(text, arch, most=0):
    """Returns registers, bytes that are spilled, shared memory and code of each kernel, or nothing if ptxas refuses."""
    with tempfile.TemporaryDirectory() as folder:
        source, cubin = os.path.join(folder, "k.ptx"), os.path.join(folder, "k.cubin")
        with open(source, "wb") as file:
            file.write(text)
        limit = [f"-maxrregcount={most}"] if most else []
        command = ["ptxas", "-v", "-arch=" + arch, *limit, source, "-o", cubin]
        run = subprocess.run(command, capture_output=True, text=True)
        if run.returncode:
            return {}
        with open(cubin, "rb") as file:
            code = dict(text_sections(file.read()))
    kernels, name = {}, None
    for line in run.stderr.splitlines():
        if m := re.search(r"Compiling entry function '([^']+)'", line):
            name = m[1]
            kernels[name] = {"registers": 0, "spilled": 0, "shared": 0, "code": code.get(name, 0)}
        elif m := re.search(r"(\d+) bytes spill stores", line):
            if name and not kernels[name]["registers"]:
                kernels[name]["spilled"] = int(m[1])
        elif m := re.search(r"Used (\d+) registers", line):
            kernels[name]["registers"] = int(m[1])
            if m := re.search(r"(\d+) bytes smem", line):
                kernels[name]["shared"] = int(m[1])
    return kernels


def blocks_on_sm(kernel, arch, threads):
    by_registers = REGISTERS // (rounded(kernel["registers"]) * threads)
    by_shared = SHARED[arch] // (kernel["shared"] + SHARED_OF_SYSTEM)
    return min(by_registers, by_shared, THREADS[arch] // threads)


def rows_of(path, arguments):
    arch = arguments.arch
    with open(path, "rb") as file:
        plain = compiled(file.read(), arch)
    made = subprocess.run([arguments.het_ptx, "instrument", "--pass", "checkpoint", path], capture_output=True)
    if not plain or not made.stdout:
        print(f"{path} is left out: {made.stderr.decode().strip()[:200] or 'ptxas refuses it'}", file=sys.stderr)
        return []
    limits = {k: max(rounded(v["registers"]), REGISTERS // THREADS[arch] // UNIT * UNIT) for k, v in plain.items()}
    wanted = set(limits.values()) if arguments.limited else {0}
    by_limit = {most: compiled(made.stdout, arch, most) for most in wanted}
    rows = []
    for name, before in plain.items():
        after = by_limit[limits[name] if arguments.limited else 0]
        if name + RESUMED in after:
            rows.append({"file": os.path.basename(path), "kernel": name, "plain": before, "stoppable": after[name],
                         "resumed": after[name + RESUMED]})
    return rows


def show(rows, arguments):
    print(f"{len(rows)} kernels with stop points, {arguments.arch}, blocks of {arguments.threads} threads")
    for what in ("stoppable", "resumed"):
        more = [r[what]["registers"] - r["plain"]["registers"] for r in rows]
        fewer = [r["kernel"] for r in rows if blocks_on_sm(r[what], arguments.arch, arguments.threads) <
                 blocks_on_sm(r["plain"], arguments.arch, arguments.threads)]
        spills = {r["kernel"]: r[what]["spilled"] - r["plain"]["spilled"] for r in rows
                  if r[what]["spilled"] > r["plain"]["spilled"]}
        code = [r[what]["code"] / r["plain"]["code"] for r in rows]
        print(f"{what}: registers more {statistics.median(more):g}, {max(more)}; fewer blocks {len(fewer)}; "
              f"spill more {len(spills)}, {max(spills.values(), default=0)} bytes at most; "
              f"code / plain {statistics.median(code):.1f}, {max(code):.1f}")
        if arguments.names:
            print("  fewer blocks:", *fewer)
            print("  spill more:", *(f"{k} {n}" for k, n in spills.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--het-ptx", default="build/bin/het-ptx")
    parser.add_argument("--arch", choices=THREADS, default="sm_90")
    parser.add_argument("--threads", type=int, default=256)
    parser.add_argument("--limited", action="store_true")
    parser.add_argument("--names", action="store_true")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--out")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        rows = [r for each in pool.map(lambda path: rows_of(path, arguments), arguments.files) for r in each]
    show(rows, arguments)
    if arguments.out:
        with open(arguments.out, "w", encoding="utf-8") as file:
            json.dump({"arch": arguments.arch, "limited": arguments.limited, "kernels": rows}, file, indent=1)


if __name__ == "__main__":
    main()
