#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Compares what het-bench says of a device with what its peers say, in one run.

  bench-peers.py build --gpu-benches DIR --nvbandwidth DIR --mixbench DIR --shoc DIR --mt4g DIR --into BUILT
  bench-peers.py run --built BUILT --device cuda0 --json OUT

The folders are checkouts of github.com/RRZE-HPC/gpu-benches, NVIDIA/nvbandwidth, ekondis/mixbench, vetter/shoc and
caps-tum/mt4g; clpeak is taken from the path, or from BUILT. The programs may be built on another machine than the one
that they run on.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Callable

from peers.building import BUILDERS
from peers.reading import (
    latency_between,
    read_clpeak,
    read_latency,
    read_mixbench,
    read_mt4g,
    read_nvbandwidth,
    read_shoc,
    read_stream,
)

ROOT = Path(__file__).resolve().parent.parent
TESTS = "latency constant-latency bandwidth local-bandwidth arithmetic clock transfers".split()
SHOC = [f"shoc-{name}" for name in "DeviceMemory MaxFlops BusSpeedDownload BusSpeedReadback".split()]


@dataclass
class Pair:
    quantity: str
    unit: str
    ours: float
    theirs: float
    peer: str

    @property
    def ratio(self) -> float:
        """Tells how many times as good ours is: a rate should be high, a latency low."""
        return self.theirs / self.ours if self.unit == "ns" else self.ours / self.theirs


class Results:
    """Has the results of a run of het-bench."""

    def __init__(self, document: dict):
        self.medians = {r["name"]: r["median"] for r in document["results"]}
        self.facts = {f["name"]: f["value"] for f in document["facts"] if "value" in f}

    def best(self, prefix: str) -> float | None:
        return max((v for n, v in self.medians.items() if n.startswith(prefix + "/")), default=None)

    def fact(self, name: str) -> float | None:
        return self.facts.get(name)


def pairs_of(ours: Results, outputs: dict[str, str]) -> list[Pair]:
    stream = read_stream(outputs.get("gpu-stream", ""))
    latency = read_latency(outputs.get("gpu-latency", ""))
    copies = read_nvbandwidth(outputs.get("nvbandwidth", ""))
    clpeak = read_clpeak(outputs["clpeak"]) if outputs.get("clpeak") else {}
    mix = read_mixbench(outputs.get("mixbench-cuda", ""))
    shoc = read_shoc("\n".join(outputs.get(name, "") for name in SHOC))
    mt4g = read_mt4g(outputs.get("mt4g", ""))
    read, written = ours.best("vectors"), ours.best("bandwidth/global/write/sequential")
    sent, fetched = ours.best("transfers/pinned to device"), ours.best("transfers/pinned to host")
    rates = {n: ours.best(f"arithmetic/rate/{n}") for n in ("float fma", "double fma", "int mad")}
    flop = {name: rate and 2 * rate for name, rate in rates.items()}
    clock = ours.fact("clock.busy")  # GHz

    def of_shoc(kind: str) -> float | None:
        return max((v for n, v in shoc.items() if n.endswith(kind)), default=None)

    def ns_of(level: str) -> float | None:
        """MT4G's mean of loads, which it counts in clocks."""
        clocks = mt4g.get(f"{level}/latency/mean")
        return clocks / clock if clocks and clock else None

    # The footprints, in KiB, at which an H100 or H200 shows one level alone.
    known = [
        ("read", "GB/s", read, stream.get("read"), "gpu-benches"),
        ("written", "GB/s", written, stream.get("init"), "gpu-benches"),
        ("copied", "GB/s", ours.best("copies"), stream.get("scale"), "gpu-benches"),
        ("L1, latency", "ns", ours.fact("l1.latency"), latency_between(latency, 2, 100), "gpu-benches"),
        ("L2, latency", "ns", ours.fact("l2.latency"), latency_between(latency, 1000, 10000), "gpu-benches"),
        ("memory, latency", "ns", ours.fact("memory.latency"), latency_between(latency, 200e3, 1e9), "gpu-benches"),
        ("copies to the device", "GB/s", sent, copies.get("host_to_device_memcpy_ce"), "nvbandwidth"),
        ("copies to the host", "GB/s", fetched, copies.get("device_to_host_memcpy_ce"), "nvbandwidth"),
        ("read", "GB/s", read, clpeak.get("global_memory_bandwidth"), "clpeak"),
        ("float", "GFLOP/s", flop["float fma"], clpeak.get("single_precision_compute"), "clpeak"),
        ("double", "GFLOP/s", flop["double fma"], clpeak.get("double_precision_compute"), "clpeak"),
        ("read", "GB/s", read, mix.get("read"), "mixbench"),
        ("float", "GFLOP/s", flop["float fma"], mix.get("float"), "mixbench"),
        ("double", "GFLOP/s", flop["double fma"], mix.get("double"), "mixbench"),
        ("int", "GOP/s", flop["int mad"], mix.get("int"), "mixbench"),
        ("read", "GB/s", read, shoc.get("readGlobalMemoryCoalesced"), "SHOC"),
        ("written", "GB/s", written, shoc.get("writeGlobalMemoryCoalesced"), "SHOC"),
        ("local memory, read", "GB/s", ours.best("bandwidth/local"), shoc.get("readLocalMemory"), "SHOC"),
        ("float", "GFLOP/s", flop["float fma"], of_shoc("-SP"), "SHOC"),
        ("double", "GFLOP/s", flop["double fma"], of_shoc("-DP"), "SHOC"),
        ("copies to the device", "GB/s", sent, shoc.get("DownloadSpeed"), "SHOC"),
        ("copies to the host", "GB/s", fetched, shoc.get("ReadbackSpeed"), "SHOC"),
        ("L1, latency", "ns", ours.fact("l1.latency"), ns_of("l1"), "MT4G"),
        ("L2, latency", "ns", ours.fact("l2.latency"), ns_of("l2"), "MT4G"),
        ("memory, latency", "ns", ours.fact("memory.latency"), ns_of("main"), "MT4G"),
        ("constant L1, latency", "ns", ours.fact("constant.l1.latency"), ns_of("constant/l1"), "MT4G"),
        ("L1, size", "bytes", ours.fact("l1.size"), mt4g.get("l1/size/size"), "MT4G"),
        ("L2, size", "bytes", ours.fact("l2.size"), mt4g.get("l2/segmentSize/size"), "MT4G"),
        ("constant L1, size", "bytes", ours.fact("constant.l1.size"), mt4g.get("constant/l1/size/size"), "MT4G"),
        ("L1, line", "bytes", ours.fact("l1.line"), mt4g.get("l1/lineSize/size"), "MT4G"),
        ("L2, line", "bytes", ours.fact("l2.line"), mt4g.get("l2/lineSize/size"), "MT4G"),
        ("L1, fetch", "bytes", ours.fact("l1.fetch"), mt4g.get("l1/fetchGranularity/size"), "MT4G"),
        ("L2, fetch", "bytes", ours.fact("l2.fetch"), mt4g.get("l2/fetchGranularity/size"), "MT4G"),
    ]  # fmt: skip
    return [Pair(quantity, unit, a, b, peer) for quantity, unit, a, b, peer in known if a and b]


def table_of(pairs: list[Pair]) -> str:
    lines = [f"{'quantity':24}{'peer':14}{'unit':10}{'ours':>10}{'peer':>10}{'as good':>10}"]
    for p in pairs:
        lines.append(f"{p.quantity:24}{p.peer:14}{p.unit:10}{p.ours:10.4g}{p.theirs:10.4g}{p.ratio:10.3f}")
    return "\n".join(lines)


def build(args: argparse.Namespace) -> None:
    args.into.mkdir(parents=True, exist_ok=True)
    for name, build_one in BUILDERS.items():
        checkout = getattr(args, name.replace("-", "_"))
        if checkout:
            with tempfile.TemporaryDirectory() as scratch:
                build_one(checkout.resolve(), args.into, Path(scratch))


def output_of(command: list[str], seconds: float) -> str:
    """What a program printed until its time was over is better than nothing."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds)
        return done.stdout
    except subprocess.TimeoutExpired as late:
        return (late.stdout or b"").decode()
    except FileNotFoundError:
        return ""


def clpeak_output(built: Path, seconds: float) -> str:
    with tempfile.NamedTemporaryFile(suffix=".xml") as xml:
        program = built / "clpeak"
        command = [str(program) if program.exists() else "clpeak", "--use-event-timer", "--enable-xml-dump"]
        output_of([*command, "-f", xml.name, "--global-bandwidth", "--compute-sp", "--compute-dp"], seconds)
        return Path(xml.name).read_text()


def results_of(args: argparse.Namespace) -> dict:
    if args.ours:
        return json.loads(args.ours.read_text())
    with tempfile.NamedTemporaryFile(suffix=".json") as ours:
        command = [str(args.het_bench), "--quick", "--device", args.device, "--only", *TESTS, "--json", ours.name]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return json.loads(Path(ours.name).read_text())


def run(args: argparse.Namespace) -> None:
    """The peers run after het-bench, on a device that is warm from it."""
    document = results_of(args)
    copies = ["host_to_device_memcpy_ce", "device_to_host_memcpy_ce"]
    commands = {
        "gpu-stream": ["stdbuf", "-oL", "gpu-stream"],
        "gpu-latency": ["stdbuf", "-oL", "gpu-latency"],
        "nvbandwidth": ["nvbandwidth", "-i", "5", "-t", *copies],
        "mixbench-cuda": ["mixbench-cuda"],
        **{name: [name, "-n", "2"] for name in SHOC},
        "mt4g": ["mt4g", "-s", *"--l1 --l2 --memory --constant".split()],
    }

    def outputs_of(name: str) -> str:
        command = [str(args.built / part) if part == name else part for part in commands[name]]
        return output_of(command, args.seconds)

    peers: dict[str, Callable[[], str]] = {name: lambda name=name: outputs_of(name) for name in commands}
    if not args.device.startswith("cuda"):
        peers = {"clpeak": lambda: clpeak_output(args.built, args.seconds)}
    outputs = {name: of_peer() for name, of_peer in peers.items() if not args.only or name in args.only}
    pairs = pairs_of(Results(document), outputs)
    print(table_of(pairs))
    for name in outputs:
        if not outputs[name]:
            print(f"{name}: it printed nothing, or is not there: bench-peers.py build makes all but clpeak")
    if args.json:
        found = {"device": document["device"], "pairs": [asdict(p) | {"ratio": p.ratio} for p in pairs]}
        args.json.write_text(json.dumps(found | {"outputs": outputs}, indent=1) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    b = commands.add_parser("build")
    for name in BUILDERS:
        b.add_argument(f"--{name}", type=Path, help="its checkout")
    b.add_argument("--into", type=Path, required=True)
    b.set_defaults(do=build)
    r = commands.add_parser("run")
    r.add_argument("--built", type=Path, default=Path("."))
    r.add_argument("--device", required=True)
    r.add_argument("--het-bench", type=Path, default=ROOT / "build/bin/het-bench")
    r.add_argument("--ours", type=Path, help="results of het-bench, instead of a run of it")
    r.add_argument("--only", nargs="+", metavar="PEER", help="these programs alone")
    r.add_argument("--seconds", type=float, default=60, help="for each peer")
    r.add_argument("--json", type=Path)
    r.set_defaults(do=run)
    args = parser.parse_args()
    args.do(args)
    return 0


if __name__ == "__main__":
    sys.exit(main())
