#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""run_with_fat_binary.py EXAMPLE: makes a fat binary of the source that EXAMPLE --source prints, and runs it with that."""

import subprocess
import sys
import tempfile
from pathlib import Path

TOOL = Path(__file__).resolve().parents[2] / "build/bin/het-fatbin"


def main() -> int:
    command = [sys.executable, sys.argv[1]]
    source = subprocess.run([*command, "--source"], capture_output=True, check=True).stdout
    with tempfile.TemporaryDirectory() as folder:
        binary = f"{folder}/kernels.het"
        subprocess.run([TOOL, "build", "-", "--targets", "ptx", "-o", binary], input=source, check=True)
        return subprocess.run([*command, binary]).returncode


if __name__ == "__main__":
    sys.exit(main())
