#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Runs the programs that `make bench-nvptx` built over teams, threads, sizes and simd, and draws the times.

On a machine with a GPU; what it needs are the folder of the programs and this file. The variant `host` is the OpenMP
source on one core of the host, where teams and threads mean nothing. With --check the programs are run without a GPU,
to see that their results are right: on the host, and the PTX texts in het-ptx's interpreter.
"""
import argparse
import json
import math
import os
import platform
import random
import statistics
import struct
import subprocess
import sys
import tempfile
import time

PROGRAMS = ["matvec", "newton", "dot", "vadd"]
NEWTON_STEPS = 12
LANES = 32
SERIES_COLOURS = ["#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#8c564b", "#e377c2"]

# This stays the same while one thing changes. The smallest launches run on one lane, so sizes are modest.
BASE = {"teams": 128, "threads": 8}
ONE_CORE = {"teams": 1, "threads": 1}  # for the variant `host`
SIZES = {"matvec": 2048, "newton": 1 << 20, "dot": 1 << 20, "vadd": 1 << 20}
SWEEPS = {
    "teams": [1, 2, 4, 8, 16, 32, 64, 128, 256],
    "threads": [1, 2, 4, 8, 16, 32],
    "n": [1 / 16, 1 / 4, 1, 4, 16],  # times the size above
}


def variants(folder):
    """Name, command, environment of whatever has been built."""
    found = []
    for name, forced in (("openmp", {"OMP_TARGET_OFFLOAD": "MANDATORY"}), ("openacc", {"ACC_DEVICE_TYPE": "nvidia"})):
        path = os.path.join(folder, name)
        if os.path.exists(path):
            found.append((name, path, forced))
    if os.path.exists(os.path.join(folder, "host")):
        found.append(("host", os.path.join(folder, "host"), {}))
    ptx = os.path.join(folder, "ptx")
    for text in ("nvcc", "clang", "nvcc-warps", "clang-warps"):
        path = os.path.join(folder, text + ".ptx")
        if os.path.exists(ptx) and os.path.exists(path):
            found.append((text, ptx, {"BENCH_PTX": path}))
    return found


def run(variant, program, n, teams, threads, simd, repeats):
    name, path, environment = variant
    command = [path, program, *map(str, (n, teams, threads, simd, repeats))]
    libraries = {"LD_LIBRARY_PATH": os.path.join(os.path.dirname(path), "lib")}  # libgomp with its plug-in
    try:
        whole = {**os.environ, **libraries, **environment}
        done = subprocess.run(command, env=whole, capture_output=True, text=True, timeout=120)
    except subprocess.TimeoutExpired:
        return {"failed": "timeout"}
    if done.returncode:
        return {"failed": (done.stderr or done.stdout).strip()[-300:]}
    return json.loads(done.stdout)


def points(programs, variant, sweeps=tuple(SWEEPS)):
    """Every combination once: (program, n, teams, threads)."""
    one_core = variant == "host"
    seen = []
    for program in programs:
        for what in ["n"] if one_core else sweeps:
            for value in SWEEPS[what]:
                point = {"program": program, "n": SIZES[program], **(ONE_CORE if one_core else BASE)}
                if what == "n":
                    scale = math.sqrt(value) if program == "matvec" else value
                    point["n"] = int(SIZES[program] * scale)
                else:
                    point[what] = value
                if point not in seen:
                    seen.append(point)
    return seen


def first_line(*command):
    try:
        return subprocess.run(command, capture_output=True, text=True).stdout.split("\n")[0].strip()
    except OSError:
        return ""


def model_of_cpu():
    try:
        with open("/proc/cpuinfo") as file:
            return next(line.split(":", 1)[1].strip() for line in file if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def point_of(row):
    return tuple(row[k] for k in ("variant", "simd", "program", "n", "teams", "threads"))


def sweep(arguments):
    results, earlier = [], {}
    if arguments.update:
        with open(arguments.update) as file:
            earlier = {point_of(r): r for r in json.load(file)["results"] if "median" in r}
    all_variants = [v for v in variants(arguments.bin) if not arguments.variants or v[0] in arguments.variants]
    work = [(v, p, simd) for v in all_variants for p in points(arguments.programs, v[0], arguments.sweeps)
            for simd in (0, 1)]
    if not arguments.variants:
        work = [(v, p, simd) for v, p, simd in work if point_of({"variant": v[0], "simd": simd, **p}) not in earlier]
    random.Random(1).shuffle(work)  # so that a slow minute does not fall on one line of a plot
    begin = time.monotonic()
    for done, (variant, p, simd) in enumerate(work):
        if time.monotonic() - begin > 60 * arguments.minutes:
            break
        out = run(variant, p["program"], p["n"], p["teams"], p["threads"], simd, arguments.repeats)
        row = {"variant": variant[0], "simd": simd, **p}
        if "failed" in out:
            row["failed"] = out["failed"]
        else:
            times = sorted(out["seconds"][1:] or out["seconds"])  # the first one loads code
            quarter = len(times) // 4
            row.update(median=statistics.median(times), low=times[quarter], high=times[-1 - quarter])
        results.append(row)
        print(f"{done + 1}/{len(work)} {json.dumps(row)}", flush=True)
    failed = [r for r in results if "failed" in r]
    new = {point_of(r) for r in results}
    results = [r for point, r in earlier.items() if point not in new] + results
    machine = {
        "cpu": model_of_cpu(),
        "gpu": first_line("nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"),
        "commit": arguments.commit,
    }
    os.makedirs(arguments.out, exist_ok=True)
    with open(os.path.join(arguments.out, "nvptx.json"), "w") as file:
        json.dump({"machine": machine, "repeats": arguments.repeats, "results": results}, file, indent=1)
    draw_all(results, arguments.out)
    print(f"{len(results)} points, {len(failed)} of {len(work)} failed")
    return 1 if failed else 0


def draw_all(results, folder):
    for program in PROGRAMS:
        for what in SWEEPS:
            fixed = [k for k in ("n", "teams", "threads") if k != what]
            usual = {"n": SIZES[program], **BASE}
            lines = {}
            for r in results:
                if r["program"] == program and "median" in r and all(r[k] == usual[k] for k in fixed):
                    name = r["variant"] + (", simd" if r["simd"] else "")
                    lines.setdefault(name, []).append((r[what], r["median"]))
            if lines:
                with open(os.path.join(folder, f"nvptx-{program}-{what}.svg"), "w") as file:
                    file.write(drawing(f"{program}: seconds by {what}", lines))


def drawing(title, lines):
    """Both axes logarithmic; a simd line is solid, the other one dashed."""
    width, height, left, top, right = 720, 420, 70, 40, 170
    xs = [math.log2(x) for line in lines.values() for x, _ in line]
    ys = [math.log10(y) for line in lines.values() for _, y in line]
    x0, x1, y0, y1 = min(xs), max(max(xs), min(xs) + 1), math.floor(min(ys)), math.ceil(max(ys))
    y1 = max(y1, y0 + 1)

    def at(x, y):
        return (left + (math.log2(x) - x0) / (x1 - x0) * (width - left - right),
                height - top - (math.log10(y) - y0) / (y1 - y0) * (height - 2 * top))

    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="sans-serif" '
           f'font-size="12"><rect width="100%" height="100%" fill="white"/><text x="{left}" y="20">{title}</text>']
    for power in range(y0, y1 + 1):
        y = at(2 ** x0, 10 ** power)[1]
        out.append(f'<line x1="{left}" x2="{width - right}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
                   f'<text x="8" y="{y + 4:.1f}">1e{power}</text>')
    for x in sorted({x for line in lines.values() for x, _ in line}):
        out.append(f'<text x="{at(x, 10 ** y0)[0] - 8:.1f}" y="{height - 20}">{x}</text>')
    names = sorted({name.split(",")[0] for name in lines})
    for k, name in enumerate(sorted(lines)):
        colour = SERIES_COLOURS[names.index(name.split(",")[0]) % len(SERIES_COLOURS)]
        dash = "" if name.endswith("simd") else ' stroke-dasharray="5 4"'
        path = " ".join("{:.1f},{:.1f}".format(*at(x, y)) for x, y in sorted(lines[name]))
        y = top + 18 * k
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>'
                   f'<line x1="{width - right + 10}" x2="{width - right + 34}" y1="{y}" y2="{y}" stroke="{colour}" '
                   f'stroke-width="2"{dash}/><text x="{width - right + 40}" y="{y + 4}">{name}</text>')
    return "\n".join(out) + "\n</svg>\n"


# --- without a GPU -----------------------------------------------------------


def expected(program, a, b, n):
    if program == "matvec":
        return [sum(x * y for x, y in zip(a[row * n:(row + 1) * n], b)) for row in range(n)]
    if program == "newton":
        return [math.sqrt(x) for x in a]
    if program == "dot":
        return [sum(x * y for x, y in zip(a, b))]
    return [x + y for x, y in zip(a, b)]


def interpret(het_ptx, text, program, simd, teams, threads, n):
    """One launch in the interpreter, with independent lanes; what is wrong with it, or nothing."""
    with open(text) as file:
        source = file.read()
    warps, has_simd = "het_simd_masks" in source, f".entry {program}_simd" in source
    a = [1 + i % 50 / 8 for i in range(n * n if program == "matvec" else n)]
    b = [i % 7 - 3 for i in range(n)]
    want = expected(program, a, b, n)
    with tempfile.TemporaryDirectory() as folder:
        paths = {name: os.path.join(folder, name) for name in ("a", "b", "out")}
        for name, values in (("a", a), ("b", b)):
            with open(paths[name], "wb") as file:
                file.write(struct.pack(f"{len(values)}f", *values))
        command = [het_ptx, "run", text, "--kernel", program + ("_simd" if simd and has_simd else ""),
                   "--grid", str(teams), "--block", str(threads * (LANES if warps or simd else 1)),
                   "--independent", "--check-races", "--check-barriers",
                   "--arg", "in:" + paths["a"], "--arg", "in:" + paths["b"],
                   "--arg", f"out:{paths['out']}:{4 * len(want)}", "--arg", f"s32:{n}"]
        if "het_stack_slots" in source:
            command += ["--arg", f"zero:{teams * threads * 4096}", "--arg", "u64:4096"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if done.returncode:
            return done.stdout + done.stderr
        with open(paths["out"], "rb") as file:
            got = struct.unpack(f"{len(want)}f", file.read())
    wrong = [i for i in range(len(want)) if abs(got[i] - want[i]) > 1e-4 * max(1, abs(want[i]))]
    return f"element {wrong[0]} is {got[wrong[0]]}, not {want[wrong[0]]}" if wrong else None


def check(arguments):
    failures = checked = 0
    host = {"openmp": {"OMP_TARGET_OFFLOAD": "DISABLED"}, "openacc": {"ACC_DEVICE_TYPE": "host"}, "host": {}}
    for name, path, environment in variants(arguments.bin):
        for program in arguments.programs:
            for simd in (0, 1):
                if name in host:
                    wrong = run((name, path, host[name]), program, 300, 3, 4, simd, 2).get("failed")
                else:
                    wrong = interpret(arguments.het_ptx, environment["BENCH_PTX"], program, simd, 2, 3, 70)
                checked += 1
                failures += wrong is not None
                print(f"{name} {program}{' simd' if simd else ''}: {wrong or 'ok'}")
    if not checked:
        print("nothing has been built")
        return 4
    return 1 if failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default="build/nvptx", help="the folder of the programs")
    parser.add_argument("--out", default="nvptx-results", help="where results and plots go")
    parser.add_argument("--programs", nargs="+", default=PROGRAMS, choices=PROGRAMS)
    parser.add_argument("--variants", nargs="+", default=[], help="these alone: host, openmp, openacc, nvcc, ...")
    parser.add_argument("--sweeps", nargs="+", default=list(SWEEPS), choices=list(SWEEPS),
        help="what changes: these alone")
    parser.add_argument("--update", metavar="FILE",
        help="an earlier nvptx.json: its points are kept, and not run again but for --variants")
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--minutes", type=float, default=math.inf, help="stop after so many, at points taken at random")
    parser.add_argument("--commit", default="", help="noted in the results")
    parser.add_argument("--check", action="store_true", help="results only, without a GPU")
    parser.add_argument("--het-ptx", default="build/bin/het-ptx")
    arguments = parser.parse_args()
    return check(arguments) if arguments.check else sweep(arguments)


if __name__ == "__main__":
    sys.exit(main())
