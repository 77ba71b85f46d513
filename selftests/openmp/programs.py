#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""OpenMP programs with target regions, which know nothing of libhet, run through het-openmp on the fake CUDA driver, whose
kernels the PTX interpreter runs. Prints KTAP. The programs are in build/, or in the folder of the first argument."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools/tests"))

from command_line import Skip, run_cases, same, within  # noqa: E402

BUILD = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT / "build"
LAUNCHER, PROGRAMS = BUILD / "bin/het-openmp", BUILD / "selftests/openmp"
PLUGIN = BUILD / "openmp/libgomp-plugin-nvptx.so.1"


def run(*command: object, **environment: object) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith(("HET_", "GPUVM_"))}
    env |= {"LD_LIBRARY_PATH": str(BUILD / "fake")} | {name: str(value) for name, value in environment.items()}
    return subprocess.run([str(c) for c in command], env=env, capture_output=True, text=True)


def program(name: str) -> Path:
    if not (PROGRAMS / name).exists():
        raise Skip("gcc-12 has no back end for nvptx here, or the plug-in was not built")
    return PROGRAMS / name


def passes(name: str, count: int, *arguments: object, **environment: object) -> str:
    """Each of its so many cases passes. Returns what it prints."""
    done = run(LAUNCHER, program(name), *arguments, **environment)
    wrong = [line for line in done.stdout.splitlines() if line.startswith(("not ok", "# "))]
    if done.returncode:
        raise AssertionError(f"status {done.returncode}, {wrong}, {done.stderr[-500:]!r}")
    same(done.stdout.count("\nok "), count)
    return done.stdout


def arrays_home(output: str, where: str = "in") -> float:
    return float(re.search(rf"# ([0-9.]+) arrays came home {where}", output)[1])


def regions(work: Path) -> None:
    passes("regions", 24)


def regions_on_one_device(work: Path) -> None:
    passes("regions", 12, FAKE_CUDA_DEVICES=1)


def rounds_bring_what_is_touched(work: Path) -> None:
    for first in (2, 1):
        output = passes("rounds", 10, HET_OPENMP_LAZY=first)
        for home in (arrays_home(output), arrays_home(output, "where")):
            same((home, 0 < home < 3), (home, True))


def rounds_that_copy(work: Path) -> None:
    same(arrays_home(passes("rounds", 10, HET_OPENMP_LAZY=0)), 0)


def rounds_by_cost(work: Path) -> None:
    """An array that is large enough is watched after some copies, whoever has not said when."""
    passes("rounds", 10)


def rounds_with_little_memory(work: Path) -> None:
    """What comes home lazily leaves the device when a region needs its place."""
    passes("rounds", 9, 9, HET_OPENMP_LAZY=1, FAKE_CUDA_MEMORY=6 << 20)


def traps_that_system_calls_fail_on_bring_nothing_lazily(work: Path) -> None:
    done = run(LAUNCHER, program("rounds"), 1, HET_OPENMP_LAZY=1, GPUVM_TRAP="sigsegv", GPUVM_VERBOSE=1)
    same((done.returncode, arrays_home(done.stdout)), (0, 0))
    within("does not come home lazily", done.stderr)


def wrong_setting(work: Path) -> None:
    done = run(LAUNCHER, program("rounds"), 1, HET_OPENMP_LAZY="soon")
    same(done.returncode, 0)
    within("HET_OPENMP_LAZY: 'soon' is no number", done.stderr)


def without_libhet_preloaded(work: Path) -> None:
    path = f"{PLUGIN.parent}:{BUILD / 'fake'}"
    done = run(program("rounds"), 1, LD_LIBRARY_PATH=path, HET_DEVICES="cuda", HET_OPENMP_LAZY=1)
    same((done.returncode, done.stdout.count("\nok "), done.stderr), (0, 1, ""))


def example(work: Path) -> None:
    program("regions")
    done = run(LAUNCHER, BUILD / "examples/openmp/saxpy")
    same((done.returncode, done.stdout), (0, "on a device: y[3] is 7, all add up to 10000000000\n"))


def no_device(work: Path) -> None:
    program("regions")
    done = run(LAUNCHER, BUILD / "examples/openmp/saxpy", FAKE_CUDA_DEVICES=0)
    same((done.returncode, done.stdout), (0, "on the host: y[3] is 7, all add up to 10000000000\n"))


def regions_that_fail(work: Path) -> None:
    for fault in ("abort", "pointer"):
        done = run(LAUNCHER, program("faults"), fault)
        same((fault, done.returncode, done.stdout), (fault, 1, ""))
        within("libhet: the target region main$_omp_fn$", done.stderr)


def memory_that_is_not_there(work: Path) -> None:
    done = run(LAUNCHER, program("faults"), "memory")
    same((done.returncode, done.stdout), (0, "there is no such memory\n"))
    done = run(LAUNCHER, program("faults"), FAKE_CUDA_MEMORY=1 << 20)
    same(done.returncode, 1)
    within("no device memory for the stacks of", done.stderr)


def what_a_device_prints_last(work: Path) -> None:
    done = run(LAUNCHER, program("faults"), "print")
    same((done.returncode, sorted(done.stdout.splitlines())), (0, ["got on with 0", "the device prints 0"]))


def code_that_does_not_build(work: Path) -> None:
    done = run(LAUNCHER, program("faults"), FAKE_CUDA_FAIL="cuLinkAddData_v2:3:218", HET_CACHE_SIZE=0)
    same((done.returncode, done.stdout), (1, ""))
    within("images can't be loaded", done.stderr)
    # What the plug-in has of its own it can do without.
    done = run(LAUNCHER, program("faults"), FAKE_CUDA_FAIL="cuLinkComplete:1:218", FAKE_CUDA_DEVICES=1, HET_CACHE_SIZE=0)
    same((done.returncode, done.stdout), (0, "got on with 1\n"))
    within("images can't be loaded", done.stderr)


def launcher(work: Path) -> None:
    if not LAUNCHER.exists():
        raise Skip("the plug-in was not built")
    same(run(LAUNCHER, "--help").returncode, 0)
    same(run(LAUNCHER).returncode, 1)
    done = run(LAUNCHER, work / "none")
    same((done.returncode, "there is no program" in done.stderr), (127, True))
    other = work / "other"
    other.write_text("#!/bin/sh\necho $HET_DEVICES $1; exit 3 # GOACC_parallel\n")
    other.chmod(0o755)
    done = run(LAUNCHER, other, "argument", HET_DEVICES="host")
    same((done.returncode, done.stdout), (3, "host argument\n"))
    other.write_text("#!/bin/sh\n# GOACC_parallel_keyed\n")
    done = run(LAUNCHER, other)
    same((done.returncode, "OpenACC" in done.stderr), (2, True))


def libgomp_of_gcc_13(work: Path) -> None:
    double = program("libgomp13")
    done = run(double, PLUGIN, HET_DEVICES="cuda", GPUVM_QUIET=1)
    wrong = [line for line in done.stdout.splitlines() if not line.startswith("ok ")]
    same((done.returncode, wrong), (0, ["TAP version 14", "1..16"]))


CASES = [
    regions,
    regions_on_one_device,
    rounds_bring_what_is_touched,
    rounds_that_copy,
    rounds_by_cost,
    rounds_with_little_memory,
    traps_that_system_calls_fail_on_bring_nothing_lazily,
    wrong_setting,
    without_libhet_preloaded,
    example,
    no_device,
    regions_that_fail,
    memory_that_is_not_there,
    what_a_device_prints_last,
    code_that_does_not_build,
    launcher,
    libgomp_of_gcc_13,
]

if __name__ == "__main__":
    sys.exit(run_cases(CASES, "het-openmp-"))
