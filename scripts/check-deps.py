#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Dependencies run one way. Reads every #include of the project and compares it with the table below."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# Part of the tree -> parts whose headers it may include, itself apart.
# tools, bench, selftests -> runtime -> lib -> kmod/uapi; in lib: api -> memory -> {trap, dev} -> os -> core; in runtime:
# api -> core -> {dev -> {sched, ptx, cache -> fatbin}, policy}; policy, fatbin and ptx by themselves.
CORE = {"lib/include", "kmod/uapi"}
OS = CORE | {"lib/core"}
TRAP_OR_DEV = OS | {"lib/os"}
MEMORY = TRAP_OR_DEV | {"lib/trap", "lib/dev"}
API = MEMORY | {"lib/memory"}
RUNTIME = API | {"lib/api", "runtime/include"}
RUNTIME_DEVICE = RUNTIME | {"runtime/sched", "runtime/fatbin", "runtime/ptx", "runtime/cache"}
RUNTIME_CORE = RUNTIME_DEVICE | {"runtime/dev", "runtime/policy"}
PROGRAMS = RUNTIME_CORE | {"runtime/core", "runtime/api"}
ALLOWED = {
    "kmod/uapi": set(),
    "kmod": {"kmod/uapi"},
    "lib/include": set(),
    "lib/core": CORE,
    "lib/os": OS,
    "lib/trap": TRAP_OR_DEV,
    "lib/dev": TRAP_OR_DEV,
    # The fake driver, which is a program of its own.
    "lib/dev/tests": TRAP_OR_DEV | {"lib/dev", "selftests/fake"},
    "lib/memory": MEMORY,
    "lib/api": API,
    "lib/api/tests": API | {"lib/api", "lib/dev/tests"},
    "runtime/include": set(),
    "runtime/fatbin": set(),
    "runtime/ptx": set(),
    "runtime/policy": set(),
    "runtime/sched": OS | {"lib/os"},
    "runtime/cache": OS | {"lib/os", "runtime/fatbin"},
    "runtime/dev": RUNTIME_DEVICE,
    "runtime/core": RUNTIME_CORE,
    "runtime/api": RUNTIME_CORE | {"runtime/core"},
    "tools/json": set(),
    "tools": PROGRAMS | {"tools/json"},
    "bench": PROGRAMS | {"tools/json"},
    # What a test may change and look at in the fake driver.
    "selftests": PROGRAMS | {"selftests/fake"},
    "selftests/fake": PROGRAMS,
    "Documentation/examples": {"lib/include", "runtime/include"},
}

# The core makes no system call and knows no device, so these are all the headers it can want.
CORE_SYSTEM_HEADERS = set(
    """algorithm array atomic bit bitset cassert climits compare concepts cstddef cstdint cstdlib cstring
    functional initializer_list iterator limits memory new numeric optional ranges span string_view tuple
    type_traits utility variant vector""".split()
)

# Where the compiler looks for a quoted name, after the folder of the including file.
SEARCH = ["lib", "lib/include", "runtime", "runtime/include", "bench", "selftests", "tools", "kmod/uapi"]
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def part_of(path: Path) -> str | None:
    """The longest entry of the table that contains the file."""
    name = path.relative_to(ROOT).as_posix()
    return max((p for p in ALLOWED if name.startswith(p + "/")), key=len, default=None)


def find(name: str, quoted: bool, where: Path) -> Path | None:
    """The project's file that an #include means, or None for a system header."""
    folders = ([where] if quoted else []) + [ROOT / s for s in SEARCH]
    for folder in folders:
        target = (folder / name).resolve()
        if target.is_file() and target.is_relative_to(ROOT):
            return target
    return None


def faults_of(path: Path):
    part = part_of(path)
    tests = "tests" in path.relative_to(ROOT).parts
    for style, name in INCLUDE.findall(path.read_text()):
        target = find(name, style == '"', path.parent)
        if target is None:
            if style == '"':
                yield f'"{name}" is no file of the project'
            elif part == "lib/core" and not tests and name not in CORE_SYSTEM_HEADERS:
                yield f"the core is pure, but includes <{name}>"
            continue
        other = part_of(target)
        if other != part and other not in ALLOWED[part]:
            yield f"{part} must not depend on {other} ({name})"


def main() -> int:
    files = sorted(
        p for p in ROOT.rglob("*") if p.suffix in (".cc", ".c", ".h", ".hpp") and p.is_file() and part_of(p) is not None
    )
    faults = [f"{p.relative_to(ROOT)}: {fault}" for p in files for fault in faults_of(p)]
    print("\n".join(faults) if faults else f"{len(files)} files, dependencies run one way")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
