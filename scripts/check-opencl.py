#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Runs sub-tests of Khronos' OpenCL conformance suite on a driver directly and through the platform.

    check-opencl.py FOLDER-OF-THE-SUITE [--suites basic,api] [--out FILE]      (make check-opencl CTS=folder ARGS=)

Each sub-test is a process of its own, with a limit, in three ways: on the drivers that the loader finds without
libhet, on one device of the platform, and on its device of all devices, for which PoCL is asked for two. What passes
directly must pass in the other two ways; the exit status tells. A sub-test that is left out there counts as a failure.
Of the device of all devices it is told how many launches there were, and how many ran on several.

What the file of --out has is not run again, so a run that was interrupted goes on where it stood. Suites take turns,
so that such a run has seen something of each.
"""

import argparse
import itertools
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

SUITES = """allocations api atomics basic buffers c11_atomics compiler computeinfo contractions conversions
device_partition events geometrics half integer_ops math_brute_force mem_host_flags multiple_device_context
non_uniform_work_group printf profiling relationals select SVM thread_dimensions vectors workgroups images/clCopyImage
images/clFillImage images/clGetInfo images/clReadWriteImage images/kernel_image_methods images/samplerlessReads
images/kernel_read_write""".split()
# Several have a mode for the hurried; the variable asks for it where one has no option.
HURRIED = {"CL_WIMPY_MODE": "1"}
OPTIONS = {
    "half": ["-w"],
    "select": ["-w"],
    "math_brute_force": ["-w", "-1"],
    "conversions": ["-w", "-1"],
    "allocations": ["single", "5%"],
    "images/clCopyImage": ["small_images"],
    "images/clFillImage": ["small_images"],
    "images/clGetInfo": ["small_images"],
    "images/clReadWriteImage": ["small_images"],
    "images/kernel_image_methods": ["small_images"],
    "images/samplerlessReads": ["small_images"],
    "images/kernel_read_write": ["small_images", "CL_RGBA", "CL_UNORM_INT8"],
}
PASSES, LACKS = "pass", "skip"
# What does not end in its time directly says nothing of the platform.
TOO_LONG, NOT_RUN = "more than", "-"
# Something that has not worked for so long waits for what will not come, however busy the machine is.
IDLE_SECONDS = 120
LOOK_SECONDS = 5


@dataclass(frozen=True)
class Way:
    name: str
    env: dict[str, str]


@dataclass
class Row:
    """What is known of a sub-test: a result by way."""

    suite: str
    test: str
    results: dict[str, str]
    launches: Counter = field(default_factory=Counter)
    # Why it does not pass, by way.
    reasons: dict[str, str] = field(default_factory=dict)

    @property
    def worse(self) -> list[str]:
        """The ways that do not pass though the driver does."""
        if self.results.get("direct") != PASSES:
            return []
        return [way for way, result in self.results.items() if result != PASSES]


def ways(drivers: str, build: Path) -> list[Way]:
    through = {"OCL_ICD_VENDORS": f"{build}/vendors/", "HET_OPENCL_VENDORS": drivers, "GPUVM_QUIET": "1"}
    return [
        Way("direct", {"OCL_ICD_VENDORS": f"{drivers}/"}),
        Way("single", through | {"HET_OPENCL_DEVICES": "single"}),
        Way("joint", through | {"HET_OPENCL_DEVICES": "joint", "POCL_DEVICES": "pthread pthread"}),
    ]


def compile_suites(source: Path, build: Path, suites: list[str]) -> None:
    if not (build / "build.ninja").exists():
        library = "/usr/lib/x86_64-linux-gnu"
        command = ["cmake", "-G", "Ninja", "-S", source, "-B", build, "-DCL_INCLUDE_DIR=/usr/include"]
        command += [f"-DCL_LIB_DIR={library}", "-DOPENCL_LIBRARIES=OpenCL", "-DCMAKE_BUILD_TYPE=Release"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    targets = [f"test_conformance/{s}/all" for s in suites]
    subprocess.run(["ninja", "-C", build, *targets], check=True, stdout=subprocess.DEVNULL)


def program_of(build: Path, suite: str) -> Path:
    (program,) = (p for p in (build / "test_conformance" / suite).glob("test_*") if os.access(p, os.X_OK))
    return program


def said_by(program: Path, option: str) -> str:
    try:
        return subprocess.run([program, option], capture_output=True, text=True, check=False, timeout=60).stdout
    except subprocess.TimeoutExpired:
        return ""


def conversions(usage: str) -> list[str]:
    """The names that this suite describes, but for those that it refuses: to saturate has no sense in floating point."""
    (types,) = re.findall(r"format types are:\s*([\w, ]+),", usage)
    (rounds,) = re.findall(r"rounding values are:\s*\(empty\), ([\w, ]+),", usage)
    modes = itertools.product(types.split(", "), ["", "_sat"], ["", *rounds.split(", ")], types.split(", "))
    return [
        f"{to}{saturates}{'_' * bool(rounded)}{rounded.lstrip('_')}_{origin}"
        for to, saturates, rounded, origin in modes
        if not (saturates and to in ("float", "double"))
    ]


def subtests(program: Path) -> list[str]:
    usage = said_by(program, "-h")
    if "destFormat" in usage:
        return conversions(usage)
    # Some programs tell their names twice, have a table beneath, or want to be asked in another way.
    for text in (usage if option == "-h" else said_by(program, option) for option in ("-h", "-p")):
        if names := list(dict.fromkeys(re.findall(r"^\t+(\w+)$", text, re.M))):
            return names
    sys.exit(f"{program} names no sub-tests")


def launches_in(report: Path) -> Counter:
    """The numbers of a file that HET_OPENCL_REPORT has named: a line a process."""
    counts: Counter = Counter()
    for line in report.read_text().splitlines() if report.exists() else []:
        counts.update({what: int(n) for what, n in re.findall(r"(\w+) (\d+)", line)})
    return counts


def work_of(session: int) -> int:
    """The processor time of a session, in ticks, with that of children which have ended."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            ticks += sum(map(int, fields[11:15]))
    return ticks


def end_of(process: subprocess.Popen, seconds: int) -> int | str:
    """Waits, and returns the exit status, or what was wrong with it."""
    resource.prlimit(process.pid, resource.RLIMIT_CPU, (seconds, seconds + 5))
    before, since = -1, time.monotonic()
    while True:
        try:
            status = process.wait(LOOK_SECONDS)
            return f"{TOO_LONG} {seconds} s" if status == -signal.SIGXCPU else status
        except subprocess.TimeoutExpired:
            now = work_of(process.pid)
            if now != before:
                before, since = now, time.monotonic()
            elif time.monotonic() - since > IDLE_SECONDS:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                return "hangs"


def outcome(
    program: Path, test: str, options: list[str], way: Way, seconds: int, log: Path, launches: Counter
) -> str:
    """Runs one sub-test, counts its launches, and says how it went. Its output goes into the log."""
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "results.json"
        report = Path(folder) / "launches"
        env = os.environ | HURRIED | way.env
        env |= {"CL_CONFORMANCE_RESULTS_FILENAME": str(told), "HET_OPENCL_REPORT": str(report)}
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("wb") as out:
            end = end_of(
                subprocess.Popen(
                    [program, test, *options], stdout=out, stderr=out, env=env, cwd=folder, start_new_session=True
                ),
                seconds,
            )
        launches.update(launches_in(report))
        if isinstance(end, str):
            return end
        if end < 0:
            return f"signal {-end}"
        try:
            # A name may stand for one of several cases of the only test.
            results = json.loads(told.read_text())["results"]
            return results[test] if test in results else next(iter(results.values()))
        except (OSError, ValueError, KeyError, StopIteration):
            return f"exit {end}"


def reason(log: Path) -> str:
    """The line of an output that tells best why it failed."""
    lines = log.read_text(errors="replace").splitlines()
    telling = [l for l in lines if re.search(r"ERROR|CL_[A-Z_]+|libhet:|not match|[Ff]ailed", l) and "FAILED" not in l]
    return (telling or lines or [""])[0].strip()[:160]


def version_of(source: Path) -> str:
    said = subprocess.run(
        ["git", "-C", source, "describe", "--tags", "--always"], capture_output=True, text=True, check=False
    )
    return said.stdout.strip() if said.returncode == 0 else "of no known version"


class Results:
    """The rows of a file, which gets a line whenever one is added. A later line of a sub-test counts."""

    def __init__(self, file: Path | None, heading: str, names: list[str]):
        self.names = names
        self.rows: dict[tuple[str, str], Row] = {}
        self.columns = ["suite", "sub-test", *names, "launches", "shared"]
        if file and file.exists():
            self._read(file)
        self.file = file or Path(os.devnull)
        if not self.rows:
            self._append([heading, "\t".join(self.columns)])

    def _append(self, lines: list[str]) -> None:
        with self.file.open("a") as out:
            print(*lines, sep="\n", file=out)

    def _read(self, file: Path) -> None:
        lines = [l.split("\t") for l in file.read_text().splitlines() if l and not l.startswith("#")]
        if not lines or lines[0] != self.columns:
            sys.exit(f"{file} has other columns than {' '.join(self.columns)}")
        for suite, test, *results, launches, shared in (l for l in lines[1:] if len(l) == len(self.columns)):
            counts = Counter(launches=int(launches), shared=int(shared))
            self.rows[suite, test] = Row(suite, test, dict(zip(self.names, results)), counts)

    def add(self, row: Row) -> None:
        self.rows[row.suite, row.test] = row
        numbers = [str(row.launches[n]) for n in ("launches", "shared")]
        reasons = [f"# {row.suite} {row.test}, {way}: {why}" for way, why in row.reasons.items()]
        self._append(["\t".join([row.suite, row.test, *row.results.values(), *numbers]), *reasons])


def told(counts: Counter) -> str:
    others = sum(n for what, n in counts.items() if what not in (PASSES, LACKS, NOT_RUN) and TOO_LONG not in what)
    late = sum(n for what, n in counts.items() if what.startswith(TOO_LONG))
    parts = [(counts[PASSES], "passed"), (others, "failed"), (counts[LACKS], "left out"), (late, "out of time")]
    return ", ".join(f"{n} {what}" for n, what in parts if n) or "nothing"


def summary(rows: list[Row], names: list[str], sizes: dict[str, int]) -> str:
    """A line by suite: how it went directly, and how those went elsewhere that pass directly."""
    text = []
    for suite, size in sizes.items():
        of_it = [r for r in rows if r.suite == suite]
        cells = []
        for name in names:
            counted = [r for r in of_it if name == "direct" or r.results.get("direct", PASSES) == PASSES]
            cells.append(f"{name}: {told(Counter(r.results[name] for r in counted))}")
        shared: Counter = sum((r.launches for r in of_it), Counter())
        cells.append(f"{shared['shared']} of {shared['launches']} launches shared")
        text.append(f"{suite}, {len(of_it)} of {size} run; " + "; ".join(cells))
    return "\n".join(text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, help="the suite's folder")
    parser.add_argument("--build", type=Path, default=ROOT / "build/conformance", help="where it is, or will be, built")
    parser.add_argument("--as-built", action="store_true", help="do not build it")
    parser.add_argument("--libhet", type=Path, default=ROOT / "build", help="the build folder of libhetcl.so")
    parser.add_argument("--drivers", default="/etc/OpenCL/vendors", help="the folder of the drivers' .icd files")
    parser.add_argument("--suites", default=",".join(SUITES), help="which of its folders, with commas")
    parser.add_argument("--tests", default="", help="a pattern for sub-tests")
    parser.add_argument("--every", type=int, default=1, help="run one of so many sub-tests of a suite")
    parser.add_argument("--ways", default="direct,single,joint")
    parser.add_argument("--seconds", type=int, default=180, help="processor time for a sub-test")
    parser.add_argument("--jobs", type=int, default=1, help="how many sub-tests run at once")
    parser.add_argument("--again", action="store_true", help="run those of the file again that are worse than directly")
    parser.add_argument("--out", type=Path, help="a file for the results by sub-test, which is continued")
    args = parser.parse_args()

    suites = args.suites.split(",")
    chosen = [w for w in ways(args.drivers, args.libhet.resolve()) if w.name in args.ways.split(",")]
    names = [w.name for w in chosen]
    if not args.as_built:
        compile_suites(args.source, args.build, suites)
    heading = f"# OpenCL-CTS {version_of(args.source)}, drivers of {args.drivers}, libhet {version_of(ROOT)}"
    results = Results(args.out, heading, names)
    programs = {suite: program_of(args.build.resolve(), suite) for suite in suites}
    of_suites = {suite: subtests(program) for suite, program in programs.items()}

    def run(suite: str, test: str) -> Row:
        row = Row(suite, test, {})
        for way in chosen:
            if row.results.get("direct", "").startswith(TOO_LONG):
                row.results[way.name] = NOT_RUN
                continue
            launches: Counter = Counter()
            log = args.build / "logs" / suite / f"{test}.{way.name}"
            how = outcome(programs[suite], test, OPTIONS.get(suite, []), way, args.seconds, log, launches)
            row.results[way.name] = how
            if way.name == "joint":
                row.launches = launches
            if way.name in row.worse:
                row.reasons[way.name] = f"{how}: {reason(log)}"
        return row

    turns = itertools.zip_longest(
        *([(s, t) for t in of_suites[s][:: args.every] if re.search(args.tests, t)] for s in suites)
    )
    done = {name for name, row in results.rows.items() if not (args.again and row.worse)}
    left = [name for name in itertools.chain(*turns) if name and name not in done]
    with ThreadPoolExecutor(args.jobs) as threads:
        for row in (f.result() for f in as_completed([threads.submit(run, *name) for name in left])):
            results.add(row)
            for way, why in row.reasons.items():
                print(f"{row.suite} {row.test}, {way}: {why}", flush=True)
    rows = [r for r in results.rows.values() if r.suite in suites]
    print(summary(rows, names, {suite: len(tests) for suite, tests in of_suites.items()}))
    worse = [r for r in rows if r.worse]
    print(f"{len(worse)} sub-tests that pass directly do not pass through the platform")
    if names[:1] == ["direct"] and len(names) > 1 and not any(r.results["direct"] == PASSES for r in rows):
        sys.exit("nothing passes directly: there is nothing to compare with")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
