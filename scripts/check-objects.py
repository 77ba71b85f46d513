#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""What objects need of each other runs one way too: functions and variables are declared in headers that say nothing of
where they are defined, so a check of includes does not see circles of files.

  check-objects.py BUILD_FOLDER

Between parts it goes by the table of parts.py, inside a part no circle is allowed."""

import subprocess
import sys
from pathlib import Path

from objects import circles_of, graph_of
from parts import ALLOWED, part_of, ROOT


def readable(names) -> str:
    shown = subprocess.run(["c++filt", *sorted(names)], capture_output=True, text=True, check=True).stdout.splitlines()
    return ", ".join(shown[:3]) + (f" and {len(shown) - 3} more" if len(shown) > 3 else "")


def faults_of(graph):
    for circle in circles_of(graph):
        yield f"{len(circle)} files need each other: {' '.join(circle)}"
        for unit in circle:
            for other in sorted(set(graph[unit]) & set(circle)):
                yield f"  {unit} needs {other}: {readable(graph[unit][other])}"
    for unit in sorted(graph):
        part = part_of(ROOT / unit)
        for other, names in sorted(graph[unit].items()):
            other_part = part_of(ROOT / other)
            if other_part != part and other_part not in ALLOWED[part]:
                yield f"{unit}: {part} must not need {other} ({readable(names)})"


def main() -> int:
    folder = Path(sys.argv[1]).resolve() / "obj"
    graph = graph_of(folder)
    if not graph:
        print(f"{folder} has no objects")
        return 1
    faults = list(faults_of(graph))
    print("\n".join(faults) if faults else f"{len(graph)} objects, what they need runs one way")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
