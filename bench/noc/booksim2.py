#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Compares noc-sim with booksim2 (github.com/booksim/booksim2), run on the same configurations.

FOLDER lies outside this tree. It may have booksim2's sources, in whatever way they came there; where it is empty or
missing, a checkout of one revision is made. They are built there, which takes flex, bison and a minute; nothing of them
becomes part of this project. Both programs run in turns, and their
processor time is compared, not the clock's.
"""

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SOURCE = "https://github.com/booksim/booksim2"
REVISION = "28f43299f1706a3160ffac721ca461d74eb6e618"
SKIP = 4

PATTERNS = {
    "uniform": "uniform",
    "transpose": "transpose",
    "bit-complement": "bitcomp",
    "shuffle": "shuffle",
    "tornado": "tornado",
}
# The router that both model: VC, switch, traversal, a cycle each, and a cycle a link.
ROUTER = {
    "num_vcs": 8,
    "vc_buf_size": 8,
    "routing_delay": 0,
    "vc_alloc_delay": 1,
    "sw_alloc_delay": 1,
    "st_final_delay": 1,
    "credit_delay": 1,
    "packet_size": 1,
    "vc_allocator": "islip",
    "sw_allocator": "islip",
    "warmup_periods": 2,
}
NETWORKS = {
    "mesh": ({"topology": "mesh", "k": 8, "n": 2, "routing_function": "dor"}, 64),
    "cmesh": (
        {"topology": "cmesh", "k": 4, "n": 2, "c": 4, "x": 4, "y": 4, "xr": 2, "yr": 2, "use_noc_latency": 0}
        | {"routing_function": "dor_no_express"},
        16,
    ),
}
LATENCY_FACTOR = 3  # of zero load, at which a network counts as saturated
SPEED_RATES = (0.1, 0.3, 0.4)


@dataclass
class Outcome:
    latency: float  # cycles
    accepted: float  # flits a node and cycle
    cycles: float
    seconds: float  # of the processor


def give_up(why: str) -> None:
    print(f"skipped: {why}")
    sys.exit(SKIP)


def build(folder: Path) -> Path:
    program = folder / "src/booksim"
    if program.exists():
        return program
    for tool in ("git", "flex", "bison", "make", "g++"):
        if not shutil.which(tool):
            give_up(f"{tool} is not installed, and there is no {program}")
    if not (folder / "src/Makefile").exists():
        if subprocess.run(["git", "clone", "--quiet", SOURCE, folder]).returncode:
            give_up(f"{folder} has no booksim2, and {SOURCE} can't be reached: put its sources there")
        subprocess.run(["git", "-C", folder, "checkout", "--quiet", REVISION], check=True)
    subprocess.run(["make", "-C", folder / "src"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return program


def revision_of(folder: Path) -> str:
    if not (folder / ".git").exists():
        return "unknown: the sources came without their history"
    return subprocess.run(["git", "-C", folder, "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()


def timed(command: list, folder: str) -> tuple[str, float]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, cwd=folder)
    if done.returncode not in (0, 255):
        raise RuntimeError(f"{command[0]}: {done.stderr or done.stdout[-500:]}")
    return done.stdout, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


class Peers:
    def __init__(self, booksim: Path, ours: Path, cycles: int, seed: int, folder: str) -> None:
        self.booksim, self.ours, self.cycles, self.seed, self.folder = booksim, ours, cycles, seed, folder

    def theirs(self, network: str, pattern: str, rate: float, throughput: bool = False, limit: float = 1e9) -> Outcome:
        """Latency is infinite where it exceeds @limit, or where the run does not end by itself."""
        settings = NETWORKS[network][0] | ROUTER
        settings |= {"traffic": PATTERNS[pattern], "injection_rate": rate, "sample_period": self.cycles // 5}
        settings |= {"latency_thres": f"{limit:.1f}", "max_samples": 7, "seed": self.seed}
        settings |= {"sim_type": "throughput" if throughput else "latency"}
        path = Path(self.folder) / "booksim.cfg"
        path.write_text("".join(f"{name} = {value};\n" for name, value in settings.items()))
        text, seconds = timed([self.booksim, path], self.folder)

        def last(what: str) -> float:
            found = re.findall(rf"^{what} *= *([-+.\deinfa]+)", text, re.M)
            return float(found[-1]) if found else float("inf")

        cycles = re.findall(r"Time taken is (\d+) cycles", text)
        stopped = "Aborting" in text
        latency = float("inf") if stopped else last("Packet latency average")
        return Outcome(latency, last("Accepted flit rate average"), float(cycles[-1]) if cycles else 0, seconds)

    def our(self, network: str, pattern: str, rate: float, limit: float = 1e9) -> Outcome:
        path = Path(self.folder) / "noc-sim.json"
        command = [self.ours, "--network", network, "--pattern", pattern, "--rate", rate, "--cycles", self.cycles]
        command += ["--seeds", 1, "--first-seed", self.seed, "--threads", 1, "--json", path]
        _, seconds = timed(command, self.folder)
        values = {r["name"].rpartition("/")[2]: r["median"] for r in json.loads(path.read_text())["results"]}
        latency = values["latency"] if values["drained"] == 1 and values["latency"] < limit else float("inf")
        return Outcome(latency, values["accepted"], values["cycles"], seconds)


def bisect(low: float, high: float, fine) -> float:
    while high - low > 0.01 * high:
        middle = (low + high) / 2
        if fine(middle):
            low = middle
        else:
            high = middle
    return low


def percent(ours: float, theirs: float) -> str:
    return f"{100 * (ours / theirs - 1):+.1f} %" if theirs not in (0, float("inf")) else "none"


def compare(peers: Peers, network: str, pattern: str) -> dict:
    zero = peers.our(network, pattern, 0.002).latency
    limit = LATENCY_FACTOR * zero
    ours = bisect(0, 1, lambda rate: peers.our(network, pattern, rate, limit).latency < limit)
    theirs = bisect(0.85 * ours, min(1, 1.18 * ours),
        lambda r: peers.theirs(network, pattern, r, limit=limit).latency < limit)
    row = {"network": network, "pattern": pattern, "saturation": [ours, theirs], "latency": [], "beyond": []}
    print(f"{network:6} {pattern:15} saturation          {ours:.4f} {theirs:.4f} {percent(ours, theirs)}", flush=True)
    for share in (0.3, 0.6, 0.9):
        rate = round(share * min(ours, theirs), 4)
        a, b = peers.our(network, pattern, rate).latency, peers.theirs(network, pattern, rate).latency
        row["latency"].append([rate, a, b])
        print(f"{network:6} {pattern:15} latency at {rate:.4f}   {a:.2f} {b:.2f} {percent(a, b)}", flush=True)
    for factor in (1.3, 1.8):
        rate = round(min(1, factor * ours), 4)
        a, b = peers.our(network, pattern, rate).accepted, peers.theirs(network, pattern, rate, True).accepted
        row["beyond"].append([rate, a, b])
        print(f"{network:6} {pattern:15} accepted at {rate:.4f}  {a:.4f} {b:.4f} {percent(a, b)}", flush=True)
    return row


def speed(peers: Peers, rounds: int) -> list:
    routers = NETWORKS["mesh"][1]
    rows = []
    for rate in SPEED_RATES:
        ratios = []
        for _ in range(rounds):
            a, b = peers.our("mesh", "uniform", rate), peers.theirs("mesh", "uniform", rate)
            ratios.append((a.cycles * routers / a.seconds, b.cycles * routers / b.seconds))
        ratios.sort(key=lambda r: r[0] / r[1])
        a, b = ratios[len(ratios) // 2]
        low, high = (r[0] / r[1] for r in (ratios[0], ratios[-1]))
        print(f"router-cycles/s at {rate}: {a / 1e6:.2f} M, {b / 1e6:.3f} M, ratio {a / b:.1f} "
            f"({low:.1f} to {high:.1f})", flush=True)
        rows.append({"rate": rate, "ours": a, "booksim2": b, "ratio": a / b, "low": low, "high": high})
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="where booksim2 is, or will be")
    parser.add_argument("--ours", type=Path, default=ROOT / "build/bin/noc-sim")
    parser.add_argument("--network", choices=NETWORKS, action="append")
    parser.add_argument("--pattern", choices=PATTERNS, action="append")
    parser.add_argument("--cycles", type=int, default=10000, help="of each run")
    parser.add_argument("--rounds", type=int, default=7, help="of the comparison of speed; 0: none")
    parser.add_argument("--speed", action="store_true", help="nothing but the comparison of speed")
    parser.add_argument("--seed", type=int, default=1, help="of both programs' random numbers")
    parser.add_argument("--revision", help="of the sources, where they came without their history")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    folder = options.folder.resolve()
    if folder == ROOT or ROOT in folder.parents:
        parser.error("the folder must lie outside this tree")
    if not options.ours.exists():
        give_up(f"there is no {options.ours}: make build/bin/noc-sim")
    booksim = build(folder)
    print("ours, booksim2, difference", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        peers = Peers(booksim, options.ours.resolve(), options.cycles, options.seed, scratch)
        networks = () if options.speed else options.network or NETWORKS
        rows = [compare(peers, n, p) for n in networks for p in options.pattern or PATTERNS]
        document = {"revision": options.revision or revision_of(folder), "cycles": options.cycles}
        document |= {"seed": options.seed, "results": rows}
        if options.rounds:
            document["speed"] = speed(peers, options.rounds)
    if options.json:
        options.json.write_text(json.dumps(document, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    os.environ.setdefault("LC_ALL", "C")
    sys.exit(main())
