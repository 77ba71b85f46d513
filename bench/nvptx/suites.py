#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""What the pass coalesce costs on the kernels of whole CUDA programs, such as those of public suites, with the data
that the programs themselves give them.

  suites.py build --list LIST --folder FOLDER --out OUT   where nvcc and het-ptx are
  suites.py run --bin OUT --out results                   where the GPU is
  suites.py show results/nvptx-suites.json

A line of LIST is "name | sources and flags for nvcc | arguments"; sources, and folders after -I, are looked for in
FOLDER.
"""
import argparse
import concurrent.futures
import json
import os
import re
import shlex
import statistics
import subprocess
import sys

OLD_NAMES = ("-DcudaThreadSynchronize=cudaDeviceSynchronize", "-DcudaThreadExit=cudaDeviceReset")
VARIANTS = "plain,coalesce/0,coalesce/64,coalesce/1"
VARIABLE = re.compile(r"^\s*(?:\.visible |\.weak )?\.(?:global|const)\b[^;={]*?\s([\w$]+)(?:\[\d*\])*\s*[;=]", re.M)


def programs(path):
    with open(path) as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                name, sources, *arguments = (part.strip() for part in line.split("|"))
                yield name, shlex.split(sources), shlex.split(arguments[0]) if arguments else []


def found_in(folder, word):
    if word.startswith("-I"):
        return "-I" + os.path.join(folder, word[2:])
    return word if word.startswith("-") else os.path.join(folder, word)


class Builder:
    def __init__(self, arguments):
        self.arguments = arguments
        self.base = [f"-arch={arguments.arch}", "-O3", "-w", "-std=c++17", *OLD_NAMES, *arguments.nvcc_flags.split()]
        # An entry is a pass, or NAME=PROGRAM: the pass coalesce of another het-ptx.
        self.passes = dict(p.split("=") if "=" in p else (p, arguments.het_ptx) for p in arguments.passes.split(","))

    def call(self, *command):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.stderr[-600:]}")

    def build(self, name, sources, program_arguments):
        words = [found_in(self.arguments.folder, w) for w in sources]
        flags, files = [w for w in words if w.startswith("-")], [w for w in words if not w.startswith("-")]
        stem = os.path.join(self.arguments.out, name)
        self.call("nvcc", *self.base, "-cudart", "shared", *flags, *files, "-o", stem)
        variables = set()
        for n, source in enumerate(w for w in files if w.endswith(".cu")):
            text = f"{stem}.{n}.ptx"
            self.call("nvcc", *self.base, *flags, "-ptx", source, "-o", text)
            with open(text) as file:
                variables |= set(VARIABLE.findall(file.read()))
            self.call("ptxas", f"-arch={self.arguments.arch}", text, "-o", f"{stem}.{n}.plain.cubin")
            for kind, het_ptx in self.passes.items():
                self.call(het_ptx, "instrument", "--pass", "coalesce", text, "-o", f"{text}.{kind}")
                self.call("ptxas", f"-arch={self.arguments.arch}", f"{text}.{kind}", "-o", f"{stem}.{n}.{kind}.cubin")
                os.remove(f"{text}.{kind}")
            os.remove(text)
        with open(stem + ".json", "w") as file:
            json.dump({"arguments": program_arguments, "variables": sorted(variables)}, file)


def build(arguments):
    os.makedirs(arguments.out, exist_ok=True)
    builder = Builder(arguments)
    cuda = arguments.cuda
    builder.call("g++", "-std=c++20", "-O2", "-shared", "-fPIC", "-Iruntime", f"-I{cuda}/include",
        "bench/nvptx/launches.cc",
                 "-o", os.path.join(arguments.out, "launches.so"), f"-L{cuda}/lib64/stubs", "-lcuda", "-ldl")
    left = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        jobs = {pool.submit(builder.build, *p): p[0] for p in programs(arguments.list)}
        for job in concurrent.futures.as_completed(jobs):
            reason = job.exception()
            left += bool(reason)
            if reason and os.path.exists(os.path.join(arguments.out, jobs[job] + ".json")):
                os.remove(os.path.join(arguments.out, jobs[job] + ".json"))
            print(f"{jobs[job]}: {reason or 'built'}", flush=True)
    print(f"{len(jobs) - left} programs, {left} can't be built")
    return 0


def run(arguments):
    os.makedirs(arguments.out, exist_ok=True)
    raw = os.path.abspath(os.path.join(arguments.out, "nvptx-suites.jsonl"))
    open(raw, "w").close()
    folder = os.path.abspath(arguments.bin)
    for name in sorted(f[:-5] for f in os.listdir(folder) if f.endswith(".json")):
        stem = os.path.join(folder, name)
        with open(stem + ".json") as file:
            how = json.load(file)
        more = {"LD_PRELOAD": os.path.join(folder, "launches.so"), "HET_MODULES": stem + ".", "HET_PROGRAM": name,
                "HET_OUT": raw, "HET_VARIANTS": arguments.variants, "HET_VARIABLES": ",".join(how["variables"])}
        try:
            done = subprocess.run([stem, *how["arguments"]], env=os.environ | more, cwd=folder, timeout=arguments.limit,
                                  capture_output=True, text=True, errors="replace")
            status = f"{done.returncode} {done.stderr[-300:].strip()}"
        except subprocess.TimeoutExpired:
            status = "stopped"
        print(f"{name}: {status}", flush=True)
    with open(raw) as file:
        rows = [json.loads(line) for line in file]
    os.remove(raw)
    with open(os.path.join(arguments.out, "nvptx-suites.json"), "w") as file:
        json.dump({"machine": {"gpu": arguments.gpu, "commit": arguments.commit}, "results": rows}, file)
    return show_rows(rows)


def quantile(values, part):
    return sorted(values)[min(len(values) - 1, int(part * len(values)))]


def show_rows(rows):
    names = [n for n in rows[0]["us"] if n != "plain"] if rows else []
    ratios = {n: [] for n in names}
    for row in sorted(rows, key=lambda r: -max(
            statistics.median(t) for t in r["us"].values()) / statistics.median(r["us"]["plain"])):
        plain = statistics.median(row["us"]["plain"])
        text = f"{row['program'][:18]:18s} {row['kernel'][:30]:30s} " \
               f"{row['grid'][0]*row['grid'][1]*row['grid'][2]:7d} x " \
               f"{row['block'][0]*row['block'][1]*row['block'][2]:4d} {plain:9.1f}"
        for n in names:
            if n in row["us"]:
                ratio = statistics.median(row["us"][n]) / plain
                ratios[n].append((ratio, plain))
                text += f" {ratio:7.3f}"
        print(text, [row["registers"].get(n) for n in ("plain", *names)])
    for n in names:
        for least in (0, 50):
            some = [r for r, us in ratios[n] if us >= least]
            if some:
                print(f"{n:14s} {len(some)} kernels of {least} us and more: median {statistics.median(some):.3f}, "
                      f"90th percentile {quantile(some, 0.9):.3f}, most {max(some):.3f}")
    return 0


def show(arguments):
    with open(arguments.file) as file:
        return show_rows(json.load(file)["results"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    building = commands.add_parser("build")
    building.set_defaults(does=build)
    building.add_argument("--list", required=True)
    building.add_argument("--folder", default=".")
    building.add_argument("--out", required=True)
    building.add_argument("--arch", default="sm_90")
    building.add_argument("--cuda", default="/usr/local/cuda")
    building.add_argument("--het-ptx", default="build/bin/het-ptx")
    building.add_argument("--passes", default="coalesce")
    building.add_argument("--nvcc-flags", default="")
    building.add_argument("--jobs", type=int, default=2)
    running = commands.add_parser("run")
    running.set_defaults(does=run)
    running.add_argument("--bin", required=True)
    running.add_argument("--out", default="nvptx-results")
    running.add_argument("--variants", default=VARIANTS)
    running.add_argument("--limit", type=int, default=30, help="seconds a program")
    running.add_argument("--gpu", default="")
    running.add_argument("--commit", default="")
    showing = commands.add_parser("show")
    showing.set_defaults(does=show)
    showing.add_argument("file")
    arguments = parser.parse_args()
    return arguments.does(arguments)


if __name__ == "__main__":
    sys.exit(main())
