#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""How the programs of bench/mpi grow with the ranks of one machine.

    bench/mpi/scaling.py [--ranks 1,2,4] [--devices cuda,local-rank] [--turns N] [--into FOLDER] [--shared-memory]

Strong scaling shares one problem out over the ranks; the efficiency of n ranks is the time of one divided by n times
theirs. Weak scaling gives each rank as much work as one has alone; there it is the time of one divided by theirs. All
settings are run in turns, each turn with its own median, and the table has the median of those with the least and the
most. Bytes that go between hosts and devices are given beside those of the messages. FOLDER gets the results of each run
(JSON), scaling.txt, scaling.json and, with gnuplot, scaling.svg.

Four ranks on four GPUs:

    make bench-programs && bench/mpi/scaling.py --ranks 1,2,4 --devices cuda,local-rank \\
        --stencil-width 16384 --stencil-height 16386 --matmul-size 8192 --into bench/results/DATE-MACHINE-mpi-scaling
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Setting:
    program: str  # "stencil" or "matmul"
    is_weak: bool
    ranks: int

    @property
    def name(self) -> str:
        return f"{self.program}-{'weak' if self.is_weak else 'strong'}-{self.ranks}"


@dataclass
class Measured:
    times: list[float] = field(default_factory=list)  # µs of a step or a product, a turn each
    moved: float = 0  # bytes between hosts and devices
    messages: float = 0  # bytes that ranks sent and received


def command_of(s: Setting, a: argparse.Namespace, into: Path) -> list[str]:
    mpirun = [a.mpirun, "-n", str(s.ranks), "--oversubscribe", "--bind-to", "none"]
    layer = ["-x", f"LD_PRELOAD={a.build / 'libhet-mpi.so.0'}"]
    program = [str(a.build / "bin" / f"mpi-{s.program}"), "--json", str(into)]
    if s.program == "stencil":
        sizes = ["--width", a.stencil_width, "--height", a.stencil_height, "--steps", a.steps]
    else:
        sizes = ["--size", a.matmul_size, "--rounds", a.products]
    return [*mpirun, *layer, *program, *map(str, sizes), *(["--weak"] if s.is_weak else [])]


def values_of(s: Setting, path: Path) -> tuple[float, float, float]:
    medians = {r["name"]: r["median"] for r in json.loads(path.read_text())["results"]}
    if s.program == "stencil":
        time = medians["stencil/step"] + medians["stencil/exchange"]
        return time, medians["stencil/moved"], medians["stencil/halo"]
    return medians["matmul/product"], medians["matmul/moved"], medians["matmul/messages"]


def measure(settings: list[Setting], a: argparse.Namespace) -> dict[Setting, Measured]:
    found = {s: Measured() for s in settings}
    env = os.environ | {"HET_DEVICES": a.devices, "GPUVM_FORESIGHT": "0"}
    if os.getuid() == 0:  # mpirun asks root twice
        env |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    if a.shared_memory:
        env |= {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,vader"}
    for turn in range(a.turns):
        for s in settings if turn % 2 == 0 else reversed(settings):
            path = a.into / f"{s.name}-{turn + 1}.json"
            subprocess.run(command_of(s, a, path), env=env, check=True, stdout=subprocess.DEVNULL)
            time, moved, messages = values_of(s, path)
            found[s].times.append(time)
            found[s].moved, found[s].messages = moved, messages
    return found


def efficiency(s: Setting, found: dict[Setting, Measured]) -> float:
    """Turns are compared with each other, as the machine may have other work in one of them."""
    alone = found[Setting(s.program, s.is_weak, 1)].times
    share = 1 if s.is_weak else s.ranks
    return statistics.median(one / (share * many) for one, many in zip(alone, found[s].times))


def table(found: dict[Setting, Measured]) -> list[dict]:
    rows = []
    for s, m in found.items():
        rows.append(
            {
                "program": s.program,
                "scaling": "weak" if s.is_weak else "strong",
                "ranks": s.ranks,
                "us": statistics.median(m.times),
                "least": min(m.times),
                "most": max(m.times),
                "efficiency": efficiency(s, found),
                "moved": m.moved,
                "messages": m.messages,
            }
        )
    return rows


def text_of(rows: list[dict]) -> str:
    lines = [f"{'program':8} {'scaling':7} {'ranks':>5} {'ms (least to most)':>30} {'efficiency':>10} {'moved / messages, bytes':>36}"]
    for r in rows:
        times = f"{r['us'] / 1e3:.2f} ({r['least'] / 1e3:.2f} to {r['most'] / 1e3:.2f})"
        ratio = f" = {r['moved'] / r['messages']:.3f}" if r["messages"] else ""
        moved = f"{r['moved']:.0f} / {r['messages']:.0f}{ratio}"
        lines.append(
            f"{r['program']:8} {r['scaling']:7} {r['ranks']:5} {times:>30} {r['efficiency']:10.2f} {moved:>36}"
        )
    return "\n".join(lines) + "\n"


def draw(rows: list[dict], into: Path, title: str) -> None:
    script = [
        "set terminal svg size 640,420",
        f'set output "{into / "scaling.svg"}"',
        f'set title "{title}" noenhanced',
        'set xlabel "ranks"; set ylabel "efficiency"; set yrange [0:*]; set grid; set key bottom left',
        "set xtics 1",
    ]
    plots = []
    for i, (program, scaling) in enumerate(dict.fromkeys((r["program"], r["scaling"]) for r in rows)):
        line = [f"{r['ranks']} {r['efficiency']}" for r in rows if (r["program"], r["scaling"]) == (program, scaling)]
        script += [f"$line{i} << END", *line, "END"]
        plots.append(f'$line{i} with linespoints dashtype {i + 1} pointtype {i + 4} title "{program}, {scaling}"')
    script.append("plot " + ", ".join(plots))
    subprocess.run(["gnuplot"], input="\n".join(script) + "\n", text=True, check=True)


def parse() -> argparse.Namespace:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--ranks", default="1,2", help="how many; 1 must be among them")
    p.add_argument("--devices", default="cuda,local-rank", help="HET_DEVICES of all ranks")
    p.add_argument("--turns", type=int, default=3)
    p.add_argument("--into", type=Path, default=ROOT / "build/mpi-scaling")
    p.add_argument("--build", type=Path, default=ROOT / "build")
    p.add_argument("--mpirun", default="mpirun")
    p.add_argument("--shared-memory", action="store_true", help="tell Open MPI to take the way through shared memory")
    p.add_argument("--stencil-width", type=int, default=1024)
    p.add_argument("--stencil-height", type=int, default=1026)
    p.add_argument("--steps", type=int, default=50)
    p.add_argument("--matmul-size", type=int, default=512)
    p.add_argument("--products", type=int, default=5)
    a = p.parse_args()
    a.ranks = sorted({int(n) for n in a.ranks.split(",")})
    if a.ranks[0] != 1:
        p.error("--ranks: 1 must be among them, to compare with")
    return a


def main() -> int:
    a = parse()
    a.into.mkdir(parents=True, exist_ok=True)
    settings = [Setting(p, w, n) for p in ("stencil", "matmul") for w in (False, True) for n in a.ranks]
    rows = table(measure(settings, a))
    text = text_of(rows)
    (a.into / "scaling.txt").write_text(text)
    (a.into / "scaling.json").write_text(json.dumps({"devices": a.devices, "turns": a.turns, "results": rows}, indent=1))
    if shutil.which("gnuplot"):
        draw(rows, a.into, a.devices)
    print(text, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
