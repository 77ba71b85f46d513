#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Draws figures 5.8 to 5.12 of Li Chen's thesis again from runs of noc-sim, and prints its numbers beside ours.

All processors are used. Each run is kept in FOLDER/points, by its command line and the program's bytes, so that what
was interrupted goes on where it was. FOLDER gets noc-figures.json, a table, and an SVG for each figure (by gnuplot).
"""

import argparse
import hashlib
import json
import os
import random
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from statistics import mean, stdev

ROOT = Path(__file__).resolve().parent.parent.parent

CORPUS = ROOT / "runtime/ptx/tests/corpus"

PATTERNS = ("uniform", "transpose", "bit-complement", "shuffle")
ALL_PATTERNS = (*PATTERNS, "bit-reversal", "tornado", "neighbour", "hot-spot", "pairs")
# A network with its interposer, its routing, a policy and the share of memory packets.
NETWORKS = (
    ("mesh", "", "xy", "dor", 0.0),
    ("mesh", "", "o1turn", "dor", 0.0),
    ("cmesh", "", "xy", "dor", 0.0),
    ("cmesh", "", "o1turn", "dor", 0.0),
    ("two-layers", "", "yx", "dor", 0.05),
    ("two-layers", "", "yx", "dll", 0.05),
    ("two-layers", "", "o1turn", "adaptive", 0.05),
    ("two-layers", "double-butterfly", "yx", "dor", 0.05),
    ("two-layers", "double-butterfly", "yx", "dll", 0.05),
    ("two-layers", "double-butterfly", "yx", "adaptive", 0.05),
)
PROGRAMS = ("black-scholes", "lu", "fft", "radix-sort", "stencil", "n-body", "spmv", "k-median")
# Kernels of the PTX interpreter's corpora: what CUDA C++ and, below, OpenCL C became. Each has its file, its name there,
# blocks, threads and arguments; BYTES are random ones.
BYTES = 262144
KERNELS = {
    "transpose": ("basic", "transpose", "32,32", "16,16", "zero:2097152 zero:2097152 u32:512 u32:512"),
    "histogram": ("basic", "histogram", "64", "128", f"in:BYTES zero:1024 u32:{BYTES}"),
    "matvec": ("basic", "matvec", "128", "128", "zero:2097152 zero:4096 zero:2048 u32:512 u32:1024"),
    "matmul": ("linear", "matmul", "16,16", "16,16", "zero:262144 zero:262144 zero:262144 u32:256"),
    "forces": ("linear", "forces", "64", "32", "zero:32768 zero:32768 u32:512"),
    "smooth_2d": ("stencils", "smooth_2d", "32,64", "16,8", "zero:1048576 zero:1048576 s32:512 s32:512"),
    "heat_3d": ("stencils", "heat_3d", "64,64", "64", "zero:2097152 zero:2097152 s32:64"),
    "dct": ("transforms", "dct", "1024", "8,8", "zero:262144 zero:262144 zero:256"),
    "vector_add (OpenCL)": ("kernels", "vector_add", "1024", "128", "zero:524288 zero:524288 zero:524288 u32:131072"),
    "swizzle (OpenCL)": ("kernels", "swizzle", "1024", "64", "zero:1048576 zero:1048576 zero:262144 zero:1048576"),
    "count_bytes (OpenCL)": ("kernels", "count_bytes", "64", "128", f"in:BYTES zero:1024 u32:{BYTES}"),
}
CHANGES = ("uniform", "transpose", "bit-complement", "shuffle", "transpose", "uniform")  # one after the other
POLICIES = ("dor", "destdetect", "localbuf", "dll", "adaptive")
BOTH_ORDERS = ("adaptive", "ideal")  # of dimensions; the others have one
COSTLY = POLICIES[1:]  # what they add to the network is counted
BUFFERS = ("flip-flops", "SRAM")
COST_RATE, COST_MEMORY = 0.1, 0.05
HEAVY = 0.75  # of memory packets, the smallest share that the thesis may call very high
DEFINITIONS = {"latency": "latency 3 × zero load", "accepted": "95 % accepted", "peak": "peak accepted"}
# Of Student's distribution, two-sided 95 %, for 1 to 9 degrees of freedom.
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)
COLOURS = ("#000000", "#0072b2", "#e69f00", "#009e73", "#d55e00", "#cc79a7")

# What the thesis leaves open, by name: the default first, then what the study and search.py try instead. A value is one
# of noc-sim's options with what it is set to (None: a flag; empty: not given), or several of them.
Value = tuple[tuple[str, str | tuple | None], ...]
OPEN: dict[str, tuple[Value, ...]] = {
    "order of dimensions": ((("routing", "yx"),), (("routing", "xy-yx-z"),)),
    "packets": tuple((("length", v), ("long-length", w)) for v, w in (("1", ""), ("5", ""), ("1", "5"))),
    "second threshold": tuple((("second-threshold", v),) for v in ("8", "5", "15")),
    "queue of the ring": tuple((("ring-queue", v),) for v in ("1", "4")),
    "direction of the ring": tuple((("ring-direction", v),) for v in ("forward", "backward", "alternate")),
    "order of the ring": ((("ring-order", "rows"),), (("ring-order", "snake"),)),
    "when a packet chooses": ((("choose", "sent"),), (("choose", "created"),)),
    "mean in the head flit": ((("hop-mean", "exact"),), (("hop-mean", "whole"),)),
    "where that mean stops": ((("hop-mean-cap", "255"),), (("hop-mean-cap", "15"),)),
    "occupancy": ((("occupancy-of", "port"),), (("occupancy-of", "router"),)),
    "ejections": ((("ejections", "2"),), (("ejections", "1"),)),
    "replies": ((("replies", "none"),), (("replies", "memory"),)),
    "Z": ((("z-cycles", "1"),), (("z-cycles", "2"),)),
    "iterations": ((("iterations", "1"),), (("iterations", "2"),)),
    "allocators": (
        (("vc-allocator", "islip"), ("switch-allocator", "islip")),
        (("vc-allocator", "round-robin"), ("switch-allocator", "round-robin")),
    ),
}
# What the thesis does say, moved for the study alone; of DestDetect it does not say how long its memory is.
GIVEN: tuple[Value, ...] = (
    *((("fifo", v),) for v in ("1", "2", "20")),
    (("threshold", "4"),),
    (("congested-routers", "1"),),
    (("occupancy", "0.15"),),
    (("ideal-ring", None),),
)
# What lies between the defaults and a DLL that gains as much as the thesis says: thresholds and ring are not the
# thesis' there. Each is all that differs from the defaults.
STEPS: tuple[Value, ...] = (
    (),
    (("routing", "xy-yx-z"),),
    (("routing", "xy-yx-z"), ("ideal-ring", None)),
    (("routing", "xy-yx-z"), ("threshold", "4")),
    (("routing", "xy-yx-z"), ("threshold", "4"), ("ideal-ring", None)),
    (("routing", "xy-yx-z"), ("threshold", "2"), ("second-threshold", "15")),
    (("routing", "xy-yx-z"), ("threshold", "2"), ("second-threshold", "15"), ("ideal-ring", None)),
    # The ring as it is has more room where packets are longer, each of which sends one message.
    (("routing", "xy-yx-z"), ("threshold", "4"), ("length", "5")),
    (("routing", "xy-yx-z"), ("threshold", "2"), ("second-threshold", "15"), ("length", "5")),
)
# The options that mean something in a network of one layer.
OF_ONE_LAYER = ("length", "long-length", "iterations", "vc-allocator", "switch-allocator")
# Who looks at an option, if not all do: without it the others' runs are the same.
LOOK_AT = {
    "threshold": ("destdetect", "dll"),
    "second-threshold": ("dll",),
    "fifo": ("destdetect", "dll"),
    "hop-mean": ("destdetect", "dll", "adaptive"),
    "hop-mean-cap": ("destdetect", "dll", "adaptive"),
    "ring-queue": ("dll", "adaptive"),
    "ring-direction": ("dll", "adaptive"),
    "ring-order": ("dll", "adaptive"),
    "ideal-ring": ("dll", "adaptive"),
    "choose": ("destdetect", "localbuf", "dll", "adaptive"),
    "occupancy-of": ("localbuf",),
    "occupancy": ("localbuf",),
    "congested-routers": ("localbuf",),
}


@dataclass(frozen=True)
class Scale:
    """How much is run."""

    seeds: int = 5
    cycles: int = 5000
    shares: tuple = (0.05, 0.15, 0.25)
    heavy: tuple = (0.05, 0.25, 0.5, 0.75, 1.0)
    latency_shares: tuple = (0.05, 0.25, 0.3, 0.5, 0.75)
    latency_rates: tuple = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)
    patterns: tuple = PATTERNS
    period: int = 3000  # cycles until the pattern changes


# Where many variants of DLL are compared, all shares count.
SHORT = Scale(3, 1500)
QUICK = Scale(1, 1500, (0.05, 0.25), (0.05, 0.75), (0.05, 0.3, 0.75), (0.05, 0.15, 0.25, 0.35, 0.45), period=1500)


@dataclass(frozen=True)
class Point:
    """A run of noc-sim: its policy, its other arguments, and whether it looks for saturation."""

    policy: str
    pattern: str
    memory: float
    routing: str = ""  # none: that of the settings, and for adaptive both orders
    rates: tuple = ()  # none: saturation
    more: Value = ()
    cycles: int = 0  # 0: those of the scale
    network: str = "two-layers"

    def arguments(self, settings: dict[str, str | None]) -> list[str]:
        """With @settings of all runs, of which this one's go first."""
        options = {n: v for n, v in {**settings, **dict(self.more)}.items()
                   if self.policy in LOOK_AT.get(n, (self.policy,))}
        routing = options.pop("routing", "yx")
        routing = self.routing or ("o1turn" if self.policy in BOTH_ORDERS else routing)
        said = ["--network", self.network, "--routing", routing, "--policy", self.policy]
        if self.network != "two-layers":
            options = {n: v for n, v in options.items() if n in OF_ONE_LAYER}
        options.setdefault("pattern", self.pattern)
        said += ["--memory", f"{self.memory:g}"] if self.memory else []
        for name in sorted(n for n in options if options[n] != ""):
            value = options[name]
            said += [f"--{name}", *((value,) if isinstance(value, str) else value or ())]
        return said + (["--rate", *(f"{r:g}" for r in self.rates)] if self.rates else ["--saturation"])


@dataclass(frozen=True)
class Play:
    """A run of noc-sim that plays what a program of many threads did to memory."""

    policy: str
    trace: Path
    cycles: int = 0

    def arguments(self, settings: dict[str, str | None]) -> list[str]:
        made_of_traffic = {"length": "", "long-length": "", "replies": ""}
        said = Point(self.policy, "", 0).arguments({**settings, **made_of_traffic, "pattern": ""})
        return [*(a for a in said if a != "--saturation"), "--play", str(self.trace)]


@dataclass(frozen=True)
class Ceiling:
    """What no split of the traffic over the policy's routes exceeds."""

    policy: str
    pattern: str
    memory: float
    cycles: int = 0

    def arguments(self, settings: dict[str, str | None]) -> list[str]:
        said = Point(self.policy, self.pattern, self.memory).arguments({**settings, "replies": ""})
        return [*(a for a in said if a != "--saturation"), "--ceiling"]


@dataclass(frozen=True)
class Cost:
    """Area and power of the network, and what the policies add."""

    cycles: int = 0

    def arguments(self, settings: dict[str, str | None]) -> list[str]:
        said = Point("dll", "uniform", COST_MEMORY, rates=(COST_RATE,)).arguments(settings)
        return [*said, *(a for n in COSTLY if n != "dll" for a in ("--policy", n)), "--cost"]


@dataclass
class Runs:
    """Results by point and seed: each a value by name."""

    program: Path
    folder: Path
    scale: Scale
    settings: dict = field(default_factory=dict)
    results: dict = field(default_factory=dict)  # by command line
    points: dict = field(default_factory=dict)  # in order of their first mention

    def __post_init__(self) -> None:
        self.version = hashlib.sha256(self.program.read_bytes()).hexdigest()[:16]

    def command(self, point: "Point | Play | Ceiling | Cost", seed: int) -> tuple[str, ...]:
        cycles = str(point.cycles or self.scale.cycles)
        of_run = ["--cycles", cycles, "--drain", cycles, "--seeds", "1", "--threads", "1", "--first-seed", str(seed)]
        return (*point.arguments(self.settings), *of_run)

    def path(self, command: tuple[str, ...]) -> Path:
        text = json.dumps([self.version, command])
        return self.folder / "points" / f"{hashlib.sha256(text.encode()).hexdigest()[:24]}.json"

    def one(self, arguments: tuple[str, ...]) -> None:
        path = self.path(arguments)
        if not path.exists():
            unfinished = path.with_suffix(f".{os.getpid()}.part")
            command = [str(self.program), *arguments, "--json", str(unfinished)]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise RuntimeError(f"{' '.join(command)}: {done.stderr.strip()}")
            # The table's title has what the document lacks.
            zero = re.search(r"zero load ([\d.]+)", done.stdout)
            document = json.loads(unfinished.read_text())
            document["zero_load"] = float(zero[1]) if zero else None
            unfinished.write_text(json.dumps(document))
            unfinished.replace(path)
        document = json.loads(path.read_text())
        values = {row["name"] if ", " in row["name"] else row["name"].partition("/")[2] or row["name"]: row["median"]
                  for row in document["results"]}
        self.results[arguments] = values | {"zero load": document["zero_load"]}

    def all(self, points: list[Point], jobs: int) -> None:
        self.points |= dict.fromkeys(points)
        self.do([self.command(p, seed) for p in self.points for seed in self.seeds()], jobs)

    def do(self, commands: list[tuple[str, ...]], jobs: int) -> None:
        (self.folder / "points").mkdir(parents=True, exist_ok=True)
        work = [c for c in dict.fromkeys(commands) if c not in self.results]
        shown = began = time.monotonic()
        with ThreadPoolExecutor(jobs) as pool:
            try:
                for done, _ in enumerate(pool.map(self.one, work), 1):
                    if sys.stderr.isatty() or time.monotonic() - shown > 10 or done == len(work):
                        shown = time.monotonic()
                        print(f"\r{done} of {len(work)} runs, {shown - began:.0f} s", end="", file=sys.stderr)
            except BaseException:
                pool.shutdown(cancel_futures=True)
                raise
        print(file=sys.stderr)

    def seeds(self) -> range:
        return range(1, self.scale.seeds + 1)

    def values(self, point: Point, name: str) -> list[float]:
        return [self.results[self.command(point, seed)][name] for seed in self.seeds()]

    def saturation(self, point: Point, definition: str) -> list[float]:
        return self.values(point, f"saturation by {definition}")


def estimate(values: list[float]) -> dict:
    half = STUDENT[len(values) - 2] * stdev(values) / len(values) ** 0.5 if len(values) > 1 else None
    return {"mean": mean(values), "half_width": half, "n": len(values)}


def shown(e: dict) -> str:
    return f"{e['mean']:.3f}" + (f" ± {e['half_width']:.3f}" if e["half_width"] is not None else "")


# --- points of each figure ---------------------------------------------------


def latency_points(scale: Scale) -> list[Point]:
    return [Point("dor", "uniform", s, "xy", scale.latency_rates) for s in scale.latency_shares]


def order_points(scale: Scale) -> list[Point]:
    return [Point("dor", p, s, r) for p in scale.patterns for s in scale.heavy for r in ("xy", "yx")]


def policy_point(policy: str, pattern: str, share: float, more: Value = ()) -> Point:
    return Point(policy, pattern, share, more=more)


def policy_points(scale: Scale) -> list[Point]:
    ideal = [policy_point("ideal", p, 0.05) for p in scale.patterns]
    return [policy_point(n, p, s) for p in scale.patterns for s in scale.shares for n in POLICIES] + ideal


def ceilings(runs: Runs, jobs: int) -> dict[str, dict[str, float]]:
    """At 5 % memory, by policy and pattern: saturation by latency over what no split exceeds."""
    points = {(n, p): Ceiling(n, p, 0.05) for n in ("dll", *BOTH_ORDERS) for p in runs.scale.patterns}
    runs.do([runs.command(c, 1) for c in points.values()], jobs)
    shares: dict[str, dict[str, float]] = {}
    for (n, p), c in points.items():
        most = runs.results[runs.command(c, 1)]["bound"]
        shares.setdefault(n, {})[p] = mean(runs.saturation(policy_point(n, p, 0.05), "latency")) / most
    return shares


def costs(runs: Runs) -> dict[str, dict[str, dict[str, float]]]:
    """By kind of buffers and policy: what it adds to the network's area, that with the wires' layer, and power."""
    command = runs.command(Cost(), 1)
    runs.do([command], 1)
    found = runs.results[command]

    def sums(of: str, kind: str) -> dict[str, float]:
        area, wiring, leakage, switching = (
            sum(v for name, v in found.items() if name.startswith(of) and name.endswith(f", {kind}/{what}"))
            for what in ("area", "wiring", "leakage", "switching"))
        return {"area": area, "with wires": area + wiring, "power": leakage + switching}

    whole = {kind: sums("network", kind) for kind in BUFFERS}
    return {kind: {n: {what: v / whole[kind][what] for what, v in sums(f"{n}: ", kind).items()} for n in COSTLY}
            for kind in BUFFERS}


def variants(settings: dict[str, str | None]) -> list[Value]:
    """One change each, from what the settings or else the defaults are."""
    changes = []
    for values in OPEN.values():
        now = {name: settings.get(name, default) for name, default in values[0]}
        changes += [v for v in values if dict(v) != now]
    return changes + [v for v in GIVEN if not set(v) <= set(settings.items())]


def in_words(value: Value) -> str:
    return " ".join(f"--{name} {to}" if to is not None else f"--{name}" for name, to in value if to != "")


def study_points(scale: Scale, settings: dict[str, str | None]) -> list[Point]:
    """At 5 % memory: the policies of the thesis under one change each."""
    names = [n for n in POLICIES if n != "adaptive"]
    return [policy_point(n, p, 0.05, v) for v in [(), *variants(settings)] for p in scale.patterns for n in names]


def network_points() -> dict[tuple, Point]:
    """By network and pattern."""
    return {(n, p): Point(policy, p, share, routing, more=(("interposer", below),) if below else (), network=name)
            for n, (name, below, routing, policy, share) in enumerate(NETWORKS) for p in ALL_PATTERNS}


def networks(runs: Runs, jobs: int) -> list[dict]:
    """Saturation of all patterns on all networks."""
    points = network_points()
    runs.all(list(points.values()), jobs)
    return [{"network": below or name, "routing": routing, "policy": policy, "memory": share,
             "patterns": {p: {d: estimate(runs.saturation(points[n, p], d)) for d in DEFINITIONS} for p in ALL_PATTERNS}}
            for n, (name, below, routing, policy, share) in enumerate(NETWORKS)]


def steps(runs: Runs, jobs: int) -> list[dict]:
    """DLL over DOR on the way from the defaults to what gains as much as the thesis says."""
    scale = runs.scale
    runs.all([policy_point(n, p, s, v) for v in STEPS for p in scale.patterns for s in scale.shares
              for n in ("dor", "dll")], jobs)
    return [{"change": in_words(v) or "none",
             **{name: {d: gain(runs, "dll", "dor", shares, d, v) for d in DEFINITIONS}
                for name, shares in (("5 %", scale.shares[:1]), ("all", scale.shares))}} for v in STEPS]


def convergence_points(runs: Runs) -> dict[str, Point]:
    """Each policy where the pattern changes, at nine tenths of the rate that DLL carries in the worst of them."""
    scale = runs.scale
    rate = 0.9 * min(mean(runs.saturation(policy_point("dll", p, 0.05), "latency")) for p in scale.patterns)
    changing = (("pattern", CHANGES), ("period", str(scale.period)), ("timeline", None))
    return {n: Point(n, CHANGES[0], 0.05, rates=(float(f"{rate:.3f}"),), more=changing,
                     cycles=scale.period * len(CHANGES)) for n in POLICIES}


def recorded(recorder: Path, folder: Path) -> dict[str, Path]:
    """The accesses of each program, by name, recorded where they are not there yet."""
    version = hashlib.sha256(recorder.read_bytes()).hexdigest()[:16]
    (folder / "traces").mkdir(parents=True, exist_ok=True)
    traces = {name: folder / "traces" / f"{name}-{version}" for name in PROGRAMS}
    for name, path in traces.items():
        if not path.exists():
            unfinished = path.with_suffix(f".{os.getpid()}.part")
            subprocess.run([recorder, "--program", name, unfinished], check=True, stdout=subprocess.DEVNULL)
            unfinished.replace(path)
    return traces


def recorded_kernels(recorder: Path, folder: Path) -> dict[str, Path]:
    """The same of kernels in the PTX interpreter, whose blocks take turns on the cores."""
    version = hashlib.sha256(recorder.read_bytes() + repr(KERNELS).encode()).hexdigest()[:16]
    (folder / "traces").mkdir(parents=True, exist_ok=True)
    drawn = folder / "traces/bytes"
    drawn.write_bytes(random.Random(1).randbytes(BYTES))
    traces = {}
    for name, (text, kernel, grid, block, arguments) in KERNELS.items():
        traces[name] = folder / "traces" / f"{re.sub('[^a-z0-9_]', '', name)}-{version}"
        if traces[name].exists():
            continue
        unfinished = traces[name].with_suffix(f".{os.getpid()}.part")
        given = [a for value in arguments.replace("BYTES", str(drawn)).split() for a in ("--arg", value)]
        subprocess.run([recorder, "--ptx", CORPUS / f"{text}.ptx", "--kernel", kernel, "--grid", grid, "--block", block, *given,
            unfinished], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        unfinished.replace(traces[name])
    return traces


# --- what is said of them ----------------------------------------------------


def gain(runs: Runs, a: str, b: str, shares: tuple, definition: str, more: Value = ()) -> dict:
    """Mean over patterns and shares of the ratio of two policies, by seed."""
    scale = runs.scale
    by_seed = []
    for i in range(scale.seeds):
        ratios = [runs.saturation(policy_point(a, p, s, more), definition)[i] /
                  runs.saturation(policy_point(b, p, s, more), definition)[i] for p in scale.patterns for s in shares]
        by_seed.append(mean(ratios))
    return estimate(by_seed)


def timeline(runs: Runs, point: Point) -> list[tuple[int, float]]:
    """When packets were created, and their mean latency over the seeds."""
    names = runs.results[runs.command(point, 1)]
    at = sorted((int(n.rpartition(" ")[2]), n) for n in names if "/latency from " in n)
    return [(time, mean(runs.values(point, n))) for time, n in at]


def settled(latencies: list[float], window: int) -> int:
    """Cycles after which the latency stays within a tenth, or 2 cycles, of its mean over the second half."""
    steady = mean(latencies[len(latencies) // 2:])
    out = [i for i, latency in enumerate(latencies) if abs(latency - steady) > max(0.1 * steady, 2)]
    return window * (out[-1] + 1) if out else 0


def convergence(runs: Runs, points: dict[str, Point]) -> dict:
    """For each policy: cycles until it has settled after each change of pattern, and the mean latency of each."""
    rows = {}
    for policy, point in points.items():
        line = timeline(runs, point)
        window = line[1][0] - line[0][0]
        phases = [[latency for time, latency in line if time // runs.scale.period == i] for i in range(len(CHANGES))]
        rows[policy] = {"settled": [settled(p, window) for p in phases],
                        "steady": [mean(p[len(p) // 2:]) for p in phases], "line": line}
    return {"rate": next(iter(points.values())).rates[0], "period": runs.scale.period, "patterns": list(CHANGES),
            "policies": rows}


def applications(runs: Runs, traces: dict[str, Path], jobs: int) -> dict:
    """What each policy makes of each program, with one seed, which adaptive alone looks at."""
    runs.do([runs.command(Play(n, t), 1) for t in traces.values() for n in POLICIES], jobs)
    return {name: {n: runs.results[runs.command(Play(n, t), 1)] for n in POLICIES} for name, t in traces.items()}


def over_dor(played: dict, policy: str) -> float:
    return mean(of[policy]["cycles"] / of["dor"]["cycles"] for of in played.values())


def worst(runs: Runs, a: str, b: str, definition: str) -> dict:
    cases = [(mean(runs.saturation(policy_point(a, p, s), definition)) /
              mean(runs.saturation(policy_point(b, p, s), definition)), p, s)
             for p in runs.scale.patterns for s in runs.scale.shares]
    ratio, pattern, share = min(cases)
    return {"mean": ratio, "half_width": None, "n": runs.scale.seeds, "case": f"{pattern}, {share:.0%} memory"}


def yx_over_xy(runs: Runs, share: float, definition: str) -> dict:
    return estimate([mean(y / x for p in runs.scale.patterns
                          for y, x in [(runs.saturation(Point("dor", p, share, "yx"), definition)[i],
                                        runs.saturation(Point("dor", p, share, "xy"), definition)[i])])
                     for i in range(runs.scale.seeds)])


def slowest_place(runs: Runs, share: float) -> str:
    """Where head flits wait most at the highest rate whose latency is below 3 × zero load."""
    point = Point("dor", "uniform", share, "xy", runs.scale.latency_rates)
    zero = runs.values(point, "zero load")[0]
    fine = [r for r in runs.scale.latency_rates if mean(runs.values(point, f"{r:g}/latency")) < 3 * zero]
    if not fine:
        return "none"
    places = ("cores", "interposer's centre", "interposer's edge")
    return max(places, key=lambda place: mean(runs.values(point, f"{fine[-1]:g}/in {place}")))


def statements(runs: Runs) -> list[dict]:
    """Numbers of the thesis' text beside ours, in each definition of saturation."""
    scale = runs.scale
    rows = [
        ("DLL / DOR, all shares", 1.45, lambda d: gain(runs, "dll", "dor", scale.shares, d)),
        ("DLL / DOR, 5 % memory", 1.55, lambda d: gain(runs, "dll", "dor", scale.shares[:1], d)),
        ("DLL / DestDetect, all shares", 1.149, lambda d: gain(runs, "dll", "destdetect", scale.shares, d)),
        ("DLL / LocalBuf, all shares", 1.065, lambda d: gain(runs, "dll", "localbuf", scale.shares, d)),
        *((f"YX / XY, {s:.0%} memory", 1.565, lambda d, s=s: yx_over_xy(runs, s, d))
          for s in scale.heavy if s >= HEAVY),
        ("adaptive / DLL, all shares", None, lambda d: gain(runs, "adaptive", "dll", scale.shares, d)),
        ("adaptive / DLL, worst case", None, lambda d: worst(runs, "adaptive", "dll", d)),
    ]
    return [{"what": what, "thesis": thesis, **{d: of(d) for d in DEFINITIONS}} for what, thesis, of in rows]


def study(runs: Runs) -> list[dict]:
    """DLL, DestDetect and LocalBuf over DOR at 5 % memory, for each change of an open parameter."""
    return [{"change": in_words(v) or "none",
             **{n: {d: gain(runs, n, "dor", (0.05,), d, v) for d in DEFINITIONS}
                for n in ("destdetect", "localbuf", "dll")}}
            for v in [(), *variants(runs.settings)]]


# --- output ------------------------------------------------------------------


def table(title: str, head: list[str], rows: list[list[str]]) -> str:
    widths = [max(len(r[i]) for r in [head, *rows]) for i in range(len(head))]
    lines = ["  " + "  ".join(c.ljust(w) if i == 0 else c.rjust(w) for i, (c, w) in enumerate(zip(r, widths)))
             for r in [head, *rows]]
    return "\n".join([title, lines[0], "  " + "-" * (sum(widths) + 2 * len(widths) - 2), *lines[1:], ""])


PLAYED = {"applications": "Programs of 64 threads", "kernels": "Kernels, blocks on 64 cores"}


def tables(document: dict) -> str:
    parts = []
    if "statements" in document:
        parts.append(table("The thesis and ours, by definition of saturation",
            ["what", "thesis", *DEFINITIONS.values()],
            [[row["what"], str(row["thesis"] or "-"), *(shown(row[d]) for d in DEFINITIONS)]
             for row in document["statements"]]))
        parts.append(table("Where head flits wait most before saturation (XY, uniform)", ["memory", "place"],
            [[f"{float(s):.0%}", place] for s, place in document["slowest place"].items()]))
        parts.append(table_of_convergence(document["convergence"]))
        patterns = next(iter(document["ceilings"].values())).keys()
        parts.append(table("Saturation by latency over what no split of the traffic exceeds, 5 % memory",
            ["policy", *patterns, "mean"],
            [[n, *(f"{of[p]:.2f}" for p in patterns), f"{mean(of.values()):.2f}"]
             for n, of in document["ceilings"].items()]))
    if "costs" in document:
        parts.append(table(f"What policies add at {COST_RATE} flits a core and cycle (thesis: DLL 7.7 % of area, 5.8 % of power)",
            ["buffers, policy", "area", "with wires' layer", "power"],
            [[f"{kind}, {n}", *(f"{100 * v:.1f} %" for v in of.values())]
             for kind, by_policy in document["costs"].items() for n, of in by_policy.items()]))
    for key, title in PLAYED.items():
        if not (played := document.get(key)):
            continue
        rows = [[name, *(f"{of[n]['cycles'] / of['dor']['cycles']:.3f}" for n in POLICIES),
                 f"{of['dor']['to memory']:.1%}"] for name, of in played.items()]
        rows.append(["mean", *(f"{over_dor(played, n):.3f}" for n in POLICIES), ""])
        parts.append(table(f"{title}: run time over DOR's (thesis, PARSEC: DLL 0.739), and DOR's memory packets",
            ["", *POLICIES, "memory"], rows))
    for definition, words in DEFINITIONS.items():
        if "networks" in document:
            of = document["networks"]
            parts.append(table(f"Saturation in flits a core and cycle, by {words}",
                ["pattern", *(f"{r['network']} {r['routing']} {r['policy']}" for r in of)],
                [[p, *(f"{r['patterns'][p][definition]['mean']:.3f}" for r in of)] for p in ALL_PATTERNS]))
    if "steps" in document:
        parts.append(table("DLL over DOR (thesis: 1.55 at 5 % memory, 1.45 at all shares)",
            ["change", *(f"{words}, {share}" for words in DEFINITIONS.values() for share in ("5 %", "all"))],
            [[r["change"], *(shown(r[share][d]) for d in DEFINITIONS for share in ("5 %", "all"))]
             for r in document["steps"]]))
    if "study" in document:
        parts.append(table("Over DOR at 5 % memory, by latency 3 × zero load, with one change",
            ["change", "DestDetect", "LocalBuf", "DLL"],
            [[r["change"], *(shown(r[n]["latency"]) for n in ("destdetect", "localbuf", "dll"))]
             for r in document["study"]]))
    return "\n".join(parts)


def table_of_convergence(changed: dict) -> str:
    title = f"Cycles until latency settles after a change of pattern (and that latency), at rate {changed['rate']:g}"
    return table(title, ["policy", *changed["patterns"]],
        [[policy, *(f"{t} ({latency:.0f})" for t, latency in zip(row["settled"], row["steady"]))]
         for policy, row in changed["policies"].items()])


def script(title: str, size: tuple, panels: list[tuple]) -> str:
    """Panels (title, x, y, lines, commands before) in rows of two or three; a line is a name and points (x, y)."""
    columns = 2 if len(panels) in (2, 4) else min(3, len(panels))
    rows = -(-len(panels) // columns)
    out = ["set encoding utf8", f"set terminal svg size {size[0]},{size[1]} font 'sans-serif,11' background 'white'",
           f"set multiplot layout {rows},{columns} title \"{title}\"", "set grid back lc rgb '#dddddd'",
           "set key top left Left reverse samplen 2"]
    for name, x, y, lines, before in panels:
        plots = []
        for number, (label, points) in enumerate(lines):
            data = "\n".join(f"{a} {b:.6g}" for a, b in points)
            out.append(f"$line{number} << END\n{data}\nEND")
            plots.append(f"$line{number} using 1:2 with linespoints lw 1.5 pt 7 ps 0.4 "
                         f"lc rgb '{COLOURS[number % len(COLOURS)]}' title \"{label}\"")
        out += [f"set title \"{name}\"", f"set xlabel \"{x}\"", f"set ylabel \"{y}\"", *before]
        out.append("plot " + ", \\\n  ".join(plots))
    return "\n".join([*out, "unset multiplot", ""])


def figure_8(runs: Runs) -> str:
    scale = runs.scale
    points = {s: Point("dor", "uniform", s, "xy", scale.latency_rates) for s in scale.latency_shares}

    def line(share: float, name: str) -> list:
        return [(r, mean(runs.values(points[share], f"{r:g}/{name}"))) for r in scale.latency_rates]

    panels = [("latency by memory share", "flits a core and cycle", "cycles",
        [(f"{s:.0%}", line(s, "latency")) for s in points], ["set yrange [0:150]"])]
    for s in points:
        panels.append((f"in a router, {s:.0%} memory", "flits a core and cycle", "cycles",
            [(place, line(s, f"in {place}")) for place in ("cores", "interposer's centre", "interposer's edge")],
            ["set yrange [0:20]"]))
    return script("After figure 5.8: DOR, XY, uniform", (1100, 700), panels)


def by_share(runs: Runs, pattern: str, shares: tuple, lines: list[tuple]) -> tuple:
    drawn = [(name, [(100 * s, mean(runs.saturation(point(s), "latency"))) for s in shares]) for name, point in lines]
    before = ["set yrange [0:*]", "set key bottom right"]
    return pattern, "memory packets, %", "saturation, flits a core and cycle", drawn, before


def figure_9(runs: Runs) -> str:
    panels = [by_share(runs, p, runs.scale.heavy, [(r.upper(), lambda s, p=p, r=r: Point("dor", p, s, r))
                                                   for r in ("xy", "yx")]) for p in runs.scale.patterns]
    return script("After figure 5.9: XY and YX in the interposer, DOR", (1100, 700), panels)


def figure_of_convergence(runs: Runs) -> str:
    points = convergence_points(runs)
    panels = [(" then ".join(CHANGES), "cycle", "cycles", [(n, timeline(runs, p)) for n, p in points.items()],
        ["set yrange [0:150]"])]
    return script(f"Latency where the pattern changes every {runs.scale.period} cycles", (1100, 500), panels)


def figure_10(runs: Runs) -> str:
    panels = [by_share(runs, p, runs.scale.shares, [(n, lambda s, p=p, n=n: policy_point(n, p, s)) for n in POLICIES])
              for p in runs.scale.patterns]
    return script("After figure 5.10: throughput by policy", (1100, 700), panels)


FIGURES = {"noc-figure-5.8": figure_8, "noc-figure-5.9": figure_9, "noc-figure-5.10": figure_10,
           "noc-figure-convergence": figure_of_convergence}


def figure_11(played: dict) -> str:
    lines = [(n, [(i, of[n]["cycles"] / of["dor"]["cycles"]) for i, of in enumerate(played.values())])
             for n in POLICIES]
    names = ", ".join(f"'{name}' {i}" for i, name in enumerate(played))
    return script("After figure 5.11: run time of programs of 64 threads, and of kernels", (1100, 500),
        [("", "", "run time over DOR's", lines, [f"set xtics ({names}) rotate by 30 right", "set yrange [0.5:1.1]"])])


def figure_12(added: dict) -> str:
    panels = []
    for what in ("area", "power"):
        lines = [(kind, [(i, 100 * of[what]) for i, of in enumerate(by_policy.values())])
                 for kind, by_policy in added.items()]
        lines.append(("thesis, DLL", [(COSTLY.index("dll"), {"area": 7.7, "power": 5.8}[what])]))
        names = ", ".join(f"'{n}' {i}" for i, n in enumerate(COSTLY))
        panels.append((what, "", "more than without a policy, %", lines,
            [f"set xtics ({names})", f"set xrange [-0.5:{len(COSTLY) - 0.5}]", "set yrange [0:12]"]))
    return script("After figure 5.12: what policies add", (1100, 450), panels)


def draw(folder: Path, runs: Runs, figures: list[tuple], document: dict) -> bool:
    texts = {name: figure(runs) for name, figure in figures}
    if played := {**document.get("applications", {}), **document.get("kernels", {})}:
        texts["noc-figure-5.11"] = figure_11(played)
    if added := document.get("costs"):
        texts["noc-figure-5.12"] = figure_12(added)
    for name, text in texts.items():
        try:
            done = subprocess.run(["gnuplot"], input=text, capture_output=True, text=True)
        except FileNotFoundError:
            print("no figures: gnuplot is missing; install gnuplot-nox", file=sys.stderr)
            return True
        if done.returncode or done.stderr:
            print(f"gnuplot: {done.stderr.strip()}", file=sys.stderr)
            return False
        (folder / f"{name}.svg").write_text(done.stdout)
        print(folder / f"{name}.svg")
    return True


def raw(runs: Runs) -> list[dict]:
    return [{"network": p.network, "policy": p.policy, "routing": p.routing, "pattern": p.pattern, "memory": p.memory, "more": list(p.more),
             "seed": seed, **{k: v for k, v in values.items() if v is not None}}
            for p in sorted(runs.points, key=repr) for seed in runs.seeds()
            for values in [runs.results[runs.command(p, seed)]]]


def commit() -> str:
    done = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "build/bin/noc-sim")
    parser.add_argument("--recorder", type=Path, default=ROOT / "build/bin/noc-record")
    parser.add_argument("--kernel-recorder", type=Path, default=ROOT / "build/bin/noc-record-ptx")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/noc-figures")
    parser.add_argument("--quick", action="store_true", help="one seed, short runs, fewer shares")
    parser.add_argument("--study", action="store_true", help="also a row for each open parameter")
    parser.add_argument("--programs", action="store_true", help="nothing but figure 5.11")
    parser.add_argument("--networks", action="store_true", help="nothing but saturation of all patterns and networks")
    parser.add_argument("--steps", action="store_true",
                        help="nothing but DLL over DOR from the defaults to where it gains as much as the thesis says")
    parser.add_argument("--settings", type=Path, help="what search.py wrote; not given: noc-sim's defaults")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at a time")
    options = parser.parse_args()
    if not options.program.exists():
        print(f"skipped: there is no {options.program}: make build/bin/noc-sim", file=sys.stderr)
        return 4
    scale = QUICK if options.quick else SHORT if options.steps else Scale()
    settings = json.loads(options.settings.read_text())["settings"] if options.settings else {}
    runs = Runs(options.program.resolve(), options.folder.resolve(), scale, settings)
    document = {"program": "noc-figures", "commit": commit(), "noc-sim": runs.version,
                "command": " ".join(sys.argv), "settings": settings, "seeds": scale.seeds,
                "cycles": scale.cycles, "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())}
    of_saturation = options.networks or options.steps
    if of_saturation:
        of = networks if options.networks else steps
        document[of.__name__] = of(runs, options.jobs)
        document["results"] = raw(runs)
    elif options.recorder.exists():
        traces = recorded(options.recorder.resolve(), runs.folder)
        document["applications"] = applications(runs, traces, options.jobs)
    else:
        print(f"no programs: there is no {options.recorder}: make build/bin/noc-record", file=sys.stderr)
    if not of_saturation and options.kernel_recorder.exists():
        traces = recorded_kernels(options.kernel_recorder.resolve(), runs.folder)
        document["kernels"] = applications(runs, traces, options.jobs)
    figures = [] if options.programs or of_saturation else list(FIGURES.items())
    if figures:
        document |= of_patterns(runs, options)
    names = {"noc-programs": options.programs, "noc-networks": options.networks, "noc-steps": options.steps}
    name = next((n for n, asked in names.items() if asked), "noc-figures")
    text = tables(document)
    print(text)
    (options.folder / f"{name}.txt").write_text(text)
    (options.folder / f"{name}.json").write_text(json.dumps(document, indent=1) + "\n")
    if of_saturation:
        return 0
    return 0 if draw(options.folder, runs, figures, document) else 1


def of_patterns(runs: Runs, options: argparse.Namespace) -> dict:
    """All but what programs of threads do."""
    scale = runs.scale
    points = policy_points(scale) + order_points(scale) + latency_points(scale)
    runs.all(points + (study_points(scale, runs.settings) if options.study else []), options.jobs)
    converging = convergence_points(runs)
    runs.all(list(converging.values()), options.jobs)
    said = {"statements": statements(runs),
            "slowest place": {f"{s:g}": slowest_place(runs, s) for s in scale.latency_shares},
            "convergence": convergence(runs, converging), "ceilings": ceilings(runs, options.jobs),
            "costs": costs(runs)}
    if options.study:
        said["study"] = study(runs)
    return said | {"results": raw(runs)}


if __name__ == "__main__":
    sys.exit(main())
