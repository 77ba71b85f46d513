#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Dependencies run one way. Reads every #include of the project and compares it with the tables of parts.py."""

import re
import sys
from pathlib import Path

from parts import ALLOWED, ROOT, SEAM, part_of

# The core makes no system call and knows no device, so these are all the headers it can want.
CORE_SYSTEM_HEADERS = set(
    """algorithm array atomic bit bitset cassert climits compare concepts cstddef cstdint cstdlib cstring
    functional initializer_list iterator limits memory new numeric optional ranges span string_view tuple
    type_traits utility variant vector""".split()
)

# The compiler looks here for a quoted name, after the folder of the including file.
SEARCH = ["lib", "lib/include", "runtime", "runtime/include", "bench", "selftests", "tools", "openmp", "kmod/uapi"]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def find(name: str, quoted: bool, where: Path) -> Path | None:
    """The project's file that an #include means, or None for a system header."""
    folders = ([where] if quoted else []) + [ROOT / s for s in SEARCH]
    for folder in folders:
        target = (folder / name).resolve()
        if target.is_file() and target.is_relative_to(ROOT):
            return target
    return None


def goes_around_seam(path: Path, target: Path) -> bool:
    name, other = (p.relative_to(ROOT).as_posix() for p in (path, target))
    return (name.startswith("runtime/") or name in SEAM) and other.startswith("lib/memory/") and other not in SEAM


def faults_of(path: Path):
    part = part_of(path)
    tests = "tests" in path.relative_to(ROOT).parts
    for style, name in INCLUDE.findall(path.read_text()):
        target = find(name, style == '"', path.parent)
        if target is None:
            if style == '"':
                yield f'"{name}" is no file of the project'
            elif part in ("lib/core", "lib/paths") and not tests and name not in CORE_SYSTEM_HEADERS:
                yield f"the core is pure, but includes <{name}>"
            continue
        other = part_of(target)
        if other != part and other not in ALLOWED[part]:
            yield f"{part} must not depend on {other} ({name})"
        elif goes_around_seam(path, target):
            yield f"the runtime does not see the insides of the memory core ({name})"


def main() -> int:
    files = sorted(
        p for p in ROOT.rglob("*") if p.suffix in (".cc", ".c", ".h", ".hpp") and p.is_file() and part_of(p) is not None
    )
    faults = [f"{p.relative_to(ROOT)}: {fault}" for p in files for fault in faults_of(p)]
    print("\n".join(faults) if faults else f"{len(files)} files, dependencies run one way")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
