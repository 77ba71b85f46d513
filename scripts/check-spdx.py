#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Every file of the project says its licence in one line near its top, and LICENSES/ has the text of each."""

import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Texts, data, and files whose format has no comments need no SPDX line.
EXEMPT = re.compile(
    r"^(VERSION|LICENSES/.*|debian/(changelog|source/format)|bench/(data|results)/.*|.*\.(png|svg|json|csv|het|hetcheck))$"
)
SKIPPED_FOLDERS = re.compile(r"^(\.git|\.hypothesis|\.mypy_cache|\.pytest_cache|build.*|__pycache__)$")
TAG = re.compile(r"SPDX-License-Identifier: ([A-Za-z0-9.() -]+)")


def files():
    for folder, subfolders, names in os.walk(ROOT):
        subfolders[:] = [s for s in subfolders if not SKIPPED_FOLDERS.match(s)]
        for name in names:
            path = (Path(folder) / name).relative_to(ROOT)
            # A worktree has a file .git.
            if not EXEMPT.match(path.as_posix()) and name not in (".git", "compile_commands.json"):
                yield path


def fault_of(path: Path) -> str | None:
    with (ROOT / path).open(errors="replace") as file:
        top = "".join(line for _, line in zip(range(3), file))
    tag = TAG.search(top)
    if tag is None:
        return "no SPDX line in its first three lines"
    for licence in re.split(r" (?:OR|AND|WITH) ", re.sub(r"[()]", "", tag[1]).rstrip(" -")):
        if not (ROOT / "LICENSES" / f"{licence.strip()}.txt").exists():
            return f"{licence} has no text in LICENSES/"
    return None


def main() -> int:
    faults = [f"{path}: {fault}" for path in sorted(files()) if (fault := fault_of(path))]
    print("\n".join(faults) if faults else "every file has its licence line")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
