#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Every environment variable that the library reads has a paragraph in environment.rst, and no other has."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "Documentation/environment.rst"
READERS = ("lib/os/settings.cc", "lib/os/inject.cc", "openmp/lazy.cc")
READERS += ("opencl/selection.cc", "opencl/build.cc", "opencl/report.cc")


def main() -> int:
    read = {name for path in READERS for name in re.findall(r'"((?:GPUVM|HET)_[A-Z0-9_]+)"', (ROOT / path).read_text())}
    told = set(re.findall(r"^\.\. envvar:: (\S+)", PAGE.read_text(), re.M))
    # getenv() elsewhere in the library would escape the first set.
    strays = [
        p.relative_to(ROOT)
        for p in sorted((ROOT / "lib").rglob("*.cc"))
        if "tests" not in p.parts and p.relative_to(ROOT).as_posix() not in READERS and "getenv(" in p.read_text()
    ]
    faults = [f"{name} is read by the library and not in {PAGE.name}" for name in sorted(read - told)]
    faults += [f"{name} is in {PAGE.name} and nobody reads it" for name in sorted(told - read)]
    faults += [f"{path}: getenv() belongs into {READERS[0]}" for path in strays]
    print("\n".join(faults) if faults else f"{len(read)} environment variables, all of them documented")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
