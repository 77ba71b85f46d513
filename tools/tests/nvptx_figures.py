#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""bench/nvptx/figures.py on the results that are in the tree: all points are there and drawn, and none may be missing.
Prints KTAP."""

import json
import re
import shutil
import sys
from functools import partial
from pathlib import Path

import command_line
from command_line import Skip, run_cases, same, within

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench/nvptx"))

import figures
import sweep

RESULTS = [ROOT / f"bench/results/{folder}/nvptx.json" for folder in ("2026-11-21-h200-nvptx", "2026-11-22-h200-host")]
NVCC_IS_ONE = [name for variant, name in figures.NAMES.items() if variant != figures.COMPARED_WITH]
Called = partial(command_line.Called, sys.executable, ROOT / "bench/nvptx/figures.py")


def rows_of(path: Path) -> list[dict]:
    return json.loads(path.read_text())["results"]


def without(work: Path, path: Path, leave_out: dict) -> Path:
    """A copy of a result without one point."""
    rows = [row for row in rows_of(path) if any(row[k] != v for k, v in leave_out.items())]
    same(len(rows), len(rows_of(path)) - 1)
    copy = work / "nvptx.json"
    copy.write_text(json.dumps({"results": rows}))
    return copy


def series_of(script: str) -> list[list[list[float]]]:
    """What each line of a gnuplot script draws: groups of y."""
    found = re.findall(r"^\$line\d+ << END\n(.*?)\nEND$", script, re.DOTALL | re.MULTILINE)
    return [[[float(row.split()[1]) for row in group.split("\n")] for group in line.split("\n\n")] for line in found]


def every_point_is_there(_: Path) -> None:
    same(figures.missing(figures.read(RESULTS)), [])


def figure_2_has_every_teams_and_threads(_: Path) -> None:
    script = figures.figure_2(figures.read(RESULTS))
    lines = series_of(script)
    same(len(lines), len(sweep.PROGRAMS) * 2 * (len(figures.NAMES) - 1))
    for line in lines:
        same([len(group) for group in line], [len(sweep.SWEEPS["teams"]), len(sweep.SWEEPS["threads"])])
    for teams, threads in {(row["teams"], row["threads"]) for row in rows_of(RESULTS[0])}:
        within(f"'({teams}, {threads})'", script)


def figure_3_divides_the_faster_core_by_the_variant(_: Path) -> None:
    times = figures.read(RESULTS)
    lines = series_of(figures.figure_3(times))
    same([len(group) for line in lines for group in line],
        [len(sweep.SWEEPS["n"])] * len(sweep.PROGRAMS) * 2 * len(figures.NAMES))
    core = min(row["median"] for row in rows_of(RESULTS[1])
               if (row["variant"], row["program"], row["n"]) == ("host", "matvec", 512))
    (own,) = (row["median"] for row in rows_of(RESULTS[0])
              if (row["variant"], row["simd"], row["program"], row["n"]) == ("openmp", 1, "matvec", 512))
    same(lines[0][0][0], float(f"{core / own:.6g}"))


def figure_4_has_a_line_for_each_variant_in_each_panel(_: Path) -> None:
    lines = series_of(figures.figure_4(figures.read(RESULTS)))
    lengths = [len(sweep.SWEEPS[what]) for what in sweep.SWEEPS for _ in range(2 * len(figures.NAMES))]
    same([len(group) for line in lines for group in line], lengths * len(sweep.PROGRAMS))


def a_missing_point_of_the_device_fails(work: Path) -> None:
    point = {"variant": "openacc", "simd": 1, "program": "dot", "teams": 128, "threads": 16, "n": sweep.SIZES["dot"]}
    called = Called(without(work, RESULTS[0], point), RESULTS[1], "--out", work)
    same((called.status, "1 points are missing" in called.err), (1, True))
    same(list(work.glob("*.svg")), [])


def a_missing_point_of_the_core_fails(work: Path) -> None:
    point = {"variant": "host", "simd": 0, "program": "vadd", "n": sweep.SIZES["vadd"]}
    called = Called(RESULTS[0], without(work, RESULTS[1], point), "--out", work)
    same((called.status, "1 points are missing" in called.err), (1, True))


def gnuplot_draws_all_lines(work: Path) -> None:
    if not shutil.which("gnuplot"):
        raise Skip("no gnuplot")
    called = Called(*RESULTS, "--out", work)
    same((called.status, called.err), (0, ""))
    for name in figures.FIGURES:
        picture = (work / f"{name}.svg").read_text()
        kept = (RESULTS[0].parent / f"{name}.svg").read_text()
        for variant in (NVCC_IS_ONE if name == "nvptx-figure-2" else figures.NAMES.values()):
            for title in (variant, variant + ", simd"):
                within(f">{title}<", picture)
                within(f">{title}<", kept)


if __name__ == "__main__":
    sys.exit(run_cases([
        every_point_is_there,
        figure_2_has_every_teams_and_threads,
        figure_3_divides_the_faster_core_by_the_variant,
        figure_4_has_a_line_for_each_variant_in_each_panel,
        a_missing_point_of_the_device_fails,
        a_missing_point_of_the_core_fails,
        gnuplot_draws_all_lines,
    ], "nvptx-figures-"))
