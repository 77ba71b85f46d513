#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later OR MIT
"""Runs sub-tests of Khronos' OpenCL conformance suite on a driver directly and through the platform.

    check-opencl.py FOLDER-OF-THE-SUITE [--suites basic,api] [--out FILE]      (make check-opencl CTS=folder ARGS=)

Each sub-test is a process of its own, with a time limit, in three ways: on the drivers that the loader finds without
libhet, on one device of the platform, and on its device of all devices, for which PoCL is asked for two. What passes
directly must pass in the other two ways; the exit status tells. A sub-test that is left out there counts as a failure.
Of the device of all devices it is told how many launches there were, and how many ran on several.
"""

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# These are parts of the suite that take minutes, not hours, on two processors.
SUITES = """allocations api atomics basic buffers compiler computeinfo device_partition events mem_host_flags
multiple_device_context non_uniform_work_group printf profiling select SVM thread_dimensions vectors workgroups
images/clCopyImage images/clFillImage images/clGetInfo images/clReadWriteImage images/kernel_image_methods
images/samplerlessReads images/kernel_read_write""".split()
# Some have a mode for the hurried.
OPTIONS = {
    "select": ["-w"],
    "allocations": ["single", "5"],
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


@dataclass(frozen=True)
class Way:
    name: str
    env: dict[str, str]


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


def subtests(program: Path) -> list[str]:
    said = subprocess.run([program, "-h"], capture_output=True, text=True, check=False).stdout
    _, _, names = said.partition("Test names:\n")
    # Some programs tell their names twice, or have a table beneath.
    found = list(dict.fromkeys(re.findall(r"^\t(\w+)$", names, re.M)))
    return found or sys.exit(f"{program} names no sub-tests")


def launches_in(report: Path) -> Counter:
    """The numbers of a file that HET_OPENCL_REPORT has named: a line a process."""
    counts: Counter = Counter()
    for line in report.read_text().splitlines() if report.exists() else []:
        counts.update({what: int(n) for what, n in re.findall(r"(\w+) (\d+)", line)})
    return counts


def outcome(
    program: Path, test: str, options: list[str], way: Way, seconds: int, log: Path, launches: Counter
) -> str:
    """Runs one sub-test, counts its launches, and says how it went. Its output goes into the log."""
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "results.json"
        report = Path(folder) / "launches"
        env = os.environ | way.env
        env |= {"CL_CONFORMANCE_RESULTS_FILENAME": str(told), "HET_OPENCL_REPORT": str(report)}
        log.parent.mkdir(parents=True, exist_ok=True)
        with log.open("wb") as out:
            process = subprocess.Popen(
                [program, test, *options], stdout=out, stderr=out, env=env, cwd=folder, start_new_session=True
            )
            try:
                status = process.wait(seconds)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                return f"{TOO_LONG} {seconds} s"
        launches.update(launches_in(report))
        if status < 0:
            return f"signal {-status}"
        try:
            return json.loads(told.read_text())["results"][test]
        except (OSError, ValueError, KeyError):
            return f"exit {status}"


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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, help="the suite's folder")
    parser.add_argument("--build", type=Path, default=ROOT / "build/conformance", help="where it is, or will be, built")
    parser.add_argument("--as-built", action="store_true", help="do not build it")
    parser.add_argument("--libhet", type=Path, default=ROOT / "build", help="the build folder of libhetcl.so")
    parser.add_argument("--drivers", default="/etc/OpenCL/vendors", help="the folder of the drivers' .icd files")
    parser.add_argument("--suites", default=",".join(SUITES), help="which of its folders, with commas")
    parser.add_argument("--tests", default="", help="a pattern for sub-tests")
    parser.add_argument("--ways", default="direct,single,joint")
    parser.add_argument("--seconds", type=int, default=180, help="the limit for a sub-test")
    parser.add_argument("--out", type=Path, help="a file for the results by sub-test")
    args = parser.parse_args()

    suites = args.suites.split(",")
    chosen = [w for w in ways(args.drivers, args.libhet.resolve()) if w.name in args.ways.split(",")]
    if not args.as_built:
        compile_suites(args.source, args.build, suites)
    counts = {w.name: Counter() for w in chosen}
    worse = []
    out = args.out.open("w") if args.out else open(os.devnull, "w")
    print(f"# OpenCL-CTS {version_of(args.source)}, drivers of {args.drivers}", file=out)
    print("\t".join(["suite", "sub-test", *(w.name for w in chosen), "launches", "shared"]), file=out)
    all_launches: Counter = Counter()
    for suite in suites:
        program = program_of(args.build.resolve(), suite)
        for test in (t for t in subtests(program) if re.search(args.tests, t)):
            results = {}
            launches: Counter = Counter()
            for way in chosen:
                if results.get("direct", "").startswith(TOO_LONG):
                    results[way.name] = NOT_RUN
                    continue
                log = args.build / "logs" / suite / f"{test}.{way.name}"
                results[way.name] = outcome(program, test, OPTIONS.get(suite, []), way, args.seconds, log, launches)
                if way.name != "joint":
                    launches.clear()
                counts[way.name][results[way.name]] += 1
                if results.get("direct") == PASSES != results[way.name]:
                    worse.append(f"{suite} {test}, {way.name}: {results[way.name]}: {reason(log)}")
                    print(worse[-1], flush=True)
            all_launches.update(launches)
            numbers = [str(launches[n]) for n in ("launches", "shared")]
            print("\t".join([suite, test, *results.values(), *numbers]), file=out, flush=True)
    for name, count in counts.items():
        others = sum(n for what, n in count.items() if what not in (PASSES, LACKS, NOT_RUN))
        print(f"{name}: {count[PASSES]} passed, {others} failed, {count[LACKS]} left out")
    shared = f"{all_launches['shared']} of {all_launches['launches']} launches on the device of all ran on several"
    print(shared)
    print("# " + shared, file=out)
    print(f"{len(worse)} sub-tests that pass directly do not pass through the platform")
    for line in worse:
        print("# " + line, file=out)
    compared = len(chosen) > 1 and chosen[0].name == "direct"
    if compared and not counts["direct"][PASSES]:
        sys.exit("nothing passes directly: there is nothing to compare with")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
