#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Compares what het-bench says of a device with what its peers say, in one run.

  bench-peers.py build --gpu-benches DIR --nvbandwidth DIR --into BUILT
  bench-peers.py run --built BUILT --device cuda0 --json OUT

The folders are checkouts of github.com/RRZE-HPC/gpu-benches and github.com/NVIDIA/nvbandwidth; clpeak is taken from the
path, or from BUILT. The programs may be built on another machine than the one that they run on.
"""

import argparse
import json
import re
import statistics
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Callable, Iterable

ROOT = Path(__file__).resolve().parent.parent


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


def read_stream(text: str) -> dict[str, float]:
    """gpu-stream prints a line of rates for each size of a block; the best of each column counts."""
    columns = ("init", "read", "scale", "triad")
    rows = [line.split("GB/s:")[1].split() for line in text.splitlines() if "GB/s:" in line]
    rows = [r for r in rows if len(r) >= len(columns)]  # its time may be over inside a line
    return {c: max(float(r[i]) for r in rows) for i, c in enumerate(columns)} if rows else {}


def read_latency(text: str) -> list[tuple[float, float]]:
    """gpu-latency prints loads, MHz, KiB, ms and clocks of a load; returns KiB and ns."""
    rows = [line.split() for line in text.splitlines()]
    return [(float(r[2]), float(r[4]) * 1e3 / float(r[1])) for r in rows if len(r) == 5 and r[0].isdigit()]


def latency_between(rows: Iterable[tuple[float, float]], least: float, most: float) -> float | None:
    found = [ns for kib, ns in rows if least <= kib <= most]
    return statistics.median(found) if found else None


def read_nvbandwidth(text: str) -> dict[str, float]:
    """nvbandwidth prints a column for each device; the first one's counts."""
    return {name: float(value) for value, name in re.findall(r"^ *0 +([\d.]+).*\n\nSUM (\S+)", text, re.M)}


def read_clpeak(text: str, device: int = 0) -> dict[str, float]:
    """clpeak's best width of each kind counts. A file that ends early, as time was over, says nothing."""
    try:
        devices = list(ElementTree.fromstring(text).iter("device"))
    except ElementTree.ParseError:
        return {}
    if device >= len(devices):
        return {}
    found = {}
    for kind in ("global_memory_bandwidth", "single_precision_compute", "double_precision_compute"):
        values = [float(v.text) for part in devices[device].iter(kind) for v in part]
        if values:
            found[kind] = max(values)
    return found


def pairs_of(ours: Results, outputs: dict[str, str]) -> list[Pair]:
    stream = read_stream(outputs.get("gpu-stream", ""))
    latency = read_latency(outputs.get("gpu-latency", ""))
    copies = read_nvbandwidth(outputs.get("nvbandwidth", ""))
    clpeak = read_clpeak(outputs["clpeak"]) if outputs.get("clpeak") else {}
    fma = ours.best("arithmetic/rate/float fma")
    double_fma = ours.best("arithmetic/rate/double fma")
    # The footprints, in KiB, at which an H100 or H200 shows one level alone.
    known = [
        ("read", "GB/s", ours.best("vectors"), stream.get("read"), "gpu-benches"),
        ("written", "GB/s", ours.best("bandwidth/global/write/sequential"), stream.get("init"), "gpu-benches"),
        ("copied", "GB/s", ours.best("bandwidth/global/both/sequential"), stream.get("scale"), "gpu-benches"),
        ("L1, latency", "ns", ours.fact("l1.latency"), latency_between(latency, 2, 100), "gpu-benches"),
        ("L2, latency", "ns", ours.fact("l2.latency"), latency_between(latency, 1000, 10000), "gpu-benches"),
        ("memory, latency", "ns", ours.fact("memory.latency"), latency_between(latency, 200e3, 1e9), "gpu-benches"),
        ("copies to the device", "GB/s", ours.best("transfers/pinned to device"),
         copies.get("host_to_device_memcpy_ce"), "nvbandwidth"),
        ("copies to the host", "GB/s", ours.best("transfers/pinned to host"),
         copies.get("device_to_host_memcpy_ce"), "nvbandwidth"),
        ("read", "GB/s", ours.best("vectors"), clpeak.get("global_memory_bandwidth"), "clpeak"),
        ("float", "GFLOP/s", fma and 2 * fma, clpeak.get("single_precision_compute"), "clpeak"),
        ("double", "GFLOP/s", double_fma and 2 * double_fma, clpeak.get("double_precision_compute"), "clpeak"),
    ]  # fmt: skip
    return [Pair(quantity, unit, a, b, peer) for quantity, unit, a, b, peer in known if a and b]


def table_of(pairs: list[Pair]) -> str:
    lines = [f"{'quantity':24}{'peer':14}{'unit':10}{'ours':>10}{'peer':>10}{'as good':>10}"]
    for p in pairs:
        lines.append(f"{p.quantity:24}{p.peer:14}{p.unit:10}{p.ours:10.4g}{p.theirs:10.4g}{p.ratio:10.3f}")
    return "\n".join(lines)


def compile_with_nvcc(sources: list[Path], program: Path, *options: str) -> None:
    command = ["nvcc", "-std=c++20", "-O3", "-arch=sm_90", "-I", str(ROOT / "scripts/peers"), "-o", str(program)]
    subprocess.run([*command, *map(str, sources), *options], check=True)


def management_library(folder: Path) -> list[str]:
    """The linker wants a library, which the machine with the driver has; here one whose functions are empty stands for
    it. (Where it is only told to let them pass, they get relocations that no loader takes.)"""
    header = (ROOT / "scripts/peers/nvml.h").read_text()
    others = dict(re.findall(r"#define (nvml\w+) (nvml\w+)", header))
    functions = [others.get(name, name) for name in re.findall(r"(nvml\w+)\(", header)]
    source = folder / "nvml.c"
    source.write_text("".join(f"void {name}(void) {{}}\n" for name in functions))
    library = folder / "libnvidia-ml.so.1"
    flags = ["-shared", "-fPIC", "-Wl,-soname,libnvidia-ml.so.1"]
    subprocess.run(["gcc", *flags, "-o", str(library), str(source)], check=True)
    return ["-Xlinker", str(library)]  # nvcc knows no library by such a name


def build(args: argparse.Namespace) -> None:
    args.into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        library = management_library(folder)
        if args.gpu_benches:
            openmp = ["-Xcompiler", "-fopenmp"]
            compile_with_nvcc([args.gpu_benches / "gpu-stream/main.cu"], args.into / "gpu-stream", *openmp)
            # Its 230 footprints take minutes: these double.
            text = (args.gpu_benches / "gpu-latency/main.cu").read_text()
            source = folder / "latency.cu"
            source.write_text(text.replace("LEN = LEN * 1.04 + 32", "LEN = LEN * 2").replace('"../', '"'))
            includes = ["-I", str(args.gpu_benches)]
            compile_with_nvcc([source], args.into / "gpu-latency", *openmp, *includes, *library)
        if args.nvbandwidth:
            names = "testcase.cpp testcases_ce.cpp testcases_sm.cpp kernels.cu memcpy.cpp nvbandwidth.cpp"
            names += " multinode_memcpy.cpp multinode_testcases.cpp output.cpp json_output.cpp"
            sources = [args.nvbandwidth / n for n in names.split()]
            options = ["-I", "/usr/include/jsoncpp", '-DGIT_VERSION="peer"', "-lboost_program_options", "-ljsoncpp"]
            driver = ["-L/usr/local/cuda/lib64/stubs", "-lcuda"]
            compile_with_nvcc(sources, args.into / "nvbandwidth", *options, *driver, *library)


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


def run(args: argparse.Namespace) -> None:
    """The peers run after het-bench, on a device that is warm from it."""
    with tempfile.NamedTemporaryFile(suffix=".json") as ours:
        tests = ["latency", "bandwidth", "arithmetic", "transfers"]
        command = [str(args.het_bench), "--quick", "--device", args.device, "--only", *tests, "--json", ours.name]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        document = json.loads(Path(ours.name).read_text())
    copies = ["host_to_device_memcpy_ce", "device_to_host_memcpy_ce"]
    peers: dict[str, Callable[[], str]] = {
        "gpu-stream": lambda: output_of([str(args.built / "gpu-stream")], args.seconds),
        "gpu-latency": lambda: output_of(["stdbuf", "-oL", str(args.built / "gpu-latency")], args.seconds),
        "nvbandwidth": lambda: output_of([str(args.built / "nvbandwidth"), "-i", "5", "-t", *copies], args.seconds),
        "clpeak": lambda: clpeak_output(args.built, args.seconds),
    }
    of_cuda = args.device.startswith("cuda")
    wanted = [n for n in peers if (n == "clpeak") != of_cuda]
    outputs = {name: peers[name]() for name in wanted}
    pairs = pairs_of(Results(document), outputs)
    print(table_of(pairs))
    for name in wanted:
        if not outputs[name]:
            print(f"{name}: it printed nothing, or is not there: bench-peers.py build makes all but clpeak")
    if args.json:
        found = {"device": document["device"], "pairs": [asdict(p) | {"ratio": p.ratio} for p in pairs]}
        args.json.write_text(json.dumps(found | {"outputs": outputs}, indent=1) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    b = commands.add_parser("build")
    b.add_argument("--gpu-benches", type=Path)
    b.add_argument("--nvbandwidth", type=Path)
    b.add_argument("--into", type=Path, required=True)
    b.set_defaults(do=build)
    r = commands.add_parser("run")
    r.add_argument("--built", type=Path, default=Path("."))
    r.add_argument("--device", required=True)
    r.add_argument("--het-bench", type=Path, default=ROOT / "build/bin/het-bench")
    r.add_argument("--seconds", type=float, default=60, help="for each peer")
    r.add_argument("--json", type=Path)
    r.set_defaults(do=run)
    args = parser.parse_args()
    args.do(args)
    return 0


if __name__ == "__main__":
    sys.exit(main())
