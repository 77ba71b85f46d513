# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""What the objects of a build need of each other is found by their symbols. check-objects.py judges it, draw-objects.py
draws it.

A class that stands in several files counts as one file. What is called through a table or a virtual function is not
needed by its caller, and not seen."""

import re
import subprocess
from collections import defaultdict
from pathlib import Path

from parts import ROOT

# The members of these classes stand in several files. The first file counts for all, and the pattern is what the names
# of the others are like.
ONE_CLASS = {
    "runtime/ptx/parser": r"runtime/ptx/parser_\w+",
    "runtime/ptx/passes/frames": r"runtime/ptx/passes/frames_\w+",
    "runtime/ptx/passes/mirror": r"runtime/ptx/passes/mirror_\w+",
}
# They answer to names of other libraries: who calls those means the C library's.
INTERPOSERS = "lib/api/interpose_"

DEFINED_KINDS = set("TDBRGSC")


def unit_of(source: str) -> str:
    return next((unit for unit, others in ONE_CLASS.items() if re.fullmatch(others, source)), source)


def symbols_of(objects: list[Path], folder: Path):
    """Unit -> names that it needs, and name -> unit that defines it. One nm for all."""
    needs, home = defaultdict(set), {}
    listing = subprocess.run(["nm", "-A", "-P", *objects], capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        where, name, kind = line.split()[:3]
        unit = unit_of(Path(where.rstrip(":")).relative_to(folder).with_suffix("").as_posix())
        if kind == "U":
            needs[unit].add(name)
        elif kind in DEFINED_KINDS and not unit.startswith(INTERPOSERS):
            home[name] = unit
    return needs, home


def graph_of(folder: Path, tops=("lib", "runtime")):
    """Unit -> unit that it needs -> the names. Objects of sources that have moved don't count."""
    objects = [
        o
        for top in tops
        for o in sorted((folder / top).rglob("*.o"))
        if "tests" not in o.relative_to(folder).parts
        if (ROOT / o.relative_to(folder)).with_suffix(".cc").exists()
    ]
    needs, home = symbols_of(objects, folder)
    graph = {unit: defaultdict(set) for unit in set(home.values()) | set(needs)}
    for unit, names in needs.items():
        for name in names:
            if home.get(name, unit) != unit:
                graph[unit][home[name]].add(name)
    return graph


def circles_of(graph):
    """Strongly connected components of more than one unit, by Tarjan's algorithm."""
    number, low, stack, found = {}, {}, [], []

    def visit(unit):
        number[unit] = low[unit] = len(number)
        stack.append(unit)
        for other in graph[unit]:
            if other not in number:
                visit(other)
                low[unit] = min(low[unit], low[other])
            elif other in stack:
                low[unit] = min(low[unit], number[other])
        if low[unit] == number[unit]:
            at = stack.index(unit)
            if len(stack) - at > 1:
                found.append(sorted(stack[at:]))
            del stack[at:]

    for unit in sorted(graph):
        if unit not in number:
            visit(unit)
    return found
