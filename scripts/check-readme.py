#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""The program that the README shows is the example that is built and tested."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = "Documentation/examples/hello.c"


def without_heading(program: str) -> str:
    """From the first #include on."""
    return program[program.index("#include") :]


shown = re.search(r"^```c\n(.*?)^```", (ROOT / "README.md").read_text(), re.M | re.S)
if not shown or shown[1] != without_heading((ROOT / EXAMPLE).read_text()):
    sys.exit(f"README.md: the program differs from {EXAMPLE}: copy it again")
