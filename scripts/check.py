#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""The tests of libhet, as `make check` runs them: what they are and in which order.

Logs lie in build/check/. Ends with "N passed, N failed, N skipped" alone on a line; exit status 1 if anything
failed. A time-out is a failure; skips are listed with their reasons.
"""

import argparse
import os
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from judges import judge_gtest, judge_ktap, judge_make, judge_plain
from steps import Step, run_all

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / "build/check"
MAKE = ["make", "--no-print-directory", f"-j{os.cpu_count()}", "--keep-going"]
# Clang compiles for its address sanitizer in half of GCC's time, and so two compilers' code is run. (Its thread
# sanitizer calls the library's sigaction() before it is ready for that.)
CLANG = ["CC=clang", "CXX=clang++"] if shutil.which("clang++") else []
# The first tree shows what each source of the library needs, and what GCC warns of; the others need not.
QUICKLY = ["UNITS=1", "PRECOMPILED=1"]
LEFT_OUT = re.compile(r"^libhet: (\S+) is left out: (.*)$", re.M)

SANITIZER_OPTIONS = {
    "ASAN_OPTIONS": "detect_stack_use_after_return=0:allocator_may_return_null=1",
    "UBSAN_OPTIONS": "print_stacktrace=1",
    "TSAN_OPTIONS": f"second_deadlock_stack=1 suppressions={ROOT}/scripts/tsan.supp",
}


@dataclass
class Suite:
    """The selftests once, under certain circumstances."""

    name: str
    tree: str = "build"
    env: dict[str, str] = field(default_factory=dict)
    only: tuple[str, ...] = ()  # none named: all
    without: tuple[str, ...] = ()
    cases: str | None = None  # those whose names have this in them
    as_nobody: bool = False
    seconds: int = 300


def sources(pattern: str) -> list[str]:
    return sorted(p.stem for p in ROOT.glob(pattern))


UNIT_TEST_PARTS = (
    "lib/*",
    "runtime/*",
    "openmp",
    "tools/base",
    "tools/json",
    "tools/fatbin",
    "tools/analysis",
    "bench/apps",
    "bench/noc",
    "bench/etc",
    "bench/pep",
    "bench/micro",
)
UNIT_TESTS = [t for part in UNIT_TEST_PARTS for t in sources(f"{part}/tests/*_test.cc")]
SELFTESTS = sources("selftests/*.cc") + sources("selftests/*.c")
EXAMPLES = sources("Documentation/examples/*.c") + sources("Documentation/examples/*.cc")

# Drivers are not instrumented: the sanitizers would report PoCL's doings. Where host and devices work on one array, they
# would also report that the chunks and edges of a block are copied while another block writes its own bytes in them,
# which are not taken from the copy. What brings a library of its own is left out, with what needs OpenCL, and what the
# sanitizers' own malloc and signal handling make pointless; under the thread sanitizer also what has one thread.
NO_DRIVER = {"HET_TEST_DEVICES": "none,host,host2,hostcb,hostcb2"}
SANITIZED = NO_DRIVER | {"HET_TEST_KINDS": "none,heap,mmapped,library"}
NOT_SANITIZED = "injected old_program deadlocks heap_reuse opencl_events opencl_kept_test opencl_program_test".split()
ONE_THREAD = [
    "cuda_between_test",
    "cuda_hands_test",
    "cuda_helpers_test",
    "cuda_paths_failure_test",
    "cuda_paths_test",
    "graph_before_test",
    "graph_streams_test",
    "paths_test",
    *"coherence_test foresight_test fragments_test layout_test read_ahead_test send_plan_test".split(),
    *sources("runtime/policy/tests/*_test.cc"),
    *sources("runtime/preempt/tests/*_test.cc"),
    *sources("runtime/evict/tests/*_test.cc"),
    *sources("runtime/ptx/tests/*_test.cc"),
    *sources("runtime/core/tests/*_test.cc"),
    *sources("runtime/cache/tests/*_test.cc"),
    *sources("runtime/checkpoint/tests/*_test.cc"),
    *sources("runtime/fatbin/tests/*_test.cc"),
    *sources("runtime/dev/tests/*_test.cc"),
    *sources("openmp/tests/*_test.cc"),
    *sources("tools/base/tests/*_test.cc"),
    *sources("tools/json/tests/*_test.cc"),
    *sources("tools/fatbin/tests/*_test.cc"),
    *sources("tools/analysis/tests/*_test.cc"),
    *sources("bench/apps/tests/*_test.cc"),
    *sources("bench/micro/tests/*_test.cc"),
    *sources("bench/etc/tests/*_test.cc"),
    *sources("bench/pep/tests/*_test.cc"),
    *(test for test in sources("bench/noc/tests/*_test.cc") if test != "noc_simulation_test"),
]
# The leak sanitizer of LLVM 14 crashes at times where threads of what was loaded with dlopen() end with the process.
WITHOUT_LEAKS = [test for test in UNIT_TESTS if test.startswith(("cuda_between_", "cuda_hands_", "cuda_helpers_", "cuda_paths_"))]
# Without a CUDA device, without OpenCL and without kinds of memory of their own nothing is left of these.
NOTHING_SANITIZED = (
    "runtime_arguments runtime_cache runtime_in_place runtime_inspect runtime_lanes runtime_lost runtime_pipeline "
    "runtime_preempt runtime_strips runtime_waits"
).split()
WITHOUT_ADDRESS = [
    *NOT_SANITIZED,
    *NOTHING_SANITIZED,
    # The sanitizer has mappings and a free() of its own.
    *"no_mappings runtime_lives".split(),
    # Whole devices are drawn, all examples go through all passes, and commands come in each order, which takes eight
    # times as long there; other tests go through the same code.
    *"micro_planted_test micro_groups_test micro_segments_test passes_test graph_streams_test".split(),
]
# The address sanitizer sees all that a unit test without it would see, so these alone are compiled without one: what is
# left out there, and what depends on the C library's own malloc.
UNIT_TESTS_WITHOUT_SANITIZER = {*WITHOUT_ADDRESS, "noc_allocation_test", "recycled_test"}
WITHOUT = {
    "build": [test for test in UNIT_TESTS if test not in UNIT_TESTS_WITHOUT_SANITIZER],
    "build-address": [*WITHOUT_ADDRESS, *EXAMPLES],
    "build-thread": [
        *NOT_SANITIZED,
        *NOTHING_SANITIZED,
        *"bytes_moved copy_mode exit fork layout locked_memory many_arrays signals".split(),
        # These would skip all of their cases: touches order kernels on the host with copies, and children have threads.
        *"descriptors no_mappings runtime_joined runtime_lives runtime_storm".split(),
        *ONE_THREAD,
        *EXAMPLES,
        # No driver runs there.
        *"opencl-platform libhetcl.so het.icd".split(),
    ],
}

# CUDA devices without a GPU (selftests/fake) run where the device makes a difference, with the default trap.
FAKE_CUDA = {
    "LD_LIBRARY_PATH": str(ROOT / "build/fake"),
    "HET_TEST_DEVICES": "cuda,cuda2",
    "HET_TEST_TRAPS": "uffd",
}
WITH_FAKE_CUDA = (
    *"api bytes_moved coherence event failure fork nested strict threads".split(),
    *"runtime_cache runtime_checkpoint runtime_checkpoint_launches runtime_cxx runtime_events runtime_evict runtime_in_place runtime_inspect runtime_instruments runtime_launch".split(),
    *(
        "runtime_kept runtime_lanes runtime_lives runtime_memory runtime_mixed "
        "runtime_pipeline runtime_preempt runtime_prefetch runtime_programs runtime_promise runtime_ranges runtime_raw runtime_slices "
        "runtime_textures runtime_split runtime_twins runtime_lost runtime_analysed runtime_unable runtime_waits"
    ).split(),
)
# Where touches are caught in another way, what the runtime does with arrays stands for all that it does.
WITHOUT_MOST_OF_RUNTIME = tuple(
    test
    for test in SELFTESTS
    if test.startswith("runtime_")
    and test.removeprefix("runtime_") not in "ranges split halo twins promise prefetch".split()
)
# Races that last a set time want all processors to themselves; the other selftests wait now and then, or have one
# thread.
ALONE = ("beside_unlink", "signals", "threads")
# Where foresight expects everything, all that kernels write comes home; `make check-foresight` runs the rest.
FORESEEN = ("coherence", "failure", "fork", "host_writes")
# Foresight learns the loops of tests, too, whose touches find all at home then. Without it each of them waits for its
# bytes.
NOTHING_FORESEEN = {"GPUVM_FORESIGHT": "0", "HET_TEST_DEVICES": SANITIZED["HET_TEST_DEVICES"]}
TOUCHED = ("coherence", "fork", "host_writes", "threads")
WITH_INSTRUMENTS = ("runtime_events", "runtime_launch", "runtime_ranges")

# The trap by mprotect does not use userfaultfd.
WITH_USERFAULTFD = {"HET_TEST_TRAPS": "best,uffd,uffd-sigbus"}
FEATURES_OF_6_1 = WITH_USERFAULTFD | {"GPUVM_UFFD_FEATURES": "6.1"}
# What a touch finds on a driver's device it finds on the host's just so, whatever kernel or user lets it be caught;
# what a driver does itself with arrays, these show.
WITH_DRIVERS = ("coherence", "host_writes", "runtime_ranges")
# Signals of a program have nothing to do with userfaultfd's features. The others have a test that asks for those of Linux
# 6.1 by itself, and injected.cc runs more of theirs so.
ALIKE_WITH_6_1 = ("foresight", "send_ahead", "signals")
# An ordinary user has no full userfaultfd, which is the other traps' affair, and little memory to lock: what asks for
# either by itself, with every trap.
WITH_PRIVILEGES = ("api", "kernel_touch", "limits", "locked_memory")
# What loops and threads do to arrays has nothing to do with rights.
ALIKE_WITHOUT_RIGHTS = ("foresight", "send_ahead", "threads")

SUITES = [
    Suite("selftest"),
    Suite(
        "Linux 6.1 features",
        env=FEATURES_OF_6_1 | NO_DRIVER,
        without=(*WITHOUT_MOST_OF_RUNTIME, *WITH_DRIVERS, *ALIKE_WITH_6_1, "injected"),
    ),
    Suite("Linux 6.1 features, with drivers", env=FEATURES_OF_6_1, only=WITH_DRIVERS),
    # What is tested with the best trap alone is the runtime's, of which one run with delays is enough. That mutants are
    # noticed says something of the tests.
    Suite("Linux 6.1 features", env=FEATURES_OF_6_1, only=("injected",), cases="_with_delays.uffd"),
    Suite(
        "ordinary user",
        env=WITH_USERFAULTFD | NO_DRIVER,
        as_nobody=True,
        without=(*WITHOUT_MOST_OF_RUNTIME, *WITH_PRIVILEGES, *WITH_DRIVERS, *ALIKE_WITHOUT_RIGHTS, "injected"),
    ),
    Suite(
        "ordinary user, with drivers",
        env=WITH_USERFAULTFD,
        as_nobody=True,
        only=WITH_DRIVERS,
    ),
    Suite("ordinary user, every trap", as_nobody=True, only=WITH_PRIVILEGES),
    Suite("fake CUDA", env=FAKE_CUDA, only=WITH_FAKE_CUDA),
    Suite("fake CUDA, instrumented", env=FAKE_CUDA | {"HET_INSTRUMENT": "dirty,touch"}, only=WITH_INSTRUMENTS),
    Suite("all foreseen", env={"GPUVM_FORESIGHT": "always"}, only=FORESEEN),
    Suite("nothing foreseen", env=NOTHING_FORESEEN, only=TOUCHED),
    Suite("address", tree="build-address", env=SANITIZED),
    Suite("thread", tree="build-thread", env=SANITIZED),
    Suite("thread, nothing foreseen", tree="build-thread", env=SANITIZED | NOTHING_FORESEEN, only=TOUCHED),
]


def make(name: str, *arguments: str, seconds: int = 300, **more) -> Step:
    return Step(name, [*MAKE, *arguments], judge_make, cwd=ROOT, seconds=seconds, **more)


def static_checks() -> Iterator[Step]:
    yield make("format", "format-check", beside=True)
    yield make("licence lines", "spdx-check", beside=True)
    yield make("settings are documented", "settings-check", beside=True)
    yield make("what guests need is named", "vm-setup-check", beside=True)
    yield make("README shows the example", "readme-check", beside=True)
    yield Step("steps of this list", [sys.executable, str(ROOT / "scripts/tests/check_steps.py")], beside=True)
    yield Step("what is left out", [sys.executable, str(ROOT / "scripts/tests/left_out.py")], beside=True)
    yield Step("peers of het-bench", [sys.executable, str(ROOT / "scripts/tests/bench_peers.py")], beside=True)
    suites = [sys.executable, str(ROOT / "scripts/tests/check_opencl.py")]
    yield Step("runs of the conformance suite", suites, beside=True)
    limits = [sys.executable, str(ROOT / "scripts/tests/allowance_of_processes.py")]
    yield Step("what stands still", limits, beside=True)
    yield make("headers compile alone", "headers-check", needs="build", beside=True)


def build(name: str, tree: str, *arguments: str, **more) -> Step:
    """Builds run beside each other, and beside tests of what is built: so no processor waits for the last of a
    folder's objects."""
    return make(name, *arguments, seconds=1800, makes=tree, beside=True, **more)


def no_ptx_compiler() -> str | None:
    """Why het-fatbin makes no PTX here. Another clang makes other PTX of the same source."""
    if not (ROOT / "build/bin/het-fatbin").exists():
        return "het-fatbin was not built here"
    if not shutil.which("clang-14"):
        return "clang-14 is not installed"
    return None if Path("/usr/lib/clc/nvptx64--nvidiacl.bc").exists() else "libclc-14 is not installed"


def builds() -> Iterator[Step]:
    yield build("build", "build", "all", "tests", "inject", f"WITHOUT={' '.join(WITHOUT['build'])}")
    for sanitizer, compilers in (("address", CLANG), ("thread", [])):
        tree = f"build-{sanitizer}"
        # With -g1 there are the functions and lines that a report names.
        settings = (f"SAN={sanitizer}", "DEBUG_LOCKS=1", "CXXFLAGS=-O1 -g1", f"WITHOUT={' '.join(WITHOUT[tree])}")
        yield build(f"build, {sanitizer} sanitizer", tree, *compilers, *QUICKLY, *settings, "tests")
    # What was not compiled for the address sanitizer is compiled here.
    clang = build(
        "clang", "build-clang", *CLANG, *QUICKLY, "B=build-clang", "SYNTAX=1", "EXCEPT=build-address", "objects",
        needs="build-address",
    )
    clang.unavailable = lambda: None if CLANG else "clang++ is not installed"
    yield clang
    yield make("dependencies run one way", "deps-check", needs="build", beside=True)
    yield make("exported symbols", "symbols-check", needs="build", beside=True)
    yield make("PTX of the benchmarks' kernels", "kernels-check", needs="build", beside=True, unavailable=no_ptx_compiler)


def left_out(kind: str, program: str, tree: str = "build") -> str | None:
    """Why a tree's build left a program out, if it did. Logs of other trees may be those of an earlier run."""
    log = LOGS / ("build.log" if tree == "build" else f"{tree}-sanitizer.log")
    reasons = LEFT_OUT.findall(log.read_text(errors="replace")) if log.exists() else []
    for source, reason in reasons:
        if kind in source and Path(source).stem == program:
            return reason
    return None


def environment(tree: str) -> dict[str, str]:
    cache = ROOT / tree / "check" / "pocl-cache"
    cache.mkdir(parents=True, exist_ok=True)
    return {"POCL_CACHE_DIR": str(cache), "HET_CACHE_SIZE": "0", **(SANITIZER_OPTIONS if tree != "build" else {})}


def command(tree: str, program: Path) -> list[str]:
    # The thread sanitizer's shadow has no room for every randomized address.
    return (["setarch", "-R"] if tree == "build-thread" else []) + [str(program)]


def unit_tests(tree: str) -> Iterator[Step]:
    where = "" if tree == "build" else f"{tree.removeprefix('build-')}, "
    for test in UNIT_TESTS:
        if test in WITHOUT[tree]:
            continue
        yield Step(
            f"{where}unit test {test}",
            command(tree, ROOT / tree / "tests" / test),
            judge_gtest,
            env=environment(tree) | ({"LSAN_OPTIONS": "detect_leaks=0"} if test in WITHOUT_LEAKS else {}),
            needs=tree,
            seconds=60,
            beside=True,
            unavailable=lambda test=test: left_out("/tests/", test, tree),
        )


class NobodysCopy:
    """A copy of the tests that an ordinary user can read, made when first asked for."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="het-check-"))
        self.made = False

    def make(self) -> None:
        if self.made:
            return
        self.made = True
        self.folder.chmod(0o755)
        wanted = [p for what in ("selftests/*", "libhet.so*", "*/libhet.so*") for p in ROOT.glob(f"build/{what}")]
        for path in filter(Path.is_file, wanted):
            target = self.folder / path.relative_to(ROOT / "build")
            target.parent.mkdir(exist_ok=True)
            shutil.copy(path, target)
        (self.folder / "work").mkdir()
        os.chown(self.folder / "work", 65534, 65534)

    def remove(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def selftests(suite: Suite, copy: NobodysCopy) -> Iterator[Step]:
    for test in sorted(SELFTESTS, key=lambda t: t in ALONE):
        if test in (*WITHOUT[suite.tree], *suite.without) or (suite.only and test not in suite.only):
            continue
        step = Step(
            f"{suite.name}, {test}",
            command(suite.tree, ROOT / suite.tree / "selftests" / test) + ([f"--filter={suite.cases}"] if suite.cases else []),
            judge_ktap,
            env={**environment(suite.tree), **suite.env},
            seconds=suite.seconds,
            needs=suite.tree,
            beside=test not in ALONE,
            unavailable=lambda test=test: left_out("selftests/", test, suite.tree),
        )
        if suite.as_nobody:
            as_nobody(step, copy)
        yield step


def nothing_for_sanitizers() -> Step:
    """Should one of these tests get a case that could run in the sanitized trees, it has to be built there."""
    look = f"! for test in {' '.join(NOTHING_SANITIZED)}; do build/selftests/$test --list; done | grep ."
    env = environment("build") | SANITIZED
    return Step("tests with nothing for sanitizers", ["sh", "-c", look], env=env, cwd=ROOT, needs="build", beside=True)


def as_nobody(step: Step, copy: NobodysCopy) -> None:
    test = Path(step.command[-1]).name
    work = copy.folder / "work"
    step.command = [str(copy.folder / "selftests" / test)]
    step.env |= {"HOME": str(work), "TMPDIR": str(work), "POCL_CACHE_DIR": str(work / "pocl-cache")}
    step.cwd = work
    step.as_nobody = True
    otherwise = step.unavailable

    def unavailable() -> str | None:
        if os.getuid() != 0:
            return "not root: the other suites run as an ordinary user already"
        copy.make()
        return otherwise()

    step.unavailable = unavailable


def examples() -> Iterator[Step]:
    for example in EXAMPLES:
        yield Step(
            f"example {example}",
            [str(ROOT / "build/examples" / example)],
            env=environment("build"),
            needs="build",
            beside=True,
            unavailable=lambda example=example: left_out("examples/", example),
        )


APPLICATION_RUNS = (("opencl",), ("host",), ("cuda",), ("apart,apart", "--split"), ("opencl,host", "--split"))


def applications() -> Iterator[Step]:
    """Each at its smallest size, on each kind of device and on several: results are checked."""
    for path in sorted(ROOT.glob("bench/apps/*.cc")):
        app = path.stem
        if '"apps/common/app.h"' not in path.read_text():  # a program of its own kind
            continue
        output = ["--output", os.devnull] if app == "photo-het" else []
        for devices, *options in APPLICATION_RUNS:
            yield Step(
                f"application {app}, {devices}",
                [str(ROOT / "build/bin" / app), "--small", *options, *output],
                env={**environment("build"), "LD_LIBRARY_PATH": FAKE_CUDA["LD_LIBRARY_PATH"], "HET_DEVICES": devices},
                cwd=ROOT,
                needs="build",
                beside=True,
                seconds=60,
                unavailable=lambda app=app: left_out("bench/apps/", app),
            )


LAUNCH_COSTS = (
    ("launch-latency", "opencl"),
    ("launch-latency", "cuda"),
    ("preempt-latency", "cuda"),
    ("tasks", "host"),
    ("start-up", "opencl"),
    ("touch-stages", "host"),
    ("oversubscription", "opencl"),
    ("in-place", "cuda"),
    ("checkpoint", "apart"),
)


def launch_costs() -> Iterator[Step]:
    """What launches and touches cost, measured too shortly to say: these programs run."""
    for program, devices in LAUNCH_COSTS:
        yield Step(
            f"benchmark {program}, {devices}",
            [str(ROOT / "build/bin" / program), "--quick"],
            env={**environment("build"), "LD_LIBRARY_PATH": FAKE_CUDA["LD_LIBRARY_PATH"], "HET_DEVICES": devices},
            needs="build",
            beside=True,
            seconds=60,
            unavailable=lambda program=program: left_out("bench/", program),
        )


def models() -> Iterator[Step]:
    """The timing model of preemption with tiny kernels: each is compared with what the host computes."""
    yield Step(
        "model of preemption",
        [str(ROOT / "build/bin/pep-model"), "--quick", "--factor", "16", "--threads", "1"],
        needs="build",
        beside=True,
        seconds=20,
        unavailable=lambda: left_out("bench/pep/", "main"),
    )


def micro_benchmark(name: str, command: list[str], lacks: Callable[[], str | None] = lambda: None) -> Step:
    return Step(
        f"het-bench, {name}",
        command,
        env={**environment("build"), "LD_LIBRARY_PATH": FAKE_CUDA["LD_LIBRARY_PATH"]},
        needs="build",
        beside=True,
        seconds=60,
        unavailable=lambda: left_out("bench/", "het-bench") or lacks(),
    )


def micro_benchmarks() -> Iterator[Step]:
    """All tests of het-bench with the least of everything, on each kind of device: results of kernels are checked."""
    program, tests = str(ROOT / "build/bin/het-bench"), ROOT / "scripts/tests"
    for device in ("host", "opencl0", "cuda0"):
        yield micro_benchmark(device, [program, "--smallest", "--device", device])
    yield micro_benchmark("devices that fail", [sys.executable, str(tests / "het_bench_failures.py")])
    yield micro_benchmark("ranks of MPI", [sys.executable, str(tests / "het_bench_ranks.py")], no_ranks)


def no_guest() -> str | None:
    if platform.machine() != "x86_64":
        return "the guests are x86-64 machines"
    return None if shutil.which("apt-get") else "the guest's kernel is one of Debian's, and there is no apt-get"


def guests() -> Iterator[Step]:
    """The kernel module; `make check-vm` has the other kernels, and all of the library's selftests."""
    for name, what, tests in (
        ("kernel module", "run", ""),
        ("library with the kernel module", "library", "coherence host_writes kernel_touch"),
    ):
        yield Step(
            f"{name}, Linux 6.1",
            [str(ROOT / "scripts/vm/check.sh"), what, "6.1"],
            judge_ktap,
            # A page that each of 100 processes leaves, or 700 bytes that each of 660 regions does, stand out, too.
            env={"TESTS": tests, "GPUVM_LEAKS_DIVISOR": "3"},
            cwd=ROOT,
            seconds=1200,
            needs="build",
            beside=True,
            unavailable=no_guest,
        )


def no_opencl_platform(tree: str) -> str | None:
    built = (ROOT / tree / "selftests/opencl-platform").exists() and (ROOT / tree / "libhetcl.so").exists()
    return None if built else "the OpenCL platform was not built here"


def opencl_platform() -> Iterator[Step]:
    """Its drivers are PoCL's, and het-fatbin that of the first tree. On throttled devices run the cases that tell how
    launches were shared, and a benchmark that compares all bytes of a device with those of several."""
    for name, tree, drivers in (
        ("OpenCL platform", "build", "pthread"),
        ("OpenCL platform on two devices", "build", "pthread pthread"),
        ("OpenCL platform on two throttled devices", "build", "throttled"),
        ("OpenCL platform, address sanitizer", "build-address", "pthread"),
    ):
        env = {
            "OCL_ICD_VENDORS": f"{ROOT / tree / 'vendors'}/",  # CUDA's loader wants the slash
            "POCL_DEVICES": drivers,
            "GPUVM_QUIET": "1",
            "PATH": f"{ROOT / 'build/bin'}:{os.environ['PATH']}",
        }
        cases: list[str] = []
        if tree == "build-address":
            env["ASAN_OPTIONS"] = "detect_leaks=0"  # drivers keep what they have
            env["CL_TEST_STEPS"] = "200"
        if drivers == "throttled":
            env |= {"HET_OPENCL_VENDORS": str(ROOT / "build/throttled"), "THROTTLED_NS": "100,300"}
            env |= {"HET_OPENCL_DEVICES": "joint", "POCL_DEVICES": "pthread pthread"}
            cases = ["random_programs", "shared_launches"]
            # Bodies take long on processors, and hashes and products have as many blocks.
            without_bodies = [w for p in ("black-scholes", "matmul", "hashes") for w in ("--programs", p)]
            yield Step(
                "benchmark cl-platform, two throttled devices",
                [str(ROOT / "build/bin/cl-platform"), "--quick", "--what", "joint", *without_bodies],
                env=environment(tree) | {k: v for k, v in env.items() if k != "HET_OPENCL_DEVICES"},
                needs="build",
                seconds=120,
                beside=True,
                unavailable=lambda: left_out("bench/", "cl-platform") or no_opencl_platform("build"),
            )
        yield Step(
            name,
            [str(ROOT / tree / "selftests/opencl-platform"), *cases],
            judge_ktap,
            env=environment(tree) | env,
            needs=" ".join(sorted({"build", tree})),
            seconds=300,
            beside=True,
            unavailable=lambda tree=tree: no_opencl_platform(tree),
        )


# The way that messages take is Open MPI's own choice otherwise, and it does not take the loopback for a network. It
# makes no windows over sockets unless told how.
SOCKETS = {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,tcp", "OMPI_MCA_btl_tcp_if_include": "lo"}
SOCKETS |= {"OMPI_MCA_osc": "pt2pt"}
SHARED_MEMORY = {"OMPI_MCA_pml": "ob1", "OMPI_MCA_btl": "self,vader"}
USER_MODE = {"GPUVM_UFFD_OPEN": "user"}
SIGSEGV = {"GPUVM_TRAP": "sigsegv"}


def no_ranks() -> str | None:
    return left_out("selftests/mpi/", "messages") or (None if shutil.which("mpirun") else "there is no mpirun")


def no_ranks_or_rights() -> str | None:
    return no_ranks() or (None if os.getuid() == 0 else "not root: system calls see arrays on devices with rights alone")


def no_ranks_for_programs() -> str | None:
    return no_ranks() or left_out("bench/apps/", "stencil")


def ranks() -> Iterator[Step]:
    """Two ranks of Open MPI's, with libhet-mpi, and what each way of catching touches allows without it: the table of
    Documentation/mpi.rst."""
    mpirun = ["mpirun", "-n", "2", "--oversubscribe", "--bind-to", "none"]
    with_layer = [*mpirun, "-x", f"LD_PRELOAD={ROOT / 'build/libhet-mpi.so.0'}"]
    test = str(ROOT / "build/selftests/mpi-messages")
    # mpirun asks root twice. Foresight would bring home more than the messages.
    env = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "GPUVM_FORESIGHT": "0"}
    env |= {"GPUVM_QUIET": "1"}
    common = {"judge": judge_ktap, "needs": "build", "beside": True, "seconds": 120, "unavailable": no_ranks}
    for devices, way, settings in (
        ("apart,apart,local-rank", "shared memory", SHARED_MEMORY),
        ("host", "shared memory", SHARED_MEMORY),
        ("opencl", "sockets", SOCKETS),
        ("apart", "sockets, userfaultfd for user mode", SOCKETS | USER_MODE),
        ("apart", "sockets, sigsegv", SOCKETS | SIGSEGV),
        ("apart", "shared memory, sigsegv", SHARED_MEMORY | SIGSEGV),
    ):
        settings = {**environment("build"), **env, **settings, "HET_DEVICES": devices}
        yield Step(f"MPI, {devices}, {way}", [*with_layer, test], env=settings, **common)
    # The fifth copy to the GPU is refused, and that of one message fails.
    fake = {**environment("build"), **env, **SHARED_MEMORY, "HET_DEVICES": "cuda,local-rank"}
    fake |= {"LD_LIBRARY_PATH": FAKE_CUDA["LD_LIBRARY_PATH"], "FAKE_CUDA_FAIL": "cuMemcpyHtoDAsync_v2:4:700"}
    yield Step("MPI, cuda,local-rank, shared memory", [*with_layer, test, "few"], env=fake, **common)
    for program, devices in (
        ("mpi-stencil", "apart,apart,local-rank"),
        ("mpi-matmul", "apart,apart,local-rank"),
        ("mpi-ping-pong", "opencl"),
    ):
        settings = {**environment("build"), **env, **SHARED_MEMORY, "HET_DEVICES": devices}
        yield Step(
            f"{program}, {devices}", [*with_layer, str(ROOT / "build/bin" / program), "--small"], env=settings,
            **(common | {"judge": judge_plain, "unavailable": no_ranks_for_programs}),
        )
    for devices in ("host", "apart,apart,local-rank", "opencl"):
        settings = {**environment("build"), **env, **SHARED_MEMORY, "HET_DEVICES": devices}
        yield Step(
            f"MPI, example ring, {devices}", [*with_layer, str(ROOT / "build/examples/mpi/ring")], env=settings,
            **(common | {"judge": judge_plain}),
        )
    plain = {**environment("build"), **env, "HET_DEVICES": "apart", "GPUVM_TRAP": "uffd"}
    common["unavailable"] = no_ranks_or_rights
    both_ways = (("shared memory", SHARED_MEMORY), ("sockets", SOCKETS))
    for kind, ways in (("messages", both_ways), ("windows", both_ways), ("files", both_ways[:1])):
        for way, settings in ways:
            yield Step(
                f"MPI by itself, {kind}, {way}", [*mpirun, test, "plain", kind], env={**plain, **settings}, **common
            )
    # Where one process can't read the other's pages, Open MPI copies through shared memory.
    common["unavailable"] = no_ranks
    without_rights = (("userfaultfd for user mode", USER_MODE), ("sigsegv", SIGSEGV))
    for way, settings in without_rights:
        yield Step(
            f"MPI by itself, messages, shared memory, {way}", [*mpirun, test, "plain", "messages"],
            env={**plain, **SHARED_MEMORY, **settings}, **common,
        )
    # A table that says what does not go is to be believed, too.
    common |= {"judge": judge_plain, "cwd": LOGS, "beside": False}
    for kind in ("messages", "files"):
        refused = f"! {' '.join(mpirun)} {test} plain {kind} >out 2>&1; grep -m1 'Bad address' out"
        for way, settings in without_rights:
            yield Step(
                f"MPI by itself, {kind}, sockets, {way}: refused",
                ["sh", "-c", refused.replace("out", f"mpi-refused-{kind}-{way[:5]}")],
                env={**plain, **SOCKETS, **settings}, **common,
            )


# numpy and what else the tests use are Debian's, and so is the Python that has them.
DEBIANS_PYTHON = "/usr/bin/python3"


def no_python_package(*modules: str) -> str | None:
    if not (ROOT / "build/python/het/_het.so").exists():
        return "Python's package was not built here, for want of python3-dev or pybind11-dev"
    for module in modules:
        if subprocess.run([DEBIANS_PYTHON, "-c", f"import {module}"], capture_output=True).returncode:
            return f"Debian's Python has no {module} here"
    return None


def python_package() -> Iterator[Step]:
    env = environment("build") | {
        "PYTHONPATH": f"{ROOT / 'build/python'}:{ROOT / 'python/tests'}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "HYPOTHESIS_STORAGE_DIRECTORY": str(LOGS / "hypothesis"),
        "LD_LIBRARY_PATH": FAKE_CUDA["LD_LIBRARY_PATH"],
    }
    for devices in ("opencl,host", "host", "apart,apart", "cuda"):
        plug_ins = ["no:terminal", "no:cacheprovider", "ktap"]
        options = [option for name in plug_ins for option in ("-p", name)]
        yield Step(
            f"Python, {devices}",
            [DEBIANS_PYTHON, "-m", "pytest", *options, str(ROOT / "python/tests")],
            judge_ktap,
            env={**env, "HET_DEVICES": devices},
            needs="build",
            beside=True,
            seconds=120,
            unavailable=lambda: no_python_package("numpy", "pytest", "hypothesis"),
        )
        example = [DEBIANS_PYTHON, str(ROOT / "Documentation/examples/heat.py")]
        if devices == "cuda":
            example = [DEBIANS_PYTHON, str(ROOT / "python/tests/run_with_fat_binary.py"), example[1]]
        yield Step(
            f"Python, example heat, {devices}",
            example,
            env={**env, "HET_DEVICES": devices},
            needs="build",
            beside=True,
            unavailable=lambda devices=devices: (
                no_python_package("numpy") or (no_ptx_compiler() if devices == "cuda" else None)
            ),
        )
    yield Step(
        "Python, notebook plate",
        [
            DEBIANS_PYTHON,
            str(ROOT / "python/tests/run_notebook.py"),
            str(ROOT / "Documentation/examples/plate.ipynb"),
            str(LOGS / "plate.ipynb"),
        ],
        env={**env, "HET_DEVICES": "opencl"},
        needs="build",
        beside=True,
        unavailable=lambda: no_python_package("numpy", "nbclient", "ipykernel"),
    )
    cache = ["--cache-dir", str(LOGS / "mypy")]
    yield Step(
        "Python, types",
        [DEBIANS_PYTHON, "-m", "mypy", "--config-file", "python/mypy.ini", *cache, "python/het", "python/tests/typed_use.py"],
        cwd=ROOT,
        needs="build",
        beside=True,
        unavailable=lambda: no_python_package("numpy", "mypy"),
    )


def plan(copy: NobodysCopy) -> Iterator[Step]:
    yield from static_checks()
    yield from builds()
    # The guests take longest and wait now and then: what is short fills the time beside them.
    yield from guests()
    for tree in ("build", "build-address", "build-thread"):
        yield from unit_tests(tree)
    yield from examples()
    yield from python_package()
    yield from ranks()
    yield from applications()
    yield from launch_costs()
    yield from models()
    yield from micro_benchmarks()
    for tool in ("het-info", "het-ptx", "het-fatbin", "het-analyse", "het-run"):
        script = [sys.executable, str(ROOT / f"tools/tests/{tool.replace('-', '_')}.py")]
        yield Step(
            f"{tool}, command line",
            script,
            judge_ktap,
            env=environment("build"),
            needs="build",
            beside=True,
            seconds=300,
            unavailable=lambda tool=tool: (
                None if (ROOT / "build/bin" / tool).exists() else f"{tool} was not built here"
            ),
        )
    yield Step(
        "figures of bench-nvptx",
        [sys.executable, str(ROOT / "tools/tests/nvptx_figures.py")],
        judge_ktap,
        beside=True,
    )
    yield Step(
        "figures of noc-sim",
        [sys.executable, str(ROOT / "tools/tests/noc_figures.py")],
        judge_ktap,
        beside=True,
        seconds=300,
    )
    yield Step(
        "programs of noc-record",
        [sys.executable, str(ROOT / "tools/tests/noc_record.py")],
        judge_ktap,
        needs="build",
        beside=True,
        unavailable=lambda: None if (ROOT / "build/bin/noc-record").exists() else "noc-record was not built here",
    )
    yield Step(
        "what stands on het.h",
        [sys.executable, str(ROOT / "selftests/proof/proofs.py")],
        judge_ktap,
        env=environment("build"),
        needs="build",
        seconds=120,
        beside=True,
    )
    yield Step(
        "OpenMP programs",
        [sys.executable, str(ROOT / "selftests/openmp/programs.py")],
        judge_ktap,
        env=environment("build"),
        needs="build",
        seconds=120,
        beside=True,
        unavailable=lambda: None if (ROOT / "build/bin/het-openmp").exists() else "there is no libgomp to build it with",
    )
    yield from opencl_platform()
    for programs in ("new", "old"):
        command_line = [str(ROOT / "scripts/check-install.sh"), programs]
        yield Step(f"install, {programs} programs", command_line, cwd=ROOT, needs="build", beside=True)
    yield make("documentation", "docs", needs="build", beside=True)
    yield nothing_for_sanitizers()
    for suite in SUITES:
        yield from selftests(suite, copy)


def only(steps: list[Step], pattern: str) -> list[Step]:
    """The steps with matching names, and the builds that they need."""
    wanted = {s.name for s in steps if re.search(pattern, s.name)}
    trees = {tree for s in steps if s.name in wanted for tree in s.needs.split()}
    return [s for s in steps if s.name in wanted or s.makes in trees]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", metavar="REGEX", help="these steps alone, and the builds that they need")
    parser.add_argument("--list", action="store_true", help="name the steps and stop")
    options = parser.parse_args()
    # What was said to the make that called is not meant for those called from here.
    for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "SAN", "B", "V", "DEBUG_LOCKS", "DESTDIR", "PREFIX"):
        os.environ.pop(name, None)

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what runs is ended, too
    copy = NobodysCopy()
    try:
        # All others end before one that runs alone begins: so these come last.
        steps = sorted(plan(copy), key=lambda step: not step.beside)
        if options.only:
            steps = only(steps, options.only)
        if options.list:
            print("\n".join(s.name for s in steps))
            return 0
        return 0 if run_all(steps, LOGS) else 1
    finally:
        copy.remove()


if __name__ == "__main__":
    sys.exit(main())
