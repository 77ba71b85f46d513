#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Draws what objects need of each other: one picture of the parts, and one of each part that is worth one.

  draw-objects.py BUILD_FOLDER FOLDER_FOR_PICTURES

An arrow that follows from others is left out (tred), so what is below in a picture is all that a file can need."""

import subprocess
import sys
from pathlib import Path

from objects import graph_of
from parts import part_of, ROOT

DRAWN = ("lib/memory", "lib/trap", "lib/dev", "lib/os", "runtime/core")


def part(unit: str) -> str:
    return part_of(ROOT / unit)


def dot_of(edges) -> str:
    lines = [f'"{a}" -> "{b}";' for a, b in sorted(edges)]
    style = (
        'rankdir=TB; ranksep=0.35; nodesep=0.12; '
        'node [shape=box, fontname="sans-serif", fontsize=10, margin="0.06,0.03", height=0.2];'
    )
    return "digraph objects {" + style + "".join(lines) + "}"


def draw(edges, picture: Path) -> None:
    reduced = subprocess.run(["tred"], input=dot_of(edges), capture_output=True, text=True, check=True).stdout
    subprocess.run(["dot", "-Tsvg", "-o", picture], input=reduced, text=True, check=True)


def main() -> int:
    build, pictures = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    graph = graph_of(build / "obj")
    if not graph:
        print(f"{build} has no objects")
        return 1
    pictures.mkdir(parents=True, exist_ok=True)
    edges = {(unit, other) for unit, needs in graph.items() for other in needs}
    draw({(part(a), part(b)) for a, b in edges if part(a) != part(b)}, pictures / "objects-parts.svg")
    for name in DRAWN:
        inside = {
            (a.removeprefix(name + "/"), b.removeprefix(name + "/"))
            for a, b in edges
            if part(a) == part(b) == name
        }
        draw(inside, pictures / f"objects-{name.replace('/', '-')}.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
