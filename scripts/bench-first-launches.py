#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Which device gets the first launches of programs that nobody has run, with and without profiles.

    HET_DEVICES=cuda,opencl scripts/bench-first-launches.py --profiles FOLDER --json OUT

FOLDER is an $XDG_CACHE_HOME in which het-bench profile has left profiles of two devices. Each application computes in
processes of its own: on each device alone, the second time, and then as another program where the runtime chooses. Of a
choice counts what the device that was chosen takes alone beside the better one, as medians over the processes."""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
STEPS = ["--steps", "1"]  # the runtime would keep speeds after four launches
SIZES = {
    "black-scholes": [["--options", str(2**k)] for k in (8, 10, 12, 14, 16)],
    "histogram": [["--bytes", str(2**k)] for k in (10, 12, 14, 16, 18)],
    "mandelbrot": [["--width", str(2**k), "--height", str(2**k), "--steps", "64"] for k in (3, 4, 5, 6, 7)],
    "matmul": [["--size", str(2**k)] for k in (4, 5, 6, 7, 8)],
    "nbody": [["--bodies", str(2**k), *STEPS] for k in (6, 7, 8, 9, 10)],
    "reduction": [["--elements", str(2**k)] for k in (10, 12, 14, 16, 18)],
    "spmv": [["--side", str(2**k), *STEPS] for k in (3, 4, 5, 6, 7)],
    "stencil": [["--width", str(2**k), "--height", str(2**k), *STEPS] for k in (4, 5, 6, 7, 8)],
    "vectoradd": [["--elements", str(2**k)] for k in (10, 12, 14, 16, 18)],
}


def place(app: str, size: list[str], profiles: Path | None) -> dict[str, float]:
    """Returns the µs of each device alone, and each device's share in what was placed. The store is this process's."""
    with tempfile.TemporaryDirectory() as folder:
        if profiles:
            shutil.copytree(profiles, folder, dirs_exist_ok=True)
        out = Path(folder) / "out.json"
        subprocess.run(
            [ROOT / "build/bin" / app, "--place", *size, "--json", out],
            env=os.environ | {"XDG_CACHE_HOME": folder},
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        return {r["name"]: r["median"] for r in json.loads(out.read_text())["results"]}


def loss(told: dict[str, float], alone: list[float]) -> float:
    """Returns how many times as long as on the better device it takes where it was placed."""
    shares = {int(n.removeprefix("share/").split()[0]): v for n, v in told.items() if n.startswith("share/")}
    return sum(share * alone[device] for device, share in shares.items()) / min(alone)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profiles", type=Path, required=True)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--rounds", type=int, default=3, help="processes with profiles, and without")
    o = parser.parse_args()
    names = os.environ["HET_DEVICES"].split(",")
    rows = []
    for app, sizes in SIZES.items():
        for size in sizes:
            told = {k: [place(app, size, p) for _ in range(o.rounds)] for k, p in (("without", None), ("with", o.profiles))}
            every = told["without"] + told["with"]
            alone = [statistics.median(t[f"alone/{i}"] for t in every) for i in range(len(names))]
            row = {"application": app, "size": " ".join(size), "alone_us": dict(zip(names, alone))}
            row |= {key: statistics.median(loss(t, alone) for t in all_of) for key, all_of in told.items()}
            rows.append(row)
            print(f"{app:14} {row['size']:40} without {row['without']:8.2f}  with {row['with']:8.2f}", flush=True)
            if o.json:
                o.json.write_text(json.dumps({"devices": names, "first launches": rows}, indent=1))
    for key in ("without", "with"):
        right = sum(r[key] <= 1.05 for r in rows)
        print(f"{key} profiles: {right} of {len(rows)} take at most 1.05 times as long as on the better device")


if __name__ == "__main__":
    main()
