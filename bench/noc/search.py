#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Looks for one set of what Li Chen's thesis leaves open, with which the simulator comes nearest to its numbers.

The objective: the root mean square, over the five numbers of the text (DLL over DOR at all shares and at 5 % memory,
over DestDetect, over LocalBuf; YX over XY at 75 % memory), of the logarithm of ours over the thesis', where saturation
is a latency of 3 × zero load. The search goes through the open parameters in the order of figures.py's list, tries each
value of one while the others stay, keeps the best, and does so again until a round changes nothing. What the thesis
says (thresholds of 8, more than one router, 60 %, the ring) stays as it is.

Each step is written to FOLDER/noc-search.json, whose "settings" figures.py reads. Runs are kept like those of
figures.py, so what was interrupted goes on.
"""

import argparse
import json
import math
import sys
import time
from pathlib import Path
from statistics import mean

from figures import HEAVY, OPEN, PATTERNS, POLICIES, ROOT, Point, Runs, Scale
from figures import commit, gain, in_words, policy_point, yx_over_xy

SHARES = (0.05, 0.25)
DEFINITION = "latency"
THESIS = {
    "DLL / DOR": 1.45,
    "DLL / DOR, 5 %": 1.55,
    "DLL / DestDetect": 1.149,
    "DLL / LocalBuf": 1.065,
    "YX / XY": 1.565,
}


def points() -> list[Point]:
    names = [n for n in POLICIES if n != "adaptive"]
    policies = [policy_point(n, p, s) for p in PATTERNS for s in SHARES for n in names]
    return policies + [Point("dor", p, HEAVY, r) for p in PATTERNS for r in ("xy", "yx")]


def ours(runs: Runs) -> dict[str, float]:
    ratios = {
        "DLL / DOR": gain(runs, "dll", "dor", SHARES, DEFINITION),
        "DLL / DOR, 5 %": gain(runs, "dll", "dor", SHARES[:1], DEFINITION),
        "DLL / DestDetect": gain(runs, "dll", "destdetect", SHARES, DEFINITION),
        "DLL / LocalBuf": gain(runs, "dll", "localbuf", SHARES, DEFINITION),
        "YX / XY": yx_over_xy(runs, HEAVY, DEFINITION),
    }
    return {name: e["mean"] for name, e in ratios.items()}


def objective(numbers: dict[str, float]) -> float:
    return math.sqrt(mean(math.log(numbers[name] / thesis) ** 2 for name, thesis in THESIS.items()))


def judge(runs: Runs, settings: dict[str, str | None], jobs: int) -> dict:
    """Runs what is missing with these settings."""
    runs.settings = settings
    runs.points.clear()
    runs.all(points(), jobs)
    numbers = ours(runs)
    return {"settings": settings, "numbers": numbers, "objective": objective(numbers)}


def search(judged, rounds: int, said) -> dict:
    """From judged(settings): the best that changing one parameter at a time leads to; each step is told to said()."""
    best = judged({n: v for values in OPEN.values() for n, v in values[0]})
    said(0, "defaults", best)
    for number in range(1, rounds + 1):
        before = best
        for values in OPEN.values():
            now = best["settings"]
            for value in values:
                if not set(value) <= set(now.items()):
                    tried = judged({**now, **dict(value)})
                    said(number, in_words(value), tried)
                    best = min(best, tried, key=lambda t: t["objective"])
        if best is before:
            break
    return best


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "build/bin/noc-sim")
    parser.add_argument("--folder", type=Path, default=ROOT / "build/noc-search")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--cycles", type=int, default=1500)
    parser.add_argument("--rounds", type=int, default=3, help="at most")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time")
    options = parser.parse_args()
    if not options.program.exists():
        print(f"skipped: there is no {options.program}: make build/bin/noc-sim", file=sys.stderr)
        return 4
    runs = Runs(options.program.resolve(), options.folder.resolve(), Scale(options.seeds, options.cycles))
    steps = []

    def said(number: int, change: str, tried: dict) -> None:
        steps.append({"round": number, "change": change, **tried})
        numbers = ", ".join(f"{name} {v:.3f}" for name, v in tried["numbers"].items())
        print(f"round {number}, {change}: {tried['objective']:.4f} ({numbers})", flush=True)

    best = search(lambda settings: judge(runs, settings, options.jobs), options.rounds, said)
    document = {"program": "noc-search", "commit": commit(), "noc-sim": runs.version, "command": " ".join(sys.argv),
                "time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "seeds": options.seeds,
                "cycles": options.cycles, "patterns": PATTERNS, "shares": SHARES, "heavy share": HEAVY,
                "definition": DEFINITION, "thesis": THESIS, **best, "steps": steps}
    (options.folder / "noc-search.json").write_text(json.dumps(document, indent=1) + "\n")
    print(f"best: {best['objective']:.4f} with {in_words(tuple(best['settings'].items()))}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
