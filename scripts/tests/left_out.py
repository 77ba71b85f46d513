#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""left-out.sh names the files that need a header which is not there, and no others."""

import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent.parent / "left-out.sh"


class LeftOut(unittest.TestCase):
    def left_out(self, files: dict[str, str], *missing: str) -> dict[str, str]:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                (Path(folder) / name).parent.mkdir(exist_ok=True)
                (Path(folder) / name).write_text(text)
            command = [SCRIPT, *missing, "--", "."]
            lines = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.splitlines()
        return dict(line.removeprefix("./").split(" ", 1) for line in lines)

    def test_by_way_of_own_headers(self):
        files = {"own.h": "#include <png.h>\n", "uses.cc": '#include "own.h"\n', "other.cc": "#include <string>\n"}
        self.assertEqual(self.left_out(files, "png.h"), {"own.h": "png.h", "uses.cc": "png.h"})

    def test_other_headers_of_the_package(self):
        files = {"cfg.cc": "#include <llvm/IR/CFG.h>\n", "other.cc": "#include <string>\n"}
        self.assertEqual(self.left_out(files, "llvm/IR/Function.h"), {"cfg.cc": "llvm/IR/Function.h"})

    def test_not_what_includes_a_header_of_the_same_name(self):
        files = {
            "a/same.h": "#include <llvm/IR/CFG.h>\n",
            "b/same.h": "#include <string>\n",
            "of_a.cc": '#include "a/same.h"\n',
            "of_b.cc": '#include "b/same.h"\n',
        }
        self.assertEqual(sorted(self.left_out(files, "llvm/IR/Function.h")), ["a/same.h", "of_a.cc"])

    def test_not_other_headers_of_the_system(self):
        files = {"probes.cc": "#include <sys/sdt.h>\n", "maps.cc": "#include <sys/mman.h>\n"}
        self.assertEqual(self.left_out(files, "sys/sdt.h"), {"probes.cc": "sys/sdt.h"})

    def test_those_that_ask_do_not_need_it(self):
        self.assertEqual(
            self.left_out({"asks.cc": "#if __has_include(<png.h>)\n#include <png.h>\n#endif\n"}, "png.h"), {}
        )


if __name__ == "__main__":
    unittest.main()
