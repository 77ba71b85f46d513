#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""check-objects.py finds what it is there for: circles, and needs that the table of parts.py does not allow.

  check_objects.py BUILD_FOLDER

Small objects are compiled for the purpose; and into the objects of the build a circle is put."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(SCRIPTS))

from objects import graph_of  # noqa: E402

BUILD = Path(sys.argv.pop(1)).resolve()
CC = os.environ.get("CC", "cc")


class CheckObjects(unittest.TestCase):
    def setUp(self):
        # The folder lies beside the build, so that its objects can be linked to.
        self.kept = tempfile.TemporaryDirectory(dir=BUILD)
        self.addCleanup(self.kept.cleanup)
        self.folder = Path(self.kept.name)

    def object(self, unit: str, code: str) -> Path:
        path = self.folder / "obj" / f"{unit}.o"
        path.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([CC, "-x", "c", "-c", "-o", path, "-"], input=code, text=True, check=True)
        return path

    def check(self) -> tuple[int, str]:
        command = [sys.executable, SCRIPTS / "check-objects.py", self.folder]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def file(self, unit: str, *needs: str) -> None:
        name = unit.rsplit("/", 1)[1]
        others = [n.rsplit("/", 1)[1] for n in needs]
        self.object(
            unit,
            "".join(f"void {o}(void);" for o in others)
            + f"void {name}(void) {{ {''.join(o + '();' for o in others)} }}",
        )

    def test_one_way(self):
        self.file("lib/memory/link", "lib/memory/array", "lib/os/pool")
        self.file("lib/memory/array", "lib/os/pool")
        self.file("lib/os/pool")
        self.assertEqual(self.check(), (0, "3 objects, what they need runs one way\n"))

    def test_two_that_need_each_other(self):
        self.file("lib/memory/link", "lib/memory/array")
        self.file("lib/memory/array", "lib/memory/link")
        code, said = self.check()
        self.assertEqual(code, 1)
        self.assertIn("2 files need each other: lib/memory/array lib/memory/link", said)

    def test_a_roundabout_way(self):
        self.file("lib/memory/link", "lib/memory/array")
        self.file("lib/memory/array", "lib/memory/edges")
        self.file("lib/memory/edges", "lib/memory/link")
        code, said = self.check()
        self.assertEqual(code, 1)
        self.assertIn("3 files need each other", said)

    def test_a_part_that_may_not_be_needed(self):
        self.file("lib/memory/link")
        self.file("lib/os/pool", "lib/memory/link")
        code, said = self.check()
        self.assertEqual(code, 1)
        self.assertIn("lib/os/pool: lib/os must not need lib/memory/link (link)", said)

    def test_nothing_to_look_at(self):
        self.assertEqual(self.check()[0], 1)

    # Here a file of the memory core comes to need one that needs it.
    def test_a_circle_in_the_library(self):
        for source in (BUILD / "obj").glob("lib/*/*.o"):
            target = self.folder / "obj" / source.relative_to(BUILD / "obj")
            target.parent.mkdir(parents=True, exist_ok=True)
            os.link(source, target)
        self.assertEqual(self.check()[0], 0)
        graph = graph_of(self.folder / "obj")
        upper, lower = next(
            (a, b)
            for a in sorted(graph)
            for b in graph[a]
            if a.startswith("lib/memory/") and b.startswith("lib/memory/")
        )
        needed = next(n for a in sorted(graph) for n in graph[a].get(upper, ()))
        extra = self.object("extra", f'extern char of_upper[] __asm__("{needed}"); char *needs_upper = of_upper;')
        old = self.folder / "obj" / f"{lower}.o"
        subprocess.run(["ld", "-r", "-o", self.folder / "new.o", old, extra], check=True)
        extra.unlink()
        os.replace(self.folder / "new.o", old)
        code, said = self.check()
        self.assertEqual(code, 1)
        self.assertIn("files need each other", said)
        self.assertIn(f"  {lower} needs {upper}", said)


if __name__ == "__main__":
    unittest.main()
