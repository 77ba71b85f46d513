# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""This tells the parts of the tree, and which of them each may depend on. check-deps.py reads includes, and
check-objects.py symbols."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# A part of the tree may include the headers of these parts, besides its own:
# tools, bench, selftests, opencl, openmp, python, mpi -> runtime -> lib -> kmod/uapi; in lib: api -> memory -> {trap, dev} -> os ->
# core, and dev -> paths; in runtime: api -> core -> {dev -> {preempt, sched, ptx, cache -> fatbin}, policy, evict,
# checkpoint -> fatbin}; preempt, policy, fatbin and ptx stand by themselves.
CORE = {"lib/include", "kmod/uapi"}
OS = CORE | {"lib/core"}
TRAP_OR_DEV = OS | {"lib/os"}
MEMORY = TRAP_OR_DEV | {"lib/paths", "lib/trap", "lib/dev"}
API = MEMORY | {"lib/memory"}
RUNTIME = API | {"lib/api", "runtime/include"}
RUNTIME_DEVICE = RUNTIME | {"runtime/preempt", "runtime/sched", "runtime/fatbin", "runtime/ptx", "runtime/cache"}
RUNTIME_CORE = RUNTIME_DEVICE | {"runtime/dev", "runtime/policy", "runtime/evict", "runtime/checkpoint"}
PROGRAMS = RUNTIME_CORE | {"runtime/core", "runtime/api"}
ALLOWED = {
    "kmod/uapi": set(),
    "kmod": {"kmod/uapi"},
    "lib/include": set(),
    "lib/core": CORE,
    # Who takes which path is pure, and knows no memory.
    "lib/paths": set(),
    "lib/os": OS,
    "lib/trap": TRAP_OR_DEV,
    "lib/dev": TRAP_OR_DEV | {"lib/paths"},
    # These tests use the fake driver, which is a program of its own.
    "lib/dev/tests": TRAP_OR_DEV | {"lib/paths", "lib/dev", "selftests/fake"},
    "lib/memory": MEMORY,
    "lib/api": API,
    "lib/api/tests": API | {"lib/api", "lib/dev/tests"},
    "runtime/include": set(),
    "runtime/fatbin": set(),
    "runtime/ptx": set(),
    "runtime/policy": set(),
    "runtime/preempt": set(),
    "runtime/evict": OS | {"lib/os"},
    "runtime/sched": OS | {"lib/os"},
    "runtime/cache": OS | {"lib/os", "runtime/fatbin"},
    # It is pure, and knows what it reads from and writes to by an interface.
    "runtime/checkpoint": {"runtime/fatbin"},
    "runtime/dev": RUNTIME_DEVICE,
    "runtime/core": RUNTIME_CORE,
    "runtime/api": RUNTIME_CORE | {"runtime/core"},
    # Tests of what changes PTX run it as well.
    "runtime/ptx/tests": {"runtime/ptx", "tools/simt"},
    # The platform is a library of its own, and has files in the user's store as the runtime has.
    "opencl": {"runtime/include", "opencl/include", "runtime/cache"},
    "opencl/include": set(),
    # So are the plug-in of libgomp, and the extension of Python's package.
    "openmp": {"runtime/include", "lib/include"},
    "python/src": {"runtime/include"},
    # What stands before MPI uses both public headers.
    "mpi": {"runtime/include", "lib/include"},
    "tools/simt": {"runtime/ptx"},
    "tools/json": set(),
    "tools/base": TRAP_OR_DEV | {"lib/dev"},
    "tools": PROGRAMS | {"tools/base", "tools/json", "tools/simt"},
    "bench": PROGRAMS | {"tools/base", "tools/json"},
    # A program that records what kernels do runs them as het-ptx does.
    "bench/noc/record/ptx": {"bench", "tools", "tools/json", "tools/simt", "runtime/ptx"},
    # Models replay what programs do in the interpreter.
    "bench/model": {"bench", "tools/simt", "runtime/ptx"},
    # This one has some of the runtime's policies.
    "bench/etc": {"bench", "bench/model", "bench/etc/programs", "tools/json", "runtime/policy"},
    "bench/etc/record": {"bench", "bench/model", "bench/etc", "tools/simt", "runtime/ptx"},
    "bench/etc/programs": {"bench", "bench/model", "bench/etc", "bench/etc/record", "tools/simt"},
    "bench/etc/tests": {"bench/etc", "bench/etc/programs"},
    # That of preemption knows registers and loops as the passes over PTX do.
    "bench/pep": {"bench", "bench/model", "bench/pep/programs", "tools/json", "runtime/ptx"},
    "bench/pep/record": {"bench", "bench/model", "bench/pep", "tools/simt", "runtime/ptx"},
    "bench/pep/programs": {"bench", "bench/model", "bench/pep", "bench/pep/record", "tools/simt"},
    "bench/pep/tests": {"bench/model", "bench/pep", "bench/pep/programs", "bench/pep/record", "runtime/ptx"},
    # Tests include what they may change and look at in the fake driver.
    "selftests": PROGRAMS | {"tools/base", "selftests/fake"},
    "selftests/opencl": {"opencl/include"},
    "selftests/throttled": {"selftests/opencl"},
    # A double of libgomp's takes its words from the plug-in.
    "selftests/openmp": {"openmp"},
    "selftests/fake": PROGRAMS | {"tools/simt"},
    "Documentation/examples": {"lib/include", "runtime/include"},
}

# Runtime and memory core meet at this seam: of lib/memory the runtime may include these, which speak in ranges, numbers
# of devices and modes. They include no others of lib/memory, so the runtime's compiler never sees an array, its lock or
# the library's state.
SEAM = {
    "lib/memory/" + name
    for name in (
        "allocate.h buffers.h changes.h evict.h exact_bytes.h failure.h foreseen.h hooks.h kernel_mode.h link.h lost.h notes.h start.h usage.h uses.h "
        "whereabouts.h"
    ).split()
}


def part_of(path: Path) -> str | None:
    """The longest entry of the table that contains the file."""
    name = path.relative_to(ROOT).as_posix()
    return max((p for p in ALLOWED if name.startswith(p + "/")), key=len, default=None)
