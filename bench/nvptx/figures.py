#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Draws three figures, after those of Monakov and Ivanishin's paper, from results of sweep.py, with gnuplot.

nvptx-figure-2.svg: times as multiples of CUDA's at every (teams, threads). nvptx-figure-3.svg: how many times faster
than one core of the host. nvptx-figure-4.svg: times by teams, threads and size, one line for each way to write a
program. Says which points are missing and draws nothing if any is.
"""
import argparse
import json
import math
import os
import subprocess
import sys

from sweep import BASE, ONE_CORE, PROGRAMS, SERIES_COLOURS, SIZES, SWEEPS, point_of, points

NAMES = {
    "openmp": "OpenMP, GCC",
    "openacc": "OpenACC, GCC",
    "nvcc": "CUDA, nvcc",
    "clang": "CUDA, clang",
    "nvcc-warps": "uniform-simt, nvcc",
    "clang-warps": "uniform-simt, clang",
}
COMPARED_WITH = "nvcc"
LABELS = {"teams": "teams of 8 threads", "threads": "threads of 128 teams", "n": "n"}


def read(paths):
    """Medians in seconds by point. Of a point that several files have, the first file's stands."""
    times = {}
    for path in paths:
        with open(path) as file:
            for row in json.load(file)["results"]:
                if "median" in row:
                    times.setdefault(point_of(row), row["median"])
    return times


def key(variant, simd, point):
    return point_of({"variant": variant, "simd": simd, **point})


def missing(times):
    return [key(v, simd, p) for v in [*NAMES, "host"] for p in points(PROGRAMS, v) for simd in (0, 1)
            if key(v, simd, p) not in times]


def along(program, what):
    """The points of one sweep, in its order."""
    for point in points([program], COMPARED_WITH, [what]):
        yield point[what], point


def ratios(times, program, variant, simd):
    """Groups of (label, multiple of CUDA's time): teams grow in the first, threads in the second."""
    groups = []
    for what in ("teams", "threads"):
        groups.append([(f"({p['teams']}, {p['threads']})",
            times[key(variant, simd, p)] / times[key(COMPARED_WITH, simd, p)])
                       for _, p in along(program, what)])
    return groups


def one_core(times, program, n):
    """The faster one of the plain and the SIMD loop."""
    return min(times[key("host", simd, {"program": program, "n": n, **ONE_CORE})] for simd in (0, 1))


def speed_ups(times, program, variant, simd):
    return [(n, one_core(times, program, n) / times[key(variant, simd, p)]) for n, p in along(program, "n")]


def family(times, program, what, variant, simd):
    return [(value, times[key(variant, simd, p)] * 1e6) for value, p in along(program, what)]


# --- gnuplot -----------------------------------------------------------------


class Script:
    """Panels with the same lines; the last one has the key, below all."""

    def __init__(self, title, width, height, rows, columns):
        self.lines = ["set encoding utf8",
            f"set terminal svg size {width},{height} font 'sans-serif,11' background 'white'",
                      f"set multiplot layout {rows},{columns} title \"{title}\" margins screen 0.07,0.985,"
                      f"{150 / height:.3f},{1 - 60 / height:.3f} spacing screen 0.065,{90 / height:.3f}",
                      "set grid ytics back lc rgb '#dddddd'", "set format y '%g'", "set logscale y 10", "unset key"]
        self.left = rows * columns
        self.key = f"set key at screen 0.5,{45 / height:.3f} center center maxrows 4 samplen 3"

    def panel(self, title, label, unit, lines, before=()):
        """lines: (name, colour, dashed, groups of (x, y))."""
        self.left -= 1
        data, plots = [], []
        for number, (name, colour, dashed, groups) in enumerate(lines):
            rows = "\n\n".join("\n".join(f"{x} {y:.6g}" for x, y in group) for group in groups)
            data.append(f"$line{number} << END\n{rows}\nEND")
            plots.append(f"$line{number} using 1:2 with linespoints lw 1.5 pt {6 if dashed else 7} ps 0.4 "
                         f"dt {2 if dashed else 1} lc rgb '{colour}' title '{name}'")
        if unit != "µs":
            plots.append("1 lc rgb '#888888' notitle")
        if not self.left:
            data.append(self.key)
        self.lines += [*data, f"set title \"{title}\"", f"set xlabel \"{label}\"", f"set ylabel \"{unit}\" offset 1",
            *before,
                       "plot " + ", \\\n  ".join(plots)]

    def text(self):
        return "\n".join([*self.lines, "unset multiplot", ""])


def ways(leave_out=()):
    """Variant, simd, name and colour, and whether it is dashed; simd is solid."""
    for colour, (variant, name) in zip(SERIES_COLOURS, NAMES.items()):
        for simd in (1, 0):
            if variant not in leave_out:
                yield variant, simd, name + (", simd" if simd else ""), colour, not simd


def figure_2(times):
    script = Script("Time as a multiple of CUDA's (nvcc), at every (teams, threads)", 1000, 860, 2, 2)
    for program in PROGRAMS:
        labels, lines = [], []
        for variant, simd, name, colour, dashed in ways([COMPARED_WITH]):
            x, groups, labels = 0, [], []
            for group in ratios(times, program, variant, simd):
                groups.append([(x + k, y) for k, (_, y) in enumerate(group)])
                labels += [f"'{label}' {x + k}" for k, (label, _) in enumerate(group)]
                x += len(group) + 1
            lines.append((name, colour, dashed, groups))
        script.panel(f"{program}, n = {SIZES[program]}", "", "time / CUDA's", lines,
                     [f"set xtics rotate by 60 right font ',9' ({', '.join(labels)})", f"set xrange [-0.5:{x - 1.5}]"])
    return script.text()


def figure_3(times):
    script = Script(f"Speed-up over one core, {BASE['teams']} teams of {BASE['threads']} threads", 1000, 860, 2, 2)
    for program in PROGRAMS:
        script.panel(program, "n", "core's time / time",
                     [(name, colour, dashed, [speed_ups(times, program, variant, simd)])
                      for variant, simd, name, colour, dashed in ways()], by_powers(program, "n"))
    return script.text()


def figure_4(times):
    script = Script("Time of a launch by teams, threads and size", 1100, 1300, len(PROGRAMS), len(SWEEPS))
    for program in PROGRAMS:
        for what in SWEEPS:
            fixed = "" if what == "n" else f", n = {SIZES[program]}"
            script.panel(program + fixed, LABELS[what] if what != "n" else "n, 128 teams of 8 threads", "µs",
                         [(name, colour, dashed, [family(times, program, what, variant, simd)])
                          for variant, simd, name, colour, dashed in ways()], by_powers(program, what))
    return script.text()


def by_powers(program, what):
    values = [value for value, _ in along(program, what)]
    step = 2 if len(values) > 5 else 1
    tics = ", ".join(f"'{value if value < 1 << 14 else '2^{%d}' % round(math.log2(value))}' {value}"
        for value in values[::step])
    return ["set logscale x 2", f"set xtics norotate ({tics})", f"set xrange [{values[0] / 1.2}:{values[-1] * 1.2}]"]


FIGURES = {"nvptx-figure-2": figure_2, "nvptx-figure-3": figure_3, "nvptx-figure-4": figure_4}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", help="an nvptx.json of the GPU's variants, one with `host`")
    parser.add_argument("--out", default="nvptx-results", help="where the figures go")
    arguments = parser.parse_args()
    times = read(arguments.results)
    absent = missing(times)
    if absent:
        print(f"{len(absent)} points are missing, the first of them {absent[0]}", file=sys.stderr)
        return 1
    os.makedirs(arguments.out, exist_ok=True)
    for name, figure in FIGURES.items():
        path = os.path.join(arguments.out, name + ".svg")
        try:
            done = subprocess.run(["gnuplot"], input=figure(times), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                text=True)
        except FileNotFoundError:
            print("gnuplot is missing: install gnuplot-nox", file=sys.stderr)
            return 4
        if done.returncode or done.stderr:
            print(f"gnuplot: {done.stderr.strip()}", file=sys.stderr)
            return 1
        with open(path, "w") as file:
            file.write(done.stdout)
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
